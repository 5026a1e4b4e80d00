"""`evaluate=`: records that secret coins keep from everything but one private evaluation; parts of a data set."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import dperm

SCHEMA = {"label": {"column": "y", "classes": ["0", "1"]}, "intercept": True,
          "columns": [{"name": "a", "type": "numeric", "min": 0, "max": 10}, {"name": "b", "type": "numeric", "min": 0, "max": 1}]}


def people(rows=4000, seed=3):
    draw = np.random.default_rng(seed)
    X = pd.DataFrame({"a": draw.uniform(0, 10, rows), "b": draw.uniform(0, 1, rows)})
    return X, ((X["a"] > 5) ^ (draw.uniform(size=rows) < 0.1)).astype(int).to_numpy()


@pytest.mark.parametrize("kind", [dperm.LogisticRegression, dperm.LinearSVC])
def test_a_model_states_what_it_is_worth_at_no_more_epsilon(kind, tmp_path):
    X, y = people()
    with pytest.warns(dperm.NotPrivateWarning):
        model = kind(2.0, schema=SCHEMA, evaluate=0.25, random_state=1).fit(X, y)
    found = model.model_.evaluation
    assert model.privacy_.epsilon == 2 and found["epsilon"] == 2 and found["share"] == 0.25 and found["rows"] == 1000
    assert model.report_["evaluation"] == found and "errs less than" in found["finding"]
    assert found["error_rate"]["low"] < 0.1 < found["error_rate"]["high"]
    assert abs(found["error_rate"]["value"] - (1 - model.score(X, y))) < 0.05
    content = model.model_.to_dict()
    assert (content["rows"], content["rows_fitted"]) == (4000, 3000)
    model.save(tmp_path / "m.json")
    loaded = dperm.load(tmp_path / "m.json")
    assert loaded.model_.evaluation == found and clone(loaded).evaluate == 0.25
    assert kind(2.0, schema=SCHEMA).fit(X, y).model_.evaluation is None


def test_the_claim_of_a_run_that_holds_out_is_verified():
    X, y = people()
    privacy = dperm.LogisticRegression(2.0, schema=SCHEMA, evaluate=0.25).fit(X, y).privacy_
    assert privacy.private and privacy.epsilon == 2 and privacy.verify()[0]


def test_the_same_part_is_scored_again_by_the_ledgers_coins(tmp_path):
    X, y = people()
    ledger = dperm.Ledger.create(tmp_path / "l", "people", epsilon=200)
    model = dperm.LogisticRegression(2.0, schema=SCHEMA, evaluate=0.25, ledger=ledger, dataset="people").fit(X, y)
    first, second = (model.score_private(X, y, 60, held_out=True, ledger=ledger, dataset="people") for _ in range(2))
    assert first["rows"] == 1000 and first["errors"] == second["errors"]  # at so much epsilon there is no noise
    assert model.evaluate_private(X, y, 60, held_out=True, ledger=ledger, dataset="people")["errors"] == first["errors"]
    assert ledger.left("people") == "18"
    with pytest.raises(ValueError, match="only the ledger knows"):
        model.score_private(X, y, 1.0, held_out=True)
    with pytest.raises(dperm.BudgetError, match="not the data"):
        model.score_private(X[1:], y[1:], 0.5, held_out=True, ledger=ledger, dataset="people")
    for rows, labels in ((X[::-1], y[::-1]), (X, 1 - y), (X[::-1], y)):  # which were held out follows from places
        with pytest.raises(dperm.BudgetError, match="another order"):
            model.score_private(rows, labels, 0.5, held_out=True, ledger=ledger, dataset="people")
    plain = dperm.LogisticRegression(0.5, schema=SCHEMA, ledger=ledger, dataset="people").fit(X, y)
    with pytest.raises(dperm.LedgerError, match="knows of no records that were held out"):
        plain.score_private(X, y, 0.5, held_out=True, ledger=ledger, dataset="people")


def test_a_tuner_holds_out_beside_its_own_holdout():
    X, y = people()
    base = dperm.LogisticRegression(4.0, schema=SCHEMA, evaluate=0.25, refine="none", pairs=None)
    tuner = dperm.PrivateTuner(base, {"lambda_": [1e-3, 1e-2]}, method="stopping", holdout=0.1).fit(X, y)
    content = tuner.model_.to_dict()
    assert content["evaluation"]["rows"] == 1000 and content["rows_fitted"] == 2700
    assert content["selection"]["holdout_rows"] == 300 and tuner.privacy_.epsilon == 4


@pytest.mark.parametrize("share, words", [(1.0, "below 1"), (0.0, "above 0"), (-0.5, "evaluate"), ("much", "evaluate"),
                                          (0.001, "fewer than 10 on one side")])
def test_a_share_that_is_none_is_refused(share, words):
    X, y = people(400)
    with pytest.raises(ValueError, match=words):
        dperm.LogisticRegression(2.0, schema=SCHEMA, evaluate=share).fit(X, y)


def test_without_a_mechanism_nothing_is_held_out():
    X, y = people(400)
    with pytest.raises(ValueError, match="evaluate does not go with mechanism"):
        dperm.LogisticRegression(None, mechanism="none", schema=SCHEMA, evaluate=0.2).fit(X, y)


def test_a_plan_has_the_rows_of_the_fit():
    plan = dperm.plan(1000, dims=3, epsilon=1.0, evaluate=0.25)
    assert (plan.rows, plan.rows_fitted) == (1000, 750) and plan.beta == dperm.plan(750, dims=3, epsilon=1.0).beta


def test_a_part_of_a_data_set_is_charged_to_the_whole(tmp_path):
    X, y = people()
    ledger = dperm.Ledger.create(tmp_path / "l", "people", epsilon=2)
    dperm.Ledger.create(tmp_path / "l", "test", part_of="people")
    model = dperm.LogisticRegression(1.0, schema=SCHEMA, ledger=ledger, dataset="people").fit(X[:3000], y[:3000])
    model.score_private(X[3000:], y[3000:], 0.5, ledger=ledger, dataset="test")
    assert {d["name"]: (d["epsilon_left"], d["part_of"]) for d in ledger.datasets()} == \
        {"people": ("0.5", None), "test": ("0.5", "people")}
    with pytest.raises(dperm.BudgetError, match='data set "people" has epsilon 0.5 left'):
        model.score_private(X[3000:], y[3000:], 0.75, ledger=ledger, dataset="test")
    with pytest.raises(ValueError, match="needs a total epsilon"):
        dperm.Ledger.create(tmp_path / "l", "other")
