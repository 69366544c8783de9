"""Where sentences and lines end: cases by hand, by the kernel and its plain twin."""

from __future__ import annotations

import pyarrow as pa
import pytest

from headrace.schemas.arrays import text_buffers
from headrace.stages.kernels import plain
from headrace.stages.kernels.characters import brackets, classes, sentence_marks
from headrace.stages.kernels.sentences import ENDED, ENDED_LINES, LINES, SENTENCES, sentence_counts

# text, sentences, whether it ends like one, lines, lines that end like one or with ；
CASES = [
    ("", 0, 0, 0, 0),
    ("水流下山", 0, 0, 1, 0),
    ("水流下山。轮子转了！谁知道？", 3, 1, 1, 1),
    ("他说：“走吧。”", 1, 1, 1, 1),
    ("他说：“走吧”", 0, 0, 1, 0),
    ("“走吧！”他说，“快走。”", 2, 1, 1, 1),
    ("他问：“你听见‘水来了！’没有？”", 2, 1, 1, 1),
    ("她说：「他喊：『水來了！』」", 1, 1, 1, 1),
    ("（见上文。）", 1, 1, 1, 1),
    ("（见上文）", 0, 0, 1, 0),
    ("《渠》", 0, 0, 1, 0),
    ("真的吗?他不信!水真的来了", 2, 0, 1, 0),
    ("真的吗?”他问", 1, 0, 1, 0),
    ("什么？！真的……", 2, 1, 1, 1),
    ("什么?!真的", 1, 0, 1, 0),
    ("好……", 1, 1, 1, 1),
    ("好。。。", 1, 1, 1, 1),
    ("等等...", 1, 1, 1, 1),
    ("一是挖渠；\n二是造轮；\n三是放水。", 1, 1, 3, 3),
    ("一是挖渠；", 0, 0, 1, 1),
    ("一是挖渠，\n二是造轮：\n三", 0, 0, 3, 0),
    ("他说。”\n她喊！』\n完；」", 2, 0, 3, 3),
    ("走吧。\n”", 1, 1, 2, 1),
    ("\n\n走吧。\n\n\n好\n", 1, 0, 2, 1),
    ("水から来た。本当?うん", 2, 0, 1, 0),
    ("圆周率是 3.14，版本 1.2.3", 0, 0, 1, 0),
    ("The value is 3.14 at a.b now.", 1, 1, 1, 1),
    ("见 https://a.b/c?d=e!f 的说明。", 1, 1, 1, 1),
    ("See https://a.b/c?d=1 here", 0, 0, 1, 0),
    ("e.g. this and U.S. that", 2, 0, 1, 0),
    ('Who? Me! He said "go."', 3, 1, 1, 1),
    ("Is it (really?) so", 1, 0, 1, 0),
    ("what?ever", 0, 0, 1, 0),
    ("文件.txt", 0, 0, 1, 0),
    ("好的.", 1, 1, 1, 1),
]


@pytest.mark.parametrize(("text", "sentences", "ended", "lines", "ends"), CASES)
def test_ends_are_where_a_reader_sees_them(text: str, sentences: int, ended: int, lines: int, ends: int) -> None:
    """Marks end, closers behind them belong to the sentence, and a closing quote alone ends nothing."""
    data, offsets = text_buffers(pa.array(["好。", text, "x"], pa.large_string()))
    row = sentence_counts(data, offsets, classes(), sentence_marks(), brackets())[1]
    assert (row[SENTENCES], row[ENDED], row[LINES], row[ENDED_LINES]) == (sentences, ended, lines, ends)
    assert plain.sentence_counts(text) == tuple(row)
