"""Before a fit: what it will do. After it: what an attacker can do. Neither looks at records."""

from __future__ import annotations

import json
import math
from ctypes import byref, c_char_p, c_double, c_uint64, pointer
from typing import Any, List, Optional, Tuple

import numpy as np

from . import _library as c
from . import options
from .figures import Figures
from .schema import Schema, SchemaLike

__all__ = ["Plan", "plan", "Audit", "audit", "audit_cases", "audit_outcomes"]


class Plan(Figures):
    """What a fit will do: the fields of ``dperm plan --json``."""

    _shown = ("epsilon", "delta", "lambda", "noise", "expected_noise_norm", "noise_to_signal")


def plan(rows: Optional[int] = None, *, epsilon: float, dims: Optional[int] = None, schema: Optional[SchemaLike] = None,
         data_norm: float = 1.0, norm1: float = math.inf, classes: Optional[int] = None, **settings: Any) -> Plan:
    """What a fit to so many rows will do, from public numbers: costs no privacy.

    Give `dims` (with `data_norm`, `norm1` and the number of `classes`, 2 by default), or a `schema`; that a label is
    a number says its schema, or its loss. Further settings are those of the estimators: loss, h, quantile, mechanism,
    noise, lambda_, C, kernel, gamma, n_components, rows_per_person, bins, refine, neighbours, calibrate, ... With
    neighbours="add-remove" `rows_about` takes the place of `rows`. What a refinement will have of epsilon is
    `epsilon_refined`, and the plan is for the rest of it, with the schema as it is.

    >>> import dperm
    >>> dperm.plan(50_000, dims=10, epsilon=0.5)
    Plan(epsilon=0.5, delta=9.853e-44, lambda=3.088e-05, noise='l2', expected_noise_norm=45.77, noise_to_signal=0.01385)
    """
    if (dims is None) == (schema is None):
        raise ValueError("give either dims or a schema")
    if rows is None and not options.adding(settings.get("neighbours", "replace")):
        raise TypeError("plan() needs rows, the number of records")
    rows = 0 if rows is None else options.whole("rows", rows)
    wanted = options.make(epsilon=epsilon, rows=rows, schema=schema is not None,
                          classes=0 if schema is not None or classes is None else options.whole("classes", classes, 2),
                          **settings)
    options.warn_delta(wanted.delta, wanted.rows_about or rows)
    given = None if schema is None else Schema(schema)
    of = c.PlanRows(rows, given._handle.pointer, 0, 0.0, 0.0) if given is not None else \
        c.PlanRows(rows, None, options.whole("dims", dims), options.number("data_norm", data_norm), norm1)
    return Plan(json.loads(c.text_from("dperm_plan_report", byref(of), byref(wanted))))


class Audit(Figures):
    """The outcome of an attack: at least this much epsilon is really lost."""

    _shown = ("mechanism", "variant", "epsilon_claimed", "delta_claimed", "epsilon_lower_bound", "holds")


def audit_cases() -> List[Tuple[str, Optional[str]]]:
    """The attacks there are: mechanism and variant."""
    found: List[Tuple[str, Optional[str]]] = []
    mechanism, variant = c_char_p(), c_char_p()
    while c.lib.dperm_audit_case(len(found), byref(mechanism), byref(variant)):
        found.append((c.text(mechanism.value) or "", c.text(variant.value)))
    return found


def audit(mechanism: str = "objective", variant: Optional[str] = None, *, epsilon: float = 1.0,
          delta: Optional[float] = None, draws: int = 0, random_state: Optional[int] = None,
          n_jobs: Optional[int] = None) -> Audit:
    """Attacks the library that is loaded, on the worst pair of data sets known (docs/audit.md).

    Claims of gaussian noise have a delta: None for the usual one.

    >>> import dperm
    >>> found = dperm.audit(draws=20_000, random_state=1)
    >>> found.holds, 0.5 < found.epsilon_lower_bound <= 1
    (True, True)
    """
    wanted, figures, claimed = c.defaults("audit"), c.AuditFigures(), c_double()
    wanted.delta_claimed = pointer(claimed)
    if delta is not None:
        wanted.delta = options.number("delta", delta)
    wanted.mechanism, wanted.variant = mechanism, variant
    wanted.epsilon, wanted.draws = options.number("epsilon", epsilon), options.whole("draws", draws, 0)
    wanted.threads = options.threads_of(n_jobs)
    seed = None if random_state is None else c_uint64(options.whole("random_state", random_state, 0, 2**64 - 1))
    if seed is not None:
        wanted.seed = pointer(seed)
    with c.Interruptible() as interruptible:
        wanted.progress = interruptible.progress
        try:
            c.call("dperm_audit_run", byref(wanted), byref(figures))
        except Exception:
            if not interruptible.asked:
                raise
    return _audited(figures, claimed.value)


def audit_outcomes(first: Any, second: Any, *, epsilon: float, delta: float = 0.0) -> Audit:
    """The same bound for anybody's mechanism, from its outcomes on two neighbouring data sets.

    Both are arrays of as many independent outcomes, one a row. A tenth of them choose what to look
    at, the rest give the bound.
    """
    a, b = (np.ascontiguousarray(x, dtype=np.float64) for x in (first, second))
    if a.size == 0 or b.size == 0:
        raise ValueError("there are no outcomes; give some of both data sets")
    a, b = (x.reshape(len(x), -1) for x in (a, b))
    if a.shape != b.shape:
        raise ValueError(f"outcomes of shapes {a.shape} and {b.shape}; give as many of both")
    figures, delta = c.AuditFigures(), options.number("delta", delta, strict=False)
    c.call("dperm_audit_outcomes", c.Array(a, "f8"), c.Array(b, "f8"), a.shape[0], a.shape[1],
           options.number("epsilon", epsilon), delta, byref(figures))
    return _audited(figures, delta)


def _audited(figures: c.AuditFigures, delta: float) -> Audit:
    found = c.fields(figures)
    found["delta_claimed"] = delta
    return Audit(found)
