"""Weights of classes: scikit-learn's meaning, what is private about them, what is refused."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import has_fit_parameter

import dperm

quiet = pytest.mark.filterwarnings("ignore::dperm.PrivacyLeakWarning", "ignore::dperm.NotPrivateWarning")


@pytest.fixture(scope="module")
def records():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(600, 3))
    X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None] * (1 + 1e-12)
    return X, (X[:, 0] + 0.5 * rng.normal(size=600) > 0.8).astype(int)


def plain(kind=dperm.LogisticRegression, **how):
    return kind(None, mechanism="none", data_norm=1, classes=[0, 1], fit_intercept=False, **how)


def weights_in(model):
    return model.model_.to_dict().get("class_weights")


@quiet
def test_C_and_weights_mean_what_they_mean_in_scikit_learn(records):
    X, y = records
    for given in ({0: 1, 1: 7}, {1: 7}, {0: 0.2}, {0: 3, 1: 3}, "balanced"):
        ours = plain(C=2.0, class_weight=given).fit(X, y)
        theirs = LogisticRegression(C=2.0, class_weight=given, fit_intercept=False, tol=1e-12, max_iter=10000).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)


def test_whole_weights_are_records_repeated(records):
    X, y = records
    often = np.repeat(np.arange(len(y)), np.where(y == 1, 4, 1))
    for kind in (dperm.LogisticRegression, dperm.LinearSVC):
        weighted = plain(kind, C=0.5, class_weight={1: 4}).fit(X, y)
        repeated = plain(kind, C=0.5).fit(X[often], y[often])
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-8)


def test_only_ratios_count_beside_lambda(records):
    first = plain(lambda_=0.01, class_weight={0: 1, 1: 10}).fit(*records)
    second = plain(lambda_=0.01, class_weight={0: 0.05, 1: 0.5}).fit(*records)
    assert (first.coef_ == second.coef_).all()
    assert weights_in(first) == weights_in(second) == [0.1, 1.0]


@pytest.mark.parametrize("kind, more", [(dperm.LogisticRegression, {}), (dperm.LinearSVC, {"mechanism": "output"}),
                                        (dperm.KernelSVC, {"n_components": 6})])
def test_public_weights_are_private(kind, more, records, tmp_path):
    X, y = records
    model = kind(1.0, data_norm=1, classes=[0, 1], class_weight={1: 10}, **more).fit(X, y)
    assert model.privacy_.private and weights_in(model) == [0.1, 1.0]
    model.save(tmp_path / "m.json")
    back = dperm.load(tmp_path / "m.json")
    assert back.privacy_.private and back.class_weight == {0: 0.1, 1: 1.0}
    assert clone(back).class_weight == back.class_weight
    assert weights_in(pickle.loads(pickle.dumps(model))) == [0.1, 1.0]
    assert json.loads((tmp_path / "m.json").read_text())["private"]


def test_weights_find_the_rare_class(records):
    X, y = records
    found = [(plain(dperm.LinearSVC, lambda_=1e-2, class_weight=w).set_params(fit_intercept=True).fit(X, y)
              .predict(X)[y == 1] == 1).mean() for w in (None, {1: 10})]
    assert found[0] < 0.6 and found[1] > 0.8


@quiet
def test_the_noise_is_the_same_with_weights(records):
    def fit(**more):
        return dperm.LogisticRegression(1.0, data_norm=1, classes=[0, 1], random_state=3, **more).fit(*records)

    first, second = fit().model_.to_dict()["privacy"], fit(class_weight={1: 10}).model_.to_dict()["privacy"]
    assert first == second
    assert (fit(class_weight={0: 2, 1: 2}).coef_ == fit().coef_).all()


@quiet
def test_labels_of_any_kind_and_several_classes(records):
    X, y = records
    three = np.where(X[:, 1] > 0.3, "c", np.where(y == 1, "b", "a"))
    model = dperm.LogisticRegression(3.0, data_norm=1, classes=["a", "b", "c"], class_weight={"b": 4, "c": 2}).fit(X, three)
    assert weights_in(model) == [0.25, 1.0, 0.5]
    balanced = dperm.LinearSVC(3.0, data_norm=1, classes=["a", "b", "c"], class_weight="balanced").fit(sp.csr_matrix(X), three)
    counts = np.array([(three == k).sum() for k in "abc"])
    np.testing.assert_allclose(weights_in(balanced), counts.min() / counts)
    table = {"columns": [{"name": n, "type": "numeric", "min": -1, "max": 1} for n in "pqr"],
             "label": {"column": "y", "classes": ["0", "1"]}}
    import pandas as pd

    model = dperm.LogisticRegression(1.0, schema=table, class_weight={0: 1, 1: 2}).fit(pd.DataFrame(X, columns=list("pqr")), y)
    assert weights_in(model) == [0.5, 1.0]


def test_balanced_weights_are_a_leak(records, tmp_path):
    model = dperm.LogisticRegression(1.0, data_norm=1, classes=[0, 1], class_weight="balanced")
    with pytest.warns(dperm.PrivacyLeakWarning, match="counts the labels; the model is NOT private"):
        model.fit(*records)
    assert not model.privacy_.private
    assert "the weights of classes were taken from the records" in str(model.privacy_)
    model.save(tmp_path / "m.json")
    assert dperm.load(tmp_path / "m.json").class_weight == "balanced"
    with dperm.strict(), pytest.raises(ValueError, match="counts the labels"):
        clone(model).fit(*records)


@quiet
def test_tuner_and_sweep_pass_them_on(records):
    X, y = records
    base = dperm.LinearSVC(2.0, data_norm=1, classes=[0, 1], class_weight={1: 5})
    tuned = dperm.PrivateTuner(base, {"lambda_": [0.01, 0.1]}).fit(X, y)
    assert tuned.privacy_.private and weights_in(tuned.best_estimator_) == [0.2, 1.0]
    chosen = dperm.PrivateTuner(base, {"class_weight": [{1: 4}, {1: 5.0}]}).fit(X, y)
    assert chosen.privacy_.private and chosen.model_.to_dict()["selection"]["candidates"][1]["class_weights"] == {"1": 5.0}
    spoiled = dperm.PrivateTuner(base, {"class_weight": [{1: 5}, "balanced"]}).fit(X, y)
    assert not spoiled.privacy_.private
    cells = dperm.sweep(base, {"class_weight": [None, {1: 1}, {1: 50}, "balanced"]}, X, y, folds=3, draws=3)
    assert cells[0]["error_mean"] == cells[1]["error_mean"] != cells[2]["error_mean"]
    assert len(cells) == 4


@pytest.mark.parametrize("wrong, words", [
    ("heavy", "give a dict"), ([1, 2], "give a dict"), ({1: 0}, "above 0"), ({1: -1}, "above 0"),
    ({1: float("nan")}, "must be"), ({1: "3"}, "must be a number"), ({1: 1e9}, "between 1e-06 and 1e"),
    ({"maybe": 2}, '"maybe" has a weight and is no class')])
def test_wrong_weights_are_named(wrong, words, records):
    with pytest.raises(ValueError, match=words):
        dperm.LogisticRegression(1.0, data_norm=1, classes=[0, 1], class_weight=wrong).fit(*records)


def test_weights_of_records_are_refused_with_the_reason(records):
    X, y = records
    model = dperm.LogisticRegression(1.0, data_norm=1, classes=[0, 1])
    for fitter in (model, dperm.PrivateTuner(model, {"lambda_": [0.1]})):
        with pytest.raises(TypeError, match="fit takes no sample_weight: .* depend on that record alone"):
            fitter.fit(X, y, sample_weight=np.ones(len(y)))
        with pytest.raises(TypeError, match="unexpected keyword argument 'sample_weigth'"):
            fitter.fit(X, y, sample_weigth=None)
        assert not has_fit_parameter(fitter, "sample_weight")  # so AdaBoost and its kin say it, too
