"""Columns that NumPy chose a type for: what one record may have changed in all others is refused.

``np.array`` gives one type to all of its values. Beside a number or NaN the truth True is 1, beside a text 1.0 is "1.0",
NaN is "nan", and a single 0.1 has fewer digits than as a double; beside None all stay what they are. Nothing tells
afterwards what a value was, so of each two that may have been one, at least one is refused. Nothing is changed here.
"""

from __future__ import annotations

import re
from typing import Any, List, Set

import numpy as np

__all__: List[str] = []

_TRUTHS, _DIGITS = {"True", "False"}, {"0", "1"}
_POINTED = re.compile(r"-?[0-9]+(\.[0-9]*(e[+-]?[0-9]+)?|e[+-]?[0-9]+)")  # as floats are written, and whole numbers are not
_PLAIN = (str, bytes, int, float, bool)


def check(values: Any, numeric: bool, listed: Set[str]) -> None:
    """`listed` are at least the texts that the schema tells from others in this column."""
    if isinstance(values, list):  # of arrays' rows, or of what was in an array
        kinds = set(map(type, values))
        values = np.array(values) if len(kinds) == 1 and issubclass(kinds.pop(), np.generic) else values
    kind = "O" if isinstance(values, list) else values.dtype.kind
    if numeric:
        if kind in "US":
            raise _refused("texts in a numeric column")
    elif kind in "biuf":
        _check_numbers(values, listed)
    elif kind in "US":
        _check_texts(set(values.tolist()), listed)
    elif kind == "O":
        _check_objects(values, listed)


def _refused(what: str) -> ValueError:
    return ValueError(f"holds {what}, in an array of NumPy, which may have changed the values of all records for the "
                      "sake of one; give the records as lists or a frame, with their values as they were")


def _check_truths(listed: Set[str]) -> None:
    """Where the schema lists truths, 0 and 1 are refused, which may have been some; else where it lists these, truths."""
    if not listed & _TRUTHS and listed & _DIGITS:
        raise _refused("booleans, where the schema lists 0 or 1")


def _check_numbers(values: np.ndarray, listed: Set[str]) -> None:
    if values.dtype.kind == "b":
        _check_truths(listed)
    elif listed & _TRUTHS and np.isin(values, (0, 1)).any():
        raise _refused("0 or 1, where the schema lists True or False")
    elif values.dtype.kind == "f":
        _check_digits(values)


def _check_digits(values: np.ndarray) -> None:
    """Of fractions, whose text as narrower or longer floats is another one. (Whole numbers are refused as such texts.)"""
    parts = values[np.isfinite(values) & (values != np.trunc(values))]
    other = parts.dtype.itemsize > 8 and len(parts) > 0
    for narrow in (np.float16, np.float32):
        with np.errstate(over="ignore", under="ignore"):
            narrowed = parts.astype(narrow)
        other = other or any(float(str(v)) != float(v) for v in np.unique(narrowed[narrowed == parts]))
    if other:
        raise _refused("floats of another width than Python's")


def _check_texts(texts: Set[Any], listed: Set[str]) -> None:
    for text in texts:
        text = text.decode("latin-1") if isinstance(text, bytes) else text
        if text == "nan" or _POINTED.fullmatch(text) and float(text).is_integer():
            raise _refused("texts of floats")
        if text in _TRUTHS:
            _check_truths(listed)


def _check_objects(values: Any, listed: Set[str]) -> None:
    kinds = set(map(type, values))
    if any(issubclass(k, _PLAIN) and k not in _PLAIN and not issubclass(k, np.generic) for k in kinds):
        raise _refused("values of a class that is neither Python's nor NumPy's own")
    if any(issubclass(k, (bool, np.bool_)) for k in kinds):
        _check_truths(listed)
    if any(issubclass(k, np.floating) and not issubclass(k, float) for k in kinds):
        _check_digits(np.array([v for v in values if isinstance(v, np.floating)]))
