"""Gaussian noise at (epsilon, delta): what estimators ask for, state, and warn of."""

import warnings

import numpy as np
import pytest

import dperm


def rows(n=400, d=12):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, (X[:, 0] > 0).astype(int)


KNOWN = {"data_norm": 1.0, "classes": [0, 1]}


@pytest.mark.parametrize("settings", [{}, {"mechanism": "output"}, {"rows_per_person": 3}, {"neighbours": "add-remove", "rows_about": 400}])
def test_a_model_states_delta_and_verifies(settings):
    X, y = rows()
    clf = dperm.LogisticRegression(1.0, delta=1e-6, noise="gaussian", **KNOWN, **settings).fit(X, y)
    assert clf.privacy_.noise == "gaussian" and clf.privacy_.delta == 1e-6 and clf.model_.to_dict()["private"]
    assert clf.privacy_.verify()[0]


def test_auto_takes_it_for_dense_rows_and_pure_noise_spends_nothing():
    X, y = rows(d=40)
    clf = dperm.LogisticRegression(1.0, delta=1e-6, **KNOWN).fit(X, y)
    assert clf.privacy_.noise == "gaussian"
    clf = dperm.LogisticRegression(1.0, delta=1e-6, noise="l2", **KNOWN).fit(X, y)
    assert clf.privacy_.delta < 1e-40 and clf.privacy_.verify()[0]
    clf = dperm.LogisticRegression(1.0, **KNOWN).fit(X, y)
    assert clf.privacy_.noise != "gaussian" and clf.privacy_.delta < 1e-40


def test_wrong_requests_are_refused():
    X, y = rows()
    for wrong, words in (({"noise": "gaussian"}, "needs delta"), ({"delta": -1e-6}, "at least 0"),
                         ({"delta": 1.0}, "delta = 1"), ({"delta": "1e-6"}, "must be a number"),
                         ({"noise": "gaussian", "delta": 1e-6, "analysis": "paper"}, "no gaussian noise")):
        with pytest.raises((ValueError, dperm.DpermError), match=words):
            dperm.LogisticRegression(1.0, **KNOWN, **wrong).fit(X, y)
    with pytest.raises(ValueError, match="mechanism='none'"):
        dperm.LogisticRegression(None, mechanism="none", delta=1e-6, **KNOWN).fit(X, y)


def test_a_delta_above_one_over_rows_warns():
    X, y = rows()
    with pytest.warns(UserWarning, match="above 1/rows = 0.0025"):
        dperm.LogisticRegression(1.0, delta=0.01, noise="gaussian", **KNOWN).fit(X, y)
    with pytest.warns(UserWarning, match="above 1/rows"):
        dperm.plan(rows=100, dims=5, epsilon=1.0, delta=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dperm.LogisticRegression(1.0, delta=1e-5, noise="gaussian", **KNOWN).fit(X, y)


def test_a_plan_has_the_parts_of_delta():
    plan = dperm.plan(rows=50000, dims=100, epsilon=0.5, delta=1e-6)
    assert plan.noise == "gaussian" and plan.delta == plan.delta_given == 1e-6
    assert 0.999e-6 < plan.delta_core < 1e-6 and plan.delta_numerics < 1e-40
    pure = min(kind["rms_noise_norm"] for kind in plan["noise_kinds"] if kind["noise"] != "gaussian")
    assert plan.rms_noise_norm <= 0.5 * pure


def test_a_loaded_model_fits_again_in_the_same_way(tmp_path):
    X, y = rows()
    clf = dperm.LogisticRegression(1.0, delta=1e-6, noise="gaussian", **KNOWN).fit(X, y)
    clf.model_.write(tmp_path / "m.json")
    again = dperm.load(tmp_path / "m.json")
    assert again.delta == 1e-6 and again.noise == "gaussian"
    assert again.fit(X, y).privacy_.delta == 1e-6


def test_tuning_shares_delta():
    X, y = rows(600)
    tuner = dperm.PrivateTuner(dperm.LogisticRegression(2.0, delta=1e-5, noise="gaussian", **KNOWN),
                               {"lambda_": [0.01, 0.1]}, method="stopping", rounds_mean=2.0).fit(X, y)
    assert tuner.privacy_.delta == 1e-5 and tuner.privacy_.verify()[0]
