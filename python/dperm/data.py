"""Rows and labels on their way into the library."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Sequence, Tuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, column_or_1d

from . import _library as c
from . import arrow
from .border import check_sparse
from .columns import as_list, as_lists, of_numbers, plain

__all__: List[str] = []

TAKEN = ("without a schema booleans, integers and floats are taken, each a number by itself: give dates as days or seconds "
         "since a public one, and texts with a schema")


def _types_of(X: Any) -> Iterator[Tuple[str, Any]]:
    """The types that X is made of, each with where it is; of lists and objects those of their values that have one."""
    if isinstance(X, (list, tuple)):
        for row in X:
            for value in row if isinstance(row, (list, tuple)) else [row]:
                if hasattr(value, "dtype"):
                    yield "X", value.dtype
    elif hasattr(X, "iloc") and hasattr(X, "columns"):
        for place, (name, dtype) in enumerate(zip(X.columns, X.dtypes)):
            yield f"column {name!r}", dtype
            if _of_objects(dtype):
                yield from _types_of(X.iloc[:, place].tolist())
    else:
        yield "X", X.dtype
        if _of_objects(X.dtype) and not sp.issparse(X):
            yield from _types_of(np.asarray(X).ravel().tolist())


def _of_objects(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def numbers_of(X: Any) -> Any:
    """X, if each of its values becomes a double by itself: the one gate for records that come without a schema.

    Types are allowed, not forbidden (columns.of_numbers); lists and objects go value by value. What is none of the
    containers that are known becomes an array, once.
    """
    X = as_lists(X)
    if not isinstance(X, list) and not sp.issparse(X) and not hasattr(X, "iloc"):
        X = np.asanyarray(X)
    for what, dtype in _types_of(X):
        if hasattr(dtype, "fill_value"):  # rows would be sparse if all columns are, and sums over such are rounded differently
            raise ValueError(f"{what} is one of pandas' sparse columns; give X.sparse.to_coo(), or dense columns")
        if of_numbers(dtype) or _of_objects(dtype):
            continue
        if getattr(dtype, "kind", "O") == "c":
            raise ValueError("Complex data not supported; X must hold real numbers")  # as scikit-learn says it
        raise ValueError(f"{what} has the dtype {dtype}; {TAKEN}")
    return X


def canonical(X: Any) -> Any:
    """A sparse matrix as CSR with sorted columns, each row by itself.

    SciPy sorts all rows, in an order of its own, as soon as one is not sorted, and adds entries at one place
    in that order: a row would depend on how another was written. Here the order is stable, and entries at one
    place are added as they are written.
    """
    check_sparse(X)
    if X.format == "csr" and X.has_canonical_format:
        return X
    entries = X.tocoo(copy=False)
    row, column = np.asarray(entries.row), np.asarray(entries.col)
    order = np.lexsort((column, row))
    row, column, values = row[order], column[order], np.asarray(entries.data)[order]
    first = np.ones(len(row), dtype=bool)
    first[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
    if not first.all():
        row, column, values = row[first], column[first], np.add.reduceat(values, np.flatnonzero(first))
    starts = np.zeros(X.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(row, minlength=X.shape[0]), out=starts[1:])
    made = sp.csr_matrix((values, column, starts), shape=X.shape)
    made.has_sorted_indices = made.has_canonical_format = True
    return made


def arrow_rows(estimator: Any, X: arrow.Table, reset: bool, empty: bool) -> np.ndarray:
    """Rows of numbers from Arrow's table, with what scikit-learn does to frames: names are noted and compared."""
    rows = check_array(arrow.matrix(X), dtype=np.float64, order="C", ensure_min_samples=0 if empty else 1)
    names, known = np.asarray(X.columns, dtype=object), getattr(estimator, "feature_names_in_", None)
    if reset:
        estimator.n_features_in_, estimator.feature_names_in_ = len(names), names
    elif known is not None and list(known) != list(names):
        raise ValueError("The feature names should match those that were passed during fit, in the same order")
    elif len(names) != estimator.n_features_in_:
        raise ValueError(f"X has {len(names)} features, but {type(estimator).__name__} is expecting "
                         f"{estimator.n_features_in_} features as input")
    return rows


def rows_handle(X: Any, norm: float, intercept: float) -> c.Handle:
    """A C-ordered array of doubles or a CSR matrix, which is not copied on this side.

    The library keeps a copy of its own, each row scaled down to `norm` where it is longer.
    """
    rows, dims = X.shape
    if sp.issparse(X):
        if not X.data.all():
            X = X.copy()
            X.eliminate_zeros()  # whether zeros are written out is the container's choice for all rows at once
        starts = np.ascontiguousarray(X.indptr, dtype=np.int64)
        columns = np.ascontiguousarray(X.indices, dtype=np.int32)
        values = np.ascontiguousarray(X.data, dtype=np.float64)
        handle = c.Handle("dperm_data_from_csr", "dperm_data_free", rows, dims, c.Array(starts, "i8"),
                          c.Array(columns, "i4"), c.Array(values, "f8"), None, norm)
    else:
        X = np.ascontiguousarray(X, dtype=np.float64)
        handle = c.Handle("dperm_data_from_dense", "dperm_data_free", rows, dims, c.Array(X, "f8"), None, norm)
    if intercept:
        c.call("dperm_data_add_intercept", handle, intercept)
    return handle


def codes_of(y: Any, classes: np.ndarray) -> np.ndarray:
    """The place of each label among the classes: each is looked up by itself, in what is public."""
    y = _labels(y)
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind == classes.dtype.kind == "U":
        return _checked(_codes_by_order(y, classes))
    try:
        y = plain(y)
    except ValueError as problem:
        raise ValueError(f"y {problem}") from None
    if _beyond_doubles(classes) and _holds_floats(y):
        raise ValueError("y holds floats, and there are classes from 2**53 on, where floats skip whole numbers; "
                         "give integers or texts")
    if not isinstance(y, list) and y.dtype.kind == "b" and not set(classes.tolist()) <= {0, 1}:
        # one True among numbers makes polars take all of them for truths
        raise ValueError("y is a column of booleans, and some classes are neither 0, 1, False nor True; give labels of "
                         "the classes' own type")
    codes = _codes_by_value(y, classes) if isinstance(y, list) or y.dtype.kind != classes.dtype.kind \
        else _codes_by_order(y, classes)
    return _checked(codes)


def _checked(codes: np.ndarray) -> np.ndarray:
    if (codes < 0).any():
        raise ValueError("a label is none of the classes; add it to `classes`, or mend the data")
    return codes.astype(np.uint32)


def _labels(y: Any) -> Any:
    """A list stays one: an array would make numbers texts, or whole numbers floats, for one label's sake."""
    y = as_list(arrow.column(y))
    if isinstance(y, list):
        return y
    if getattr(y, "ndim", 1) == 2:
        return column_or_1d(y, warn=True)
    return y if hasattr(y, "dtype") else np.asarray(y)


def _beyond_doubles(classes: np.ndarray) -> bool:
    numbers = [v for v in classes.tolist() if isinstance(v, (int, float))]
    return any(abs(v) >= 2**53 for v in numbers)


def _holds_floats(y: Any) -> bool:
    return any(isinstance(v, (float, np.floating)) for v in y) if isinstance(y, list) else y.dtype.kind == "f"


def _codes_by_order(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    order = np.argsort(classes, kind="stable")
    at = np.searchsorted(classes, y, sorter=order)
    codes = order[np.minimum(at, len(classes) - 1)]
    return np.where(classes[codes] == y, codes, -1)


class _Places(Dict[Any, int]):
    def __missing__(self, value: Any) -> int:
        return -1


def _codes_by_value(y: Any, classes: np.ndarray) -> np.ndarray:
    places = _Places({value: i for i, value in enumerate(classes.tolist())})
    if isinstance(y, np.ndarray):
        uniques, inverse = np.unique(y, return_inverse=True)
        return np.array([places[v] for v in uniques.tolist()], dtype=np.int64)[inverse.reshape(-1)]
    if set(map(type, y)) <= {str, int, float, bool, type(None)}:
        return np.fromiter(map(places.__getitem__, y), dtype=np.int64, count=len(y))
    codes = np.empty(len(y), dtype=np.int64)
    for i, value in enumerate(y):
        if isinstance(value, str):
            value = str.__str__(value)
        elif isinstance(value, np.generic):
            value = value.item()
        try:
            codes[i] = places[value]
        except (TypeError, ValueError):  # no hash, or an equality that is none
            raise ValueError(f"y holds a label of type {type(value).__name__}; give one value for each "
                             "row") from None
    return codes


def class_array(classes: Sequence[Any]) -> np.ndarray:
    """A public label set, each once, in the order given."""
    found = np.asarray(classes)
    if found.dtype.kind in "US" and not isinstance(classes, np.ndarray) and \
            not all(isinstance(value, (str, bytes)) for value in classes):
        found = np.empty(len(classes), dtype=object)  # labels of several types stay what they are
        found[:] = list(classes)
    if found.ndim != 1 or len(found) < 2 or len(set(class_names(found))) != len(found) or \
            len(set(found.tolist())) != len(found):
        raise ValueError(f"classes={classes!r}; give at least two labels, each once")
    return found


def class_names(classes: np.ndarray) -> List[str]:
    return [str(value) for value in classes.tolist()]


def taken(handle: c.Handle, *what: str) -> None:
    """Notes what was taken from the records that should be public; what is made of them is not private."""
    if what:
        c.call("dperm_data_taken", handle, sum(c.TAKEN[word] for word in set(what)))


def label(handle: c.Handle, codes: np.ndarray, names: Sequence[str]) -> None:
    c.call("dperm_data_label", handle, c.Array(np.ascontiguousarray(codes), "u4"), len(names), c.texts(names))


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
