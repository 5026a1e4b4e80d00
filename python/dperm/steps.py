"""Steps of a pipeline before a private fit: which of them took something from the records, or may have.

A step is harmless if what it makes of a record depends on that record and public settings alone. Of few that is
known, and only with some of their settings: these are listed. All others count as learned from the records,
somebody's own too, since nobody here can look into them.

Whether rows are dense or sparse must follow from the settings as well: sums over dense and sparse rows are rounded
differently, so that one record would move the scores of all others. And a step's arithmetic goes by the type of
what it is given, which NumPy and pandas choose by all records: `check_given` lets two types in.
"""

from __future__ import annotations

import numbers
from typing import Any, Callable, Dict, List

import numpy as np
import scipy.sparse as sp
import scipy.special

__all__: List[str] = []


def _always(step: Any) -> bool:
    return True


def _gamma_is_given(step: Any) -> bool:
    return isinstance(step.gamma, numbers.Real)  # "scale" is taken from the variance of X


def _categories_are_given(step: Any) -> bool:
    return not isinstance(step.categories, str) and getattr(step, "min_frequency", None) is None and \
        getattr(step, "max_categories", None) is None


def _fills_with_a_constant(step: Any) -> bool:
    """And keeps every column, and adds none: which are empty, or not, is up to the records."""
    return step.strategy == "constant" and step.fill_value is not None and not step.add_indicator and \
        bool(getattr(step, "keep_empty_features", True))  # which there was no choice about before 1.2


def _function_of_one_value(step: Any) -> bool:
    """None, or one of NumPy's or SciPy's own that go value by value; any other may look at all records."""
    func = step.func
    if func is None:
        return True
    return isinstance(func, np.ufunc) and func.nin == func.nout == 1 and not step.kw_args and \
        any(getattr(home, func.__name__, None) is func for home in (np, scipy.special))


def _words_by_rule(step: Any) -> bool:
    """No function of the caller's has a part in how texts become words."""
    return isinstance(step.analyzer, str) and step.preprocessor is None and step.tokenizer is None and \
        not callable(step.strip_accents)


# What a step may be that was fitted to other records and frozen: its `transform` takes rows one by one.
_ROW_BY_ROW = {"StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "QuantileTransformer", "PowerTransformer",
               "KBinsDiscretizer", "SplineTransformer", "OneHotEncoder", "OrdinalEncoder", "TargetEncoder", "SimpleImputer",
               "PCA", "TruncatedSVD", "IncrementalPCA", "VarianceThreshold", "SelectKBest", "SelectPercentile", "RBFSampler",
               "ColumnTransformer"}


def _frozen(step: Any) -> bool:
    return not _unlike(step.estimator, lambda part: type(part).__name__ in _ROW_BY_ROW or _blind(part))


def _columns_by_name_and_dense(step: Any) -> bool:
    """Columns that no function chose by looking at them; and with any other threshold the share of zeros among all
    records decides whether rows are sparse."""
    return step.sparse_threshold == 0 and not any(callable(columns) for _, _, columns in step.transformers)


# scikit-learn's own that know nothing of the values of other records, and the settings with which that holds.
BLIND: Dict[str, Callable[[Any], bool]] = {
    "AdditiveChi2Sampler": _always, "Binarizer": _always, "FeatureHasher": _always, "GaussianRandomProjection": _always,
    "Normalizer": _always, "PolynomialFeatures": _always, "SkewedChi2Sampler": _always, "SparseRandomProjection": _always,
    "PolynomialCountSketch": _gamma_is_given, "RBFSampler": _gamma_is_given,
    "OneHotEncoder": _categories_are_given, "OrdinalEncoder": _categories_are_given,
    "SimpleImputer": _fills_with_a_constant, "FunctionTransformer": _function_of_one_value,
    "HashingVectorizer": _words_by_rule, "FrozenEstimator": _frozen,
    "Pipeline": _always, "FeatureUnion": _always, "ColumnTransformer": _columns_by_name_and_dense}


def _blind(step: Any) -> bool:
    return BLIND.get(type(step).__name__, lambda step: False)(step)


# Those that are made of others, which count too.
_PARTS: Dict[str, Callable[[Any], List[Any]]] = {
    "Pipeline": lambda step: [part for _, part in step.steps],
    "FeatureUnion": lambda step: [part for _, part in step.transformer_list],
    "ColumnTransformer": lambda step: [part for _, part, _ in step.transformers] + [step.remainder]}


def _unlike(step: Any, harmless: Callable[[Any], bool]) -> List[str]:
    """The parts of a step that are not harmless, by name."""
    if step is None or isinstance(step, str):  # "passthrough", "drop"
        return []
    name = type(step).__name__
    if type(step).__module__.split(".")[0] != "sklearn":  # a class made from one of its own may do anything
        return [name]
    found = [] if harmless(step) else [name]
    return found + [more for part in _PARTS.get(name, lambda step: [])(step) for more in _unlike(part, harmless)]


def learners(step: Any) -> List[str]:
    """The parts of a step that took something from the records, or may have."""
    return _unlike(step, _blind)


# ---------------------------------------------------------------- what steps are given


def _texts(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _doubles_or_texts(values: Any) -> bool:
    """An array, or a column of a frame."""
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and not isinstance(values, np.ma.MaskedArray):
        return dtype == np.float64 or dtype.kind == "O" and not sp.issparse(values) and _texts(np.asarray(values).ravel())
    return type(dtype).__name__ == "StringDtype" and _texts(values)


def _tokens(record: Any) -> bool:
    """A record that is no row: a text, or names as a FeatureHasher takes them."""
    return isinstance(record, (str, dict)) or \
        isinstance(record, (list, tuple)) and all(isinstance(part, (str, tuple)) for part in record)


def check_given(X: Any) -> None:
    """Refuses what one record can give another type, and with it all records another arithmetic: 1/2 is 0 for
    integers, categories are cast to the type of the column, and narrow floats are computed with as such."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        taken = all(_doubles_or_texts(X.iloc[:, place]) for place in range(X.shape[1]))
    else:
        taken = all(map(_tokens, X)) if isinstance(X, (list, tuple)) else _doubles_or_texts(X)
    if not taken:
        raise ValueError("a pipeline's steps before a private fit take columns of float64 or of texts alone, since what they make of "
                         "other types one record can change for all; give X.astype(float), or texts in place of what is missing")
