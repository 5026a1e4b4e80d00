"""PrivateTuner: one epsilon for the choice and the fit; the command line's choice, bit for bit."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import dperm
from dperm import NotPrivateWarning

GRID = {"lambda_": [1e-3, 1e-2, 1e-1]}


def base(**more):
    return dperm.LogisticRegression(2, data_norm=3, classes=[0, 1], **more)


@pytest.mark.parametrize("method", ["split", "stopping"])
def test_the_claim_covers_the_choice(two, method):
    tuner = dperm.PrivateTuner(base(), GRID, method=method).fit(*two)
    assert tuner.privacy_.private and tuner.privacy_.epsilon == 2
    assert tuner.privacy_.selection["method"] == method and tuner.privacy_.verify()[0]
    assert tuner.best_params_ == {"lambda_": GRID["lambda_"][tuner.best_index_]}
    assert tuner.predict_proba(two[0]).shape == (1000, 2)
    with pytest.warns(NotPrivateWarning):
        seeded = dperm.PrivateTuner(base(random_state=1), GRID, method=method).fit(*two)
    assert seeded.score(*two) > 0.7
    again = pickle.loads(pickle.dumps(tuner))
    assert (again.predict(two[0]) == tuner.predict(two[0])).all()
    assert not hasattr(tuner, "cv_results_") and not hasattr(tuner, "n_rounds_")


def test_the_choice_is_the_command_lines(census, command, tmp_path):
    command("tune", "--force", "--data", census / "people.csv", "--schema", census / "schema.json", "--epsilon", 1,
            "--lambda", "0.001,0.01,0.1", "--seed", 9, "--out", tmp_path / "m.json")
    clf = dperm.LogisticRegression(1, schema=census / "schema.json", random_state=9)
    with pytest.warns(NotPrivateWarning):
        tuner = dperm.PrivateTuner(clf, GRID).fit(pd.read_csv(census / "people.csv"))
    theirs = json.loads((tmp_path / "m.json").read_text())
    assert tuner.model_.weights.tolist() == [theirs["weights"]]
    assert tuner.best_index_ == theirs["selection"]["chosen"]


def test_public_data_choose_for_nothing(two):
    X, y = two
    tuner = dperm.PrivateTuner(base(), GRID, method="public", holdout=0.5, public_data=(X[:300], y[:300]))
    tuner.fit(X[300:], y[300:])
    assert tuner.privacy_.selection["public_rows"] == 300 and tuner.privacy_.rows_fitted == 700


@pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")
@pytest.mark.parametrize("how", ["themselves", "turned", "seeded", "other labels", "with others", "a part"])
def test_a_choice_on_the_private_records_ends_the_run_behind_the_charge(how, two, tmp_path):
    X, y = two
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 5)
    more = {"random_state": 1, "ledger": "none"} if how == "seeded" else {"ledger": ledger, "dataset": "people"}
    shown = {"turned": (X[::-1], y[::-1]), "other labels": (X, 1 - y), "a part": (X[:200], y[:200]),
             "with others": (np.vstack([X, X[:100] / 2]), np.append(y, y[:100]))}.get(how, two)
    base = dperm.LogisticRegression(1.0, data_norm=2, classes=[0, 1], **more)
    tuner = dperm.PrivateTuner(base, {"lambda_": [0.1, 0.2]}, method="public", public_data=shown)
    with pytest.raises(dperm.DataError, match="are the private records, or mostly, .*; choose on other records") as error:
        tuner.fit(X, y)
    assert not hasattr(tuner, "best_estimator_")
    assert ("stays spent" in str(error.value)) == (how != "seeded")
    assert ledger.left("people") == ("5" if how == "seeded" else "4")


def test_losses_and_kernels_can_be_candidates(two):
    svc = dperm.LinearSVC(4, data_norm=3, classes=[0, 1])
    tuner = dperm.PrivateTuner(svc, [{"loss": ["huber"], "h": [0.3, 0.5]}, {"loss": ["smooth-hinge"]}])
    tuner.fit(*two)
    assert tuner.best_estimator_.loss == tuner.privacy_.loss["name"]
    kernel = dperm.KernelSVC(4, data_norm=3, classes=[0, 1], n_components=10)
    assert dperm.PrivateTuner(kernel, {"gamma": [0.1, 1.0]}).fit(*two).privacy_.verify()[0]


def test_a_tuner_has_what_its_estimator_has(two, tmp_path):
    X, y = pd.DataFrame(two[0], columns=list("abcd")), two[1]
    tuner = dperm.PrivateTuner(base(), GRID)
    for name in ("coef_", "intercept_", "classes_", "feature_names_in_", "privacy_"):
        assert not hasattr(tuner, name)
    tuner.fit(X, y)
    best = tuner.best_estimator_
    for name in ("coef_", "intercept_", "classes_", "feature_names_in_", "n_features_in_"):
        assert np.array_equal(getattr(tuner, name), getattr(best, name))
    for name in ("decision_function", "predict", "predict_proba", "predict_log_proba"):
        assert np.array_equal(getattr(tuner, name)(X), getattr(best, name)(X))
    found = tuner.score_private(X, y, epsilon=200, counts=True)  # noise once in e^100 / 8
    assert found["errors"] == (tuner.predict(X) != y).sum() and "true_positives" in found
    assert {row["column"] for row in tuner.explain().rows()} == set("abcd")
    tuner.save(tmp_path / "m.json")
    assert dperm.load(tmp_path / "m.json").coef_.tolist() == tuner.coef_.tolist()
    assert not hasattr(tuner.fit(X.to_numpy(), y), "feature_names_in_")


def test_no_probabilities_of_a_support_vector_machine(two):
    tuner = dperm.PrivateTuner(dperm.LinearSVC(2, data_norm=3, classes=[0, 1]), GRID)
    for found in (tuner, tuner.fit(*two)):
        assert not hasattr(found, "predict_proba") and not hasattr(found, "predict_log_proba")
        assert hasattr(found, "decision_function") and hasattr(dperm.PrivateTuner(base(), GRID), "predict_proba")


def test_several_classes(clouds):
    clf = dperm.LogisticRegression(6, data_norm=5, classes=[0, 1, 2])
    tuner = dperm.PrivateTuner(clf, {"lambda_": [1e-3, 1e-2]}).fit(*clouds)
    assert tuner.privacy_.verify()[0] and tuner.privacy_.epsilon_class == 6


@pytest.mark.parametrize("settings, message", [
    (dict(param_grid={"epsilon": [1, 2]}), "epsilon cannot be tuned"),
    (dict(param_grid={"data_norm": [1, 2]}), "data_norm cannot be tuned"),
    (dict(param_grid={"x": [1]}), "x is no setting of LogisticRegression"),
    (dict(param_grid={"lambda_": [1e-3, 0.001]}), "has lambda_=0.001 twice; each candidate costs rows"),
    (dict(param_grid=[{"lambda_": [0.1]}, {"lambda_": [0.2, 0.1]}]), "has lambda_=0.1 twice"),
    (dict(method="guess"), "method='guess'"), (dict(selector="x"), "selector='x'"),
    (dict(method="public"), "public_data goes with"), (dict(rounds_mean=0.5), "rounds_mean=0.5")])
def test_wrong_settings_say_what_is_wrong(two, settings, message):
    with pytest.raises(ValueError, match=message):
        dperm.PrivateTuner(**{"estimator": base(), "param_grid": GRID, **settings}).fit(*two)
