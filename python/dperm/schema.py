"""Schemas: what is known about records in public."""

from __future__ import annotations

import csv
import io
import json
import os
from ctypes import byref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _library as c
from . import arrow, schema_check
from .account import refuse_known
from .as_json import as_json
from .columns import text_of
from .fingerprint import csv_columns, digest
from .options import choice, label_range
from .origin import Origin
from .tables import listed_columns

__all__ = ["Schema"]

DICTIONARIES = c.words("dictionary")

SchemaLike = Union["Schema", Mapping[str, Any], str, "os.PathLike[str]"]


class Schema:
    """Column types, ranges, categories and labels, known without looking at the records.

    ``source`` is a dict in the format of ``docs/formats.md``, or the path of such a file. A dict may have
    numbers and booleans among its values and classes, which become the texts that records of them have;
    one without ``"label"`` takes the classes, or the range, of the estimator that uses it.

    >>> import dperm
    >>> schema = dperm.Schema({
    ...     "label": {"column": "rich", "classes": ["no", "yes"]},
    ...     "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100},
    ...                 {"name": "job", "type": "categorical", "values": ["nurse", "judge"]}]})
    >>> schema.classes, schema.feature_names
    (['no', 'yes'], ['age', 'job=nurse', 'job=judge'])
    """

    def __init__(self, source: Union[SchemaLike, c.Handle], label: Optional[Mapping[str, Any]] = None):
        self._origin = Origin()
        self.remarks: Tuple[str, ...] = ()  # what a person should look at in a draft or an import
        if isinstance(source, Schema):
            self._handle, self._origin = source._handle, source._origin  # nothing in it changes
        elif isinstance(source, c.Handle):
            self._handle = source
        elif isinstance(source, Mapping):
            content = as_json(source)
            if "label" not in content and label is not None:
                content["label"] = {"column": _free_name(content), **label}
            data = json.dumps(content).encode("utf-8")
            self._handle = c.Handle("dperm_schema_parse", "dperm_schema_free", data, len(data), "schema")
        else:
            self._handle = c.Handle("dperm_schema_read", "dperm_schema_free", source)

    @classmethod
    def draft(cls, public_data: Any, *, label: Optional[str] = None,
              positive: Optional[Sequence[str]] = None) -> "Schema":
        """A first schema from a DataFrame, Arrow's table or a CSV file of **public** records.

        It depends on them, so never draft from private data; look through it before use. A model of
        the very records that its schema was drafted from is refused, however they come (with `random_state`
        or without a mechanism it says that it is not private).
        """
        options = c.defaults("draft")
        if label is not None:
            options.label = label
        if positive is not None:
            options.positive, options.positive_count = c.texts(positive), len(positive)
        records = arrow.table(public_data)
        framed = hasattr(records, "to_csv") or isinstance(records, arrow.Table)
        options.header = 1 if framed else options.header
        file = _in_memory("records", _csv(records)) if framed else (public_data, None, 0)
        if not framed:
            refuse_known(public_data)
        schema = cls._remarked("dperm_schema_draft", *file, byref(options), None)
        if isinstance(public_data, (str, os.PathLike)) and not framed:
            found = digest(csv_columns(public_data, schema.to_dict()), schema._missing)
        else:
            found = schema._digest(records)
        schema._origin = Origin.draft(public_data, found)
        return schema

    @classmethod
    def from_dictionary(cls, dictionary: "Mapping[str, Any] | str | os.PathLike[str]", *, label: str,
                        positive: Optional[Sequence[str]] = None, format: str = "auto",
                        table: Optional[str] = None) -> "Schema":
        """A schema from a data dictionary, as ``dperm schema import`` makes one; its ``remarks`` say what is left open.

        `dictionary` is a Frictionless table schema, resource or package, or CSVW metadata: a path or a dict.
        No record is read and nothing is guessed: a column of which it says too little is ignored. It must
        say what is known in public; ranges that were counted from the private records betray them.
        """
        options = c.defaults("import")
        options.label, options.dictionary = label, choice("format", format, DICTIONARIES)
        if positive is not None:
            options.positive, options.positive_count = c.texts(positive), len(positive)
        if table is not None:
            options.table = table
        given = isinstance(dictionary, Mapping)
        file = _in_memory("dictionary", json.dumps(dictionary)) if given else (dictionary, None, 0)
        return cls._remarked("dperm_schema_import", *file, byref(options))

    @classmethod
    def _remarked(cls, name: str, *arguments: Any) -> "Schema":
        """One that the library makes, with what it remarks."""
        remarks: List[str] = []
        note = c.Remark(lambda _, line: remarks.append(c.text(line) or ""))
        schema = cls(c.Handle(name, "dperm_schema_free", *arguments, note, None))
        schema.remarks = tuple(remarks)
        return schema

    @classmethod
    def _with_origin(cls, content: Mapping[str, Any], origin: Origin) -> "Schema":
        schema = cls(content)
        schema._origin = origin
        return schema

    def of_persons(self, column: str) -> "Schema":
        """The same, with this column to tell persons apart: the records of one count together as one."""
        content = self.to_dict()
        if content.get("person", column) != column:
            raise ValueError(f"person={column!r}, and the schema says {content['person']!r}; leave one out")
        return Schema._with_origin({**content, "person": column}, self._origin)

    def taken_from(self, records: Any, table: Any = None) -> Tuple[str, ...]:
        """What in the schema was taken from these records (`table`: as they were read, where that is done once), so
        that it cannot count as public."""
        return self._origin.taken_from(records, lambda: self._digest(arrow.table(records, self.wanted) if table is None else table))

    @property
    def marked(self) -> bool:
        """Whether it came from a model that says what was taken from records."""
        return bool(self._origin.taken)

    @property
    def drafted(self) -> bool:
        """Whether it was drafted from records that are known still."""
        return self._origin.drafted

    @property
    def _missing(self) -> List[str]:
        return list(self.to_dict().get("missing", [""]))

    def _digest(self, records: Any) -> Optional[str]:
        try:
            return digest([values for _, _, values in listed_columns(self, records)], self._missing)
        except ValueError:  # other columns
            return None

    def check(self, records: Any, labels: Any = None, *, unsafe_diagnostics: bool = False) -> Dict[str, Any]:
        """Whether records fit, as ``dperm schema check --data`` has it: an error says what does not.

        Beyond what `fit` refuses, a categorical column that never meets its schema because values are
        spelled otherwise ("true" for `True`, "1.50" for 1.5) is an error: `fit` would make zeros of them.
        Returns the number of ``rows`` and ``remarks`` on what in the schema costs accuracy; with `unsafe_diagnostics` also how many values of each column are
        missing, unknown or clamped.

        What it says depends on the records: it is for public ones, or for the eyes of whoever keeps them.
        """
        return schema_check.check(self, records, labels, unsafe_diagnostics)

    def __repr__(self) -> str:
        label = f"classes {self.classes}" if self.label_range is None else "a label from {:g} to {:g}".format(*self.label_range)
        return f"Schema({len(self.columns)} columns, {self.dims} encoded, {label})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return Schema._with_origin, (self.to_dict(), self._origin)

    def __deepcopy__(self, memo: Any) -> "Schema":
        return Schema(self)  # as scikit-learn's clone has it; what it was drafted from is remembered

    def to_dict(self) -> Dict[str, Any]:
        return json.loads(c.text_from("dperm_schema_to_text", self._handle))

    def save(self, path: "str | os.PathLike[str]") -> None:
        c.call("dperm_schema_write", self._handle, path)

    @property
    def classes(self) -> List[str]:
        return list(self._handle.described["classes"])

    @property
    def label_range(self) -> Optional[Tuple[float, float]]:
        """The range of a numeric label; None where labels are classes."""
        return label_range(self._handle)

    @property
    def dims(self) -> int:
        """Columns of an encoded row, the intercept included."""
        return int(self._handle.described["dims"])

    @property
    def norm(self) -> float:
        """No encoded row is longer than this."""
        return float(self._handle.described["norm"])

    @property
    def columns(self) -> List[Tuple[str, str]]:
        """Name and type of each column."""
        return [(column["name"], column["type"]) for column in self._handle.described["columns"]]

    @property
    def label_column(self) -> str:
        return str(self.to_dict()["label"]["column"])

    @property
    def wanted(self) -> List[str]:
        """The columns of a table that this schema looks at."""
        content = self.to_dict()
        read = [name for name, kind in self.columns if kind != "ignore" and name != self.label_column]
        return [*read, self.label_column, *([content["person"]] if "person" in content else [])]

    @property
    def feature_names(self) -> List[str]:
        """What each encoded column means."""
        return [c.feature_name(self._handle, i) for i in range(self.dims)]


def _in_memory(name: str, content: str) -> Tuple[str, bytes, int]:
    """A file as the library takes it from memory: its name, its bytes and their number."""
    data = content.encode("utf-8")
    return name, data, len(data)


def _free_name(content: Mapping[str, Any]) -> str:
    taken = {column.get("name") for column in content.get("columns", []) if isinstance(column, dict)}
    name = "label"
    while name in taken:
        name += "_"
    return name


def _csv(records: Any) -> str:
    if hasattr(records, "to_csv"):
        return str(records.to_csv(index=False))
    texts = [[text_of(value) for value in records.column(j)] for j in range(records.shape[1])]
    made = io.StringIO()
    csv.writer(made).writerows([records.columns, *zip(*texts)])
    return made.getvalue()
