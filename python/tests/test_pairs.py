"""`pairs=`: a share of epsilon for what two columns say only together."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import dperm

SCHEMA = {"label": {"column": "y", "classes": ["0", "1"]}, "intercept": True,
          "columns": [{"name": "a", "type": "numeric", "min": 0, "max": 10},
                      {"name": "b", "type": "categorical", "values": ["low", "high"]},
                      {"name": "c", "type": "numeric", "min": 0, "max": 1}]}


def either(rows=4000):
    """Labels are 1 where exactly one of two columns is high."""
    draw = np.random.default_rng(3)
    X = pd.DataFrame({"a": draw.uniform(0, 10, rows), "b": draw.choice(["low", "high"], rows), "c": draw.uniform(0, 1, rows)})
    return X, ((X["a"] > 5) != (X["b"] == "high")).astype(int).to_numpy()


def fitted(kind=dperm.LogisticRegression, epsilon=4.0, **settings):
    X, y = either()
    with pytest.warns(dperm.NotPrivateWarning):
        return kind(epsilon, schema=SCHEMA, random_state=1, **settings).fit(X, y), X, y


@pytest.mark.parametrize("kind", [dperm.LogisticRegression, dperm.LinearSVC])
def test_the_default_finds_two_columns_that_say_nothing_alone(kind, tmp_path):
    plain, X, y = fitted(kind, pairs=None)
    paired, _, _ = fitted(kind)
    assert plain.score(X, y) < 0.8 < 0.85 < paired.score(X, y)
    assert plain.report_["pair"] is None and paired.report_["pair"] == "a*b"
    assert paired.privacy_.epsilon_pairs == pytest.approx(1800 / 4000) and plain.privacy_.epsilon_pairs == 0
    assert paired.coef_.shape[1] == plain.coef_.shape[1] + 8  # four parts of a, two of b
    paired.model_.write(str(tmp_path / "m.json"))
    loaded = dperm.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.decision_function(X), paired.decision_function(X))
    np.testing.assert_array_equal(loaded.decision_function(X[7:8]), paired.decision_function(X)[7:8])
    assert clone(loaded).pairs == loaded.pairs == pytest.approx(0.1125, rel=0.1)  # of what the schema left
    loaded.random_state = 2
    with pytest.warns(dperm.NotPrivateWarning):  # chooses anew: its schema has no cross of the model's
        assert loaded.fit(X, y).report_["pair"] == "a*b"


def test_a_plan_says_what_pairs_have():
    assert dperm.plan(4000, schema=SCHEMA, epsilon=4.0).epsilon_pairs == pytest.approx(0.45)
    assert dperm.plan(4000, schema=SCHEMA, epsilon=4.0, pairs=None).epsilon_pairs == 0
    assert dperm.plan(4000, schema=SCHEMA, epsilon=4.0, pairs=0.2).epsilon_pairs == pytest.approx(0.8)
    assert dperm.plan(2000, schema=SCHEMA, epsilon=4.0).epsilon_pairs == 0


@pytest.mark.parametrize("share, words", [(1.0, "below 1"), (-0.5, "pairs"), ("much", "pairs"), (True, "pairs")])
def test_a_share_that_is_none_is_refused(share, words):
    X, y = either(50)
    with pytest.raises(ValueError, match=words):
        dperm.LogisticRegression(2.0, schema=SCHEMA, pairs=share).fit(X, y)


def test_what_has_no_pairs():
    X, y = either()
    dperm.LogisticRegression(None, mechanism="none", schema=SCHEMA).fit(X, y)  # auto is none there
    with pytest.raises(ValueError, match="pairs does not go with mechanism"):
        dperm.LogisticRegression(None, mechanism="none", schema=SCHEMA, pairs=0.1).fit(X, y)
    with pytest.raises(ValueError, match="linear models of two classes"):
        dperm.LogisticRegression(2.0, schema={**SCHEMA, "label": {"column": "y", "classes": ["0", "1", "2"]}}, pairs=0.1).fit(X, y)
