"""A producer of Arrow's capsules by hand, so that the input is tried where neither polars nor pyarrow is.

Memory lives in ``LIVE`` until its consumer gives it back, and what is given back twice is an error.
"""

import ctypes
import struct
from ctypes import POINTER, byref, c_char_p, c_void_p, pointer, py_object, pythonapi

import numpy as np

from dperm import arrow

NUMBERS = {"int8": "c", "uint8": "C", "int16": "s", "uint16": "S", "int32": "i", "uint32": "I", "int64": "l",
           "uint64": "L", "float16": "e", "float32": "f", "float64": "g"}
FORMATS = {**NUMBERS, "bool": "b", "string": "u", "large_string": "U", "string_view": "vu", "null": "n",
           "timestamp": "tsu:UTC", "date": "tdD", "decimal": "d:10,2", "binary": "z", "list": "+l"}
LIVE = {}


class Given:
    """Structs and buffers that a consumer holds."""

    def __init__(self):
        self.kept = []
        LIVE[id(self)] = self

    def release(self, struct_):
        def gone(address):
            assert address.contents.release, "released twice"
            address.contents.release = type(struct_.release)()
            LIVE.pop(id(self), None)

        callback = type(struct_.release)(gone)
        self.kept.append(callback)
        struct_.release = callback
        return struct_


def pad_bits(values, pad):
    return np.packbits([True] * pad + list(values), bitorder="little")


def buffers_of(kind, values, pad):
    """The buffers of a column behind its validity; `pad` values of anybody's stand in front."""
    if kind in NUMBERS or kind in ("timestamp", "date"):
        dtype = kind if kind in NUMBERS else "int64"
        return [np.array([77] * pad + [0 if v is None else v for v in values], dtype=dtype)]
    if kind == "bool":
        return [pad_bits([bool(v) for v in values], pad)]
    if kind == "null":
        return []
    raw = [b"\xff?"] * pad + [b"\xfe\0 no UTF-8" if v is None else v if isinstance(v, bytes) else v.encode()
                              for v in values]
    if kind == "string_view":
        views, heap = [], b""
        for r in raw:
            views.append(struct.pack("=i12s", len(r), r) if len(r) <= 12 else
                         struct.pack("=i4sii", len(r), r[:4], 0, len(heap)))
            heap += r if len(r) > 12 else b""
        return [np.frombuffer(b"".join(views) or b"\0" * 16, "u1").copy(), np.frombuffer(heap + b"\0", "u1").copy(),
                np.array([len(heap)], "i8")]
    ends = np.cumsum([0] + [len(r) for r in raw]).astype("i4" if kind != "large_string" else "i8")
    return [ends, np.frombuffer(b"".join(raw) + b"\0", "u1").copy()]


def schema_of(given, name, kind, metadata=None, children=()):
    made = arrow.ArrowSchema()
    made.name = name.encode()
    if isinstance(kind, tuple):  # ("dictionary", places, kind of the entries, entries)
        made.format = FORMATS[kind[1]].encode()
        inner = schema_of(given, "", kind[2])
        made.dictionary = pointer(inner)
        given.kept.append(inner)
    else:
        made.format = {"struct": b"+s"}.get(kind) or FORMATS[kind].encode()
    if metadata:
        raw = struct.pack("=i", len(metadata)) + b"".join(
            struct.pack("=i", len(t)) + t.encode() for pair in metadata.items() for t in pair)
        made.metadata = keep(given, np.frombuffer(raw, "u1").copy()).ctypes.data
    put_children(given, made, children, arrow.ArrowSchema)
    return made


def put_children(given, made, children, kind):
    if children:
        list_ = (POINTER(kind) * len(children))(*[pointer(child) for child in children])
        given.kept += [list_] + list(children)
        made.n_children, made.children = len(children), list_


def keep(given, value):
    given.kept.append(value)
    return value


def array_of(given, kind, values, pad=0):
    made = arrow.ArrowArray()
    missing = [v is None for v in values]
    validity = pad_bits([not m for m in missing], pad) if any(missing) and kind != "null" else None
    if isinstance(kind, tuple):
        _, places, inner, entries = kind
        at = {value: i for i, value in reversed(list(enumerate(entries)))}
        buffers = buffers_of(places, [None if v is None else at[v] for v in values], pad)
        made.dictionary = pointer(keep(given, array_of(given, inner, entries)))
    else:
        buffers = buffers_of(kind, values, pad)
    buffers = [] if kind == "null" else [validity] + buffers
    given.kept += buffers
    addresses = (c_void_p * max(1, len(buffers)))(*[None if b is None else b.ctypes.data for b in buffers])
    made.buffers, made.n_buffers = keep(given, addresses), len(buffers)
    made.length, made.offset, made.null_count = len(values), pad, -1 if any(missing) else 0
    return made


def check_values(kind, values):
    """Now, and not in a callback of C's, where an error would be nobody's."""
    buffers_of(kind[2] if isinstance(kind, tuple) else kind, kind[3] if isinstance(kind, tuple) else values, 0)
    if isinstance(kind, tuple):
        buffers_of(kind[1], [None if v is None else len(kind[3]) - 1 for v in values], 0)


def capsule(struct_, name):
    new = pythonapi.PyCapsule_New
    new.restype, new.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
    return new(ctypes.addressof(struct_), name, None)


class Table:
    """Columns as (name, kind, values), in batches of so many rows, each behind `pad` values of anybody's.

    `change` may spoil the batches (structs of arrow.py) before they are handed out.
    """

    def __init__(self, columns, batch=None, pad=0, metadata=None, change=None):
        self.columns, self.pad, self.metadata, self.change = columns, pad, metadata or {}, change
        self.rows = len(columns[0][2])
        for _, kind, values in columns:
            check_values(kind, values)
        self.batch = batch or max(1, self.rows)

    def __len__(self):
        return self.rows

    def _schema(self):
        given = Given()
        children = [schema_of(given, n, k, self.metadata.get(n)) for n, k, _ in self.columns]
        return given.release(schema_of(given, "", "struct", None, children))

    def _piece(self, start):
        """A batch with an offset of its own, over columns with theirs."""
        given, end = Given(), min(self.rows, start + self.batch)
        front = 1 if self.pad and start else 0  # a record of the batch before, behind the batch's own offset
        children = [array_of(given, k, v[start - front:end], self.pad) for _, k, v in self.columns]
        made = arrow.ArrowArray()
        made.buffers, made.n_buffers = keep(given, (c_void_p * 1)(None)), 1
        made.length, made.offset = end - start, front
        put_children(given, made, children, arrow.ArrowArray)
        if self.change:
            self.change(made)
        return given.release(made)

    def __arrow_c_stream__(self, requested_schema=None):
        return stream_of(self._schema, [lambda s=s: self._piece(s) for s in range(0, self.rows, self.batch)], self)


def stream_of(schema, pieces, owner):
    given, todo = Given(), list(pieces)
    made = keep(given, arrow.ArrowArrayStream())
    fields = dict(arrow.ArrowArrayStream._fields_)

    def move(source, to):
        ctypes.memmove(to, byref(source), ctypes.sizeof(source))
        given.kept.append(source)
        return 0

    def next_(_, to):
        return move(todo.pop(0)() if todo else arrow.ArrowArray(), to)

    made.get_schema = keep(given, fields["get_schema"](lambda _, to: move(schema(), to)))
    made.get_next = keep(given, fields["get_next"](next_))
    made.get_last_error = keep(given, fields["get_last_error"](lambda _: None))
    given.release(made)
    owner._given = given
    return capsule(made, b"arrow_array_stream")


class Batch(Table):
    """The same as one array, without a stream."""

    __arrow_c_stream__ = property()  # there is none

    def __arrow_c_array__(self, requested_schema=None):
        self._kept = self._schema(), self._piece(0)
        return capsule(self._kept[0], b"arrow_schema"), capsule(self._kept[1], b"arrow_array")


class Column:
    """A column alone, as labels come."""

    def __init__(self, kind, values, batch=None):
        self.kind, self.values, self.batch = kind, list(values), batch or max(1, len(values))
        check_values(kind, self.values)

    def __len__(self):
        return len(self.values)

    def __arrow_c_stream__(self, requested_schema=None):
        def schema():
            given = Given()
            return given.release(schema_of(given, "y", self.kind))

        def piece(start):
            given = Given()
            return given.release(array_of(given, self.kind, self.values[start:start + self.batch], 1))

        return stream_of(schema, [lambda s=s: piece(s) for s in range(0, len(self), self.batch)], self)


def kind_of(values):
    """A type as libraries infer it; TypeError where they would have none."""
    kinds = {bool if isinstance(v, (bool, np.bool_)) else int if isinstance(v, (int, np.integer)) else
             float if isinstance(v, (float, np.floating)) else str if isinstance(v, str) else type(v)
             for v in values if v is not None}
    if not kinds:
        return "null"
    if kinds <= {int, float} and float in kinds:
        return "float64"
    found = {(int,): "int64", (bool,): "bool", (str,): "string"}.get(tuple(kinds))
    if found is None:
        raise TypeError("several types")
    return found
