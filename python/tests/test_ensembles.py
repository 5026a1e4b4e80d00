"""scikit-learn's ensembles, calibration and scorers over private classifiers, with classes that are texts."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import dperm

pytestmark = pytest.mark.filterwarnings("ignore::dperm.PrivacyLeakWarning", "ignore::dperm.NotPrivateWarning")

SCHEMA = {"label": {"column": "kind", "positive": ["default"], "negative": ["paid"]}, "intercept": True,
          "columns": [{"name": n, "type": "numeric", "min": -4, "max": 4} for n in "abcd"]}
# The positive class of the model sorts first; two public labels that do not start at 0; three texts.
LABELS = {"booleans": [True, False], "texts": ["paid", "default"], "numbers": [7, 3], "signs": [-1, 1], "three": ["w", "u", "v"]}


@pytest.fixture(params=[*LABELS, "schema"])
def case(request, two, clouds):
    """Estimators that say what they say by a seed, with X and y."""
    if request.param == "schema":
        X, y = pd.DataFrame(two[0], columns=list("abcd")), np.array(["default", "paid"])[two[1]]
        settings = dict(schema=SCHEMA)
    else:
        classes = LABELS[request.param]
        X, codes = clouds if len(classes) == 3 else two
        y, settings = np.array(sorted(classes))[codes], dict(data_norm=5, classes=classes)
    make = {kind: (lambda kind=kind: kind(25, random_state=1, **settings))
            for kind in (dperm.LogisticRegression, dperm.LinearSVC)}
    return make[dperm.LogisticRegression], make[dperm.LinearSVC], X, y


def good(found, X, y):
    assert found.classes_.tolist() == np.unique(y).tolist()
    predicted = found.predict(X)
    assert predicted.dtype.kind == y.dtype.kind and accuracy_score(y, predicted) > 0.85
    return True


def test_voting(case):
    logistic, svc, X, y = case
    members = [("a", logistic()), ("b", make_pipeline(FunctionTransformer(), logistic()))]
    soft = VotingClassifier(members, voting="soft").fit(X, y)
    assert good(soft, X, y) and good(VotingClassifier(members + [("c", svc())]).fit(X, y), X, y)
    if len(soft.classes_) == 2:
        assert roc_auc_score(y == soft.classes_[1], soft.predict_proba(X)[:, 1]) > 0.9


def test_voting_of_tuners(case):
    logistic, _, X, y = case
    tuner = dperm.PrivateTuner(logistic(), {"lambda_": [1e-4, 1e-3]})
    assert good(VotingClassifier([("a", tuner), ("b", logistic())], voting="soft").fit(X, y), X, y)


@pytest.mark.parametrize("jobs", [None, 2])
def test_bagging(case, jobs):
    logistic, svc, X, y = case
    if isinstance(X, pd.DataFrame):
        X = X.to_numpy()  # it makes arrays of tables
    for base in (logistic(), svc()):
        assert good(BaggingClassifier(base, 3, random_state=1, n_jobs=jobs).fit(X, y), X, y)


@pytest.mark.parametrize("jobs", [None, 2])
def test_stacking(case, jobs):
    logistic, svc, X, y = case
    final = dperm.LogisticRegression(25, data_norm=5, classes=range(len(np.unique(y))), random_state=1)
    stack = StackingClassifier([("a", logistic()), ("b", svc())], final, cv=3, n_jobs=jobs)
    assert good(stack.fit(X, y), X, y)
    texts = clone(final).set_params(classes=[f"class {i}" for i in range(len(np.unique(y)))])  # which it numbers too
    assert good(clone(stack).set_params(final_estimator=texts, passthrough=False).fit(X, y), X, y)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("ensemble", [True, False])
def test_calibration(case, method, ensemble):
    for base in case[:2]:
        X, y = case[2:]
        found = CalibratedClassifierCV(base(), method=method, ensemble=ensemble, cv=3).fit(X, y)
        assert good(found, X, y)
        if len(found.classes_) == 2:
            assert roc_auc_score(y == found.classes_[1], found.predict_proba(X)[:, 1]) > 0.9


@pytest.mark.parametrize("scoring, least", [("roc_auc", 0.9), ("roc_auc_ovr", 0.9), ("neg_log_loss", -0.6),
                                            ("accuracy", 0.85), ("average_precision", 0.8), ("f1_macro", 0.85)])
def test_grid_search_by_every_scorer(case, scoring, least):
    logistic, _, X, y = case
    if len(np.unique(y)) == 3 and scoring in ("roc_auc", "average_precision"):
        pytest.skip("for two classes")
    if scoring == "average_precision" and sorted(set(y)) not in ([-1, 1], [0, 1]):
        pytest.skip("scikit-learn asks for a pos_label")
    grid = GridSearchCV(logistic(), {"lambda_": [1e-4, 1e-3]}, scoring=scoring, cv=3, error_score="raise").fit(X, y)
    assert grid.best_score_ > least and good(grid, X, y)


def test_scorers_of_a_support_vector_machine(case):
    _, svc, X, y = case
    if len(np.unique(y)) == 2:
        assert cross_val_score(svc(), X, y, scoring="roc_auc", cv=3).min() > 0.9


@pytest.mark.parametrize("jobs", [None, 2])
def test_predictions_of_a_cross_validation(case, jobs):
    logistic, svc, X, y = case
    proba = cross_val_predict(logistic(), X, y, cv=3, method="predict_proba", n_jobs=jobs)
    scores = cross_val_predict(svc(), X, y, cv=3, method="decision_function", n_jobs=jobs)
    classes = np.unique(y)
    assert accuracy_score(y, classes[proba.argmax(axis=1)]) > 0.85
    winners = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(int)
    assert accuracy_score(y, classes[winners]) > 0.85
    assert accuracy_score(y, cross_val_predict(logistic(), X, y, cv=3, n_jobs=jobs)) > 0.85


def test_numbers_for_texts_are_refused_from_anybody_else(two):
    X, y = two
    clf = dperm.LogisticRegression(1, data_norm=5, classes=["paid", "default"])
    for other in (clf, make_pipeline(FunctionTransformer(), clf), GridSearchCV(clf, {"C": [1]}, error_score="raise")):
        with pytest.raises(ValueError, match="none of the classes"):
            other.fit(X, y)

    class Mine(dperm.LogisticRegression):
        def fit(self, X, y=None):  # code that is not scikit-learn's, and gives numbers of its own
            return clone(clf).fit(X, y)

    mine = Mine(1, data_norm=5, classes=["paid", "default"])
    with pytest.raises(ValueError, match="none of the classes"):
        VotingClassifier([("a", mine)]).fit(X, np.array(["default", "paid"])[y])


def test_numbered_labels_are_taken_from_the_records(two):
    """One record with a label that no other has moves the numbers of all labels behind it."""
    z = np.where(two[0][:, 0] > 0, "a", "c")
    clf = dperm.LogisticRegression(1.0, data_norm=3, classes=["a", "b", "c"])
    schema = {**SCHEMA, "label": {"column": "kind", "classes": ["a", "b", "c"]}}
    frame = pd.DataFrame(two[0], columns=list("abcd"))
    for first in ("a", "b"):
        z[0] = first
        for model, X in ((clf, two[0]), (make_pipeline(FunctionTransformer(), clf), two[0]),
                         (dperm.PrivateTuner(clf, {"C": [1, 2]}), two[0]),
                         (dperm.LogisticRegression(1.0, schema=schema), frame)):
            found = VotingClassifier([("m", model)]).fit(X, z).estimators_[0]
            privacy = getattr(found, "_final_estimator", found).privacy_
            assert not privacy.private and "the classes were taken from the records" in privacy.reason
