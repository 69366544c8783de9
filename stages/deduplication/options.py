"""The options of near-duplicate detection, apart from the kernels so that reading a configuration stays cheap."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Keep = Literal["first_seen", "components", "best"]
_MOST = 2048  # values a signature; all peers stay far below, and what they cost grows with their number
Unit = Literal["auto", "characters", "words", "chinese_words"]
_UNITS = (
    "auto: characters where at least half of the letters are of scripts without spaces, else words; "
    "chinese_words: jieba's words where auto takes characters"
)


class MinHash(BaseModel):
    """How near duplicates are found: shingles of the view, their signature, and its bands."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    scheme: Literal["datasketch", "datasketch_legacy", "datatrove", "nemo", "fss"] = Field(
        "datasketch",
        description="Whose formula signs, and whose numbers hold where none are given. datasketch is that of version "
        "2, datasketch_legacy of version 1; fss: fast similarity sketches, whose values repeat each other less.",
    )
    threshold: float = Field(0.8, gt=0, le=1, description="Similarity from which a document is a near duplicate.")
    bands: int | None = Field(
        None,
        ge=1,
        le=_MOST,
        description="Bands of the signature; two documents meet if one band is equal. null: 14, with nemo 20, at a "
        "threshold of 0.8; else as many as 128 values give, with the most rows by which 9 of 10 pairs at the threshold "
        "meet.",
    )
    rows: int | None = Field(
        None,
        ge=1,
        le=_MOST,
        description="Values a band; more rows find fewer and more similar pairs. null: 8, with nemo 13; see bands.",
    )
    slots: int | None = Field(
        None,
        ge=1,
        le=_MOST,
        description="Instead of bands and rows: values a signature, cut as datasketch's optimizer cuts them for the "
        "threshold.",
    )
    shingles: Unit | None = Field(
        None,
        description=f"What a shingle is made of. {_UNITS}. null: auto, with datatrove words, with nemo characters.",
    )
    shingle_size: int | None = Field(
        None,
        ge=1,
        description="Characters or words a shingle; a shorter text is compared whole. null: 5, with nemo 24 unless "
        "`shingles` is given.",
    )
    seed: int | None = Field(
        None, ge=0, lt=1 << 32, description="Seed of the permutations, as in the scheme's package. null: 1, nemo 42."
    )

    @model_validator(mode="after")
    def _one_cut(self) -> MinHash:
        if (self.bands is None) != (self.rows is None):
            raise ValueError("bands and rows belong together: give both, or neither")
        if self.bands and self.rows and self.bands * self.rows > _MOST:
            values = self.bands * self.rows
            raise ValueError(
                f"{self.bands} bands of {self.rows} rows are {values} values: a signature has up to {_MOST}"
            )
        if self.slots is not None and self.bands is not None:
            raise ValueError("slots are cut into bands and rows by the threshold: give slots, or bands and rows")
        return self


class SimHash(BaseModel):
    """How near duplicates are found: a fingerprint of 64 bits of the view's shingles, each counted once."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    bits: int = Field(3, ge=3, le=6, description="Bits that the fingerprints of near duplicates may differ in.")
    threshold: float | None = Field(
        None,
        gt=0,
        le=1,
        description="With `verify: sketch` or `exact`: Jaccard similarity from which a document is a near duplicate. "
        "null: 0.8.",
    )
    shingles: Unit = Field("auto", description=f"What a shingle is made of. {_UNITS}.")
    shingle_size: int = Field(5, ge=1, description="Characters or words a shingle; a shorter text is compared whole.")
