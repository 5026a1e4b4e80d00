"""Schemas and tables: DataFrames of mixed columns through the encoder of the C library."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import dperm
from checks import refused
from dperm import columns
from dperm import DataError

pytestmark = pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")

SCHEMA = {"missing": ["?"], "label": {"column": "rich", "positive": ["yes"], "negative": ["no"]},
          "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100},
                      {"name": "note", "type": "ignore"},
                      {"name": "job", "type": "categorical", "values": ["farmer", "nurse", "judge"]},
                      {"name": "code", "type": "categorical", "values": ["1", "2"]}]}


@pytest.fixture
def people():
    rng = np.random.default_rng(5)
    job = rng.choice(["farmer", "nurse", "judge", " pilot"], 400)
    return pd.DataFrame({"code": rng.integers(1, 4, 400), "job": job,
                         "age": np.where(rng.random(400) < 0.1, np.nan, rng.uniform(10, 120, 400)),
                         "rich": np.where(job == "judge", "yes", "no"), "more": "unlisted"})


def test_what_a_schema_tells():
    schema = dperm.Schema(SCHEMA)
    assert schema.classes == ["no", "yes"] and schema.dims == 6 and schema.norm == 1
    assert schema.feature_names[:2] == ["age", "job=farmer"]
    assert schema.columns[1] == ("note", "ignore") and schema.label_column == "rich"
    assert pickle.loads(pickle.dumps(schema)).to_dict() == SCHEMA


def test_mixed_columns_missing_values_and_unknown_ones(people, command, tmp_path):
    clf = dperm.LogisticRegression(20, schema=SCHEMA, random_state=1).fit(people)
    people.assign(note="x").fillna("?").to_csv(tmp_path / "people.csv", index=False)
    clf.save(tmp_path / "m.json")
    theirs = command("predict", "--model", tmp_path / "m.json", "--data", tmp_path / "people.csv")
    scores = [float(line.split(",")[1]) for line in theirs.splitlines()[1:]]
    assert clf.decision_function(people).tolist() == scores
    assert clf.decision_function(people.sample(frac=1, axis=1, random_state=1)).tolist() == scores
    as_texts = people.assign(age=people.age.map(repr).replace("nan", "?"), job=people.job.astype("category"))
    assert clf.decision_function(as_texts).tolist() == scores
    assert clf.score(people, people.rich) > 0.9


def test_several_values_may_mean_one_class(people):
    noisy = people.assign(rich=np.where(people.age > 50, people.rich + ".", people.rich))
    label = {"column": "rich", "positive": ["yes", "yes."], "negative": "*"}
    clf = dperm.LogisticRegression(20, schema={**SCHEMA, "label": label}, random_state=1).fit(noisy)
    assert clf.classes_.tolist() == ["negative", "yes"] and clf.score(noisy, noisy.rich) > 0.9
    found = clf.score_private(noisy, noisy.rich, epsilon=200)  # noise once in e^200 / 2
    assert found["errors"] == round((1 - clf.score(noisy, noisy.rich)) * 400)


def test_labels_may_come_apart_and_classes_with_them(people):
    bare = {k: v for k, v in SCHEMA.items() if k != "label"}
    X, y = people.drop(columns="rich"), (people.rich == "yes").to_numpy().astype(int)
    clf = dperm.LogisticRegression(20, schema=bare, classes=[0, 1], random_state=1).fit(X, y)
    assert clf.classes_.tolist() == [0, 1] and clf.score(X, y) > 0.9
    assert clf.model_.to_dict()["schema"]["label"]["classes"] == ["0", "1"]


def test_arrays_go_by_place(people):
    X = people.assign(note="x")[["age", "note", "job", "code"]].to_numpy(dtype=object)
    framed = people.assign(note="x")[["age", "note", "job", "code"]]
    clf = dperm.LogisticRegression(20, schema=SCHEMA).fit(X, people.rich.to_numpy())
    assert clf.decision_function(X).tolist() == clf.decision_function(framed).tolist()


def test_tables_that_do_not_fit_are_refused(people):
    clf = dperm.LogisticRegression(1, schema=SCHEMA)
    refused(ValueError, "no column 'age'", clf.fit, people.drop(columns="age"))
    refused(ValueError, "y is missing", clf.fit, people.drop(columns="rich"))
    refused(DataError, "label of row 0 is not one", clf.fit, people, people.rich + "!")
    refused(DataError, 'row 0 of column "age" is a text', clf.fit, people.assign(age="old"))
    refused(DataError, '"age" is infinite', clf.fit, people.assign(age=np.inf))
    refused(ValueError, "399 labels", clf.fit, people, people.rich[1:])
    refused(ValueError, "lists 4 columns", clf.fit, np.zeros((3, 2)), ["no", "yes", "no"])
    refused(ValueError, "leave data_norm out", dperm.LogisticRegression(1, schema=SCHEMA, data_norm=1).fit, people)
    with pytest.raises(ValueError, match="but the schema lists"):
        dperm.LogisticRegression(1, schema=SCHEMA, classes=["a", "b"]).fit(people)


def test_a_schema_that_makes_no_sense_says_where(tmp_path):
    with pytest.raises(DataError, match="no column type is called"):
        dperm.Schema({**SCHEMA, "columns": [{"name": "a", "type": "nonsense"}]})
    (tmp_path / "s.json").write_text("{\n  \"label\": 3\n}")
    refused(DataError, r"s\.json:2:12: ", dperm.Schema, tmp_path / "s.json")


def test_rows_that_would_be_dropped_are_refused(people):
    refused(DataError, "drops rows", dperm.LogisticRegression(1, schema={**SCHEMA, "on_missing": "drop"}).fit, people)


DICTIONARY = {"missingValues": ["", "?"], "fields": [
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120}},
    {"name": "job", "type": "string", "constraints": {"enum": ["nurse", "judge", "farmer", "pilot"]}},
    {"name": "wage", "type": "number"},
    {"name": "rich", "type": "string", "constraints": {"enum": ["no", "yes"]}}]}


def test_a_schema_from_a_dictionary(people, tmp_path):
    schema = dperm.Schema.from_dictionary(DICTIONARY, label="rich")
    assert [kind for _, kind in schema.columns] == ["numeric", "categorical", "ignore", "label"]
    assert schema.classes == ["no", "yes"] and schema.to_dict()["missing"] == ["", "?"]
    assert any('"wage"' in line and "without a range" in line for line in schema.remarks)
    assert dperm.Schema(schema.to_dict()).remarks == ()
    (tmp_path / "d.json").write_text(json.dumps(DICTIONARY))
    again = dperm.Schema.from_dictionary(tmp_path / "d.json", label="rich", positive=["no"], format="frictionless")
    assert again.classes == ["yes", "no"]
    assert schema.taken_from(people) == ()  # no record had a part in it
    table = {"tables": [{"url": "a", "tableSchema": {"columns": [{"name": "x"}]}},
                        {"url": "b", "tableSchema": {"columns": [
                            {"name": "y", "datatype": "boolean"},
                            {"name": "x", "datatype": {"base": "number", "minimum": 0, "maximum": 1}}]}}]}
    assert dperm.Schema.from_dictionary(table, label="y", table="b").dims == 2
    refused(DataError, "name one of them", dperm.Schema.from_dictionary, table, label="y")


@pytest.mark.parametrize("change", [dict(label="nobody"), dict(label="wage"), dict(positive=["perhaps"]), dict(positive=[]),
                                    dict(format="csvw"), dict(format="xml")])
def test_a_dictionary_that_says_too_little_is_refused(change):
    refused((DataError, ValueError), "", dperm.Schema.from_dictionary, DICTIONARY, **{"label": "rich", **change})


def test_a_dictionary_in_memory_is_called_so_in_messages():
    with pytest.raises(DataError, match='^dictionary:1:[0-9]+: "fields" must be a list'):
        dperm.Schema.from_dictionary({"fields": []}, label="y")


def test_a_draft_from_public_records(people, tmp_path):
    public = people.drop(columns="more")
    schema = dperm.Schema.draft(public, label="rich")
    assert schema.classes == ["no", "yes"] and schema.label_column == "rich"
    assert any('"rich"' in line and "positive" in line for line in schema.remarks)
    clf = dperm.LogisticRegression(5, schema=schema, random_state=1).fit(people[1:])
    assert clf.score(people, people.rich) > 0.7
    schema.save(tmp_path / "s.json")
    assert json.loads((tmp_path / "s.json").read_text()) == schema.to_dict()
    public.to_csv(tmp_path / "p.csv", index=False)
    assert dperm.Schema.draft(tmp_path / "p.csv", label="rich").to_dict() == schema.to_dict()
    assert dperm.Schema.draft(public, label="job").classes == ["farmer", "judge", "nurse", "pilot"]


def test_pandas_types_are_known_wherever_it_says_they_live():
    """pandas 3.1 names the package alone as the module of its types; before it was a module inside."""
    for home, known in (("pandas", True), ("pandas.core.dtypes.dtypes", True), ("pandas_of_others", False), ("mine.pandas", False)):
        dtype = type("StringDtype", (), {"__module__": home, "kind": "O"})()
        assert columns._of_texts(dtype) == known
        dtype.kind = "i"
        assert columns.of_numbers(dtype) == known
