"""Streams of Arrow's: what is read from files, datasets and queries is what the same records are elsewhere, and is not kept.

Most of it needs pyarrow, polars, DuckDB or ADBC (`make test-arrow`); what a stream is to the library is tried by hand.
"""

import gc
import sys

import numpy as np
import pandas as pd
import pytest

import capsules
import dperm
from checks import refused
from dperm import arrow, streams
from input_paths import arrived

pytestmark = pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")

SCHEMA = {"label": {"column": "ill", "classes": ["no", "yes"]}, "missing": ["", "?"], "columns": [
    {"name": "age", "type": "numeric", "min": 0, "max": 100},
    {"name": "job", "type": "categorical", "values": ["nurse", "judge"]},
    {"name": "who", "type": "ignore"}]}
ROWS = 700
RECORDS = {"who": [f"p{i // 2}" for i in range(ROWS)], "more": ["x"] * ROWS, "age": [(i * 37 % 101) / 2 for i in range(ROWS)],
           "job": [["nurse", "judge", None, "smith"][i % 4] for i in range(ROWS)],
           "ill": [["no", "yes"][i * 7 % 3 == 0] for i in range(ROWS)]}
KINDS = {"age": "float64"}
HOW = dict(schema=SCHEMA, random_state=1)


def table(batch=64, **more):
    return capsules.Table([(n, KINDS.get(n, "string"), values) for n, values in RECORDS.items()], batch=batch, **more)


def frame():
    return pd.DataFrame(RECORDS)


def fit_of(X, y=None, how=HOW):
    return arrived(lambda: dperm.LogisticRegression(1.0, **how).fit(X, y))


def assert_the_same(X, y=None, how=HOW):
    found, wanted = fit_of(X, y, how), fit_of(frame(), None, how)
    assert (found.rows, found.labels) == (wanted.rows, wanted.labels)
    assert found.door == "dperm_data_read"


# ---------------------------------------------------------------- by hand


def test_no_more_of_a_stream_is_there_at_once_than_a_few_batches():
    most, X = [0], table(batch=8)
    inner = X._piece

    def piece(start):
        most[0] = max(most[0], len(capsules.LIVE))
        return inner(start)

    X._piece = piece
    gc.collect()
    capsules.LIVE.clear()
    assert_the_same(X)
    gc.collect()
    assert not capsules.LIVE
    assert 1 < most[0] < ROWS / 8  # slots of as many threads as there are, and the stream itself


def test_labels_are_in_the_stream_or_beside_it():
    assert_the_same(table())
    for y in (RECORDS["ill"], np.array(RECORDS["ill"]), capsules.Column("string", RECORDS["ill"], batch=50)):
        assert_the_same(table(), y)
    for labels in (RECORDS["ill"][1:], RECORDS["ill"] * 2):
        refused(ValueError, "labels; give as many of both", fit_of, table(), labels)


def test_a_stream_serves_every_method():
    clf = dperm.LogisticRegression(1.0, **HOW).fit(table())
    same = dperm.LogisticRegression(1.0, **HOW).fit(frame())
    assert (clf.coef_ == same.coef_).all() and clf.feature_names_in_.tolist() == ["who", "more", "age", "job"]
    assert clf.predict(table()).tolist() == same.predict(frame()).tolist()
    assert (clf.predict_proba(table(1)) == same.predict_proba(frame())).all()
    assert clf.evaluate_exact(table()) == same.evaluate_exact(frame()) == clf.evaluate_exact(table(), RECORDS["ill"])
    private = [clf.evaluate_private(X, None, 1.0, random_state=3) for X in (table(), frame())]
    assert private[0] == private[1]
    assert clf.score_private(table(), None, 1.0, random_state=3) == clf.score_private(frame(), RECORDS["ill"], 1.0, random_state=3)
    assert clf.score(table(), RECORDS["ill"]) == same.score(frame(), RECORDS["ill"])
    without = capsules.Table([("age", "float64", [1.0]), ("job", "string", ["judge"])])
    assert clf.predict(without).tolist() == same.predict(pd.DataFrame({"age": [1.0], "job": ["judge"]})).tolist()
    refused(ValueError, "no column of the schema's label", clf.evaluate_exact, without)


def test_numbers_for_a_regression_and_persons():
    amount = {**SCHEMA, "person": "who", "label": {"column": "pay", "type": "numeric", "min": 0, "max": 9}}
    pay = [None if i == 5 else i % 11 for i in range(ROWS)]

    def columns(kind, values):
        return capsules.Table([("pay", kind, values), ("age", "float64", RECORDS["age"]), ("job", "string", RECORDS["job"]),
                               ("who", "string", RECORDS["who"])], batch=33, pad=2)

    def fitted(X, y=None):
        how = {**amount, "on_missing": "drop"}
        return arrived(lambda: dperm.Regressor(1.0, schema=how, random_state=1, rows_per_person=2).fit(X, y))

    kept = [i for i in range(ROWS) if i != 5]
    wanted = fitted(frame().assign(pay=pd.array(pay, dtype="Int64")))
    assert len(wanted.rows) < len(kept)  # those without a job are dropped too
    for found in (fitted(columns("int64", pay)), fitted(columns("string", [None if p is None else str(p) for p in pay])),
                  fitted(columns("null", [None] * ROWS), pay)):
        assert (found.rows, found.labels) == (wanted.rows, wanted.labels)
    refused(ValueError, "is of booleans", fitted, columns("bool", [bool(i % 2) for i in range(ROWS)]))
    nobody = [None if i == 9 else name for i, name in enumerate(RECORDS["who"])]
    X = capsules.Table([("pay", "int64", [1] * ROWS), ("age", "float64", RECORDS["age"]), ("job", "string", RECORDS["job"]),
                        ("who", "string", nobody)])
    refused(ValueError, "does not say whose record it is", fitted, X)


def test_a_ledger_knows_the_people_of_a_stream(tmp_path, monkeypatch):
    path = tmp_path / "ledger"
    dperm.Ledger.create(path, "people", epsilon=3)
    dperm.LogisticRegression(1.0, schema=SCHEMA, ledger=path, dataset="people").fit(table())
    monkeypatch.setenv("DPERM_LEDGER", str(path))
    for X in (table(batch=9), frame()):
        refused(dperm.DpermError, "people", dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=1).fit, X)


def test_a_model_of_a_draft_from_a_stream_says_so():
    schema = dperm.Schema.draft(table(), label="ill")
    refused(ValueError, "drafted from these very records", dperm.LogisticRegression(1.0, schema=schema).fit, table(5))


def test_what_a_stream_says_of_a_failure_is_not_repeated():
    class Failing:
        def __arrow_c_stream__(self, requested_schema=None):
            made = capsules.stream_of(table()._schema, [], self)
            own = next(kept for kept in self._given.kept if isinstance(kept, arrow.ArrowArrayStream))
            calls = dict(arrow.ArrowArrayStream._fields_)
            own.get_next = capsules.keep(self._given, calls["get_next"](lambda _, to: 5))
            own.get_last_error = capsules.keep(self._given, calls["get_last_error"](lambda _: b"nurse 42 is ill"))
            return made

    refused(OSError, r"^the Arrow stream failed with error 5; ask whoever made it$", fit_of, Failing())


# ---------------------------------------------------------------- files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    folder, made = tmp_path_factory.mktemp("files"), pa.table(RECORDS)
    parquet.write_table(made, folder / "people.parquet", row_group_size=100)
    feather.write_feather(made, folder / "people.feather", chunksize=90)
    with pa.ipc.new_stream(str(folder / "people.arrows"), made.schema) as out:
        out.write_table(made, max_chunksize=80)
    return folder


@pytest.mark.parametrize("name", ["people.parquet", "people.feather", "people.arrows"])
def test_files_are_read_by_their_names(files, name):
    for path in (files / name, str(files / name)):
        assert_the_same(path)
        assert_the_same(path, RECORDS["ill"])
    clf = dperm.LogisticRegression(1.0, **HOW).fit(files / name)
    assert clf.predict(files / name).tolist() == clf.predict(frame()).tolist()
    assert clf.evaluate_exact(files / name) == clf.evaluate_exact(frame())
    assert sorted(clf.feature_names_in_) == ["age", "job"]  # the others are not read
    assert dperm.Schema(SCHEMA).check(files / name)["rows"] == ROWS
    assert dperm.Schema.draft(files / name, label="ill").to_dict() == dperm.Schema.draft(frame(), label="ill").to_dict()


def test_files_that_are_none_are_refused(files, tmp_path):
    for name, content in (("x.parquet", b"PAR1"), ("x.feather", b""), ("x.arrow", b"secret")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match="no such file can be read") as found:
            fit_of(tmp_path / name)
        assert "secret" not in str(found.value)
    refused(FileNotFoundError, "nowhere", fit_of, tmp_path / "nowhere.parquet")
    refused(ValueError, "neither Parquet nor Feather", fit_of, tmp_path / "people.csv")


def _mapped(path):
    """The bytes of a mapped file that count as this process'."""
    lines = iter(open("/proc/self/smaps").read().splitlines())
    return sum(1024 * int(next(line for line in lines if line.startswith("Rss:")).split()[1]) for line in lines
               if line.endswith(str(path)))


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel")
@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("groups", [1, 20])
def test_what_was_read_of_a_file_is_not_kept(tmp_path, kind, groups):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    path, rows = tmp_path / f"noise.{kind}", 800_000
    noise = pa.table({f"x{i}": np.random.default_rng(i).normal(size=rows) for i in range(4)})
    if kind == "parquet":
        parquet.write_table(noise, path, row_group_size=rows // groups, compression="none")
    else:
        feather.write_feather(noise, path, compression="uncompressed", chunksize=rows // groups)
    del noise
    before, read, most = pa.total_allocated_bytes(), 0, 0
    for batch in pa.RecordBatchReader.from_stream(streams.opened(path)):
        assert all(np.isfinite(column.to_numpy()).all() for column in batch.columns)
        read, most = read + len(batch), max(most, pa.total_allocated_bytes() - before + _mapped(path))
    assert read == rows and 0 < most < path.stat().st_size / 2


def test_without_pyarrow_a_file_says_what_it_takes(tmp_path, monkeypatch):
    (tmp_path / "x.parquet").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused(ValueError, "takes pyarrow", fit_of, tmp_path / "x.parquet")


def test_datasets_scanners_and_readers_of_pyarrow(files):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import dataset

    found = dataset.dataset(files / "people.parquet")
    assert_the_same(found)
    assert_the_same(found.scanner(batch_size=50))
    assert_the_same(found.scanner(batch_size=50).to_reader())
    reader = pa.table(RECORDS).to_reader(max_chunksize=10)
    assert_the_same(reader)
    some = found.scanner(filter=dataset.field("age") < 20)
    assert len(fit_of(some).rows) == sum(age < 20 for age in RECORDS["age"])


# ---------------------------------------------------------------- databases


def test_relations_and_queries_of_duckdb(files):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    path = str(files / "people.parquet")
    assert_the_same(connection.sql(f"SELECT * FROM '{path}'"))
    query = dperm.read_sql(f"SELECT age, job, ill FROM '{path}'", connection)
    assert_the_same(query)
    clf = dperm.LogisticRegression(1.0, **HOW).fit(query)
    assert clf.predict(query).tolist() == clf.predict(frame()).tolist()  # it runs anew
    young = dperm.read_sql(f"SELECT * FROM '{path}' WHERE age < ?", connection, [20])
    assert len(fit_of(young).rows) == sum(age < 20 for age in RECORDS["age"])
    refused(duckdb.CatalogException, "nowhere", fit_of, dperm.read_sql("SELECT nothing FROM nowhere", connection))
    refused(ValueError, "is of the Arrow type decimal", fit_of,
            dperm.read_sql(f"SELECT age::DECIMAL(5, 1) AS age, job, ill FROM '{path}'", connection))


def test_queries_of_adbc():
    pytest.importorskip("adbc_driver_sqlite")
    from adbc_driver_sqlite import dbapi

    with dbapi.connect() as connection:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE people (who TEXT, more TEXT, age REAL, job TEXT, ill TEXT)")
            cursor.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", list(zip(*RECORDS.values())))
        query = dperm.read_sql("SELECT * FROM people", connection)
        assert_the_same(query)
        assert_the_same(query, RECORDS["ill"])
        clf = dperm.LogisticRegression(1.0, **HOW).fit(query)
        assert clf.predict(query).tolist() == clf.predict(frame()).tolist()
        young = dperm.read_sql("SELECT * FROM people WHERE age < ?", connection, (20,))
        assert len(fit_of(young).rows) == sum(age < 20 for age in RECORDS["age"])


def test_what_is_no_connection_is_refused():
    refused(ValueError, "connection=str", dperm.read_sql, "SELECT 1", "people.db")


def test_polars_frames_are_streamed():
    pl = pytest.importorskip("polars")
    made = pl.DataFrame(RECORDS)
    assert_the_same(made)
    assert_the_same(made.with_columns(pl.col("job").cast(pl.Categorical)), pl.Series(RECORDS["ill"]))
    assert_the_same(pl.concat([made[:100], made[100:]], rechunk=False))
