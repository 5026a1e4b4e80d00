"""Columns of a table on their way into the library: numbers, or codes of texts.

A guarantee is about replacing one record, so a row must depend on its own record and on nothing else.
Each value becomes a text by itself, by its type and content, and only then are texts numbered. Values
are never compared with one another: ``1 == True`` and ``Decimal("1.0") == Decimal("1.00")``, yet their
texts differ. What is decided for a whole column rests on its dtype; and where NumPy or pandas change
the dtype because of one value (whole numbers become floats where one is missing, anything becomes
objects beside a text), the other values keep their texts. Where that cannot be had, the column is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as Listed
from decimal import Decimal
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set

import numpy as np

from . import _library as c
from . import numpy_types

__all__: List[str] = []

_MOST = float(np.finfo(np.float64).max)
_WHOLE = 2.0**53  # from here on doubles skip whole numbers
PLAIN_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NONE = type(None)
# Exact types among which equal values have equal texts, so that a dict may find those seen before.
_ALIKE = ({str, _NONE, float}, {str, _NONE, int}, {str, _NONE, bool})
_NUMBERS = {float, int, bool, _NONE}
_TAKEN = "texts, whole numbers, floats, booleans and decimals are taken, and None or NaN for no value"


# ---------------------------------------------------------------- types


def _of_pandas(kind: type) -> bool:
    """pandas' own types name the package, or a module of it, as their home."""
    return kind.__module__.split(".")[0] == "pandas"


def of_numbers(dtype: Any) -> bool:
    """Booleans, integers and floats, of NumPy or pandas: the types whose values become doubles each by itself.

    All others are converted by what the whole column is like, or nobody knows how: dates by a unit that one
    nanosecond among them makes finer for all, decimals of Arrow's by a number of digits that all have.
    """
    own = isinstance(dtype, np.dtype) or _of_pandas(type(dtype))
    return own and getattr(dtype, "kind", "O") in "biuf"


def _of_texts(dtype: Any) -> bool:
    """pandas' types of texts, its own and Arrow's, and categories, which give each record its own value."""
    kind = type(dtype)
    return _of_pandas(kind) and (kind.__name__ in ("StringDtype", "CategoricalDtype") or dtype.kind == "U")


def as_list(values: Any) -> Any:
    """What holds Python's values one by one (a tuple, a deque) as a list: in an array one text would make all others texts."""
    if not isinstance(values, Listed) or isinstance(values, (list, str, bytes, memoryview)) or hasattr(values, "dtype"):
        return values
    return list(values)


def as_lists(X: Any) -> Any:
    """The same for a table and its rows."""
    X = as_list(X)
    return [as_list(row) for row in X] if isinstance(X, list) else X


# ---------------------------------------------------------------- one value


def number_text(value: float, numeric: bool) -> Optional[str]:
    """A double: a whole number without a point, since 1 may come as 1.0; NaN is no value."""
    if value != value:
        return None
    if not value.is_integer():
        return repr(value)
    if abs(value) >= _WHOLE and not numeric:
        raise ValueError("holds whole numbers from 2**53 on as floats, which may have lost digits; give "
                         "them as integers (pandas: dtype \"Int64\" where some are missing) or as texts")
    return str(int(value))


def text_of(value: Any, numeric: bool = False) -> Optional[str]:
    """A value as a CSV file would have it, without blanks around; None if there is no value.

    It depends on the value's type and content only: no method of a class of the caller's is used. In a
    numeric column True is 1; elsewhere it is "True".
    """
    if isinstance(value, str):
        return str.__str__(value).strip(" \t")
    if value is None or _is_not_there(value):
        return None
    if isinstance(value, (bool, np.bool_)):
        return ("1" if value else "0") if numeric else ("True" if value else "False")
    if isinstance(value, int):
        return _digits(int.__int__(value))
    if isinstance(value, np.integer) and value.dtype.kind in "iu":  # timedelta64 is one too, by its unit
        return _digits(int(value))
    if isinstance(value, (float, np.floating)):
        return number_text(float(value), numeric)
    if isinstance(value, Decimal):
        return None if Decimal.is_nan(value) else Decimal.__str__(value)
    if isinstance(value, bytes):
        return _decoded(value).strip(" \t")
    raise ValueError(f"holds a value of type {type(value).__name__}, which has no text of its own; {_TAKEN}")


def _is_not_there(value: Any) -> bool:
    """NaT of NumPy and pandas, and pandas' NA."""
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    kind = type(value)
    return kind.__name__ in ("NaTType", "NAType") and _of_pandas(kind)


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # thousands of digits
        raise ValueError("holds a whole number too long to be written") from None


def _decoded(value: bytes) -> str:
    try:
        return bytes.decode(value, "utf-8")
    except UnicodeDecodeError:
        raise ValueError("holds bytes that are not UTF-8; give texts") from None


# ---------------------------------------------------------------- many values


class Numbering:
    """Texts in the order they came, each once; a code is a text's place, -1 stands for no value."""

    def __init__(self, numeric: bool):
        self.numeric, self._places = numeric, {}  # type: ignore[var-annotated]

    def place(self, value: Any) -> int:
        text = text_of(value, self.numeric)
        return -1 if text is None else self._places.setdefault(text, len(self._places))

    def places(self, values: Iterable[Any]) -> np.ndarray:
        return np.array([self.place(v) for v in values], dtype=np.int32)

    @property
    def texts(self) -> List[str]:
        return list(self._places)


def _codes_of_objects(values: List[Any], numbering: Numbering) -> np.ndarray:
    kinds = set(map(type, values))
    if any(kinds <= alike for alike in _ALIKE):
        seen = dict.fromkeys(values)
        for value in seen:
            seen[value] = numbering.place(value)  # type: ignore[assignment]
        return np.fromiter(map(seen.__getitem__, values), dtype=np.int32, count=len(values))
    memory: Dict[type, Dict[Any, int]] = {str: {}, int: {}, bool: {}}
    codes = np.empty(len(values), dtype=np.int32)
    for i, value in enumerate(values):
        known = memory.get(type(value))
        if known is None:
            codes[i] = numbering.place(value)
            continue
        code = known.get(value)
        if code is None:
            code = known[value] = numbering.place(value)
        codes[i] = code
    return codes


def _codes_of_numbers(values: np.ndarray, numbering: Numbering) -> np.ndarray:
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
    uniques, inverse = np.unique(values, return_inverse=True)
    return numbering.places(uniques.tolist())[inverse.reshape(-1)]


def _codes_of_categories(values: Any, numbering: Numbering) -> np.ndarray:
    """pandas' categories: it makes equal values one and keeps the first, so only kinds whose equal
    values have equal texts are taken (a 1 among Trues leaves a category 1, or objects)."""
    given = np.asarray(values.codes)
    categories = plain(values.categories)
    known = isinstance(categories, np.ndarray) and categories.dtype.kind in "iuf" or \
        isinstance(categories, list) and set(map(type, categories)) in ({str}, {np.str_}, {int}, {float}, set())
    if not known:
        raise ValueError("has categories that are neither all texts nor all numbers, and pandas makes 1 and "
                         "True one category; give the column as it was, or turn it into texts")
    used = np.unique(given[given >= 0])
    places = np.full(len(categories) + 1, -1, dtype=np.int32)  # the last one is for code -1
    listed = categories.tolist() if isinstance(categories, np.ndarray) else categories
    places[used] = numbering.places(listed[i] for i in used)
    return places[given]


def _without_texts(dtype: Any) -> ValueError:
    return ValueError(f"has the dtype {dtype}, whose values have no text of their own; {_TAKEN}")


def plain(values: Any) -> Any:
    """A typed array of numbers, or a list of Python's objects as they are."""
    values = as_list(values)
    if isinstance(values, list):
        return values
    dtype = getattr(values, "dtype", None)
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError("is a masked array; fill it, with None or NaN for no value")
    if isinstance(dtype, np.dtype):
        array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    elif hasattr(dtype, "subtype") and hasattr(dtype, "fill_value"):  # pandas' sparse columns
        array = np.asarray(values)
    elif dtype is not None and hasattr(values, "to_numpy"):  # what else pandas has
        if not of_numbers(dtype) and not _of_texts(dtype):
            raise _without_texts(dtype)
        try:
            return values.to_numpy(dtype=object).tolist()
        except TypeError:
            return values.to_list()
    else:
        array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"has {array.ndim} dimensions; give one value for each row")
    if array.dtype.kind not in "biufOUS":
        raise _without_texts(array.dtype)
    return array if array.dtype.kind in "biuf" else array.tolist()


def _categories_in(values: Any) -> Any:
    """What knows the codes and categories of pandas' values: a series' accessor, or the values themselves."""
    found = getattr(values, "cat", values)
    return found if hasattr(found, "codes") and hasattr(found, "categories") else None


class Codes:
    """A column as codes of its few texts."""

    def __init__(self, values: Any, numeric: bool = False, missing: Sequence[float] = ()):
        numbering = Numbering(numeric)
        categories = _categories_in(values)
        if categories is not None:
            self.codes = _codes_of_categories(categories, numbering)
        else:
            values = plain(values)
            find = _codes_of_objects if isinstance(values, list) else _codes_of_numbers
            self.codes = find(values, numbering)
        texts = numbering.texts
        gone = [i for i, t in enumerate(texts) if missing and PLAIN_NUMBER.fullmatch(t) and float(t) in missing]
        if gone:
            self.codes = np.where(np.isin(self.codes, gone), -1, self.codes)
        self.codes, self.texts = np.ascontiguousarray(self.codes, dtype=np.int32), texts

    def column(self) -> c.TableColumn:
        if any("\0" in t for t in self.texts):
            raise ValueError("holds a text with a NUL character")
        try:
            "".join(self.texts).encode()
        except UnicodeEncodeError:
            raise ValueError("holds a text that is not Unicode (a lone surrogate)") from None
        return c.TableColumn(self.codes, self.texts)


def numbers_among(texts: Iterable[str]) -> List[float]:
    """Texts for "no value" that are numbers: in a numeric column such a number is no value however it
    comes, since the same column may be of numbers or of texts, as other records have it."""
    return [float(t) for t in texts if PLAIN_NUMBER.fullmatch(t)]


def _of_numbers(values: Any, missing: Sequence[float]) -> c.TableColumn:
    sparse = hasattr(values.dtype, "subtype")
    array = np.asarray(values) if sparse or not hasattr(values, "to_numpy") else \
        values.to_numpy(dtype=np.float64, na_value=np.nan)
    if missing:
        array = np.array(array, dtype=np.float64)
        array[np.isin(array, missing)] = np.nan
    if array.ndim != 1 or array.dtype != np.float64 or array.strides[0] <= 0 or array.strides[0] % 8:
        array = np.ascontiguousarray(array, dtype=np.float64)
    return c.TableColumn(array)


def column_of(values: Any, name: str, numeric: bool, missing: Sequence[float] = (),
              listed: Optional[Set[str]] = None) -> c.TableColumn:
    """A column for the library, with the memory that it lies in; `listed` where NumPy had a part in it (numpy_types.py)."""
    dtype = getattr(values, "dtype", None)
    try:
        if listed is not None:
            numpy_types.check(values, numeric, listed)
        if numeric and of_numbers(dtype) and not isinstance(values, np.ma.MaskedArray):
            return _of_numbers(values, missing)
        if numeric and _categories_in(values) is None:
            values = plain(values)
            if isinstance(values, list) and set(map(type, values)) <= _NUMBERS:
                return _of_numbers(np.array(values, dtype=np.float64), missing)  # as their texts would read
        return Codes(values, numeric, missing if numeric else ()).column()
    except OverflowError:
        raise ValueError(f"column {name!r} holds a whole number that is too large for a double") from None
    except ValueError as problem:
        raise ValueError(f"column {name!r} {problem}") from None


def doubles_of(values: Any, name: str, listed: Optional[Set[str]] = None) -> np.ndarray:
    """A numeric column as doubles: texts as the library reads them, where a number beyond all doubles is the last of
    them; NaN for no value."""
    column = column_of(values, name, True, (), listed)
    return column.array if column.texts is None else \
        np.array([_double(text, name) for text in column.texts] + [np.nan])[column.array]


def _double(text: str, name: str) -> float:
    if not PLAIN_NUMBER.fullmatch(text):
        raise ValueError(f"column {name!r} holds a text that is no number; mend it")
    return min(max(float(text), -_MOST), _MOST)
