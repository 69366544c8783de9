"""One pass over a page's canonical markup: its tree of boxes, and the blocks of text in them.

The markup is what an HTML parser writes out: every element closed, attributes in double quotes, `<` in text escaped.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.extraction_model import (
    AFTER_IMAGE,
    BEGIN,
    BLOCK,
    BLOCK_COLUMNS,
    CELL,
    CELL_OF,
    CHARACTERS,
    CHILDREN,
    EMPHASIS,
    EMPHASIZED,
    END,
    HINTS,
    IMAGE,
    INNER_HINTS,
    IS_CODE,
    ITEM,
    ITEM_OF,
    LEFT_OUT,
    LINE_BREAK,
    LINK,
    LINKED,
    LINKS,
    NO_BOX,
    NODE,
    NODE_COLUMNS,
    ORDINAL,
    PAGE_BODY,
    PARENT,
    PREFORMATTED,
    RAW,
    ROW,
    ROW_OF,
    RULE,
    SECRET,
    SIGNATURE,
    SUPERSCRIPT,
    TABLE,
    TAG,
    VOID,
    Markup,
    Numbers,
    Page,
)
from headrace.stages.kernels.extraction_tags import (
    CLASSES_HASH,
    CLOSES,
    FACTS,
    FOR_THE_EYE,
    HINTS_OF_TAG,
    IS_HIDDEN,
    NUMBER,
    after_declaration,
    after_element,
    read_tag,
)
from headrace.stages.kernels.extraction_text import (
    BEGUN,
    BLOCKS,
    FIRST_OF_BLOCK,
    HINTS_INSIDE,
    IMAGE_SEEN,
    IN_CODE,
    IN_EMPHASIS,
    IN_LINK,
    LINKS_INSIDE,
    MEMORY,
    NODES,
    OPEN,
    SOLID,
    SOLID_EMPHASIZED,
    SOLID_LINKED,
    TO,
    break_line,
    take_text,
    trimmed,
)

_LESS, _BANG = ord("<"), ord("!")
_FIRST_ROWS = 256
_TAG_FACTOR = 64  # tells signatures of unlike tags with the same classes apart


@kernel
def scan(html: Bytes, markup: Markup) -> Page:
    """Give the boxes and the blocks of a page; what is counted in texts is left to `measure_blocks`."""
    nodes = np.zeros((_FIRST_ROWS, NODE_COLUMNS), np.int32)
    blocks = np.zeros((_FIRST_ROWS, BLOCK_COLUMNS), np.int32)
    stack = np.zeros(_FIRST_ROWS, np.int32)  # of the open boxes
    text = np.empty(len(html) + 1, np.uint8)
    memory = np.zeros(MEMORY, np.int64)
    facts = np.zeros(FACTS, np.int32)
    columns, steps, found = markup.automata
    roles, traits, classes = markup.roles, markup.traits, markup.classes
    memory[NODES] = 1
    at = 0
    while at < len(html):
        if html[at] != _LESS:
            at = take_text(html, at, text, memory, classes)
        elif html[at + 1] == _BANG:
            at = after_declaration(html, at)
        else:
            at = read_tag(html, at, columns, steps, found, facts)
            role, trait = roles[facts[NUMBER]], traits[facts[NUMBER]]
            left_out = markup.left_out_superscripts if trait & SUPERSCRIPT else markup.left_out
            if _is_left_out(facts, role, trait, left_out):
                at = after_element(html, at, columns, steps, found, roles, facts)
            elif _ends_block(facts, role, text, memory):
                _end_block(blocks, text, stack[memory[OPEN]], memory)
                if memory[BLOCKS] == len(blocks):
                    blocks = np.concatenate((blocks, np.zeros_like(blocks)))
                if memory[NODES] == len(nodes):
                    nodes = np.concatenate((nodes, np.zeros_like(nodes)))
                    stack = np.concatenate((stack, np.zeros_like(stack)))
                if role == BLOCK:
                    hints = markup.tag_hints[facts[NUMBER]] | markup.hidden * facts[FOR_THE_EYE]
                    _enter_or_leave(facts, trait, hints, nodes, stack, memory)
    _end_block(blocks, text, stack[memory[OPEN]], memory)
    return Page(nodes[: memory[NODES]], blocks[: memory[BLOCKS]], text[: memory[TO]])


@part
def _is_left_out(facts: Numbers, role: int, traits: int, left_out: int) -> bool:
    """Say whether an element and all in it is no text: scripts, parts of forms, what is hidden inside a line."""
    if facts[CLOSES]:
        return False
    if role in (LEFT_OUT, RAW):
        return True
    if role in (BLOCK, NO_BOX) or traits & VOID:
        return False
    return bool(facts[IS_HIDDEN] != 0 or facts[HINTS_OF_TAG] & left_out != 0)


@part
def _ends_block(facts: Numbers, role: int, text: Bytes, memory: Counts) -> bool:
    """Take note of a tag inside a line, or say that it ends the block: a box, a rule, an empty line."""
    if role in (BLOCK, RULE):
        return True
    opens = 1 - facts[CLOSES]
    if role == LINE_BREAK:
        return break_line(text, memory)
    if role == IMAGE:
        memory[IMAGE_SEEN] = 1
        return False
    memory[HINTS_INSIDE] |= facts[HINTS_OF_TAG]
    if role == LINK:
        memory[IN_LINK] = opens
        memory[LINKS_INSIDE] += opens
    elif role == EMPHASIS:
        memory[IN_EMPHASIS] += 2 * opens - 1
    return False


@part
def _end_block(blocks: Numbers, text: Bytes, box: int, memory: Counts) -> None:
    """Write a block down, if it has a text, and make ready for the next one."""
    begin, end = trimmed(text, memory)
    if memory[SOLID]:
        block = memory[BLOCKS]
        blocks[block, NODE] = box
        blocks[block, BEGIN] = begin
        blocks[block, END] = end
        blocks[block, CHARACTERS] = memory[SOLID]
        blocks[block, LINKED] = memory[SOLID_LINKED]
        blocks[block, EMPHASIZED] = memory[SOLID_EMPHASIZED]
        blocks[block, LINKS] = memory[LINKS_INSIDE]
        blocks[block, INNER_HINTS] = memory[HINTS_INSIDE]
        blocks[block, AFTER_IMAGE] = memory[IMAGE_SEEN]
        blocks[block, IS_CODE] = int(memory[IN_CODE] > 0)
        memory[BLOCKS] += 1
        memory[IMAGE_SEEN] = 0
    memory[FIRST_OF_BLOCK:] = 0
    memory[BEGUN] = memory[TO]


@part
def _enter_or_leave(facts: Numbers, traits: int, hints: int, nodes: Numbers, stack: Numbers, memory: Counts) -> None:
    code = int(traits & PREFORMATTED != 0)
    if facts[CLOSES]:
        memory[IN_CODE] = max(memory[IN_CODE] - code, 0)
        memory[OPEN] = max(memory[OPEN] - 1, 0)
        return
    memory[IN_CODE] += code
    box = memory[NODES]
    _describe(nodes, box, stack[memory[OPEN]], facts, traits, hints)
    memory[NODES] += 1
    memory[OPEN] += 1
    stack[memory[OPEN]] = box


@part
def _describe(nodes: Numbers, box: int, parent: int, facts: Numbers, traits: int, hints: int) -> None:
    """Fill in a box: what its tag says, and in which row, cell and list item it is."""
    judged = int(traits & PAGE_BODY == 0)  # what is said of the whole page says nothing
    outside = int(traits & TABLE == 0)
    nodes[parent, CHILDREN] += int(traits & ITEM != 0)
    nodes[box, PARENT] = parent
    nodes[box, TAG] = facts[NUMBER]
    nodes[box, HINTS] = (hints | facts[HINTS_OF_TAG]) * judged
    if facts[CLASSES_HASH]:
        nodes[box, SIGNATURE] = facts[CLASSES_HASH] ^ (facts[NUMBER] * _TAG_FACTOR)
    nodes[box, ROW_OF] = box if traits & ROW else nodes[parent, ROW_OF] * outside
    inherited = 0 if traits & ROW else nodes[parent, CELL_OF] * outside
    nodes[box, CELL_OF] = box if traits & CELL else inherited
    nodes[box, ITEM_OF] = box if traits & ITEM else nodes[parent, ITEM_OF]
    nodes[box, ORDINAL] = nodes[parent, CHILDREN]
    nodes[box, SECRET] = nodes[parent, SECRET] | facts[IS_HIDDEN] * judged
