"""Whether records fit a schema: what ``dperm schema check --data`` tells, and spellings that never meet.

A categorical value that the schema does not list becomes zeros, as it must: a fit tells nothing about single
records. But a whole column may miss its schema by a spelling that a program chose ("true" for `True`, "1.0"
for 1). Here that is an error. It depends on the records, as all that is said here.
"""

from __future__ import annotations

from ctypes import byref
from typing import Any, Dict, Iterable, List, Mapping, Tuple

from . import _library as c
from . import arrow
from .account import refuse_known
from .columns import Codes
from .tables import label_in, listed_columns, table_handle

__all__ = ["check"]


def check(schema: Any, records: Any, labels: Any, unsafe_diagnostics: bool) -> Dict[str, Any]:
    records, labels = arrow.table(records, schema.wanted), arrow.column(labels)
    labels = label_in(schema, records) if labels is None else labels
    labels = records[schema.label_column] if isinstance(labels, arrow.Inside) else labels
    handle, _ = table_handle(schema, records, labels)
    content = schema.to_dict()
    missing = set(content.get("missing", [""]))
    known = {column["name"]: column for column in content["columns"]}
    for name, kind, values in listed_columns(schema, records):
        if kind in ("categorical", "group"):
            _check_texts(f"column {name!r}", _texts_of(values), missing, *_listed(known[name]))
    if labels is not None and schema.label_range is None:
        what = f"the label (column {schema.label_column!r})"
        _check_texts(what, _texts_of(labels), missing, *_sides(content["label"]))
    found: Dict[str, Any] = {"rows": c.lib.dperm_data_rows(handle), "remarks": schema._handle.described["remarks"]}
    if unsafe_diagnostics:
        refuse_known(handle)
        found["columns"] = {name: _counts(handle, i) for i, (name, _) in enumerate(schema.columns)}
    return found


def _counts(handle: c.Handle, place: int) -> Dict[str, int]:
    counts = c.ColumnCounts()
    c.call("dperm_unsafe_data_counts", handle, place, byref(counts))
    return c.fields(counts)


def _texts_of(values: Any) -> List[str]:
    return Codes(values).texts


# ---------------------------------------------------------------- what a schema lists


def _listed(column: Mapping[str, Any]) -> Tuple[List[str], bool]:
    """The values of a categorical column, and whether others have a place too."""
    if "groups" in column:
        return _flat(column["groups"].values())
    return list(column["values"]), False


def _sides(label: Mapping[str, Any]) -> Tuple[List[str], bool]:
    classes = label.get("classes")
    if isinstance(classes, list):
        return classes, False
    return _flat(classes.values() if classes is not None else [label["positive"], label["negative"]])


def _flat(sides: Iterable[Any]) -> Tuple[List[str], bool]:
    texts: List[str] = []
    others = False
    for side in sides:
        others = others or side == "*"
        texts += [] if side == "*" else side
    return texts, others


# ---------------------------------------------------------------- spellings


def _meaning(text: str) -> Any:
    """The same for texts that mean the same: capitals do not count, nor how a number or a truth is written."""
    text = text.strip().casefold()
    if text in ("true", "false"):
        return float(text == "true")
    try:
        return float(text)
    except ValueError:
        return text


def _check_texts(what: str, texts: List[str], missing: Any, listed: List[str], others: bool) -> None:
    known, there = set(listed), [text for text in texts if text not in missing]
    meanings = {_meaning(value): value for value in listed}
    for text in there:
        if text not in known and _meaning(text) in meanings:
            meant = meanings[_meaning(text)]
            raise ValueError(f"{what} holds \"{text}\", and the schema lists \"{meant}\": to a fit these are "
                             "different values; list it as it is written, or write it as listed")
    if there and not others and not known & set(there):
        raise ValueError(f"{what} holds no value that the schema lists, so all would be encoded as zeros; mend "
                         "the schema or the column")
