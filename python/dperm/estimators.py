"""Private classifiers, at home in scikit-learn."""

from __future__ import annotations

import os
import re
import warnings
from ctypes import byref
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _library as c
from . import data, options
from .account import account
from .errors import Cancelled, NotPrivateWarning, leak
from .folds import in_cross_validation, refuse_folds
from .model import Model, Privacy
from .origin import Origin, taken_of
from .schema import Schema, table_handle
from .scoring import Scored

try:  # scikit-learn 1.6 made this a function
    from sklearn.utils.validation import validate_data
except ImportError:  # pragma: no cover - depends on the version installed

    def validate_data(estimator: Any, **arguments: Any) -> Any:
        return estimator._validate_data(**arguments)


__all__ = ["LogisticRegression", "LinearSVC", "KernelSVC", "load"]

_COMMON = """
    Parameters
    ----------
    epsilon : float
        The privacy budget: the whole cost of `fit`, however many classes there are. It has no
        default. None only with ``mechanism="none"``.
    lambda_ : float or "auto", optional
        Regularization. By default it is chosen from public numbers.
    C : float, optional
        The same as people know it: ``lambda_ = 1/(n C)``.
    data_norm : float, optional
        A bound on the Euclidean norm of rows that is known in public; longer rows are scaled down
        to it. Without it, and without `bounds` or `schema`, rows are scaled to norm 1, with a
        warning.
    bounds : (low, high), optional
        Public bounds on the values, for all columns or for each. Values outside are clamped;
        columns are centred and scaled, and every row divided by the same number.
    schema : Schema, dict or path, optional
        For tables of mixed columns: what is public about them (``docs/formats.md``). It has its own
        classes, intercept and bounds.
    classes : sequence, optional
        The public set of labels. Without it they are taken from `y`, with a warning, and the model
        says that it is not private.
    fit_intercept : bool, default True
        A constant column, regularized like all others; it counts in the norm of rows. Ignored with
        a `schema`, which says so itself.
    intercept_scaling : float, default 1
        The constant column's value, in units of `data_norm`.
    mechanism : {"objective", "output", "none"}
    noise : {"auto", "l2", "l1", "group", "linf", "mixed"}
    analysis : {"tight", "paper"}
    delta_reg, norm_guess : float, optional
        As in ``dperm train``.
    rows_per_person : int, default 1
        `epsilon` is for a person with at most so many rows.
    ledger : path or Ledger, optional
        Where the budget is charged, before anything is released; with `dataset`, its name there. By
        default the environment's ``DPERM_LEDGER`` and ``DPERM_DATASET``; "none" (or False) for none.
    random_state : int, optional
        Reproducible noise, for tests: warns, and the model says that it is not private.
    n_jobs : int, optional
        Threads; the result does not depend on it.
"""
_ATTRIBUTES = """
    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn.
    coef_ : array of shape (1, d), or (k, d) for k > 2 classes; in encoded columns with a schema.
    intercept_ : array of shape (1,) or (k,).
    privacy_ : Privacy, what the model guarantees and why.
    model_ : Model, the release itself.
"""


def _without_values(message: str) -> str:
    """What scikit-learn says of bad input, without the numbers and texts it quotes: a log is no release."""
    message = re.sub(r":\s*array=.*?\.(?=\s*Reshape|$)", ".", message, flags=re.S)
    return re.sub(r"(could not convert string to float|invalid literal[^:]*|Complex data not supported)[:\n].*",
                  r"\1; X must hold real numbers", message, flags=re.S)


class Prepared:
    """Data in the library's hands, with what was public about them."""

    def __init__(self, handle: c.Handle, rows: int, classes: np.ndarray, names: List[str],
                 taken: bool = False):
        self.handle, self.rows, self.classes, self.names = handle, rows, classes, names
        self.taken = taken  # something from the records: what is made of them is not private


class _PrivateClassifier(Scored, ClassifierMixin, BaseEstimator):
    _required_parameters = ["epsilon"]
    _schema: Optional[Schema]

    # ---- what the classes below fill in

    def _loss(self) -> Tuple[str, float]:
        raise NotImplementedError

    def _kernel(self) -> Dict[str, Any]:
        return {}

    # ---- preparing

    def _check_bounds(self) -> None:
        """One of data_norm, bounds and schema is enough."""
        given = [n for n in ("schema", "bounds", "data_norm") if getattr(self, n) is not None]
        if len(given) > 1:
            raise ValueError(f"{given[0]} bounds the rows already; leave {given[1]} out")

    def _norm(self) -> float:
        if self.data_norm is None:
            leak("data_norm was not given: rows longer than 1 are scaled down to norm 1; give a "
                 "bound that is known in public (data_norm=..., bounds=... or schema=...)")
            return 1.0
        return options.number("data_norm", self.data_norm)

    def _check_X(self, X: Any, y: Any = None, reset: bool = True) -> Any:
        """As scikit-learn does; doubles in C order or CSR pass without a copy."""
        X = data.canonical(X) if sp.issparse(X) and X.ndim == 2 else X
        arguments: Dict[str, Any] = dict(X=X, accept_sparse="csr", dtype=np.float64, order="C",
                                         reset=reset, accept_large_sparse=True)
        if y is not None:
            arguments["y"] = y
        try:
            return validate_data(self, **arguments)
        except ValueError as error:
            raise ValueError(_without_values(str(error))) from None
        except OverflowError:
            raise ValueError("X holds a whole number that is too large for a double") from None

    def _classes_of(self, y: np.ndarray) -> np.ndarray:
        leak("classes were not given: taking them from the labels tells that each occurs; the model is "
             "NOT private, and says so; give the public set of labels (classes=[...])")
        found = np.unique(y)
        if len(found) < 2:
            raise ValueError("This solver needs samples of at least 2 classes in the data, but the "
                             "data contains only one class")
        return found

    def _prepare_table(self, X: Any, y: Any) -> Prepared:
        """With the user's schema: columns of any type, encoded in C."""
        names = None if self.classes is None else data.class_names(data.class_array(self.classes))
        schema = Schema(self.schema, names)
        if y is None:
            if not hasattr(X, "columns") or schema.label_column not in X.columns:
                raise ValueError("y is missing, and X has no column of the schema's label; "
                                 "requires y to be passed")
            y = X[schema.label_column]
        handle, rows = table_handle(schema, X, y)
        taken = schema.taken_from(X)
        if taken:
            leak("the schema was taken from these records, or from a model that says so: the model is NOT "
                 "private, and says so; write down what is public, or draft from other records")
        data.taken(handle, *taken)
        self._note_columns(X)
        names = schema.classes
        if self.classes is not None and data.class_names(data.class_array(self.classes)) != names:
            raise ValueError(f"classes={self.classes!r}, but the schema lists {names}; leave classes "
                             "out, or give the same")
        public = data.classes_from_names(names) if self.classes is None \
            else data.class_array(self.classes)
        self._schema = schema
        return Prepared(handle, c.lib.dperm_data_rows(handle), public, names, bool(taken))

    def _note_columns(self, X: Any) -> None:
        self.n_features_in_ = X.shape[1] if hasattr(X, "shape") else len(X[0])
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.asarray(X.columns, dtype=object)

    def _prepare(self, X: Any, y: Any) -> Prepared:
        if self.schema is not None:
            return self._prepare_table(X, y)
        if y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None")
        prepared = self._prepare_rows(*self._check_labelled(X, y))
        if self.classes is None:
            data.taken(prepared.handle, "classes")
            prepared.taken = True
        return prepared

    def _check_labelled(self, X: Any, y: Any) -> Tuple[Any, np.ndarray, np.ndarray]:
        """Rows, codes of the labels, and the classes: the public ones, or else those in y."""
        if self.classes is None:
            X, y = self._check_X(X, y)
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
            classes = self._classes_of(y)
        else:
            classes, X = data.class_array(self.classes), self._check_X(X)
            check_consistent_length(X, y)
        return X, data.codes_of(y, classes), classes

    def _prepare_rows(self, X: Any, codes: np.ndarray, classes: np.ndarray) -> Prepared:
        names = data.class_names(classes)
        if self.bounds is not None:
            if sp.issparse(X):
                raise ValueError("bounds are for dense arrays; give data_norm for sparse ones")
            self._schema = Schema(data.bounds_schema(self.bounds, X.shape[1], self.fit_intercept),
                                  names)
            handle, rows = table_handle(self._schema, X, np.asarray(names, dtype=object)[codes])
            return Prepared(handle, rows, classes, names)
        self._schema = None
        self._data_norm = self._norm()
        self._constant = self._data_norm * options.number("intercept_scaling", self.intercept_scaling) \
            if self.fit_intercept else 0.0
        handle = data.rows_handle(X, self._data_norm, self._constant)
        data.label(handle, codes, names)
        return Prepared(handle, X.shape[0], classes, names)

    def _options(self, rows: int) -> c.Options:
        loss, h = self._loss()
        return options.make(
            epsilon=self.epsilon, rows=rows, loss=loss, h=h, mechanism=self.mechanism,
            analysis=self.analysis, noise=self.noise, lambda_=self.lambda_, C=self.C,
            delta_reg=self.delta_reg, norm_guess=self.norm_guess,
            rows_per_person=self.rows_per_person, threads=options.threads_of(self.n_jobs),
            **self._kernel())

    def _warn(self) -> None:
        if self.random_state is not None and self.mechanism != "none":
            warnings.warn("random_state makes the noise known: for tests and experiments; the model "
                          "is not private, and says so", NotPrivateWarning, stacklevel=3)
        if in_cross_validation():
            leak("this fit is part of a cross-validation or grid search: its scores are exact and "
                 "every fit spends epsilon, so what is chosen by them is NOT private; use "
                 "dperm.PrivateTuner")

    # ---- fitting

    def fit(self, X: Any, y: Any = None) -> "_PrivateClassifier":
        """Fits to rows X and labels y, at the cost of `epsilon`; returns the estimator itself.

        With a schema, X may be a DataFrame that holds the label's column, and y left out.
        """
        self._options(1)  # wrong words and numbers before any look at the data
        self._check_bounds()
        self._warn()
        refuse_folds(self, self)
        prepared = self._prepare(X, y)
        wanted = self._options(prepared.rows)
        is_private = not (prepared.taken or self.mechanism == "none" or self.random_state is not None)
        wanted.account, alive = account(self.ledger, self.dataset, is_private)
        random = options.seeded(self.random_state)
        wanted.random = random.pointer if random else None
        with c.Interruptible() as interruptible:
            wanted.progress = interruptible.progress
            try:
                handle = c.Handle("dperm_train", "dperm_model_free", prepared.handle, byref(wanted))
            except Cancelled:
                if not interruptible.asked:
                    raise
                return self
        del alive
        return self._fitted(Model(handle), prepared.classes)

    def __sklearn_is_fitted__(self) -> bool:  # lambda_ is a parameter in spite of its name
        return "model_" in self.__dict__

    def _fitted(self, model: Model, classes: np.ndarray) -> "_PrivateClassifier":
        self.model_ = model
        self.classes_ = classes
        if hasattr(self, "_privacy"):
            del self._privacy
        return self

    # ---- what was learned

    @property
    def privacy_(self) -> Privacy:
        check_is_fitted(self)
        if not hasattr(self, "_privacy"):
            self._privacy = Privacy(self.model_)
        return self._privacy

    def _has_intercept(self) -> bool:
        if self._schema is not None:
            return bool(self._schema.to_dict().get("intercept", False)) and not self._kernel()
        return bool(self._constant) and not self._kernel()

    @property
    def coef_(self) -> np.ndarray:
        self._need_model()
        weights = self.model_.weights
        return weights[:, :-1] if self._has_intercept() else weights

    @property
    def intercept_(self) -> np.ndarray:
        self._need_model()
        weights = self.model_.weights
        constant = 1.0 if self._schema is not None else self._constant
        return weights[:, -1] * constant if self._has_intercept() else np.zeros(len(weights))

    def _need_model(self) -> None:
        if "model_" not in self.__dict__:
            raise AttributeError("this estimator is not fitted yet; call fit first")

    # ---- predicting

    def _rows(self, X: Any) -> Tuple[c.Handle, int]:
        check_is_fitted(self)
        if self.schema is not None or (self._schema is not None and self.bounds is None):
            assert self._schema is not None
            return table_handle(self._schema, X)
        X = self._check_X(X, reset=False)
        if self._schema is not None:
            return table_handle(self._schema, X.toarray() if sp.issparse(X) else X)
        return data.rows_handle(X, self._data_norm, self._constant), X.shape[0]

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores: one for each row, or for each row and class if there are more than two."""
        handle, rows = self._rows(X)
        return self.model_.scores(handle, rows)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        scores = self.decision_function(X)
        winners = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(int)
        return self.classes_[winners]

    def _labelled(self, X: Any, y: Any) -> c.Handle:
        """Rows with labels, encoded as the model's were."""
        if self.schema is not None:
            assert self._schema is not None
            return table_handle(self._schema, X, y)[0]
        codes = data.codes_of(y, self.classes_)
        if self._schema is not None:
            X = self._check_X(X, reset=False)
            return table_handle(self._schema, X, np.asarray(self.model_.classes, dtype=object)[codes])[0]
        handle, rows = self._rows(X)
        if len(codes) != rows:
            raise ValueError(f"{rows} rows and {len(codes)} labels; give as many of both")
        data.label(handle, codes, self.model_.classes)
        return handle

    # ---- files

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the model, in the format that the command line reads."""
        check_is_fitted(self)
        self.model_.write(path)

    @classmethod
    def load(cls, path: "str | os.PathLike[str]") -> "_PrivateClassifier":
        """A fitted estimator from a model file, whoever wrote it."""
        found = load(path)
        if not isinstance(found, cls):
            raise ValueError(f"{os.fspath(path)} is a model of {type(found).__name__}")
        return found

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_privacy", None)
        return state

    def _more_tags(self) -> Dict[str, Any]:  # scikit-learn before 1.6
        return {"_xfail_checks": dict(EXPECTED_FAILURES)}

    def __sklearn_tags__(self) -> Any:  # and since
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


# scikit-learn's own checks that cannot hold here, one by one, and why.
EXPECTED_FAILURES: Dict[str, str] = {
    "check_parameters_default_constructible":
        "epsilon has no default: how much privacy to spend is the caller's choice",
}

_PARAMETERS = ("lambda_", "C", "data_norm", "bounds", "schema", "classes", "fit_intercept",
               "intercept_scaling", "mechanism", "noise", "analysis", "delta_reg", "norm_guess",
               "rows_per_person", "ledger", "dataset", "random_state", "n_jobs")


class LogisticRegression(_PrivateClassifier):
    __doc__ = f"""Differentially private logistic regression.

    >>> import dperm, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> clf = dperm.LogisticRegression(epsilon=1.0, data_norm=3, classes=[0, 1]).fit(X, y)
    >>> clf.score(X, y) > 0.8
    True
    >>> clf.predict_proba(X).shape
    (2000, 2)
{_COMMON}{_ATTRIBUTES}"""

    def __init__(self, epsilon: Optional[float], *, lambda_: Any = None, C: Optional[float] = None,
                 data_norm: Optional[float] = None, bounds: Any = None, schema: Any = None,
                 classes: Any = None, fit_intercept: bool = True, intercept_scaling: float = 1.0,
                 mechanism: str = "objective", noise: str = "auto", analysis: str = "tight",
                 delta_reg: Any = None, norm_guess: Any = None, rows_per_person: int = 1,
                 ledger: Any = None, dataset: Optional[str] = None, random_state: Any = None,
                 n_jobs: Optional[int] = None):
        self.epsilon = epsilon
        for name in _PARAMETERS:
            setattr(self, name, locals()[name])

    def _loss(self) -> Tuple[str, float]:
        return "logistic", 0.5

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes; of more than two, each one's own divided by their sum."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            positive = _sigmoid(scores)
            return np.column_stack([_sigmoid(-scores), positive])
        logs = -np.logaddexp(0, -scores)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def _sigmoid(z: np.ndarray) -> np.ndarray:
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


class LinearSVC(_PrivateClassifier):
    __doc__ = f"""Differentially private linear support vector machine.

    `loss` is "huber" (a hinge with a quadratic piece) or "smooth-hinge" (twice differentiable);
    `h` is the half-width of the smooth piece.

    >>> import dperm, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> y = np.where(X[:, 0] > 0, "yes", "no")
    >>> clf = dperm.LinearSVC(epsilon=1.0, data_norm=3, classes=["no", "yes"]).fit(X, y)
    >>> clf.score(X, y) > 0.8
    True
{_COMMON}{_ATTRIBUTES}"""

    def __init__(self, epsilon: Optional[float], *, loss: str = "huber", h: float = 0.5,
                 lambda_: Any = None, C: Optional[float] = None,
                 data_norm: Optional[float] = None, bounds: Any = None, schema: Any = None,
                 classes: Any = None, fit_intercept: bool = True, intercept_scaling: float = 1.0,
                 mechanism: str = "objective", noise: str = "auto", analysis: str = "tight",
                 delta_reg: Any = None, norm_guess: Any = None, rows_per_person: int = 1,
                 ledger: Any = None, dataset: Optional[str] = None, random_state: Any = None,
                 n_jobs: Optional[int] = None):
        self.epsilon, self.loss, self.h = epsilon, loss, h
        for name in _PARAMETERS:
            setattr(self, name, locals()[name])

    def _loss(self) -> Tuple[str, float]:
        options.choice("loss", self.loss, {"huber": 0, "smooth-hinge": 1})
        return self.loss, self.h


class KernelSVC(LinearSVC):
    __doc__ = f"""Differentially private kernel machine, by random features.

    `kernel` is "gaussian" (or "rbf"), "laplacian" or "cauchy"; `gamma` its public inverse width,
    `n_components` the number of random features (made even), `orthogonal` whether the gaussian kernel's
    directions are.

    >>> import dperm, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(4000, 2))
    >>> y = (np.hypot(X[:, 0], X[:, 1]) < 0.7).astype(int)
    >>> clf = dperm.KernelSVC(4.0, gamma=3, n_components=40, data_norm=2, classes=[0, 1]).fit(X, y)
    >>> clf.score(X, y) > 0.8
    True
{_COMMON}{_ATTRIBUTES}"""

    def __init__(self, epsilon: Optional[float], *, kernel: str = "gaussian", gamma: float = 1.0,
                 n_components: int = 100, orthogonal: bool = True, loss: str = "huber",
                 h: float = 0.5, lambda_: Any = None, C: Optional[float] = None,
                 data_norm: Optional[float] = None, bounds: Any = None, schema: Any = None,
                 classes: Any = None, fit_intercept: bool = False, intercept_scaling: float = 1.0,
                 mechanism: str = "objective", noise: str = "auto", analysis: str = "tight",
                 delta_reg: Any = None, norm_guess: Any = None, rows_per_person: int = 1,
                 ledger: Any = None, dataset: Optional[str] = None, random_state: Any = None,
                 n_jobs: Optional[int] = None):
        self.epsilon, self.loss, self.h = epsilon, loss, h
        self.kernel, self.gamma, self.n_components = kernel, gamma, n_components
        self.orthogonal = orthogonal
        for name in _PARAMETERS:
            setattr(self, name, locals()[name])

    def _kernel(self) -> Dict[str, Any]:
        return {"kernel": self.kernel, "gamma": self.gamma, "n_components": self.n_components,
                "orthogonal": self.orthogonal}


def _norm_without(norm: float, constant: float) -> float:
    """The bound on rows before they got their constant, which is usually as long as they are."""
    if abs(norm - np.sqrt(2) * abs(constant)) < 1e-12 * norm:
        return abs(constant)
    return float(np.sqrt((norm - constant) * (norm + constant))) if constant else norm


def load(path: "str | os.PathLike[str]") -> _PrivateClassifier:
    """A fitted estimator from any model file: of Python, of the command line, of C.

    What the model says was taken from the records counts as taken in another `fit` too: it has no public
    `classes` or `data_norm` then, and a schema that marks what is made by it.
    """
    model = Model.read(path)
    content = model.to_dict()
    taken = taken_of(content["reason"])
    schema = content["schema"]
    if schema and taken:
        schema = Schema._with_origin(schema, Origin(taken))
    privacy, loss, kernel = content["privacy"], content["loss"], content["kernel"]
    settings: Dict[str, Any] = {
        "lambda_": privacy["lambda"], "mechanism": privacy["mechanism"],
        "noise": privacy["noise"] or "auto", "analysis": privacy["analysis"] or "tight",
        "rows_per_person": privacy["rows_per_person"], "schema": schema,
        "classes": None if "classes" in taken else data.classes_from_names(content["classes"]).tolist()}
    if loss["name"] == "logistic" and not kernel:
        found: _PrivateClassifier = LogisticRegression(privacy["epsilon"], **settings)
    elif kernel:
        found = KernelSVC(privacy["epsilon"], kernel=kernel["name"], gamma=kernel["gamma"],
                          n_components=kernel["features"], orthogonal=kernel["kind"] == "orthogonal",
                          loss=loss["name"], h=loss["h"] or 0.5, **settings)
    else:
        found = LinearSVC(privacy["epsilon"], loss=loss["name"], h=loss["h"], **settings)
    encoding = content["encoding"]
    found._constant = encoding.get("intercept", 0.0)
    found._schema = Schema(schema) if schema else None
    if found._schema is None:
        found._data_norm = _norm_without(encoding["norm"], found._constant)
        found.data_norm = None if "norm" in taken else found._data_norm
        found.fit_intercept = bool(found._constant)
        found.n_features_in_ = encoding["dims"] - bool(found._constant)
        found.intercept_scaling = found._constant / found._data_norm if found._constant else 1.0
    else:
        found.n_features_in_ = sum(kind != "label" for _, kind in found._schema.columns)
    return found._fitted(model, data.classes_from_names(content["classes"]))
