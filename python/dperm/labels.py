"""Classes as Python has them: their type, and their order.

A model has classes by name, in the order of its schema or of whoever declared them; the second of two is the one
with positive scores. scikit-learn takes for granted that `classes_` is sorted, and that the labels that come back
are what `fit` was given. What is between the two is here.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from . import arrow, callers, data
from .columns import number_text, plain

__all__: List[str] = []


class ClassOrder:
    """The classes sorted (`classes`), and for each its place in the model (`places`)."""

    def __init__(self, classes: np.ndarray):
        """Of labels in the model's order."""
        try:
            self.places = np.argsort(classes, kind="stable")
        except TypeError:  # of several types, which have no order: by type, then as texts
            listed = classes.tolist()
            self.places = np.array(sorted(range(len(listed)), key=lambda i: (type(listed[i]).__name__, str(listed[i]))))
        self.classes = classes[self.places]

    @property
    def sign(self) -> float:
        """Of two classes, what turns the model's scores into scores for the second of the sorted ones."""
        return 1.0 if self.places[-1] == 1 else -1.0

    def columns(self, scores: np.ndarray) -> np.ndarray:
        """Scores of the model, in the order of the classes here."""
        if scores.ndim == 2:
            return scores[:, self.places]
        return scores if self.sign > 0 else 0.0 - scores

    def rows(self, weights: np.ndarray) -> np.ndarray:
        """The same for weights."""
        return weights[self.places] if len(self.places) > 2 else self.sign * weights

    def labels(self, scores: np.ndarray) -> np.ndarray:
        """The class of each row, by the model's own rule for equal scores."""
        winners = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.intp)
        return self.classes[np.argsort(self.places)[winners]]

    def codes(self, y: Any) -> np.ndarray:
        """The place of each label among the model's classes."""
        return self.places[data.codes_of(y, self.classes)].astype(np.uint32)


# ---------------------------------------------------------------- from names to labels


def _whole(name: str) -> Optional[int]:
    try:
        value = int(name)
    except ValueError:
        return None
    return value if str(value) == name.lstrip("+") else None


def _double(text: Callable[[float], Optional[str]]) -> Callable[[str], Optional[float]]:
    def read(name: str) -> Optional[float]:
        try:
            value = float(name)
        except ValueError:
            return None
        return value if text(value) == name else None

    return read


def _read(names: Sequence[str], reader: Callable[[str], Any]) -> Optional[np.ndarray]:
    values = [reader(name) for name in names]
    return None if any(value is None for value in values) else np.asarray(values)


def from_names(names: Sequence[str]) -> np.ndarray:
    """Labels as a model's file has them: whole numbers, doubles or booleans again if all of them are."""
    return _first(names, _double(repr))


def _first(names: Sequence[str], double: Callable[[str], Optional[float]]) -> np.ndarray:
    readers: List[Callable[[str], Any]] = [_whole, double, {"False": False, "True": True}.get]
    for reader in readers:
        found = _read(names, reader)
        if found is not None:
            return found
    return np.asarray(names)


def _are_texts(y: Any) -> bool:
    """Whether no label is a number or a truth; for a user who would get others back than they gave."""
    if isinstance(y, arrow.Inside):
        return y.texts
    values = plain(y)
    return isinstance(values, list) and bool(values) and all(isinstance(value, (str, bytes)) for value in values)


def of_schema(names: Sequence[str], y: Any) -> np.ndarray:
    """The classes of a schema, by their names alone: the type of the labels would tell of the records."""
    found = _first(names, _double(lambda value: number_text(value, True)))  # 1.0 is the schema's "1"
    if found.dtype.kind != "U" and _are_texts(y):
        raise ValueError(f"y holds texts, and the schema's classes {list(names)} read as numbers or booleans; "
                         f"give classes={list(names)}, or labels of that type")
    return found


def of_declared(names: Sequence[str], classes: Any) -> np.ndarray:
    """The same for classes that are declared beside a schema: as they are, in the schema's order."""
    given = data.class_array(classes)
    by_name = dict(zip(data.class_names(given), given.tolist()))
    if set(by_name) != set(names):
        raise ValueError(f"classes={classes!r}, but the schema lists {list(names)}; leave classes out, or give the same")
    listed = [by_name[name] for name in names]
    if given.dtype.kind != "O":
        return np.asarray(listed, dtype=given.dtype)
    found = np.empty(len(listed), dtype=object)
    found[:] = listed
    return found


# ---------------------------------------------------------------- labels that are numbered already


def numbered(y: Any, classes: np.ndarray) -> Optional[Tuple[np.ndarray, np.ndarray]]:
    """Codes and classes where scikit-learn's ensembles numbered the labels; None where y holds labels themselves.

    The number i stands for the i-th of the sorted classes, and is what comes back from `predict`. (scikit-learn
    numbers those that occur; where one does not, names in the model are shifted, what is predicted is not.)
    """
    kind = getattr(getattr(y, "dtype", None), "kind", "")
    if kind not in ("i", "u") or not callers.labels_are_numbered():
        return None
    places = ClassOrder(classes).places
    codes = data.codes_of(y, np.arange(len(places)))
    return places[codes].astype(np.uint32), np.argsort(places)
