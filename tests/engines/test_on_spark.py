"""Fits on a Spark of this machine's own, whose driver may have next to nothing of what the executors have."""

import os

import pytest
from pyspark.sql import functions as F

import dperm
import dperm.spark
from engine_runs import COLUMNS, NUMBER, SCHEMA, Watched, killed_everywhere, people
from spark_runs import many, spread, started

pytestmark = pytest.mark.filterwarnings("ignore")
LIMIT = 1 << 20  # bytes of results that the driver takes


@pytest.fixture(scope="module")
def spark():
    # as on a cluster, a task that fails is tried again
    with started("local[3,4]", driver_maxResultSize=LIMIT, speculation="true") as made:
        yield made


@pytest.fixture
def ledger(tmp_path):
    dperm.Ledger.create(tmp_path / "l.ledger", "people", 10)
    return tmp_path / "l.ledger"


def model_of(frame):
    return dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=5).fit(frame[COLUMNS]).model_.json


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_the_model_is_that_of_one_process(spark, workers):
    frame = people(9000)
    some = spread(spark, frame, 7)
    made = dperm.spark.fit(dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=5), some, workers=workers)
    assert made.model_.json == model_of(frame) == model_of(some.toPandas())


def test_an_order_of_their_own_is_the_order_of_the_model(spark):
    frame = people(5000)
    mixed = frame.sample(frac=1, random_state=3)
    some = spread(spark, mixed, 5)
    for given, order in ((frame, "name"), (frame[::-1].sort_values("job", kind="stable", na_position="first"), ["job", "down"])):
        made = dperm.spark.fit(dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=5),
                               some.withColumn("down", -F.col("name")), order_by=order)
        assert made.model_.json == model_of(given)


def test_a_regression_and_its_charge(spark, ledger):
    frame = people(4000)
    made = dperm.spark.fit(dperm.Regressor(1.0, schema=NUMBER, ledger=ledger, dataset="people"), spread(spark, frame, 4))
    assert made.privacy_.verify(ledger)[0] and len(dperm.Ledger(ledger).entries("people")) == 1
    assert made.predict(frame).shape == (4000,)


def test_the_driver_gets_no_records_and_is_too_small_for_them(spark, monkeypatch):
    """It takes a megabyte of results; what comes to it does not grow with the records."""
    seen = []
    for count in (8192, 262144):
        with monkeypatch.context() as patch:
            watched = Watched(patch)
            some = many(spark, count)
            made = dperm.spark.fit(dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=5, lambda_=0.1, refine=None,
                                                            pairs=None), some)
            seen.append(watched.bytes)
    with pytest.raises(Exception, match="maxResultSize"):
        some.toPandas()
    assert made.report_ and seen[1] < 200_000 and seen[1] < 2 * seen[0]


def test_records_that_fail_end_the_run_without_being_quoted(spark, ledger):
    def broken(value):
        raise RuntimeError("nurse 42 is ill")

    some = spread(spark, people(100), 2).withColumn("pay", F.udf(broken, "double")("pay"))
    with pytest.raises(Exception) as told:
        dperm.spark.fit(dperm.LogisticRegression(1.0, schema=SCHEMA, ledger=ledger, dataset="people"), some)
    assert isinstance(told.value, OSError) and "nothing was charged" in str(told.value) and "42" not in str(told.value)
    assert not dperm.Ledger(ledger).entries("people")


def test_a_worker_that_dies_before_it_joins_ends_the_run(spark, ledger):
    def deadly(batches):
        os._exit(1)

    some = spread(spark, people(100), 2)
    some = some.mapInArrow(deadly, some.schema)
    with pytest.raises(OSError, match="nothing was charged"):
        dperm.spark.fit(dperm.LogisticRegression(1.0, schema=SCHEMA, ledger=ledger, dataset="people"), some)
    assert not dperm.Ledger(ledger).entries("people")


def test_sessions_that_encrypt_are_refused(spark):
    conf = spark.sparkContext._conf
    conf.set("spark.network.crypto.enabled", "true")
    try:
        with pytest.raises(ValueError, match="encrypts what its processes send .spark.network.crypto.enabled"):
            dperm.spark.fit(dperm.LogisticRegression(1.0, schema=SCHEMA), spread(spark, people(10), 1))
    finally:
        conf.set("spark.network.crypto.enabled", "false")


def test_killed_workers_release_nothing(spark, ledger, monkeypatch):
    some = spread(spark, people(2000), 3).cache()

    def fit(estimator):
        return dperm.spark.fit(estimator, some)

    killed_everywhere(fit, ledger, monkeypatch)
