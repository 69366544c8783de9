"""What would become of a run's documents by other thresholds: decided from what is stored, no input is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from headrace.pipeline.what_if.deciding import decide
from headrace.pipeline.what_if.fates import Fate
from headrace.pipeline.what_if.listing import changed_list, check_list, flat
from headrace.pipeline.what_if.repeats import Repeats, read_repeats
from headrace.pipeline.what_if.settings import Asked, asked
from headrace.pipeline.what_if.tally import GOES_ON, KINDS, REGRADED, Change, Changed, Tally
from headrace.pipeline.what_if.units import texts_of, unit_rows

Row: TypeAlias = dict[str, object]
_TEXT_SHOWN = 80  # characters
_ONLY_WRITE = ("normalize", "tokenize", "write")  # stages behind which nothing is decided any more


def what_if(run: Path, settings: Sequence[str], examples: int = 3, listed: Path | None = None) -> Row:
    """Say what would change in RUN by settings such as `clean.max_symbol_share=0.3`; ConfigError if that cannot be.

    The documents files are read once, twice where a later stage compares documents; `listed` gets all that change.
    """
    check_list(listed, run)
    question = asked(run, settings)
    tally = Tally(examples)
    first = question.stages[0].number if question.stages else len(question.names)
    columns = _columns(question)
    with changed_list(listed) as put:  # before the files are read: it may not be writable
        repeats = read_repeats(question.committed, question.names, first)
        for rows in unit_rows(question.committed, columns):
            decided = decide(rows.table, question.stages, question.names, tally.fates)
            repeats.add(rows.table, decided)
            for each in tally.add(rows, decided, every=put is not None):
                if put is not None:
                    put(each)
    return _answer(question, tally, repeats)


def _columns(question: Asked) -> tuple[str, ...] | None:
    named = [each.columns for each in question.stages]
    return None if None in named else tuple(name for columns in named for name in columns or ())


def _answer(question: Asked, tally: Tally, repeats: Repeats) -> Row:
    committed, moves = question.committed, _moves(tally)
    kept = sum(n for (_, was, _), n in moves.items() if was == Fate())
    drops = sum(n for (_, was, would), n in moves.items() if was == Fate() != would)
    on = sum(n for (_, was, would), n in moves.items() if was != would and would.stage and not would.rule)
    return {
        "run": str(committed.run),
        "parent": committed.plan["identity"],
        "finished": committed.ended,
        "units": committed.units,
        "settings": list(_options(question)),
        "documents": tally.documents,
        "forgotten": tally.forgotten,
        "contradicted": tally.contradicted,
        "kept": {"now": kept, "would": kept - drops, "would_go_on": on},
        "tokens": {"now": tally.tokens, "would": tally.tokens - tally.tokens_dropped} if tally.tokens else None,
        "rules": list(_rules(question, moves)),
        "sources": list(_sources(tally, moves)),
        "grades": list(_grades(tally)),
        "changes": list(_changes(question, tally, moves)),
        "repeats": [
            {"stage": question.names[stage], "documents": n, "of": int(repeats.originals[stage].sum())}
            for stage, n in sorted(repeats.documents.items())
        ],
        "remedy": question.remedy,
    }


def _moves(tally: Tally) -> Counter[tuple[str, Fate, Fate]]:
    fates, sources = tally.fates.by_number(), list(tally.sources)
    return Counter({(sources[source], fates[was], fates[would]): n for (source, was, would), n in tally.moves.items()})


def _options(question: Asked) -> Iterator[Row]:
    """Give every option that differs, by its key."""
    for each in question.stages:
        yield from _differences(each.name, *each.options)


def _differences(at: str, old: object, new: object) -> Iterator[Row]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*old, *new)):
            yield from _differences(f"{at}.{key}", old.get(key), new.get(key))
    elif old != new:
        yield {"option": at, "was": old, "would": new}


def _rules(question: Asked, moves: Mapping[tuple[str, Fate, Fate], int]) -> Iterator[Row]:
    """Give, in chain order, how many documents each rule of a changed stage takes out, and others that change."""
    now: Counter[Fate] = Counter()
    then: Counter[Fate] = Counter()
    for (_, was, would), n in moves.items():
        now[was] += n
        then[would] += n
    order = {name: number for number, name in enumerate(question.names)}
    changed = {each.name for each in question.stages}
    for fate in sorted({*now, *then}, key=lambda fate: (order.get(fate.stage, -1), fate.rule)):
        if fate.rule and (fate.stage in changed or now[fate] != then[fate]):
            yield {"stage": fate.stage, "rule": fate.rule, "now": now[fate], "would": then[fate]}


def _sources(tally: Tally, moves: Mapping[tuple[str, Fate, Fate], int]) -> Iterator[Row]:
    counts: dict[str, Counter[str]] = {name: Counter() for name in sorted(tally.sources)}
    for (source, was, would), n in moves.items():
        counts[source]["kept"] += n * (was == Fate())
        if was != would:
            counts[source][Change(was, would).kind] += n
    for (source, _, _), n in tally.regraded.items():
        counts[source][REGRADED] += n
    names = ("kept", *KINDS)
    yield from ({"source": source, **{name: count[name] for name in names}} for source, count in counts.items())


def _grades(tally: Tally) -> Iterator[Row]:
    letters: Counter[tuple[str, str]] = Counter()
    for (_, was, would), n in tally.regraded.items():
        letters[was, would] += n
    yield from ({"was": was, "would": would, "documents": n} for (was, would), n in sorted(letters.items()))


def _changes(question: Asked, tally: Tally, moves: Mapping[tuple[str, Fate, Fate], int]) -> Iterator[Row]:
    """Give the changes in the order of their kinds, the most frequent first, with examples."""
    counts: Counter[Change] = Counter()
    for (_, was, would), n in moves.items():
        if was != would:
            counts[Change(was, would)] += n
    for (_, before, after), n in tally.regraded.items():
        counts[Change(Fate(), Fate(), before, after)] += n
    shown = {change: [each for _, each in tally.examples[change]] for change in counts}
    every = [each for examples in shown.values() for each in examples]
    texts = texts_of(question.committed, ((each.unit, each.row, each.doc_id) for each in every))
    for change, n in sorted(counts.items(), key=lambda item: (KINDS.index(item[0].kind), -item[1], item[0])):
        yield {
            "change": change.kind,
            "was": change.was._asdict() if change.was.stage else None,
            "would": change.would._asdict() if change.would.stage else None,
            "grades": [change.grade_was, change.grade_would] if change.grade_would else None,
            "documents": n,
            "not_measured_by": _later(question.names, change) if change.kind == GOES_ON else [],
            "examples": [_example(each, texts.get(each.doc_id)) for each in shown[change]],
        }


def _later(names: Sequence[str], change: Change) -> list[str]:
    """Name the stages that have not seen a document which would go on, and may still drop it."""
    after = names[names.index(change.would.stage) + 1 :]
    return [name for name in after if name.partition(".")[0] not in _ONLY_WRITE]


def _example(each: Changed, text: str | None) -> Row:
    return {**flat(each), "text": None if text is None else text[:_TEXT_SHOWN]}
