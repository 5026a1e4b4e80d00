"""The stamp as a table: every path to a model in Python, times every reason not to be private.

For each pair, what the model says of itself (`private`, its reason, its text), `verify`, the statement, the
file and the ledger must agree: private and charged, or not private, with that reason, and refused.
"""

import copy
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, learning_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import capsules
import dperm
from checks import refused
from dperm import _library as c
from dperm import data
from dperm.origin import DRAFTED, chosen_by_records, taken_of

pytestmark = pytest.mark.filterwarnings("ignore::dperm.PrivacyLeakWarning", "ignore::dperm.NotPrivateWarning")

SCHEMA = {"columns": [{"name": n, "type": "numeric", "min": -2, "max": 2} for n in "ab"], "intercept": True,
          "label": {"column": "kind", "classes": ["0", "1"]}}
TAKEN = {"classes": "the classes were taken", "norm": "the bound on the norm of rows was taken",
         "ranges": "ranges of columns were taken", "categories": "categories were taken",
         "columns": "the columns or their order were taken", "scales": "values were scaled or chosen",
         "weights": "the weights of classes were taken"}


@pytest.fixture(scope="module")
def records():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, size=(300, 2))
    return X, (X[:, 0] > 0).astype(int)


def fit(kind, table=False, **how):
    def path(records, more):
        more = {"classes": [0, 1], **how, **more}
        if table:
            more["schema"] = more.pop("schema", SCHEMA)
        else:
            more.setdefault("data_norm", None if "bounds" in more else 2.0)
        return _estimator(kind, more).fit(*_arguments(records, table))

    return path


def _estimator(kind, more):
    epsilon = None if more.get("mechanism") == "none" else 1.0
    return kind(epsilon, lambda_=0.1, **{k: v for k, v in more.items() if v is not None or k == "classes"})


def _arguments(records, table):
    if table == "arrow":
        return capsules.Table([(n, "float64", records[0][:, j].tolist()) for j, n in enumerate("ab")]), \
            capsules.Column("int64", records[1].tolist())
    return (pd.DataFrame(records[0], columns=["a", "b"]), records[1]) if table else records


def tune(**how):
    def path(records, more):
        X, y = records
        more = {"classes": [0, 1], "data_norm": 2.0, **more}
        if more.get("schema") is not None:
            more["data_norm"] = None
        public = {"public_data": (X[:100] / 2, y[:100])} if how.get("method") == "public" else {}
        tuner = dperm.PrivateTuner(_estimator(dperm.LogisticRegression, more), {"delta_reg": [None, 0.0]}, **how,
                                   **public)
        return tuner.fit(X, y).best_estimator_

    return path


PATHS = {"logistic": fit(dperm.LogisticRegression), "svc": fit(dperm.LinearSVC),
         "kernel": fit(dperm.KernelSVC, n_components=4), "output": fit(dperm.LogisticRegression, mechanism="output"),
         "bounds": fit(dperm.LogisticRegression, bounds=(-1, 1)), "table": fit(dperm.LogisticRegression, table=True),
         "weights": fit(dperm.LinearSVC, class_weight={1: 10}),
         "arrow table": fit(dperm.LogisticRegression, table="arrow"),
         "persons": fit(dperm.LogisticRegression, rows_per_person=3), "split": tune(),
         "stopping": tune(method="stopping"), "public": tune(method="public", holdout=0.5)}
COPIES = {"itself": lambda m, folder: m, "pickled": lambda m, folder: pickle.loads(pickle.dumps(m)),
          "copied": lambda m, folder: copy.deepcopy(m),
          "loaded": lambda m, folder: (m.save(folder / "m.json"), dperm.load(folder / "m.json"))[1]}
REASONS = {"nothing": (None, {}), "a seed": ("the noise came from a seed", {"random_state": 1}),
           "no mechanism": ("trained without a privacy mechanism", {"mechanism": "none"}),
           "balanced": ("the weights of classes were taken from the records", {"class_weight": "balanced"}),
           "classes from y": ("the classes were taken from the records", {"classes": None}),
           **{f"taken: {what}": (text, {}) for what, text in TAKEN.items()}}


def impossible(path, reason):
    if reason == "no mechanism" and path in ("output", "split", "stopping", "public"):
        return True  # another mechanism; a choice needs one
    return reason == "classes from y" and path in ("table", "arrow table")  # a schema has them


@pytest.fixture
def taken(monkeypatch):
    """Has the data that go in marked, as a program would that took something from the records."""

    def mark(what):
        inner = c.call

        def call(name, *arguments):
            if name in ("dperm_train", "dperm_tune", "dperm_model_score_private_sized"):
                inner("dperm_data_taken", arguments[name == "dperm_model_score_private_sized"], c.TAKEN[what])
            return inner(name, *arguments)

        monkeypatch.setattr(c, "call", call)

    mark.stop = monkeypatch.undo
    return mark


TABLE = [(p, r) for p in PATHS for r in REASONS if not impossible(p, r)]


@pytest.mark.parametrize("path, reason", TABLE)
def test_all_say_the_same(path, reason, records, taken, tmp_path):
    text, settings = REASONS[reason]
    if reason.startswith("taken: "):
        taken(reason[7:])
    model = PATHS[path](records, settings)
    for name, other in COPIES.items():
        found = other(model, tmp_path)
        check_words(found.privacy_, text, name)
    check_ledger(path, records, settings, text, tmp_path)


def check_words(privacy, text, name):
    holds, lines = privacy.verify()
    statement, page = privacy.statement(), privacy.statement(html=True)
    assert privacy.private is (text is None), name
    assert holds is privacy.private, name
    assert any(line.line.startswith("claim: (epsilon, delta) =") and line.holds for line in lines) is privacy.private
    if text is None:
        pair = f"(epsilon, delta) = ({privacy.epsilon}, {privacy.delta:.2g})"
        assert privacy.reason is None and pair in repr(privacy) and statement.startswith("# Privacy statement")
        assert privacy.definition == "(epsilon, delta)-differential privacy" and 0 < privacy.delta <= 1e-30
        assert "not private" not in statement
    else:
        assert text in privacy.reason and repr(privacy) == f"Privacy(none: {privacy.reason})"
        assert statement.startswith("# No privacy") and text in statement and text in page
        assert any(text in line.line and line.holds is False for line in lines)


def check_ledger(path, records, settings, text, folder):
    """What is private is charged; what is not is refused where a data set is named, and nothing is spent."""
    ledger = dperm.Ledger.create(folder / "l.ledger", "people", 5)
    charged = {**settings, "ledger": ledger, "dataset": "people"}
    if text is None:
        model = PATHS[path](records, {**charged, "rows_per_person": 1})
        assert model.privacy_.private and ledger.left("people") == "4"
        assert ledger.entry_of(model)["epsilon"] == "1"
        assert float(ledger.entry_of(model)["delta"]) == pytest.approx(model.privacy_.delta, rel=1e-12)
    else:
        refused(dperm.BudgetError, "not private .*" + text, PATHS[path], records, charged)
        assert ledger.left("people") == "5" and not ledger.entries()
    assert ledger.verify()[0]


@pytest.mark.parametrize("reason", ["nothing", "a seed"] + [f"taken: {what}" for what in TAKEN])
def test_private_scores_say_the_same(reason, records, taken, tmp_path):
    model = PATHS["logistic"](records, {})
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 5)
    seed = {"random_state": 1} if reason == "a seed" else {}
    if reason.startswith("taken: "):
        taken(reason[7:])
    assert model.score_private(*records, epsilon=1, **seed)["private"] is (reason == "nothing")
    if reason == "nothing":
        assert model.score_private(*records, epsilon=1, ledger=ledger, dataset="people")["private"]
        assert ledger.left("people") == "4"
    else:
        with pytest.raises(dperm.BudgetError, match="not private"):
            model.score_private(*records, epsilon=1, ledger=ledger, dataset="people", **seed)
        assert not ledger.entries()


def test_several_reasons_are_all_named(records, taken):
    taken("ranges")
    privacy = PATHS["logistic"](records, {"classes": None, "random_state": 1}).privacy_
    assert privacy.reason == ("the noise came from a seed, for tests and experiments; the classes were taken from the "
                              "records; ranges of columns were taken from the records")


def test_the_flags_are_those_of_the_header():
    import pathlib
    import re

    header = (pathlib.Path(__file__).resolve().parents[2] / "include" / "dperm.h").read_text()
    assert {n.lower(): int(v) for n, v in re.findall(r"DPERM_TAKEN_(\w+) = (\d+)", header)} == c.TAKEN
    texts = (pathlib.Path(__file__).resolve().parents[2] / "src" / "privacy" / "guarantee.h").read_text()
    said = re.findall(r"REASON_TAKEN_(\w+), \d+, \"(.*)\"", texts)
    assert len(said) == len(c.TAKEN) and all(taken_of(f"x; {text}") == (n.lower(),) for n, text in said)


# ---------------------------------------------------------------- what a draft takes


def test_a_schema_drafted_from_the_very_records_marks_their_model(records, tmp_path):
    people = pd.DataFrame(records[0], columns=["a", "b"]).assign(kind=np.where(records[1] > 0, "u", "v"))
    schema = dperm.Schema.draft(people, label="kind")
    clf = dperm.LogisticRegression(1.0, schema=schema)
    seeded = dperm.LogisticRegression(1.0, schema=schema, random_state=1)
    for make in (lambda one: one, lambda one: dperm.PrivateTuner(one, {"lambda_": [0.1, 0.2]})):  # which clones it
        refused(ValueError, "the schema was drafted from these very records", make(clf).fit, people)
        found = make(seeded).fit(people).privacy_
        assert not found.private and "ranges of columns" in found.reason and "categories" in found.reason
    others = people.assign(a=people.a / 2, b=people.b / 2)
    assert clf.fit(others).privacy_.private
    public = dperm.PrivateTuner(clf, {"lambda_": [0.1, 0.2]}, method="public", public_data=(people, people.kind))
    assert public.fit(others).privacy_.private  # drafting and choosing on public records is what they are for


@pytest.mark.parametrize("how", ["pickled", "copied", "loaded", "another frame", "shuffled", "without its label", "grown"])
def test_where_a_schema_came_from_is_not_forgotten(how, records, tmp_path):
    people = pd.DataFrame(records[0], columns=["a", "b"]).assign(kind=np.where(records[1] > 0, "u", "v"))
    clf = dperm.LogisticRegression(1.0, schema=dperm.Schema.draft(people, label="kind"))
    y = people.kind
    if how in COPIES:
        clf = COPIES[how](clf.set_params(random_state=1).fit(people, y) if how == "loaded" else clf, tmp_path)
    elif how == "shuffled":
        people = people.sample(frac=1, random_state=1)
    elif how == "without its label":
        people = people.drop(columns="kind")
    else:
        people = people.copy() if how == "another frame" else people.assign(more=1)
    if how != "loaded":  # a file says it whatever the records are
        with pytest.raises(ValueError, match="the schema was drafted from these very records, so nothing private"):
            clf.fit(people, y[people.index])
        clf.set_params(random_state=1)
    with pytest.warns(dperm.PrivacyLeakWarning, match="the schema was (drafted from these very records|taken from a model)"):
        reason = clf.fit(people, y[people.index]).privacy_.reason
    for word in DRAFTED:
        assert TAKEN[word] in reason
    with dperm.strict(), pytest.raises(ValueError, match="the schema was (drafted|taken)"):
        clf.fit(people, y[people.index])


def test_a_pickled_draft_is_private_for_other_records(records):
    people = pd.DataFrame(records[0], columns=["a", "b"]).assign(kind=np.where(records[1] > 0, "u", "v"))
    schema = pickle.loads(pickle.dumps(dperm.Schema.draft(people, label="kind")))
    assert dperm.LogisticRegression(1.0, schema=schema).fit(people.iloc[1:]).privacy_.private


# ---------------------------------------------------------------- another fit of a model that was read


@pytest.mark.parametrize("reason", ["nothing"] + [f"taken: {what}" for what in TAKEN])
@pytest.mark.parametrize("path", ["logistic", "kernel", "bounds", "table", "split"])
def test_a_loaded_model_fits_again_by_what_is_public_only(path, reason, records, taken, tmp_path):
    if reason != "nothing":
        taken(reason[7:])
    PATHS[path](records, {}).save(tmp_path / "m.json")
    taken.stop()
    loaded = dperm.load(tmp_path / "m.json")
    found = clone(loaded).fit(*_arguments(records, path == "table")).privacy_
    if reason == "nothing" or path in ("logistic", "kernel") and reason == "taken: norm":
        assert found.private and (reason != "taken: norm" or loaded.data_norm is None)  # it is the public 1 then
    else:
        chosen = path == "split" and TAKEN["scales"] in found.reason  # with a norm that was taken
        assert not found.private and (TAKEN[reason[7:]] in found.reason or chosen and reason == "taken: norm")


@pytest.mark.parametrize("how", ["itself", "cloned", "pickled", "copied", "loaded", "tuned", "by its parameters"])
def test_what_no_setting_holds_is_not_forgotten(how, records, taken, tmp_path):
    """A model of a pipeline that scaled, read from its file: it has no schema that could be marked."""
    taken("scales")
    PATHS["logistic"](records, {}).save(tmp_path / "scaled.json")
    taken.stop()
    found = dperm.load(tmp_path / "scaled.json")
    if how in COPIES:
        found = COPIES[how](found, tmp_path)
    elif how == "tuned":
        found = dperm.PrivateTuner(found, {"lambda_": [0.1, 0.2]})
    else:
        found = clone(found) if how == "cloned" else dperm.LogisticRegression(**found.get_params())
    with pytest.warns(dperm.PrivacyLeakWarning, match="the model that was read"):
        assert found.fit(*records).privacy_.reason == "values were scaled or chosen by the records as a whole"
    with dperm.strict(), pytest.raises(ValueError, match="the model that was read"):
        found.fit(*records)


@pytest.mark.parametrize("path, settings, private", [
    ("public", {}, True), ("public", {"random_state": 1}, True),
    ("split", {}, True), ("split", {"random_state": 1}, False), ("stopping", {"random_state": 1}, False)])
def test_a_setting_that_the_records_chose_is_public_only_if_that_was_private(path, settings, private, records, tmp_path):
    PATHS[path](records, settings).save(tmp_path / "m.json")
    assert clone(dperm.load(tmp_path / "m.json")).fit(*records).privacy_.private is private


def test_a_file_of_before_whose_settings_the_private_records_chose_marks_what_is_made_by_it(records, tmp_path):
    PATHS["public"](records, {"random_state": 1}).save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    assert not chosen_by_records(content)
    assert chosen_by_records({**content, "reason": "the candidates were compared on these very records"})


@pytest.mark.parametrize("path", ["logistic", "svc", "kernel", "bounds", "split"])
def test_a_loaded_model_takes_classes_again_and_says_so(path, records, tmp_path):
    PATHS[path](records, {"classes": None}).save(tmp_path / "m.json")
    loaded = dperm.load(tmp_path / "m.json")
    assert loaded.classes is None and loaded.classes_.tolist() == [0, 1]
    with pytest.warns(dperm.PrivacyLeakWarning, match="taken from|taking them from"):
        assert "the classes were taken" in loaded.fit(*records).privacy_.reason


def test_a_missing_norm_is_the_public_1_and_no_reason(records):
    with pytest.warns(dperm.PrivacyLeakWarning, match="data_norm"):
        clf = dperm.LogisticRegression(1.0, classes=[0, 1]).fit(*records)
    assert clf.privacy_.private
    assert data.taken.__doc__ and clf.model_.to_dict()["encoding"]["norm"] == pytest.approx(2**0.5)


def test_classes_in_the_order_of_the_public_set_only(records):
    """Nothing of y but its own codes gets in: a label that nobody has is a class all the same."""
    clf = dperm.LogisticRegression(1.0, data_norm=2, classes=[2, 0, 1]).fit(*records)
    assert clf.model_.classes == ["2", "0", "1"] and clf.privacy_.private


def test_an_epsilon_too_large_for_its_delta_is_refused(records):
    refused(dperm.DataError, "above 1e-30", dperm.LogisticRegression(40.0, data_norm=2, classes=[0, 1]).fit, *records)
    refused(dperm.DataError, "above 1e-30", dperm.plan, 300, dims=3, epsilon=40.0)
    plan = dperm.plan(300, dims=3, data_norm=8**0.5, epsilon=1.0, lambda_=0.1)
    fitted = dperm.LogisticRegression(1.0, lambda_=0.1, data_norm=2, classes=[0, 1]).fit(*records)
    assert plan.delta == fitted.privacy_.delta and "delta=" in repr(plan)


# ---------------------------------------------------------------- a ledger in the environment


@pytest.fixture
def environment(tmp_path, monkeypatch):
    ledger = dperm.Ledger.create(tmp_path / "env.ledger", "people", 5)
    monkeypatch.setenv("DPERM_LEDGER", ledger.path)
    monkeypatch.delenv("DPERM_DATASET", raising=False)
    return ledger


def test_a_private_run_is_charged_to_the_environments_ledger(records, environment, monkeypatch):
    for path in ("logistic", "table", "split"):
        refused(ValueError, "dataset is missing", PATHS[path], records, {})
    assert not environment.entries()
    PATHS["logistic"](records, {"dataset": "people"})
    monkeypatch.setenv("DPERM_DATASET", "people")
    model = PATHS["split"](records, {})
    assert environment.left("people") == "3" and model.privacy_.ledger
    assert model.score_private(*records, epsilon=1)["private"] and environment.left("people") == "2"
    for override in ("none", False):
        assert PATHS["logistic"](records, {"ledger": override}).privacy_.private
        assert model.score_private(*records, epsilon=1, ledger=override)["private"]
    assert environment.left("people") == "2"
    refused(ValueError, "no ledger", PATHS["logistic"], records, {"ledger": "none", "dataset": "people"})
    refused(ValueError, "ledger is empty", PATHS["logistic"], records, {"ledger": ""})


def test_another_ledger_goes_before_the_environments(records, environment, tmp_path, monkeypatch):
    other = dperm.Ledger.create(tmp_path / "other.ledger", "people", 5)
    monkeypatch.setenv("DPERM_DATASET", "people")
    PATHS["logistic"](records, {"ledger": other})
    assert other.left("people") == "4" and environment.left("people") == "5"
    refused(ValueError, "cannot be charged", PATHS["logistic"], records, {"ledger": other, "random_state": 1})


@pytest.mark.parametrize("reason", ["a seed", "no mechanism", "classes from y"])
def test_what_is_not_private_is_refused_on_records_that_the_ledger_knows(reason, records, environment, monkeypatch):
    settings = REASONS[reason][1]
    assert not PATHS["logistic"](records, settings).privacy_.private  # not known yet
    PATHS["logistic"](records, {"dataset": "people"})
    monkeypatch.setenv("DPERM_DATASET", "people")  # which names no data set for such a run
    refused(dperm.BudgetError, "not private", PATHS["logistic"], records, settings)
    assert not PATHS["logistic"](records, {**settings, "ledger": "none"}).privacy_.private
    X, y = records
    assert not PATHS["logistic"]((X[1:], y[1:]), settings).privacy_.private  # other records
    assert environment.left("people") == "4"


@pytest.mark.parametrize("path", ["logistic", "table", "split"])
def test_exact_figures_are_refused_on_records_that_the_ledger_knows(path, records, environment, monkeypatch):
    model = PATHS[path](records, {"dataset": "people"})
    X, y = _arguments(records, path == "table")
    refused(dperm.BudgetError, "knows these data", model.score, X, y)
    refused(dperm.BudgetError, "knows these data", dperm.sweep, model, {"lambda_": [0.1, 0.2]}, X, y, folds=2, draws=2)
    with pytest.raises(dperm.BudgetError, match="knows these data"):
        dperm.sweep(model, {"lambda_": [0.1]}, X[:100], y[:100], test_data=(X, y), draws=2)
    assert model.score(X[1:], y[1:]) >= 0 and model.predict(X).shape == (300,)
    monkeypatch.setenv("DPERM_LEDGER", "none")
    assert model.score(X, y) >= 0
    monkeypatch.delenv("DPERM_LEDGER")
    assert model.score(X, y) >= 0


def test_records_that_a_ledger_knows_are_not_public(records, environment, tmp_path):
    X, y = records
    others = (X[::-1], y[::-1])
    PATHS["logistic"](records, {"dataset": "people"})
    base = dperm.LogisticRegression(1.0, data_norm=2, classes=[0, 1])
    dperm.Ledger.create(environment.path, "others", 5)
    for settings in ({"dataset": "others"}, {"random_state": 1},
                     {"ledger": environment, "dataset": "others"}, {"ledger": environment.path, "dataset": "others"}):
        tuner = dperm.PrivateTuner(base.set_params(**settings), {"lambda_": [0.1, 0.2]}, method="public",
                                   public_data=records)
        refused(dperm.BudgetError, 'data set "people", and a choice made on them', tuner.fit, *others)
        base = dperm.LogisticRegression(1.0, data_norm=2, classes=[0, 1])
    assert environment.left("others") == "5"
    free = dperm.PrivateTuner(base.set_params(ledger="none"), {"lambda_": [0.1, 0.2]}, method="public",
                              public_data=records)
    refused(dperm.DataError, "the public data are the private records, or mostly", free.fit, *others)


# ---------------------------------------------------------------- cross-validation

EXACT = {"none": {"mechanism": "none"}, "seed": {"random_state": 1}, "private": {}}


def _validated(settings, tuner=False):
    classifier = _estimator(dperm.LogisticRegression, {"classes": [0, 1], "data_norm": 2.0, **settings})
    return dperm.PrivateTuner(classifier, {"delta_reg": [None, 0.0]}) if tuner else classifier


@pytest.mark.parametrize("settings", EXACT.values(), ids=EXACT)
def test_cross_validations_are_refused_on_records_that_the_ledger_knows(settings, records, environment, monkeypatch):
    model = _validated(settings)
    PATHS["logistic"](records, {"dataset": "people"})
    monkeypatch.setenv("DPERM_DATASET", "people")
    how = dict(cv=2, error_score="raise")
    validations = [lambda m, X, y: cross_val_score(m, X, y, **how),
                   lambda m, X, y: cross_val_predict(m, X, y, cv=2),
                   lambda m, X, y: cross_val_predict(m, X, y, cv=2, method="decision_function"),
                   lambda m, X, y: learning_curve(m, X, y, train_sizes=[0.5, 1.0], **how),
                   lambda m, X, y: GridSearchCV(m, {"lambda_": [0.1, 0.2]}, **how).fit(X, y),
                   lambda m, X, y: cross_val_score(GridSearchCV(m, {"lambda_": [0.1, 0.2]}, **how), X, y, **how)]
    for validate in validations:
        refused(dperm.BudgetError, "knows these data, and exact figures", validate, model, *records)
        validate(_validated({**settings, "ledger": "none"}), *records)
    with pytest.raises(ValueError, match="fits failed.*"):  # scikit-learn's own way: no figure, and this error
        cross_val_score(model, *records, cv=3)
    assert environment.left("people") == "4"
    monkeypatch.setenv("DPERM_LEDGER", "none")
    assert cross_val_score(model, *records, cv=3, error_score="raise").shape == (3,)


def test_cross_validations_of_other_records_go_on(records, environment):
    PATHS["logistic"](records, {"dataset": "people"})
    X, y = records
    assert cross_val_score(_validated(EXACT["none"]), X[1:], y[1:], cv=3, error_score="raise").shape == (3,)
    frame = pd.DataFrame(X[1:], columns=["a", "b"])
    table = _estimator(dperm.LogisticRegression, {"mechanism": "none", "schema": SCHEMA})
    assert cross_val_score(table, frame, y[1:], cv=3, error_score="raise").shape == (3,)


def test_cross_validations_of_tables_and_tuners_are_refused_too(records, environment, monkeypatch):
    PATHS["table"](records, {"dataset": "people"})
    table = _estimator(dperm.LogisticRegression, {"mechanism": "none", "schema": SCHEMA})
    with pytest.raises(dperm.BudgetError, match="knows these data"):
        cross_val_score(table, *_arguments(records, True), cv=3, error_score="raise")
    left = environment.left("people")
    for settings in ({"random_state": 1}, {"dataset": "people"}, {"ledger": environment, "dataset": "people"}):
        with pytest.raises(dperm.BudgetError, match="knows these data"):  # the same values, in no table
            cross_val_score(_validated(settings, tuner=True), *records, cv=3, error_score="raise")
    assert environment.left("people") == left


def test_where_the_ledger_cannot_be_asked_a_cross_validation_is_refused(records, environment):
    """The steps before may change the records, so nobody can say whether the ledger knows them."""
    pipe = make_pipeline(FunctionTransformer(np.tanh), _validated(EXACT["none"]))
    for judged in (pipe, GridSearchCV(pipe, {"logisticregression__lambda_": [0.1, 0.2]}, cv=2, error_score="raise")):
        with pytest.raises(ValueError, match="a cross-validation of Pipeline.* ledger=\"none\" if they are public"):
            cross_val_score(judged, *records, cv=3, error_score="raise")
    pipe.set_params(logisticregression__ledger="none")
    assert cross_val_score(pipe, *records, cv=3, error_score="raise").shape == (3,)


def test_a_tuner_scores_as_its_estimator_does(records, environment):
    tuner = dperm.PrivateTuner(dperm.LogisticRegression(1.0, data_norm=2, classes=[0, 1], dataset="people"),
                               {"lambda_": [0.1, 0.2]}).fit(*records)
    with pytest.raises(dperm.BudgetError, match="knows these data"), warnings.catch_warnings():
        tuner.score(*records)
