"""The border between Python and C: what may cross it, and nothing else does.

ctypes takes whole numbers modulo 2**64, texts up to their first NUL, and addresses on trust. Here every
argument of a function and every member of a struct has a kind that checks it, and arrays come with their
length. ``_library.py`` declares the kinds; its ``call`` asks them, and the functions below that know
which lengths belong together.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import Structure, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint64, c_void_p
from functools import lru_cache
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np

__all__: List[str] = []

# ---------------------------------------------------------------- numbers


def _limits(kind: Any) -> Tuple[int, int]:
    bits = 8 * ctypes.sizeof(kind)
    return (-(2**(bits - 1)), 2**(bits - 1) - 1) if kind(-1).value < 0 else (0, 2**bits - 1)


WHOLE_NUMBERS = {kind: _limits(kind) for kind in (c_int, c_uint, c_size_t, c_uint64)}
MOST = 2**63 - 1  # of sizes and counts: one more still fits, and none would fit in memory


def whole(name: str, value: Any, least: int = 1, most: int = MOST) -> int:
    """A whole number within limits; True is none."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name}={_shown(value)}; it must be a whole number, at least {least}")
    if value > most:
        raise ValueError(f"{name}={_shown(value)}; it must be a whole number, at most {most}")
    return int(value)


def _shown(value: Any) -> str:
    """A wrong value for a message, in a line."""
    try:
        text = repr(value)
    except Exception:  # thousands of digits, or an object of the caller's
        text = type(value).__name__
    return text if len(text) <= 80 else text[:80] + "..."


class Whole:
    """An integer that C's type holds."""

    def __init__(self, kind: Any):
        self.kind, (self.least, self.most) = kind, WHOLE_NUMBERS[kind]

    def from_param(self, value: Any, name: str = "a number") -> Any:
        if isinstance(value, (bool, np.bool_)):
            value = int(value)  # a flag
        return self.kind(whole(name, value, self.least, self.most))


class Flag:
    """A bool, Python's or NumPy's."""

    @staticmethod
    def from_param(value: Any, name: str = "a flag") -> c_bool:
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name}={_shown(value)}; it must be True or False")
        return c_bool(value)


class Number:
    """A double; what it may be is the caller's to say."""

    @staticmethod
    def from_param(value: Any, name: str = "a number") -> c_double:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise ValueError(f"{name}={_shown(value)}; it must be a number")
        try:
            return c_double(float(value))
        except OverflowError:
            raise ValueError(f"{name}={_shown(value)}; it is too large for a double") from None


# ---------------------------------------------------------------- texts


def text(value: Any, name: str = "a text") -> bytes:
    """A text as C has it: UTF-8 that ends where it ends."""
    if isinstance(value, str):
        try:
            value = str.__str__(value).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError(f"{name}: {_shown(value)} is not Unicode (a lone surrogate)") from None
    if not isinstance(value, bytes):
        raise ValueError(f"{name}={_shown(value)}; it must be a text")
    if b"\0" in value:
        raise ValueError(f"{name}: {_shown(value)} holds a NUL character, where C would end it")
    return value


def path(value: Any) -> bytes:
    """The name of a file, as the file system has it."""
    try:
        return text(os.fsencode(value), "a path")
    except TypeError:
        raise ValueError(f"{_shown(value)} is no path; give a text or a pathlib.Path") from None


def texts(values: Iterable[Any]) -> "ctypes.Array[c_char_p]":
    """An array of C strings; keep it for as long as the library looks at it."""
    encoded = [text(v) for v in values]
    return (c_char_p * max(1, len(encoded)))(*encoded)


class Text:
    """A text, or a path where `convert` says so; `optional` lets None through."""

    def __init__(self, convert: Any = text, optional: bool = False):
        self.convert, self.optional = convert, optional

    def from_param(self, value: Any) -> Optional[bytes]:
        return None if value is None and self.optional else self.convert(value)


class Bytes:
    """Bytes whose number goes with them; `optional` lets None through."""

    def __init__(self, optional: bool = False):
        self.optional = optional

    def from_param(self, value: Any) -> Optional[bytes]:
        if not isinstance(value, bytes) and not (value is None and self.optional):
            raise ValueError(f"{_shown(value)}; bytes are wanted here")
        return value


# ---------------------------------------------------------------- memory


class Array:
    """A NumPy array on its way to C, with its length: its own memory, in order, without gaps."""

    def __init__(self, array: np.ndarray, dtype: Any):
        if not isinstance(array, np.ndarray) or array.dtype != np.dtype(dtype) or \
                not array.flags.c_contiguous or not array.flags.aligned:
            raise ValueError(f"an array of {np.dtype(dtype)} in C order is wanted here")
        self.array = array

    @property
    def _as_parameter_(self) -> c_void_p:
        return c_void_p(self.array.ctypes.data)


def bytes_at(where: int, size: int) -> memoryview:
    """Memory that C shows to a callback, for the time of its call."""
    return memoryview((ctypes.c_char * size).from_address(where)).cast("B")


class ArrayOf:
    """An argument that takes an Array of such numbers."""

    def __init__(self, dtype: Any, optional: bool = False):
        self.dtype, self.optional = np.dtype(dtype), optional

    def from_param(self, value: Any) -> Any:
        if value is None and self.optional:
            return None
        if not isinstance(value, Array) or value.array.dtype != self.dtype:
            raise ValueError(f"{_shown(value)}; an Array of {self.dtype} is wanted here, never an address")
        return value


class Buffer:
    """A buffer of ours for a text of C's."""

    @staticmethod
    def from_param(value: Any) -> Any:
        if not isinstance(value, ctypes.Array) or value._type_ is not ctypes.c_char:
            raise ValueError(f"{_shown(value)}; a buffer is wanted here")
        return value


class Owned:
    """A handle of one kind ("data", "schema", ...), which is still open."""

    def __init__(self, kind: str, optional: bool = False):
        self.kind, self.optional = kind, optional

    def from_param(self, value: Any) -> Any:
        if value is None and self.optional:
            return None
        if getattr(value, "kind", None) != self.kind or not getattr(value, "pointer", None):
            raise ValueError(f"{_shown(value)}; an open handle of kind {self.kind!r} is wanted here")
        return value


class Struct(Structure):
    """A struct whose members are checked as they are set."""

    def __setattr__(self, name: str, value: Any) -> None:
        kind = _members(type(self)).get(name)
        if kind is None:
            raise AttributeError(f"{type(self).__name__} has no member {name!r}")
        if kind in WHOLE_NUMBERS:
            value = Whole(kind).from_param(value, name.rstrip("_"))
        elif kind is c_bool:
            value = Flag.from_param(value, name)
        elif kind is c_double:
            value = Number.from_param(value, name.rstrip("_"))
        elif kind is c_char_p and value is not None:
            value = text(value, name)
        super().__setattr__(name, value)


@lru_cache(maxsize=None)
def _members(struct: type) -> Dict[str, Any]:
    return {name: kind for name, kind, *_ in struct._fields_}  # type: ignore[attr-defined]


class AnyStruct:
    """One of these, whichever; its size goes with it."""

    @staticmethod
    def from_param(value: Any) -> Any:
        if not isinstance(value, Struct):
            raise ValueError(f"{_shown(value)}; a struct is wanted here")
        return ctypes.byref(value)


# ---------------------------------------------------------------- columns of a table


class Column(Struct):
    _fields_ = [("numbers", c_void_p), ("codes", c_void_p), ("texts", ctypes.POINTER(c_char_p)),
                ("text_count", c_size_t), ("stride", c_size_t)]


class TableColumn:
    """A column with its number of rows, and the memory that it lies in."""

    def __init__(self, array: np.ndarray, given: Optional[Sequence[str]] = None):
        """Doubles, perhaps some way apart; or int32 codes of the texts given."""
        dtype = np.dtype(np.float64 if given is None else np.int32)
        array = np.empty(1, dtype)[:0] if array.shape == (0,) else array  # of no rows, whatever it is made of
        step = array.strides[0] if array.ndim == 1 else 0
        if array.ndim != 1:
            raise ValueError(f"has {array.ndim} dimensions; give one value for each row")
        if array.dtype != dtype or step <= 0 or step % dtype.itemsize:
            raise ValueError(f"is no column of {dtype}")
        self.rows, self.array, self.texts = len(array), array, given
        self._texts = None if given is None else texts(given)
        where, stride = array.ctypes.data, step // dtype.itemsize
        self.struct = Column(where, None, None, 0, stride) if given is None else \
            Column(None, where, self._texts, len(given), stride)


class Columns:
    """The columns of a table, None where the schema ignores one."""

    def __init__(self, columns: Sequence[Optional[TableColumn]]):
        self.columns = list(columns)
        self._as_parameter_ = (Column * max(1, len(self.columns)))()
        for i, column in enumerate(self.columns):
            if column is not None:
                self._as_parameter_[i] = column.struct

    @staticmethod
    def from_param(value: Any) -> Any:
        if value is not None and not isinstance(value, Columns):
            raise ValueError(f"{_shown(value)}; Columns are wanted here")
        return value


# ---------------------------------------------------------------- which lengths belong together


def holds(array: Optional[Array], count: int, what: str) -> None:
    if array is not None and array.array.size < count:
        raise ValueError(f"{what} has {array.array.size} entries where {count} are needed")


def _dense(lib: Any, rows: int, dims: int, values: Array, labels: Optional[Array], *_: Any) -> None:
    holds(values, rows * dims, "X")
    holds(labels, rows, "y")


def _csr(lib: Any, rows: int, dims: int, starts: Array, columns: Array, values: Array,
         labels: Optional[Array], *_: Any) -> None:
    """Starts that ascend, which C checks, end with the last one."""
    holds(starts, rows + 1, "indptr of X")
    end = int(starts.array.flat[rows])
    if int(starts.array.flat[0]) < 0 or end < 0:
        raise ValueError("indptr of X holds a negative number")
    holds(columns, end, "indices of X")
    holds(values, end, "data of X")
    holds(labels, rows, "y")


def _table(lib: Any, schema: Any, rows: int, columns: Columns, labels: Optional[Columns], *_: Any) -> None:
    if len(columns.columns) < len(schema.described["columns"]) or labels is not None and len(labels.columns) != 1:
        raise ValueError("a table needs a column for each of its schema's, and one of labels")
    for column in columns.columns + (labels.columns if labels is not None else []):
        if column is not None and column.rows != rows:
            raise ValueError(f"a column has {column.rows} values, and the table {rows} rows; give as many of both")


def _label(lib: Any, data: Any, labels: Array, classes: int, names: Any) -> None:
    rows = lib.dperm_data_rows(data)
    if labels.array.size != rows:
        raise ValueError(f"{rows} rows and {labels.array.size} labels; give as many of both")
    if names is not None and len(names) < classes:
        raise ValueError(f"{classes} classes and {len(names)} names")


def _target(lib: Any, data: Any, labels: Array, *_: Any) -> None:
    _label(lib, data, labels, 0, None)


def _row(lib: Any, data: Any, row: int, values: Array) -> None:
    holds(values, lib.dperm_data_dims(data), "a row")


def _scores(lib: Any, model: Any, data: Any, out: Array) -> None:
    classes = len(model.described["classes"])
    holds(out, lib.dperm_data_rows(data) * (classes if classes > 2 else 1), "scores")


def _probabilities(lib: Any, model: Any, data: Any, out: Array) -> None:
    holds(out, lib.dperm_data_rows(data) * len(model.described["classes"]), "probabilities")


def _outcomes(lib: Any, first: Array, second: Array, count: int, dims: int, *_: Any) -> None:
    holds(first, count * dims, "first")
    holds(second, count * dims, "second")


def _parse(lib: Any, content: bytes, size: int, *_: Any) -> None:
    if size > len(content):
        raise ValueError("a text shorter than its length")


def _file(lib: Any, name: Any, content: Optional[bytes], size: int, *_: Any) -> None:
    _parse(lib, content or b"", size)


def _files(lib: Any, name: Any, content: Optional[bytes], size: int, other: Any, other_content: Optional[bytes],
           other_size: int, *_: Any) -> None:
    _parse(lib, content or b"", size)
    _parse(lib, other_content or b"", other_size)


def _sized(lib: Any, *given: Any) -> None:
    if given[-1] > ctypes.sizeof(given[-2]._obj):
        raise ValueError("a struct smaller than its size")


def _many(lib: Any, data: Any, options: Any, count: int, *_: Any) -> None:
    if not isinstance(options, ctypes.Array) or len(options) < count:
        raise ValueError("fewer options than fits")


def _head(lib: Any, ledger: Any, records: Any, digest: Any) -> None:
    if len(digest) < 65:
        raise ValueError("a digest needs 65 bytes")


TOGETHER: Dict[str, Any] = {
    "dperm_schema_parse": _parse, "dperm_model_parse": _parse, "dperm_model_verify": _file,
    "dperm_statement_about": _files, "dperm_schema_draft": _file, "dperm_schema_import": _file,
    "dperm_data_from_dense": _dense, "dperm_data_from_csr": _csr,
    "dperm_data_from_table": _table, "dperm_data_label": _label, "dperm_data_target": _target, "dperm_data_row": _row,
    "dperm_model_scores": _scores, "dperm_model_values": _scores,
    "dperm_model_probabilities": _probabilities, "dperm_audit_outcomes": _outcomes, "dperm_tune": _many,
    "dperm_sweep": _many, "dperm_ledger_head": _head, "dperm_model_score_sized": _sized, "dperm_model_score_private_sized": _sized}


# ---------------------------------------------------------------- sparse matrices


def check_sparse(X: Any) -> None:
    """Whether a sparse matrix is one, before SciPy's own loops, which read as far as it says."""
    rows, dims = X.shape
    if X.format in ("csr", "csc", "bsr"):
        lines = {"csr": rows, "csc": dims, "bsr": rows // max(1, X.blocksize[0]) if X.format == "bsr" else 0}[X.format]
        starts = np.asarray(X.indptr)
        _check(starts.ndim == 1 and starts.dtype.kind in "iu" and len(starts) == lines + 1,
               f"indptr does not have {lines + 1} whole numbers")
        _check(starts[0] == 0 and bool((starts[1:] >= starts[:-1]).all()), "indptr does not ascend from 0")
        _check(starts[-1] <= min(len(X.indices), len(X.data)), "indices or data are shorter than indptr says")
        _check_places(X.indices, {"csr": dims, "csc": rows, "bsr": dims // max(1, X.blocksize[1])
                                  if X.format == "bsr" else 0}[X.format])
    elif X.format == "coo":
        _check(len(X.row) == len(X.col) == len(X.data), "row, col and data differ in length")
        _check_places(X.row, rows)
        _check_places(X.col, dims)
    elif X.format == "lil":
        _check(len(X.rows) == len(X.data) == rows and all(len(a) == len(b) for a, b in zip(X.rows, X.data)),
               "rows and data differ in length")


def _check(holds_: Any, what: str) -> None:
    if not holds_:
        raise ValueError(f"X is no sound sparse matrix: its {what}")


def _check_places(places: Any, end: int) -> None:
    places = np.asarray(places)
    _check(places.ndim == 1 and places.dtype.kind in "iu", "indices are not whole numbers")
    _check(len(places) == 0 or places.min() >= 0 and places.max() < end, "indices point beyond its shape")
