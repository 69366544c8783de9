"""Readers of the exported formats, written from what their documentation says and without a line of the exporter."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

Row = dict[str, Any]


def read(form: str, folder: Path) -> list[Row]:
    """Give all rows of an export: `ids`, and what else the format has."""
    readers: dict[str, Callable[[Path], Iterator[Row]]] = {
        "megatron": megatron,
        "tfrecord": tfrecord,
        "mds": mds,
        "litdata": litdata,
        "npy": npy,
    }
    return list(readers[form](folder))


def megatron(folder: Path) -> Iterator[Row]:
    """Read `.idx` and `.bin` of Megatron-LM, version 1; a document is one row."""
    index, data = (folder / "tokens.idx").read_bytes(), (folder / "tokens.bin").read_bytes()
    assert index[:9] == b"MMIDIDX\0\0"
    version, code, rows, borders = struct.unpack_from("<QBQQ", index, 9)
    assert version == 1
    dtype = np.dtype({4: "<i4", 8: "<u2"}[code])
    sizes = np.frombuffer(index, "<i4", rows, 34)
    places = np.frombuffer(index, "<i8", rows, 34 + 4 * rows)
    documents = np.frombuffer(index, "<i8", borders, 34 + 12 * rows)
    assert len(index) == 34 + 12 * rows + 8 * borders
    assert documents.tolist() == list(range(rows + 1))
    assert len(data) == int(sizes.sum()) * dtype.itemsize
    for size, place in zip(sizes.tolist(), places.tolist(), strict=True):
        yield {"ids": np.frombuffer(data, dtype, size, place).tolist()}


def tfrecord(folder: Path) -> Iterator[Row]:
    """Read TFRecord files, checksums included, and parse the examples with the library of Protocol Buffers."""
    example = _example_class()
    for path in sorted(folder.glob("*.tfrecord")):
        data, at = path.read_bytes(), 0
        while at < len(data):
            size, length_sum = struct.unpack_from("<QI", data, at)
            content = data[at + 12 : at + 12 + size]
            (content_sum,) = struct.unpack_from("<I", data, at + 12 + size)
            assert (length_sum, content_sum) == (masked(data[at : at + 8]), masked(content))
            at += 16 + size
            yield _plain(example.FromString(content))


def _plain(message: Any) -> Row:
    row: Row = {}
    for name, feature in message.features.feature.items():
        kind = feature.WhichOneof("kind")
        row[name] = list(getattr(feature, kind).value)
    row["ids"] = row.pop("input_ids")
    return row


def _example_class() -> Any:
    """Build the messages of tensorflow/core/example from their published fields."""
    file = descriptor_pb2.FileDescriptorProto(name="example.proto", package="t", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, type_ in (
        ("BytesList", kinds.TYPE_BYTES),
        ("FloatList", kinds.TYPE_FLOAT),
        ("Int64List", kinds.TYPE_INT64),
    ):
        file.message_type.add(name=name).field.add(name="value", number=1, type=type_, label=kinds.LABEL_REPEATED)
    feature = file.message_type.add(name="Feature")
    feature.oneof_decl.add(name="kind")
    for number, name in enumerate(("BytesList", "FloatList", "Int64List"), 1):
        field = {"name": name.lower(), "number": number, "type": kinds.TYPE_MESSAGE, "type_name": f".t.{name}"}
        feature.field.add(**field, label=kinds.LABEL_OPTIONAL, oneof_index=0)
    features = file.message_type.add(name="Features")
    entry = features.nested_type.add(name="FeatureEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=kinds.TYPE_STRING, label=kinds.LABEL_OPTIONAL)
    entry.field.add(name="value", number=2, type=kinds.TYPE_MESSAGE, type_name=".t.Feature", label=kinds.LABEL_OPTIONAL)
    features.field.add(
        name="feature",
        number=1,
        type=kinds.TYPE_MESSAGE,
        type_name=".t.Features.FeatureEntry",
        label=kinds.LABEL_REPEATED,
    )
    example = file.message_type.add(name="Example")
    example.field.add(
        name="features", number=1, type=kinds.TYPE_MESSAGE, type_name=".t.Features", label=kinds.LABEL_OPTIONAL
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("t.Example"))


def masked(data: bytes) -> int:
    """Give TFRecord's checksum: CRC-32C bit by bit, rotated and with a constant added."""
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    state ^= 0xFFFFFFFF
    return ((state >> 15 | state << 17) + 0xA282EAD8) & 0xFFFFFFFF


def mds(folder: Path) -> Iterator[Row]:
    """Read MDS, version 2, hashes included."""
    index = json.loads((folder / "index.json").read_bytes())
    assert index["version"] == 2
    for shard in index["shards"]:
        data = (folder / shard["raw_data"]["basename"]).read_bytes()
        assert len(data) == shard["raw_data"]["bytes"]
        assert hashlib.sha256(data).hexdigest() == shard["raw_data"]["hashes"]["sha256"]
        count = struct.unpack_from("<I", data)[0]
        assert count == shard["samples"]
        places = np.frombuffer(data, "<u4", count + 1, 4).tolist()
        config = json.loads(data[4 + 4 * (count + 1) : places[0]])
        assert config == {name: shard[name] for name in config}
        assert places[-1] == len(data)
        for begin, end in pairwise(places):
            yield _sample(data[begin:end], config)


def _sample(data: bytes, config: dict[str, Any]) -> Row:
    at, sizes = 0, []
    for size in config["column_sizes"]:
        sizes.append(size or struct.unpack_from("<I", data, at)[0])
        at += 0 if size else 4
    row: Row = {}
    for name, encoding, size in zip(config["column_names"], config["column_encodings"], sizes, strict=True):
        row[name] = _decoded(data[at : at + size], encoding)
        at += size
    assert at == len(data)
    row["ids"] = row.pop("tokens")
    return row


def _decoded(value: bytes, encoding: str) -> Any:
    if encoding == "str":
        return value.decode()
    if encoding == "int":
        return struct.unpack("<q", value)[0]
    _, dtype, *shape = encoding.split(":")
    if shape:
        assert len(value) == int(shape[0]) * np.dtype(dtype).itemsize
        return np.frombuffer(value, dtype).tolist()
    assert value[0] >> 2 == 1
    width = 1 << (value[0] & 3)
    count = int.from_bytes(value[1 : 1 + width], "little")
    numbers = np.frombuffer(value, dtype, offset=1 + width).tolist()
    assert len(numbers) == count
    return numbers


def litdata(folder: Path) -> Iterator[Row]:
    """Read LitData's chunks: items of bare ids for its TokensLoader, of a size and ids for its PyTreeLoader."""
    index = json.loads((folder / "index.json").read_bytes())
    kind, _, number = index["config"]["data_format"][0].partition(":")
    assert kind == "no_header_tensor"
    dtype = np.dtype({"16": "<i4", "20": "<u2"}[number])
    packed = index["config"]["item_loader"] == "TokensLoader"
    for chunk in index["chunks"]:
        data = (folder / chunk["filename"]).read_bytes()
        count = struct.unpack_from("<I", data)[0]
        assert (len(data), count) == (chunk["chunk_bytes"], chunk["chunk_size"])
        places = np.frombuffer(data, "<u4", count + 1, 4).tolist()
        assert (places[0], places[-1]) == (4 * (count + 2), len(data))
        assert chunk["dim"] == ((len(data) - places[0]) // dtype.itemsize if packed else None)
        for begin, end in pairwise(places):
            if not packed:
                assert struct.unpack_from("<I", data, begin)[0] == end - begin - 4
            yield {"ids": np.frombuffer(data[begin + 4 * (not packed) : end], dtype).tolist()}


def npy(folder: Path) -> Iterator[Row]:
    """Read NumPy's files with NumPy, mapped into memory."""
    for path in sorted(folder.glob("tokens-*.npy")):
        named = {
            name: folder / path.name.replace("tokens", name) for name in ("offsets", "lengths", "ends", "end_offsets")
        }
        arrays = {name: np.load(file) for name, file in named.items() if file.exists()}
        tokens = np.load(path, mmap_mode="r")
        if "offsets" in arrays:
            yield from ({"ids": part.tolist()} for part in np.split(tokens, arrays["offsets"][1:-1]))
            continue
        ends = np.split(arrays["ends"], arrays["end_offsets"][1:-1])
        for row, length, end in zip(tokens, arrays["lengths"].tolist(), ends, strict=True):
            yield {"ids": row.tolist(), "length": length, "document_ends": end.tolist()}
