"""Row independence: replacing one record changes its own row and no other, by every input, bit for bit.

Random data sets (seeded) with one record replaced by a hostile one go in by each input of input_paths.py. All
other rows, their number, their labels and the order stay as they were, or a clear error is raised. The
suite finds the defects that it is there for when they are put back.
"""

import itertools
import os
import pathlib
import random
import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import capsules
import input_paths_arrow  # which adds its inputs to the tables
import dperm
from input_paths import (AMOUNTS, CLASSES, FINE, HOSTILE, NAMES, ROWS, SCHEMA, TABLES, UNTAKEN, USUAL, YS, arrived,
                         planted, ways, ways_of_numbers)
from dperm import columns, data, tables

pytestmark = pytest.mark.filterwarnings("ignore")
COUNT = 9
LONG = bool(os.environ.get("DPERM_LONG"))
TRIALS = 160 if LONG else 48  # hostile values in each kind of table
SHARED = 4  # so many neighbours have one data set, which is taken in once


def attempt(build, way, records, labels):
    """What arrives; None if there is no such container; or the error, which must be a clear one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            container = build(records)
    except Exception:  # NumPy or pandas refuse to make it: nothing reaches the library
        return None
    try:
        return arrived(lambda: way(container, labels))
    except (ValueError, TypeError) as error:
        assert str(error) and "\n" not in str(error)[:20]
        return str(error)


def compare(before, after, at):
    """Whether both arrived; what differs in rows that were not replaced is a defect."""
    if isinstance(before, (str, type(None))) or isinstance(after, (str, type(None))):
        return False
    assert len(after.rows) == len(before.rows) == COUNT, "n depends on the records"
    kept = [i for i in range(COUNT) if i != at]
    differ = [i for i in kept if before.rows[i] != after.rows[i]]
    assert not differ, f"rows {differ} changed with record {at}"
    if before.labels is not None:
        assert [before.labels[i] for i in kept] == [after.labels[i] for i in kept], "labels changed"
    return True


def data_set(chance):
    """Usual values, and often one that gives NumPy and pandas a reason to choose other types."""
    records = [[chance.choice(USUAL[n]) for n in NAMES] for _ in range(COUNT)]
    if chance.random() < 0.5:
        odd = chance.choice([None, 1, True, "1", 0.5])
        records[chance.randrange(1, COUNT - 1)][chance.randrange(len(NAMES))] = odd
    return records


def without_truths(schema):
    """Arrays of 0 and 1 may have been truths: they are taken where the schema does not list these."""
    return {**schema, "columns": [{**one, "values": [v for v in one["values"] if v not in ("True", "False")]}
                                  if "values" in one else one for one in schema["columns"]]}


def check_table(name, seed, most, way="fit", ways=ways, usual=("no", "yes")):
    """Each of `most` hostile values in one record of a data set; how often both could be compared."""
    chance = random.Random(seed)
    build, go = TABLES[name], ways(schema=SCHEMA)[way]
    labels = [chance.choice(usual) for _ in range(COUNT)]
    every = list(itertools.product((0, COUNT - 1), range(len(NAMES)), range(len(HOSTILE))))
    compared = 0
    for i, (at, column, value) in enumerate(chance.sample(every, most)):
        if i % SHARED == 0:
            records = data_set(chance)
            before = attempt(build, go, records, labels)
        other = [list(r) for r in records]
        other[at][column] = HOSTILE[value]
        compared += compare(before, attempt(build, go, other, labels), at)
    return compared


# Whatever they hold; test_numpy_types.py has arrays of texts and truths that are taken.
REFUSED = {"frame_of_boolean_categories", "array_of_texts", "array_of_bytes", "array_of_bool"}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_row_depends_on_its_own_record(name):
    if "frame_of_arrow" in name:
        pytest.importorskip("pyarrow")
    if name.startswith("array_of_") and name[9:] not in ("objects", "objects_in_columns", "texts", "bytes"):
        compared = check_numbers(name, without_truths(SCHEMA))
    else:
        compared = check_table(name, 1, TRIALS)
    assert (compared == 0) if name in REFUSED else compared > TRIALS // 20  # else nothing was tried


@pytest.mark.parametrize("name", ["lists", "tuples", "frame_as_pandas_infers_it", "frame_put_together"])
def test_numbers_stay_what_they_are_beside_a_text(name):
    assert check_numbers(name) > 10


def check_numbers(name, schema=SCHEMA):
    chance, go, compared = random.Random(2), ways(schema=schema)["fit"], 0
    labels = ["no", "yes", "no"] * 3
    for value in (0, 1, -1, True, 0.1, 7.5, 255, 2.0**53, 1e-300, 1e300, -0.0, float("nan"), float("inf"), "1", None):
        records = [[chance.choice((0, 1, 2, 42, True)) for _ in NAMES] for _ in range(COUNT)]
        before = attempt(TABLES[name], go, records, labels)
        for at in (0, COUNT - 1):
            after = [list(r) for r in records]
            after[at] = [value] * 4
            compared += compare(before, attempt(TABLES[name], go, after, labels), at)
    return compared


METHODS = sorted(set(ways(schema=SCHEMA)) - {"fit"})


@pytest.mark.parametrize("way", METHODS)
@pytest.mark.parametrize("name", ["frame_as_pandas_infers_it", "lists", "frame_of_objects", "capsule_of_string"])
def test_every_method_has_the_same_door(name, way):
    assert check_table(name, 3, 40, way) > 10


NUMBERS = [0, 1, -1, 0.5, 0.1, 1e-300, 7, 2**53 + 1, np.float32(0.1)]
ODD_NUMBERS = [7, True, 0.1, -0.0, 2**53, 2.0**53, 2**63, 2**64, 10**30, 10**400, np.float32(0.1), np.int8(3),
               Decimal("0.1"), "1", "0.1", "x", b"1", None, float("nan"), float("inf"), 1e308, 5e-324, 1j, [1],
               pd.NA, pd.NaT, np.datetime64(1, "s"), pd.Timestamp("2020"), object()]


@pytest.mark.parametrize("how", [dict(data_norm=2.0), dict(bounds=(-1, 8))], ids=["norm", "bounds"])
@pytest.mark.parametrize("name", ROWS)
def test_a_row_of_numbers_depends_on_its_own_record(name, how):
    if "bounds" in how and ("sparse" in name or "coo" in name or "csr" in name or "matrix" in name):
        pytest.skip("bounds are for dense rows")
    assert check_rows(name, how, ODD_NUMBERS) > 10


def check_rows(name, how, values, way="fit"):
    chance, compared = random.Random(5), 0
    go, labels = ways(classes=[0, 1], **how)[way], [0, 1, 1] * 3
    for i, value in enumerate(values):
        if i % SHARED == 0:
            records = [[chance.choice(NUMBERS) for _ in range(2)] for _ in range(COUNT)]
            before = attempt(ROWS[name], go, records, labels)
        for at, column in itertools.product((0, COUNT - 1), (0, 1)) if LONG else ((0, i % 2), (COUNT - 1, 1 - i % 2)):
            after = [list(r) for r in records]
            after[at][column] = value
            compared += compare(before, attempt(ROWS[name], go, after, labels), at)
    return compared


@pytest.mark.parametrize("way", METHODS)
@pytest.mark.parametrize("name, how", [("number_csr_matrix", dict(data_norm=2.0))] + [
    (name, how) for name in ("number_array", "number_frame", "number_capsule")
    for how in (dict(data_norm=2.0), dict(bounds=(-1, 8)))])
def test_every_method_has_the_same_door_for_numbers(name, how, way):
    assert check_rows(name, how, ODD_NUMBERS[:12], way) > 10


def test_the_inputs_come_by_every_door_that_there_is():
    header = (pathlib.Path(__file__).resolve().parents[2] / "include" / "dperm.h").read_text()
    records, labels = [[1.0, 2.0], [3.0, 4.0]], [0, 1]
    found = [attempt(build, ways(classes=[0, 1], data_norm=2.0)["fit"], records, labels) for build in ROWS.values()]
    usual = [[values[0] for values in USUAL.values()]] * 2
    found += [attempt(build, ways(schema=SCHEMA)["fit"], usual, ["no", "yes"]) for build in TABLES.values()]
    assert {one.door for one in found if hasattr(one, "door")} == set(re.findall(r"dperm_data_from_\w+|dperm_data_read\b", header))


KNOWN_BY = {"norm": dict(data_norm=2.0, classes=[0, 1]), "bounds": dict(bounds=(-1, 8), classes=[0, 1]),
            "schema": dict(schema=SCHEMA)}


def check_untaken(name, how):
    """Errors, and nothing that arrives; what does is compared before that."""
    width, labels = (4, ["no", "yes", "no"]) if how == "schema" else (2, [0, 1, 1])
    records = [[(3 * i + j) % 7 for j in range(width)] for i in range(COUNT)]
    found = [attempt(UNTAKEN[name], ways(**KNOWN_BY[how])["fit"], given, labels * 3)
             for given in (records, [[FINE] * width] + records[1:])]
    compare(*found, 0)
    errors = [error for error in found if error is not None]  # pandas makes no column of picoseconds
    assert errors and all(isinstance(error, str) and re.search("type|Complex data|must be a", error) for error in errors)


@pytest.mark.parametrize("how", KNOWN_BY)
@pytest.mark.parametrize("name", UNTAKEN)
def test_what_becomes_numbers_by_all_records_is_refused(name, how):
    check_untaken(name, how)


@pytest.mark.parametrize("how", ["norm", "bounds"])
def test_a_frame_is_dense_whatever_one_of_its_columns_is(how):
    made = pd.DataFrame({"a": [1.0, 0.0], "b": [0.0, 2.0]})
    for columns_ in {"a": "Sparse"}, {"a": "Sparse", "b": "Sparse"}:
        with pytest.raises(ValueError, match="'a' is one of pandas' sparse columns; give X.sparse.to_coo"):
            ways(**KNOWN_BY[how])["fit"](made.astype(columns_), [0, 1])


def check_labels(kind, usual, values, X, ways_in):
    """Each of these values as one label; how often both could be compared."""
    chance, compared = random.Random(6), 0
    for i, value in enumerate(values):
        go = ways_in[i // SHARED % len(ways_in)]
        if i % SHARED == 0:
            labels = [chance.choice(usual) for _ in range(COUNT)]
            before = attempt(YS[kind], lambda y, X: go(X, y), labels, X)
        at, after = chance.choice((0, COUNT - 1)), list(labels)
        after[at] = value
        compared += compare(before, attempt(YS[kind], lambda y, X: go(X, y), after, X), at)
    return compared


TYPED = {"capsule", "capsule of truths", "capsule of a dictionary", "polars", "arrow"}  # whose columns have one type, and bytes are no texts


@pytest.mark.parametrize("kind", YS)
@pytest.mark.parametrize("number", range(len(CLASSES)), ids=lambda number: str(CLASSES[number]))
def test_a_label_depends_on_its_own_record(kind, number):
    chance, (classes, usual) = random.Random(6), CLASSES[number]
    X = [[chance.random(), chance.random()] for _ in range(COUNT)]
    go = [ways(classes=classes, **how)["fit"] for how in (dict(data_norm=1.0), dict(bounds=(0, 1)))]
    # A container sees all hostile values with some classes, in the long run with all.
    values = (HOSTILE if LONG else HOSTILE[number % 3::3]) + usual + [float(2**53), 2**53 + 1]
    if kind == "nullable" and classes[0] == 2**53:
        # Of all labels pandas makes floats, and whole numbers again: what was lost is lost.
        values = [value for value in values if not isinstance(value, (float, np.floating, Decimal))]
    compared = check_labels(kind, usual, values, X, go)
    texts_only = kind in ("inferred", "column") and classes == [0, "a"]  # as NumPy has it
    typed = kind in TYPED and (classes == [0, "a"] or b"a" in classes)
    assert compared >= 2 or texts_only or typed


@pytest.mark.parametrize("kind", YS)
def test_a_label_of_a_table_depends_on_its_own_record(kind):
    if kind == "column":
        pytest.skip("a table's labels have one dimension")
    chance = random.Random(7)
    records = [[chance.choice(USUAL[n]) for n in NAMES] for _ in range(COUNT)]
    values = HOSTILE + ["no", "yes", " yes "]
    assert check_labels(kind, ["no", "yes"], values, records, [ways(schema=SCHEMA)["fit"]]) >= 3


@pytest.mark.parametrize("how", [dict(schema=True), dict(data_norm=1.0), dict(bounds=(0, 9))], ids=lambda how: list(how)[0])
@pytest.mark.parametrize("kind", YS)
def test_a_number_to_predict_depends_on_its_own_record(kind, how):
    chance, table = random.Random(8), "schema" in how
    if kind == "column" and table:
        pytest.skip("a table's labels have one dimension")
    X = [[chance.choice(USUAL[n]) for n in NAMES] if table else [chance.random(), 1.0] for _ in range(COUNT)]
    doors = ways_of_numbers(**how)
    values = HOSTILE + AMOUNTS + [1e300, -1e300, "7.5", "1e999", Decimal("0.3"), np.float32(0.3)]
    compared = check_labels(kind, AMOUNTS[:3] if "truths" in kind or kind in ("capsule", "polars", "arrow") else AMOUNTS, values, X,
                            [doors["fit"], doors["evaluate_exact"]])
    assert compared > 8


@pytest.mark.parametrize("way", ways_of_numbers(schema=True))
@pytest.mark.parametrize("name", ["frame_as_pandas_infers_it", "lists", "frame_of_objects", "capsule_of_string"])
def test_every_method_of_a_regression_has_the_same_door(name, way):
    assert check_table(name, 3, 40, way, ways_of_numbers, AMOUNTS) > 10


# ---------------------------------------------------------------- the same value is the same row however it comes


@pytest.mark.parametrize("numbers", [
    np.random.default_rng(8).normal(size=200) * 10.0 ** np.arange(-100, 100),
    np.array([5e-324, 1.7e308, -0.0, 0.1, 1 / 3, 2**53 + 2.0, 1e22, 1e23, 123456.789])])
def test_a_double_is_the_same_double_by_any_door(numbers):
    wide = {**SCHEMA, "crosses": [], "columns": [{"name": "age", "type": "numeric", "min": -1e300, "max": 1e300}]}
    labels = ["no", "yes"] * (len(numbers) // 2) + ["no"] * (len(numbers) % 2)
    go = ways(schema=wide)["fit"]
    inputs = [numbers.reshape(-1, 1), [[v] for v in numbers.tolist()], pd.DataFrame({"age": numbers.astype(object)}),
             pd.DataFrame({"age": pd.array(numbers, dtype="Float64")}),
             pd.DataFrame({"age": list(map(repr, numbers.tolist()))}),
             pd.DataFrame({"age": pd.Series(numbers).astype("category")}), [[Decimal(v)] for v in numbers.tolist()]]
    inputs += [capsules.Table([("age", kind, values)], batch=7, pad=1) for kind, values in
              [("float64", numbers.tolist()), ("string", list(map(repr, numbers.tolist()))),
               (("dictionary", "int16", "float64", numbers.tolist()), numbers.tolist())]]
    found = [arrived(lambda X=X: go(X, labels)).rows for X in inputs]
    assert all(rows == found[0] for rows in found)


def test_what_a_container_does_to_a_value_does_not_show():
    """1 as a whole number, as a float beside a missing one, as an object beside a text."""
    go = ways(schema=SCHEMA)["fit"]
    frames = [{"code": [1, 2]}, {"code": [1.0, 2.0]}, {"code": pd.array([1, 2], dtype="Int64")}, {"code": ["1", "2"]},
              {"code": pd.Categorical([1, 2])}, {"code": np.array([1, 2], dtype=np.float32)}, {"code": [b"1", "2 "]},
              {"code": pd.arrays.SparseArray([1.0, 2.0])}, {"smoker": pd.array([True, False], dtype="boolean")},
              {"smoker": np.array([True, False], dtype=object)}, {"smoker": ["True", "False"]},
              {"age": np.float32([40, 50])}, {"age": ["40", "5e1"]}, {"age": [Decimal("40.0"), "50"]}]
    base = pd.DataFrame({"age": [40, 50], "code": [1, 2], "smoker": [True, False], "job": ["nurse", "judge"]})
    found = [arrived(lambda f=f: go(base.assign(**f), ["no", "yes"])).rows for f in [{}] + frames]
    assert all(rows == found[0] for rows in found)


def test_a_number_that_means_missing_does_so_in_columns_of_any_type(command, tmp_path):
    go = ways(schema=SCHEMA)["fit"]
    ages = [[-9, 5], [-9.0, 5.0], ["-9", "5"], ["-9.0", 5], [Decimal("-9.00"), 5], ["?", 5], [None, 5],
            [np.nan, 5], [-9, "5"]]
    base = pd.DataFrame({"age": [0, 0], "code": [1, 2], "smoker": [True, False], "job": ["nurse", "judge"]})
    found = [arrived(lambda a=a: go(base.assign(age=a), ["no", "yes"])).rows for a in ages]
    assert all(rows == found[0] for rows in found)


@pytest.mark.parametrize("values, message", [
    ([2.0**53, 1.0], "lost digits"), ([pd.Timestamp("2020"), 1], "type Timestamp"), ([1 + 0j, 1], "complex128"),
    (pd.to_datetime(["2020-01-01", "2020-01-02"]), "datetime64"), ([b"\xff", "1"], "not UTF-8"), (["a\0b", "1"], "NUL"),
    (np.array(["\ud800", "1"], dtype=object), "not Unicode"),
    (np.array([10**5000, 1], dtype=object), "too long"), (pd.Categorical([True, False]), "has categories"),
    (pd.Categorical(np.array([Decimal(1), 1.5], dtype=object)), "has categories"), ([object(), 1], "type object")])
def test_what_has_no_text_of_its_own_is_refused_and_not_quoted(values, message):
    base = pd.DataFrame({"age": [40, 50], "smoker": [True, False], "job": ["nurse", "judge"]})
    base["code"] = pd.Series(values, dtype=object if isinstance(values, np.ndarray) else None)
    with pytest.raises(ValueError, match="column 'code' .*" + message) as told:
        ways(schema=SCHEMA)["fit"](base, ["no", "yes"])
    assert "2020" not in str(told.value) and told.value.__suppress_context__


def test_two_columns_of_one_name_are_refused():
    base = pd.DataFrame([[40, 1, True, "nurse", 2]], columns=NAMES + ["code"])
    with pytest.raises(ValueError, match="several columns 'code'"):
        ways(schema=SCHEMA)["fit"](base, ["no"])


def test_a_single_record_with_a_1_does_not_turn_every_true_into_1():
    """The attack: a weight moved from 3.4 to 0.0 at epsilon 0.5, in every run."""
    smokes = {"label": {"column": "ill", "classes": ["no", "yes"]}, "intercept": True,
              "columns": [{"name": "smoker", "type": "categorical", "values": ["True", "False"]}]}
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"smoker": (rng.random(2000) < 0.5).astype(object)})
    people["ill"] = np.where(people.smoker, "yes", "no")
    people.loc[0] = [False, "no"]
    neighbour = people.copy()
    neighbour.loc[0] = [1, "no"]
    rows = [arrived(lambda d=d: dperm.LogisticRegression(0.5, schema=smokes).fit(d)).rows for d in (people, neighbour)]
    assert rows[0][1:] == rows[1][1:] and rows[0][0] != rows[1][0]


# ---------------------------------------------------------------- defects put back


def test_the_suite_finds_labels_in_units_of_all():
    inner = tables.doubles_of

    def centred(values, name, listed=None):
        found = inner(values, name, listed)
        return found - found.mean()

    with planted(tables, "doubles_of", centred), pytest.raises(AssertionError, match="labels changed"):
        test_a_number_to_predict_depends_on_its_own_record("array", dict(data_norm=1.0))


@pytest.mark.parametrize("how", ["norm", "bounds"])
@pytest.mark.parametrize("name", ["c datetime64[us]", "fortran timedelta64[s]", "offered datetime64[ms]"])
def test_the_suite_finds_dates_whose_unit_is_that_of_all(name, how):
    with planted(data, "numbers_of", lambda X: X), pytest.raises(AssertionError, match="changed"):
        check_untaken(name, how)


@pytest.mark.parametrize("name", ["lists timedelta64[ns]", "list_of_arrays timedelta64[ns]", "objects timedelta64[ns]"])
def test_the_suite_finds_spans_of_time_taken_for_whole_numbers(name):
    """As NumPy has it, timedelta64 is a kind of integer."""
    inner = columns.text_of

    def text(value, numeric=False):
        return str(int(value)) if isinstance(value, np.integer) else inner(value, numeric)

    with planted(columns, "text_of", text), pytest.raises(AssertionError, match="changed"):
        check_untaken(name, "schema")


def by_equality(values, numbering):
    """As it was: the first of equal values gives its text to all."""
    seen = {}
    try:
        return numbering.places([None if v is None or v != v else seen.setdefault(v, v) for v in values])
    except (TypeError, ArithmeticError) as error:
        raise ValueError("refused") from error


@pytest.mark.parametrize("name", ["frame_as_pandas_infers_it", "frame_of_objects", "lists", "array_of_objects"])
def test_the_suite_finds_texts_from_the_first_equal_value(name):
    with planted(columns, "_codes_of_objects", by_equality), pytest.raises(AssertionError, match="changed"):
        check_table(name, 1, 400)


def test_the_suite_finds_lists_that_are_made_an_array():
    def placed(X, wanted, listed):
        return list(np.asarray(X).T)

    with planted(tables, "_placed", placed), pytest.raises(AssertionError, match="changed"):
        check_numbers("lists")


def test_the_suite_finds_whole_numbers_written_as_floats():
    def text(value, numeric):
        return None if value != value else str(value)

    with planted(columns, "number_text", text), pytest.raises(AssertionError, match="changed"):
        check_table("frame_as_pandas_infers_it", 1, 400)


def test_the_suite_finds_numbers_that_mean_missing_in_texts_only():
    with planted(tables, "numbers_among", lambda texts: []), pytest.raises(AssertionError, match="changed"):
        check_table("frame_as_pandas_infers_it", 1, 400)


def test_the_suite_finds_labels_that_are_made_an_array():
    with planted(dperm.data, "_labels", np.asarray), pytest.raises(AssertionError, match="labels changed"):
        with planted(dperm.data, "_beyond_doubles", lambda classes: False):
            test_a_label_depends_on_its_own_record("list", 4)


def test_a_sparse_row_does_not_depend_on_how_another_one_is_written():
    """SciPy sorts all rows once one is unsorted, unstably from 17 entries on, and adds up entries at one place."""
    import scipy.sparse as sp

    rng = np.random.default_rng(4)
    rows, columns, values = [0] * 20 + [1, 1], list(rng.permutation(30)[:20]) + [0, 5], rng.normal(size=22)
    for kind in (sp.coo_matrix, sp.csr_matrix, sp.csc_matrix):
        seen = []
        for swap in (False, True):
            order = list(range(20)) + ([21, 20] if swap else [20, 21])
            X = kind((values[order], (np.array(rows)[order], np.array(columns)[order])), shape=(2, 30))
            seen.append(data.canonical(X).toarray())
        assert (seen[0] == seen[1]).all() and (seen[0] == X.toarray()).all()
    # Thirty entries at one place, whose sum depends on the order: the other row's order must not matter.
    values = np.concatenate([rng.choice([2.0**54, -(2.0**54), 1, -1], 30), [1.0, 2.0]])
    sums = set()
    for order in ([0, 1], [1, 0]):
        X = sp.coo_matrix((np.concatenate([values[:30], values[30:][order]]),
                           ([0] * 30 + [1, 1], [0] * 30 + order)), shape=(2, 2))
        sums.add(data.canonical(X).toarray()[0, 0])
    assert len(sums) == 1
