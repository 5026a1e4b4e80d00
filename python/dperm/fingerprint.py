"""The same records, however they come: one digest of a table's rows for frames, Arrow's tables, arrays, lists and CSV files.

It stays in memory and in pickles of a schema that was drafted from public records; no model's file has it.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Union

import numpy as np

from .columns import PLAIN_NUMBER, plain, text_of

__all__: List[str] = []

_STEP = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bit is lost


def _mixed(words: np.ndarray) -> np.ndarray:
    """Each word by itself, its high bits into the low ones and back."""
    words = (words ^ (words >> np.uint64(31))) * _STEP
    return words ^ (words >> np.uint64(29))


def _of_numbers(values: Any, gone: Set[Any]) -> np.ndarray:
    """Of doubles; a number and a text that writes it have the same."""
    doubles = np.array(values, dtype=np.float64) + 0.0  # there is one zero
    absent = np.isnan(doubles) | np.isin(doubles, [v for v in gone if isinstance(v, float)])
    return np.where(absent, np.uint64(0), _mixed(_mixed(doubles.view(np.uint64) + _STEP)))


def _canonical(value: Any) -> Union[str, float, None]:
    text = text_of(value, isinstance(value, (float, np.floating)))
    return text if text is None or not PLAIN_NUMBER.fullmatch(text) else float(text) + 0.0


def _print(value: Any, gone: Set[Any]) -> int:
    found = _canonical(value)
    if isinstance(found, float):
        return int(_of_numbers([found], gone)[0])
    if found is None or found in gone:
        return 0
    return int.from_bytes(hashlib.blake2b(found.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _prints(values: Any, gone: Set[Any]) -> np.ndarray:
    values = plain(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        return _of_numbers(values, gone)
    known: Dict[Any, int] = {}
    made = np.empty(len(values), dtype=np.uint64)
    for i, value in enumerate(values):
        key = (type(value), value)  # 1 == True, yet their texts differ
        if key not in known:
            known[key] = _print(value, gone)
        made[i] = known[key]
    return made


def digest(columns: Sequence[Any], missing: Sequence[str]) -> Optional[str]:
    """Of the rows that these columns make, in any order; None where a value has no text of its own."""
    gone = set(map(_canonical, missing))
    rows: Optional[np.ndarray] = None
    try:
        for values in columns:
            prints = _prints(values, gone)
            rows = prints if rows is None else _mixed(rows) + prints
    except (TypeError, ValueError):  # no hash; a type without texts; columns of several lengths
        return None
    return None if rows is None else hashlib.sha256(np.sort(rows).tobytes()).hexdigest()


def csv_columns(path: "str | os.PathLike[str]", content: Mapping[str, Any]) -> List[List[str]]:
    """The columns of a CSV file that a schema was drafted from, as this schema lists them; none if they cannot be read."""
    try:
        with open(path, "rb") as file:
            raw = file.read()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
        separator = content.get("separator", ",")
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
    except (OSError, EOFError, ValueError, TypeError, csv.Error):
        return []
    places = [i for i, column in enumerate(content["columns"]) if column["type"] in ("numeric", "categorical", "group")]
    rows = rows[bool(content.get("header", True)):]
    return [] if any(len(row) != len(content["columns"]) for row in rows) else [[row[i] for row in rows] for i in places]
