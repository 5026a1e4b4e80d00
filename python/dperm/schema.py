"""Schemas: what is known about records in public, and tables encoded by them."""

from __future__ import annotations

import json
import os
import tempfile
from ctypes import byref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _library as c

__all__ = ["Schema"]

SchemaLike = Union["Schema", Mapping[str, Any], str, "os.PathLike[str]"]


class Schema:
    """Column types, ranges, categories and labels, known without looking at the records.

    ``source`` is a dict in the format of ``docs/formats.md``, or the path of such a file. A dict
    without ``"label"`` takes the classes of the estimator that uses it.

    >>> import dperm
    >>> schema = dperm.Schema({
    ...     "label": {"column": "rich", "classes": ["no", "yes"]},
    ...     "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100},
    ...                 {"name": "job", "type": "categorical", "values": ["nurse", "judge"]}]})
    >>> schema.classes, schema.feature_names
    (['no', 'yes'], ['age', 'job=nurse', 'job=judge'])
    """

    def __init__(self, source: SchemaLike, classes: Optional[Sequence[str]] = None):
        if isinstance(source, Schema):
            content = source.to_dict()
        elif isinstance(source, Mapping):
            content = dict(source)
        else:
            with open(source, encoding="utf-8") as file:
                text = file.read()
            self._open(text, os.fspath(source))
            return
        if "label" not in content and classes is not None:
            content["label"] = {"column": _free_name(content), "classes": list(classes)}
        self._open(json.dumps(content), "schema")

    def _open(self, text: str, name: str) -> None:
        data = text.encode("utf-8")
        self._handle = c.Handle("dperm_schema_parse", "dperm_schema_free", data, len(data),
                                name.encode())
        self._text = text

    @classmethod
    def draft(cls, public_data: Any, *, label: Optional[str] = None,
              positive: Optional[Sequence[str]] = None) -> "Schema":
        """A first schema from a DataFrame or a CSV file of **public** records.

        It depends on them, so never draft from private data; look through it before use.
        """
        options = c.DraftOptions()
        c.lib.dperm_draft_options_init(byref(options))
        if label is not None:
            options.label = label.encode()
        if positive is not None:
            options.positive, options.positive_count = c.texts(positive), len(positive)
        with tempfile.TemporaryDirectory(prefix="dperm-") as folder:
            path = public_data
            if hasattr(public_data, "to_csv"):
                path = os.path.join(folder, "public.csv")
                public_data.to_csv(path, index=False)
                options.header = 1
            made = c.Handle("dperm_schema_draft", "dperm_schema_free", os.fspath(path).encode(),
                            byref(options), None, c.Remark(0), None)
            out = os.path.join(folder, "schema.json")
            c.call("dperm_schema_write", made, out.encode())
            with open(out, encoding="utf-8") as file:
                return cls(json.load(file))

    def __repr__(self) -> str:
        return f"Schema({len(self.columns)} columns, {self.dims} encoded, classes {self.classes})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return Schema, (self.to_dict(),)

    def to_dict(self) -> Dict[str, Any]:
        return json.loads(self._text)

    def save(self, path: "str | os.PathLike[str]") -> None:
        c.call("dperm_schema_write", self._handle, os.fspath(path).encode())

    @property
    def classes(self) -> List[str]:
        return _names(c.lib.dperm_schema_class_name, self._handle)

    @property
    def dims(self) -> int:
        """Columns of an encoded row, the intercept included."""
        return c.lib.dperm_schema_dims(self._handle)

    @property
    def norm(self) -> float:
        """No encoded row is longer than this."""
        return c.lib.dperm_schema_norm_bound(self._handle)

    @property
    def columns(self) -> List[Tuple[str, str]]:
        """Name and type of each column."""
        count = c.lib.dperm_schema_columns(self._handle)
        return [(c.text(c.lib.dperm_schema_column_name(self._handle, i)) or "",
                 c.text(c.lib.dperm_schema_column_type(self._handle, i)) or "")
                for i in range(count)]

    @property
    def label_column(self) -> str:
        return str(self.to_dict()["label"]["column"])

    @property
    def feature_names(self) -> List[str]:
        """What each encoded column means."""
        from ctypes import create_string_buffer

        names = []
        for i in range(self.dims):
            size = c.lib.dperm_schema_feature_name(self._handle, i, create_string_buffer(1), 1)
            room = create_string_buffer(size + 1)
            c.lib.dperm_schema_feature_name(self._handle, i, room, size + 1)
            names.append(room.value.decode("utf-8", "replace"))
        return names


def _names(function: Any, handle: Any) -> List[str]:
    names: List[str] = []
    while True:
        name = function(handle, len(names))
        if name is None:
            return names
        names.append(name.decode("utf-8", "replace"))


def _free_name(content: Mapping[str, Any]) -> str:
    taken = {column.get("name") for column in content.get("columns", []) if isinstance(column, dict)}
    name = "label"
    while name in taken:
        name += "_"
    return name


# ---------------------------------------------------------------- tables


def text_of(value: Any) -> str:
    """A value as a CSV file would have it, without blanks around."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    elif isinstance(value, (bool, np.bool_)):
        value = "True" if value else "False"
    return str(value).strip(" \t")


class Codes:
    """A column as codes of its few texts."""

    def __init__(self, values: Any):
        if hasattr(values, "cat"):
            codes, uniques = values.cat.codes, values.cat.categories
        elif hasattr(values, "factorize"):
            codes, uniques = values.factorize()
        else:
            codes, uniques = _factorize(np.asarray(values))
        self.codes = np.ascontiguousarray(codes, dtype=np.int32)
        self.texts = c.texts([text_of(u) for u in uniques])
        self.count = len(uniques)

    def column(self) -> c.Column:
        return c.Column(None, self.codes.ctypes.data, self.texts, self.count, 1)


def _factorize(values: np.ndarray) -> Tuple[np.ndarray, Any]:
    if values.dtype.kind in "iubUS":
        uniques, codes = np.unique(values, return_inverse=True)
        return codes, [u.decode() if isinstance(u, bytes) else u for u in uniques.tolist()]
    seen: Dict[Any, int] = {}
    found = [-1 if v is None or v != v else seen.setdefault(v, len(seen)) for v in values.tolist()]
    return np.asarray(found), list(seen)


def _numbers(values: np.ndarray) -> Optional[c.Column]:
    step = values.strides[0]
    if values.dtype != np.float64 or step <= 0 or step % 8:
        return None
    return c.Column(values.ctypes.data, None, None, 0, step // 8)


def table_handle(schema: Schema, X: Any, labels: Any = None) -> Tuple[c.Handle, int]:
    """A DataFrame (columns by name) or an array (by place) as encoded rows, and their number."""
    framed = hasattr(X, "columns") and hasattr(X, "dtypes")
    wanted = schema.columns
    columns, kept = (c.Column * max(1, len(wanted)))(), []
    if framed:
        missing = [n for n, kind in wanted if kind in ("numeric", "categorical") and n not in X.columns]
        if missing:
            raise ValueError(f"the data have no column {missing[0]!r} that the schema lists")
    else:
        X = np.asarray(X)
        places = [i for i, (_, kind) in enumerate(wanted) if kind != "label"]
        if X.ndim != 2 or X.shape[1] != len(places):
            raise ValueError(f"X has the shape {X.shape}; the schema lists {len(places)} columns")
    for i, (name, kind) in enumerate(wanted):
        if kind not in ("numeric", "categorical"):
            continue
        values = X[name] if framed else X[:, places.index(i)]
        made, keep = _column(values, kind)
        columns[i] = made
        kept.append(keep)
    label = None
    if labels is not None:
        codes = Codes(labels)
        kept.append(codes)
        label = byref(codes.column())
    rows = len(X)
    if labels is not None and len(labels) != rows:
        raise ValueError(f"{rows} rows and {len(labels)} labels; give as many of both")
    handle = c.Handle("dperm_data_from_table", "dperm_data_free", schema._handle, rows, columns, label)
    return handle, rows


def _column(values: Any, kind: str) -> Tuple[c.Column, Any]:
    dtype = getattr(values, "dtype", None)
    numeric = dtype is not None and getattr(dtype, "kind", "O") in "fiub"
    if kind == "numeric" and numeric:
        array = values.to_numpy(dtype=np.float64, na_value=np.nan) if hasattr(values, "to_numpy") \
            else values
        made = _numbers(array)
        if made is None:
            array = np.ascontiguousarray(array, dtype=np.float64)
            made = c.Column(array.ctypes.data, None, None, 0, 1)
        return made, array
    codes = Codes(values)
    return codes.column(), codes
