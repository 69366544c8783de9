"""The kinds of personal data, the order in which they win over one another, and what is put in their place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: its name in options and columns, and its rank; the lower one wins."""

    name: str
    rank: int

    @property
    def placeholder(self) -> str:
        """What masking writes: `<EMAIL>`."""
        return f"<{self.name.upper()}>"


# Where two overlap, the earlier kind wins; so a resident id is no bank card, and a number in an e-mail is no telephone.
NAMES = (
    "email",
    "ipv6",
    "ipv4",
    "resident_id",
    "credit_code",
    "bank_card",
    "mobile",
    "hotline",
    "landline",
    "phone",
    "passport",
    "permit",
    "plate",
    "qq",
    "wechat",
)
KINDS = tuple(Kind(name, rank) for rank, name in enumerate(NAMES))
BY_NAME = {kind.name: kind for kind in KINDS}
