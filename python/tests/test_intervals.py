"""Intervals of slopes: the rows and their table, classifiers and regressions, files, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import dperm
from checks import refused

pytestmark = pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")

COLUMNS = [{"name": "age", "type": "numeric", "min": 0, "max": 100},
           {"name": "job", "type": "categorical", "values": ["nurse", "judge", "clerk"]}]
PAY = {"version": 2, "label": {"column": "pay", "type": "numeric", "min": 0, "max": 20}, "columns": COLUMNS}
RICH = {"version": 2, "label": {"column": "rich", "positive": ["yes"], "negative": ["no"]}, "columns": COLUMNS}
TRUTH = {("age", None): 0.05, ("job", "judge"): 2.0, ("job", "clerk"): 0.0}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(7)
    made = pd.DataFrame({"age": rng.uniform(0, 100, 8000), "job": rng.choice(["nurse", "judge", "clerk"], 8000)})
    pay = 5 + 0.05 * made.age + 2 * (made.job == "judge") + rng.normal(0, 1, 8000)
    return made.assign(pay=pay, rich=np.where(pay + rng.logistic(0, 1, 8000) > 8, "yes", "no"))


def test_slopes_of_a_regression_are_within_their_intervals(people):
    reg = dperm.Regressor(4.0, schema=PAY, intervals="auto", random_state=1).fit(people)
    rows = {(row["name"], row["value"]): row for row in reg.model_.intervals}
    assert rows.keys() == TRUTH.keys()
    for key, truth in TRUTH.items():
        row = rows[key]
        assert row["refused"] is None and row["low"] - row["standard_error"] < truth < row["high"] + row["standard_error"]
        assert (row["p"] < 0.001) == (truth != 0)
    text = reg.model_.summary().splitlines()
    assert len(text) == 4 and text[1].startswith("age, per 1 ") and text[2].startswith("job: judge, not nurse ") and text[0].endswith("noise")
    assert reg.privacy_["epsilon_intervals"] == pytest.approx(0.27 * 4)


def test_those_of_a_classifier_have_odds_and_survive_files_and_clones(people, tmp_path):
    clf = dperm.LogisticRegression(5.0, schema=RICH, intervals=0.3, random_state=2).fit(people)
    rows = clf.model_.intervals
    assert all(row["odds_ratio"]["value"] == pytest.approx(np.exp(row["estimate"])) for row in rows)
    clf.save(tmp_path / "m.json")
    again = dperm.LogisticRegression.load(tmp_path / "m.json")
    assert again.model_.intervals == rows and again.intervals == pytest.approx(0.3)
    assert clone(clf).get_params()["intervals"] == 0.3
    assert clf.score(people, people.rich) > 0.6 and clf.privacy_.verify()[0] is False  # of a seed
    assert dperm.LogisticRegression(5.0, schema=RICH, intervals="auto").fit(people).privacy_.verify()[0]


def test_without_them_a_model_says_so_and_what_does_not_go_is_refused(people):
    plain = dperm.LogisticRegression(5.0, schema=RICH).fit(people)
    refused(ValueError, 'fit it with intervals="auto"', plain.model_.summary)
    fit = dperm.LogisticRegression
    rows = people[["age"]].to_numpy()
    refused((ValueError, NotImplementedError), "schema", fit(1.0, data_norm=100, classes=["no", "yes"], intervals="auto").fit,
            rows, people.rich)
    refused(ValueError, "leave one of the two out", fit(1.0, schema=RICH, intervals="auto", pairs=0.1).fit, people)
    refused(ValueError, "with a delta", fit(1.0, schema=RICH, intervals="auto", delta=1e-9).fit, people)
    refused(ValueError, "intervals=2", fit(1.0, schema=RICH, intervals=2).fit, people)
    refused(ValueError, "log-cosh", dperm.Regressor(1.0, schema=PAY, intervals="auto", loss="huber-regression").fit, people)
    refused(ValueError, "mechanism='none'", fit(None, schema=RICH, intervals="auto", mechanism="none").fit, people)
