"""Persons: a column of the schema, or person=, makes the records of one count together; the same model as by the command."""

import json

import numpy as np
import pandas as pd
import pytest

import dperm
from dperm import _library
from dperm.tables import table_handle

SCHEMA = {"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "intercept": True,
          "columns": [{"name": "a", "type": "numeric", "min": -4, "max": 4, "scale": "center"},
                      {"name": "c", "type": "categorical", "values": ["u", "v"]}, {"name": "id", "type": "ignore"}]}


def visits(persons=300, seed=0):
    rng = np.random.default_rng(seed)
    ids = rng.permutation(np.repeat(np.arange(persons), rng.integers(1, 9, persons)))
    a = np.round(rng.normal(size=len(ids)), 3)
    c = np.where(rng.random(len(ids)) < 0.5, "u", "v")
    return pd.DataFrame({"id": ids, "a": a, "c": c, "y": (a + (c == "u") + rng.normal(size=len(ids)) > 0.5).astype(int)})


def weights(X, **more):
    with pytest.warns(dperm.NotPrivateWarning):
        clf = dperm.LogisticRegression(epsilon=2.0, random_state=5, **{"schema": SCHEMA, "person": "id", **more}).fit(X)
    return clf.model_.to_dict()["weights"]


def test_the_claim_is_for_every_person():
    clf = dperm.LogisticRegression(epsilon=2.0, schema=SCHEMA, person="id").fit(visits())
    assert "for every person, objective" in repr(clf.privacy_) and clf.model_.to_dict()["rows"] == 300
    assert clf.privacy_.verify()[0]
    assert (clf.privacy_["rows_per_person"], clf.report_["rows"]) == (0, 300)
    assert clf.predict(visits(20, 1)).shape == (len(visits(20, 1)),)
    assert len(clf.predict(visits(20, 1)[["a", "c"]])) == len(visits(20, 1))  # predictions need no names


def test_names_of_any_type_are_whose_records_are_whose():
    X = visits()
    expected = weights(X)
    for column in (X["id"].astype(str), X["id"].astype(float), X["id"].astype("category"), X["id"].astype(object),
                   X["id"].map("person {}".format)):
        assert weights(X.assign(id=column)) == expected
    assert weights(X, schema={**SCHEMA, "person": "id"}, person=None) == expected
    unlisted = {**SCHEMA, "columns": SCHEMA["columns"][:2]}
    assert weights(X, schema=unlisted) == expected
    lists = X[["a", "c", "id"]].values.tolist()
    with pytest.warns(dperm.NotPrivateWarning):
        clf = dperm.LogisticRegression(epsilon=2.0, schema=SCHEMA, person="id", random_state=5).fit(lists, X["y"].tolist())
    assert clf.model_.to_dict()["weights"] == expected


def test_one_person_replaced_changes_no_other():
    X = visits()
    for value in (10**6, -1):
        other = X.copy()
        other.loc[other["id"] == 7, ["id", "a"]] = [value, 4.0]
        handles = [table_handle(dperm.Schema({**SCHEMA, "person": "id"}), frame[["id", "a", "c"]],
                                             frame["y"].astype(str))[0] for frame in (X, other)]
        assert [_library.lib.dperm_data_units(handle) for handle in handles] == [300, 300]


def test_the_command_makes_the_same_model(tmp_path, command):
    X = visits()
    X[["id", "a", "c", "y"]].to_csv(tmp_path / "v.csv", index=False)
    (tmp_path / "s.json").write_text(json.dumps({**SCHEMA, "person": "id"}))
    command("train", "--data", tmp_path / "v.csv", "--schema", tmp_path / "s.json", "--epsilon", 2, "--seed", 5, "--ledger",
            "none", "--out", tmp_path / "m.json", "-q")
    assert json.loads((tmp_path / "m.json").read_text())["weights"] == weights(X)


def test_a_budget_for_persons_pays_for_what_protects_them(tmp_path):
    X = visits()
    ledger = dperm.Ledger.create(tmp_path / "l", "visits", epsilon=4, per_person=True)
    clf = dperm.LogisticRegression(epsilon=2.0, schema=SCHEMA, person="id", evaluate=0.2, ledger=ledger, dataset="visits").fit(X)
    assert clf.privacy_.verify(ledger)[0] and clf.model_.evaluation["rows"] == 60
    again = clf.evaluate_private(X, X["y"], 1.0, held_out=True, ledger=ledger, dataset="visits")
    assert (again["rows"], again["rows_per_person"], ledger.left("visits")) == (60, 0, "1")
    with pytest.raises(dperm.BudgetError, match="is per person, whom a schema tells apart"):
        dperm.LogisticRegression(epsilon=0.5, schema=SCHEMA, ledger=ledger, dataset="visits").fit(X)
    assert ledger.left("visits") == "1"
    with pytest.raises(ValueError, match="leave rows_per_person out"):
        dperm.Ledger.create(tmp_path / "l", "others", epsilon=1, per_person=True, rows_per_person=2)


def test_what_is_wrong_is_said():
    X = visits()
    fit = dperm.LogisticRegression(epsilon=2.0, schema=SCHEMA, person="id")
    with pytest.raises(ValueError, match="does not say whose record"):
        fit.fit(X.assign(id=X["id"].where(X.index != 5)))
    with pytest.raises(ValueError, match="no column 'id'"):
        fit.fit(X.drop(columns="id"))
    with pytest.raises(ValueError, match="describe that by a schema"):
        dperm.LogisticRegression(epsilon=2.0, person="id", data_norm=1, classes=[0, 1]).fit(X[["a"]], X["y"])
    with pytest.raises(ValueError, match="give the name of the column"):
        fit.set_params(person=X["id"]).fit(X)
    fit.set_params(person="id")
    with pytest.raises(ValueError, match="leave one out"):
        dperm.LogisticRegression(epsilon=2.0, schema={**SCHEMA, "person": "id"}, person="a").fit(X)
    with pytest.raises(ValueError, match="gaussian noise for persons"):
        fit.set_params(delta=1e-6).fit(X)
