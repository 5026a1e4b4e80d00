"""One table in C, whatever door it came through: the command's model to the byte, from every container."""

import json

import numpy as np
import pandas as pd
import pytest

import capsules
import dperm

pytestmark = pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")

LOSSES = {"logistic": dperm.LogisticRegression, "huber": dperm.LinearSVC}
# What the run is told about numeric columns, and what it then does: what the report says was asked, and spent.
HOW = {"asked": (dict(), "bins", True), "none": (dict(bins="none"), None, False), "auto": (dict(bins="auto"), None, False),
       "refined": (dict(refine="auto"), None, True), "share": (dict(refine=0.25), None, True),
       "held": (dict(evaluate=0.2), "bins", True), "output": (dict(mechanism="output", refine="none"), None, False)}


def pandas_as_it_reads(path):
    return pd.read_csv(path)


def pandas_texts(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def pandas_categories(path):
    frame = pandas_texts(path)
    return frame.assign(**{name: frame[name].astype("category") for name in frame})


def pandas_of_numpy(path):
    """A dict of arrays, numbers as float32 where they fit."""
    read = pd.read_csv(path)
    return pd.DataFrame({name: np.asarray(read[name], dtype=object) if read[name].dtype.kind not in "if" else
                         read[name].to_numpy().astype(np.float32) for name in read})


def numpy_by_place(path):
    read = pd.read_csv(path)
    return read.drop(columns="income").to_numpy(dtype=object), read["income"].tolist()


def lists(path):
    X, y = numpy_by_place(path)
    return X.tolist(), y


def capsule(path):
    texts = pandas_texts(path)
    return capsules.Table([(name, "string", texts[name].tolist()) for name in texts], batch=700)


def polars(path):
    return pytest.importorskip("polars").read_csv(path, infer_schema_length=None)


def pyarrow(path):
    pytest.importorskip("pyarrow")
    from pyarrow import csv
    return csv.read_csv(path)


@pytest.fixture(scope="module")
def trained(census, command, tmp_path_factory):
    """The bytes of the command's model; each is made once."""
    made = {}

    def train(loss, how):
        if (loss, how) not in made:
            out = tmp_path_factory.mktemp("model") / "m.json"
            words = [word for name, value in HOW[how][0].items() for word in (f"--{name}", value)]
            report = json.loads(command("train", "--force", "--data", census / "people.csv", "--schema", census / "schema.json", "--loss",
                                        loss, "--epsilon", 2, "--seed", 7, "--out", out, "--json", *words))
            made[loss, how] = out.read_bytes(), report
        return made[loss, how]

    return train


@pytest.mark.parametrize("door", [pandas_as_it_reads, pandas_texts, pandas_categories, pandas_of_numpy, numpy_by_place, lists,
                                  capsule, polars, pyarrow])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("loss", LOSSES)
def test_every_door_gives_the_commands_model(census, trained, loss, how, door):
    given = door(census / "people.csv")
    given = given if isinstance(given, tuple) else (given,)
    theirs, report = trained(loss, how)
    settings, answer, spent = HOW[how]
    clf = LOSSES[loss](2.0, schema=census / "schema.json", random_state=7, **settings).fit(*given)
    assert clf.model_.json.encode() == theirs
    assert clf.report_.items() <= report.items()
    assert clf.report_["answer"] == answer and (clf.report_["epsilon_refined"] > 0) == spent
