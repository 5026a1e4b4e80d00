"""Bins that follow from the number of rows and epsilon.

Records are encoded under the finest bins that there may be; these are merged when both numbers are known.
"""

from __future__ import annotations

import math
from ctypes import byref, c_double, c_size_t
from typing import Any, Optional, Tuple

from . import _library as c
from .options import choice
from .schema import Schema

__all__ = ["Waiting", "all_numeric", "settled", "share"]


def all_numeric(bins: Optional[str]) -> bool:
    """Whether numeric columns without bins get them: `bins` of an estimator, None for the library's default."""
    if bins is not None:
        return bool(choice("bins", bins, c.BINS))
    options = c.ResolveOptions()
    c.lib.dperm_resolve_options_init(byref(options))
    return bool(options.all_numeric)


def share(name: str, rows: int, classes: int, *arguments: Any) -> Tuple[int, Optional[float]]:
    """What each fit of a run has: rows, and epsilon (None without a mechanism)."""
    fit_rows, epsilon = c_size_t(), c_double()
    c.call(name, rows, classes, *arguments, byref(fit_rows), byref(epsilon))
    return fit_rows.value, None if math.isnan(epsilon.value) else epsilon.value


class Waiting:
    """A schema whose bins wait for the number of rows; `reading` is what records are encoded under till then."""

    def __init__(self, schema: Schema, bins: Optional[str]):
        self.schema, self.bins = schema, bins
        self.reading = schema._resolved(0, None, bins)

    @classmethod
    def of(cls, schema: Schema, bins: Optional[str]) -> "Optional[Waiting]":
        """None where nothing waits."""
        waits = c.lib.dperm_schema_unresolved(schema._handle, int(all_numeric(bins)))
        return cls(schema, bins) if waits else None

    def settle(self, rows: int, epsilon: Optional[float]) -> Schema:
        return self.schema._resolved(rows, epsilon, self.bins)


def settled(schema: Schema, bins: Optional[str], rows: int, wanted: c.Options) -> Schema:
    """The schema with the bins that a fit of these options to so many rows gets."""
    waiting = Waiting.of(schema, bins)
    if waiting is None:
        return schema
    return waiting.settle(*share("dperm_train_share", rows, len(schema.classes), byref(wanted)))
