"""Labels on their way into the library: classes by their names, or numbers within a public range."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from . import _library as c
from . import data

__all__: List[str] = []


class Labels:
    """Of a fit, or of records to score: a column beside a table, or given to rows of numbers."""

    classes: Any = None  # in the model's order, and their names
    names: Sequence[str] = ()
    taken: Tuple[str, ...] = ()  # what of the labels' kind was taken from the records
    of_schema: Dict[str, Any]  # the label of a schema
    values: Any

    def give(self, handle: c.Handle) -> None:
        raise NotImplementedError


class Column(Labels):
    """A label of a table, as the schema describes it."""

    def __init__(self, values: Any, classes: Any = None, names: Sequence[str] = (), taken: Tuple[str, ...] = ()):
        self.values, self.classes, self.names, self.taken = values, classes, names, taken


class Codes(Labels):
    """Places among the classes."""

    def __init__(self, codes: np.ndarray, classes: np.ndarray, names: Sequence[str], taken: Tuple[str, ...] = ()):
        self.codes, self.classes, self.names, self.taken = codes, classes, names, taken
        self.of_schema = {"classes": list(names)}

    @property
    def values(self) -> np.ndarray:  # type: ignore[override]
        return np.asarray(self.names, dtype=object)[self.codes]

    def give(self, handle: c.Handle) -> None:
        data.label(handle, self.codes, self.names)


class Numbers(Labels):
    """Doubles, which the library clamps to the range."""

    def __init__(self, values: np.ndarray, low: float, high: float, taken: Tuple[str, ...] = ()):
        self.values, self.low, self.high, self.taken = values, low, high, taken
        self.of_schema = {"type": "numeric", "min": low, "max": high}

    def give(self, handle: c.Handle) -> None:
        c.call("dperm_data_target", handle, c.Array(self.values, "f8"), self.low, self.high)
