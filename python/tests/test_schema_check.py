"""Schemas written as dicts, and `Schema.check`: what the command tells of records that do not fit."""

import json

import numpy as np
import pandas as pd
import pytest

import capsules
import dperm
from checks import refused
from dperm import DataError

PEOPLE = pd.DataFrame({"age": [20.0, np.nan, 130, 40], "smoker": [True, False, True, False], "code": [1, 2, 1, 3],
                       "rich": ["yes", "no", "no", "yes"]})


def schema(smoker=("True", "False"), code=("1", "2"), label=None, **more):
    return dperm.Schema({"label": label or {"column": "rich", "classes": ["no", "yes"]}, "columns": [
        {"name": "age", "type": "numeric", "min": 0, "max": 100},
        {"name": "smoker", "type": "categorical", "values": smoker},
        {"name": "code", "type": "categorical", "values": code}], **more})


# ---------------------------------------------------------------- dicts


@pytest.mark.parametrize("smoker, code", [
    ([True, False], [1, 2]), ((np.True_, np.False_), np.array([1, 2])), (np.array([True, False]), [np.int8(1), 2.0]),
    (pd.Series([True, False]), (np.float32(1), np.uint64(2))), (["True", False], pd.Index(["1", "2"]))])
def test_numbers_and_booleans_are_the_texts_that_records_have(smoker, code):
    found = schema(smoker, code)
    assert found.to_dict()["columns"][1]["values"] == ["True", "False"]
    assert found.to_dict()["columns"][2]["values"] == ["1", "2"]
    assert found.check(PEOPLE)["rows"] == 4


def test_numpys_numbers_everywhere():
    found = dperm.Schema({"missing": [-9, "?", np.int64(-1)], "intercept": np.True_, "label": {
        "column": "y", "classes": {0: [0, np.False_], 1: "*"}}, "columns": [
            {"name": "a", "type": "numeric", "min": np.float32(0), "max": np.int64(10), "weight": np.float64(2)},
            {"name": "b", "type": "categorical", "groups": {True: [1, True], False: "*"}, "reference": True}]})
    content = found.to_dict()
    assert content["missing"] == ["-9", "?", "-1"] and content["intercept"] is True
    assert content["label"]["classes"] == {"0": ["0", "False"], "1": "*"}
    assert content["columns"][0] == {"name": "a", "type": "numeric", "min": 0, "max": 10, "weight": 2}
    assert content["columns"][1]["groups"] == {"True": ["1", "True"], "False": "*"}
    assert content["columns"][1]["reference"] == "True" and json.dumps(content)
    both = dperm.Schema({"label": {"column": "y", "positive": [True, 1], "negative": (False, 0)},
                         "columns": content["columns"][:1]})
    assert both.to_dict()["label"]["positive"] == ["True", "1"]


def test_the_callers_dict_stays_as_it_was():
    given = {"label": {"column": "y", "classes": [0, 1]},
             "columns": [{"name": "a", "type": "categorical", "values": [1]}]}
    dperm.Schema(given)
    assert given["columns"][0]["values"] == [1] and given["label"]["classes"] == [0, 1]


@pytest.mark.parametrize("value, message", [(None, "which is no value"), (float("nan"), "which is no value"),
                                            (pd.Timestamp("2020"), "type Timestamp"), (2.0**60, "lost digits")])
def test_values_that_no_record_has_are_refused(value, message):
    refused(ValueError, "values of column 'code' .*" + message, schema, code=[1, value])


def test_values_that_mean_one_text_are_one():
    refused(DataError, "1", schema, code=[1, 1.0])


def test_a_fit_to_booleans_and_numbers():
    people = pd.concat([PEOPLE.assign(age=30)] * 20, ignore_index=True)
    with pytest.warns(dperm.NotPrivateWarning):
        clf = dperm.LogisticRegression(5.0, schema=schema([True, False], [1, 2, 3]), random_state=1).fit(people)
    assert len(set(clf.decision_function(people)[:4])) == 3  # the first and the third are the same


# ---------------------------------------------------------------- records that do not fit

SPELLED = {"small true": ("smoker", ["true", "false", "true", "false"], {}),
           "a text for a truth": ("smoker", [True, False, True, False], {"smoker": ("true", "false")}),
           "digits for a truth": ("smoker", [True, False, True, False], {"smoker": ("1", "0")}),
           "truths for digits": ("smoker", [1, 0, 1, 0], {}),
           "a point": ("code", ["1.0", "2.0", "1.0", "3.0"], {}),
           "a point in the schema": ("code", [1, 2, 1, 2], {"code": ("1.0", "2.0")}),
           "zeros": ("code", ["01", "2", "1", "2"], {}),
           "an exponent": ("code", [1e22, 2.0, 1.0, 2.0], {"code": ("1e22", "1", "2")}),
           "capitals": ("code", ["A", "b", "a", "b"], {"code": ("a", "b")})}


@pytest.mark.parametrize("case", SPELLED)
def test_values_that_miss_the_schema_by_their_spelling_are_an_error(case):
    column, values, how = SPELLED[case]
    people = PEOPLE.assign(**{column: values})
    if case == "an exponent":
        refused(ValueError, "lost digits", schema(**how).check, people)
        return
    refused(ValueError, f"column '{column}' holds .* the schema lists", schema(**how).check, people)


def test_a_column_without_any_listed_value_is_an_error():
    refused(ValueError, "column 'code' holds no value that the schema lists", schema(code=("x", "y")).check, PEOPLE)
    assert schema(code=("1", "x")).check(PEOPLE)["rows"] == 4  # some are unknown, as anywhere
    assert schema(code=("x", "y"), missing=["1", "2", "3"]).check(PEOPLE)["rows"] == 4


def test_labels_that_hide_among_the_others_are_an_error():
    open_label = {"column": "rich", "positive": ["Yes"], "negative": "*"}
    refused(ValueError, 'the label .* holds "yes", and the schema lists "Yes"', schema(label=open_label).check, PEOPLE)
    with pytest.raises(ValueError, match="the label .* lists"):
        schema(label={"column": "rich", "classes": {"poor": "*", "rich": [True]}}).check(
            PEOPLE, capsules.Column("string", ["true", "false", "true", "false"]))
    refused(DataError, "label of row 0", schema(label={"column": "rich", "classes": ["Yes", "No"]}).check, PEOPLE)


def test_what_fit_refuses_is_refused():
    refused(ValueError, "no column 'age'", schema().check, PEOPLE.drop(columns="age"))
    refused(DataError, 'row 0 of column "age" is a text', schema().check, PEOPLE.assign(age="old"))
    assert schema().check(PEOPLE.drop(columns="rich"))["rows"] == 4  # records without labels


def test_every_container_is_checked():
    lists = PEOPLE[["age", "smoker", "code"]].astype(object).values.tolist()
    assert schema().check(lists, PEOPLE.rich)["rows"] == 4
    arrow = capsules.Table([("age", "float64", [1.0, 2.0]), ("code", "int8", [1, 2]), ("smoker", "bool", [True, None]),
                            ("rich", "string", ["yes", "no"])])
    assert schema().check(arrow)["rows"] == 2
    refused(ValueError, "column 'smoker' holds \"True\"", schema(smoker=("true", "false")).check, arrow)


def test_remarks_are_those_of_the_command_and_of_the_plan(tmp_path, command):
    found = schema()
    remarks = found.check(PEOPLE)["remarks"]
    assert any("has no \"version\"" in line for line in remarks)
    found.save(tmp_path / "s.json")
    assert json.loads(command("schema", "check", tmp_path / "s.json", "--json"))["remarks"] == remarks
    assert dperm.plan(10**6, schema=found, epsilon=1).remarks[:len(remarks)] == remarks
    quiet = dperm.Schema({"version": 2, **found.to_dict()})
    assert not any("version" in line for line in quiet.check(PEOPLE)["remarks"])


def test_diagnostics_are_those_of_the_command(tmp_path, command):
    found = schema().check(PEOPLE, unsafe_diagnostics=True)
    assert found["rows"] == 4 and found["columns"] == {"age": {"missing": 1, "unknown": 0, "clamped": 1},
                                                       "smoker": {"missing": 0, "unknown": 0, "clamped": 0},
                                                       "code": {"missing": 0, "unknown": 1, "clamped": 0}}
    schema().save(tmp_path / "s.json")
    PEOPLE.to_csv(tmp_path / "p.csv", index=False)
    said = command("schema", "check", tmp_path / "s.json", "--data", tmp_path / "p.csv")
    assert said.splitlines()[-1].endswith("p.csv: 4 rows fit the schema")


def test_diagnostics_are_refused_on_records_that_the_ledger_knows(tmp_path, monkeypatch):
    people = pd.concat([PEOPLE.assign(age=30.0)] * 5, ignore_index=True)
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 1)
    dperm.LogisticRegression(1.0, schema=schema(), ledger=ledger, dataset="people").fit(people)
    monkeypatch.setenv("DPERM_LEDGER", ledger.path)
    assert schema().check(people)["rows"] == 20
    refused(dperm.BudgetError, "knows these data", schema().check, people, unsafe_diagnostics=True)


def test_a_draft_from_a_file_that_the_ledger_knows_is_refused(tmp_path, monkeypatch, command):
    pd.concat([PEOPLE.assign(age=30.0)] * 5).to_csv(tmp_path / "p.csv", index=False)
    schema().save(tmp_path / "s.json")
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 1)
    command("train", "--force", "--data", tmp_path / "p.csv", "--schema", tmp_path / "s.json", "--epsilon", 1, "--out",
            tmp_path / "m.json", "--ledger", ledger.path, "--dataset", "people")
    monkeypatch.setenv("DPERM_LEDGER", ledger.path)
    refused(dperm.BudgetError, "knows these data", dperm.Schema.draft, tmp_path / "p.csv")
