"""`calibrate=`: a share of epsilon for the temperature of probabilities."""

import numpy as np
import pytest
from sklearn.base import clone

import dperm


def circle(classes, rows=3000):
    rng = np.random.default_rng(classes)
    kind = rng.integers(classes, size=rows)
    angle = 2 * np.pi * (kind + 0.3 * rng.uniform(size=rows)) / classes
    wrong = rng.uniform(size=rows) < 0.2
    return 0.7 * np.column_stack([np.cos(angle), np.sin(angle)]), np.where(wrong, rng.integers(classes, size=rows), kind)


def fitted(classes, **settings):
    X, y = circle(classes)
    clf = dperm.LogisticRegression(4.0, lambda_=0.5, data_norm=1, classes=list(range(classes)), random_state=1, **settings)
    with pytest.warns(dperm.NotPrivateWarning):
        return clf.fit(X, y), X, y


def log_loss(clf, X, y):
    return -np.log(clf.predict_proba(X)[np.arange(len(y)), y]).mean()


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_those_of_scores_times_the_number(classes, tmp_path):
    plain, X, y = fitted(classes)
    sharp, _, _ = fitted(classes, calibrate=0.25)
    by = sharp.model_.inverse_temperature
    assert plain.model_.inverse_temperature == 1 and by > 2
    assert log_loss(sharp, X, y) < 0.9 * log_loss(plain, X, y)
    scores = sharp.decision_function(X)
    if classes == 2:
        np.testing.assert_allclose(sharp.predict_proba(X)[:, 1], 1 / (1 + np.exp(-by * scores)), rtol=1e-12)
        assert np.array_equal(sharp.predict(X), (scores > 0).astype(int))
    else:
        shares = np.exp(by * scores)
        np.testing.assert_allclose(sharp.predict_proba(X), shares / shares.sum(axis=1, keepdims=True), rtol=1e-12)
        assert np.array_equal(sharp.predict(X), scores.argmax(axis=1))
    assert sharp.privacy_.epsilon_calibrated == 1.0 and plain.privacy_.epsilon_calibrated == 0
    sharp.model_.write(str(tmp_path / "m.json"))
    loaded = dperm.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), sharp.predict_proba(X))
    assert loaded.calibrate == 0.25 and clone(loaded).calibrate == 0.25


def test_a_private_one_verifies_and_a_plan_shows_its_share():
    X, y = circle(3)
    clf = dperm.LogisticRegression(2.0, data_norm=1, classes=[0, 1, 2], calibrate=0.1).fit(X, y)
    assert clf.privacy_.private and clf.privacy_.verify()[0] and clf.privacy_.epsilon == 2
    plan = dperm.plan(3000, dims=3, classes=3, epsilon=2.0, calibrate=0.1)
    assert plan.epsilon_calibrated == 0.2 and plan.epsilon_row == clf.privacy_.epsilon_row


def test_auto_pays_or_spends_nothing():
    assert dperm.plan(3000, dims=40, epsilon=1.0, calibrate="auto").epsilon_calibrated == 0.05
    assert dperm.plan(3000, dims=5, epsilon=1.0, calibrate="auto").epsilon_calibrated == 0


@pytest.mark.parametrize("share, words", [(1.0, "below 1"), (0.0, "calibrate"), (-0.5, "calibrate"), ("much", "calibrate")])
def test_shares_that_are_none_are_refused(share, words):
    X, y = circle(2)
    with pytest.raises((ValueError, TypeError), match=words):
        dperm.LogisticRegression(2.0, data_norm=1, classes=[0, 1], calibrate=share).fit(X, y)


def test_what_cannot_be_calibrated_is_refused():
    X, y = circle(3)
    with pytest.raises(ValueError, match="mechanism='none'"):
        dperm.LogisticRegression(None, mechanism="none", data_norm=1, classes=[0, 1, 2], calibrate=0.1).fit(X, y)
    with pytest.raises(ValueError, match="one-vs-rest"):
        dperm.LogisticRegression(2.0, multiclass="one-vs-rest", data_norm=1, classes=[0, 1, 2], calibrate=0.1).fit(X, y)
    with pytest.raises(ValueError, match="tune does not calibrate"):
        tuned = dperm.LogisticRegression(2.0, data_norm=1, classes=[0, 1, 2], calibrate=0.1)
        dperm.PrivateTuner(tuned, {"lambda_": [0.1, 0.2]}).fit(X, y)
    with pytest.raises(TypeError):
        dperm.LinearSVC(2.0, calibrate=0.1)
