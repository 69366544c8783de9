"""How `headrace dups` prints clusters: for people, or as JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from headrace.pipeline.dups.repetitions import NEAR
from headrace.pipeline.json_numbers import finite
from headrace.pipeline.wording import exact, printable

if TYPE_CHECKING:
    from headrace.pipeline.dups.asked import Answer
    from headrace.pipeline.dups.compared import Compared, Part
    from headrace.pipeline.dups.difference import Difference, Piece
    from headrace.pipeline.dups.members import Cluster

_EXCERPT = 100  # characters
_BY_WAY = "by way of "  # as dedup says it where a document is near to the one that stays only through another one
_NO_MATTER = "case, width, white space, traditional characters"
_PLACES = 8  # changed places of one text


class Clusters:
    """Clusters for people; additions green and omissions red in a terminal, `[-old-]{+new+}` elsewhere."""

    def __init__(self, run: Path, answer: Answer) -> None:
        self._run, self._answer = run, answer
        self._number = 0
        self._members = 0
        self._size = 0

    def begin(self) -> None:
        """Print how many repetitions there are."""
        found = self._answer.repetitions
        if not self._answer.clusters:
            click.echo(printable(_none(self._answer)))
            return
        for number, stage in enumerate(found.stage_names):
            reasons = found.reasons[found.stages == number]
            counts = np.bincount(reasons, minlength=len(found.reason_names)).tolist()
            named = zip(found.reason_names, counts, strict=True)
            words = ", ".join(f"{count:,} {name}" for name, count in named if count)
            if words:
                click.echo(f"{stage}: dropped {words}{self._measured(stage) if NEAR in words else ''}")

    def _measured(self, stage: str) -> str:
        """Say what a similarity is: an estimate, unless shingle sets are compared."""
        kind, _, number = stage.partition(".")
        recipe = self._answer.reader.committed.plan["recipe"]["stages"]
        options = [each for each in recipe if each["kind"] == kind][int(number or 1) - 1]
        by_default = "signature" if options.get("simhash") else "sketch"
        match options.get("verify") or by_default:
            case "exact":
                return ""
            case "sketch":
                how = "estimates from sketches"
            case _:
                how = "shares of equal bits" if options.get("simhash") else "estimates from signatures"
        return f"; similarities are {how} (`verify: exact` measures them)"

    def print(self, part: Part) -> None:
        """Print a part of a cluster."""
        if part.cluster.number != self._number:
            self._close()
            self._open(part.cluster, part.text.text)
        self._members += len(part.members)
        for each in part.members:
            self._member(each)

    def end(self) -> None:
        """Say what is left out."""
        self._close()
        left_out = self._answer.clusters - len(self._answer.reader.clusters)
        if left_out:
            more = f"{left_out:,} smaller cluster{'s are' if left_out != 1 else ' is'}"
            click.echo(f"\n{more} not shown: --limit N, or --json for all")

    def _open(self, cluster: Cluster, text: str | None) -> None:
        self._number, self._members, self._size = cluster.number, 0, cluster.documents - 1
        click.echo(f"\ncluster {cluster.number:,}: {cluster.documents:,} documents, by {cluster.stage}")
        fate = f", in {cluster.run}" if cluster.run else ""
        fate += f", then dropped by {cluster.left_at} itself" if cluster.left_at else ""
        name = cluster.survivor.doc_id
        click.echo(f"  stays   {printable(name)}{printable(fate)}")
        if text:
            click.echo(f"          {_excerpt(text)}")

    def _close(self) -> None:
        if self._number and self._members < self._size:
            click.echo(f"  and {self._size - self._members:,} more: --members N, or --json for all")

    def _member(self, each: Compared) -> None:
        member = each.member
        alike = "      " if member.similarity is None else f"{exact(round(member.similarity, 4)):<6}"
        way = member.detail or ""
        detail = f", {way}, to which it is that similar" if way.startswith(_BY_WAY) else ""
        click.echo(f"  {alike}  {printable(member.doc_id)}  {member.reason}{printable(detail)}")
        for line in _words_of(each):
            click.echo(f"          {line}")


class ClustersAsJson:
    """A JSON line for each cluster, with the document that stays, and one for each member behind it."""

    def __init__(self, run: Path) -> None:
        self._number = 0
        self._ascii = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")

    def begin(self) -> None:
        """Print nothing: each line stands for itself."""

    def print(self, part: Part) -> None:
        """Print a part of a cluster."""
        cluster = part.cluster
        if cluster.number != self._number:
            self._number = cluster.number
            self._line(_stays(cluster))
        for each in part.members:
            self._line(_dropped(cluster, each))

    def end(self) -> None:
        """Nothing is left to say."""

    def _line(self, value: Mapping[str, object]) -> None:
        click.echo(json.dumps(finite(value), allow_nan=False, ensure_ascii=self._ascii))


def _none(answer: Answer) -> str:
    """Say that nothing is shown: nothing repeats, or nothing of it is what was asked for."""
    if not answer.reader.committed.lines:
        return "nothing is committed yet: no document was compared"
    if not answer.total:
        return "no document repeats another"
    those = "the one document that repeats" if answer.total == 1 else f"the {answer.total:,} documents that repeat"
    return f"none of {those} another is within {answer.asked}"


def _stays(cluster: Cluster) -> dict[str, object]:
    return {
        "cluster": cluster.number,
        "role": "stays",
        "doc_id": cluster.survivor.doc_id,
        "stage": cluster.stage,
        "documents": cluster.documents,
        "run": cluster.run,
        "left_at": cluster.left_at,
    }


def _dropped(cluster: Cluster, each: Compared) -> dict[str, object]:
    member = each.member
    row = {
        "cluster": cluster.number,
        "role": "dropped",
        "doc_id": member.doc_id,
        "stage": cluster.stage,
        "reason": member.reason,
        "similarity": member.similarity,
        "threshold": member.threshold,
        "survivor": cluster.survivor.doc_id,
        "detail": member.detail,
    }
    if each.why:
        return {**row, "no_diff": each.why}
    if each.difference is None:
        return row
    places = [[_as_json(piece) for piece in place] for place in each.difference.places]
    return {**row, "diff": places, "whole": each.difference.whole, "equal": each.difference.equal}


def _as_json(piece: Piece) -> dict[str, str]:
    return {"stays": piece.old, "dropped": piece.new} if piece.changed else {"both": piece.old}


def _words_of(each: Compared) -> Iterator[str]:
    if each.why:
        yield f"no diff: {printable(each.why)}"
    if each.difference is not None:
        yield from _lines_of(each.difference)


def _lines_of(found: Difference) -> Iterator[str]:
    if not found.places:
        same = "the texts are equal" if found.equal else "the texts differ only in what does not count: " + _NO_MATTER
        yield same if found.whole else f"{same}, as far as they were compared"
    colours = _in_colours()
    for place in found.places[:_PLACES]:
        yield f"... {''.join(_piece(piece, colours=colours) for piece in place)} ..."
    if len(found.places) > _PLACES:
        yield f"and {len(found.places) - _PLACES:,} more places, in --json"
    if found.places and not found.whole:
        yield "what is behind the first million characters was not compared"


def _in_colours() -> bool:
    return sys.stdout.isatty()


def _piece(piece: Piece, *, colours: bool) -> str:
    old, new = _one_line(piece.old), _one_line(piece.new)
    if not piece.changed:
        return old
    if colours:
        return (click.style(old, fg="red", strikethrough=True) if old else "") + (new and click.style(new, fg="green"))
    return (old and f"[-{old}-]") + (new and f"{{+{new}+}}")


def _one_line(text: str) -> str:
    return printable(text)


def _excerpt(text: str) -> str:
    words = printable(" ".join(text[: 4 * _EXCERPT].split()))
    return words if len(words) <= _EXCERPT and len(text) <= 4 * _EXCERPT else f"{words[:_EXCERPT]} ..."
