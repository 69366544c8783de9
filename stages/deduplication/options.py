"""The options of near-duplicate detection, apart from the kernels so that reading a configuration stays cheap."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class MinHash(BaseModel):
    """How near duplicates are found: shingles of the view, their signature, and its bands."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    threshold: float = Field(0.8, gt=0, le=1, description="Similarity from which a document is a near duplicate.")
    bands: int = Field(14, ge=1, description="Bands of the signature; two documents meet if one band is equal.")
    rows: int = Field(8, ge=1, description="Values a band; more rows find fewer and more similar pairs.")
    shingle: Literal["auto", "characters", "words"] = Field(
        "auto", description="What a shingle is made of; auto: characters where most letters are Han, else words."
    )
    shingle_size: int = Field(5, ge=1, description="Characters or words a shingle; a shorter text is compared whole.")
    seed: int = Field(1, ge=0, lt=1 << 32, description="Seed of the permutations, as in datasketch.")
