"""What the readers of tables give: rows with their number, or rows that are lost; and the text column of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Column
from headrace.stages.reading.stream import StreamFaultError

BROKEN = (pa.ArrowException, OSError, ValueError, NotImplementedError, KeyError, IndexError, OverflowError, TypeError)
_SHOWN = 20
_BYTES: Mapping[pa.DataType, pa.DataType] = {
    pa.string(): pa.binary(),
    pa.large_string(): pa.large_binary(),
    pa.string_view(): pa.binary_view(),
}


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows from number `row` onwards."""

    row: int
    table: pa.Table


@dataclass(frozen=True, slots=True)
class Lost:
    """So many rows from number `row` onwards that cannot be read, or are not."""

    row: int
    rows: int
    fault: StreamFaultError


def on_one_line(error: BaseException) -> str:
    """Give an error's words."""
    return " ".join(str(error).split())


def check_text(schema: pa.Schema, text_field: str) -> None:
    """Raise StreamFaultError where a table has no text column of that name; `a.b` is field b of column a."""
    place = text_path(schema, text_field)
    if schema.names.count(place[0]) > 1:
        raise StreamFaultError("no_text_column", f"several columns are called {place[0]!r}")
    kind = _storage(schema.field(place[0]).type)
    for name in place[1:]:
        kind = _storage(_field(kind, name))
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (_is_text(kind) or is_bytes(kind) or pa.types.is_null(kind)):
        raise StreamFaultError("no_text_column", f"column {text_field!r} holds {kind}, not text")


def text_path(schema: pa.Schema, text_field: str) -> list[str]:
    """Give the names on the way to the text column: one, or those of the structs around it."""
    if text_field in schema.names:
        return [text_field]
    names = text_field.split(".")
    fields = {field.name: field.type for field in schema}
    for depth, name in enumerate(names):
        if name not in fields:
            break
        if depth == len(names) - 1:
            return names
        kind = _storage(fields[name])
        fields = {field.name: field.type for field in kind} if pa.types.is_struct(kind) else {}
    columns = ", ".join(schema.names[:_SHOWN])
    raise StreamFaultError("no_text_column", f"no column {text_field!r}; the columns are: {columns}")


def text_first(table: pa.Table, text_field: str) -> pa.Table:
    """Give the text column first, as large strings (or bytes), then the others without it."""
    first, *inner = text_path(table.schema, text_field)
    column = table[first]
    text = _column([_inside(chunk, inner) for chunk in column.chunks], _type_inside(column.type, inner))
    others = table.drop_columns([first])
    rest = [_without(chunk, inner) for chunk in column.chunks] if inner else []
    kept = [chunk for chunk in rest if chunk is not None]
    if kept:
        others = others.append_column(first, _column(kept, kept[0].type))
    return others.add_column(0, "text", as_text(text))


def validate(batch: pa.RecordBatch) -> None:
    """Raise ArrowInvalid where a batch would make later steps read what is not there; bytes need not be UTF-8."""
    for column in batch.columns:
        _validate(column)


def _validate(array: Array) -> None:
    if isinstance(array, pa.ExtensionArray):
        _validate(array.storage)
    elif isinstance(array, pa.DictionaryArray):
        array.indices.validate(full=True)
        pa.DictionaryArray.from_arrays(array.indices, pa.nulls(len(array.dictionary))).validate(full=True)
        _validate(array.dictionary)
    elif isinstance(array, pa.StructArray):
        array.validate()
        for at in range(array.type.num_fields):
            _validate(array.field(at))
    elif isinstance(array, pa.ListArray | pa.LargeListArray):
        array.validate()
        offsets = array.offsets.cast(pa.int64())
        pa.LargeListArray.from_arrays(offsets, pa.nulls(len(array.values), pa.int8())).validate(full=True)  # type: ignore[call-overload]
        _validate(array.values)
    else:
        undecoded(array).validate(full=True)


def undecoded(column: Column) -> Column:
    """Give an array with bytes in place of strings, in all depths; dictionaries are written out."""
    for change in (_without_dictionaries, _with_bytes):
        kind = change(column.type)
        column = column if kind == column.type else column.cast(kind)
    return column


def _without_dictionaries(kind: pa.DataType) -> pa.DataType:
    return _inner(kind, _without_dictionaries) if not pa.types.is_dictionary(kind) else kind.value_type


def _with_bytes(kind: pa.DataType) -> pa.DataType:
    return _BYTES.get(kind) or _inner(kind, _with_bytes)


def _inner(kind: pa.DataType, change: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    if isinstance(kind, pa.StructType):
        return pa.struct([pa.field(field.name, change(field.type)) for field in kind])
    if isinstance(kind, pa.ListType):
        return pa.list_(change(kind.value_type))
    return pa.large_list(change(kind.value_type)) if isinstance(kind, pa.LargeListType) else kind


def _column(chunks: list[Array], kind: pa.DataType) -> Column:
    if not chunks:
        return pa.chunked_array([pa.array([], kind)])
    return pa.chunked_array([chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)])


def as_text(text: Column) -> Column:
    """Give a column as large strings, or as large binary where it holds bytes; a dictionary is written out."""
    if isinstance(text.type, pa.BaseExtensionType):
        text = text.cast(text.type.storage_type)
    if pa.types.is_dictionary(text.type):
        text = text.cast(text.type.value_type)
    target = pa.large_binary() if is_bytes(text.type) else pa.large_string()
    if text.type == target:
        return text
    unchecked = pc.CastOptions(target_type=target, allow_invalid_utf8=True)  # decode checks, and says so by document
    cast: Column = pc.call_function("cast", [text], unchecked)
    return cast


def _inside(array: Array, names: list[str]) -> Array:
    for name in names:
        array = array.storage if isinstance(array, pa.ExtensionArray) else array
        array = pc.struct_field(array, name)
    return array


def _type_inside(kind: pa.DataType, names: list[str]) -> pa.DataType:
    for name in names:
        kind = _field(_storage(kind), name)
    return kind


def _field(kind: pa.DataType, name: str) -> pa.DataType:
    if not isinstance(kind, pa.StructType):
        raise StreamFaultError("no_text_column", f"{kind} has no field {name!r}")
    inner: pa.DataType = kind.field(name).type
    return inner


def _without(array: Array, names: list[str]) -> Array | None:
    """Give a struct without the field at the end of a path; None where nothing is left."""
    array = array.storage if isinstance(array, pa.ExtensionArray) else array
    children = {field.name: pc.struct_field(array, field.name) for field in array.type}
    inner = _without(children[names[0]], names[1:]) if len(names) > 1 else None
    if inner is None:
        del children[names[0]]
    else:
        children[names[0]] = inner
    if not children:
        return None
    return pa.StructArray.from_arrays(list(children.values()), list(children), mask=array.is_null())


def _storage(kind: pa.DataType) -> pa.DataType:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def is_bytes(kind: pa.DataType) -> bool:
    """Say whether values are bytes, in which text may be that decode has to judge."""
    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)
