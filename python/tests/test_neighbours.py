"""Records added and removed: how many there are is private, in everything that Python stores or prints."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import dperm
from checks import refused

ADDING = {"neighbours": "add-remove", "rows_about": 100}
SCHEMA = {"label": {"column": "y", "positive": ["1"], "negative": ["0"]},
          "columns": [{"name": "a", "type": "numeric", "min": -1, "max": 1},
                      {"name": "b", "type": "numeric", "min": -1, "max": 1}]}


def rows(n):
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, size=(200, 2))[:n]
    return X, (X[:, 0] > 0).astype(int)


def table(n):
    X, y = rows(n)
    return [{"a": str(a), "b": str(b)} for a, b in X], y


def private_parts(estimator):
    """All that an estimator holds, but for what may depend on the records: the weights and the model's digest."""
    content = estimator.model_.to_dict()
    weights, digest = content.pop("weights"), content.pop("digest")
    assert weights and digest
    state = {name: value for name, value in estimator.__dict__.items() if name not in ("model_", "_schema", "_privacy")}
    state["_order"] = vars(state["_order"])
    return content, repr(estimator), repr(estimator.privacy_), {k: repr(v) for k, v in state.items()}, \
        repr(getattr(estimator._schema, "to_dict", lambda: None)()), [f.line.replace(digest, "") for f in estimator.privacy_.verify()[1] if "weights" not in f.line and "digest" not in f.line]


WAYS = {
    "dense": lambda n: (dict(data_norm=2, classes=[0, 1]), *rows(n)),
    "sparse": lambda n: (dict(data_norm=2, classes=[0, 1]), sp.csr_matrix(rows(n)[0]), rows(n)[1]),
    "bounds": lambda n: (dict(bounds=(-1, 1), classes=[0, 1]), *rows(n)),
    "schema": lambda n: (dict(schema=SCHEMA, classes=[0, 1]), *rows(n)),
    "bins": lambda n: (dict(schema=SCHEMA, classes=[0, 1], bins="auto"), *rows(n)),
    "refined": lambda n: (dict(schema=SCHEMA, classes=[0, 1], refine=0.3), *rows(n)),
    "C": lambda n: (dict(data_norm=2, classes=[0, 1], C=3.0), *rows(n)),
    "weights": lambda n: (dict(data_norm=2, classes=[0, 1], class_weight={0: 2.0}), *rows(n)),
    "three classes": lambda n: (dict(data_norm=2, classes=[0, 1, 2]), *rows(n)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", WAYS)
def test_nothing_but_the_weights_depends_on_the_number_of_records(way):
    seen = []
    for n in (0, 1, 120, 121):
        settings, X, y = WAYS[way](n)
        fitted = dperm.LogisticRegression(1.0, random_state=3, **ADDING, **settings).fit(X, y)
        seen.append(private_parts(fitted))
    for part in seen:
        assert part == seen[0]
    content = seen[0][0]
    assert content["rows"] is None and content["rows_fitted"] is None and content["rows_about"] == 100


def test_what_it_says_and_what_it_is_worth(tmp_path):
    X, y = rows(150)
    clf = dperm.LogisticRegression(1.0, data_norm=2, classes=[0, 1], lambda_=0.05, noise="l2", **ADDING).fit(X, y)
    other = dperm.LogisticRegression(1.0, data_norm=2, classes=[0, 1], lambda_=0.05, noise="l2").fit(X[:100], y[:100])
    assert clf.privacy_.neighbours == "add-remove" and clf.privacy_.rows is None and clf.privacy_.rows_about == 100
    assert "added or removed" in repr(clf.privacy_)
    assert clf.privacy_.verify()[0]
    assert clf.privacy_.beta > 1.5 * other.privacy_.beta
    clf.save(tmp_path / "m.json")
    again = dperm.load(tmp_path / "m.json")
    assert (again.neighbours, again.rows_about) == ("add-remove", 100)
    assert again.fit(X, y).privacy_.neighbours == "add-remove"
    copy = pickle.loads(pickle.dumps(clf))
    assert json.loads(copy.model_.json)["rows"] is None


def test_every_classifier_takes_it():
    X, y = rows(150)
    for made in (dperm.LinearSVC(1.0, data_norm=2, classes=[0, 1], **ADDING),
                 dperm.KernelSVC(1.0, data_norm=2, classes=[0, 1], n_components=6, **ADDING)):
        assert made.fit(X, y).privacy_.neighbours == "add-remove"


def test_plans():
    plan = dperm.plan(epsilon=1.0, dims=5, **ADDING)
    assert plan.rows is None and plan.rows_about == 100 and plan.neighbours == "add-remove"
    assert plan.rms_noise_norm < dperm.plan(100, epsilon=1.0, dims=5).rms_noise_norm
    assert dperm.plan(epsilon=1.0, schema=SCHEMA, **ADDING).epsilon_refined == 0
    refused(ValueError, "private", dperm.plan, 99, epsilon=1.0, dims=5, **ADDING)
    refused(TypeError, "rows", dperm.plan, epsilon=1.0, dims=5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", ("dense", "sparse", "bounds", "schema", "three classes"))
def test_scores_tell_the_number_through_noisy_counts_alone(way):
    settings, X, y = WAYS[way](150)
    clf = dperm.LogisticRegression(1.0, random_state=3, **ADDING, **settings).fit(X, y)
    seen = {}
    for n in (0, 1, 2, 3):
        _, X, y = WAYS[way](n)
        for seed in range(60):
            found = clf.score_private(X, y, epsilon=2.0, neighbours="add-remove", random_state=seed)
            assert found["rows"] is None
            key = (found["errors"], found["correct"])
            assert seen.setdefault(key, repr(found)) == repr(found)
    assert len(seen) < 150  # of 240: many agree
    _, X, y = WAYS[way](150)
    huge = clf.score_private(X, y, epsilon=200.0, neighbours="add-remove")  # noise once in e^200
    assert huge["errors"] + huge["correct"] == 150
    refused(ValueError, "private for neighbours add-remove", clf.score_private, X, y, epsilon=1.0)
    refused(ValueError, "choose one of", clf.score_private, X, y, epsilon=1.0, neighbours="both")


def test_records_are_asked_for_bins():
    wide = {**SCHEMA, "columns": [{"name": n, "type": "numeric", "min": 0, "max": 10} for n in ("a", "b")]}
    adding = dict(neighbours="add-remove", rows_about=5000)
    for n in (0, 150):
        X, y = rows(n)
        clf = dperm.LogisticRegression(1.0, schema=wide, classes=[0, 1], **adding).fit(X + 1, y)
        assert round(clf.privacy_.epsilon_refined, 9) in (0.035, 0.135) and clf.privacy_.epsilon == 1.0
        assert clf.privacy_.rows is None and clf.privacy_.verify()[0]
    plan = dperm.plan(epsilon=1.0, schema=wide, **adding)
    assert (round(plan.epsilon_refined, 9), plan.refined_by) == (0.035, "answer")


def test_scores_of_replace_models(tmp_path):
    X, y = rows(150)
    clf = dperm.LogisticRegression(1.0, data_norm=2, classes=[0, 1]).fit(X, y)
    refused(ValueError, "private for neighbours replace", clf.score_private, X, y, epsilon=1.0, neighbours="add-remove")
    ledger = dperm.Ledger.create(tmp_path / "l.db", "people", epsilon=1, neighbours="add-remove")
    paid = dict(public_model=True, ledger=ledger, dataset="people")
    assert clf.score_private(X, y, epsilon=0.25, neighbours="add-remove", **paid)["private"]
    assert ledger.left("people") == "0.75"
    refused(dperm.BudgetError, "added and removed", clf.score_private, X, y, epsilon=0.25, **paid)


def test_refusals():
    X, y = rows(100)
    made = dict(data_norm=2, classes=[0, 1])
    refused(ValueError, "needs rows_about", dperm.LogisticRegression(1.0, neighbours="add-remove", **made).fit, X, y)
    refused(ValueError, "rows_about is for", dperm.LogisticRegression(1.0, rows_about=100, **made).fit, X, y)
    refused(ValueError, "choose one of", dperm.LogisticRegression(1.0, neighbours="added", **made).fit, X, y)
    refused(ValueError, "paper", dperm.LogisticRegression(1.0, analysis="paper", **ADDING, **made).fit, X, y)
    refused(ValueError, "", dperm.LogisticRegression(1.0, **made).fit, X[:0], y[:0])
