"""Bins that follow from the number of rows and epsilon, and what of epsilon the records may spend on them.

Records are encoded under the finest bins that there may be; these are merged when both numbers are known.
"""

from __future__ import annotations

import math
from ctypes import byref, c_double, c_size_t
from typing import Any, Optional, Tuple

from . import _library as c
from .options import choice, maybe
from .schema import Schema

__all__ = ["Waiting", "all_numeric", "may_bin", "refine_share", "refined_cost", "settled", "share"]


def all_numeric(bins: Optional[str]) -> bool:
    """Whether numeric columns without bins get them: `bins` of an estimator, None for the library's default."""
    if bins is not None:
        return bool(choice("bins", bins, c.BINS))
    options = c.ResolveOptions()
    c.lib.dperm_resolve_options_init(byref(options))
    return options.all_numeric


def share(name: str, rows: int, classes: int, *arguments: Any) -> Tuple[int, Optional[float]]:
    """What each fit of a run has: rows, and epsilon (None without a mechanism)."""
    fit_rows, epsilon = c_size_t(), c_double()
    c.call(name, rows, classes, *arguments, byref(fit_rows), byref(epsilon))
    return fit_rows.value, None if math.isnan(epsilon.value) else epsilon.value


def refine_share(refine: Any, bins: Optional[str], possible: bool, kernel: bool = False) -> Optional[float]:
    """What of epsilon a refinement of the schema gets, as `dperm train` has it: NaN for the usual share, 0 where the
    records are asked whether they want bins, None for nothing. Asking is the default, so it is for whoever can:
    `possible` says that there is a schema and a private mechanism."""
    if refine is None or isinstance(refine, str) and refine == "none":
        return None
    if isinstance(refine, str) and refine == "ask":
        return 0.0 if possible and bins is None and not kernel else None
    given = math.inf if isinstance(refine, str) and refine != "auto" else maybe("refine", refine)
    if given >= 1:
        raise ValueError(f"refine={refine!r}; give a share of epsilon below 1, \"auto\", \"ask\" or None")
    if not possible:
        raise ValueError("refine spends a share of epsilon on a schema; give a schema, and a private mechanism")
    if bins is not None and not all_numeric(bins):
        raise ValueError("bins=\"none\" leaves numbers lines, and refine makes bins of them; give one of the two")
    return given


def may_bin(given: float, bins: Optional[str]) -> bool:
    """Whether numeric columns without bins may get some where counts do not pay."""
    return not given > 0 or bins == "auto"


def refined_cost(schema: Schema, rows: int, wanted: c.Options, given: float, bins: Optional[str]) -> Tuple[float, float]:
    """What a fit would spend on counts of so many records, and on their answer; public numbers decide."""
    counts, answer = c_double(), c_double()
    c.call("dperm_train_refined_cost", schema._handle, rows, byref(wanted), given, may_bin(given, bins), byref(counts),
           byref(answer))
    return counts.value, answer.value


class Waiting:
    """A schema whose bins wait for the number of rows; `reading` is what records are encoded under till then."""

    def __init__(self, schema: Schema, bins: Optional[str]):
        self.schema, self.bins = schema, bins
        self.reading = schema._resolved(0, None, bins)

    @classmethod
    def of(cls, schema: Schema, bins: Optional[str]) -> "Optional[Waiting]":
        """None where nothing waits."""
        waits = c.lib.dperm_schema_unresolved(schema._handle, all_numeric(bins))
        return cls(schema, bins) if waits else None

    def settle(self, rows: int, epsilon: Optional[float]) -> Schema:
        return self.schema._resolved(rows, epsilon, self.bins)


def settled(schema: Schema, bins: Optional[str], rows: int, wanted: c.Options) -> Schema:
    """The schema with the bins that a fit of these options to so many rows gets."""
    waiting = Waiting.of(schema, bins)
    if waiting is None:
        return schema
    return waiting.settle(*share("dperm_train_share", rows, len(schema.classes), byref(wanted)))
