"""Private regression: the command's model, a public range, scikit-learn's conventions, and what is refused."""

import json
import pickle
import warnings
from ctypes import byref, sizeof
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingRegressor
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import capsules
import dperm
from checks import refused
from dperm import DataError, NotPrivateWarning, PrivacyLeakWarning
from dperm import _library as c

pytestmark = pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")

COLUMNS = [{"name": "age", "type": "numeric", "min": 0, "max": 100},
           {"name": "job", "type": "categorical", "values": ["nurse", "judge"]}]
SCHEMA = {"version": 2, "label": {"column": "pay", "type": "numeric", "min": 0, "max": 10}, "columns": COLUMNS}
CLASSES = {**SCHEMA, "label": {"column": "job", "classes": ["nurse", "judge"]},
           "columns": [COLUMNS[0], {"name": "pay", "type": "numeric", "min": 0, "max": 10}]}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    made = pd.DataFrame({"age": rng.uniform(0, 100, 3000), "job": rng.choice(["nurse", "judge"], 3000)})
    return made.assign(pay=1 + 0.05 * made.age + 2 * (made.job == "judge") + rng.normal(0, 0.5, 3000))


@pytest.fixture
def plane():
    rng = np.random.default_rng(4)
    X = rng.uniform(-1, 1, size=(3000, 2))
    return X, 20 + 8 * X[:, 0] - 4 * X[:, 1] + rng.normal(0, 0.3, 3000)


def regressor(**how):
    return dperm.Regressor(4.0, random_state=5, **{"schema": SCHEMA, **how})


def of_rows(**how):
    return regressor(**{"schema": None, "data_norm": 1.5, "label_range": (0, 40), **how})


# ---- the command's model, by every door


ASKED = ("usual", "quantile", "output")  # how far labels lie apart, where nobody says h
FITS = {"usual": [], "lines": ["--bins", "none"], "bins": ["--bins", "auto"], "huber": ["--loss", "huber-regression", "--h", "0.3"],
        "quantile": ["--loss", "quantile", "--quantile", "0.9"], "counts": ["--loss", "poisson"], "output": ["--mechanism", "output"],
        "kernel": ["--kernel", "gaussian", "--gamma", "2", "--features", "20"]}
HOW = {"usual": {}, "lines": dict(bins="none"), "bins": dict(bins="auto"), "huber": dict(loss="huber-regression", h=0.3),
       "quantile": dict(loss="quantile", quantile=0.9),
       "counts": dict(loss="poisson"), "output": dict(mechanism="output"),
       "kernel": dict(kernel="rbf", gamma=2, n_components=20)}


@pytest.mark.parametrize("how", HOW)
def test_the_commands_model_scores_and_predictions(people, command, tmp_path, how):
    people.to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA))
    report = json.loads(command("train", "--data", tmp_path / "d.csv", "--schema", tmp_path / "s.json", "--epsilon", 4, "--seed", 5,
                                "--out", tmp_path / "m.json", "--json", *FITS[how]))
    reg = regressor(schema=tmp_path / "s.json", **HOW[how]).fit(people)
    assert reg.model_.json == (tmp_path / "m.json").read_text() and reg.report_.items() <= report.items()
    assert reg.report_["answer"] == ("labels" if how in ASKED else None) and reg.report_["h"] == reg.model_.to_dict()["loss"]["h"]
    lines = command("predict", "--model", tmp_path / "m.json", "--data", tmp_path / "d.csv").split()
    assert lines[0] == "prediction" and reg.predict(people).tolist() == [float(line) for line in lines[1:]]
    theirs = json.loads(command("score", "--model", tmp_path / "m.json", "--data", tmp_path / "d.csv"))
    ours = reg.evaluate_exact(people, people.pay)
    assert [ours[name]["value"] for name in ("rmse", "mae", "r2")] == [theirs[name] for name in ("rmse", "mae", "r2")]
    loaded = dperm.load(tmp_path / "m.json")
    assert (loaded.predict(people) == reg.predict(people)).all() and loaded.loss == reg.loss and loaded.quantile == reg.quantile
    assert dperm.Regressor.load(tmp_path / "m.json").model_.json == reg.model_.json


WHOLE = [0, 3, 4, 12, -7] * 20  # the last two are beyond the range
LABELS = {"list": list, "tuple": tuple, "array": np.array, "float32": lambda y: np.array(y, np.float32),
          "int8": lambda y: np.array(y, np.int8), "texts": lambda y: list(map(str, y)), "decimals": lambda y: list(map(Decimal, y)),
          "series": pd.Series, "Int64": lambda y: pd.array(y, dtype="Int64"), "Float64": lambda y: pd.array(y, dtype="Float64"),
          "objects": lambda y: pd.Series(y, dtype=object), "string": lambda y: pd.Series(list(map(str, y)), dtype="string"),
          "category": lambda y: pd.Series(y).astype("category"), "sparse": lambda y: pd.arrays.SparseArray([float(v) for v in y]),
          "capsule": lambda y: capsules.Column("int16", y, batch=7), "arrow texts": lambda y: capsules.Column("string", list(map(str, y))),
          "bytes": lambda y: [str(v).encode() for v in y], "clamped": lambda y: np.clip(y, 0, 10), "beyond": lambda y:
          ["1e999" if v == 12 else "-1e999" if v == -7 else v for v in y]}


@pytest.mark.parametrize("how", [{}, dict(schema=None, bounds=(0, 100), label_range=(0, 10)),
                                 dict(schema=None, data_norm=100, label_range=(0, 10))], ids=["schema", "bounds", "norm"])
@pytest.mark.parametrize("kind", LABELS)
def test_the_same_labels_are_the_same_model_however_they_come(people, kind, how):
    X = people[["age", "job"]][:100] if not how else people[["age"]][:100]
    found = [regressor(**how).fit(X, y).model_.json for y in (np.array(WHOLE, float), LABELS[kind](WHOLE))]
    assert found[0] == found[1]


def test_weights_of_counts_are_of_the_logarithm():
    X = np.random.default_rng(5).uniform(-1, 1, (4000, 2))
    y = np.random.default_rng(6).poisson(np.exp(0.5 + 0.8 * X[:, 0]))
    reg = regressor(schema=None, bounds=(-1, 1), label_range=(0, 30), loss="poisson").fit(X, y)
    logs = X @ reg.coef_ + reg.intercept_
    assert np.allclose(np.minimum(np.exp(logs), 30), reg.predict(X)) and reg.coef_[0] > 0.4
    refused(ValueError, "poisson is for counts", regressor(schema=None, bounds=(-1, 1), label_range=(1, 30), loss="poisson").fit, X, y)


@pytest.mark.parametrize("kind", ["float64", "string", "dictionary"])
def test_labels_in_a_table_are_its_column(people, kind):
    pay = {"float64": people.pay.tolist(), "string": list(map(repr, people.pay)), "dictionary": people.pay.tolist()}[kind]
    kind = ("dictionary", "int16", "float64", list(dict.fromkeys(pay))) if kind == "dictionary" else kind
    table = capsules.Table([("pay", kind, pay), ("job", "string", people.job.tolist()), ("age", "float64", people.age.tolist())], batch=700)
    assert regressor().fit(table).model_.json == regressor().fit(people).model_.json


def test_sparse_rows_are_those_of_an_array(plane):
    X, y = plane
    dense, sparse = of_rows().fit(X, y), of_rows().fit(sp.csr_matrix(X), y)
    assert np.allclose(dense.coef_, sparse.coef_, rtol=0, atol=1e-4)
    assert (sparse.predict(sp.csr_matrix(X)) == sparse.predict(sp.csc_matrix(X))).all()


@pytest.mark.parametrize("how", [{}, dict(schema=None, bounds=(0, 100), label_range=(0, 10)),
                                 dict(schema=None, data_norm=100, label_range=(0, 10))], ids=["schema", "bounds", "norm"])
@pytest.mark.parametrize("y, message", [
    (pd.array([None] + [1] * 9, dtype="Int64"), "label .*is missing"), (pd.array([None] + [1] * 9, dtype="Float64"), "label .*is missing"),
    ([None] + [1] * 9, "label .*is missing"), ([np.nan] + [1.0] * 9, "label .*is missing"),
    ([np.inf] + [1.0] * 9, "infinit"), (["inf"] + [1.0] * 9, "no number|not a finite"), (["many"] + [1.0] * 9, "no number|not a finite"),
    ([Decimal("Infinity")] + [1.0] * 9, "no number|not a finite"), (pd.to_datetime(["2020-01-01"] * 10), "datetime64"),
    ([pd.Timestamp("2020-01-01")] * 10, "Timestamp"), (np.array(["1"] * 10), "texts in a numeric column"),
    (np.array([True, False] * 5), "booleans"), (pd.array([True, False] * 5, dtype="boolean"), "booleans"),
    (np.ones(10) + 1j, "complex"), ([10**400] + [1] * 9, "too large"), ([1.0] * 9, "10"), (np.ma.ones(10), "masked")])
def test_labels_that_are_no_numbers_are_refused_in_a_line(people, how, y, message):
    X = people[["age", "job"]][:10] if not how else people[["age"]][:10]
    with pytest.raises(ValueError, match=message) as told:
        regressor(**how).fit(X, y)
    assert "\n" not in str(told.value)


# ---- what it predicts


@pytest.mark.parametrize("how", [dict(bounds=(-1, 1), data_norm=None), dict(), dict(fit_intercept=False, label_range=(-10, 50))])
def test_weights_are_in_the_unit_of_the_labels(plane, how):
    X, y = plane
    reg = of_rows(**how).fit(X, y)
    assert reg.coef_.shape == (2,) and isinstance(reg.intercept_, float)
    assert np.allclose(X @ reg.coef_ + reg.intercept_, reg.predict(X), rtol=0, atol=1e-9)
    assert np.allclose(reg.coef_, [8, -4], atol=1) and abs(reg.intercept_ - 20) < 1
    assert reg.score(X, y) == r2_score(y, reg.predict(X)) > 0.9
    assert reg.score(X, y, np.arange(3000)) == r2_score(y, reg.predict(X), sample_weight=np.arange(3000))


def test_values_stay_within_the_range_and_scores_are_of_the_labels_as_they_are(people):
    reg = regressor(schema=None, data_norm=100, label_range=(2, 4)).fit(people[["age"]], people.pay)
    found = reg.predict(pd.DataFrame({"age": [0.0, 100.0]}))
    assert ((found >= 2) & (found <= 4)).all() and reg.model_.label_range == (2, 4)
    X = people[["age"]]
    assert reg.score(X, people.pay) == r2_score(people.pay, reg.predict(X))
    assert reg.evaluate_exact(X, people.pay)["r2"]["value"] == pytest.approx(r2_score(people.pay.clip(2, 4), reg.predict(X)))


def test_quantiles_are_in_order(people):
    """h is a tenth of the noise, so that the smoothed loss has the quantile nearly where the labels have it."""
    found = [regressor(loss="quantile", quantile=q, h=0.01).fit(people).predict(people) for q in (0.1, 0.5, 0.9)]
    shares = [(people.pay <= values).mean() for values in found]
    assert np.allclose(shares, (0.1, 0.5, 0.9), atol=0.07)


# ---- what is public


def test_a_range_from_the_labels_warns_and_the_model_says_so(plane, tmp_path):
    X, y = plane
    for how in (dict(data_norm=2), dict(bounds=(-1, 1))):
        reg = dperm.Regressor(1.0, **how)
        with pytest.warns(PrivacyLeakWarning, match="label_range was not given"):
            reg.fit(X, y)
        assert repr(reg.privacy_) == "Privacy(none: ranges of columns were taken from the records)"
        assert reg.model_.label_range == (y.min(), y.max()) and not reg.privacy_.verify()[0]
        with dperm.strict():
            refused(ValueError, "label_range was not given", reg.fit, X, y)
        reg.save(tmp_path / "m.json")
        again = dperm.load(tmp_path / "m.json")
        assert again.label_range is None
        with pytest.warns(PrivacyLeakWarning):
            assert not again.fit(X, 2 * y).privacy_.private
    refused(ValueError, "one value", dperm.Regressor(1.0, data_norm=1, random_state=1).fit, X, np.ones(3000))


def test_a_private_one_says_so_and_is_loaded_as_such(plane, tmp_path):
    X, y = plane
    reg = dperm.Regressor(1.0, data_norm=1.5, label_range=(0, 40), loss="quantile", quantile=0.25).fit(X, y)
    assert reg.privacy_.private and reg.privacy_.verify()[0] and reg.privacy_.label == {"min": 0, "max": 40}
    assert reg.privacy_.classes == [] and reg.privacy_.multiclass is None and "a regression" in reg.privacy_.statement()
    reg.save(tmp_path / "m.json")
    again = dperm.load(tmp_path / "m.json")
    assert again.get_params() == {**reg.get_params(), "h": 0.1 / 16, "lambda_": reg.privacy_["lambda"], "noise": reg.privacy_.noise}
    assert again.fit(X, y).privacy_.private
    assert (pickle.loads(pickle.dumps(reg)).predict(X) == reg.predict(X)).all()
    assert clone(reg).get_params() == reg.get_params() and reg.explain().rows()[0]["class"] == "label"


def test_ledgers_are_charged_and_know_the_records(people, tmp_path, monkeypatch):
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", dataset="people", epsilon=1)
    how = dict(schema=SCHEMA, ledger=ledger, dataset="people")
    reg = dperm.Regressor(0.75, **how).fit(people)
    assert ledger.datasets()[0]["epsilon_spent"] == "0.75" and reg.privacy_.verify(ledger)[0]
    refused(dperm.BudgetError, "epsilon 0.25 left of 1", dperm.Regressor(0.75, **how).fit, people)
    monkeypatch.setenv("DPERM_LEDGER", str(tmp_path / "l.ledger"))
    refused(dperm.BudgetError, "exact figures", reg.score, people, people.pay)
    refused(dperm.BudgetError, "exact figures", reg.evaluate_exact, people, people.pay)
    with pytest.warns(PrivacyLeakWarning):
        refused(dperm.BudgetError, "exact figures", cross_val_score, dperm.Regressor(0.1, **how), people[["age", "job"]], people.pay,
                error_score="raise")


@pytest.mark.filterwarnings("ignore::dperm.PrivacyLeakWarning")
def test_what_scikit_learn_does_around_it_is_seen_and_named_rightly(plane):
    X, y = plane
    reg = dperm.Regressor(1.0, data_norm=2, label_range=(0, 40))
    scaled = make_pipeline(StandardScaler(), reg).fit(X, y)[-1]
    fitted = [BaggingRegressor(reg, n_estimators=2).fit(X, y).estimators_[0], scaled,
              TransformedTargetRegressor(reg, transformer=StandardScaler()).fit(X, y).regressor_]
    for one in fitted:  # no classes: there are none
        assert not one.privacy_.private and "values were scaled" in one.privacy_.reason and "classes" not in one.privacy_.reason
    assert len(cross_val_score(reg, X, y, cv=3)) == 3


def test_persons_and_neighbours(people):
    who = {**SCHEMA, "columns": COLUMNS + [{"name": "id", "type": "ignore"}]}
    reg = dperm.Regressor(1.0, schema=who, person="id").fit(people.assign(id=np.arange(3000) // 2))
    assert "for every person" in repr(reg.privacy_)
    for records in (people, people[:0]):
        added = dperm.Regressor(1.0, schema=SCHEMA, neighbours="add-remove", rows_about=3000).fit(records)
        assert added.privacy_.rows is None and "added or removed" in repr(added.privacy_)
    assert dperm.Regressor(1.0, schema=SCHEMA, delta=1e-6, noise="gaussian").fit(people).privacy_.delta == 1e-6
    assert not dperm.Regressor(None, schema=SCHEMA, mechanism="none").fit(people).privacy_.private


# ---- schemas, plans, pictures


def test_evaluations_are_in_the_unit_of_the_labels(people):
    reg = regressor(evaluate=0.3).fit(people)
    held, again = reg.model_.evaluation, reg.evaluate_private(people, people.pay, 500.0, public_model=True)
    exact = reg.evaluate_exact(people, people.pay)
    assert (held["rows"], held["share"], again["rows"]) == (900, 0.3, 3000)
    for key in ("rmse", "mae", "r2"):
        assert again[key]["low"] <= exact[key]["value"] <= again[key]["high"]
    assert abs(again["baseline"]["mean"] - people.pay.mean()) < 0.05
    assert held["rmse"]["low"] < exact["rmse"]["value"] < held["rmse"]["high"]


def test_a_schema_says_what_its_label_is(people):
    schema = dperm.Schema(SCHEMA)
    assert schema.label_range == (0, 10) and schema.classes == [] and "a label from 0 to 10" in repr(schema)
    assert dperm.Schema(CLASSES).label_range is None
    assert schema.check(people) == {"rows": 3000, "remarks": []}
    refused(DataError, "label of row 0 is missing", schema.check, people.assign(pay=None))
    bare = {key: value for key, value in SCHEMA.items() if key != "label"}
    reg = regressor(schema=bare, label_range=(0, 10)).fit(people[["age", "job"]], people.pay)
    assert (reg.predict(people) == regressor().fit(people).predict(people)).all()
    assert regressor(label_range=(0, 10)).fit(people).model_.label_range == (0, 10)
    refused(ValueError, "another range; leave one out", regressor(label_range=(0, 5)).fit, people)


def test_a_draft_of_these_records_is_refused_and_named_rightly(people):
    schema = dperm.Schema.draft(people, label="pay")
    assert schema.label_range is not None
    with pytest.warns(PrivacyLeakWarning, match="drafted from these very records"):
        reason = regressor(schema=schema).fit(people).privacy_.reason
    assert "ranges of columns were taken" in reason and "classes" not in reason
    refused(ValueError, "drafted from these very records", dperm.Regressor(1.0, schema=schema).fit, people)


def test_plans():
    asked, usual = (dperm.plan(3000, schema=SCHEMA, epsilon=1, bins=bins) for bins in (None, "none"))
    assert asked.epsilon_refined > 0 == usual.epsilon_refined
    assert usual.beta == dperm.plan(3000, schema=SCHEMA, epsilon=1, loss="log-cosh", h=0.1).beta
    assert dperm.plan(3000, dims=4, epsilon=1, loss="quantile", quantile=0.9).coin_loss > 0
    assert dperm.plan(3000, dims=4, epsilon=1) == dperm.plan(3000, dims=4, epsilon=1, loss="logistic", classes=2)
    refused(DataError, "labels are classes", dperm.plan, 3000, dims=4, epsilon=1, loss="quantile", classes=2)


def test_explanations_are_in_the_unit_of_the_labels(people):
    reg = regressor(mechanism="none", schema={**SCHEMA, "rows": "fixed"}, bins="none").set_params(epsilon=None).fit(people)
    found = reg.explain()
    told = {(row["column"], row["name"]): row["effect"] for row in found.rows()}
    assert told["age", "line"] == pytest.approx(5, abs=0.2)
    assert told["job", "judge"] - told["job", "nurse"] == pytest.approx(2, abs=0.1)
    assert "nothing" in repr(regressor(kernel="rbf", n_components=4).fit(people).explain())


# ---- many settings


def test_a_tuner_chooses_among_regressions_as_the_command_does(people, command, tmp_path):
    people.to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA))
    command("tune", "--data", tmp_path / "d.csv", "--schema", tmp_path / "s.json", "--epsilon", 4, "--seed", 5, "--out", tmp_path / "m.json",
            "--lambda", "0.001,10", "--bins", "none")
    tuner = dperm.PrivateTuner(regressor(schema=SCHEMA, bins="none"), {"lambda_": [0.001, 10.0]}).fit(people)
    assert tuner.model_.json == (tmp_path / "m.json").read_text() and tuner.best_params_ == {"lambda_": 0.001}
    assert is_regressor(tuner) and not is_classifier(tuner) and not hasattr(tuner, "classes_")
    assert tuner.score(people, people.pay) > 0.5 and (tuner.predict(people) == tuner.best_estimator_.predict(people)).all()
    assert not hasattr(tuner, "predict_proba") and not hasattr(tuner, "decision_function")
    assert is_classifier(dperm.PrivateTuner(dperm.LogisticRegression(1.0), {"lambda_": [1, 2]}))


def test_a_sweep_says_how_far_regressions_err(people):
    found = dperm.sweep(regressor(schema=SCHEMA, bins="none", h=0.1), {"epsilon": [0.05, 4.0], "lambda_": [None]}, people, folds=3, draws=2)
    assert [cell["runs"] for cell in found] == [6, 6] and "error_mean" not in found[0] and "errors" not in found[0]
    assert found.best()["epsilon"] == found.best("mae")["epsilon"] == 4.0
    assert found[1]["rmse_mean"] < found[0]["rmse_mean"] and found[1]["rmse_mean"] < 0.8 * found[1]["baseline_rmse"]
    refused(ValueError, "no cell has a figure for metric='auc'", found.best, "auc")


def test_pictures(people):
    pytest.importorskip("matplotlib")
    assert dperm.plots.outlook(3000, schema=SCHEMA) is not None
    reg = regressor(bins="none").fit(people)
    assert reg.explain().plot().get_xlabel().startswith("effect on the value of pay;")
    refused(ValueError, "no roc", dperm.plots.roc, reg.evaluate_exact(people, people.pay))
    found = dperm.sweep(regressor(schema=SCHEMA, bins="none", h=0.1), {"epsilon": [0.5, 4.0]}, people, folds=2)
    assert dperm.plots.sweep(found).get_ylabel() == "root of the mean square error"


# ---- what is refused, in words


REFUSED = {
    "private score": (lambda d: regressor().fit(d).score_private(d, d.pay, 1.0), "the model predicts numbers"),
    "errors": (lambda d: regressor().fit(d).score_private(d, d.pay, 1.0), "a count of errors is of classes"),
    "probabilities": (lambda d: regressor().fit(d).model_.probabilities(regressor().fit(d)._rows(d)[0], 3000), "probabilities"),
    "values": (lambda d: (lambda clf: clf.model_.values(clf._rows(d)[0], 3000))(
        dperm.LogisticRegression(4.0, schema=CLASSES, random_state=5).fit(d)), "predicts classes"),
    "numbers": (lambda d: dperm.LogisticRegression(1.0, schema=SCHEMA).fit(d), "use dperm.Regressor"),
    "classes": (lambda d: regressor(schema=CLASSES).fit(d), "use a classifier"),
    "logistic": (lambda d: regressor(loss="logistic").fit(d), "choose log-cosh, huber-regression, quantile or poisson"),
    "log-cosh": (lambda d: dperm.LinearSVC(1.0, schema=CLASSES, loss="log-cosh").fit(d), "choose logistic, huber or smooth-hinge"),
    "loss": (lambda d: regressor(loss="square").fit(d), "no loss is called"),
    "h": (lambda d: regressor(h=0).fit(d), "h=0"), "quantile": (lambda d: regressor(quantile=0.9).fit(d), "for loss='quantile'"),
    "quantiles": (lambda d: regressor(loss="quantile", quantile=1.0).fit(d), "from 0.001 to 0.999"),
    "weights": (lambda d: regressor().fit(d, sample_weight=d.pay), "fit takes no sample_weight.*others$"),
    "load": (lambda d: dperm.Schema(SCHEMA).save("s.json") or regressor().fit(d).save("m.json") or
             dperm.LogisticRegression.load("m.json"), "is a model of Regressor")}
for _range in [(5, 1), (1, 1), 3, "ab", (0, float("inf")), (1, 2, 3), (True, 2), (None, 2), ("0", "1")]:
    REFUSED[f"range {_range}"] = lambda d, r=_range: of_rows(label_range=r).fit(d[["age"]], d.pay), "give \\(low, high\\)"


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_for_numbers_is_refused(people, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused((ValueError, TypeError, NotImplementedError), REFUSED[what][1], REFUSED[what][0], people)


def test_the_library_counts_no_errors_of_numbers(people):
    reg = regressor().fit(people)
    found = c.Metrics()
    refused(NotImplementedError, "the model predicts numbers", c.call, "dperm_model_score_sized", reg.model_._handle,
            reg._rows(people, people.pay)[0], byref(found), sizeof(found))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refused(ValueError, "3000 rows and 1 labels", c.call, "dperm_data_target", reg._rows(people)[0], c.Array(np.ones(1), "f8"), 0.0, 1.0)
