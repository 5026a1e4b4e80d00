"""Where a schema came from, as far as a guarantee cares: the records it was drafted from, or a model that is not private.

A model that is made of the same records by such a schema is not private, and must say so whatever was done with the
schema in between: cloned, pickled, sent to another process, read back from a model's file.
"""

from __future__ import annotations

import hashlib
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import arrow
from .columns import text_of

__all__: List[str] = []

DRAFTED = ("classes", "ranges", "categories", "columns")  # what a draft takes from its records
# What a model's file says was taken, by the words that the library is told it in (guarantee.h has the texts).
_REASONS = {"classes": "the classes were taken from the records",
            "norm": "the bound on the norm of rows was taken from the records",
            "ranges": "ranges of columns were taken from the records",
            "categories": "categories were taken from the records",
            "columns": "the columns or their order were taken from the records",
            "scales": "values were scaled or chosen by the records as a whole",
            "weights": "the weights of classes were taken from the records"}


def taken_of(reason: Optional[str]) -> Tuple[str, ...]:
    """What the reason in a model's file says was taken from the records."""
    said = (reason or "").split("; ")
    return tuple(word for word, text in _REASONS.items() if text in said)


def _nothing() -> None:
    return None


def _arrow_digest(frame: Any, columns: Sequence[str]) -> Optional[str]:
    """The same for Arrow's tables, by the texts of their values."""
    try:
        table = arrow.Table(frame)
        rows = sorted(map(repr, zip(*[[text_of(value, True) for value in table[name]] for name in columns])))
    except ValueError:  # a column that is not there, or of values without texts
        return None
    return hashlib.sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest()


def _digest(frame: Any, columns: Sequence[str]) -> Optional[str]:
    """Of the rows of these columns of a DataFrame, in any order; None where pandas cannot tell."""
    if arrow.offers(frame):
        return _arrow_digest(frame, columns) if columns else None
    try:
        import pandas as pd

        if not isinstance(frame, pd.DataFrame) or not columns:
            return None
        rows = pd.util.hash_pandas_object(frame[list(columns)], index=False).sort_values()
    except (ImportError, KeyError, TypeError, ValueError):
        return None
    return hashlib.sha256(rows.to_numpy().tobytes()).hexdigest()


class Origin:
    """Of a schema that somebody wrote, if nothing is said: no records had a part in it."""

    def __init__(self, taken: Sequence[str] = ()):
        self.taken = tuple(taken)  # from records that nobody knows any more, so possibly from any
        self.columns: Tuple[str, ...] = ()
        self.rows = 0
        self.digest: Optional[str] = None
        self._frame: Callable[[], Any] = _nothing

    @classmethod
    def draft(cls, frame: Any, columns: Sequence[str]) -> "Origin":
        """Of a schema that was drafted from a DataFrame and lists these of its columns."""
        made = cls()
        made.columns, made.rows = tuple(columns), len(frame) if hasattr(frame, "__len__") else 0
        made.digest, made._frame = _digest(frame, columns), weakref.ref(frame)
        return made

    def taken_from(self, X: Any) -> Tuple[str, ...]:
        """What the schema has from the records X: the very object, or one with the same rows."""
        if self.taken or X is None:
            return self.taken
        if self._frame() is X:
            return DRAFTED
        if self.digest is None or not hasattr(X, "__len__") or len(X) != self.rows:
            return ()
        return DRAFTED if self.digest == _digest(X, self.columns) else ()

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_frame": _nothing}  # an object's identity ends with its process
