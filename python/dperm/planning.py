"""Before a fit: what it will do. After it: what an attacker can do. Neither looks at records."""

from __future__ import annotations

import math
from ctypes import byref, c_char_p, c_double, c_uint64, pointer
from typing import Any, Dict, List, Optional, Tuple

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
         data_norm: float = 1.0, norm1: float = math.inf, classes: int = 2, **settings: Any) -> Plan:
    """What a fit to so many rows will do, from public numbers: costs no privacy.

    Give `dims` (with `data_norm`, `norm1` and the number of `classes`), or a `schema`. Further
    settings are those of the estimators: loss, h, mechanism, noise, lambda_, C, kernel, gamma,
    n_components, rows_per_person, bins, refine, neighbours, calibrate, ... With neighbours="add-remove"
    `rows_about` takes the place of `rows`. What a refinement will have of epsilon is
    `epsilon_refined`, and the plan is for the rest of it, with the schema as it is.

    >>> import dperm
    >>> dperm.plan(50_000, dims=10, epsilon=0.5)
    Plan(epsilon=0.5, delta=9.853e-44, lambda=3.088e-05, noise='l2', expected_noise_norm=45.77, noise_to_signal=0.01385)
    """
    if (dims is None) == (schema is None):
        raise ValueError("give either dims or a schema")
    figures = c.PlanFigures()
    private = options.adding(settings.get("neighbours", "replace"))
    if rows is None and not private:
        raise TypeError("plan() needs rows, the number of records")
    if private and rows is None:
        rows = options.whole("rows_about", settings.get("rows_about"))
    rows = options.whole("rows", rows)
    wanted = options.make(epsilon=epsilon, rows=rows, schema=schema is not None,
                          classes=0 if schema is not None else options.whole("classes", classes, 2),
                          **settings)
    options.warn_delta(wanted.delta, wanted.rows_about or rows)
    if schema is not None:
        given = Schema(schema)
        known: Tuple[Any, ...] = ("dperm_plan_for_schema", rows, given._handle)
    else:
        known = ("dperm_plan_for_norms", rows, options.whole("dims", dims),
                 options.number("data_norm", data_norm), norm1)
    c.call(*known, byref(wanted), byref(figures))
    found = c.fields(figures)
    found["epsilon_refined"], found["refined_by"] = found.pop("epsilon_schema"), found.pop("schema_cost")
    found["mechanism"] = settings.get("mechanism", "objective")
    found["analysis"] = settings.get("analysis", "tight")
    found["neighbours"] = settings.get("neighbours", "replace")
    if private:  # the number itself is not known, and does not matter
        found.update(rows=None, rows_about=rows)
    joint = found.pop("fits") == 1
    found["multiclass"] = None if found["classes"] == 2 else "joint" if joint else "one-vs-rest"
    if schema is not None:
        found["columns"] = _columns(given, rows, wanted)
    found["noise_kinds"] = _kinds(known, wanted, figures)
    return Plan(found)


def _columns(schema: Schema, rows: int, wanted: c.Options) -> List[Dict[str, Any]]:
    """Advice on each column, and then on each cross."""
    found: List[Dict[str, Any]] = []
    names, handle = [name for name, _ in schema.columns], schema._handle

    def visit(_: Any, column: Any) -> None:
        figures = {name: None if isinstance(value, float) and math.isnan(value) else value
                   for name, value in c.fields(column.contents).items()}
        place, cross = figures.pop("column"), figures.pop("cross")
        crossed = place == len(names)
        pair = [c.lib.dperm_schema_cross_column(handle, cross, i) for i in (0, 1)] if crossed else [place]
        dims = c.lib.dperm_schema_cross_width(handle, cross) if crossed else c.lib.dperm_schema_column_width(handle, place)
        found.append({"name": names[pair[0]], "crossed_with": names[pair[1]] if crossed else None, "dims": dims,
                      **figures, "bins": figures["bins"] or None})

    c.call("dperm_plan_columns", rows, handle, byref(wanted), c.ColumnVisitor(visit), None)
    return found


def _kinds(known: Tuple[Any, ...], wanted: c.Options, plan: c.PlanFigures) -> List[Dict[str, Any]]:
    """Every kind of noise that the mechanism and the rows allow, at the plan's lambda and delta_reg."""
    shown = ("noise", "beta", "expected_noise_norm", "rms_noise_norm", "noise_norm_q95")
    found: List[Dict[str, Any]] = []
    if plan.noise is None:
        return found
    wanted.lambda_ = plan.lambda_
    if plan.mechanism == options.MECHANISMS["objective"]:
        wanted.delta_reg = plan.delta_reg
    for wanted.noise in range(1, len(options.NOISES)):
        figures = c.PlanFigures()
        try:
            c.call(*known, byref(wanted), byref(figures))
        except ValueError:
            continue
        every = c.fields(figures)
        found.append({name: every[name] for name in shown})
    return found


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
