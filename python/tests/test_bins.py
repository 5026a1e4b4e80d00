"""Bins, lines and crosses: tables of every kind against the rule of docs/formats.md, written again."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import capsules
import dperm

from input_paths import arrived

pytestmark = pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")

CUTS = [0.1, 17, 42.5]
SCHEMA = {"missing": ["?"], "label": {"column": "rich", "classes": ["no", "yes"]}, "intercept": True, "rows": "fixed",
          "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100, "bins": [0] + CUTS, "line": 0.5,
                       "scale": "center"},
                      {"name": "pay", "type": "numeric", "min": 0, "max": 999, "transform": "log1p", "bins": 3,
                       "weight": 2},
                      {"name": "job", "type": "categorical", "values": ["nurse", "judge"]}],
          "crosses": [["age", "job"], {"columns": ["job", "pay"], "weight": 0.25}]}
AGES = [-5.0, 0.0, 0.1, math.nextafter(0.1, 0), math.nextafter(0.1, 1), 16.999999999999996, 17.0, 42.5,
        42.50000000000001, 100.0, 1e300, math.nan]
PAYS = [0.0, 8.5, 9.5, 98.5, 99.5, 999.0, -1.0, 1e9, math.nan]


def row_of(age, pay, job, category):
    """An encoded row, entry by entry."""
    def block(level, count, weight):
        return [weight * (level == i) for i in range(count + category)]

    def pairs(a, b, counts, weight):
        return [weight * (a == i and b == j) for i in range(counts[0] + category) for j in range(counts[1] + category)]

    missing = math.isnan
    young = min(max(age, 0.0), 100.0)
    a = (4 if category else None) if missing(age) else sum(cut <= young for cut in CUTS)
    p = (3 if category else None) if missing(pay) else sum(cut <= min(max(pay, 0), 999) for cut in (9, 99))
    j = {"nurse": 0, "judge": 1, None: 2 if category else None}.get(job)
    row = [0.0 if missing(age) else 0.5 * (young - 50) / 50] + block(a, 4, 1) + block(p, 3, 2) + block(j, 2, 1)
    row += pairs(a, j, (4, 2), 1) if None not in (a, j) else pairs(-1, 0, (4, 2), 1)
    row += pairs(j, p, (2, 3), 0.25) if None not in (j, p) else pairs(-1, 0, (2, 3), 1)
    return np.array(row + [1]) / math.sqrt(0.25 + 1 + 4 + 1 + 1 + 0.0625 + 1)


@pytest.fixture
def people():
    rng = np.random.default_rng(3)
    return pd.DataFrame({"age": rng.choice(AGES, 300), "pay": rng.choice(PAYS, 300),
                         "job": pd.Series(rng.choice(np.array(["nurse", "judge", "pilot", None], object), 300), dtype=object),
                         "rich": rng.choice(["yes", "no"], 300)})


def rows_of(action):
    return np.array([np.frombuffer(row) for row in arrived(action).rows])


@pytest.mark.parametrize("on_missing", ["zero", "category"])
def test_tables_give_the_rows_of_the_rule(people, on_missing):
    schema = {**SCHEMA, "on_missing": on_missing}
    wanted = np.array([row_of(*record, on_missing == "category")
                       for record in people[["age", "pay", "job"]].itertuples(index=False)])
    tables = [people, people.assign(age=people.age.map(repr).replace("nan", "?")),
              people.assign(job=people.job.astype("category"), pay=people.pay.astype(object)),
              people[["age", "pay", "job"]].to_numpy(dtype=object)]
    for table in tables:
        clf = dperm.LogisticRegression(1, schema=schema)
        found = rows_of(lambda: clf.fit(table, people.rich))
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=0)
        assert ((found == 0) == (wanted == 0)).all()


def test_arrow_gives_the_rows_of_pandas(people):
    columns = [(name, "float64", people[name].tolist()) for name in ("age", "pay")]
    columns += [(name, "string", people[name].tolist()) for name in ("job", "rich")]
    clf = dperm.LogisticRegression(1, schema=SCHEMA)
    wanted = rows_of(lambda: clf.fit(people))
    for table in capsules.Table(columns), capsules.Table(columns, batch=7, pad=3):
        assert (rows_of(lambda: clf.fit(table)) == wanted).all()


def test_predictions_agree_with_the_command(people, command, tmp_path):
    schema = {**SCHEMA, "on_missing": "category"}
    clf = dperm.LogisticRegression(20, schema=schema, random_state=1).fit(people)
    people.fillna("?").to_csv(tmp_path / "people.csv", index=False)
    clf.save(tmp_path / "m.json")
    theirs = command("predict", "--model", tmp_path / "m.json", "--data", tmp_path / "people.csv")
    scores = [float(line.split(",")[1]) for line in theirs.splitlines()[1:]]
    assert clf.decision_function(people).tolist() == scores
    rows = np.array([row_of(*r, True) for r in people[["age", "pay", "job"]].itertuples(index=False)])
    np.testing.assert_allclose(rows @ np.array(clf.model_.to_dict()["weights"]), scores, rtol=1e-9, atol=1e-9)


def test_names(people):
    names = dperm.Schema(SCHEMA).feature_names
    assert names[:5] == ["age", "age[0,0.1)", "age[0.1,17)", "age[17,42.5)", "age[42.5,100]"]
    assert names[10:12] == ["age[0,0.1)*job=nurse", "age[0,0.1)*job=judge"] and names[-1] == "(intercept)"


def test_numpy_in_bins():
    columns = [{"name": "age", "type": "numeric", "min": 0, "max": 8, "bins": np.linspace(0, 8, 3)},
               {"name": "pay", "type": "numeric", "min": 0, "max": 8, "bins": np.int64(2), "line": np.float32(0.5)}]
    names = dperm.Schema({"label": SCHEMA["label"], "columns": columns, "crosses": [("age", "pay")]}).feature_names
    assert names[:5] == ["age[0,4)", "age[4,8]", "pay", "pay[0,4)", "pay[4,8]"] and len(names) == 9


AUTO = {"label": SCHEMA["label"],
        "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100, "bins": "auto"},
                    {"name": "pay", "type": "numeric", "min": 0, "max": 999}]}


def chosen(schema):
    return [column.get("bins") for column in schema.to_dict()["columns"]]


@pytest.fixture
def crowd():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"age": rng.uniform(0, 100, 600), "pay": rng.exponential(20, 600)})
    return frame.assign(rich=np.where(frame.age + rng.normal(0, 20, 600) > 50, "yes", "no"))


@pytest.mark.parametrize("epsilon, bins, expected", [(0.5, "none", [4, None]), (3.0, "none", [8, None]), (3.0, "auto", [8, 7])])
def test_a_fit_resolves_and_predicts_with_what_it_used(crowd, epsilon, bins, expected, tmp_path):
    clf = dperm.LogisticRegression(epsilon, schema=AUTO, bins=bins, random_state=1).fit(crowd)
    found = chosen(dperm.Schema(clf.model_.to_dict()["schema"]))
    assert [len(b) if isinstance(b, list) else b for b in found] == expected
    again = dperm.LogisticRegression(epsilon, schema=clf.model_.to_dict()["schema"], refine=None, random_state=1).fit(crowd)
    assert clf.model_.json == again.model_.json
    clf.save(tmp_path / "m.json")
    loaded = dperm.load(tmp_path / "m.json")
    np.testing.assert_array_equal(clf.decision_function(crowd), loaded.decision_function(crowd))
    assert clf.coef_.size == dperm.plan(600, schema=AUTO, epsilon=epsilon, bins=bins).dims
    refit = loaded.set_params(random_state=1, lambda_=None).fit(crowd)
    assert chosen(dperm.Schema(refit.model_.to_dict()["schema"])) == found


def test_the_command_makes_the_same_of_the_records(crowd, command, tmp_path):
    crowd.to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "s.json").write_text(json.dumps(AUTO))
    command("train", "--force", "--data", tmp_path / "d.csv", "--schema", tmp_path / "s.json", "--epsilon", 1, "--seed", 1, "--out",
            tmp_path / "m.json")
    clf = dperm.LogisticRegression(1.0, schema=AUTO, random_state=1).fit(crowd)
    assert (tmp_path / "m.json").read_bytes() == clf.model_.json.encode()


def test_tuning_counts_what_each_candidate_has(crowd):
    base, grid = dperm.LogisticRegression(3.0, schema=AUTO, bins="none", random_state=1), {"lambda_": [0.01, 0.1]}

    def found(**how):
        tuner = dperm.PrivateTuner(base, grid, **how).fit(crowd)
        tuner.predict(crowd)
        return chosen(dperm.Schema(tuner.model_.to_dict()["schema"]))

    assert found() == [4, None]  # 200 rows
    assert found(method="stopping") == [4, None]  # half of epsilon
    public = crowd.assign(age=crowd.age / 2)
    assert found(method="public", public_data=(public, None)) == [8, None]


def test_cells_that_ask_keep_what_was_given():
    amounts = pd.DataFrame({"amount": np.arange(3000) * 71 % 97})
    amounts["y"] = ((amounts.amount > 30) & (amounts.amount < 60)).astype(int)
    schema = {"label": {"column": "y", "positive": ["1"], "negative": ["0"]},
              "columns": [{"name": "amount", "type": "numeric", "min": 0, "max": 100}]}
    clf = dperm.LogisticRegression(3.0, schema=schema)
    found = dperm.sweep(clf, {"noise": ["l2", "l1"]}, amounts, folds=2, draws=2)
    assert [cell["noise"] for cell in found] == ["l2", "l1"]
    assert all(cell["dims"] == 0 and cell["lambda"] != cell["lambda"] for cell in found)
    lines = dperm.sweep(dperm.LogisticRegression(3.0, schema=schema, refine=None), {"noise": ["l2"]}, amounts, folds=2, draws=2)
    assert lines[0]["lambda"] > 0 and found[0]["error_mean"] < 0.2 < lines[0]["error_mean"]
    with pytest.raises(ValueError, match="pair of records and labels"):
        dperm.sweep(clf, {"noise": ["l2"]}, amounts, test_data=amounts)


def test_cells_of_a_sweep_do_not_depend_on_how_they_are_grouped(crowd, tmp_path):
    def swept(epsilons, **how):
        clf = dperm.LogisticRegression(1.0, schema=AUTO, bins="auto")
        return dperm.sweep(clf, {"epsilon": epsilons}, crowd, folds=3, draws=3, **how)

    together = swept([15.0, 0.5, 4.0], journal=tmp_path / "j")  # 16, 4 and 8 bins
    assert [cell["epsilon"] for cell in together] == [15.0, 0.5, 4.0]
    assert [cell["dims"] for cell in together] == [24, 8, 16]
    assert list(together) == [swept([epsilon])[0] for epsilon in (15.0, 0.5, 4.0)]
    assert list(swept([15.0, 0.5, 4.0], journal=tmp_path / "j")) == list(together)
    assert swept([1.0, 90.0])[1]["runs"] == 0 < swept([1.0, 90.0])[0]["runs"]
    swept([3.0, 0.5], test_data=(crowd, None))
    with pytest.raises(ValueError, match="epsilon"):
        swept([80.0, 90.0])


def test_what_cannot_have_bins(crowd):
    X, y = crowd[["age", "pay"]].to_numpy(), crowd.rich
    with pytest.raises(ValueError, match="schema"):
        dperm.LogisticRegression(1.0, data_norm=1, classes=["no", "yes"], bins="auto").fit(X, y)
    with pytest.raises(ValueError, match="bins"):
        dperm.LogisticRegression(1.0, schema=AUTO, bins="many").fit(crowd)
    dperm.LogisticRegression(1.0, data_norm=1, classes=["no", "yes"], bins="none").fit(X, y)


def test_records_are_checked_before_bins_are_chosen(crowd):
    assert dperm.Schema(AUTO).check(crowd)["rows"] == 600


def test_dropped_rows_do_not_count(crowd):
    schema = {**AUTO, "on_missing": "drop"}
    half = pd.concat([crowd, crowd.assign(age=math.nan)])
    models = [dperm.LogisticRegression(None, mechanism="none", schema=schema).fit(records).model_.json for records in (crowd, half)]
    assert models[0] == models[1]


def test_a_plan_advises_on_columns():
    columns = dperm.plan(1000, schema=SCHEMA, epsilon=1.0).columns
    assert [(one["name"], one["crossed_with"], one["dims"]) for one in columns] == [
        ("age", None, 5), ("pay", None, 3), ("job", None, 2), ("age", "job", 8), ("job", "pay", 6)]
    assert all(0 < one["noise_share"] < 1 for one in columns)
    assert [one["bins"] for one in columns] == [4, 4, None, None, None]
    assert not hasattr(dperm.plan(1000, dims=3, epsilon=1.0), "columns")
