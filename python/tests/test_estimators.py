"""Private classifiers: the same bits as the command line, and everything a user may do wrong."""

import copy
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import dperm
from checks import refused
from dperm import DataError, NotPrivateWarning, PrivacyLeakWarning

KINDS = [dperm.LogisticRegression, dperm.LinearSVC, dperm.KernelSVC]


def seeded(estimator, *data):
    with pytest.warns(NotPrivateWarning):
        return estimator.fit(*data)


# ---- the same bits as the command line (tables: test_doors.py)


def test_sparse_rows_give_the_command_lines_weights(command, tmp_path):
    rng = np.random.default_rng(4)
    X = sp.random(300, 12, density=0.3, random_state=rng, format="csr")
    y = np.where(rng.random(300) < 0.5, 1, -1)
    with open(tmp_path / "d.svm", "w") as file:
        for i in range(300):
            row = X[i]
            file.write(f"{y[i]:+d} " + " ".join(f"{j + 1}:{v!r}" for j, v in
                                                zip(row.indices, row.data.tolist())) + "\n")
    command("train", "--force", "--data", tmp_path / "d.svm", "--dims", 12, "--epsilon", 2, "--seed", 3, "--out",
            tmp_path / "m.json")
    clf = seeded(dperm.LogisticRegression(2, data_norm=1, fit_intercept=False, classes=[-1, 1],
                                          random_state=3), X, y)
    assert clf.coef_.tolist() == [json.loads((tmp_path / "m.json").read_text())["weights"]]
    same = seeded(clone(clf), X.toarray(), y)
    assert np.allclose(same.coef_, clf.coef_, rtol=0, atol=1e-5)


@pytest.mark.parametrize("delta, mechanism", [(0, "objective"), (1e-5, "descent")])
def test_three_classes_give_the_command_lines_weights(clouds, command, tmp_path, delta, mechanism):
    X, y = clouds
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(kind=np.array(["u", "v", "w"])[y])
    frame.to_csv(tmp_path / "d.csv", index=False)
    schema = {"label": {"column": "kind", "classes": ["u", "v", "w"]}, "intercept": True,
              "columns": [{"name": n, "type": "numeric", "min": -2, "max": 5} for n in "ab"]}
    (tmp_path / "s.json").write_text(json.dumps(schema))
    command("train", "--force", "--data", tmp_path / "d.csv", "--schema", tmp_path / "s.json", "--epsilon", 3,
            *(["--delta", delta] if delta else []), "--seed", 5, "--out", tmp_path / "m.json")
    clf = seeded(dperm.LogisticRegression(3, schema=schema, delta=delta, random_state=5), frame)
    theirs = json.loads((tmp_path / "m.json").read_text())
    assert clf.model_.weights.tolist() == theirs["weights"]
    assert clf.privacy_.epsilon_class == theirs["privacy"]["epsilon_class"] <= 3.0
    assert clf.privacy_.multiclass == theirs["multiclass"] == "joint"
    assert clf.privacy_.mechanism == theirs["privacy"]["mechanism"] == mechanism
    predictions = command("predict", "--model", tmp_path / "m.json", "--data", tmp_path / "d.csv")
    rows = [line.split(",") for line in predictions.splitlines()[1:]]
    assert clf.predict(frame).tolist() == [r[0] for r in rows]
    assert np.allclose(clf.predict_proba(frame).max(axis=1), [float(r[2]) for r in rows])


# ---- what comes in


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", [np.asfortranarray, np.float32, lambda X: X.tolist(),
                                    lambda X: np.repeat(X, 2, axis=1)[:, ::2], sp.csc_matrix,
                                    sp.coo_matrix, pd.DataFrame])
def test_arrays_of_any_layout_work(kind, change, two):
    X, y = two
    X = np.round(X, 2).astype(np.float32).astype(np.float64)  # exact as float32 too
    plain = seeded(kind(5, data_norm=3, classes=[0, 1], random_state=1), X, y)
    other = seeded(kind(5, data_norm=3, classes=[0, 1], random_state=1), change(X), y)
    assert np.allclose(plain.coef_, other.coef_, rtol=0, atol=1e-4)


def test_doubles_in_c_order_and_csr_are_not_copied(two, monkeypatch):
    X, y = two
    seen = []
    inner = dperm.data.rows_handle
    monkeypatch.setattr(dperm.data, "rows_handle", lambda A, *rest: seen.append(A) or inner(A, *rest))
    clf = dperm.LogisticRegression(1, data_norm=3, classes=[0, 1])
    clf.fit(X, y)
    assert np.shares_memory(seen[-1], X)
    S = sp.csr_matrix(X)
    clf.fit(S, y)
    assert np.shares_memory(seen[-1].data, S.data) and np.shares_memory(seen[-1].indices, S.indices)


def test_duplicate_and_unsorted_entries_of_a_sparse_matrix_are_summed(two):
    X, y = two
    S = sp.csr_matrix(X)
    messy = sp.csr_matrix((np.repeat(S.data / 2, 2), np.repeat(S.indices, 2), 2 * S.indptr), S.shape)
    a = seeded(dperm.LogisticRegression(5, data_norm=3, classes=[0, 1], random_state=1), S, y)
    b = seeded(dperm.LogisticRegression(5, data_norm=3, classes=[0, 1], random_state=1), messy, y)
    assert a.coef_.tolist() == b.coef_.tolist()
    assert not messy.has_canonical_format  # the caller's matrix is as it was


def test_sparse_rows_under_bounds_are_predicted_and_scored_as_dense_ones(two):
    X, y = two
    clf = dperm.LogisticRegression(5, bounds=(-2, 2), classes=[0, 1]).fit(X, y)
    assert clf.decision_function(sp.csr_matrix(X)).tolist() == clf.decision_function(X).tolist()
    found = [clf.score_private(rows, y, epsilon=200)["errors"] for rows in (X, sp.csr_matrix(X))]  # noise once in e^200 / 2
    assert found[0] == found[1]


@pytest.mark.parametrize("y, classes", [([0, 1], [0, 1]), (["no", "yes"], ["no", "yes"]),
                                        ([-1.0, 1.0], [-1, 1]), ([False, True], [False, True])])
def test_labels_of_any_type(two, y, classes):
    X, truth = two
    labels = np.asarray(y)[truth]
    clf = seeded(dperm.LogisticRegression(20, data_norm=3, classes=classes, random_state=1), X, labels)
    assert clf.classes_.tolist() == classes
    assert (clf.predict(X) == labels).mean() > 0.9


def test_bounds_clamp_and_scale(two):
    X, y = two
    clf = seeded(dperm.LogisticRegression(5, bounds=(-3, 3), classes=[0, 1], random_state=1), X, y)
    wild = X.copy()
    wild[0] = [1e9, -1e9, 3, -3]
    tame = wild.copy()
    tame[0] = [3, -3, 3, -3]
    assert clf.decision_function(wild)[0] == clf.decision_function(tame)[0]
    assert clf.score(X, y) > 0.9
    each = dperm.LogisticRegression(5, bounds=([-3] * 4, [3] * 4), classes=[0, 1], random_state=1)
    assert seeded(each, X, y).coef_.tolist() == clf.coef_.tolist()


def test_C_is_the_usual_one(two):
    X, y = two
    a = seeded(dperm.LogisticRegression(5, C=0.1, data_norm=3, classes=[0, 1], random_state=1), X, y)
    b = seeded(dperm.LogisticRegression(5, lambda_=1 / (1000 * 0.1), data_norm=3, classes=[0, 1],
                                        random_state=1), X, y)
    assert a.coef_.tolist() == b.coef_.tolist() and a.privacy_["lambda"] == 0.01


def test_the_intercept_is_part_of_the_score(two):
    X, y = two
    clf = dperm.LogisticRegression(5, data_norm=3, classes=[0, 1]).fit(X, y)
    short = X[np.linalg.norm(X, axis=1) < 2.9]
    assert np.allclose(clf.decision_function(short), short @ clf.coef_[0] + clf.intercept_[0])
    bare = dperm.LogisticRegression(5, data_norm=3, classes=[0, 1], fit_intercept=False).fit(X, y)
    assert bare.intercept_.tolist() == [0.0] and bare.coef_.shape == (1, 4)


# ---- what is wrong


@pytest.mark.parametrize("settings, message", [
    (dict(epsilon=None), "epsilon is missing"), (dict(epsilon=0), "epsilon=0"),
    (dict(epsilon=float("nan")), "epsilon=nan"), (dict(epsilon="1"), "must be a number"),
    (dict(lambda_=-1), "lambda_=-1"), (dict(C=0), "C=0"), (dict(C=1, lambda_=1), "say the same"),
    (dict(mechanism="laplace"), "mechanism='laplace'"), (dict(noise="pink"), "noise='pink'"),
    (dict(mechanism="none"), "does not go with"), (dict(data_norm=0), "data_norm=0"),
    (dict(classes=[1]), "at least two"), (dict(classes=[1, 1]), "each once"),
    (dict(bounds=(1, 0)), "below its high"), (dict(bounds=3), "bounds=3"),
    (dict(bounds=(0, 1), data_norm=1), "leave data_norm out"), (dict(random_state=-1), "random_state"),
    (dict(rows_per_person=0), "rows_per_person=0"), (dict(dataset="d"), "no ledger"),
    (dict(ledger=3), "ledger=3"), (dict(intercept_scaling=0), "intercept_scaling=0"),
    (dict(fit_intercept="no"), "fit_intercept='no'")])
@pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")
def test_wrong_settings_say_what_is_wrong(two, settings, message):
    arguments = {"epsilon": 1, "classes": [0, 1], **settings}
    if "bounds" not in settings:
        arguments.setdefault("data_norm", 3)
    refused(ValueError, message, dperm.LogisticRegression(**arguments).fit, *two)


def test_wrong_data_say_what_is_wrong(two):
    X, y = two
    clf = dperm.LogisticRegression(1, data_norm=3, classes=[0, 1])
    refused(ValueError, "NaN", clf.fit, np.where(X > 2, np.nan, X), y)
    refused(ValueError, "inconsistent numbers of samples", clf.fit, X, y[:-1])
    refused(ValueError, "Expected 2D array", clf.fit, X[0], y)
    refused(ValueError, "none of the classes", clf.fit, X, y + 1)
    refused(ValueError, "none of the classes", dperm.LogisticRegression(1, data_norm=3, classes=["a", "b"]).fit, X, y)
    refused(ValueError, "y", clf.fit, X)
    dates = np.full(X.shape, pd.Timestamp("2020"), dtype=object)
    refused(TypeError, "no number .*Timestamp.*; without a schema booleans, integers and floats are taken", clf.fit, dates, y)
    refused(NotFittedError, "", clf.predict, X)
    refused(AttributeError, "", lambda: clf.coef_)
    clf.fit(X, y)
    refused(ValueError, "3 features", clf.predict, X[:, :3])


# ---- what must not be taken from the data


def test_a_missing_norm_warns_and_clips_to_one(two):
    X, y = two
    with pytest.warns(PrivacyLeakWarning, match="data_norm was not given"):
        clf = dperm.LogisticRegression(20, classes=[0, 1]).fit(X, y)
    assert clf.model_.to_dict()["encoding"]["norm"] == pytest.approx(np.sqrt(2))
    assert np.allclose(clf.decision_function(5 * X[:3]), clf.decision_function(500 * X[:3]))


def test_missing_classes_warn(two):
    with pytest.warns(PrivacyLeakWarning, match="classes were not given"):
        dperm.LogisticRegression(1, data_norm=3).fit(*two)


def test_a_norm_must_be_finite(two):
    with pytest.raises(ValueError, match="data_norm=inf; it must be finite and above 0"):
        dperm.LogisticRegression(1, data_norm=np.inf, classes=[0, 1]).fit(*two)


def test_strict_mode_makes_leaks_errors(two):
    with dperm.strict():
        refused(ValueError, "classes were not given", dperm.LogisticRegression(1, data_norm=3).fit, *two)
        refused(ValueError, "data_norm was not given", dperm.LogisticRegression(1, classes=[0, 1]).fit, *two)
        dperm.LogisticRegression(1, data_norm=3, classes=[0, 1]).fit(*two)
    with pytest.warns(PrivacyLeakWarning):
        dperm.LogisticRegression(1, data_norm=3).fit(*two)


@pytest.mark.parametrize("kind", KINDS)
def test_no_attribute_depends_on_the_records_but_the_release(kind, two):
    clf = kind(1, data_norm=3, classes=[0, 1]).fit(*two)
    public = {"classes_", "n_features_in_", "feature_names_in_"}
    learned = {n for n in dir(clf) if n.endswith("_") and n[0] != "_" and n != "lambda_"}
    assert learned - public == {"coef_", "intercept_", "model_", "privacy_", "report_"}
    hidden = set(vars(clf)) - set(clf.get_params()) - public - {"model_", "report_", "_privacy"}  # made of model_
    assert hidden == {"_schema", "_data_norm", "_constant", "_order"}


def test_a_seed_and_no_mechanism_mark_the_model(two):
    clf = seeded(dperm.LogisticRegression(1, data_norm=3, classes=[0, 1], random_state=0), *two)
    assert not clf.privacy_.private and "seed" in clf.privacy_.reason
    plain = dperm.LogisticRegression(None, mechanism="none", data_norm=3, classes=[0, 1]).fit(*two)
    assert not plain.privacy_.private and "without a privacy mechanism" in plain.privacy_.reason
    real = dperm.LogisticRegression(1, data_norm=3, classes=[0, 1]).fit(*two)
    assert real.privacy_.private and real.privacy_.epsilon == 1


def test_noise_is_fresh_in_every_fit(two):
    clf = dperm.LogisticRegression(1, data_norm=3, classes=[0, 1])
    assert clf.fit(*two).coef_.tolist() != clf.fit(*two).coef_.tolist()


# ---- the claim


def test_the_statement_as_an_object(two):
    clf = dperm.LogisticRegression(0.5, data_norm=3, classes=["no", "yes"]).fit(
        two[0], np.array(["no", "yes"])[two[1]])
    holds, lines = clf.privacy_.verify()
    assert holds and any(line.line.startswith("claim: ") for line in lines)
    assert "ε = 0.5" in clf.privacy_.statement()
    assert clf.privacy_._repr_html_().startswith("<!doctype html>")


def test_the_statement_repeats_what_is_said_about_the_model(two, tmp_path):
    privacy = dperm.LogisticRegression(0.5, data_norm=3, classes=[0, 1]).fit(*two).privacy_
    said = {"intended_use": "plans", "responsible": "A <b>"}
    (tmp_path / "about.json").write_text(json.dumps(said))
    (tmp_path / "about.txt").write_text("For plans.")
    for about in (said, tmp_path / "about.json", str(tmp_path / "about.json")):
        assert "| responsible | A \\<b\\> |" in privacy.statement(about=about)
    assert "<p>For plans.</p>" in privacy.statement(html=True, about=tmp_path / "about.txt")
    with pytest.raises(ValueError, match="unknown key \"use\""):
        privacy.statement(about={"use": "x"})


def test_the_claim_as_a_mapping(two):
    clf = dperm.LogisticRegression(0.5, data_norm=3, classes=[0, 1]).fit(*two)
    assert dict(clf.privacy_)["mechanism"] == "objective" and clf.privacy_.rows == 1000


def test_a_private_score(two):
    X, y = two
    clf = dperm.LogisticRegression(5, data_norm=3, classes=[0, 1]).fit(X, y)
    found = clf.score_private(X, y, epsilon=200, counts=True)  # noise once in e^100 / 8
    assert found["private"] and found["errors"] == round((1 - clf.score(X, y)) * 1000)
    assert found["false_positives"] + found["false_negatives"] == found["errors"]
    often = int(np.mean(y) > 0.5)
    assert found["baseline"]["class"] == str(often)
    assert found["baseline"]["interval"] == (found["baseline"]["error_rate"],) * 2 == (pytest.approx(np.mean(y != often)),) * 2
    assert "baseline" not in clf.score_private(X, y, epsilon=200)
    refused(ValueError, "999 labels", clf.score_private, X, y[1:], epsilon=1)
    for name in ("counts", "public_model"):
        refused(ValueError, f"{name}='x'; it must be True or False", clf.score_private, X, y, epsilon=1, **{name: "x"})


def test_an_evaluation(two):
    X, y = two
    clf = dperm.LogisticRegression(5, data_norm=3, classes=[0, 1]).fit(X, y)
    exact, found = clf.evaluate_exact(X, y), clf.evaluate_private(X, y, epsilon=90000)
    assert exact["error_rate"]["value"] == pytest.approx(1 - clf.score(X, y)) == found["error_rate"]["value"]
    assert exact["auc"]["value"] == pytest.approx(roc_auc_score(y, clf.decision_function(X)))
    assert found["auc"]["value"] == pytest.approx(exact["auc"]["value"], abs=0.01)
    assert exact["log_loss"]["value"] == pytest.approx(log_loss(y, clf.predict_proba(X)))
    assert exact["intervals"] == "sampling" and "private" not in exact and "epsilon" not in exact
    assert found["private"] and found["epsilon"] == 90000 and found["rows"] == 1000
    assert found["finding"].startswith("the model errs less than always saying")
    assert not clf.evaluate_private(X, y, epsilon=1, random_state=1)["private"]
    assert clf.evaluate_private(X, y, 1.0, random_state=1) == clf.evaluate_private(X, y, 1.0, random_state=1)
    useless = dperm.LogisticRegression(5, data_norm=3, classes=[0, 1], lambda_=1e9).fit(X, np.arange(1000) < 950)
    assert "always saying" in useless.evaluate_exact(X, np.arange(1000) < 950)["finding"]
    refused(ValueError, "999 labels", clf.evaluate_private, X, y[1:], epsilon=1)
    refused(ValueError, "epsilon", clf.evaluate_private, X, y, epsilon=0)


def test_an_evaluation_by_group(two):
    schema = {"group": "town", "label": {"column": "y", "positive": ["1"], "negative": ["0"]},
              "columns": [{"name": "a", "type": "numeric", "min": -5, "max": 5},
                          {"name": "town", "type": "group", "values": ["north", "south"]}]}
    rows = pd.DataFrame({"a": two[0][:, 0], "town": np.where(np.arange(1000) % 3 == 0, "north", "south")})
    rows.loc[rows.index % 10 == 1, "town"] = None
    clf = dperm.LogisticRegression(5, schema=schema).fit(rows, two[1])
    found = clf.evaluate_exact(rows, two[1])["groups"]
    wrong = clf.predict(rows[["a"]]).astype(int) != two[1]  # predictions need no group
    for group, inside in zip(found["rates"], (rows.town == "north", rows.town == "south", rows.town.isna())):
        assert group["records"] == inside.sum() and group["error_rate"]["value"] == pytest.approx(wrong[inside].mean())
    refused(ValueError, "no column 'town'", clf.evaluate_exact, rows[["a"]], two[1])


def test_people_with_several_rows(two):
    clf = dperm.LogisticRegression(1, data_norm=3, classes=[0, 1], rows_per_person=4).fit(*two)
    assert clf.privacy_.epsilon_row == 0.25 and "person with at most 4" in repr(clf.privacy_)


# ---- files, copies, pipelines


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", [dict(data_norm=3), dict(bounds=(-4, 4)),
                                 dict(data_norm=3, fit_intercept=True),
                                 dict(data_norm=3, fit_intercept=True, intercept_scaling=0.3)])
def test_models_come_back_from_files_and_pickles(kind, how, two, tmp_path):
    X, y = two
    clf = seeded(kind(2, classes=[0, 1], random_state=1, **how), X, y)
    clf.save(tmp_path / "m.json")
    for other in (kind.load(tmp_path / "m.json"), dperm.load(tmp_path / "m.json"),
                  pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)):
        assert type(other) is kind and other.classes_.tolist() == [0, 1]
        assert np.allclose(other.decision_function(X), clf.decision_function(X), rtol=1e-12)
        assert (other.predict(X) == clf.predict(X)).all()
        assert other.privacy_.epsilon == 2


def test_the_command_line_reads_what_python_wrote(census, command, tmp_path):
    people = pd.read_csv(census / "people.csv")
    clf = dperm.LogisticRegression(1, schema=census / "schema.json").fit(people)
    clf.save(tmp_path / "m.json")
    assert "claim: (epsilon, delta) = (1," in command("verify", "--model", tmp_path / "m.json")
    lines = command("predict", "--model", tmp_path / "m.json", "--data", census / "people.csv")
    assert [line.split(",")[0] for line in lines.splitlines()[1:]] == clf.predict(people).tolist()
    score = json.loads(command("score", "--model", tmp_path / "m.json", "--data",
                               census / "people.csv"))
    label = dperm.Schema(census / "schema.json").label_column
    assert clf.score(people, people[label]) == pytest.approx(1 - score["error_rate"])


def test_a_file_of_another_kind_is_refused(two, tmp_path):
    dperm.LinearSVC(1, data_norm=3, classes=[0, 1]).fit(*two).save(tmp_path / "m.json")
    refused(ValueError, "a model of LinearSVC", dperm.LogisticRegression.load, tmp_path / "m.json")
    (tmp_path / "m.json").write_text("{}")
    refused(DataError, "not a dperm model", dperm.load, tmp_path / "m.json")
    refused(OSError, "", dperm.load, tmp_path / "nowhere.json")


def test_pipelines_and_clones(two):
    X, y = two
    pipe = make_pipeline(FunctionTransformer(np.tanh), dperm.LogisticRegression(
        5, data_norm=2, classes=[0, 1], random_state=1))
    assert seeded(pipe, X, y).score(X, y) > 0.9
    copied = clone(pipe[-1])
    assert copied.get_params() == pipe[-1].get_params() and not hasattr(copied, "model_")


@pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")
def test_grid_search_works_and_warns_loudly(two):
    grid = GridSearchCV(dperm.LogisticRegression(5, data_norm=3, classes=[0, 1], random_state=1),
                        {"lambda_": [1e-3, 1e-2]}, cv=2)
    with pytest.warns(PrivacyLeakWarning, match="NOT private; use dperm.PrivateTuner"):
        assert grid.fit(*two).best_score_ > 0.8
    with pytest.warns(PrivacyLeakWarning, match="NOT private"):
        cross_val_score(dperm.LogisticRegression(5, data_norm=3, classes=[0, 1]), *two, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dperm.LogisticRegression(5, data_norm=3, classes=[0, 1]).fit(*two)


def _weights(X, y):
    return dperm.LogisticRegression(1, data_norm=3, classes=[0, 1]).fit(X, y).coef_.tolist()


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_joblib_workers_have_independent_noise(two, backend):
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_backend(backend, n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(_weights)(*two) for _ in range(4))
    assert len({str(w) for w in found}) == 4


# ---- several classes, kernels


def test_several_classes_share_epsilon(clouds):
    X, y = clouds
    clf = dperm.LogisticRegression(3, data_norm=5, classes=[0, 1, 2]).fit(X, y)
    assert clf.coef_.shape == (3, 2) and clf.intercept_.shape == (3,)
    assert clf.decision_function(X).shape == (900, 3)
    assert np.allclose(clf.predict_proba(X).sum(axis=1), 1)
    again = seeded(clone(clf).set_params(random_state=1), X, y)
    assert again.score(X, y) > 0.8
    assert clf.privacy_.epsilon == 3 and clf.privacy_.epsilon_class == 3
    assert clf.privacy_.verify()[0]


def test_classes_are_learned_jointly_or_one_against_the_rest(clouds, tmp_path):
    X, y = clouds
    for multiclass, share in (("joint", 3), ("one-vs-rest", 1)):
        clf = dperm.LogisticRegression(3, data_norm=5, classes=[2, 0, 1], multiclass=multiclass).fit(X, y)
        assert clf.privacy_.epsilon_class == share and clf.privacy_.verify()[0]
        assert clf.privacy_.multiclass == multiclass
        scores = clf.decision_function(X)
        own = np.exp(scores) if multiclass == "joint" else 1 / (1 + np.exp(-scores))
        assert np.allclose(clf.predict_proba(X), own / own.sum(axis=1, keepdims=True))
        clf.save(tmp_path / "m.json")
        again = dperm.load(tmp_path / "m.json")
        assert again.multiclass == multiclass and np.array_equal(again.predict_proba(X), clf.predict_proba(X))
    for wrong in (dperm.LinearSVC(3, data_norm=5, classes=[0, 1, 2], multiclass="joint"),
                  dperm.LogisticRegression(3, data_norm=5, classes=[0, 1, 2], multiclass="multinomial")):
        refused(ValueError, "jointly|multiclass", wrong.fit, X, y)


def test_a_kernel_sees_what_a_line_cannot():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, size=(3000, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    line = seeded(dperm.LinearSVC(8, data_norm=2, classes=[0, 1], random_state=1), X, y)
    kernel = seeded(dperm.KernelSVC(8, kernel="rbf", gamma=2, n_components=40, data_norm=2,
                                    classes=[0, 1], random_state=1), X, y)
    assert line.score(X, y) < 0.65 < 0.8 < kernel.score(X, y)
    assert kernel.privacy_.kernel["features"] == 40 and kernel.coef_.shape == (1, 40)


@pytest.mark.parametrize("columns, orthogonal, kind", [(3, True, "orthogonal"), (80, True, "hadamard"), (80, False, "iid")])
def test_a_kernel_model_comes_back_with_its_directions(columns, orthogonal, kind, tmp_path):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(200, columns)), rng.integers(0, 2, 200)
    clf = seeded(dperm.KernelSVC(2, n_components=20, orthogonal=orthogonal, data_norm=9, classes=[0, 1], random_state=1), X, y)
    clf.save(tmp_path / "m.json")
    back = dperm.load(tmp_path / "m.json")
    assert back.privacy_.kernel["kind"] == kind and back.orthogonal is orthogonal
    assert np.allclose(back.decision_function(X), clf.decision_function(X), rtol=1e-12)


@pytest.mark.parametrize("gamma, norm", [(1e32, 1), (5.1e7, 1), (1e4, 100)])
def test_a_gamma_that_makes_features_of_rounding_errors_is_refused(gamma, norm, two):
    with pytest.raises(ValueError, match="too large for rows of norm up to .*; choose it at most about"):
        dperm.KernelSVC(2, gamma=gamma, n_components=4, data_norm=norm, classes=[0, 1]).fit(*two)


@pytest.mark.parametrize("X", [[1234.5, 77.25, 3.0], 1234.5, [["Smith-1234.5", 2.0], ["a", 1.0]], [[1234.5], [np.inf]],
                               np.array([[1234.5 + 1j], [2.0]])])
def test_messages_about_bad_input_quote_no_value(X):
    clf = dperm.LogisticRegression(1.0, data_norm=1, classes=[0, 1])
    y = [0, 1, 0] if np.ndim(X) == 1 else [0, 1]
    with pytest.raises(ValueError) as told:
        clf.fit(X, y)
    assert "1234" not in str(told.value) and len(str(told.value)) > 20
    assert told.value.__cause__ is None and told.value.__suppress_context__


def test_a_class_derived_from_one_may_have_parameters_of_its_own():
    class Mine(dperm.LogisticRegression):
        def __init__(self, epsilon=1.0, region=None):
            super().__init__(epsilon, C=2)
            self.region = region

    mine = clone(Mine(0.5, region="north"))
    assert (mine.epsilon, mine.C, mine.region) == (0.5, 2, "north")
