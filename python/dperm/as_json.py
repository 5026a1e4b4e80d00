"""A schema that was written as a dict, as its JSON file would have it.

The file has texts where records have values: in "values", "groups", "reference", "missing" and the label's
classes. In a dict these may be numbers and booleans, and become the texts that the same values in records
become (columns.py), so that ``True`` in a schema means ``True`` in a column. Elsewhere NumPy's numbers
become Python's.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping

import numpy as np

from .columns import text_of

__all__ = ["as_json"]


def as_json(content: Mapping[str, Any]) -> Dict[str, Any]:
    made = {key: _plain(value) for key, value in content.items()}
    if "missing" in made:
        made["missing"] = _texts(made["missing"], "missing")
    if isinstance(made.get("label"), dict):
        for key in ("positive", "negative", "classes"):
            if key in made["label"]:
                made["label"][key] = _texts(made["label"][key], f"{key} of the label")
    if isinstance(made.get("columns"), list):
        for column in made["columns"]:
            if isinstance(column, dict):
                for key in ("values", "groups", "reference"):
                    if key in column:
                        column[key] = _texts(column[key], f"{key} of column {column.get('name')!r}")
    return made


def _plain(value: Any) -> Any:
    """Containers and scalars of NumPy as Python's; keys stay."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if hasattr(value, "tolist"):  # arrays, and columns and indexes of pandas
        value = value.tolist()
    return [_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _texts(value: Any, where: str) -> Any:
    """The values of a list, or of the lists in a dict, as texts; a key is a text too."""
    if isinstance(value, dict):
        return {_text(key, where): _texts(inner, where) for key, inner in value.items()}
    if isinstance(value, list):
        return [_text(inner, where) for inner in value]
    return _text(value, where)


def _text(value: Any, where: str) -> str:
    if isinstance(value, str):
        return value
    try:
        found = text_of(value)
    except ValueError as problem:
        raise ValueError(f"the schema's {where} {problem}") from None
    if found is None:
        raise ValueError(f"the schema's {where} holds {value!r}, which is no value; None and NaN are missing "
                         "in records without being listed")
    return found
