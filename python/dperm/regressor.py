"""Private regression: numbers within a public range."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
from sklearn.base import RegressorMixin, clone
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_consistent_length

from . import arrow, options
from .account import refuse_known
from .base import Prepared, PrivateEstimator
from .errors import leak
from .schema import Schema
from .tables import label_numbers
from .targets import Column, Numbers

__all__ = ["Regressor"]


class Regressor(RegressorMixin, PrivateEstimator):
    """Differentially private regression: of the mean, of a quantile, or of counts.

    Parameters that are not listed are those of :class:`dperm.LogisticRegression`.

    Parameters
    ----------
    epsilon : float
        The privacy budget: the whole cost of `fit`. None only with ``mechanism="none"``.
    loss : {"log-cosh", "huber-regression", "quantile", "poisson"}, default "log-cosh"
        The first two predict the mean, robust to outliers, "quantile" the `quantile` of the labels: 0.9 for values
        that nine of ten labels are below. "poisson" is for counts, in a range from 0: the logarithm of their mean
        is linear.
    h : float, optional
        The half-width of the loss's smooth part, in halves of the label's range. None: with a `schema`, the records are
        asked for a few percent of `epsilon` how far their labels lie apart (not with `bins`); else 0.1.
    label_range : (low, high), optional
        A range of the labels that is known in public; labels beyond it are clamped. A `schema` may have its own.
        Without either it is taken from `y`, with a warning, and the model says that it is not private.
    kernel : {"gaussian", "laplacian", "cauchy"}, optional
        With `gamma`, `n_components` and `orthogonal`, as for :class:`dperm.KernelSVC`; None is linear.

    Attributes
    ----------
    coef_ : array of shape (d,), and intercept_, a float, in the unit of the labels: ``X @ coef_ + intercept_`` is
        `predict(X)` before it is clamped to the range (of counts, its logarithm), where rows are within `data_norm`, or values within `bounds`.
        With a schema they are for encoded columns, with a kernel for its random features.
    n_features_in_, feature_names_in_, privacy_, model_, report_ : as those of the classifiers.

    >>> import dperm, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(5000, 2))
    >>> y = 20 + 8 * X[:, 0] - 4 * X[:, 1]
    >>> reg = dperm.Regressor(1.0, bounds=(-1, 1), label_range=(0, 40)).fit(X, y)
    >>> reg.score(X, y) > 0.8
    True
    """

    def __init__(self, epsilon: Optional[float], *, loss: str = "log-cosh", quantile: float = 0.5,
                 h: Optional[float] = None, label_range: Any = None, lambda_: Any = None,
                 data_norm: Optional[float] = None, bounds: Any = None, schema: Any = None,
                 fit_intercept: bool = True, intercept_scaling: float = 1.0, kernel: Optional[str] = None,
                 gamma: float = 1.0, n_components: int = 100, orthogonal: bool = True,
                 mechanism: str = "objective", noise: str = "auto", analysis: str = "tight", delta: float = 0.0,
                 delta_reg: Any = None, norm_guess: Any = None, person: Optional[str] = None,
                 rows_per_person: int = 1, neighbours: str = "replace", rows_about: Optional[int] = None,
                 bins: Optional[str] = None, evaluate: Optional[float] = None, intervals: Any = None, ledger: Any = None,
                 dataset: Optional[str] = None, random_state: Any = None, n_jobs: Optional[int] = None):
        for name, value in list(locals().items()):
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    label_range: Any
    kernel: Optional[str]

    # ---- preparing

    def _settings(self) -> Dict[str, Any]:
        self._label_of_schema()
        return {name: getattr(self, name) for name in ("loss", "h", "quantile", "evaluate", "intervals")}

    def _kernel(self) -> Dict[str, Any]:
        return {} if self.kernel is None else \
            {name: getattr(self, name) for name in ("kernel", "gamma", "n_components", "orthogonal")}

    def _range(self) -> Optional[Tuple[float, float]]:
        if self.label_range is None:
            return None
        try:
            low, high = (options.number("label_range", end, least=-np.inf) for end in self.label_range)
        except (TypeError, ValueError):
            low = high = 0.0
        if not low < high:
            raise ValueError(f"label_range={self.label_range!r}; give (low, high), two finite numbers")
        return low, high

    def _label_of_schema(self) -> Optional[Dict[str, Any]]:
        found = self._range()
        return None if found is None else Numbers(np.empty(0), *found).of_schema

    def _labels_of_table(self, schema: Schema, y: Any) -> Column:
        if schema.label_range is None:
            raise ValueError("the schema's label has classes, and this is a regression; use a classifier, or give the "
                             "label a range: {\"column\": ..., \"type\": \"numeric\", \"min\": ..., \"max\": ...}")
        if self.label_range is not None and self._range() != schema.label_range:
            raise ValueError(f"label_range={self.label_range!r}, and the schema's label has another range; leave one out")
        return Column(y)

    def _check_labelled(self, X: Any, y: Any) -> Tuple[Any, Numbers]:
        X, values = self._check_X(X), _checked(label_numbers(y))
        check_consistent_length(X, values)
        found, taken = self._range(), ()  # type: Optional[Tuple[float, float]], Tuple[str, ...]
        if found is None:
            leak("label_range was not given: taking it from the labels tells the lowest and the highest; the model is "
                 "NOT private, and says so; give a range that is known in public (label_range=(low, high))")
            found, taken = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0), ("ranges",)
            if found[0] == found[1]:
                raise ValueError("y holds one value (there is one sample, or all are alike), which is no range; give label_range")
        return X, Numbers(values, *found, taken)

    def _labels_to_score(self, y: Any) -> Numbers:
        return Numbers(_checked(label_numbers(y)), *self._range_of_model())

    def _range_of_model(self) -> Tuple[float, float]:
        return self.model_.label_range or (0.0, 0.0)

    def _with_any_labels(self, X: Any, rows: int) -> Prepared:
        asked = clone(self)
        own = None if asked.schema is None else Schema(asked.schema, self._label_of_schema()).label_range
        asked.label_range = own or self._range() or (0.0, 1.0)
        return asked._prepare(X, [asked.label_range[0]] * rows)

    # ---- what was learned

    @property
    def coef_(self) -> np.ndarray:
        return self._unit() * self._coefficients()[0][0]

    @property
    def intercept_(self) -> float:
        low, high = self._range_of_model()
        middle = np.log(high) - 2 if self.loss == "poisson" else low / 2 + high / 2
        return float(middle + self._unit() * self._coefficients()[1][0])

    def _unit(self) -> float:
        low, high = self._range_of_model()
        return 1.0 if self.loss == "poisson" else high / 2 - low / 2

    # ---- predicting

    def predict(self, X: Any) -> np.ndarray:
        """The value of each row, within the range of the labels."""
        handle, rows = self._rows(X)
        return self.model_.values(handle, rows)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R2, as scikit-learn has it: exact, so for public data, and of the labels as they are (`evaluate_exact` clamps
        them). Refused for records that the ledger of the environment (``DPERM_LEDGER``) knows."""
        y = arrow.column(y)
        handle, rows = self._rows(X, y)
        refuse_known(handle)
        return float(r2_score(label_numbers(y), self.model_.values(handle, rows), sample_weight=sample_weight))


def _checked(values: np.ndarray) -> np.ndarray:
    if np.isnan(values).any():
        raise ValueError("Input y contains NaN: a label is missing; give a number, or leave the record out")
    if np.isinf(values).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64'); give numbers")
    return np.ascontiguousarray(values)
