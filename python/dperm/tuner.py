"""Private choice among settings: what GridSearchCV cannot do without giving the data away."""

from __future__ import annotations

import os
import warnings
from ctypes import byref
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _library as c
from . import options, weights
from .base import Tagged
from .classifier import PrivateClassifier
from .errors import PrivacyLeakWarning, strict
from .explanation import Explanation
from .folds import refuse_folds
from .model import Model, Privacy

__all__ = ["PrivateTuner"]

METHODS = c.words("tune_method")
SELECTORS = c.words("selector")
ROUNDS = c.words("rounds")
# What may differ between candidates: settings of the fit. The rest is about data and budget.
_TUNABLE = {"lambda_", "C", "loss", "h", "gamma", "n_components", "kernel", "orthogonal",
            "delta_reg", "norm_guess", "mechanism", "noise", "analysis", "class_weight", "multiclass"}

_Self = TypeVar("_Self", bound="PrivateTuner")
_Method = TypeVar("_Method", bound=Callable[..., Any])


def _if_estimator_has(name: str) -> Callable[[_Method], _Method]:
    """For methods that not every estimator has; the tuner then has none either."""
    decorator: Any = available_if(lambda tuner: hasattr(tuner.estimator, name))
    return decorator


# scikit-learn's own checks that cannot hold here, one by one, and why.
_FEW = "the check has 10 or 12 rows; a private choice needs at least 10 to fit and 10 to choose by"
EXPECTED_FAILURES: Dict[str, str] = {
    "check_parameters_default_constructible": "there is no grid that suits everybody",
    "check_estimators_nan_inf": _FEW,
    "check_classifier_data_not_an_array": _FEW,
    "check_fit2d_1feature": _FEW,
    "check_n_features_in_after_fitting": _FEW,
}


class PrivateTuner(Tagged, BaseEstimator):
    """Chooses among the settings of a public grid and releases one model, all for one `epsilon`.

    Parameters
    ----------
    estimator : a dperm classifier or regression
        Its `epsilon` is the total: it covers the choice too.
    param_grid : dict or list of dicts
        As for GridSearchCV; it must not depend on the data. Each candidate of method "split" costs
        a portion of the rows.
    method : {"split", "stopping", "public"}
        Disjoint portions of the rows; random rounds, whose number stays secret; or a choice on
        `public_data`, a pair (X, y), which costs nothing. They must be nobody's secret: the very
        records of `fit`, or most of them, end the run with an error, charged and without a model, and
        records that the ledger knows are refused.
    selector : {"permute-and-flip", "exponential"}, for "split".
    rounds : {"logarithmic", "geometric"} and rounds_mean, for "stopping".
    holdout : float, the share of rows to choose by, for "stopping" and "public".

    The records are not asked whether they want bins, as a `fit` of the estimator alone asks them
    (`refine`); a share for `refine` is refused. `bins="auto"` goes by public numbers here too.

    Attributes
    ----------
    best_params_, best_index_, best_estimator_
    classes_, coef_, intercept_, feature_names_in_, n_features_in_, privacy_, model_ : of `best_estimator_`;
        its methods are there too, `predict_proba` where the estimator has it.

    >>> import dperm, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 3)); y = (X[:, 0] > 0).astype(int)
    >>> base = dperm.LogisticRegression(2.0, data_norm=3, classes=[0, 1])
    >>> tuner = dperm.PrivateTuner(base, {"lambda_": [1e-3, 1e-2]}).fit(X, y)
    >>> sorted(tuner.best_params_), tuner.privacy_.epsilon
    (['lambda_'], 2.0)
    """

    _required_parameters = ["estimator", "param_grid"]
    _expected_failures = EXPECTED_FAILURES
    best_estimator_: PrivateClassifier
    best_params_: Dict[str, Any]
    best_index_: int
    classes_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(self, estimator: Any, param_grid: Union[Mapping[str, Sequence[Any]],
                                                         Sequence[Mapping[str, Sequence[Any]]]],
                 *, method: str = "split", selector: str = "permute-and-flip",
                 rounds: str = "logarithmic", rounds_mean: Optional[float] = None,
                 holdout: float = 0.1, public_data: Optional[Tuple[Any, Any]] = None):
        self.estimator = estimator
        self.param_grid = param_grid
        self.method = method
        self.selector = selector
        self.rounds = rounds
        self.rounds_mean = rounds_mean
        self.holdout = holdout
        self.public_data = public_data

    @property
    def _estimator_type(self) -> Any:  # scikit-learn before 1.6: what it chooses among
        return getattr(self.estimator, "_estimator_type", None)

    def __sklearn_tags__(self) -> Any:  # and since
        tags, own = super().__sklearn_tags__(), self.estimator.__sklearn_tags__()
        tags.estimator_type, tags.target_tags = own.estimator_type, own.target_tags
        tags.classifier_tags, tags.regressor_tags = own.classifier_tags, own.regressor_tags
        return tags

    def _candidates(self) -> List[Dict[str, Any]]:
        known = clone(self.estimator).get_params(deep=False)
        grid = list(ParameterGrid(self.param_grid))
        for at, candidate in enumerate(grid):
            for name in candidate:
                if name not in known:
                    raise ValueError(f"{name} is no setting of {type(self.estimator).__name__}")
                if name not in _TUNABLE:
                    raise ValueError(f"{name} cannot be tuned: it is about the data or the budget, "
                                     "not about the fit")
            if candidate in grid[:at]:
                told = ", ".join(f"{name}={value!r}" for name, value in candidate.items())
                raise ValueError(f"param_grid has {told} twice; each candidate costs rows")
        if len(grid) == 1:
            raise ValueError("one candidate leaves nothing to choose, and a choice takes rows from its fit; "
                             "list several in param_grid, or fit the estimator")
        return grid

    def _how(self, public: Any) -> c.TuneOptions:
        how = c.defaults("tune")
        how.method = options.choice("method", self.method, METHODS)
        how.selector = options.choice("selector", self.selector, SELECTORS)
        how.rounds = options.choice("rounds", self.rounds, ROUNDS)
        how.rounds_mean = options.maybe("rounds_mean", self.rounds_mean, least=1)
        how.holdout = options.number("holdout", self.holdout)
        how.public_data = public.handle.pointer if public is not None else None
        return how

    def _prepare_public(self, first: Any) -> Any:
        if self.public_data is None:
            return None
        with warnings.catch_warnings(), strict(False):  # public data have no secrets
            warnings.simplefilter("ignore", PrivacyLeakWarning)
            return clone(first)._prepare(*self.public_data)

    def fit(self: _Self, X: Any, y: Any = None, **unsupported: Any) -> _Self:
        """Chooses and fits, at the cost of the estimator's `epsilon`."""
        weights.refuse(unsupported)
        grid = self._candidates()
        fitters = [clone(self.estimator).set_params(**candidate) for candidate in grid]
        if (self.method == "public") != (self.public_data is not None):
            raise ValueError("public_data goes with method='public', and only with it")
        for fitter in fitters:
            fitter._options(1)
            fitter._check_bounds()
        first = fitters[0]
        first._warn()
        refuse_folds(first, self)
        prepared = first._prepare(X, y)
        first._refuse_draft(prepared)
        public = self._prepare_public(first)
        wanted = (c.Options * len(fitters))(*[f._options(prepared.rows, prepared) for f in fitters])
        model = first._run("dperm_tune", prepared, wanted, len(fitters), byref(self._how(public)))
        if model is None:
            return self
        self.best_index_ = int(model.to_dict()["selection"]["chosen"])
        self.best_params_ = grid[self.best_index_]
        best = fitters[self.best_index_]
        for name, value in vars(first).items():  # what preparing the data left on the first one
            if name.endswith("_") and not name.endswith("__") and name not in best.get_params() or \
                    name in ("_constant", "_data_norm"):
                setattr(best, name, value)
        self.best_estimator_ = best._fitted(model, prepared.classes)
        self.__dict__.pop("feature_names_in_", None)
        for name in ("classes_", "n_features_in_", "feature_names_in_"):  # a regression has no classes
            if hasattr(best, name):
                setattr(self, name, getattr(best, name))
        return self

    # ---- the chosen model

    def _chosen(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    @property
    def model_(self) -> Model:
        return self._chosen().model_

    @property
    def privacy_(self) -> Privacy:
        return self._chosen().privacy_

    def explain(self) -> Explanation:
        return self._chosen().explain()

    @property
    def coef_(self) -> np.ndarray:
        return self._chosen().coef_

    @property
    def intercept_(self) -> np.ndarray:
        return self._chosen().intercept_

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, or a regression's value."""
        return self._chosen().predict(X)

    @_if_estimator_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores, as the estimator's."""
        return self._chosen().decision_function(X)

    @_if_estimator_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, where the estimator has them."""
        return self._chosen().predict_proba(X)

    @_if_estimator_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Their logarithms."""
        return self._chosen().predict_log_proba(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right predictions, or R2: exact, so for public data."""
        return self._chosen().score(X, y, sample_weight)

    @_if_estimator_has("score_private")
    def score_private(self, X: Any, y: Any, epsilon: float, **more: Any) -> Dict[str, Any]:
        """How often the model errs, with noise that protects the records; as the estimator's."""
        return self._chosen().score_private(X, y, epsilon, **more)

    def evaluate_exact(self, X: Any, y: Any) -> Dict[str, Any]:
        """All of how well the model tells classes apart, exactly, so for public data; as the estimator's."""
        return self._chosen().evaluate_exact(X, y)

    def evaluate_private(self, X: Any, y: Any, epsilon: float, **more: Any) -> Dict[str, Any]:
        """The same with noise that protects the records; as the estimator's."""
        return self._chosen().evaluate_private(X, y, epsilon, **more)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the model, in the format that the command line reads."""
        self._chosen().save(path)
