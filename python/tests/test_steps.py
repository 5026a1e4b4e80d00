"""Steps of a pipeline before a private fit: those that may have learned something from the records warn, and the
model says so. Harmless are those alone that are listed, with the settings that are listed."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import scipy.special
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import AdditiveChi2Sampler, PolynomialCountSketch, RBFSampler, SkewedChi2Sampler
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.preprocessing import (Binarizer, FunctionTransformer, KBinsDiscretizer, MinMaxScaler, Normalizer,
                                   OneHotEncoder, OrdinalEncoder, PolynomialFeatures, RobustScaler, StandardScaler,
                                   scale)
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.utils import all_estimators

import dperm
from dperm.steps import BLIND, check_given, learners

try:
    from sklearn.frozen import FrozenEstimator
except ImportError:  # scikit-learn before 1.6
    FrozenEstimator = None
LEAK = dperm.PrivacyLeakWarning


def clf(**how):
    return dperm.LogisticRegression(5.0, data_norm=3, classes=[0, 1], **how)


class Clip(TransformerMixin, BaseEstimator):
    """Somebody's own step; that it learns nothing cannot be seen."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return np.clip(X, -1, 1)


class Powers(PolynomialFeatures):
    """Made from a harmless one, and able to do anything."""


THREE = [[-1.0, 0.0, 1.0]] * 4
SIGNS = FunctionTransformer(np.sign)
HAVE_KEPT = {"keep_empty_features": True} if hasattr(SimpleImputer(), "keep_empty_features") else {}
OFTEN = {"min_frequency": 2} if hasattr(OneHotEncoder(), "min_frequency") else {"categories": "auto"}
LEARNS = {"StandardScaler": [StandardScaler()], "MinMaxScaler": [FunctionTransformer(), MinMaxScaler()],
          "Clip": [Clip()], "Powers": [Powers()], "KBinsDiscretizer": [KBinsDiscretizer(3)],
          "SimpleImputer": [SimpleImputer()],
          "StandardScaler, OneHotEncoder": [ColumnTransformer([
              ("a", StandardScaler(), [0, 1]), ("b", OneHotEncoder(handle_unknown="ignore"), [2]),
              ("c", "drop", [3])])],
          "RobustScaler": [ColumnTransformer([("a", Normalizer(), [0])], remainder=RobustScaler())],
          "ColumnTransformer": [ColumnTransformer([("a", Normalizer(), lambda X: [0, int(X[0, 0] > 0) + 1])])],
          "Clip, MinMaxScaler": [FeatureUnion([("a", Clip()), ("b", make_pipeline(Normalizer(), MinMaxScaler()))])],
          "RBFSampler": [RBFSampler(gamma="scale", random_state=1)], "FunctionTransformer": [FunctionTransformer(scale)],
          "TfidfTransformer": [FunctionTransformer(np.abs), TfidfTransformer()],
          "OneHotEncoder": [SIGNS, OneHotEncoder(**{"categories": THREE, **OFTEN})]}
HARMLESS = {"none": [], "function": [FunctionTransformer(np.tanh)], "powers": [PolynomialFeatures(2)],
            "lengths": [Normalizer()], "passed": ["passthrough"],
            "public categories": [SIGNS, OneHotEncoder(categories=THREE)],
            "constant": [SimpleImputer(strategy="constant", fill_value=0, **HAVE_KEPT)],
            "columns": [ColumnTransformer([("a", Normalizer(), [0, 1]), ("b", "passthrough", [2])], sparse_threshold=0)],
            "union": [make_union(Normalizer(), make_pipeline(Binarizer(), RBFSampler(n_components=3, random_state=1)))]}


@pytest.mark.parametrize("steps", LEARNS)
def test_a_step_that_learns_from_the_records_warns_and_the_model_says_so(steps, two, tmp_path):
    pipe = make_pipeline(*LEARNS[steps], clf())
    with pytest.warns(LEAK, match=steps + " in the pipeline"):
        privacy = pipe.fit(*two)[-1].privacy_
    assert not privacy.private and "values were scaled or chosen" in privacy.reason
    with dperm.strict(), pytest.raises(ValueError, match=steps + " in the pipeline"):
        pipe.fit(*two)
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 9)
    charged = make_pipeline(*LEARNS[steps], clf(ledger=ledger, dataset="people"))
    with pytest.warns(LEAK), pytest.raises(dperm.BudgetError, match="not private"):
        charged.fit(*two)
    assert not ledger.entries()


@pytest.mark.parametrize("steps", HARMLESS)
def test_a_step_that_learns_nothing_does_not(steps, two):
    with warnings.catch_warnings():
        warnings.simplefilter("error", LEAK)
        assert make_pipeline(*HARMLESS[steps], clf()).fit(*two)[-1].privacy_.private


# ---------------------------------------------------------------- every transformer that there is

NUMBERS = np.abs(np.random.default_rng(5).normal(size=(60, 4)))
TEXTS = [" ".join(f"w{int(10 * value)}" for value in row) for row in NUMBERS]
SOME = [("a", OneHotEncoder(categories=THREE[:3]), [0, 1, 2]), ("b", Normalizer(), [3])]
# Of each that is listed: harmless ones, those that are not for their settings, and records to try them on.
CASES = {
    "AdditiveChi2Sampler": ([AdditiveChi2Sampler()], [], NUMBERS), "Binarizer": ([Binarizer(threshold=0.3)], [], NUMBERS),
    "FeatureHasher": ([FeatureHasher(8, input_type="string")], [], [text.split() for text in TEXTS]),
    "GaussianRandomProjection": ([GaussianRandomProjection(3, random_state=1)], [], NUMBERS),
    "SparseRandomProjection": ([SparseRandomProjection(3, random_state=1)], [], NUMBERS),
    "Normalizer": ([Normalizer(), Normalizer(norm="max")], [], NUMBERS),
    "PolynomialFeatures": ([PolynomialFeatures(3), PolynomialFeatures(2, interaction_only=True)], [], NUMBERS),
    "SkewedChi2Sampler": ([SkewedChi2Sampler(random_state=1)], [], NUMBERS),
    "PolynomialCountSketch": ([PolynomialCountSketch(gamma=0.5, random_state=1)], [], NUMBERS),
    "RBFSampler": ([RBFSampler(gamma=2, random_state=1)], [RBFSampler(gamma="scale")], NUMBERS),
    "OneHotEncoder": ([OneHotEncoder(categories=THREE), OneHotEncoder(categories=THREE, drop="first")],
                      [OneHotEncoder(), OneHotEncoder(categories=THREE, min_frequency=3),
                       OneHotEncoder(categories=THREE, max_categories=2)], np.sign(NUMBERS - 0.5)),
    "OrdinalEncoder": ([OrdinalEncoder(categories=THREE)], [OrdinalEncoder()], np.sign(NUMBERS - 0.5)),
    "SimpleImputer": ([SimpleImputer(strategy="constant", fill_value=1, **HAVE_KEPT)],
                      [SimpleImputer(), SimpleImputer(strategy="constant", fill_value=1, add_indicator=True, **HAVE_KEPT),
                       SimpleImputer(strategy="constant", **HAVE_KEPT)] +
                      ([SimpleImputer(strategy="constant", fill_value=1)] if HAVE_KEPT else []),
                      np.where(NUMBERS > 1, np.nan, NUMBERS)),
    "FunctionTransformer": ([FunctionTransformer(), FunctionTransformer(np.log1p), FunctionTransformer(scipy.special.expit)],
                            [FunctionTransformer(scale), FunctionTransformer(lambda X: X), FunctionTransformer(np.cumsum),
                             FunctionTransformer(np.frompyfunc(lambda x: x, 1, 1)), FunctionTransformer(np.matmul),
                             FunctionTransformer(np.sqrt, kw_args={"where": NUMBERS > 1})], NUMBERS),
    "Pipeline": ([make_pipeline(Normalizer(), Binarizer())], [], NUMBERS),
    "FeatureUnion": ([make_union(Normalizer(), Binarizer())], [], NUMBERS),
    "ColumnTransformer": ([ColumnTransformer(SOME, sparse_threshold=0)],
                          [ColumnTransformer(SOME), ColumnTransformer(SOME, sparse_threshold=1),
                           ColumnTransformer([("a", Normalizer(), make_column_selector(dtype_include="number"))], sparse_threshold=0)],
                          np.sign(NUMBERS - 0.5)),
    "HashingVectorizer": ([HashingVectorizer(n_features=16)],
                          [HashingVectorizer(tokenizer=str.split), HashingVectorizer(preprocessor=str.lower),
                           HashingVectorizer(analyzer=str.split), HashingVectorizer(strip_accents=str.lower)], TEXTS)}
if FrozenEstimator is not None:
    fitted = StandardScaler().fit(NUMBERS)
    CASES["FrozenEstimator"] = ([FrozenEstimator(fitted), FrozenEstimator(make_pipeline(fitted, Normalizer()))],
                                [FrozenEstimator(FunctionTransformer(scale)), FrozenEstimator(Clip())], NUMBERS)


def test_the_cases_are_those_that_are_listed():
    assert set(CASES) == set(BLIND) - ({"FrozenEstimator"} if FrozenEstimator is None else set())


@pytest.mark.parametrize("name", CASES)
def test_what_is_listed_makes_each_row_of_its_own_record(name):
    """Another first record leaves all other rows as they are; and other settings are not listed."""
    harmless, others, records = CASES[name]
    for step in harmless:
        assert not learners(step)
        rows = [step.fit_transform(given) if hasattr(step, "fit_transform") else step.fit(given, None).transform(given)
                for given in (records, [*records[1:2], *records[1:]] if isinstance(records, list) else
                              np.vstack([records[1:2], records[1:]]))]
        assert type(rows[0]) is type(rows[1])
        first, second = (r.toarray() if hasattr(r, "toarray") else r for r in rows)
        assert first.shape == second.shape and np.array_equal(first[1:], second[1:])
    for step in others:
        assert learners(step) == [name]


@pytest.mark.parametrize("name, kind", all_estimators(type_filter="transformer"))
def test_every_transformer_is_listed_or_counts_as_learned(name, kind):
    """By its class alone, whatever it keeps."""
    if name in BLIND:
        assert name in CASES
        return
    assert learners(kind.__new__(kind)) == [name]


def test_those_that_are_made_of_others_count_by_them():
    parts = [("a", Clip(), [0]), ("b", Normalizer(), [1])]
    assert learners(ColumnTransformer(parts, sparse_threshold=0)) == learners(FeatureUnion([("a", Clip())])) == ["Clip"]
    assert learners(ColumnTransformer(parts)) == ["ColumnTransformer", "Clip"]


def test_columns_chosen_by_a_function_are_chosen_by_the_records():
    chosen = ColumnTransformer([("a", Normalizer(), make_column_selector(dtype_include="number"))], sparse_threshold=0)
    assert learners(chosen) == ["ColumnTransformer"] and learners(make_pipeline(chosen, Clip())) == ["ColumnTransformer", "Clip"]


# ---------------------------------------------------------------- the container, and the types that steps are given


def test_one_record_decides_whether_rows_are_sparse_unless_the_threshold_is_0():
    """Scores of most other records were rounded otherwise, and with a large gamma they were other scores."""
    for threshold, sparse in (0.5, {False, True}), (0, {False}):
        step = ColumnTransformer([("a", OneHotEncoder(categories=[[0.0, 1.0]], handle_unknown="ignore"), [0])],
                                 sparse_threshold=threshold)
        records = np.zeros((200, 1))
        found = {sp.issparse(step.fit_transform(np.vstack([[first], records]))) for first in ([1.0], [7.0])}
        assert found == sparse and learners(step) == ([] if threshold == 0 else ["ColumnTransformer"])


WHOLE = np.arange(2, 42).reshape(10, 4)
UNTYPED = {"integers": WHOLE, "lists": WHOLE.tolist(), "tuples": tuple(map(tuple, WHOLE.tolist())), "arrays": list(WHOLE / 2),
           "small integers": WHOLE.astype(np.int8), "booleans": WHOLE > 9, "narrow floats": WHOLE.astype(np.float32),
           "wide floats": WHOLE.astype(np.longdouble), "other bytes": WHOLE.astype(">f8"), "objects": WHOLE.astype(object),
           "texts": WHOLE.astype(str), "complex": WHOLE + 0j, "dates": WHOLE.astype("M8[s]"), "masked": np.ma.array(WHOLE / 2),
           "sparse": sp.csr_matrix(WHOLE), "frame": pd.DataFrame(WHOLE), "nullable": pd.DataFrame(WHOLE / 2).astype("Float64"),
           "one column of integers": pd.DataFrame(WHOLE / 2).astype({1: int}),
           "categories": pd.DataFrame(WHOLE / 2).astype({1: "category"}),
           "texts or not": pd.DataFrame(WHOLE / 2).assign(a=["x", None] * 5)}


@pytest.mark.parametrize("name", UNTYPED)
def test_types_that_one_record_can_change_for_all_are_refused_before_steps(name):
    with pytest.raises(ValueError, match="float64 or of texts") as told:
        check_given(UNTYPED[name])
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("name", ["integers", "lists", "narrow floats", "frame"])
def test_one_half_is_zero_in_a_column_of_integers_and_so_it_is_refused(name):
    """A record with 0.5 would make all others floats."""
    for step in FunctionTransformer(np.reciprocal), make_pipeline(Normalizer(), Binarizer()):
        with pytest.raises(ValueError, match="float64 or of texts"):
            make_pipeline(step, clf()).fit(UNTYPED[name], [0, 1] * 5)


@pytest.mark.parametrize("X, steps", [
    (WHOLE / 2, [FunctionTransformer(np.reciprocal)]), (np.asfortranarray(WHOLE / 2), [Normalizer()]),
    (sp.csr_matrix(WHOLE / 2), [Normalizer()]), (pd.DataFrame(WHOLE / 2), [Normalizer()]), (WHOLE, ["passthrough"]),
    (["a b", "c"] * 5, [HashingVectorizer(n_features=16)]), (pd.Series(["a b", "c"] * 5), [HashingVectorizer(n_features=16)]),
    ([{"a": 1}, {"b": 2.5}] * 5, [FeatureHasher(8)]), ([["a", "b"], ["c"]] * 5, [FeatureHasher(8, input_type="string")]),
    (pd.DataFrame({"a": ["x", "y"] * 5, "b": np.arange(10) / 2}),
     [ColumnTransformer([("a", OneHotEncoder(categories=[["x", "y"]]), ["a"]), ("b", Normalizer(), ["b"])], sparse_threshold=0)])])
def test_doubles_and_texts_are_taken(X, steps):
    with warnings.catch_warnings():
        warnings.simplefilter("error", LEAK)
        assert make_pipeline(*steps, clf()).fit(X, [0, 1] * 5)[-1].privacy_.private


def test_types_do_not_matter_where_nothing_is_private_anyway():
    with pytest.warns(LEAK, match="StandardScaler in the pipeline"):
        assert not make_pipeline(StandardScaler(), clf()).fit(WHOLE, [0, 1] * 5)[-1].privacy_.private
