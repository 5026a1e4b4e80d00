"""Tables of polars, pyarrow and others, by the Arrow C data interface.

A table offers its memory in a capsule (``__arrow_c_stream__`` or ``__arrow_c_array__``), so none of these
libraries is imported. Under a schema the stream goes on to the C library, which reads it batch by batch
(``lent``). Where columns are wanted here, they are read into lists and arrays that ``columns.py`` takes as
it takes anybody's: a record has the same row by this path as by any other. Null is no value. A
dictionary gives each record its own text; entries that no record uses are not looked at. Lengths and
offsets are checked as far as the interface tells them; the producer answers for the rest.
"""

from __future__ import annotations

import contextlib
import ctypes
import struct
import sys
from ctypes import byref, c_char_p, c_void_p, py_object
from typing import Any, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from . import streams
from ._structs import ArrowArray, ArrowArrayStream, ArrowSchema

__all__: List[str] = []


_NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
            "e": "f2", "f": "f4", "g": "f8"}
_TEXTS = {"u": "i4", "U": "i8"}  # offsets of string and large_string
_NAMES = {"z": "binary", "Z": "large_binary", "vz": "binary_view", "w": "fixed_size_binary", "d": "decimal",
          "td": "date", "tt": "time", "ts": "timestamp", "tD": "duration", "ti": "interval", "+l": "list",
          "+L": "large_list", "+vl": "list_view", "+vL": "large_list_view", "+w": "fixed_size_list",
          "+s": "struct", "+m": "map", "+u": "union", "+r": "run_end_encoded"}
_TAKEN = "strings, integers, floats, booleans, dictionaries of them and nulls are taken; cast the column"

# ---------------------------------------------------------------- capsules


def offers(value: Any) -> bool:
    """Whether a value has such capsules, and is not pandas', whose tables have a path of their own."""
    return (hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")) and \
        not hasattr(value, "iloc")


def _pointer(capsule: Any, name: bytes, kind: Any) -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [py_object, c_char_p]
    found = kind.from_address(get(capsule, name))
    if not found.release:
        raise ValueError("the table's Arrow capsule was used up before; give the table itself")
    return found


def _moved(found: Any) -> Any:
    """As the interface has it: the struct is ours, and the capsule's is released."""
    mine = type(found)()
    ctypes.memmove(byref(mine), byref(found), ctypes.sizeof(found))
    found.release = type(found.release)()
    return mine


def _given_back(struct_: Any) -> None:
    if struct_.release and not sys.is_finalizing():
        struct_.release(byref(struct_))


def _checked(code: int) -> None:
    if code:
        raise ValueError(f"the table's Arrow stream failed with error {code}")  # its message may quote records


def _drained(stream: ArrowArrayStream) -> List[ArrowArray]:
    pieces: List[ArrowArray] = []
    try:
        while True:
            piece = ArrowArray()
            _checked(stream.get_next(byref(stream), byref(piece)))
            if not piece.release:
                return pieces
            pieces.append(piece)
    except ValueError:
        for one in pieces:
            _given_back(one)
        raise
    finally:
        _given_back(stream)


def _replayed(schema: ArrowSchema, pieces: Sequence[ArrowArray]) -> ArrowArrayStream:
    """A stream of what is here; what it hands out stays ours."""
    made, todo, kinds = ArrowArrayStream(), list(pieces), {}

    def forget(kind: Any) -> Any:
        done = dict(kind._fields_)["release"]
        return kinds.setdefault(kind, done(lambda given: setattr(given.contents, "release", done())))

    def lend(own: Any, to: Any) -> int:
        ctypes.memmove(to, byref(own), ctypes.sizeof(own))
        if own.release:
            to.contents.release = forget(type(own))
        return 0

    calls = dict(ArrowArrayStream._fields_)
    made.get_schema = calls["get_schema"](lambda _, to: lend(schema, to))
    made.get_next = calls["get_next"](lambda _, to: lend(todo.pop(0) if todo else ArrowArray(), to))
    made.get_last_error = calls["get_last_error"](lambda _: None)
    made.release = forget(ArrowArrayStream)
    made.kept = kinds
    return made


# ---------------------------------------------------------------- tables and columns


class Received:
    """A producer's stream; or, once they are asked for, its pieces, whose memory is there until this is gone."""

    def __init__(self, value: Any):
        self._taken: Optional[List[ArrowArray]] = None
        if hasattr(value, "__arrow_c_stream__"):
            capsule = value.__arrow_c_stream__()  # which gives back what nobody moved out of it
            self._stream = _moved(_pointer(capsule, b"arrow_array_stream", ArrowArrayStream))
            self._schema = ArrowSchema()
            _checked(self._stream.get_schema(byref(self._stream), byref(self._schema)))
        else:
            capsules = value.__arrow_c_array__()
            self._schema = _moved(_pointer(capsules[0], b"arrow_schema", ArrowSchema))
            self._taken = [_moved(_pointer(capsules[1], b"arrow_array", ArrowArray))]

    @property
    def _pieces(self) -> List[ArrowArray]:
        if self._taken is None:
            if not self._stream.release:
                raise ValueError("the table's Arrow stream was used up before; give the table itself")
            self._taken = _drained(self._stream)
        return self._taken

    @contextlib.contextmanager
    def lent(self) -> Iterator[ArrowArrayStream]:
        """The stream, for C to use up; what is here already comes from here."""
        yield self._stream if self._taken is None else _replayed(self._schema, self._taken)

    def __del__(self) -> None:
        for one in [*(getattr(self, "_taken", None) or []), *(getattr(self, name, None) for name in ("_schema", "_stream"))]:
            if one is not None:
                _given_back(one)


class Inside:
    """Stands for the labels that a column of the table itself holds."""

    def __init__(self, texts: bool):
        self.texts = texts


class Table(Received):
    """A table whose columns are read by name, as lists or arrays; it looks like a frame."""

    def __init__(self, value: Any):
        super().__init__(value)
        if _format(self._schema) != "+s":
            raise ValueError("X is a column of Arrow's; give a table")
        count = self._schema.n_children
        self._kinds = [self._schema.children[i].contents for i in range(count)]
        self.columns = [(kind.name or b"").decode("utf-8", "replace") for kind in self._kinds]
        self.dtypes = [_name(kind) for kind in self._kinds]

    @property
    def _pieces(self) -> List[ArrowArray]:
        for piece in super()._pieces:
            _check_piece(piece, "X", 1)
            if piece.n_children != len(self.columns):
                raise ValueError("X is no sound Arrow table: a batch has other columns than it says")
            if _present(piece, 0, piece.length) is not None:
                raise ValueError("X has Arrow records that are null as a whole; give a table without them")
        return super()._pieces

    @property
    def shape(self) -> Tuple[int, int]:
        return sum(piece.length for piece in self._pieces), len(self.columns)

    def inside(self, name: str) -> Optional[Inside]:
        """That a column of this name holds the labels; None if there is none."""
        kinds = [kind for kind, own in zip(self._kinds, self.columns) if own == name]
        return Inside(all(_format(k.dictionary.contents if k.dictionary else k) in ("u", "U", "vu") for k in kinds)) if kinds \
            else None

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, name: str) -> Any:
        return self.column(self.columns.index(name))

    def column(self, place: int) -> Any:
        parts = []
        for piece in self._pieces:
            child = piece.children[place].contents
            what = f"column {self.columns[place]!r}"
            parts.append(_values(self._kinds[place], child, what, piece.offset, piece.length))
        return _joined(parts)


def table(X: Any, wanted: Optional[Sequence[str]] = None) -> Any:
    """Arrow's tables, and what can be read as one, as a Table, anything else as it is; of files only the columns `wanted`."""
    X = streams.opened(X, wanted)
    if hasattr(X, "collect") and hasattr(X, "lazy"):
        raise ValueError("X is a lazy frame; give what collect() makes of it")
    return Table(X) if offers(X) else X


def column(y: Any, name: str = "y") -> Any:
    """Arrow's columns as a list or an array, anything else as it is."""
    if not offers(y):
        return y
    found = Received(y)
    if _format(found._schema) == "+s":
        raise ValueError(f"{name} is a table of {found._schema.n_children} columns; give one column")
    return _joined([_values(found._schema, piece, name, 0, piece.length) for piece in found._pieces])


def matrix(X: Table) -> np.ndarray:
    """A table of numbers as doubles, NaN where there is none."""
    made = np.empty(X.shape)
    for j, name in enumerate(X.columns):
        values = X.column(j)
        if isinstance(values, list) and not all(v is None or isinstance(v, (bool, int, float)) for v in values):
            raise ValueError(f"column {name!r} holds texts; X must hold real numbers, or give a schema")
        made[:, j] = np.asarray(values, dtype=np.float64)
    return made


def _joined(parts: Sequence[Any]) -> Any:
    if parts and all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return [value for part in parts for value in (part.tolist() if isinstance(part, np.ndarray) else part)]


# ---------------------------------------------------------------- types


def _format(kind: ArrowSchema) -> str:
    return (kind.format or b"").decode("utf-8", "replace")


def _extension(kind: ArrowSchema) -> Optional[str]:
    """A type of somebody's own, whose values are not those of the type below it."""
    if not kind.metadata:
        return None
    at, found = int(kind.metadata), {}

    def number() -> int:
        nonlocal at
        value, = struct.unpack("=i", ctypes.string_at(at, 4))
        at += 4
        return value

    def content() -> bytes:
        nonlocal at
        size = number()
        value = ctypes.string_at(at, size)
        at += size
        return value

    for _ in range(number()):
        key = content()
        found[key] = content()
    name = found.get(b"ARROW:extension:name")
    return None if name is None else name.decode("utf-8", "replace")


def _name(kind: ArrowSchema) -> str:
    form, own = _format(kind), _extension(kind)
    if own is not None:
        return own
    if form in _NUMBERS:
        return np.dtype(_NUMBERS[form]).name
    known = {"n": "null", "b": "bool", "u": "string", "U": "large_string", "vu": "string_view"}
    return known.get(form) or _NAMES.get(form.split(":")[0]) or _NAMES.get(form[:2]) or repr(form)


# ---------------------------------------------------------------- values


def _unsound(what: str, why: str) -> ValueError:
    return ValueError(f"{what} is no sound Arrow array: {why}")


def _check_piece(array: ArrowArray, what: str, buffers: int) -> None:
    if array.length < 0 or array.offset < 0 or array.n_buffers < buffers or array.n_buffers and not array.buffers:
        raise _unsound(what, "its length, offset or number of buffers")
    if array.n_children and not array.children:
        raise _unsound(what, "children are missing")


def _buffer(array: ArrowArray, place: int, dtype: str, first: int, count: int, what: str) -> np.ndarray:
    """Numbers of a buffer, copied."""
    where, size = array.buffers[place], np.dtype(dtype).itemsize
    if count == 0:
        return np.empty(0, dtype)
    if not where:
        raise _unsound(what, "a buffer is missing")
    return np.frombuffer(ctypes.string_at(where + first * size, count * size), dtype=dtype)


def _bits(array: ArrowArray, place: int, first: int, count: int, what: str) -> np.ndarray:
    packed = _buffer(array, place, "u1", first // 8, (first + count + 7) // 8 - first // 8, what)
    return np.unpackbits(packed, bitorder="little")[first % 8:first % 8 + count].astype(bool)


def _present(array: ArrowArray, first: int, count: int) -> Optional[np.ndarray]:
    """Which values there are; None for all of them. `first` is counted behind the array's own offset."""
    if array.null_count == 0 or array.n_buffers == 0 or not array.buffers[0]:
        return None
    found = _bits(array, 0, array.offset + first, count, "an array")
    return None if found.all() else found


def _values(kind: ArrowSchema, array: ArrowArray, what: str, first: int, count: int,
            used: Optional[np.ndarray] = None) -> Any:
    """`count` values from `first` on: an array of numbers, or a list with None for no value.

    With `used`, those places only, and anything for the others.
    """
    form, buffers = _format(kind), {"n": 0, "u": 3, "U": 3, "vu": 3}.get(_format(kind), 2)
    if _extension(kind) is not None or form not in _NUMBERS and form not in ("n", "b", "u", "U", "vu"):
        raise ValueError(f"{what} is of the Arrow type {_name(kind)}; {_TAKEN}")
    _check_piece(array, what, buffers)
    if first + count > array.length:
        raise _unsound(what, "it is shorter than its table")
    if form == "n":
        return [None] * count
    present, start = _present(array, first, count), array.offset + first
    if kind.dictionary:
        return _of_dictionary(kind, array, what, start, count, present)
    if form in _NUMBERS:
        numbers = _buffer(array, 1, _NUMBERS[form], start, count, what)
        if numbers.dtype.kind == "f":
            numbers = numbers.astype(np.float64)
            return numbers if present is None else np.where(present, numbers, np.nan)
        return numbers if present is None else _with_none(numbers.tolist(), present)
    if form == "b":
        flags = _bits(array, 1, start, count, what)
        return flags if present is None else _with_none(flags.tolist(), present)
    wanted = present if used is None else used if present is None else used & present
    read = _views if form == "vu" else _strings
    return read(array, form, what, start, count, np.ones(count, bool) if wanted is None else wanted)


def _with_none(values: List[Any], present: np.ndarray) -> List[Any]:
    return [v if there else None for v, there in zip(values, present.tolist())]


def _text(raw: bytes, what: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{what} holds a text that is not UTF-8") from None


def _strings(array: ArrowArray, form: str, what: str, start: int, count: int, wanted: np.ndarray) -> List[Any]:
    ends = _buffer(array, 1, _TEXTS[form], start, count + 1 if count else 0, what).tolist()
    if count == 0:
        return []
    if ends[0] < 0 or any(b < a for a, b in zip(ends, ends[1:])):
        raise _unsound(what, "its offsets do not ascend")
    if ends[-1] > ends[0] and not array.buffers[2]:
        raise _unsound(what, "a buffer is missing")
    base, size = ends[0], ends[-1] - ends[0]
    raw = ctypes.string_at(array.buffers[2] + base, size) if size else b""
    return [_text(raw[a - base:b - base], what) if there else None
            for a, b, there in zip(ends, ends[1:], wanted.tolist())]


def _views(array: ArrowArray, form: str, what: str, start: int, count: int, wanted: np.ndarray) -> List[Any]:
    """Texts up to 12 bytes lie in the view itself; longer ones in one of several buffers, whose sizes come last."""
    views = _buffer(array, 1, "i4", start * 4, count * 4, what).reshape(-1, 4)
    parts = array.n_buffers - 3
    sizes = _buffer(array, array.n_buffers - 1, "i8", 0, parts, what).tolist()
    found: List[Any] = []
    for view, there in zip(views, wanted.tolist()):
        size, _, part, at = view.tolist()
        if not there:
            found.append(None)
        elif 0 <= size <= 12:
            found.append(_text(view.tobytes()[4:4 + size], what))
        elif size < 0 or not 0 <= part < parts or at < 0 or at + size > sizes[part] or not array.buffers[2 + part]:
            raise _unsound(what, "a text lies outside of its buffers")
        else:
            found.append(_text(ctypes.string_at(array.buffers[2 + part] + at, size), what))
    return found


def _of_dictionary(kind: ArrowSchema, array: ArrowArray, what: str, start: int, count: int,
                   present: Optional[np.ndarray]) -> List[Any]:
    """Each record's own entry: order and entries that no record has do not matter."""
    if _format(kind) not in _NUMBERS or _NUMBERS[_format(kind)][0] == "f" or not array.dictionary:
        raise _unsound(what, "a dictionary without places in it")
    inner, entries = kind.dictionary.contents, array.dictionary.contents
    if inner.dictionary:
        raise ValueError(f"{what} is of the Arrow type dictionary of dictionaries; {_TAKEN}")
    places = _buffer(array, 1, _NUMBERS[_format(kind)], start, count, what)
    places = places.astype(np.uint64) if places.dtype.kind == "u" else places.astype(np.int64)
    known = places if present is None else places[present]
    if len(known) and (int(known.min()) < 0 or int(known.max()) >= entries.length):
        raise _unsound(what, "a place is outside of its dictionary")
    used = np.zeros(max(0, entries.length), bool)
    used[known.astype(np.int64)] = True
    values = _values(inner, entries, what, 0, entries.length, used)
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    there = [True] * count if present is None else present.tolist()
    return [listed[place] if ok else None for place, ok in zip(places.tolist(), there)]
