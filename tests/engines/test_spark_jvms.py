"""Spark's JVMs in trouble: the driver's has the least heap that Spark starts with, or one is killed in the middle of a fit."""

import contextlib

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import functions as F

import dperm
import dperm.spark
from engine_runs import COLUMNS, SCHEMA, killed_everywhere, people
from spark_runs import LEAST_HEAP, many, spread, started

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def ledger(tmp_path):
    dperm.Ledger.create(tmp_path / "l.ledger", "people", 10)
    return tmp_path / "l.ledger"


def test_records_are_several_times_as_large_as_the_heap():
    """In local mode the tasks share the driver's, too."""
    count, repeats = 500_000, 800
    jobs = [job * repeats for job in ("nurse", "judge")]
    schema = {**SCHEMA, "columns": [*SCHEMA["columns"][:-1], {"name": "job", "type": "categorical", "values": jobs}]}
    number = np.arange(count)
    frame = pd.DataFrame({"age": number % 101, "pay": number % 7 * 1.25, "smoker": number % 3 == 0,
                          "job": pd.Categorical.from_codes(number % 2, jobs), "ill": np.where(number % 101 > 50, "yes", "no")})

    def estimator():
        return dperm.LogisticRegression(1.0, schema=schema, random_state=5, lambda_=0.1, refine=None, pairs=None)

    with started("local[2]") as spark:
        heap = spark.sparkContext._jvm.java.lang.Runtime.getRuntime().maxMemory()
        some = many(spark, count).withColumn("job", F.repeat("job", repeats))
        made = dperm.spark.fit(estimator(), some, workers=2)
    assert heap <= LEAST_HEAP and count * len(jobs[0]) > 4 * heap
    assert made.model_.json == estimator().fit(frame[COLUMNS]).model_.json


def test_an_executors_jvm_is_killed(ledger, monkeypatch):
    """Spark starts another, and the stage anew: with the run, its leader has gone."""
    frame = people(2000)
    with started("local-cluster[2,1,512]", executor_memory="512m") as spark:
        some = spread(spark, frame, 2)
        killed_everywhere(lambda estimator: dperm.spark.fit(estimator, some, workers=2), ledger, monkeypatch, 6, jvm=True)


def test_the_drivers_jvm_is_killed(ledger, monkeypatch):
    frame = people(2000)
    with contextlib.ExitStack() as session:
        def fit(estimator):
            session.close()
            return dperm.spark.fit(estimator, spread(session.enter_context(started("local[2]")), frame, 2), workers=2)

        killed_everywhere(fit, ledger, monkeypatch, 4, jvm=True)
