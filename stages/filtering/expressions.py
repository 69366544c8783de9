"""From the text of a user's rule to conditions: a small, closed part of Python's expressions, read and never run.

There are names, numbers, texts in quotes, + - * /, comparisons (chained ones too), `in (...)`, `is None`, and, or, not.
Everything else is refused with its place. Sizes are bounded, so that no rule takes long to read or to ask.
"""

from __future__ import annotations

import ast
import difflib
import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import TypeAlias

from headrace.stages.filtering.conditions import (
    Arithmetic,
    Comparison,
    Condition,
    Every,
    Literals,
    Name,
    Not,
    Operator,
    Sign,
    Some,
    Value,
    is_text,
    names,
)

LONGEST = 4000  # characters
DEEPEST = 40
MOST_COMPARISONS = 200
_SHOWN = 24  # characters of a rule in a message
TextOrNumber: TypeAlias = Callable[[str], bool | None]  # whether a name is text; None: there is no such name
_SIGNS: Mapping[type[ast.cmpop], Sign] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is unknown",
    ast.IsNot: "is known",
}
_SPELLINGS = (("&&", "and"), ("||", "or"), ("<>", "!="), ("===", "=="), ("=<", "<="), ("=>", ">="))
_OPERATORS: Mapping[type[ast.operator], Operator] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_FOREIGN = (  # what other languages write, what stands here for it
    *((re.compile(re.escape(theirs)), f"; write {ours} for {theirs}") for theirs, ours in _SPELLINGS),
    (re.compile(r"(?<![=<>!])=(?!=)"), "; write == for ="),
    (re.compile(r"\b(AND|OR|NOT)\b"), "; write and, or and not in small letters"),
    (re.compile(r"!(?!=)"), "; write not for !"),
    (re.compile(r"[‘’“”「」\uff01-\uff5e]"), "; signs and digits are those of ASCII, and texts stand in ' or \""),
    (re.compile(r"\d\s*%"), "; write 0.05 for 5%"),
)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_ESCAPED = re.compile(r"\\[\\'\"]")
# Names that people try, which stand for no value.
_TRIED = {
    **dict.fromkeys(("text", "content"), "what stands in texts is counted by `patterns`"),
    **dict.fromkeys(("null", "NULL", "none", "nil"), "what is not known is asked by `is None`"),
}
_GRAMMAR = "there are names, numbers, texts in quotes, + - * /, comparisons, in (...), is None, and, or, not"


class ExpressionError(ValueError):
    """A rule that cannot be read: where, why, and what to write instead."""


def parsed(text: str, kinds: TextOrNumber, known: Callable[[], list[str]]) -> Condition:
    """Give the condition that a text says; `known` are the names to suggest from. ExpressionError with the place."""
    if len(text) > LONGEST:
        raise ExpressionError(
            f"the rule has {len(text):,} characters, at most {LONGEST:,} are read; make several rules"
        )
    line = text.replace("\n", " ").strip()
    if not line:
        raise ExpressionError("the rule is empty; write when a document goes, as in characters < 200")
    reader = _Reader(line, kinds, known)
    condition = reader.condition(_tree(line), 0)
    if reader.compared > MOST_COMPARISONS:
        raise ExpressionError(f"the rule has more than {MOST_COMPARISONS} comparisons; make several rules of it")
    return condition


def _tree(line: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python only warns of is an error here, not a line on the screen
            tree = ast.parse(line, mode="eval").body
    except SyntaxError as error:
        hint = next((hint for foreign, hint in _FOREIGN if foreign.search(_QUOTED.sub("", line))), "")
        raise ExpressionError(
            f"{_place(line, (error.offset or len(line) + 1) - 1)}: this is no expression ({error.msg}){hint}"
        ) from error
    except (ValueError, MemoryError, RecursionError) as error:
        why = f"{error}" or "nested too deeply"
        raise ExpressionError(f"the rule cannot be read ({why}); make several of it") from error
    end = len(line.encode()[: tree.end_col_offset or 0].decode())
    if "#" in line[end:]:
        raise ExpressionError(f"{_place(line, line.index('#', end))}: a rule holds no comments; write them in the YAML")
    return tree


def _place(line: str, at: int) -> str:
    return f"at character {at + 1}, near {line[at : at + _SHOWN]!r}" if at < len(line) else "at the end"


class _Reader:
    """Reads one rule; it counts comparisons and remembers the text for messages."""

    def __init__(self, line: str, kinds: TextOrNumber, known: Callable[[], list[str]]) -> None:
        self.line, self.kinds, self.known = line, kinds, known
        self.data = line.encode()
        self.compared = 0

    def words(self, node: ast.expr) -> str:
        return self.data[node.col_offset : node.end_col_offset].decode()

    def wrong(self, node: ast.expr, why: str) -> ExpressionError:
        return ExpressionError(f"{_place(self.line, len(self.data[: node.col_offset].decode()))}: {why}")

    def condition(self, node: ast.expr, depth: int) -> Condition:
        self.check_depth(node, depth)
        match node:
            case ast.BoolOp(op, values):
                parts = tuple(self.condition(value, depth + 1) for value in values)
                return Every(parts) if isinstance(op, ast.And) else Some(parts)
            case ast.UnaryOp(ast.Not(), operand):
                return Not(self.condition(operand, depth + 1))
            case ast.Compare(left, ops, comparators):
                return self.chain([left, *comparators], ops, depth)
            case ast.Name() | ast.Attribute():
                self.value(node, depth)
                raise self.wrong(node, f"a rule compares; write {self.words(node)} > 0, say")
        raise self.wrong(node, f"this is no comparison; {_GRAMMAR}")

    def check_depth(self, node: ast.expr, depth: int) -> None:
        if depth > DEEPEST:
            raise self.wrong(node, f"nested more than {DEEPEST} deep; make several rules of it")

    def chain(self, sides: list[ast.expr], ops: list[ast.cmpop], depth: int) -> Condition:
        pairs = zip(sides, ops, sides[1:], strict=False)
        found = tuple(self.comparison(left, _SIGNS[type(op)], right, depth) for left, op, right in pairs)
        self.compared += len(found)
        for one, side in zip(found, sides, strict=False):
            if next(names(one), None) is None:
                raise self.wrong(side, f"{one.words} is the same for every document; compare a value with something")
        return found[0] if len(found) == 1 else Every(found)

    def comparison(self, left: ast.expr, sign: Sign, right: ast.expr, depth: int) -> Comparison:
        words = self.data[left.col_offset : right.end_col_offset].decode()
        if sign in ("is known", "is unknown"):
            if not (isinstance(right, ast.Constant) and right.value is None):
                raise self.wrong(right, "behind `is` stands None: not known; other values are compared by ==")
            one = self.value(left, depth + 1)
            return Comparison(one, sign, one, words)
        one = self.value(left, depth + 1)
        if is_text(one) and isinstance(right, ast.Name) and self.kinds(right.id) is None and right.id not in _TRIED:
            raise self.wrong(right, f"there is no value {right.id!r}; a text stands in quotes: '{right.id}'")
        if sign in ("in", "not in"):
            return self.membership(one, sign, right, words, depth)
        other = self.value(right, depth + 1)
        if is_text(one) != is_text(other):
            raise self.wrong(left, f"{words} compares text with a number; texts stand in quotes, numbers do not")
        return Comparison(one, sign, other, words)

    def membership(self, one: Value, sign: Sign, right: ast.expr, words: str, depth: int) -> Comparison:
        if isinstance(right, ast.Tuple | ast.List | ast.Set) and right.elts:
            items = [self.value(item, depth + 1) for item in right.elts]
            given = [value for item in items if isinstance(item, Literals) for value in item.values]
            if len(given) == len(items) and all(isinstance(v, str) == is_text(one) for v in given):
                texts = tuple(value for value in given if isinstance(value, str))
                return Comparison(one, sign, Literals(texts or tuple(map(float, given))), words)
        other = self.value(right, depth + 1) if isinstance(right, ast.Name | ast.Attribute) else None
        if isinstance(one, Literals) and other is not None and is_text(one) and is_text(other):
            return Comparison(one, sign, other, words)  # 'forum' in url
        example = "as in language in ('zh', 'yue'); for one alone write =="
        raise self.wrong(right, f"behind `{sign}` stands a list of one kind, {example}")

    def value(self, node: ast.expr, depth: int) -> Value:
        self.check_depth(node, depth)
        match node:
            case ast.Constant(str(text)):
                if "\\" in _ESCAPED.sub("", self.words(node)):
                    raise self.wrong(node, r"in a text \ is written \\; regular expressions stand under `patterns`")
                return Literals((text,))
            case ast.Constant(None):
                raise self.wrong(node, f"None has no meaning here; {_TRIED['none']}")
            case ast.Constant(int() | float() as number) if not isinstance(number, bool):
                return Literals((self.number(node, number),))
            case ast.Name(name):
                return self.name(node, name)
            case ast.Attribute(ast.Name("values" | "scores" as group), name):
                return self.name(node, f"{group}.{name}")
            case ast.UnaryOp(ast.USub() | ast.UAdd() as sign, operand):
                one = self.numeric(operand, depth + 1)
                return one if isinstance(sign, ast.UAdd) else negative(one)
            case ast.BinOp(left, op, right) if operator := _OPERATORS.get(type(op)):
                return Arithmetic(self.numeric(left, depth + 1), operator, self.numeric(right, depth + 1))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            self.refuse_number_of_preset(node, node.value.id)
        words = self.words(node)
        shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN]}..."
        raise self.wrong(node, f"{shown} has no meaning here; {_GRAMMAR}")

    def refuse_number_of_preset(self, node: ast.Attribute, preset: str) -> None:
        """Name the value that is meant by a preset's number: `words` for `gopher.min_words`."""
        value = node.attr.removeprefix("min_").removeprefix("max_")
        meant = next((name for name in (value, f"{preset}_{value}") if self.kinds(name) is not None), None)
        if meant:
            raise self.wrong(node, f"{self.words(node)} is no value; did you mean {meant}?")

    def number(self, node: ast.expr, number: float) -> float:
        try:
            value = float(number)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise self.wrong(node, "the number is too large")
        return value

    def numeric(self, node: ast.expr, depth: int) -> Value:
        value = self.value(node, depth)
        if is_text(value):
            raise self.wrong(node, f"{self.words(node)} is text, and text is not calculated with")
        return value

    def name(self, node: ast.expr, name: str) -> Name:
        text = self.kinds(name)
        if text is None:
            near = difflib.get_close_matches(name, self.known(), 3, 0.6)
            listed = "docs/how-to/rules.md lists the values, and texts stand in quotes"
            hint = _TRIED.get(name) or (f"did you mean {' or '.join(near)}?" if near else listed)
            raise self.wrong(node, f"there is no value {name!r}; {hint}")
        return Name(name, text)


def negative(value: Value) -> Value:
    """Give a number with the other sign."""
    if isinstance(value, Literals):
        return Literals(tuple(-number for number in value.values if not isinstance(number, str)))
    return Arithmetic(Literals((0.0,)), "-", value)
