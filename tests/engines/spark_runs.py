"""Sessions of Spark, each in a JVM of its own, which a test may kill; and records for them."""

import contextlib

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

LEAST_HEAP = 450 << 20  # bytes, of 300 MB that Spark keeps to itself and half as much again: with less it does not start


@contextlib.contextmanager
def started(master, **settings):
    builder = SparkSession.builder.master(master).appName("dperm").config("spark.driver.memory", f"{LEAST_HEAP >> 20}m") \
        .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false") \
        .config("spark.sql.shuffle.partitions", "3")
    for name, value in settings.items():
        builder = builder.config("spark." + name.replace("_", "."), value)
    made = builder.getOrCreate()
    jvm = SparkContext._gateway.proc
    try:
        made.sparkContext.setLogLevel("OFF")
        yield made
    finally:
        with contextlib.suppress(Exception):  # there may be no JVM to talk to
            made.stop()
        jvm.kill()
        jvm.wait()
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = SparkSession._instantiatedSession = None


def spread(spark, frame, parts):
    """Partitions in the order of the records, null where pandas has none."""
    rows = frame.astype(object).where(frame.notna(), None)
    types = "name long, age long, pay double, smoker boolean, job string, ill string"
    return spark.createDataFrame(spark.sparkContext.parallelize(rows.to_numpy().tolist(), parts), types)


def many(spark, count):
    """Records that are made where they stay."""
    number = F.col("id")
    return spark.range(count, numPartitions=6).select(
        F.rand(1).alias("noise"), (number % 101).cast("long").alias("age"), (number % 7 * 1.25).alias("pay"),
        (number % 3 == 0).alias("smoker"), F.when(number % 2 == 0, "nurse").otherwise("judge").alias("job"),
        F.when(number % 101 > 50, "yes").otherwise("no").alias("ill"))
