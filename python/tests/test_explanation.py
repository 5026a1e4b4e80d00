"""What a model says: the command line's explanation as an object, with names, a frame and a picture."""

import json

import numpy as np
import pytest
from checks import refused

import dperm


def test_the_explanation_is_the_command_lines(census, command):
    schema = json.loads((census / "schema.json").read_text())
    pd = pytest.importorskip("pandas")
    people = pd.read_csv(census / "people.csv", dtype=str, keep_default_na=False)
    clf = dperm.LogisticRegression(1.0, schema=schema, random_state=1).fit(people)
    clf.save(census / "explained.json")
    assert dict(clf.explain()) == json.loads(command("explain", "--model", census / "explained.json", "--json"))
    frame = clf.explain().to_frame()
    assert {"class", "column", "kind", "name", "effect", "noise", "verdict"} <= set(frame.columns)
    assert (frame.verdict != "grey").sum() == clf.explain().standing_out
    assert "effects stand out from the privacy noise" in repr(clf.explain())


def test_columns_have_the_names_that_fit_saw(two):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(two[0], columns=list("abcd"))
    for how in ({"data_norm": 3}, {"bounds": (-4, 4)}):
        clf = dperm.LogisticRegression(5.0, classes=[0, 1], random_state=1, **how).fit(X, two[1])
        rows = {row["column"]: row for row in clf.explain().rows()}
        assert sorted(rows) == list("abcd")
        assert rows["a"]["effect"] > 0 > rows["b"]["effect"]
        assert [rows[name]["verdict"] != "grey" for name in "ab"] == [True, True]
    assert {row["column"] for row in clf.model_.explain().rows()} == {"x0", "x1", "x2", "x3"}


def test_several_classes_a_kernel_and_no_noise(clouds, two):
    three = dperm.LogisticRegression(3.0, data_norm=4, classes=[0, 1, 2], random_state=1).fit(*clouds).explain()
    assert [output["class"] for output in three.outputs] == ["0", "1", "2"]
    effects = np.array([row["effect"] for row in sorted(three.rows(), key=lambda row: (row["class"], row["column"]))])
    assert np.allclose(effects.reshape(3, 2).sum(axis=0), 0)  # joint: beside the mean of all classes
    kernel = dperm.KernelSVC(1.0, data_norm=3, classes=[0, 1], n_components=20, random_state=1).fit(*two).explain()
    assert kernel.rows() == [] and "a kernel has no effects" in repr(kernel)
    refused(ValueError, "a model with a kernel has no effects to draw", kernel.plot)
    plain = dperm.LogisticRegression(None, mechanism="none", data_norm=3, classes=[0, 1], lambda_=1e-3).fit(*two).explain()
    assert {row["verdict"] for row in plain.rows()} == {"no noise"} and repr(plain).startswith("Explanation(no noise")
