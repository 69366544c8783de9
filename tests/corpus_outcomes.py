"""What is right for each file of the corpus's folders `bad` and `bugs`: one line for a file, written by hand.

The corpus's own words are in its MANIFEST.tsv (column `truth`) and bugs/CASES.tsv (`right result`); here they are made
exact. Texts come from the files' truth or from the standard library, never from what the product happens to give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

CLEAN = "数据预处理是大模型训练的第一步。清洗、去重、分级，缺一不可。"
ENGLISH = "The quick pipeline reads every record exactly once, then stops."
PAGE = "标题\n" + CLEAN * 8
BIG5 = "資料處理是訓練的第一步，清洗與去重都不可以少。"
MEETING = "今天的会议讨论了水利工程的进度，专家提出三点意见。"
CONTROLS = "网页文本里的零宽字符"

Fault = tuple[str, int, str]  # reason, offset, a part of the detail
Drop = tuple[str, int]  # reason, offset: records that are no documents, without being faults


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that a file gives: its texts in order (or how many), their charset and repairs, and what gave no text.

    `holds` is in every text. `encoding` may name two charsets, with a blank. `by_json`: texts and metadata are those
    that the standard library's json finds in the unpacked lines. `repairs` are counted over the file. `cleaned` is the
    reason why `clean` drops what was read. `instead` is as right, where a file gives its texts.
    """

    texts: Sequence[str] | int
    faults: Sequence[Fault] = ()
    drops: Sequence[Drop] = ()
    holds: Sequence[str] = ()
    encoding: str = "utf-8"
    method: str | None = None
    repairs: Mapping[str, int] = field(default_factory=dict)
    private_use: int = 0
    by_json: bool = False
    cleaned: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    instead: Wanted | None = None


def image(kind: str) -> Wanted:
    """Give the outcome of an image: named by its content, read by a later part."""
    return Wanted(0, [("unsupported_format", 0, kind)])


def no_table(said: str) -> Wanted:
    """Give the outcome of a table that cannot be opened."""
    return Wanted(0, [("unreadable_parquet", 0, said)])


EMPTY = Wanted(0, drops=[("empty", 0)])
LOST = "the footer is missing, and without it no column can be found"
ODD = [CLEAN, ENGLISH] * 5  # rows 0, 1, 4, 5, 8, 9 ...; the others are null or empty
ODD_DROPS = [("empty", row) for row in range(20) if row % 4 > 1]

MADE: tuple[tuple[str, Wanted], ...] = (
    ("300-rowgroups.parquet", Wanted([CLEAN * 200] * 300, method="native")),
    ("astral-han.txt", Wanted(["𠀋𠮷𡈽𡌛𡑮𡢽𪚥𫝆𬺰𮯰𰻞𱍐 扩展区汉字必须保留"])),
    ("big5-declared-gb2312.html", Wanted([BIG5 * 6], encoding="big5hkscs", method="detected")),
    ("bitflip.jsonl.gz", Wanted(500, [("corrupt", 68414, "line 501 (byte 68414): gzip")], by_json=True)),
    ("blank-lines.jsonl", Wanted([CLEAN])),
    ("bom-jsonl.jsonl", Wanted([CLEAN], method="bom", by_json=True)),
    ("bom-middle.txt", Wanted([CLEAN], repairs={"byte_order_marks": 1})),
    ("bom-only-utf16le.txt", EMPTY),
    ("bom-only-utf32be.txt", EMPTY),
    ("bom-only-utf8.txt", EMPTY),
    ("bom-twice.txt", Wanted([CLEAN], method="bom")),
    ("bomb.jsonl.gz", Wanted(0, [("record_too_large", 0, "line 1 (byte 0): longer than")])),
    ("broken-line.jsonl", Wanted(19, [("invalid_json", 609, "line 8 (byte 609)")], by_json=True)),
    ("cmyk.jpg", image("JPEG image")),
    ("combining-1e5.txt", Wanted(["e" + "\u0301" * 8 + f" {ENGLISH}"], repairs={"marks": 99_992})),
    ("controls.txt", Wanted([ENGLISH], repairs={"controls": 13})),
    ("cr-only.txt", Wanted([ENGLISH.replace(", ", "\n")])),
    ("crlf.jsonl", Wanted([ENGLISH] * 4, by_json=True)),
    (
        "csv-quotes.csv",
        Wanted(
            [CLEAN, 'a "quoted" word, and a comma', "line one\nline two"],
            [
                ("invalid_csv", 160, "line 6 (byte 160): a quote that nothing closes"),
                ("invalid_csv", 187, "line 7 (byte 187): a quote that nothing closes"),
                ("invalid_csv", 267, "line 8 (byte 267): 4 fields where the header has 2"),
                ("invalid_csv", 275, "line 9 (byte 275): 1 field where the header has 2"),
            ],
        ),
    ),
    ("csv-semicolon-gbk.csv", Wanted([CLEAN], encoding="gb18030", options={"text_field": "正文"})),
    ("csv-semicolon-gbk.csv", Wanted(0, [("no_text_field", 11, "the fields are: 正文, 编号")])),
    ("cut-in-last.warc.gz", Wanted([PAGE] * 2, [("truncated", 2182, "gzip member at byte 793")])),
    ("cut.jpg", image("JPEG image")),
    ("deep-div.html", Wanted([CLEAN * 6])),
    ("deep-nest.jsonl", Wanted(0, [("invalid_json", 0, "line 1 (byte 0): nested more than")])),
    ("docs.jsonl.bz2", Wanted(250, holds=[CLEAN], by_json=True)),
    ("double-encoded.txt", Wanted([CLEAN], repairs={"mojibake": 1})),
    ("duplicate-keys.jsonl", Wanted([ENGLISH], by_json=True)),
    ("empty.jsonl", EMPTY),
    ("empty.jsonl.gz", EMPTY),
    ("empty.parquet", no_table("the file is empty")),
    ("empty.txt", EMPTY),
    ("empty.warc.gz", EMPTY),
    ("exif-rot.jpg", image("JPEG image")),
    ("gb18030-4byte.txt", Wanted([CLEAN + "𠮷€㐀ḿ"], encoding="gb18030", method="detected")),
    ("gbk-as-utf8-lossy.txt", Wanted(["锟斤拷锟斤拷烫烫烫屯屯屯 锟斤拷"], cleaned="max_damage_share")),
    ("gbk-declared-utf8.html", Wanted([CLEAN * 6], encoding="gb18030", method="detected")),
    ("gbk-header.warc", Wanted([PAGE], encoding="gb18030", method="declared")),
    ("good.warc", Wanted([PAGE] * 3)),
    ("good.warc.gz", Wanted([PAGE] * 3)),
    ("gz-in-gz.jsonl.gz", Wanted(500, holds=[CLEAN], by_json=True)),
    ("gz-named-plain.jsonl", Wanted(500, holds=[CLEAN], by_json=True)),
    ("gzip-content.warc", Wanted([PAGE])),
    ("html-named.png", image("not what its ending .png says")),
    ("jsonl-named.parquet", no_table("it neither begins nor ends as a Parquet file does")),
    (
        "latin1-in-utf8.jsonl",
        Wanted(
            [ENGLISH, CLEAN],
            [("undecodable", 76, "line 2 (byte 76): 2 codes lost")],
            instead=Wanted([ENGLISH, "café °C", CLEAN], encoding="utf-8 cp1252"),
        ),
    ),
    ("legit-pinyin.txt", Wanted(["饕餮（tāo tiè）纹见于青铜器。“魑魅(chī mèi)”二字，今多连用。参见“汆(cuān)”条。"])),
    ("length-too-short.warc", Wanted([PAGE] * 3)),
    ("line-ends.txt", Wanted(["一\n二\n三\n四\n五\n六\n七\n八\n九"], repairs={"line_ends": 5})),
    ("linesep-in-json.jsonl", Wanted(["甲\n乙"] * 3, repairs={"line_ends": 3})),
    ("lone-surrogate.jsonl", Wanted([f"前{bad}后 {ENGLISH}" for bad in ("\ufffd", "\ufffd", "\ufffd\ufffd")])),
    ("middle-member-corrupt.warc.gz", Wanted([PAGE] * 2, [("corrupt", 1091, "gzip member at byte 396 of the file")])),
    ("multi-frame.jsonl.zst", Wanted(500, holds=[CLEAN], by_json=True)),
    ("multi-member.jsonl.gz", Wanted(500, holds=[CLEAN], by_json=True)),
    ("nan-inf.jsonl", Wanted([ENGLISH], by_json=True)),
    ("no-closing.html", Wanted(1, holds=[CLEAN, ENGLISH])),
    ("no-final-newline.jsonl", Wanted([ENGLISH, CLEAN], by_json=True)),
    ("no-text-column.parquet", Wanted(0, [("no_text_column", 0, "no column 'text'; the columns are: content")])),
    ("no-text-column.parquet", Wanted([CLEAN] * 3, options={"text_field": "content"})),
    ("nul-bytes.txt", Wanted([CLEAN])),
    ("nul-escaped.jsonl", Wanted([ENGLISH])),
    ("nul-in-html.html", Wanted([f"abcd\n{CLEAN}"])),
    ("odd-types.arrow", Wanted(ODD, drops=ODD_DROPS, method="native")),
    ("odd-types.parquet", Wanted(ODD, drops=ODD_DROPS, method="native")),
    ("odd-types.parquet", Wanted(ODD, drops=ODD_DROPS, options={"text_field": "ltext"})),
    ("odd-types.parquet", Wanted(0, drops=[("empty", n) for n in range(20)], options={"text_field": "nothing"})),
    ("one-line-50MB.jsonl.gz", Wanted(1, holds=[(CLEAN + ENGLISH) * 100], by_json=True)),
    ("overlong.txt", Wanted(0, [("undecodable", 0, "line 1 (byte 0): 9 codes lost")])),
    ("plain-named.jsonl.gz", Wanted(250, holds=[CLEAN], by_json=True)),
    ("png-named.jpg", image("PNG image")),
    ("private-use.txt", Wanted([f"{CLEAN}\ue000\ue4c6\uf8ff\U000f0000"], private_use=4)),
    ("rgba.png", image("PNG image")),
    (
        "rtl-zwj.txt",
        Wanted(["مرحبا\u200f بالعالم abc 👩‍👩‍👧‍👦 🏳️‍🌈 नमस्‍ते zerowidth iso"], repairs={"zero_width": 2, "bidi": 4}),
    ),
    ("schema-drift.jsonl", Wanted([ENGLISH] * 400 + [CLEAN] * 6, by_json=True)),
    ("script-only.html", Wanted(0, drops=[("empty", 0)])),
    ("single-gzip.warc.gz", Wanted([PAGE] * 3)),
    ("surrogate-pair-ok.jsonl", Wanted(["\U0001f600 \U0002000b"], by_json=True)),
    ("truncated-utf8.txt", Wanted([CLEAN.removesuffix("。")])),
    ("truncated.jsonl.gz", Wanted(329, [("truncated", 44944, "line 330 (byte 44944)")], by_json=True)),
    # Its one block is cut: nothing of it can be unpacked.
    ("truncated.jsonl.zst", Wanted(0, [("truncated", 0, "byte 4692, in the middle of a frame")])),
    ("truncated.parquet", no_table(f"cut off at byte 2773: {LOST}")),
    ("utf16-nobom.txt", Wanted([CLEAN * 3], encoding="utf-16-le", method="detected")),
    ("utf8-declared-gbk.html", Wanted([CLEAN * 6])),
    ("wet.warc", Wanted([CLEAN * 5])),
    (
        "wrong-types.jsonl",
        Wanted(
            [CLEAN],
            [
                ("text_not_string", 118, "line 3 (byte 118): field 'text' holds a number"),
                ("text_not_string", 132, "line 4 (byte 132): field 'text' holds an array"),
                ("text_not_string", 153, "line 5 (byte 153): field 'text' holds an object"),
                ("no_text_field", 264, "line 6 (byte 264): no field 'text'; the fields are: txt"),
                ("not_an_object", 339, "line 7 (byte 339): an array"),
                ("not_an_object", 415, "line 8 (byte 415): a string"),
                ("not_an_object", 431, "line 9 (byte 431): a number"),
                ("not_an_object", 434, "line 10 (byte 434): null"),
                ("text_not_string", 452, "line 12 (byte 452): field 'text' holds a boolean"),
            ],
            drops=[("empty", 103), ("empty", 439)],
        ),
    ),
    ("zero-rows.parquet", EMPTY),
)

FIRST_PAGE = "第1页的正文在这里。" * 6

BUGS: tuple[tuple[str, Wanted], ...] = (
    (
        "001-ascii-with-gb2312-comments.txt",
        Wanted(1, holds=["; 增益，勿改\n", "; 备用通道\n", "; 温度单位为摄氏度"], encoding="gb18030"),
    ),
    (
        "003-cp932-table.csv",
        Wanted(["りんごジュース", "カレーライス（大盛り）", "お茶"], encoding="cp932", options={"text_field": "品名"}),
    ),
    ("005-one-accent-utf8.txt", Wanted(["naïve loader"])),
    ("007-path-with-two-han.txt", Wanted(["*open {E:/资料-2.dat} {All Files}"], encoding="gb18030")),
    (
        "009-degree-signs-cp1252.txt",
        Wanted(["\n".join(["N 41°12° W 8°37° T 21°C D 3°F 7°K"] * 6)], encoding="cp1252"),
    ),
    ("011-nbsp-utf8.csv", Wanted(["10\xa0mg", "20\xa0mg"], options={"text_field": "value"})),
    ("013-long-ascii-head-gb2312.html", Wanted([MEETING * 5], encoding="gb18030")),
    ("015-dash-and-mojibake.txt", Wanted(["Nordlys – DrÃ¥mvik"])),  # or Dråmvik; never РDr̴
    ("017-lossy-a-macron.txt", Wanted(["HaA¯ti en NaA¯ef"])),
    ("019-zh-as-macroman.txt", Wanted(["国际会议｜数据质量也需要被看见"], repairs={"mojibake": 1})),
    ("021-emoji-in-zh.txt", Wanted(["今天很开心😂真的🏳️‍🌈👨‍👩‍👧"])),
    ("023-spaces-as-tokens.txt", Wanted(["数 据  清\t洗\n第二行"])),
    ("025-spaces-newlines.txt", Wanted(["def f(x):\n    if x:\n\treturn  x\n\n\n表格  对齐   空格"])),
    ("027-all-lines-too-long.txt", Wanted(["\n".join("语料" * 1200 + end for end in "0123")])),
    (
        "029-controls-in-corpus.txt",
        Wanted(["\n".join([CONTROLS] * 20)], repairs={"controls": 40, "zero_width": 60, "byte_order_marks": 20}),
    ),
    ("031-text-1m-chars.txt.gz", Wanted(["A plain sentence about data quality. " * 28_000])),
    (
        "031-text-1m-chars.txt.gz",
        Wanted(0, [("record_too_large", 0, "max_record_bytes")], options={"max_record_bytes": 1_000_000}),
    ),
    ("033-cjk-byte-limit.txt", Wanted(["これは長い文章です。" * 1700])),
    (
        "033-cjk-byte-limit.txt",
        Wanted(0, [("record_too_large", 0, "max_record_bytes")], options={"max_record_bytes": 50_999}),
    ),
    ("035-unrelated-zh.jsonl", Wanted(3, by_json=True)),
    ("037-lsh-false-positive.jsonl", Wanted(["甲乙", "甲乙丙丁戊", "甲乙丙丁己"], by_json=True)),
    ("039-line-2mb.jsonl.gz", Wanted(3, by_json=True)),
    ("041-null-then-string.jsonl", Wanted(3050, by_json=True)),
    ("043-mixed-int-string.jsonl", Wanted(["乙", "甲"] * 5, by_json=True)),
    ("045-nested-mixed.jsonl", Wanted(["对话"], by_json=True)),
    ("047-multibyte-at-cut.jsonl.gz", Wanted(300, holds=["多字节" * 100], by_json=True)),
    ("049-upper-case-ending.JSONL", Wanted(["扩展名大写"], by_json=True)),
    ("051-no-footer.parquet", no_table(f"cut off at byte 446: {LOST}")),
    ("053-lmdb-fork.jsonl", Wanted([f"第{n}条" for n in range(64)], by_json=True)),
    ("055-cut-last-member.warc.gz", Wanted([FIRST_PAGE], [("truncated", 505, "gzip member at byte 294")])),
    ("057-no-blank-between.warc", Wanted(["甲" * 6, "乙" * 6])),
    ("059-corrupt-last.warc.gz", Wanted([FIRST_PAGE], [("corrupt", 505, "gzip member at byte 294")])),
    ("061-chunked-both-ways.warc", Wanted(["没有分块。" * 6, "真的分块。" * 9])),
    ("063-nested-format.html", Wanted(["公告\n本站只有一个网址。\n请点击 反馈页面\n谢谢。"])),
    (
        "065-same-page-ten-times.html",
        Wanted(["\n".join(f"段落{n}：同一页多次抽取，结果必须相同。" for n in range(8))]),
    ),
    ("067-nul-in-attr.html", Wanted(["正文 text"])),
    ("069-two-frames.jsonl.zst", Wanted(["第一帧", "第二帧"], by_json=True)),
)


def without_text(column: str, kind: str) -> Wanted:
    """Give the outcome of a table that is sound but whose column is no text."""
    said = f"column '{column}' holds {kind}, not text"
    return Wanted(0, [("no_text_column", 0, said)], options={"text_field": column})


def strings(column: str, texts: Sequence[str], encoding: str = "utf-8") -> Wanted:
    """Give the outcome of a sound table with a column of texts."""
    return Wanted(texts, encoding=encoding, options={"text_field": column})


PARQUET: tuple[tuple[str, Wanted], ...] = (
    ("ARROW-GH-43605.parquet", without_text("min_fl", "uint16")),
    (
        "ARROW-RS-GH-6229-DICTHEADER.parquet",
        Wanted(0, [("unreadable_parquet", 0, "row group 0 (rows 0 to 24)")], options={"text_field": "name"}),
    ),
    ("PARQUET-1481.parquet", no_table("Invalid physical column type")),
    ("alltypes_dictionary.parquet", strings("string_col", ["0", "1"])),
    ("alltypes_plain.parquet", strings("string_col", ["0", "1"] * 4)),
    ("alltypes_plain.snappy.parquet", strings("string_col", ["0", "1"])),
    (
        "binary.parquet",  # one byte in each row, 0 to 11: no visible character
        Wanted(0, drops=[("empty", row) for row in range(12)], options={"text_field": "foo"}),
    ),
    ("concatenated_gzip_members.parquet", without_text("long_col", "uint64")),
    ("datapage_v1-corrupt-checksum.parquet", without_text("a", "int32")),
    ("delta_length_byte_array.parquet", strings("FRUIT", [f"apple_banana_mango{n * n}" for n in range(1000)])),
    ("fixed_length_byte_array.parquet", without_text("flba_field", "fixed_size_binary[4]")),
    ("int32_with_null_pages.parquet", without_text("int32_field", "int32")),
    ("lz4_raw_compressed.parquet", strings("c1", ["abc", "def"] * 2)),
    ("null_list.parquet", without_text("emptylist", "list<item: null>")),
    (
        "repeated_no_annotation.parquet",
        Wanted(0, [("no_text_column", 0, "holds struct<phone: list<")], options={"text_field": "phoneNumbers"}),
    ),
    (
        "rle-dict-uncompressed-corrupt-checksum.parquet",
        Wanted(
            0,
            [("unreadable_parquet", 0, "row group 0 (rows 0 to 999): could not verify page integrity, CRC")],
            options={"text_field": "binary_field"},
        ),
    ),
)

# The suite's files y_*.json and n_*.json, a blank between their names.
JSON_RIGHT = """
    array_arraysWithSpaces array_ending_with_newline array_false array_with_1_and_newline array_with_leading_space
    number number_minus_zero number_negative_int number_real_exponent number_real_neg_exp number_real_pos_exponent
    object object_basic object_duplicated_key object_duplicated_key_and_value object_escaped_null_in_key
    object_string_unicode object_with_newlines string_1_2_3_bytes_UTF-8_sequences string_backslash_doublequotes
    string_comments string_in_array_with_leading_space string_last_surrogates_1_and_2
    string_nonCharacterInUTF-8_U+10FFFF string_pi string_surrogates_U+1D11E_MUSICAL_SYMBOL_G_CLEF
    string_u+2028_line_sep string_uEscape string_uescaped_newline string_unescaped_char_delete
    string_unicode_U+200B_ZERO_WIDTH_SPACE string_unicode_U+2064_invisible_plus string_with_del_character
    structure_lonely_negative_real structure_string_empty structure_trailing_newline
"""
JSON_WRONG = """
    array_1_true_without_comma array_a_invalid_utf8 array_comma_and_number array_double_comma array_extra_close
    array_incomplete_invalid_value array_invalid_utf8 array_just_comma array_just_minus array_newlines_unclosed
    array_number_and_comma array_number_and_several_commas array_spaces_vertical_tab_formfeed array_star_inside
    array_unclosed incomplete_null number_-NaN number_0.1.2 number_0.3e+ number_0.e1 number_1_000 number_1eE2
    number_2.e+3 number_U+FF11_fullwidth_digit_one number_hex_2_digits number_invalid-utf-8-in-bigger-int
    number_invalid-utf-8-in-exponent number_invalid-utf-8-in-int number_minus_infinity number_minus_space_1
    number_real_garbage_after_e number_real_without_fractional_part object_bracket_key object_comma_instead_of_colon
    object_emoji object_garbage_at_end object_missing_key object_non_string_key_but_huge_number_instead
    object_repeated_null_null object_several_trailing_commas object_trailing_comma
    object_trailing_comment_slash_open_incomplete object_with_single_string single_space
    string_1_surrogate_then_escape string_accentuated_char_no_quotes string_escape_x string_escaped_ctrl_char_tab
    string_incomplete_escaped_character string_incomplete_surrogate string_incomplete_surrogate_escape_invalid
    string_invalid-utf-8-in-escape string_invalid_backslash_esc string_invalid_utf8_after_escape
    string_no_quotes_with_bad_escape string_single_doublequote string_single_string_no_double_quotes
    string_start_escape_unclosed string_unescaped_ctrl_char string_unescaped_tab string_with_trailing_garbage
    structure_array_trailing_garbage structure_array_with_extra_array_close structure_array_with_unclosed_string
    structure_ascii-unicode-identifier structure_null-byte-outside-string
    structure_object_followed_by_closing_object structure_object_unclosed_no_value
    structure_object_with_trailing_garbage structure_open_array_apostrophe structure_open_array_comma
    structure_open_array_open_object structure_open_array_open_string structure_open_object_open_array
    structure_single_eacute structure_trailing__ structure_unclosed_array_unfinished_false
    structure_whitespace_U+2060_word_joiner
"""
# Two rows of the corpus that contradict each other; the reason is that of a strict xfail.
AMBIGUOUS: dict[str, str] = {
    "n_number_minus_infinity.json": "nan-inf.jsonl, whose document must be kept, holds -Infinity too",
}
# Either is right by the suite; this is what we do. An element that is no object is named as such, so it was accepted.
JSON_EITHER: dict[str, str] = {
    "i_number_real_underflow.json": "a number",
    "i_number_too_big_neg_int.json": "a number",
    "i_number_very_big_negative_int.json": "a number",
    "i_string_UTF-16LE_with_BOM.json": "a string",
    "i_string_UTF-8_invalid_sequence.json": "a string",
    "i_string_incomplete_surrogate_and_escape_valid.json": "a string",
    "i_string_invalid_surrogate.json": "a string",
    "i_string_lone_utf8_continuation_byte.json": "a string",
    "i_string_overlong_sequence_6_bytes.json": "a string",
    "i_string_overlong_sequence_6_bytes_null.json": "a string",
    "i_string_utf16BE_no_BOM.json": "a string",
    "i_string_utf16LE_no_BOM.json": "a string",
    "i_structure_UTF-8_BOM_empty_object.json": "no field 'text': the object is empty",
}

# The rest of a row's truth, behind reading, decoding, parsing and repair.
LATER: dict[str, str] = {
    **dict.fromkeys(("made/cmyk.jpg", "made/cut.jpg", "made/exif-rot.jpg", "made/rgba.png"), "images"),
    **dict.fromkeys(("made/png-named.jpg", "made/html-named.png"), "images"),
    "made/astral-han.txt": "counting of Han characters",
    "bugs/021-emoji-in-zh.txt": "words of Chinese (jieba)",
    "bugs/023-spaces-as-tokens.txt": "words of Chinese (jieba)",
    "bugs/025-spaces-newlines.txt": "tokenizers",
    "bugs/027-all-lines-too-long.txt": "training of tokenizers",
    "bugs/029-controls-in-corpus.txt": "training of tokenizers",
    "bugs/035-unrelated-zh.jsonl": "near-duplicates",
    "bugs/037-lsh-false-positive.jsonl": "near-duplicates",
    "bugs/053-lmdb-fork.jsonl": "shards for training (lmdb)",
}

# Where the product is not right yet, and why. The test is a strict xfail: it fails as soon as the product is right.
OPEN: dict[str, str] = {}
