"""The saved position of a reader: a few numbers and the hash of the manifest prefix they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from headrace.loader.follow import Published
from headrace.loader.order import ORDER_VERSION
from headrace.schemas.errors import HeadraceError
from headrace.schemas.training import LoaderConfig

STATE_VERSION = 1
WEIGHTS_VERSION = 0  # sources are not weighted; a state with weights is refused, not misread


class StateError(HeadraceError):
    """A saved position that does not belong to this run or this configuration."""


@dataclass(frozen=True, slots=True)
class LoaderState:
    """Everything it takes to go on. Any manifest that begins with the hashed lines is accepted: a run may grow."""

    manifest_lines: int
    manifest_sha256: str
    window_shards: int
    seed: int
    shuffle: bool
    epoch: int
    samples_consumed: int  # of this epoch, over all ranks
    skip: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Give the form `state_dict` returns."""
        versions = {"version": STATE_VERSION, "order_version": ORDER_VERSION, "weights_version": WEIGHTS_VERSION}
        return {**versions, **asdict(self), "skip": list(self.skip)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> LoaderState:
        """Read a state back; refuses what another release may have meant otherwise."""
        fields = dict(value)
        known = {"version": STATE_VERSION, "order_version": ORDER_VERSION, "weights_version": WEIGHTS_VERSION}
        for name, expected in known.items():
            if (found := fields.pop(name, None)) != expected:
                why = f"{name} is {found!r}, this release knows {expected}"
                raise StateError("the loader's state cannot be used", why=why, remedy="use the release that saved it")
        return cls(**{**fields, "skip": tuple(fields["skip"])})

    def check(self, config: LoaderConfig, published: Published) -> None:
        """Refuse a state that another configuration or another run has left behind."""
        for name in ("window_shards", "seed", "shuffle"):
            if (saved := getattr(self, name)) != (now := getattr(config, name)):
                why = f"{name} was {saved} and is {now}, which is another order of the samples"
                raise StateError("the loader's state cannot be used", why=why, remedy=f"set loader.{name} to {saved}")
        if published.lines < self.manifest_lines:
            why = f"it has read {self.manifest_lines} manifest lines, the run has only {published.lines}"
        elif published.prefix_sha256(self.manifest_lines) != self.manifest_sha256:
            why = f"the first {self.manifest_lines} manifest lines are not those it has read"
        else:
            return
        where, remedy = str(published.run), "give the run it was trained on, or start training again"
        raise StateError("the loader's state belongs to another run", where=where, why=why, remedy=remedy)
