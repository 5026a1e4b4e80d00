"""Rows and labels on their way into the library."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import scipy.sparse as sp

from . import _library as c

__all__: List[str] = []


def rows_handle(X: Any, norm: float, intercept: float) -> c.Handle:
    """A C-ordered array of doubles or a CSR matrix, which is not copied on this side.

    The library keeps a copy of its own, each row scaled down to `norm` where it is longer.
    """
    rows, dims = X.shape
    if sp.issparse(X):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        starts = X.indptr if X.indptr.dtype == np.int64 else X.indptr.astype(np.int64)
        columns = X.indices if X.indices.dtype == np.int32 else X.indices.astype(np.int32)
        handle = c.Handle("dperm_data_from_csr", "dperm_data_free", rows, dims, starts.ctypes.data,
                          columns.ctypes.data, X.data.ctypes.data, None, norm)
    else:
        handle = c.Handle("dperm_data_from_dense", "dperm_data_free", rows, dims, X.ctypes.data,
                          None, norm)
    if intercept:
        c.call("dperm_data_add_intercept", handle, intercept)
    return handle


def codes_of(y: Any, classes: np.ndarray) -> np.ndarray:
    """The place of each label among the classes."""
    y = np.asarray(y)
    order = np.argsort(classes, kind="stable") if classes.dtype != object else None
    if order is None or y.dtype == object or y.dtype.kind != classes.dtype.kind:
        places: Dict[Any, int] = {value: i for i, value in enumerate(classes.tolist())}
        codes = np.array([places.get(value, -1) for value in y.tolist()], dtype=np.int64)
    else:
        at = np.searchsorted(classes, y, sorter=order)
        codes = order[np.minimum(at, len(classes) - 1)]
        codes = np.where(classes[codes] == y, codes, -1)
    if (codes < 0).any():
        raise ValueError("a label is none of the classes; add it to `classes`, or mend the data")
    return codes.astype(np.uint32)


def class_array(classes: Sequence[Any]) -> np.ndarray:
    """A public label set, each once, in the order given."""
    found = np.asarray(classes)
    if found.ndim != 1 or len(found) < 2 or len(set(found.tolist())) != len(found):
        raise ValueError(f"classes={classes!r}; give at least two labels, each once")
    return found


def class_names(classes: np.ndarray) -> List[str]:
    return [str(value) for value in classes.tolist()]


def classes_from_names(names: Sequence[str]) -> np.ndarray:
    """Labels as a model file has them: whole numbers again if all of them are."""
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return np.asarray(names)
    plain = all(name.lstrip("+") == str(value) for name, value in zip(names, numbers))
    return np.asarray(numbers if plain else names)


def label(handle: c.Handle, codes: np.ndarray, names: Sequence[str]) -> None:
    c.call("dperm_data_label", handle, codes.ctypes.data, len(names), c.texts(names))


def bounds_schema(bounds: Any, dims: int, intercept: bool) -> Dict[str, Any]:
    """A schema of numeric columns with these bounds: a pair for all columns, or one for each."""
    try:
        low, high = (np.broadcast_to(np.asarray(b, dtype=float), (dims,)) for b in bounds)
    except (TypeError, ValueError):
        raise ValueError(f"bounds={bounds!r}; give (low, high), numbers or one for each of "
                         f"{dims} columns") from None
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
        raise ValueError("bounds: each low must be below its high, all of them finite")
    columns = [{"name": f"x{i}", "type": "numeric", "min": float(a), "max": float(b),
                "scale": "center"} for i, (a, b) in enumerate(zip(low, high))]
    return {"columns": columns, "intercept": bool(intercept), "rows": "fixed"}
