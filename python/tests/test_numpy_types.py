"""Row independence where NumPy chooses one type for all records, and where it must not get to choose.

Columns and labels of every kind, with one record replaced, in arrays as ``np.array`` makes them and in containers of
Python's values: all other rows stay as they were, or there is a clear error.
"""

import itertools
import os
import pickle
import random
from collections import UserList, deque

import numpy as np
import pandas as pd
import pytest

import dperm
from dperm import numpy_types, tables
from dperm.tables import table_handle
from input_paths import Arrived, Offered, Whole, Word, arrived, planted
from test_row_independence import COUNT, SHARED, compare

pytestmark = pytest.mark.filterwarnings("ignore")
LONG_COUNTS = bool(os.environ.get("DPERM_LONG"))
TRIALS = 196 if LONG_COUNTS else 12  # replaced records in each kind of column


def objects(values):
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def rows_of(how):
    return lambda values: how([[v] for v in values])


SINGLE, HALF, LONG = np.float32, np.float16, np.longdouble
# What a column or the labels usually hold, and what one record has instead.
USUAL = {"truths": [True, False], "truths of numpy": [np.True_, np.False_], "truths and numbers": [True, False, 2],
         "whole": [0, 1, 2], "floats": [0.0, 1.0, 2.0], "fractions": [0.5, 0.1, 1.0], "singles": [SINGLE(0.1), SINGLE(0.5)],
         "large singles": [SINGLE(123456792), SINGLE(1)], "halves": [HALF(0.1), HALF(65504)],
         "long": [LONG("0.1"), LONG(0.1)], "texts": ["1", "True", "x"],
         "texts of floats": ["1.0", "nan", "x"], "bytes": [b"1", b"True", b"1.0"], "words": [Word.JUDGE, "judge"]}
ODD = [1, True, False, 2, 0.5, float("nan"), None, "?", "1", b"1", SINGLE(0.1), LONG(1.5), 2**53 + 1, np.int8(1)]
LISTS = {"list": list, "tuple": tuple, "deque": deque, "UserList": UserList}
ARRAYS = {"inferred": np.array, "offered": lambda values: Offered(np.array(values)), "objects": objects,
          "list of an array": lambda values: list(np.array(values))}
TABLES = {**{name: rows_of(lambda rows, make=make: make([make(row) for row in rows])) for name, make in LISTS.items()},
          **{name: rows_of(make) for name, make in ARRAYS.items() if name != "objects"},
          "objects": lambda values: objects(values).reshape(-1, 1)}
YS = {**LISTS, **ARRAYS, "series": pd.Series, "index": pd.Index, "categorical": pd.Categorical,
      "categorical index": pd.CategoricalIndex, "categories": lambda values: pd.Series(pd.Categorical(values))}

LISTED = {"truths": ["True", "False"], "digits": ["0", "1", "2"], "both": ["True", "False", "1", "0"],
          "numbers": ["1", "0.5", "0.1", "0.10000000149011612", "123456790", "123456792", "65500", "65504"],
          "texts": ["x", "nan", "1.0", "judge"], "one truth": ["True", "x"]}
COLUMNS = {**{name: {"type": "categorical", "values": values} for name, values in LISTED.items()},
           "groups": {"type": "categorical", "groups": {"a": ["1", "x"], "rest": "*"}},
           "numeric": {"type": "numeric", "min": 0, "max": 100}}
LABELS = {"both": {"positive": ["1", "2"], "negative": ["True", "False", "0"]},
          "truths": {"classes": ["True", "False"]}, "truths or not": {"classes": {"no": "*", "yes": ["True"]}},
          "digits": {"classes": ["0", "1", "2"]}, "digits or not": {"classes": {"neg": "*", "pos": ["1"]}},
          "numbers": {"classes": {"a": ["0.1", "1", "123456790"], "b": ["0.10000000149011612", "123456792"], "c": "*"}},
          "texts": {"classes": {"a": ["x", "1.0", "judge"], "b": ["nan", "1"], "c": "*"}}}


def schema_of(column, label):
    return {"intercept": True, "missing": ["", "?"], "on_missing": "category", "label": {"column": "y", **label},
            "columns": [{"name": "a", **column}]}


def fit(column, label):
    return dperm.LogisticRegression(1.0, schema=schema_of(column, label), refine=None).fit


def encoded(make, values, go):
    """As `attempt`, but by the door that all methods with a schema have, which is faster."""
    try:
        container = make(values)
    except Exception:  # NumPy or pandas refuse to make it
        return None
    try:
        return Arrived(go(container)[0], True, None)
    except (ValueError, TypeError) as error:
        return str(error)


def check(make, usual, go):
    """Pairs that could be compared, of data sets that often have an odd value in another record too."""
    chance, compared = random.Random(1), 0
    every = list(itertools.product(ODD, ODD))
    for i, (value, odd) in enumerate(chance.sample(every, TRIALS)):
        if i % SHARED == 0:
            values = [chance.choice(usual) for _ in range(COUNT)]
            if chance.random() < 0.5:
                values[4] = odd
            before = encoded(make, values, go)
        at, after = chance.choice((0, COUNT - 1)), list(values)
        after[at] = value
        compared += compare(before, encoded(make, after, go), at)
    return compared


def check_column(container, listed, kind):
    schema = dperm.Schema(schema_of(COLUMNS[listed], {"classes": ["no", "yes"]}))
    return check(TABLES[container], USUAL[kind], lambda X: table_handle(schema, X, ["no", "yes", "no"] * 3))


def check_labels(container, listed, kind):
    schema = dperm.Schema(schema_of(COLUMNS["numeric"], LABELS[listed]))
    return check(YS[container], USUAL[kind], lambda y: table_handle(schema, [[i] for i in range(COUNT)], y))


@pytest.mark.parametrize("listed", COLUMNS)
@pytest.mark.parametrize("container", TABLES)
def test_a_row_depends_on_its_own_record(container, listed):
    compared = {kind: check_column(container, listed, kind) for kind in USUAL}
    if container in LISTS and listed != "numeric":
        assert min(compared.values()) > TRIALS // 2  # all but whole numbers that lost digits
    assert compared["whole"] > (TRIALS // 4 if listed not in ("truths", "both", "one truth") else -1)


@pytest.mark.parametrize("listed", LABELS)
@pytest.mark.parametrize("container", YS)
def test_a_label_depends_on_its_own_record(container, listed):
    odd = (list(YS).index(container) + list(LABELS).index(listed)) % 2  # every other kind, with every other schema
    kinds = list(USUAL) if LONG_COUNTS else list(USUAL)[odd::2]
    compared = {kind: check_labels(container, listed, kind) for kind in kinds}
    least = TRIALS // 4 if "*" in str(LABELS[listed]) and container in LISTS else 1
    assert sum(compared.values()) >= least or "categor" in container and "truths" in listed  # which are refused


# ---------------------------------------------------------------- what is taken, and what is refused


@pytest.mark.parametrize("listed, values", [
    ("truths", [True, False]), ("both", [True, False]), ("truths", ["True", "False", "?"]), ("digits", [0, 1, 2]),
    ("digits", [0.0, np.nan, 2.0]), ("digits", ["0", "1", "?"]), ("truths", [2, 3]), ("numbers", [0.5, 0.1, 1]),
    ("texts", ["x", "judge"]), ("numeric", [0.1, 5]), ("numeric", [SINGLE(0.1), SINGLE(5)]), ("numeric", [True, False]),
    ("texts", [b"x", b"judge"]), ("numbers", [SINGLE(0.5), SINGLE(1)]), ("groups", [0, 2.0])])
def test_arrays_have_the_rows_that_lists_have(listed, values):
    go, y = fit(COLUMNS[listed], {"classes": ["no", "yes"]}), (["no", "yes"] * 2)[:len(values)]
    X = np.array([[v] for v in values])
    found = [arrived(lambda X=X: go(X, y)).rows for X in ([[v] for v in values], X, list(X), deque(X), Offered(X))]
    assert all(rows == found[0] for rows in found)


@pytest.mark.parametrize("listed, values, message", [
    ("truths", [True, np.nan], "0 or 1, where the schema lists True"), ("truths", [True, 2], "0 or 1, where"),
    ("both", [1, 0], "0 or 1, where"), ("digits", [True, False], "booleans, where the schema lists 0 or 1"),
    ("digits", [True, None], "booleans"), ("digits", [True, "?"], "booleans"), ("digits", [1.0, "?"], "texts of floats"),
    ("texts", ["x", np.nan], "texts of floats"), ("numbers", [SINGLE(0.1), 1], "another width"),
    ("numbers", [SINGLE(0.1), None], "another width"), ("numbers", [LONG(0.5), 1], "another width"),
    ("texts", [Word.JUDGE, None], "class that is neither"), ("digits", [Whole.ONE, None], "class that is neither"),
    ("numeric", [0.1, "?"], "texts in a numeric column")])
def test_arrays_are_refused_with_a_word_on_what_to_do(listed, values, message):
    go = fit(COLUMNS[listed], {"classes": ["no", "yes"]})
    with pytest.raises(ValueError, match=f"column 'a' holds .*{message}.*; give the records as lists or a frame"):
        go(np.array([[v] for v in values]), ["no", "yes"])


@pytest.mark.parametrize("defect", ["check", "_check_truths", "_check_digits", "_check_texts", "_check_objects"])
def test_the_suite_finds_arrays_that_are_not_checked(defect):
    tries = [("truths", "truths"), ("digits", "truths"), ("digits", "floats"), ("numbers", "singles"), ("texts", "words")]
    with planted(numpy_types, defect, lambda *_: None), pytest.raises(AssertionError, match="changed"):
        for listed, kind in tries:
            check_column("inferred", listed, kind)


def test_the_suite_finds_sequences_that_become_arrays():
    with planted(tables, "as_list", lambda X: X), planted(tables, "as_lists", lambda X: X), \
            planted(numpy_types, "check", lambda *_: None):
        with pytest.raises(AssertionError, match="changed"):
            check_column("deque", "digits", "floats")


# ---------------------------------------------------------------- what a fit leaves


def left(clf, X):
    found = pickle.loads(pickle.dumps(clf))
    state = {name: value for name, value in vars(found).items() if isinstance(value, (np.ndarray, int, str))}
    return {name: (repr(value), getattr(value, "dtype", None)) for name, value in state.items()}, \
        found.classes_.dtype, found.predict(X).dtype, repr(found._order.classes)


@pytest.mark.parametrize("names, usual", [(["0", "1"], [0, 1]), (["no", "1"], [0, 1]), (["0.5", "1"], [0.5, 1.0])])
@pytest.mark.parametrize("container", ["list", "inferred", "series", "objects", "categorical"])
def test_types_of_what_is_released_do_not_depend_on_a_label(container, names, usual):
    label = {"classes": {names[0]: "*", names[1]: ["1"]}}
    X, found = [[i] for i in range(40)], []
    for last in (usual[0], 2, 2.5, "x", None):
        y = YS[container]([usual[i % 2] for i in range(39)] + [last])
        try:
            clf = fit(COLUMNS["numeric"], label)(X, y)
        except ValueError as error:
            assert "give" in str(error) or "not one that the schema lists" in str(error)
            continue
        found.append(left(clf, X))
    assert len(found) >= 2 and all(one == found[0] for one in found)


def test_no_records_leave_what_some_leave():
    """With add-remove neighbours their number is private."""
    schema = schema_of(COLUMNS["numeric"], {"classes": ["no", "yes"]})
    for X in ([], deque(), np.empty((0, 1)), pd.DataFrame({"a": []})):
        clf = dperm.LogisticRegression(1.0, neighbours="add-remove", rows_about=100, refine=None, schema=schema)
        assert clf.fit(X, []).n_features_in_ == 1 == clf.fit([[0.5]], ["no"]).n_features_in_
