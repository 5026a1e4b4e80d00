"""Tables, arrays and lists as the rows of a schema: columns by name where there are names, else by place."""

from __future__ import annotations

from ctypes import byref, pointer
from typing import Any, List, Optional, Sequence, Set, Tuple

import numpy as np
from sklearn.utils.validation import column_or_1d

from . import _library as c
from . import arrow
from .columns import as_list, as_lists, column_of, doubles_of, numbers_among

__all__ = ["label_in", "listed_columns", "table_handle"]


def table_handle(schema: Any, X: Any, labels: Any = None, empty: bool = False) -> Tuple[c.Handle, int]:
    """A DataFrame or Arrow's table (columns by name), or an array or lists (by place), as the library's table and the
    number of its rows.

    A row depends on its own record alone (columns.py). With `empty` no rows at all are fine.
    """
    X, labels = as_list(arrow.table(X, schema.wanted)), as_list(arrow.column(labels))
    if isinstance(X, arrow.Table):
        return _streamed(schema, X, labels, empty)
    rows, places = _rows_of(X), {name: i for i, (name, _) in enumerate(schema.columns)}
    if rows == 0 and not empty:
        raise ValueError("there are no rows; give at least one record")
    content = schema.to_dict()
    absent = content.get("missing", [""])
    missing, described = numbers_among(absent), {column["name"]: column for column in content["columns"]}
    columns: List[Optional[c.TableColumn]] = [None] * len(places)
    inferred = not _framed(X) and (not isinstance(X, list) or any(isinstance(row, np.ndarray) for row in X))
    whose = [content["person"]] if labels is not None and "person" in content else []
    for name, kind, values in listed_columns(schema, X, labels is not None, whose):
        listed = _texts_in([described[name], absent]) if inferred else None
        columns[places[name]] = column_of(values, name, kind == "numeric", missing, listed)
    label = None
    if labels is not None:
        given = _label_column(schema, labels)
        if given.rows != rows:
            raise ValueError(f"{rows} rows and {given.rows} labels; give as many of both")
        label = c.Columns([given])
    handle = c.Handle("dperm_data_from_table", "dperm_data_free", schema._handle, rows, c.Columns(columns), label)
    return handle, rows


def _label_column(schema: Any, labels: Any) -> c.TableColumn:
    content, numeric = schema.to_dict(), schema.label_range is not None
    absent = content.get("missing", [""])
    labels, inferred = _labels_of(labels, numeric)
    listed = _texts_in([content["label"], absent]) if inferred else None
    return column_of(labels, schema.label_column, numeric, numbers_among(absent) if numeric else (), listed)


def _streamed(schema: Any, X: arrow.Table, labels: Any, empty: bool) -> Tuple[c.Handle, int]:
    """The library reads the stream batch by batch, and keeps none of it."""
    given = c.Arrow(unlabelled=labels is None)
    source = c.Source(may_be_empty=empty, schema=schema._handle.pointer)
    column = None if labels is None or isinstance(labels, arrow.Inside) else _label_column(schema, labels)
    if column is not None:
        given.labels, given.label_count = pointer(column.struct), column.rows
    with X.lent() as stream, c.Interruptible() as interruptible:
        given.stream = pointer(stream)
        source.arrow = pointer(given)
        handle = c.Handle("dperm_data_read", "dperm_data_free", byref(source), byref(interruptible.progress))
    return handle, c.lib.dperm_data_rows(handle)


def _labels_of(labels: Any, numeric: bool) -> Tuple[Any, bool]:
    """Labels in what they came in, or an array; and whether NumPy had a part in them."""
    if not isinstance(labels, list) and not _of_pandas(labels):
        labels = np.atleast_1d(np.asanyarray(labels))
    if numeric and getattr(getattr(labels, "dtype", None), "kind", "") == "b":
        # one True among numbers makes polars take all of them for truths
        raise ValueError("y is a column of booleans, and the label is a number; give numbers")
    return labels, isinstance(labels, np.ndarray) or \
        isinstance(labels, list) and all(isinstance(v, np.generic) for v in labels)


def label_numbers(y: Any) -> np.ndarray:
    """Labels of rows without a schema as doubles, NaN where there is none: what a table's numeric column takes."""
    y = as_list(arrow.column(y))
    if getattr(y, "ndim", 1) == 2:
        y = column_or_1d(y, warn=True)
    y, inferred = _labels_of(y, True)
    return doubles_of(y, "y", set() if inferred else None)


def _of_pandas(values: Any) -> bool:
    """Series, indexes and arrays of pandas', which infers types with more care (columns.py)."""
    dtype = getattr(values, "dtype", None)
    return dtype is not None and hasattr(values, "to_numpy") and (hasattr(values, "array") or not isinstance(dtype, np.dtype))


def _texts_in(content: Any) -> Set[str]:
    """All texts in a part of a schema."""
    if isinstance(content, dict):
        content = [*content, *content.values()]
    if isinstance(content, str):
        return {content.strip()}
    return {text for part in content for text in _texts_in(part)} if isinstance(content, list) else set()


def listed_columns(schema: Any, X: Any, labelled: bool = True, beside: Sequence[str] = ()) -> List[Tuple[str, str, Any]]:
    """Name, type and values of each column that is read, and of those `beside`; predictions need no group."""
    wanted = schema.columns
    absent = set() if labelled or not _framed(X) else {name for name, _ in wanted} - set(X.columns)
    listed = [i for i, (name, kind) in enumerate(wanted) if kind in ("numeric", "categorical") or name in beside or
              (kind == "group" and name not in absent)]
    given = _named(X, [wanted[i][0] for i in listed]) if _framed(X) else _placed(X, wanted, listed)
    return [(*wanted[i], values) for i, values in zip(listed, given)]


def _framed(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _rows_of(X: Any) -> int:
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError("X is a masked array; fill it, with NaN for no value")
    if _framed(X) or isinstance(X, list):
        return len(X)
    shape = np.shape(X)
    return shape[0] if shape else 0


def label_in(schema: Any, X: Any) -> Any:
    """The column of a table that the schema's label is; None if there is none."""
    if isinstance(X, arrow.Table):
        return X.inside(schema.label_column)
    return _named(X, [schema.label_column])[0] if _framed(X) and schema.label_column in list(X.columns) else None


def _named(X: Any, names: Sequence[str]) -> List[Any]:
    present = list(X.columns)
    for name in names:
        if name not in present:
            raise ValueError(f"the data have no column {name!r} that the schema lists")
        if present.count(name) > 1:
            raise ValueError(f"the data have several columns {name!r}; keep the one that is meant")
    return [X[name] for name in names]


def _placed(X: Any, wanted: Sequence[Tuple[str, str]], listed: Sequence[int]) -> List[Any]:
    """Columns by place. Lists are never made an array: in one, a text would make all numbers texts."""
    places = [i for i, (_, kind) in enumerate(wanted) if kind != "label"]
    at = [places.index(i) for i in listed]
    X = as_lists(X)
    if isinstance(X, list):
        if not all((isinstance(row, list) or isinstance(row, np.ndarray) and row.ndim == 1) and
                   len(row) == len(places) for row in X):
            raise ValueError(f"a row of X does not have the {len(places)} columns that the schema lists")
        return [[row[j] for row in X] for j in at]
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] != len(places):
        raise ValueError(f"X has the shape {X.shape}; the schema lists {len(places)} columns")
    return [X[:, j] for j in at]
