"""Pii masks, drops, counts or passes over what it finds, kind by kind, and leaves all else as it is."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from pydantic import ValidationError

from headrace.stages.pii import Pii
from headrace.stages.privacy.kinds import NAMES

Tabled = Callable[..., pa.Table]
CALL = "请致电13812345678或写信到wang@qq.com。"


def after(table: pa.Table, **options: object) -> pa.Table:
    return Pii.model_validate(options).process(table)


def test_what_is_found_becomes_the_placeholder_of_its_kind(table_of: Tabled) -> None:
    """Only the found characters are replaced; counts are kept for each kind and together."""
    result = after(table_of([CALL, "没有号码。", ""]))
    assert result["text"].to_pylist() == ["请致电<MOBILE>或写信到<EMAIL>。", "没有号码。", ""]
    assert result["values.pii_mobile"].to_pylist() == [1, 0, 0]
    assert result["values.pii_email"].to_pylist() == [1, 0, 0]
    assert result["values.pii_found"].to_pylist() == [2, 0, 0]
    assert result["verdict"].null_count == 3


def test_a_kind_that_is_reported_stays_and_counts(table_of: Tabled) -> None:
    """report: the text stays, the count is there."""
    result = after(table_of([CALL]), mobile="report")
    assert result["text"].to_pylist() == ["请致电13812345678或写信到<EMAIL>。"]
    assert result["values.pii_mobile"].to_pylist() == [1]


def test_a_kind_that_is_off_stays_and_does_not_count(table_of: Tabled) -> None:
    """off: the text stays, there is no column, and no other kind takes the number for its own."""
    card_too = "身份证11010519491231002X，卡6222021234567890128"
    result = after(table_of([card_too]), resident_id="off", bank_card="off")
    assert result["text"].to_pylist() == [card_too]
    assert "values.pii_resident_id" not in result.column_names
    assert result["values.pii_found"].to_pylist() == [0]


def test_a_bare_off_of_yaml_is_off() -> None:
    """YAML 1.1 reads it as false."""
    assert Pii.model_validate({"plate": False}) == Pii(plate="off")


def test_a_kind_to_drop_takes_the_document_out(table_of: Tabled) -> None:
    """drop: the verdict names the kind and how often it was found; documents without it go on."""
    result = after(table_of([CALL, "没有号码。"]), mobile="drop")
    assert result["verdict"].to_pylist() == ["dropped", None]
    assert result["reason"].to_pylist() == ["pii_mobile", None]
    assert result["value"].to_pylist() == [1, None]
    assert result["threshold"].to_pylist() == [0, None]


def test_more_findings_than_allowed_drop_the_document(table_of: Tabled) -> None:
    """max_pii_found counts all kinds that are not off; so many are allowed, one more is not."""
    table = table_of([CALL, "a@qq.com b@qq.com c@qq.com"])
    result = after(table, max_pii_found=2)
    assert result["reason"].to_pylist() == [None, "max_pii_found"]
    assert (result["value"].to_pylist(), result["threshold"].to_pylist()) == ([None, 3], [None, 2])
    assert after(table, max_pii_found=2, email="off")["reason"].to_pylist() == [None, None]


def test_credit_codes_are_reported_unless_asked_otherwise(table_of: Tabled) -> None:
    """They name companies: found and counted, and masked only on demand."""
    text = "统一社会信用代码：91350100M000100Y43"
    assert after(table_of([text]))["text"].to_pylist() == [text]
    assert after(table_of([text]))["values.pii_credit_code"].to_pylist() == [1]
    assert after(table_of([text]), credit_code="mask")["text"].to_pylist() == ["统一社会信用代码：<CREDIT_CODE>"]


def test_every_kind_has_an_option() -> None:
    """The options are the kinds, in the order in which they win, and the limit."""
    assert tuple(Pii.model_fields) == ("kind", *NAMES, "max_pii_found")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"email": "hide"}, "'mask', 'drop', 'report' or 'off'"), ({"max_pii_found": -1}, "greater than or equal to 0")],
)
def test_options_that_cannot_work_are_refused(options: dict[str, object], message: str) -> None:
    """Impossible options are refused when the stage is made."""
    with pytest.raises(ValidationError, match=message):
        Pii.model_validate(options)
