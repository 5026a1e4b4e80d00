"""Weights as scikit-learn has them: `X @ coef_.T + intercept_` is the score, where X has columns of numbers.

A model's weights are for encoded rows. With `bounds` these are X centred, scaled and divided by one number, so the
way back is exact up to rounding; with a schema of another kind there is none, and weights stay with encoded columns.
"""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Tuple

import numpy as np

from .data import bounds_schema
from .schema import Schema

__all__: List[str] = []


def bounds_of(content: Mapping[str, Any]) -> Optional[Tuple[np.ndarray, np.ndarray]]:
    """Low and high of each column if this is the schema that `bounds` make, else None."""
    columns, rest = content["columns"], {k: v for k, v in content.items() if k != "label"}
    try:
        low, high = (np.array([column[end] for column in columns], dtype=float) for end in ("min", "max"))
    except (KeyError, TypeError, ValueError):  # a column that is not numeric
        return None
    made = bounds_schema((low, high), len(columns), rest.get("intercept", False))
    return (low, high) if rest == made else None


def _in_units_of_X(coef: np.ndarray, intercept: np.ndarray, low: np.ndarray, high: np.ndarray,
                   encoded: int) -> Tuple[np.ndarray, np.ndarray]:
    """Encoded entries are (x - middle)/half, and the row is divided by the largest norm, sqrt(encoded)."""
    coef = coef / ((0.5 * high - 0.5 * low) * np.sqrt(encoded))
    return coef, intercept / np.sqrt(encoded) - coef @ (0.5 * low + 0.5 * high)


def coefficients(weights: np.ndarray, schema: Optional[Schema], constant: float) -> Tuple[np.ndarray, np.ndarray]:
    """Of a linear model: a row and a number for each row of weights; `constant` is what the last column holds."""
    content = None if schema is None else schema.to_dict()
    if content is not None:
        constant = float(bool(content.get("intercept", content.get("version", 1 + ("type" in content["label"])) > 1)))
    coef, intercept = (weights[:, :-1], weights[:, -1] * constant) if constant else (weights, np.zeros(len(weights)))
    bounds = None if content is None else bounds_of(content)
    return (coef, intercept) if bounds is None else _in_units_of_X(coef, intercept, *bounds, weights.shape[1])
