"""A fit on Spark and on Dask against one process on the same file: seconds, and the most memory of a process, as ratios.

    build/engines/bin/python bench/engine_growth.py [ROWS [WORKERS,WORKERS,... [ENGINE]]]

`make test-engines` makes that environment. One process reads the Parquet file itself. Clusters are local and started before the
clock; memory is what a process has at most above what it had before the fit, and of Spark's workers that of their Python
processes alone, whose seconds of the processor are summed, too: other work on the machine counts for little in these. Best of three
of everything; Dask's model must be that of one process (Spark reads the pieces of a file in an
order of its own).
"""

import multiprocessing
import os
import sys
import tempfile
import threading
import time
import warnings

import numpy as np
import psutil

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
WORKERS = [int(some) for some in (sys.argv[2] if len(sys.argv) > 2 else "1,2,3").split(",")]
ENGINES = sys.argv[3:4] or ["Spark", "Dask"]
ROUNDS, PART = 3, 1 << 17
NAMES = [f"x{j}" for j in range(8)]
JOBS = ["nurse", "judge", "baker", "smith"]
SCHEMA = {"label": {"column": "ill", "classes": ["no", "yes"]}, "columns": [
    *[{"name": name, "type": "numeric", "min": -3, "max": 3} for name in NAMES],
    {"name": "job", "type": "categorical", "values": JOBS}]}


def estimator():
    import dperm

    return dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=5, lambda_=0.001, refine=None, pairs=None, n_jobs=1)


def make(path):
    import pyarrow as pa
    from pyarrow import parquet

    rng, out = np.random.default_rng(0), None
    for start in range(0, ROWS, PART):
        n = min(PART, ROWS - start)
        x = {name: rng.normal(size=n) for name in NAMES}
        batch = pa.record_batch({**x, "job": rng.choice(JOBS, n), "ill": np.where(x["x0"] + rng.normal(size=n) > 0, "yes", "no")})
        out = parquet.ParquetWriter(path, batch.schema, compression="none") if out is None else out
        out.write_batch(batch, row_group_size=PART // 4)
    out.close()


class Watch:
    """The most that this process, and any of Python's below it, has above what it had before."""

    def __enter__(self):
        self.own, self.most, self.worked, self.done = psutil.Process(), {}, {}, threading.Event()
        self.look()
        self.before, self.most, self.start = dict(self.most), {}, time.perf_counter()
        self.idle = dict(self.worked)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        return self

    def look(self):
        for one in [self.own, *self.own.children(recursive=True)]:
            try:
                if "python" in one.name():
                    self.most[one.pid] = max(self.most.get(one.pid, 0), one.memory_info().rss)
                    self.worked[one.pid] = sum(one.cpu_times()[:2])
            except psutil.Error:
                pass

    def run(self):
        while not self.done.wait(0.02):
            self.look()

    def __exit__(self, *_):
        self.seconds = time.perf_counter() - self.start
        self.done.set()
        self.thread.join()
        self.look()
        self.processors = sum(self.worked.values()) - sum(self.idle.values())
        above = {pid: most - self.before.get(pid, 0) for pid, most in self.most.items()}
        self.leader = above.pop(self.own.pid, 0)
        self.worker = max(above.values(), default=0)


def alone(path, out):
    warnings.simplefilter("ignore")
    from pyarrow import parquet  # noqa: F401  # before the clock

    one = estimator()
    with Watch() as watch:
        one.fit(path)
    out.put((watch.seconds, watch.leader, one.model_.json, watch.processors))


def in_one_process(path):
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    process = context.Process(target=alone, args=(path, out))
    process.start()
    found = out.get()
    process.join()
    return found


class Spark:
    def __init__(self, workers):
        from pyspark.sql import SparkSession

        self.session = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false") \
            .config("spark.ui.showConsoleProgress", "false").config("spark.sql.files.maxPartitionBytes", 4 << 20).getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")

    def fit(self, path, workers):
        import dperm.spark

        return dperm.spark.fit(estimator(), self.session.read.parquet(path), workers=workers)

    def close(self):
        self.session.stop()


class Dask:
    def __init__(self, workers):
        from distributed import Client, LocalCluster

        self.cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=0)
        self.client = Client(self.cluster)

    def fit(self, path, workers):
        import dask.dataframe as dd

        import dperm.dask

        return dperm.dask.fit(estimator(), dd.read_parquet(path, split_row_groups=True), workers=workers, client=self.client)

    def close(self):
        self.client.close()
        self.cluster.close()


def main():
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.parquet")
        make(path)
        runs = [in_one_process(path) for _ in range(ROUNDS)]
        seconds, memory, model = min(run[0] for run in runs), max(run[1] for run in runs), runs[0][2]
        processors = min(run[3] for run in runs)
        print(f"{ROWS} rows; one process {seconds:.1f} s, {processors:.1f} of the processor, {memory / 1e6:.0f} MB", flush=True)
        print("| engine | workers | time | processors | memory of a worker | memory of the leader |\n|---|---|---|---|---|---|")
        for kind in (globals()[name] for name in ENGINES):
            for workers in WORKERS:
                engine, found = kind(workers), []
                for _ in range(1 + ROUNDS):  # the first starts processes and loads code
                    with Watch() as watch:
                        made = engine.fit(path, workers)
                    if kind is Dask and made.model_.json != model:
                        sys.exit(f"{kind.__name__} with {workers} workers gave another model")
                    found.append(watch)
                engine.close()
                print(f"| {kind.__name__} | {workers} | {min(one.seconds for one in found[1:]) / seconds:.1f} | "
                      f"{min(one.processors for one in found[1:]) / processors:.1f} | "
                      f"{max(one.worker for one in found) / memory:.2f} | {max(one.leader for one in found[1:]) / memory:.2f} |",
                      flush=True)


if __name__ == "__main__":
    main()
