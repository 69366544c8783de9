"""What the extraction kernels compute, in plain Python: slow, readable, and what the tests compare the kernels with.

The scanner reads markup as bytes; its twin walks the tree that the parser has built.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from resiliparse.parse.html import ElementNode, HTMLTree, Node, TextNode

from headrace.stages.kernels.characters import BREAK, DIGIT, HAN, LETTER, SPACE, UNSPACED
from headrace.stages.kernels.extraction_model import (
    BLOCK,
    CUE_CHARACTERS,
    EMPHASIS,
    FIRST_CHARACTERS,
    IMAGE,
    LEFT_OUT,
    LINE_BREAK,
    LINK,
    NO_BOX,
    PREFORMATTED,
    RAW,
    RULE,
    SUPERSCRIPT,
    VOID,
    WORD_BEGIN,
    Marks,
    Markup,
)
from headrace.stages.kernels.extraction_tags import CUSTOM

_CAMEL = re.compile("(?<=[a-z])(?=[A-Z])")
_MOST_WORDS, _WORD_BYTES = 12, 48


@dataclass(frozen=True, slots=True)
class Words:
    """Lists of words with the value of each: what the automata are built of."""

    tags: Mapping[str, int]
    hints: Mapping[str, int]
    hiding: Iterable[str]
    cues: Mapping[str, int]


@dataclass(slots=True)
class Block:
    """A block as its twin in the table of the scanner."""

    tag: int
    text: str = ""
    characters: int = 0
    linked: int = 0
    links: int = 0
    emphasized: int = 0
    hints: int = 0
    after_image: bool = False
    code: bool = False


def found(words: Mapping[str, int], text: str) -> int:
    """Give the values of all words in a text, or-ed."""
    value = 0
    for word, bits in words.items():
        value |= bits if word in text else 0
    return value


def hints_of(value: str, words: Mapping[str, int]) -> int:
    """Give the hints in a class attribute."""
    hints = 0
    for word in value.split()[:_MOST_WORDS]:
        bare = re.sub("[0-9]", "", word.encode()[:_WORD_BYTES].decode("utf-8", "ignore"))
        hints |= found(words, f"-{_CAMEL.sub('-', bare).replace('_', '-').lower()}-")
    return hints


def cues_of(text: str, words: Mapping[str, int], marks: Marks) -> int:
    """Give the groups of phrases in the first words of a text."""
    spelled = "".join(_letter(character, marks) for character in text)
    spelled = re.sub("0+", "0", re.sub(" +", " ", spelled)).lstrip(" ")
    whole = len(spelled) <= CUE_CHARACTERS
    return found(words, chr(WORD_BEGIN) + spelled[:CUE_CHARACTERS] + (" " if whole else ""))


def _letter(character: str, marks: Marks) -> str:
    kind = marks.classes[ord(character)]
    if kind == DIGIT:
        return "0"
    lower = chr(marks.lower[ord(character)]) if ord(character) < 0x10000 else character
    if HAN <= kind <= LETTER or lower in "@©$€£¥￥":
        return lower
    return ":" if lower in ":：" else " "


def counts(text: str, marks: Marks) -> dict[str, int]:
    """Give what is counted in the text of a block."""
    kinds = [int(marks.classes[ord(character)]) for character in text]
    solid = [character for character, kind in zip(text, kinds, strict=True) if kind > BREAK]
    letters = [c for c, kind in zip(text, kinds, strict=True) if HAN <= kind <= LETTER]
    return {
        "wide": sum(kind in (HAN, UNSPACED) for kind in kinds),
        "stops": sum(int(marks.stops[ord(character)]) for character in text),
        "digits": sum(int(marks.classes[ord(character)]) == DIGIT for character in solid[:FIRST_CHARACTERS]),
        "capitals": sum(ord(c) < 0x10000 and marks.lower[ord(c)] != ord(c) for c in letters if not _is_wide(c, marks)),
        "letters": len(letters),
        "last": int(marks.ends[ord(solid[-1])]) if solid else 0,
        "breaks": text.count("\n"),
    }


def _is_wide(character: str, marks: Marks) -> bool:
    return int(marks.classes[ord(character)]) in (HAN, UNSPACED)


@dataclass
class Scanner:
    """Walks a tree as a reader would, and takes down a block wherever a box begins or ends."""

    markup: Markup
    words: Words
    blocks: list[Block] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _block: Block = field(default_factory=lambda: Block(0))
    _boxes: list[int] = field(default_factory=lambda: [0])
    _code: int = 0
    _emphasis: int = 0
    _in_link: bool = False
    _image: bool = False
    _empty_lines: int = 0

    def scan(self, page: str) -> list[Block]:
        """Give the blocks of a page."""
        document = HTMLTree.parse(page).document
        for node in document.child_nodes if document else ():
            self._visit(node)
        self._finish()
        return self.blocks

    def _visit(self, node: Node) -> None:
        if isinstance(node, TextNode):
            self._take(node.value or "")
        elif isinstance(node, ElementNode):
            name = node.tag or ""
            number = self.words.tags.get(name, CUSTOM if "-" in name else 0)
            role, traits = int(self.markup.roles[number]), int(self.markup.traits[number])
            if not self._is_left_out(node, role, traits):
                self._enter(node, number, role, traits)
                for child in node.child_nodes:
                    self._visit(child)
                if not traits & VOID:
                    self._leave(role, traits)

    def _is_left_out(self, node: ElementNode, role: int, traits: int) -> bool:
        if role in (LEFT_OUT, RAW):
            return True
        if role in (BLOCK, NO_BOX) or traits & VOID:
            return False
        marks = self.markup.left_out_superscripts if traits & SUPERSCRIPT else self.markup.left_out
        return self._is_hidden(node) or bool(self._hints(node) & marks)

    def _is_hidden(self, node: ElementNode) -> bool:
        style = re.sub(r"\s", "", node.getattr("style") or "").lower()
        hidden = node.hasattr("hidden") and not (node.getattr("hidden") or "").startswith("un")
        return hidden or any(words in style for words in self.words.hiding)

    def _hints(self, node: ElementNode) -> int:
        names = ("class", "id", "role", "itemprop")
        hints = 0
        for name in names:
            hints |= hints_of(node.getattr(name) or "", self.words.hints)
        return hints

    def _enter(self, node: ElementNode, number: int, role: int, traits: int) -> None:
        if role in (BLOCK, RULE):
            self._finish()
            if role == BLOCK:
                self._boxes.append(number)
                self._code += bool(traits & PREFORMATTED)
        elif role == LINE_BREAK:
            self._break_line()
        elif role == IMAGE:
            self._image = True
        elif role != NO_BOX:
            self._block.hints |= self._hints(node)
            if role == LINK:
                self._in_link = True
                self._block.links += 1
            self._emphasis += role == EMPHASIS

    def _leave(self, role: int, traits: int) -> None:
        if role == BLOCK:
            self._finish()
            self._boxes.pop()
            self._code -= bool(traits & PREFORMATTED)
        elif role == LINK:
            self._in_link = False
        elif role == EMPHASIS:
            self._emphasis -= 1

    def _break_line(self) -> None:
        self._pieces.append("\n" if self._code else "\0")
        self._empty_lines += not self._code
        if self._empty_lines > 1:
            self._finish()

    def _take(self, text: str) -> None:
        kinds = [int(self.markup.classes[ord(character)]) for character in text]
        solid = sum(kind not in (0, SPACE, BREAK) for kind in kinds)
        self._pieces.append(text.replace("\xa0", " "))
        self._block.characters += solid
        self._block.linked += solid if self._in_link else 0
        self._block.emphasized += solid if self._emphasis else 0
        self._empty_lines = 0 if solid else self._empty_lines

    def _finish(self) -> None:
        """Take the block down if it has a text, with white space collapsed outside code; a NUL is a line break."""
        raw = "".join(self._pieces)
        if self._code:
            lines = raw.rstrip("\t\n\f\r ").split("\n")
            while len(lines) > 1 and not lines[0].strip("\t\f\r "):
                lines.pop(0)
            text = "\n".join(lines)
        else:
            text = self._collapsed(raw)
        block = self._block
        if block.characters:
            block.tag, block.text, block.code, block.after_image = self._boxes[-1], text, self._code > 0, self._image
            self.blocks.append(block)
            self._image = False
        self._pieces, self._block, self._empty_lines = [], Block(0), 0

    def _collapsed(self, raw: str) -> str:
        out, pending = "", ""
        for character in raw:
            kind = int(self.markup.classes[ord(character)])
            if character == "\0":
                pending = "\n"
            elif kind in (SPACE, BREAK):
                pending = max(pending, "\u3000" if character == "\u3000" else " ", key=["", " ", "\u3000", "\n"].index)
            else:
                out += (pending if out else "") + character
                pending = ""
        return out


def ancestors(parents: Sequence[int], box: int) -> Iterator[int]:
    """Give a box and all boxes around it; box 0 is the page."""
    yield box
    while box:
        box = parents[box]
        yield box
