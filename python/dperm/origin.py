"""Where a schema came from, as far as a guarantee cares: the records it was drafted from, or a model that is not private.

A model that is made of the same records by such a schema is not private, and must say so whatever was done with the
schema in between: cloned, pickled, sent to another process, read back from a model's file.
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

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

_COMPARED = "the candidates were compared on these very records"  # of files from before that was an error


def taken_of(reason: Optional[str]) -> Tuple[str, ...]:
    """What the reason in a model's file says was taken from the records."""
    said = (reason or "").split("; ")
    return tuple(word for word, text in _REASONS.items() if text in said)


def chosen_by_records(content: Mapping[str, Any]) -> bool:
    """Whether a model's settings were chosen by the records, and not privately."""
    selection = content["selection"]
    if not selection or content["private"]:
        return False
    return selection["method"] != "public" or _COMPARED in content["reason"]


def _nothing() -> None:
    return None


class Origin:
    """Of a schema that somebody wrote, if nothing is said: no records had a part in it."""

    def __init__(self, taken: Sequence[str] = ()):
        self.taken = tuple(taken)  # from records that nobody knows any more, so possibly from any
        self.digest: Optional[str] = None
        self._frame: Callable[[], Any] = _nothing

    @classmethod
    def draft(cls, records: Any, digest: Optional[str]) -> "Origin":
        """Of a schema that was drafted from these records, which have this digest (fingerprint.py)."""
        made = cls()
        made.digest = digest
        try:
            made._frame = weakref.ref(records)
        except TypeError:  # a path, or what cannot be looked after: the digest knows it
            pass
        return made

    def taken_from(self, X: Any, digest: Callable[[], Optional[str]]) -> Tuple[str, ...]:
        """What the schema has from the records X: the very object, or one with the same rows."""
        if self.taken or X is None:
            return self.taken
        if self._frame() is X:
            return DRAFTED
        return DRAFTED if self.digest is not None and self.digest == digest() else ()

    @property
    def drafted(self) -> bool:
        return self.digest is not None or self._frame() is not None

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_frame": _nothing}  # an object's identity ends with its process


class Marked(float):
    """A setting of a model that was read, with what its file says was taken from the records and no other setting
    holds: as a value it goes wherever scikit-learn's clone, pickles and `get_params` take it."""

    taken: Tuple[str, ...] = ()

    @classmethod
    def mark(cls, value: float, taken: Sequence[str]) -> float:
        if not taken:
            return value
        made = cls(value)
        made.taken = tuple(taken)
        return made


def taken_with(settings: Iterable[Any]) -> Tuple[str, ...]:
    """What settings say was taken."""
    return tuple(word for value in settings if isinstance(value, Marked) for word in value.taken)
