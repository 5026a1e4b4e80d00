"""Arrow's tables: the rows that the same records have by other inputs, or a refusal that names the column."""

import ctypes
import gc

import numpy as np
import pandas as pd
import pytest

import capsules
import dperm
from checks import refused
from input_paths import NAMES, SCHEMA, arrived, ways
from dperm import arrow

pytestmark = pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")
LABELS = ["no", "yes"]
RECORDS = {"age": [40, 50], "code": [1, 2], "smoker": [True, False], "job": ["nurse", "judge"]}
KINDS = {"age": "int64", "code": "int64", "smoker": "bool", "job": "string"}


def table(**other):
    """The records, some of their columns as (kind, values)."""
    columns = {n: (KINDS[n], RECORDS[n]) for n in NAMES}
    columns.update(other)
    return capsules.Table([(n, kind, values) for n, (kind, values) in columns.items()])


def rows_of(X, y=LABELS, schema=SCHEMA):
    return arrived(lambda: ways(schema=schema)["fit"](X, y)).rows


@pytest.mark.parametrize("column, kind, values", [
    *[("age", kind, [40, 50]) for kind in capsules.NUMBERS], *[("code", kind, [1, 2]) for kind in capsules.NUMBERS],
    ("age", "string", ["40", "5e1"]), ("age", "large_string", [" 40", "50"]), ("code", "string_view", ["1\t", "2"]),
    ("smoker", "string", ["True", "False"]), ("job", "large_string", ["nurse ", "judge"]),
    ("job", "string_view", ["nurse", "judge" + " " * 30]),
    ("job", ("dictionary", "int8", "string", ["judge", "x", "nurse"]), ["nurse", "judge"]),
    ("job", ("dictionary", "uint64", "string_view", ["judge", "nurse"]), ["nurse", "judge"]),
    ("code", ("dictionary", "int32", "float32", [2.0, 1.0]), [1.0, 2.0]),
    ("code", ("dictionary", "int32", "int8", [2, 1]), [1, 2]),
    ("smoker", ("dictionary", "uint16", "bool", [True, False]), [True, False])])
def test_a_value_has_the_row_that_it_has_by_other_doors(column, kind, values):
    assert rows_of(table(**{column: (kind, values)})) == rows_of(pd.DataFrame(RECORDS))


MISSING = [("age", kind, None) for kind in ("int8", "uint64", "float16", "float64", "string", "string_view")] + \
    [("code", "int64", None), ("smoker", "bool", None), ("job", "large_string", None), ("age", "float32", float("nan")),
     ("code", ("dictionary", "int8", "int64", [2, 1]), None),
     ("job", ("dictionary", "int8", "string", [None, "judge"]), None)]


@pytest.mark.parametrize("column, kind, nothing", MISSING)
def test_null_and_nan_are_no_value(column, kind, nothing):
    text = kind in ("string", "large_string", "string_view") or column == "job"
    second = str(RECORDS[column][1]) if text else RECORDS[column][1]
    frame = pd.DataFrame(RECORDS).astype(object)
    frame.loc[0, column] = None
    assert rows_of(table(**{column: (kind, [nothing, second])})) == rows_of(frame)


def test_a_column_of_nulls_and_whole_numbers_beyond_doubles():
    frame = pd.DataFrame({**RECORDS, "code": [None, None]})
    assert rows_of(table(code=("null", [None, None]))) == rows_of(frame)
    wide = {**SCHEMA, "columns": SCHEMA["columns"][:1] + [
        {"name": "code", "type": "categorical", "values": [str(2**63 + 1), str(2**63)]}] + SCHEMA["columns"][2:]}
    large = [2**63, None]
    assert rows_of(table(code=("uint64", large)), schema=wide) == \
        rows_of(pd.DataFrame({**RECORDS, "code": pd.array(large, dtype="UInt64")}), schema=wide)


@pytest.mark.parametrize("kind, metadata, name", [
    ("timestamp", None, "timestamp"), ("date", None, "date"), ("decimal", None, "decimal"), ("binary", None, "binary"),
    ("list", None, "list"), ("int64", {"ARROW:extension:name": "pandas.period"}, "pandas.period"),
    ("string", {"other": "x", "ARROW:extension:name": "arrow.json"}, "arrow.json"),
    (("dictionary", "int8", "timestamp", [1, 2]), None, "timestamp"),
    (("dictionary", "float32", "string", ["a", "b"]), None, "without places")])
def test_other_types_are_refused_by_column_and_type(kind, metadata, name):
    values = ["a", "b"] if kind in ("binary", "decimal", "list", "string") else [1, 2]
    values = kind[3] if isinstance(kind, tuple) else values
    X = capsules.Table([(n, KINDS[n], RECORDS[n]) if n != "code" else (n, kind, values) for n in NAMES],
                       metadata={"code": metadata})
    refused(ValueError, f'column "code" is .*{name}', rows_of, X)
    free = {**SCHEMA, "columns": [col for col in SCHEMA["columns"] if col["name"] != "code"]}
    assert len(rows_of(X, schema=free)) == 2  # nobody asked for it


@pytest.mark.parametrize("values, message", [
    (("string", [b"\xff", "2"]), "not UTF-8"), (("string", ["a\0b", "2"]), "NUL"),
    (("float64", [2.0**53, 1.0]), "lost digits"), (("string_view", [b"\xff" * 40, "2"]), "not UTF-8")])
def test_what_has_no_text_is_refused_and_not_quoted(values, message):
    refused(ValueError, 'column "code" .*' + message, rows_of, table(code=values))


def test_entries_that_no_record_uses_are_not_looked_at():
    """They may be other people's: their texts, their number and their order tell nothing."""
    want = rows_of(pd.DataFrame(RECORDS))
    for entries in (["nurse", "judge", "a\0b"], [b"\xff", "judge", "nurse"], ["judge", "x" * 70000, "nurse", "judge"]):
        assert rows_of(table(job=(("dictionary", "int8", "string", entries), ["nurse", "judge"]))) == want
    with pytest.raises(ValueError, match="NUL"):
        rows_of(table(job=(("dictionary", "int8", "string", ["a\0b", "judge"]), ["a\0b", "judge"])))
    huge = [1.0, 2.0, 2.0**60]
    assert rows_of(table(code=(("dictionary", "int8", "float64", huge), [1.0, 2.0]))) == want


def test_labels_come_as_columns_and_inside_the_table():
    want = arrived(lambda: ways(schema=SCHEMA)["fit"](pd.DataFrame(RECORDS), LABELS))
    for y in (capsules.Column("string", LABELS), capsules.Column("string_view", LABELS, batch=1),
              capsules.Column(("dictionary", "int8", "string", ["yes", "no"]), LABELS)):
        found = arrived(lambda y=y: ways(schema=SCHEMA)["fit"](table(), y))
        assert (found.rows, found.labels) == (want.rows, want.labels)
    inside = table(ill=("string", LABELS))
    found = arrived(lambda: dperm.LogisticRegression(1.0, schema=SCHEMA).fit(inside))
    assert (found.rows, found.labels) == (want.rows, want.labels)
    refused(ValueError, "is a table of 4 columns", rows_of, table(), table())
    refused(ValueError, "1 labels", rows_of, table(), capsules.Column("string", LABELS[:1]))
    refused(ValueError, "y is missing", dperm.LogisticRegression(1.0, schema=SCHEMA).fit, table())


def test_a_column_is_no_table_and_names_are_looked_at():
    refused(ValueError, "give a table", rows_of, capsules.Column("int64", [1, 2]))
    refused(ValueError, 'no column "age"', rows_of, capsules.Table([(n, KINDS[n], RECORDS[n]) for n in NAMES[1:]]))
    twice = capsules.Table([(n, KINDS[n], RECORDS[n]) for n in NAMES + ["code"]])
    refused(ValueError, 'several columns "code"', rows_of, twice)


def test_estimators_take_tables_everywhere():
    rng = np.random.default_rng(1)
    X, names = rng.normal(size=(60, 2)), ["a", "b"]
    y = np.where(X[:, 0] > 0, "yes", "no")
    frame = capsules.Table([(n, "float64", X[:, j].tolist()) for j, n in enumerate(names)], batch=7)
    column = capsules.Column("string", y.tolist(), batch=9)
    how = dict(data_norm=3, classes=["no", "yes"], random_state=1)
    clf = dperm.LogisticRegression(1.0, **how).fit(frame, column)
    assert clf.feature_names_in_.tolist() == names and clf.n_features_in_ == 2
    assert clf.decision_function(frame).tolist() == clf.decision_function(pd.DataFrame(X, columns=names)).tolist()
    assert (clf.coef_ == dperm.LogisticRegression(1.0, **how).fit(X, y).coef_).all()
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(capsules.Table([("b", "float64", [1.0]), ("a", "float64", [1.0])]))
    refused(ValueError, "feature names", clf.predict, capsules.Table([("a", "float64", [1.0])]))
    refused(ValueError, "NaN", clf.predict, capsules.Table([("a", "int64", [1, None]), ("b", "float64", [1.0, 2.0])]))
    with pytest.raises(ValueError, match="column 'b' holds texts"):
        clf.predict(capsules.Table([("a", "int64", [1]), ("b", "string", ["1"])]))
    assert 0 <= clf.score(frame, column) <= 1 and clf.score_private(frame, column, 1.0)["rows"] == 60
    with pytest.warns(dperm.PrivacyLeakWarning, match="classes were not given"):
        assert dperm.LogisticRegression(1.0, data_norm=3).fit(frame, column).classes_.tolist() == ["no", "yes"]


def test_everything_is_given_back_once():
    gc.collect()
    capsules.LIVE.clear()
    rows_of(table(ill=("timestamp", [1, 2])), capsules.Column("string", LABELS))
    refused(ValueError, "", rows_of, table(code=("timestamp", [1, 2])))
    refused(ValueError, "", rows_of, capsules.Column("int64", [1]))
    rows_of(capsules.Batch([(n, KINDS[n], RECORDS[n]) for n in NAMES]))
    gc.collect()
    assert not capsules.LIVE


def test_a_stream_that_fails_is_an_error_and_quotes_nothing():
    class Failing:
        def __arrow_c_stream__(self, requested_schema=None):
            self.stream = arrow.ArrowArrayStream()
            fields = dict(arrow.ArrowArrayStream._fields_)
            self.released = 0

            def release(address):
                self.released += 1

            self.stream.get_schema = fields["get_schema"](lambda _, to: 22)
            self.stream.get_next = fields["get_next"](lambda _, to: 22)
            self.stream.get_last_error = fields["get_last_error"](lambda _: b"nurse 42 is ill")
            self.stream.release = fields["release"](release)
            return capsules.capsule(self.stream, b"arrow_array_stream")

    failing = Failing()
    refused(ValueError, "failed with error 22$", rows_of, failing)
    assert failing.released == 1


def spoiled(change):
    return capsules.Table([(n, KINDS[n] if n != "job" else "string_view", RECORDS[n] if n != "job" else
                            ["nurse", "judge" + " " * 30]) for n in NAMES], change=change)


def _child(place, **members):
    def change(piece):
        for name, value in members.items():
            setattr(piece.children[place].contents, name, value)
    return change


def _view_beyond(piece):
    views = (ctypes.c_int32 * 8).from_address(piece.children[3].contents.buffers[1])
    views[7] = 10**6


def _no_buffer(piece):
    piece.children[0].contents.buffers[1] = None


@pytest.mark.parametrize("change", [
    _child(0, length=1), _child(0, length=-1), _child(0, offset=-1), _child(1, n_buffers=1), _child(3, n_buffers=2),
    lambda piece: setattr(piece, "n_children", 3), lambda piece: setattr(piece, "length", 5), _view_beyond, _no_buffer,
    lambda piece: setattr(piece, "length", -1)])
def test_arrays_that_are_none_are_refused(change):
    refused(ValueError, "no sound Arrow|1 values|[0-9] labels", rows_of, spoiled(change))


def test_offsets_and_places_that_point_elsewhere_are_refused():
    def backwards(piece):
        ends = (ctypes.c_int32 * 3).from_address(piece.children[3].contents.buffers[1])
        ends[1] = 1000

    def beyond(piece):
        ctypes.c_int8.from_address(piece.children[3].contents.buffers[1]).value = 9

    for kind, change in (("string", backwards), (("dictionary", "int8", "string", ["nurse", "judge"]), beyond)):
        X = capsules.Table([(n, KINDS[n] if n != "job" else kind, RECORDS[n]) for n in NAMES], change=change)
        refused(ValueError, 'column "job" is no sound Arrow array', rows_of, X)


def test_a_capsule_serves_once():
    capsule = table().__arrow_c_stream__()

    class Used:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule

    rows_of(Used())
    refused(ValueError, "used up", rows_of, Used())


def test_a_draft_from_a_table_marks_the_model_of_that_table():
    ages, jobs = [20 + i % 50 for i in range(300)], ["nurse", "judge", "farmer"] * 100
    columns = [("age", "int64", ages), ("job", ("dictionary", "int8", "string", ["judge", "nurse", "farmer"]), jobs),
               ("ill", "string", LABELS * 150)]
    X, copied = capsules.Table(columns, batch=40), capsules.Table(columns)
    others = capsules.Table([columns[0], ("job", "string", ["judge"] + jobs[1:]), columns[2]])
    schema = dperm.Schema.draft(X, label="ill")
    frame = pd.DataFrame({"age": ages, "job": jobs, "ill": LABELS * 150})
    assert schema.to_dict() == dperm.Schema.draft(frame, label="ill").to_dict()
    for again in (X, copied):
        with pytest.raises(ValueError, match="schema was drafted from these very records"):
            dperm.LogisticRegression(1.0, schema=schema).fit(again)
    assert dperm.LogisticRegression(1.0, schema=schema).fit(others).privacy_.private


# ---------------------------------------------------------------- the libraries themselves

CONTENT = {"age": [40.5, None, 0.1, 7.0], "code": [1, 2, None, 0], "smoker": [True, None, False, True],
           "job": ["nurse", None, " judge", "a text of more than twelve bytes"]}


def test_polars_frames_have_the_rows_of_pandas():
    pl = pytest.importorskip("polars")
    made, y = pl.DataFrame(CONTENT), ["no", "yes", "no", "yes"]
    want = rows_of(pd.DataFrame(CONTENT).astype({"smoker": object}), y)
    other = [made, made.with_columns(pl.col("job").cast(pl.Categorical)),
             pl.concat([made[:1], made[1:]], rechunk=False),
             made.with_columns(pl.col("code").cast(pl.Int8), pl.col("age").cast(pl.Float64)),
             made.with_columns(pl.col("job").cast(pl.Enum(["x", *filter(None, CONTENT["job"][::-1])]))),
             pl.concat([made, made])[4:]]
    for X in other:
        assert rows_of(X, pl.Series(y)) == want
    refused(ValueError, "lazy frame", rows_of, made.lazy(), y)
    with pytest.raises(ValueError, match='column "age" is of the Arrow type date'):
        rows_of(made.with_columns(age=pl.date(2020, 1, 1)), y)


def test_pyarrow_tables_have_the_rows_of_pandas():
    pa = pytest.importorskip("pyarrow")
    y, made = ["no", "yes", "no", "yes"], pa.table(CONTENT)
    want = rows_of(pd.DataFrame(CONTENT).astype({"smoker": object}), y)
    for X in (made, made.to_batches()[0], pa.concat_tables([made[:1], made[1:]]), pa.concat_tables([made, made])[4:],
              made.set_column(3, "job", made["job"].dictionary_encode()),
              made.set_column(3, "job", made["job"].cast(pa.string_view())),
              pa.RecordBatchReader.from_batches(made.schema, made.to_batches())):
        assert rows_of(X, pa.array(y)) == want
    assert rows_of(made, pa.chunked_array([y[:1], y[1:]])) == want
    with pytest.raises(ValueError, match='column "age" is of the Arrow type decimal'):
        rows_of(made.set_column(0, "age", made["age"].cast(pa.decimal128(5, 1))), y)


def _random_chunk(pa, rng, kind):
    """A slice of an array of such values, some of them null."""
    inner, size = kind.value_type if pa.types.is_dictionary(kind) else kind, int(rng.integers(0, 20))
    texts = ["", "a", "twelve bytes", "thirteen byte", "ü" * 20, "x" * 300]
    one = {"bool": lambda: bool(rng.random() < 0.5), "null": lambda: None, "halffloat": lambda: np.float16(rng.integers(9))}
    usual = (lambda: texts[rng.integers(6)]) if "string" in str(inner) else (lambda: int(rng.integers(0, 100)))
    values = [None if rng.random() < 0.2 else one.get(str(inner), usual)() for _ in range(size)]
    made = pa.array(values, inner)
    made = made.dictionary_encode().cast(kind) if inner is not kind else made
    at = int(rng.integers(0, size + 1))
    return made.slice(at, int(rng.integers(0, size - at + 1)))


def _listed(values):
    return [None if v is None or v != v else v for v in (values.tolist() if isinstance(values, np.ndarray) else values)]


def test_columns_of_pyarrow_are_read_as_it_reads_them_itself():
    """Random slices of random batches of every type that is taken."""
    pa = pytest.importorskip("pyarrow")
    rng = np.random.default_rng(5)
    kinds = [pa.int8(), pa.uint16(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(),
             pa.string(), pa.large_string(), pa.string_view(), pa.null(), pa.dictionary(pa.int8(), pa.string()),
             pa.dictionary(pa.uint32(), pa.int16()), pa.dictionary(pa.int64(), pa.large_string())]
    for kind in kinds:
        for _ in range(20):
            given = pa.chunked_array([_random_chunk(pa, rng, kind) for _ in range(rng.integers(1, 4))], kind)
            assert _listed(arrow.column(given)) == given.to_pylist(), kind
            found = arrow.Table(pa.table({"a": given}))
            assert _listed(found["a"]) == given.to_pylist() and len(found) == len(given), kind
