"""Plans, audits, budgets and pictures from Python."""

import json
import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import dperm
from checks import refused


def test_a_plan_is_the_command_lines(census, command):
    words = command("plan", "--rows", 3000, "--schema", census / "schema.json", "--epsilon", 0.5,
                    "--loss", "huber", "--json")
    plan = dperm.plan(3000, schema=census / "schema.json", epsilon=0.5, loss="huber")
    assert dict(plan) == json.loads(words)


def test_a_plan_has_the_noise_that_a_fit_has(two):
    plan = dperm.plan(1000, dims=5, data_norm=math.sqrt(18), epsilon=1)
    clf = dperm.LogisticRegression(1, data_norm=3, classes=[0, 1]).fit(*two)
    assert clf.privacy_.beta == pytest.approx(plan.beta, rel=1e-6)
    joint = dperm.plan(1000, dims=5, epsilon=3, classes=3)
    assert joint.epsilon_class == 3 and joint.multiclass == "joint"
    assert dperm.plan(1000, dims=5, epsilon=3, classes=3, multiclass="one-vs-rest").epsilon_class == 1


def test_a_plan_that_cannot_be_is_refused():
    refused(ValueError, "either dims or a schema", dperm.plan, 10, epsilon=1)
    refused(ValueError, "rows=0", dperm.plan, 0, dims=1, epsilon=1)
    refused(TypeError, "", dperm.plan, 10, dims=1)


def test_audits_of_this_build_and_of_others():
    assert ("objective", "huber") in dperm.audit_cases()
    found = dperm.audit("output", draws=20_000, epsilon=1, random_state=1)
    assert found.holds and 0.5 < found.epsilon_lower_bound <= 1
    gaussian = dperm.audit("gaussian-output", delta=0.1, draws=2_000, random_state=1)
    assert gaussian.holds and gaussian.delta_claimed == 0.1
    refused(ValueError, 'audits of gaussian noise', dperm.audit, "output", delta=0.1)
    for bad in (0, 1, -1, float("nan")):
        refused(ValueError, "delta", dperm.audit, "gaussian-output", delta=bad)
    rng = np.random.default_rng(0)
    sound = dperm.audit_outcomes(rng.laplace(0, 1, 50_000), rng.laplace(1, 1, 50_000), epsilon=1)
    broken = dperm.audit_outcomes(rng.laplace(0, 1, 50_000), rng.laplace(1, 1, 50_000), epsilon=0.5)
    assert sound.holds and not broken.holds
    refused(ValueError, "as many of both", dperm.audit_outcomes, [1.0], [1.0, 2.0], epsilon=1)
    refused(ValueError, "there are no outcomes", dperm.audit_outcomes, [], [], epsilon=1)
    refused(ValueError, "", dperm.audit, "nonsense")


def test_a_ledger_pays_and_refuses(two, tmp_path):
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", "1")
    clf = dperm.LogisticRegression(0.6, data_norm=3, classes=[0, 1], ledger=ledger, dataset="people")
    clf.fit(*two)
    assert ledger.left("people") == "0.4" and ledger.entry_of(clf)["epsilon"] == "0.6"
    entry, = ledger.entries("people")
    assert entry["command"] == "train" and entry["commit"] and clf.privacy_.ledger["id"] == entry["entry"]
    assert '"people": a total of ε = 1' in clf.privacy_.statement(ledger=ledger)
    with pytest.raises(dperm.BudgetError, match="epsilon 0.4 left of 1"):
        dperm.LogisticRegression(0.6, data_norm=3, classes=[0, 1], ledger=str(tmp_path / "l.ledger"),
                                 dataset="people").fit(*two)
    with pytest.warns(dperm.NotPrivateWarning), pytest.raises(dperm.BudgetError, match="not private"):
        dperm.LogisticRegression(0.1, data_norm=3, classes=[0, 1], ledger=ledger, dataset="people",
                                 random_state=1).fit(*two)
    records, head = ledger.head()
    assert ledger.verify(head)[0] and records >= 3
    clf.score_private(*two, epsilon=0.1, ledger=ledger, dataset="people")
    assert ledger.left("people") == "0.3"
    refused(KeyError, "", ledger.left, "others")
    refused(dperm.DpermError, "", dperm.Ledger, tmp_path / "none.ledger")


def test_the_same_values_are_the_same_people_whatever_is_made_of_them(two, tmp_path):
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", "9")
    ledger.create(tmp_path / "l.ledger", "again", "9")
    X, y = two
    X = np.where(np.abs(X) < 0.3, 0, X)
    order = np.random.default_rng(1).permutation(len(X))
    names = np.where(y == 0, "no", "yes")
    ways = [(X, y, dict(data_norm=3)), (X, y, dict(data_norm=7, fit_intercept=False)),
            (X, y, dict(bounds=(-2, 2))), (X, y, dict(bounds=(-1, 3), fit_intercept=False)),
            (X, y, dict(data_norm=3, classes=[1, 0])), (X, names, dict(data_norm=3, classes=["yes", "no"])),
            (sp.csr_matrix(X), y, dict(data_norm=2)), (X[order], y[order], dict(data_norm=3)),
            (X, 1 - y, dict(data_norm=3)), (pd.DataFrame(X), y, dict(data_norm=3))]
    for rows, labels, how in ways:
        how = {"classes": [0, 1], "ledger": ledger, **how}
        dperm.LogisticRegression(0.5, dataset="people", **how).fit(rows, labels)
        with pytest.raises(dperm.BudgetError, match='are data set "people" already'):
            dperm.LogisticRegression(0.5, dataset="again", **how).fit(rows, labels)
    assert ledger.left("people") == "4" and ledger.left("again") == "9"
    X[0, 0] += 1e-9
    dperm.LogisticRegression(0.5, dataset="again", data_norm=3, classes=[0, 1], ledger=ledger).fit(X, y)


def test_a_sweep_is_the_command_lines(census, command):
    import pandas as pd

    words = command("sweep", "--data", census / "people.csv", "--schema", census / "schema.json",
                    "--loss", "logistic", "--mechanism", "none,objective", "--lambda", "0.001,0.01",
                    "--epsilon", "0.5,2", "--folds", 3, "--draws", 4, "--seed", 5)
    theirs = {(r.mechanism, r["lambda"], None if math.isnan(r.epsilon) else r.epsilon): r
              for _, r in pd.read_csv(__import__("io").StringIO(words)).iterrows()}
    clf = dperm.LogisticRegression(1, schema=census / "schema.json")
    found = dperm.sweep(clf, {"mechanism": ["none", "objective"], "lambda_": [0.001, 0.01],
                              "epsilon": [0.5, 2.0]}, pd.read_csv(census / "people.csv"), folds=3,
                        draws=4, random_state=5)
    assert len(found) == len(theirs) == 6
    for cell in found:
        other = theirs[cell["mechanism"], cell["lambda_"], cell["epsilon"]]
        assert cell["runs"] == other.runs
        assert cell["error_mean"] == pytest.approx(other.error_mean, abs=1e-6)
        assert cell["error_se"] == pytest.approx(other.error_se, abs=1e-6)
        assert cell["baseline"] == pytest.approx(other.baseline, abs=1e-6) and 0 < cell["baseline"] < 0.5
    assert found.best()["error_mean"] == min(c["error_mean"] for c in found)
    assert set(found.frame().columns) >= {"epsilon", "error_mean"}


def test_a_sweep_of_several_classes_and_of_what_cannot_be(clouds):
    X, y = clouds
    clf = dperm.LogisticRegression(3, data_norm=5)  # public data: nothing to warn about
    found = dperm.sweep(clf, {"epsilon": [0.01, 25.0]}, X, y, test_data=(X, y), draws=5)
    assert found[1]["error_mean"] < 0.1 < found[0]["error_mean"]
    refused(ValueError, "data_norm cannot be swept", dperm.sweep, clf, {"data_norm": [1, 2]}, X, y)
    refused(ValueError, "LogisticRegression has no parameter 'lamda_'", dperm.sweep, clf, {"lamda_": [1]}, X, y)
    refused(ValueError, "folds=1", dperm.sweep, clf, {"epsilon": [1]}, X, y, folds=1)


def test_pictures(two, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("svg")
    from dperm import plots

    X, y = two
    clf = dperm.LogisticRegression(5, data_norm=3, classes=[0, 1]).fit(X, y)
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 2)
    cells = dperm.sweep(clf, {"epsilon": [0.1, 1.0], "lambda_": [0.1, 0.01]}, X, y, folds=2, draws=2)
    for i, ax in enumerate([plots.outlook(10_000, dims=20), clf.explain().plot(top=3),
                            plots.noise_kinds(dperm.plan(1000, dims=5, epsilon=1)),
                            plots.budget(ledger),
                            plots.roc(clf.evaluate_private(X, y, 5)), plots.calibration(clf.evaluate_exact(X, y)),
                            *(plots.sweep(cells, metric=metric) for metric in ("error", "auc", "log-loss"))]):
        ax.figure.savefig(tmp_path / f"{i}.svg")
        assert (tmp_path / f"{i}.svg").stat().st_size > 1000
        assert ax.has_data()
        matplotlib.pyplot.close(ax.figure)
    names = [t.get_text() for t in clf.model_.explain(list("abcd")).plot(top=2).get_yticklabels()]
    assert len(names) == 2 and set(names) <= set("abcd")
