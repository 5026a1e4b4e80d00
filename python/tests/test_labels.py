"""Classes and weights as scikit-learn takes them for granted: sorted, of the caller's type, in the columns of X."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

import dperm

pytestmark = pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")
KINDS = [dperm.LogisticRegression, dperm.LinearSVC, dperm.KernelSVC]


def frame(two):
    X, y = two
    return pd.DataFrame(X, columns=list("abcd")).assign(kind=np.array(["default", "paid"])[y])


def schema(**label):
    return {"label": {"column": "kind", **label}, "intercept": True,
            "columns": [{"name": n, "type": "numeric", "min": -4, "max": 4} for n in "abcd"]}


# ---------------------------------------------------------------- order


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["data_norm", "bounds", "schema"])
def test_classes_are_sorted_and_everything_follows(kind, how, two, tmp_path):
    """"default" is the positive class of the model, and sorts first."""
    people = frame(two)
    X, y = people[list("abcd")], people.kind.to_numpy()
    settings = {"data_norm": dict(data_norm=3, classes=["paid", "default"]),
                "bounds": dict(bounds=(-4, 4), classes=["paid", "default"]),
                "schema": dict(schema=schema(positive=["default"], negative=["paid"]))}[how]
    X = X if how == "schema" else X.to_numpy()
    clf = kind(20, random_state=1, **settings).fit(X, y)
    clf.save(tmp_path / "m.json")
    assert clf.model_.classes == ["paid", "default"]
    for found in (clf, dperm.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(clf))):
        scores = found.decision_function(X)
        assert found.classes_.tolist() == ["default", "paid"]
        assert roc_auc_score(y, scores) > 0.7 and accuracy_score(y, found.predict(X)) > 0.7
        assert (found.predict(X) == np.where(scores > 0, "paid", "default")).all()
        assert found.score(X, y) == accuracy_score(y, found.predict(X))
        if kind is dperm.LogisticRegression:
            assert log_loss(y, found.predict_proba(X)) < 0.5
            assert np.allclose(found.predict_proba(X)[:, 1], 1 / (1 + np.exp(-scores)))
        if how == "data_norm" and kind is not dperm.KernelSVC:
            short = np.linalg.norm(two[0], axis=1) < 2.9
            assert np.allclose((two[0] @ found.coef_[0] + found.intercept_[0])[short], scores[short])


@pytest.mark.parametrize("order", [["w", "u", "v"], ["v", "w", "u"], ["u", "v", "w"]])
def test_several_classes_are_sorted_too(order, clouds, tmp_path):
    X, y = clouds[0], np.array(["u", "v", "w"])[clouds[1]]
    clf = dperm.LogisticRegression(20, data_norm=5, classes=order, random_state=1).fit(X, y)
    clf.save(tmp_path / "m.json")
    assert clf.model_.classes == order
    for found in (clf, dperm.load(tmp_path / "m.json")):
        assert found.classes_.tolist() == ["u", "v", "w"] and accuracy_score(y, found.predict(X)) > 0.9
        assert (found.decision_function(X).argmax(axis=1) == clouds[1]).mean() > 0.9
        assert log_loss(y, found.predict_proba(X)) < 0.7
        inside = np.linalg.norm(X, axis=1) < 4.9
        assert np.allclose((X @ found.coef_.T + found.intercept_)[inside], found.decision_function(X)[inside])
        assert found.score_private(X, y, epsilon=200, public_model=True)["errors"] == (found.predict(X) != y).sum()


@pytest.mark.parametrize("flipped", [False, True])
def test_equal_scores_are_decided_as_the_command_line_does(flipped, tmp_path, command):
    """A row without a known value has the score 0, and that is the model's first class in either order."""
    names = ["yes", "no"] if flipped else ["no", "yes"]
    rows = pd.DataFrame({"job": ["nurse", "judge"] * 20 + ["?"]})
    y = np.array(["no", "yes"] * 20 + ["no"])
    table = {"label": {"column": "kind", "classes": names},
             "columns": [{"name": "job", "type": "categorical", "values": ["nurse", "judge"]}]}
    clf = dperm.LogisticRegression(20, schema=table, random_state=1).fit(rows, y)
    clf.save(tmp_path / "m.json")
    rows.assign(kind=y).to_csv(tmp_path / "d.csv", index=False)
    lines = command("predict", "--model", tmp_path / "m.json", "--data", tmp_path / "d.csv").splitlines()[1:]
    assert clf.decision_function(rows)[-1] == 0 and clf.predict(rows)[-1] == names[0]
    assert [line.split(",")[0] for line in lines] == clf.predict(rows).tolist()


def test_classes_declare_what_exists_in_any_order(two):
    people = frame(two)
    for classes in (["paid", "default"], ["default", "paid"]):
        clf = dperm.LogisticRegression(20, schema=schema(classes=["default", "paid"]), classes=classes, random_state=1)
        assert clf.fit(people).model_.classes == clf.classes_.tolist() == ["default", "paid"]
    one = dperm.LogisticRegression(5, data_norm=3, classes=[2, 0, 1]).fit(*two)  # nobody has 2
    assert one.classes_.tolist() == [0, 1, 2] and one.predict_proba(two[0]).shape == (1000, 3)


def test_a_pickle_of_version_0_1_gets_its_order(two):
    X, y = two
    clf = dperm.LogisticRegression(20, data_norm=3, classes=[1, 0], random_state=1).fit(X, y)
    old = dict(clf.__getstate__(), classes_=np.array([1, 0]))
    del old["_order"]
    found = dperm.LogisticRegression.__new__(dperm.LogisticRegression)
    found.__setstate__(old)
    assert found.classes_.tolist() == [0, 1] and (found.predict(X) == clf.predict(X)).all()


# ---------------------------------------------------------------- type


@pytest.mark.parametrize("names, labels, kind, classes", [
    (["0", "1"], [0, 1], "i", None), (["0", "1"], [0.0, 1.0], "i", None), (["False", "True"], [False, True], "b", None),
    (["0.5", "1"], [0.5, 1.0], "f", None), (["01", "1"], ["01", "1"], "U", None), (["10", "2"], [10, 2], "i", None),
    (["0", "1"], ["0", "1"], "U", ["1", "0"]), (["0", "1"], [0, 1], "U", ["0", "1"]),
    (["False", "True"], ["False", "True"], "U", ["False", "True"])])
@pytest.mark.parametrize("input", ["array", "list", "series", "objects", "column"])
def test_predict_has_labels_of_the_type_that_the_names_read_as_or_that_is_declared(names, labels, kind, classes, input, two):
    people, y = frame(two), np.array(labels)[two[1]]
    given = {"array": lambda: y, "list": lambda: y.tolist(), "series": lambda: pd.Series(y),
             "objects": lambda: y.astype(object), "column": lambda: None}[input]()
    people["kind"] = y
    clf = dperm.LogisticRegression(20, schema=schema(classes=names), classes=classes, random_state=1).fit(people, given)
    found = clf.predict(people)
    assert found.dtype.kind == kind and clf.classes_.tolist() == sorted(labels if classes is None else classes)
    score, found = clf.score(people, y), found.astype(y.dtype)
    assert (y == found).mean() > 0.9 and score == pytest.approx((y == found).mean())
    assert roc_auc_score(y == sorted(labels)[1], clf.decision_function(people)) > 0.9


@pytest.mark.parametrize("dtype, classes, kind", [
    ("Int64", None, "i"), ("string", ["0", "1"], "U"), ("category", None, "i"), ("Int64", ["0", "1"], "U")])
def test_types_of_pandas(dtype, classes, kind, two):
    people, y = frame(two), pd.Series(two[1]).astype(dtype)
    clf = dperm.LogisticRegression(20, schema=schema(classes=["0", "1"]), classes=classes, random_state=1).fit(people, y)
    assert clf.predict(people).dtype.kind == kind


@pytest.mark.parametrize("names", [["0", "1"], ["False", "True"], ["0.5", "1"]])
def test_texts_that_would_come_back_as_numbers_must_be_declared(names, two):
    people, y = frame(two), np.array(names, dtype=object)[two[1]]
    for given in (y, y.tolist(), pd.Series(y), pd.Series(y).astype("string")):
        with pytest.raises(ValueError, match=f"y holds texts, .*; give classes=\\['{names[0]}', "):
            dperm.LogisticRegression(20, schema=schema(classes=names)).fit(people, given)


def test_labels_of_several_types_have_the_classes_of_the_names(two):
    """The type of one label tells nothing."""
    people, y = frame(two), two[1].tolist()
    clf = dperm.LogisticRegression(20, schema=schema(classes=["0", "1"]))
    for first in (y[0], str(y[0]), float(y[0])):
        assert clf.fit(people, [first, *y[1:]]).classes_.dtype.kind == "i"


def test_a_class_of_several_values_has_its_name(two):
    people = frame(two).assign(kind=np.where(two[1] > 0, 1, -1))
    some = dperm.LogisticRegression(20, schema=schema(positive=["1", "2"], negative="*"), random_state=1).fit(people)
    assert some.classes_.tolist() == ["1", "negative"]


@pytest.mark.parametrize("classes", [[0, 1], ["a", "b"], [-1.5, 1.0], [False, True], [10, 9]])
def test_a_model_from_a_file_has_its_types_again(classes, two, tmp_path):
    X, y = two[0], np.array(sorted(classes))[two[1]]
    clf = dperm.LogisticRegression(20, data_norm=3, classes=classes, random_state=1).fit(X, y)
    clf.save(tmp_path / "m.json")
    found = dperm.load(tmp_path / "m.json").predict(X)
    assert found.dtype == clf.predict(X).dtype == y.dtype and (found == clf.predict(X)).all()
    assert (y == found).mean() > 0.9


# ---------------------------------------------------------------- weights and names


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("bounds", [(-5, 4), ([-5, -6, -4, -4], [4, 5, 9, 5])])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("classes", [[0, 1], [1, 0], [2, 0, 1]])
def test_with_bounds_weights_are_in_the_columns_of_X(kind, bounds, intercept, classes, two, tmp_path):
    X, y = two
    clf = kind(9, bounds=bounds, classes=classes, fit_intercept=intercept, random_state=1).fit(X, y)
    clf.save(tmp_path / "m.json")
    for found in (clf, dperm.load(tmp_path / "m.json")):
        scores = X @ found.coef_.T + found.intercept_
        assert np.allclose(scores if len(classes) > 2 else scores[:, 0], found.decision_function(X), rtol=1e-12, atol=1e-12)
        assert found.n_features_in_ == 4 and not hasattr(found, "feature_names_in_")


def test_with_a_schema_weights_are_in_encoded_columns(two):
    clf = dperm.LogisticRegression(9, schema=schema(classes=["default", "paid"])).fit(frame(two))
    assert clf.coef_.tolist() == clf.model_.weights[:, :-1].tolist()
    assert clf.intercept_.tolist() == clf.model_.weights[:, -1].tolist()


def test_the_label_is_no_feature(two, tmp_path):
    people = frame(two)
    clf = dperm.LogisticRegression(9, schema=schema(classes=["default", "paid"]))
    for X, y in ((people, None), (people, people.kind), (people[list("abcd")], people.kind)):
        assert clf.fit(X, y).feature_names_in_.tolist() == list("abcd") and clf.n_features_in_ == 4
    tuner = dperm.PrivateTuner(clf, {"lambda_": [0.1, 0.2]}).fit(people)
    assert tuner.feature_names_in_.tolist() == list("abcd") and tuner.n_features_in_ == 4
    clf.save(tmp_path / "m.json")
    loaded = dperm.load(tmp_path / "m.json")
    assert loaded.feature_names_in_.tolist() == list("abcd") and loaded.n_features_in_ == 4
    assert not hasattr(clf.fit(people[list("abcd")].to_numpy(), people.kind), "feature_names_in_")
