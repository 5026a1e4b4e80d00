"""What all private estimators share: data on their way in, the fit, what was learned, files."""

from __future__ import annotations

import json
import os
import re
import warnings
from ctypes import c_void_p, pointer
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _library as c
from . import around, arrow, callers, data, linear, options, weights
from .account import account
from .errors import Cancelled, NotPrivateWarning, leak
from .explanation import Explanation
from .folds import refuse_folds
from .model import Model, Privacy
from .origin import taken_with
from .schema import Schema
from .scoring import Scored
from .tables import label_in, table_handle
from .targets import Labels

try:  # scikit-learn 1.6 made this a function
    from sklearn.utils.validation import validate_data
except ImportError:  # pragma: no cover - depends on the version installed

    def validate_data(estimator: Any, **arguments: Any) -> Any:
        return estimator._validate_data(**arguments)


__all__ = ["PrivateEstimator"]

_Self = TypeVar("_Self", bound="PrivateEstimator")


def _without_values(message: str) -> str:
    """What scikit-learn says of bad input, without the numbers and texts it quotes: a log is no release."""
    message = re.sub(r":\s*array=.*?\.(?=\s*Reshape|$)", ".", message, flags=re.S)
    return re.sub(r"(could not convert string to float|invalid literal[^:]*|Complex data not supported)[:\n].*",
                  r"\1; X must hold real numbers", message, flags=re.S)


# scikit-learn's own checks that cannot hold here, one by one, and why.
EXPECTED_FAILURES: Dict[str, str] = {
    "check_parameters_default_constructible":
        "epsilon has no default: how much privacy to spend is the caller's choice",
}


class Tagged:
    """What scikit-learn asks of an estimator about itself."""

    _expected_failures = EXPECTED_FAILURES

    def _more_tags(self) -> Dict[str, Any]:  # scikit-learn before 1.6
        return {"_xfail_checks": dict(self._expected_failures)}

    def __sklearn_tags__(self) -> Any:  # and since
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags


class Prepared:
    """Data in the library's hands, with what was public about them."""

    def __init__(self, handle: c.Handle, rows: int, labels: Labels, taken: Sequence[str] = (), drafted: bool = False):
        self.drafted = drafted  # the schema is a draft from these very records, as their values show
        self.handle, self.rows, self.classes, self.names = handle, rows, labels.classes, labels.names
        self.words: Tuple[str, ...] = ()  # what was taken from the records: what is made of them is not private
        self.note_taken(*taken, *labels.taken, *around.taken())

    def note_taken(self, *what: str) -> None:
        data.taken(self.handle, *what)
        self.words += what

    @property
    def taken(self) -> bool:
        return bool(self.words)


class PrivateEstimator(Tagged, Scored, BaseEstimator):
    """The estimators of this package; only they are meant to be made."""

    _required_parameters = ["epsilon"]
    # what the caller sets,
    epsilon: Optional[float]
    lambda_: Any
    data_norm: Optional[float]
    bounds: Any
    schema: Any
    fit_intercept: bool
    intercept_scaling: float
    mechanism: str
    noise: str
    analysis: str
    delta_reg: Any
    norm_guess: Any
    rows_per_person: int
    person: Optional[str]
    neighbours: str
    rows_about: Optional[int]
    delta: float
    ledger: Any
    dataset: Optional[str]
    random_state: Any
    n_jobs: Optional[int]
    bins: Optional[str]
    # what a fit leaves,
    model_: Model
    report_: Dict[str, Any]
    n_features_in_: int
    feature_names_in_: np.ndarray
    # and what predictions need: how rows were encoded
    _schema: Optional[Schema]
    _data_norm: float
    _constant: float

    # ---- what is different in classifiers and regressors

    def _settings(self) -> Dict[str, Any]:
        """The loss, and further options of such a model."""
        raise NotImplementedError

    def _label_of_schema(self) -> Optional[Dict[str, Any]]:
        """The label that a schema without one gets, if the caller said what it is."""
        raise NotImplementedError

    def _labels_of_table(self, schema: Schema, y: Any) -> Labels:
        raise NotImplementedError

    def _check_labelled(self, X: Any, y: Any) -> Tuple[Any, Labels]:
        """Rows of numbers, and their labels."""
        raise NotImplementedError

    def _labels_to_score(self, y: Any) -> Labels:
        """Of rows of numbers, as the model has them."""
        raise NotImplementedError

    def _with_any_labels(self, X: Any, rows: int) -> Prepared:
        """Records as a ledger knows them, for which labels have no part in it."""
        raise NotImplementedError

    def _kernel(self) -> Dict[str, Any]:
        return {}

    # ---- preparing

    def _check_bounds(self) -> None:
        """One of data_norm, bounds and schema is enough."""
        if self.person is not None and not isinstance(self.person, str):
            raise ValueError(f"person={type(self.person).__name__}; give the name of the column of X that tells persons apart")
        if self.person is not None and self.schema is None:
            raise ValueError("person is a column of a table; describe that by a schema=..., too")
        given = [n for n in ("schema", "bounds", "data_norm") if getattr(self, n) is not None]
        if len(given) > 1:
            raise ValueError(f"{given[0]} bounds the rows already; leave {given[1]} out")

    def _norm(self) -> float:
        if self.data_norm is None:
            leak("data_norm was not given: rows longer than 1 are scaled down to norm 1; give a "
                 "bound that is known in public (data_norm=..., bounds=... or schema=...)")
            return 1.0
        return options.number("data_norm", self.data_norm)

    def _check_X(self, X: Any, y: Any = None, reset: bool = True, empty: bool = False) -> Any:
        """As scikit-learn does; doubles in C order or CSR pass without a copy."""
        X = arrow.table(X)
        empty = empty or (reset and options.adding(self.neighbours))
        if isinstance(X, arrow.Table):
            rows = data.arrow_rows(self, X, reset, empty)
            return rows if y is None else (rows, np.asarray(y))
        arguments: Dict[str, Any] = dict(accept_sparse="csr", dtype=np.float64, order="C",
                                         reset=reset, accept_large_sparse=True)
        if y is not None:
            arguments["y"] = y
        if empty:
            arguments["ensure_min_samples"] = 0  # no records at all are data too
        try:
            X = data.numbers_of(X)
            X = data.canonical(X) if sp.issparse(X) and X.ndim == 2 else X
            return validate_data(self, X=X, **arguments)
        except ValueError as error:
            raise ValueError(_without_values(str(error))) from None
        except OverflowError:
            raise ValueError("X holds a whole number that is too large for a double") from None
        except TypeError as error:  # scikit-learn wants this class, and float()'s words, for objects that are no numbers
            if "float()" not in str(error):
                raise
            raise TypeError(f"X holds an object that is no number ({error}); {data.TAKEN}") from None

    def _prepare_table(self, X: Any, y: Any, part: bool = False) -> Prepared:
        """With the user's schema: columns of any type, encoded in C. A part of the records may be empty."""
        schema = Schema(self.schema, self._label_of_schema())
        schema = schema if self.person is None else schema.of_persons(self.person)
        given, X = X, arrow.table(X, schema.wanted)
        if isinstance(X, (str, bytes, os.PathLike)):
            raise ValueError("X is the name of a file that is neither Parquet nor Feather; read it (pandas.read_csv), or train "
                             "with the command, which takes files")
        taken, drafted = schema.taken_from(given, X), not schema.marked
        taken = taken if schema.label_range is None else tuple(word for word in taken if word != "classes")  # it has none
        if taken and not drafted:
            leak("the schema was taken from a model that says that it is not private: neither is this one, "
                 "and says so; write down what is public")
        y = label_in(schema, X) if y is None else y
        if y is None:
            raise ValueError("y is missing, and X has no column of the schema's label; "
                             "requires y to be passed")
        labels = self._labels_of_table(schema, y)
        handle, _ = table_handle(schema, X, labels.values, part or options.adding(self.neighbours))
        self._note_columns(X, schema)
        return Prepared(handle, c.lib.dperm_data_units(handle), labels, taken, bool(taken) and drafted)

    def _refuse_draft(self, prepared: Prepared) -> None:
        """That a schema was drafted from the records is seen in their values, so no model that could be private may tell."""
        if not prepared.drafted:
            return
        words = "the schema was drafted from these very records"
        if self.mechanism != "none" and self.random_state is None:
            raise ValueError(f"{words}, so nothing private can be made of it, and a model that said so would tell of them; "
                             "write down what is public, or draft from other records (experiments on public ones: "
                             "random_state or mechanism='none')")
        leak(f"{words}: the model is NOT private, and says so; write down what is public, or draft from other records")

    def _note_columns(self, X: Any, schema: Schema) -> None:
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.asarray([name for name in X.columns if name != schema.label_column], dtype=object)
            self.n_features_in_ = len(self.feature_names_in_)
        else:
            self.n_features_in_ = sum(kind != "label" for _, kind in schema.columns)  # of no rows too
            self.__dict__.pop("feature_names_in_", None)

    def _prepare(self, X: Any, y: Any, part: bool = False) -> Prepared:
        y, before = arrow.column(y), taken_with(self.get_params(deep=False).values())
        if before:
            leak("the model that was read says what was taken from records or chosen by them, and this one has it from "
                 "there: it is NOT private, and says so; make an estimator from what is public")
        if self.schema is None and y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None")
        prepared = self._prepare_table(X, y, part) if self.schema is not None else \
            self._prepare_rows(*self._check_labelled(X, y))
        prepared.note_taken(*before)
        return prepared

    def _prepare_rows(self, X: Any, labels: Labels) -> Prepared:
        if self.bounds is not None:
            if sp.issparse(X):
                raise ValueError("bounds are for dense arrays; give data_norm for sparse ones")
            schema = Schema(data.bounds_schema(self.bounds, X.shape[1], self.fit_intercept), labels.of_schema)
            handle, rows = table_handle(schema, X, labels.values, options.adding(self.neighbours))
            return Prepared(handle, rows, labels)
        self._data_norm = self._norm()
        self._constant = self._data_norm * options.number("intercept_scaling", self.intercept_scaling) \
            if self.fit_intercept else 0.0
        handle = data.rows_handle(X, self._data_norm, self._constant)
        labels.give(handle)
        return Prepared(handle, X.shape[0], labels)

    def _options(self, rows: int, prepared: Optional[Prepared] = None) -> c.Options:
        options.flag("fit_intercept", self.fit_intercept)
        return options.make(
            epsilon=self.epsilon, rows=rows, mechanism=self.mechanism, analysis=self.analysis, noise=self.noise,
            lambda_=self.lambda_, delta_reg=self.delta_reg, norm_guess=self.norm_guess,
            rows_per_person=self.rows_per_person, threads=options.threads_of(self.n_jobs),
            neighbours=self.neighbours, rows_about=self.rows_about, delta=self.delta, bins=self.bins,
            schema=self.schema is not None, **self._settings(), **self._kernel())

    def _warn(self) -> None:
        if self.random_state is not None and self.mechanism != "none":
            warnings.warn("random_state makes the noise known: for tests and experiments; the model "
                          "is not private, and says so", NotPrivateWarning, stacklevel=callers.stacklevel())
        for remark in around.remarks():
            leak(remark)

    # ---- fitting

    def fit(self: _Self, X: Any, y: Any = None, **unsupported: Any) -> _Self:
        """Fits to rows X and labels y, at the cost of `epsilon`; returns the estimator itself.

        With a schema, X may be a DataFrame that holds the label's column, and y left out.
        """
        weights.refuse(unsupported, *([] if hasattr(self, "class_weight") else [""]))
        self._check_settings()
        return self._fit_prepared(self._prepare_checked(X, y))

    def _check_settings(self) -> None:
        """Wrong words and numbers, before any look at the data."""
        self._options(1)
        self._check_bounds()
        self._warn()
        refuse_folds(self, self)

    def _prepare_checked(self, X: Any, y: Any, part: bool = False) -> Prepared:
        prepared = self._prepare(X, y, part)
        self._refuse_draft(prepared)
        return prepared

    def _fit_prepared(self: _Self, prepared: Prepared) -> _Self:
        wanted = self._options(prepared.rows, prepared)
        options.warn_delta(wanted.delta, wanted.rows_about or prepared.rows)
        model = self._run("dperm_train", prepared, (c.Options * 1)(wanted))
        return self if model is None else self._fitted(model, prepared.classes)

    def _run(self, name: str, prepared: Prepared, wanted: Any, *more: Any) -> Optional[Model]:
        """What is paid for, with all of these options; None where it was interrupted and the program goes on, or where
        another process of a job has the model."""
        is_private = not (prepared.taken or self.mechanism == "none" or self.random_state is not None)
        where, alive = account(self.ledger, self.dataset, is_private)
        random, report = options.seeded(self.random_state), c_void_p()
        wanted[0].report = pointer(report)
        with c.Interruptible() as interruptible:
            for one in wanted:
                one.account, one.progress = where, interruptible.progress
                one.random = random.pointer if random else None
            try:
                made = c.Handle(name, "dperm_model_free", prepared.handle, wanted, *more)
            except Cancelled:
                if not interruptible.asked:
                    raise
                return None
            said = c.given_back(report)
        del alive
        if made.pointer is None:
            return None
        self.report_ = json.loads(said)
        return Model(made)

    def __sklearn_is_fitted__(self) -> bool:  # lambda_ is a parameter in spite of its name
        return "model_" in self.__dict__

    def _fitted(self: _Self, model: Model, classes: Any = None) -> _Self:
        """With a model, and its classes, if it has any, in its own order."""
        self.model_ = model
        schema = model.to_dict()["schema"]
        self._schema = Schema(schema) if schema else None  # predictions encode as the model does
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

    def explain(self) -> Explanation:
        """What the model says, and what of it cannot be told from its privacy noise (:class:`dperm.Explanation`)."""
        check_is_fitted(self)
        content = None if self._schema is None else self._schema.to_dict()
        rows = content is None or linear.bounds_of(content) is not None
        return self.model_.explain(getattr(self, "feature_names_in_", None) if rows else None)

    def _coefficients(self) -> Tuple[np.ndarray, np.ndarray]:
        """A row and a number for each of the model's scores."""
        if "model_" not in self.__dict__:
            raise AttributeError("this estimator is not fitted yet; call fit first")
        found = self._weights()
        if self._kernel():
            return found, np.zeros(len(found))
        return linear.coefficients(found, self._schema, 0.0 if self._schema is not None else self._constant)

    def _weights(self) -> np.ndarray:
        return self.model_.weights

    @property
    def coef_(self) -> np.ndarray:
        return self._coefficients()[0]

    @property
    def intercept_(self) -> np.ndarray:
        return self._coefficients()[1]

    # ---- predicting

    def _rows(self, X: Any, y: Any = None, empty: bool = False) -> Tuple[c.Handle, int]:
        """Rows encoded as the model's were, with labels if there are any, and their number."""
        check_is_fitted(self)
        if self.schema is not None or (self._schema is not None and self.bounds is None):
            return table_handle(self._schema, X, y, empty)
        labels = None if y is None else self._labels_to_score(y)
        X = self._check_X(X, reset=False, empty=empty)
        if self._schema is not None:
            return table_handle(self._schema, X.toarray() if sp.issparse(X) else X,
                                None if labels is None else labels.values, empty)
        handle = data.rows_handle(X, self._data_norm, self._constant)
        if labels is not None:
            labels.give(handle)
        return handle, X.shape[0]

    # ---- files

    @classmethod
    def load(cls: Type[_Self], path: "str | os.PathLike[str]") -> _Self:
        """A fitted estimator from a model file, whoever wrote it."""
        from .estimators import load

        found = load(path)
        if not isinstance(found, cls):
            raise ValueError(f"{os.fspath(path)} is a model of {type(found).__name__}")
        return found

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the model, in the format that the command line reads."""
        check_is_fitted(self)
        self.model_.write(path)

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_privacy", None)
        return state
