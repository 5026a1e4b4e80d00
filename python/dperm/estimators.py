"""Private classifiers, at home in scikit-learn; and estimators from files."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from . import labels, options, weights
from .base import EXPECTED_FAILURES
from .classifier import PrivateClassifier
from .linear import bounds_of
from .model import Model
from .origin import Marked, Origin, chosen_by_records, taken_of
from .regressor import Regressor
from .schema import Schema

__all__ = ["LogisticRegression", "LinearSVC", "KernelSVC", "Regressor", "load"]

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
        The public set of labels, in any order. Without it they are taken from `y`, with a warning, and
        the model says that it is not private.
    fit_intercept : bool, default True
        A constant column, regularized like all others; it counts in the norm of rows. Ignored with
        a `schema`, which says so itself.
    intercept_scaling : float, default 1
        The constant column's value, in units of `data_norm`.
    mechanism : {"objective", "output", "none", "descent"}
        "objective" is noisy descent for several classes with a `delta`.
    noise : {"auto", "l2", "l1", "group", "linf", "mixed", "gaussian"}
    delta : float, default 0
        What may be spent on gaussian noise, in all; far below one over the number of rows, else there is a warning.
        0: pure noise, and a delta for rounding alone (``docs/proofs/gaussian.md``). "auto" noise spends it where that
        makes the noise shorter; `privacy_.delta` says what was spent.
    analysis : {"tight", "paper"}
    delta_reg, norm_guess : float, optional
        As in ``dperm train``.
    person : str, optional
        With a `schema`: the column of X that tells persons apart (or the schema's own "person"). The records of one
        count together as one, so that `epsilon` is the person's with the noise of one record (``docs/proofs/persons.md``).
    rows_per_person : int, default 1
        Without such a column: `epsilon` is for a person with at most so many rows, at so many times the noise.
    neighbours : {"replace", "add-remove"}
        Whom `epsilon` compares: a record replaced by any other, or one more or less, as most libraries have it
        (``docs/proofs/neighbours.md``). Then how many records there are is private, and nothing tells it.
    rows_about : int, optional
        With "add-remove": a public figure near the number of records, which stands for it everywhere.
    ledger : path or Ledger, optional
        Where the budget is charged, before anything is released; with `dataset`, its name there. By
        default the environment's ``DPERM_LEDGER`` and ``DPERM_DATASET``; "none" (or False) for none.
    random_state : int, optional
        Reproducible noise, for tests: warns, and the model says that it is not private.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    class_weight : dict or "balanced", optional
        Public weights by label, 1 for labels left out. Only their ratios count, but for `C`, which means what
        it does in scikit-learn. "balanced" counts the labels: the model then says that it is not private.
    refine : "ask", float, "auto" or None, default "ask"
        With a `schema`: the records are asked, for a few percent of `epsilon`, how much numbers weigh and whether
        they need bins, as with `dperm train` (``docs/proofs/bins.md``); not with `bins`, a kernel, or too few rows
        to pay for it. A float or "auto": this share of `epsilon` makes bins and groups of rare categories
        from noisy counts of the records, the rest fits them (``docs/privacy.md`` 8.9). None (or "none"): neither.
    bins : {"auto", "none"}, optional
        With a `schema`: what its numeric columns without bins get; "auto" is as many as rows and `epsilon` can
        pay for (``docs/formats.md``), "none" the default. `model_` has the schema with them.
    multiclass : {"auto", "joint", "one-vs-rest"}, default "auto"
        How more than two classes are learned: "joint" in one fit with all of `epsilon` (softmax, for logistic loss
        only), "one-vs-rest" in a fit for each with its share. "auto" is joint where it can be.
    pairs : float or None, default "auto"
        With a `schema`, two classes and no kernel: the share of `epsilon` for what two columns say only together. They
        are chosen after the fit, and the model's schema has their cross (``docs/proofs/pairs.md``). "auto" spends
        1800/rows of it where that is a small part, and nothing with `bins` or without `refine`.
    evaluate : float, optional
        The share of the records that secret coins keep from everything but one private evaluation. The guarantee stays
        `epsilon`, since a record is in one part (``docs/proofs/holdout.md``); ``model_.evaluation`` has what was found.
"""
_ATTRIBUTES = """
    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn: the classes sorted, no label
        among the names.
    coef_ : array of shape (1, d), for ``classes_[1]``, or (k, d) for k > 2 classes; in encoded columns
        with a schema, in random features with a kernel.
    intercept_ : array of shape (1,) or (k,).
    privacy_ : Privacy, what the model guarantees and why.
    model_ : Model, the release itself.
    report_ : dict, what the fit decided, as ``dperm train --json`` has it (``docs/formats.md``): `answer` is "bins" or
        "lines" where the records were asked, else None.
"""


_PARAMETERS = ("lambda_", "C", "data_norm", "bounds", "schema", "classes", "fit_intercept",
               "intercept_scaling", "mechanism", "noise", "analysis", "delta_reg", "norm_guess",
               "rows_per_person", "ledger", "dataset", "random_state", "n_jobs", "class_weight", "refine",
               "bins", "neighbours", "rows_about", "delta", "multiclass", "pairs", "person", "evaluate")


class LogisticRegression(PrivateClassifier):
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
{_COMMON}    calibrate : float or "auto", optional
        The share of `epsilon`, such as 0.05, or "auto" for that where it pays, that chooses how sure probabilities are: they are those of scores times
        `model_.inverse_temperature` then (``docs/proofs/calibration.md``). Predictions and scores do not change by it.
    intervals : float or "auto", optional
        With a `schema` and two classes: the share of `epsilon` ("auto": 0.27) for confidence intervals of the slopes, which
        `model_.summary()` prints and `model_.intervals` has (``docs/proofs/intervals.md``). Rows are then all divided
        alike, numbers have no bins, and of each categorical column the first value is the one to compare with.
{_ATTRIBUTES}"""

    def __init__(self, epsilon: Optional[float], *, lambda_: Any = None, C: Optional[float] = None,
                 data_norm: Optional[float] = None, bounds: Any = None, schema: Any = None,
                 classes: Any = None, fit_intercept: bool = True, intercept_scaling: float = 1.0,
                 mechanism: str = "objective", noise: str = "auto", analysis: str = "tight",
                 delta_reg: Any = None, norm_guess: Any = None, rows_per_person: int = 1,
                 ledger: Any = None, dataset: Optional[str] = None, random_state: Any = None,
                 n_jobs: Optional[int] = None, class_weight: weights.ClassWeight = None, refine: Any = "ask",
                 bins: Optional[str] = None, neighbours: str = "replace", rows_about: Optional[int] = None,
                 delta: float = 0.0, multiclass: str = "auto", pairs: Any = "auto", person: Optional[str] = None,
                 evaluate: Optional[float] = None,
                 calibrate: Any = None, intervals: Any = None):
        self.epsilon, self.calibrate, self.intervals = epsilon, calibrate, intervals
        for name in _PARAMETERS:
            setattr(self, name, locals()[name])

    def _loss(self) -> Tuple[str, float]:
        return "logistic", 0.5

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes. Of more than two: softmax of the scores of a joint fit; of one against the
        rest, each one's own divided by their sum. With `calibrate`, of scores times what it chose."""
        handle, rows = self._rows(X)
        return self._order.columns(self.model_.probabilities(handle, rows))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class LinearSVC(PrivateClassifier):
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
                 n_jobs: Optional[int] = None, class_weight: weights.ClassWeight = None, refine: Any = "ask",
                 bins: Optional[str] = None, neighbours: str = "replace", rows_about: Optional[int] = None,
                 delta: float = 0.0, multiclass: str = "auto", pairs: Any = "auto", person: Optional[str] = None,
                 evaluate: Optional[float] = None):
        self.epsilon, self.loss, self.h = epsilon, loss, h
        for name in _PARAMETERS:
            setattr(self, name, locals()[name])

    def _loss(self) -> Tuple[str, float]:
        options.choice("loss", self.loss, {word: i for word, i in options.LOSSES.items() if word != "logistic"})
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
                 n_jobs: Optional[int] = None, class_weight: weights.ClassWeight = None, refine: Any = "ask",
                 bins: Optional[str] = None, neighbours: str = "replace", rows_about: Optional[int] = None,
                 delta: float = 0.0, multiclass: str = "auto", pairs: Any = "auto", person: Optional[str] = None,
                 evaluate: Optional[float] = None):
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


def load(path: "str | os.PathLike[str]") -> Union[LogisticRegression, LinearSVC, Regressor]:
    """A fitted estimator from any model file: of Python, of the command line, of C.

    What the model says was taken from the records counts as taken in another `fit` too: it has no public
    `classes`, `label_range` or `data_norm` then, a schema that marks what is made by it, or an `intercept_scaling` that
    does; so do settings that were chosen by the records, and not privately.
    """
    model = Model.read(path)
    content = model.to_dict()
    taken = taken_of(content["reason"])
    schema = content["schema"]
    if schema and "pairs" in content:  # which another fit chooses anew
        kept = [cross for cross in schema.get("crosses", []) if not (isinstance(cross, dict) and cross.get("after_fit"))]
        schema = {**{key: value for key, value in schema.items() if key != "crosses"}, **({"crosses": kept} if kept else {})}
    in_schema = [word for word in taken if word != "weights"]
    if schema and in_schema:
        schema = Schema._with_origin(schema, Origin(in_schema))
    of_label = "classes" if model.label_range is None else "ranges"  # what a fit without it takes again
    marks = [] if schema else [word for word in in_schema if word not in (of_label, "norm")]
    if chosen_by_records(content) and "scales" not in in_schema:
        marks.append("scales")
    privacy, loss, kernel = content["privacy"], content["loss"], content["kernel"]
    settings: Dict[str, Any] = {
        "lambda_": privacy["lambda"], "mechanism": privacy["mechanism"],
        "noise": privacy["noise"] or "auto", "analysis": privacy["analysis"] or "tight",
        "rows_per_person": privacy["rows_per_person"] or 1, "schema": schema,
        "neighbours": "add-remove" if privacy["neighbours"] == "add-remove" else "replace",
        "rows_about": content.get("rows_about"),
        "delta": privacy["delta"] if privacy["noise"] == "gaussian" else 0.0,
        "bins": "none" if schema else None}  # it has what it was fitted with
    epsilon = privacy["epsilon"]
    if privacy.get("epsilon_refined"):  # was spent on the schema, which is here, and is added to every fit of it
        epsilon -= privacy["epsilon_refined"]
    if kernel:
        settings.update(kernel=kernel["name"], gamma=kernel["gamma"], n_components=kernel["features"],
                        orthogonal=kernel["kind"] != "iid")
    found = (_regressor if model.label_range is not None else _classifier)(content, taken, epsilon, settings)
    encoding = content["encoding"]
    found._constant = encoding.get("intercept", 0.0)
    found._fitted(model, labels.from_names(content["classes"]) if content["classes"] else None)
    if found._schema is None:
        found._data_norm = _norm_without(encoding["norm"], found._constant)
        found.data_norm = None if "norm" in taken else found._data_norm
        found.fit_intercept = bool(found._constant)
        found.n_features_in_ = encoding["dims"] - bool(found._constant)
        found.intercept_scaling = found._constant / found._data_norm if found._constant else 1.0
    else:
        listed = [name for name, kind in found._schema.columns if kind != "label"]
        found.n_features_in_ = len(listed)
        if bounds_of(found._schema.to_dict()) is None:  # whose names nobody gave
            found.feature_names_in_ = np.asarray(listed, dtype=object)
    found.intercept_scaling = Marked.mark(found.intercept_scaling, marks)
    return found


def _regressor(content: Dict[str, Any], taken: Tuple[str, ...], epsilon: Any, settings: Dict[str, Any]) -> Regressor:
    loss, label = content["loss"], content["label"]
    own = None if settings["schema"] or "ranges" in taken else (label["min"], label["max"])
    shares = {name: content[key]["epsilon"] / epsilon for name, (key, _) in options.SHARES.items() if key in content}
    return Regressor(epsilon, **shares, loss=loss["name"], h=loss["h"], quantile=loss.get("quantile", 0.5), label_range=own, **settings)


def _classifier(content: Dict[str, Any], taken: Tuple[str, ...], epsilon: Any,
                settings: Dict[str, Any]) -> Union[LogisticRegression, LinearSVC]:
    loss, kernel, classes = content["loss"], content["kernel"], labels.from_names(content["classes"]).tolist()
    shares = {name: content[key]["epsilon"] / epsilon for name, (key, _) in options.SHARES.items() if key in content}
    settings.update(
        # of files from before there was another way, too
        multiclass=content.get("multiclass", "one-vs-rest" if len(classes) > 2 else "auto"),
        evaluate=(content.get("evaluation") or {}).get("share"), classes=None if "classes" in taken else classes,
        class_weight=weights.of_file(content, classes), pairs=shares.pop("pairs", None))
    if loss["name"] == "logistic" and not kernel:
        return LogisticRegression(epsilon, **shares, **settings)
    if kernel:
        return KernelSVC(epsilon, loss=loss["name"], h=loss["h"] or 0.5, **settings)
    return LinearSVC(epsilon, loss=loss["name"], h=loss["h"], **settings)
