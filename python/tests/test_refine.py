"""A schema refined from the records for a share of epsilon: `refine=` of the estimators."""

import json

import numpy as np
import pandas as pd
import pytest

import dperm
from checks import refused

WIDE = {
    "label": {"column": "rich", "classes": ["no", "yes"]},
    "columns": [
        {"name": "amount", "type": "numeric", "min": 0, "max": 1000000},
        {"name": "job", "type": "categorical", "values": list("abcdefghi")},
        {"name": "sex", "type": "categorical", "values": ["f", "m"]},
    ],
}


def records(rows=4000):
    i = np.arange(rows)
    amount = np.where(i % 3 == 0, 0.0, 400.0 + (i * 7919) % 300)
    job = np.where(i % 97 == 0, np.array(list("defghi"))[i % 6], np.array(list("abc"))[i // 3 % 3])
    return pd.DataFrame({"amount": amount, "job": job, "sex": np.where(i % 2, "f", "m"),
                         "rich": np.where(amount > 0, "yes", "no")})


def test_a_share_of_epsilon_refines_and_all_of_it_is_stated():
    frame = records()
    clf = dperm.LogisticRegression(2.0, schema=WIDE, refine=0.5).fit(frame)
    privacy = clf.privacy_
    assert privacy.private and privacy.epsilon == 2.0 and privacy.epsilon_refined == 1.0
    assert privacy.verify()[0]
    schema = clf.model_.to_dict()["schema"]
    assert schema["refined"]["epsilon"] == 1.0 and len(schema["columns"][0]["bins"]) >= 2
    assert clf.coef_.shape[1] == len(clf._schema.feature_names)
    plain = dperm.LogisticRegression(2.0, schema=WIDE, refine=None).fit(frame)
    assert "epsilon_refined" not in json.loads(plain.model_.json)["privacy"] and plain.privacy_.epsilon_refined == 0


@pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")
def test_it_sees_what_a_straight_line_cannot():
    frame = records()
    clf = dperm.LogisticRegression(2.0, schema=WIDE, refine="auto", random_state=1).fit(frame)
    assert clf.score(frame, frame["rich"]) > 0.99
    plain = dperm.LogisticRegression(2.0, schema=WIDE, random_state=1, refine="none").fit(frame)
    assert plain.score(frame, frame["rich"]) < 0.7


def test_auto_is_the_usual_share_and_few_rows_are_left_alone():
    assert dperm.LinearSVC(1.0, schema=WIDE, refine="auto").fit(records()).privacy_.epsilon_refined == 0.08
    few = dperm.LogisticRegression(1.0, schema=WIDE, refine="auto").fit(records(300))
    assert few.privacy_.private and "refined" not in few.model_.to_dict()["schema"]


def spent_on_asking(privacy, asked):
    """Of an epsilon of 1: what both questions cost, and 5 percent more where one column was counted."""
    return round(privacy.epsilon_refined, 9) in (asked, round(asked + 0.05, 9))


def test_records_are_asked_how_to_use_their_numbers():
    clf = dperm.LogisticRegression(1.0, schema=WIDE).fit(records())
    assert clf.privacy_.epsilon == 1.0 and spent_on_asking(clf.privacy_, 0.06)  # (40 + 200)/4000
    assert clf.privacy_.verify()[0]
    assert (clf.report_["answer"] == "bins") == (clf.privacy_.epsilon_refined > 0.1) and clf.report_["weight"] >= 1
    weighed = dperm.LogisticRegression(1.0, schema=WIDE).fit(records(1600))
    assert weighed.privacy_.epsilon_refined == 0.025 and weighed.report_["answer"] == "lines"
    few = dperm.LogisticRegression(1.0, schema=WIDE).fit(records(390))
    assert few.privacy_.private and "refined" not in few.model_.to_dict()["schema"] and few.privacy_.epsilon_refined == 0


THREE = {**WIDE, "label": {"column": "rich", "classes": ["no", "yes", "perhaps"]}}


def test_more_classes_are_asked_for_the_weight_alone():
    clf = dperm.LogisticRegression(1.0, schema=THREE).fit(records())
    assert clf.privacy_.epsilon_refined == 0.01 and clf.privacy_.verify()[0] and clf.report_["answer"] == "lines"


@pytest.mark.parametrize("given", [dict(refine=None), dict(refine="none"), dict(bins="none"), dict(bins="auto"),
                                   dict(refine="ask", mechanism="none", epsilon=None)])
def test_where_they_are_not_asked(given):
    clf = dperm.LogisticRegression(**{"epsilon": 2.0, "schema": WIDE, **given}).fit(records())
    assert "refined" not in clf.model_.to_dict()["schema"] and clf.privacy_.epsilon_refined == 0


@pytest.mark.filterwarnings("ignore::dperm.PrivacyLeakWarning")
def test_arrays_and_kernels_are_fitted_as_ever():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0]] * 2000), [0, 1] * 2000
    for how in (dict(data_norm=1), dict(bounds=(0, 1)), dict()):
        assert dperm.LogisticRegression(1.0, classes=[0, 1], **how).fit(X, y).privacy_.epsilon_refined == 0
    kernel = dperm.KernelSVC(1.0, schema=WIDE, n_components=4).fit(records())
    assert kernel.privacy_.private and kernel.privacy_.epsilon_refined == 0


def test_tables_without_rows_and_words_that_mean_nothing():
    refused(ValueError, "no rows", dperm.LogisticRegression(1.0, schema=WIDE).fit, records(4000).iloc[:0])
    refused(ValueError, "name of a file", dperm.LogisticRegression(1.0, schema=WIDE).fit, "records.csv")
    with pytest.raises(ValueError, match="'ask', 'none', 'auto'"):
        dperm.LogisticRegression(1.0, schema=WIDE, refine="ASK").fit(records(400))


def test_asking_costs_once_and_a_ledger_knows(tmp_path):
    ledger = dperm.Ledger.create(tmp_path / "l.db", "people", epsilon=3)
    clf = dperm.LogisticRegression(1.0, schema=WIDE, ledger=ledger, dataset="people").fit(records())
    assert [float(e["epsilon"]) for e in ledger.entries()] == [1.0] and clf.privacy_.epsilon_refined > 0


@pytest.mark.parametrize("method", ["split", "stopping"])
def test_tuners_ask_once_for_all_candidates(method, tmp_path):
    ledger = dperm.Ledger.create(tmp_path / "l.db", "people", epsilon=5)
    base = dperm.LogisticRegression(4.0, schema=WIDE, ledger=ledger, dataset="people")
    tuned = dperm.PrivateTuner(base, {"lambda_": [0.01, 0.1]}, method=method).fit(records())
    asked = tuned.model_.to_dict()["schema"]["refined"]
    assert tuned.privacy_.private and tuned.privacy_.epsilon == 4 and tuned.privacy_.verify()[0]
    assert 0 < asked["epsilon"] == tuned.privacy_.epsilon_refined < 1 and asked["ledger"]["id"] == 2
    assert [float(e["epsilon"]) for e in ledger.entries()] == [4.0] and tuned.privacy_.verify(ledger)[0]
    plain = dperm.PrivateTuner(dperm.LogisticRegression(4.0, schema=WIDE, bins="none"), {"lambda_": [0.01, 0.1]})
    assert "refined" not in plain.fit(records()).model_.to_dict()["schema"]


def test_sweeps_do_not_ask():
    base = dperm.LogisticRegression(4.0, schema=WIDE)
    found = dperm.sweep(base, {"lambda_": [0.01]}, records(), folds=2, draws=1)
    assert found[0]["runs"] == 2
    with pytest.raises(ValueError, match="refine"):
        dperm.sweep(dperm.LogisticRegression(4.0, schema=WIDE, refine=0.2), {"lambda_": [0.01]}, records())


def test_plans_have_what_the_schema_will_have():
    for refine in ("ask", None, "auto", 0.3):
        plan = dperm.plan(4000, schema=WIDE, epsilon=1.0, refine=refine)
        privacy = dperm.LogisticRegression(1.0, schema=WIDE, refine=refine).fit(records()).privacy_
        assert plan.epsilon == 1.0
        if refine == "ask":
            assert spent_on_asking(privacy, round(plan.epsilon_refined, 9))
        else:
            assert plan.epsilon_refined == privacy.epsilon_refined
            assert plan.epsilon_row == pytest.approx(privacy.epsilon_row, rel=1e-12)
    assert dperm.plan(4000, schema=WIDE, epsilon=1.0).refined_by == "answer"
    assert dperm.plan(4000, schema=WIDE, epsilon=1.0, refine="auto").refined_by == "counts"
    assert dperm.plan(4000, dims=3, epsilon=1.0).refined_by is None
    refused(ValueError, "give a schema", dperm.plan, 4000, dims=3, epsilon=1.0, refine=0.2)
    spent = dperm.LogisticRegression(1.0, schema=WIDE, refine=0.25).fit(records()).model_.to_dict()["schema"]
    plan = dperm.plan(4000, schema=spent, epsilon=0.5)
    assert plan.epsilon == 0.75 and plan.epsilon_refined == 0.25 and plan.refined_by == "schema"
    frame = records()
    for other in (dict(rows_per_person=2), dict(neighbours="add-remove", rows_about=4000)):  # for one unit only
        clf = dperm.LogisticRegression(0.5, schema=spent, **other)
        for run in (lambda: dperm.plan(schema=spent, epsilon=0.5, rows=4000, **other), lambda: clf.fit(frame),
                    lambda: dperm.sweep(clf, {"lambda_": [0.01]}, frame, folds=2, draws=1)):
            refused(ValueError, "the schema was refined for", run)


@pytest.mark.parametrize("given", [dict(refine=0), dict(refine=1), dict(refine=-0.1), dict(refine="much"),
                                   dict(refine=True), dict(refine=0.1, bins="none"),
                                   dict(refine=0.1, schema=None, data_norm=1),
                                   dict(refine=0.1, mechanism="none", epsilon=None)])
def test_shares_that_make_no_sense_are_refused(given):
    frame = records(300)
    with pytest.raises(ValueError, match="refine"):
        dperm.LogisticRegression(**{"epsilon": 1.0, "schema": WIDE, **given}).fit(frame, frame["rich"])


def test_one_charge_and_a_second_fit_with_the_refined_schema(tmp_path):
    ledger = dperm.Ledger.create(tmp_path / "l.db", "people", epsilon=3)
    clf = dperm.LogisticRegression(1.0, schema=WIDE, refine=0.25, ledger=ledger, dataset="people").fit(records())
    assert ledger.left("people") == "2"
    assert ledger.entry_of(clf)["epsilon"] == "1"
    again = dperm.LogisticRegression(0.5, schema=clf.model_.to_dict()["schema"], ledger=ledger, dataset="people")
    again.fit(records())
    assert ledger.left("people") == "1.5" and again.privacy_.epsilon == 0.75 and again.privacy_.verify(ledger)[0]
    assert ledger.entries()[-1]["mechanism"] == "objective, refined by 2"
    unpaid = dperm.LogisticRegression(1.0, schema=WIDE, refine=0.25).fit(records()).model_.to_dict()["schema"]
    with pytest.raises(dperm.BudgetError, match="no ledger was charged"):
        dperm.LogisticRegression(0.5, schema=unpaid, ledger=ledger, dataset="people").fit(records())


def test_what_is_not_private_stays_so():
    with pytest.warns(dperm.NotPrivateWarning):
        clf = dperm.LogisticRegression(1.0, schema=WIDE, refine=0.25, random_state=3).fit(records())
    assert not clf.privacy_.private
    schema = clf.model_.to_dict()["schema"]
    assert schema["refined"]["private"] is False
    later = dperm.LogisticRegression(1.0, schema=schema).fit(records())
    assert not later.privacy_.private and "refined from records" in later.privacy_.reason


def test_files_and_tuners(tmp_path):
    clf = dperm.LogisticRegression(1.0, schema=WIDE, refine=0.25).fit(records())
    clf.save(tmp_path / "m.json")
    back = dperm.load(tmp_path / "m.json")
    assert back.epsilon == 0.75 and back.privacy_.epsilon == 1.0
    assert np.array_equal(back.predict(records()), clf.predict(records()))
    tuner = dperm.PrivateTuner(dperm.LogisticRegression(1.0, schema=WIDE, refine=0.25), {"lambda_": [0.01, 0.1]})
    refused(ValueError, "refine", tuner.fit, records())
    tuned = dperm.PrivateTuner(dperm.LogisticRegression(1.0, schema=clf.model_.to_dict()["schema"]),
                               {"lambda_": [0.01, 0.1]}).fit(records())
    assert tuned.privacy_.private and tuned.privacy_.epsilon == 1.25 and tuned.privacy_.verify()[0]


def test_an_edited_cost_is_refused():
    schema = dperm.LogisticRegression(1.0, schema=WIDE, refine=0.25).fit(records()).model_.to_dict()["schema"]
    schema["refined"]["epsilon"] = 0.01
    refused(ValueError, "refined", dperm.Schema, schema)
