"""Records from Parquet, Feather and CSV into the library's table: seconds, and the most memory that it took.

    python bench/arrow_reading.py [ROWS [FOLDER]]

Makes files of the same records (20 columns: numbers of many and of few digits, whole numbers, texts and a label) and
reads each in a process of its own, in turn, best of three; seconds of the processor, too, as other work on the machine
counts for little in them. "table" is what stays of them in memory when CSV was read; "Arrow" what the records take as a table
of pyarrow's. Needs pyarrow.
"""

import json
import subprocess
import sys
import tempfile
import time
from ctypes import byref
from pathlib import Path

ROUNDS, PART = 3, 1 << 18
NUMBERS, CENTS, WHOLE, TEXTS = 5, 4, 4, 6
WORDS = {f"t{j}": [f"{'a longer ' * (j % 2)}value {k}" for k in range(3 + 4 * j)] for j in range(TEXTS)}
SCHEMA = {"label": {"column": "y", "classes": ["no", "yes"]}, "columns": [
    *[{"name": f"x{j}", "type": "numeric", "min": -4, "max": 4} for j in range(NUMBERS)],
    *[{"name": f"c{j}", "type": "numeric", "min": 0, "max": 1000} for j in range(CENTS)],
    *[{"name": f"i{j}", "type": "numeric", "min": 0, "max": 10 ** (j + 1)} for j in range(WHOLE)],
    *[{"name": name, "type": "categorical", "values": words} for name, words in WORDS.items()]]}


def parts(rows):
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(1)
    for start in range(0, rows, PART):
        n = min(PART, rows - start)
        columns = {f"x{j}": rng.normal(size=n) for j in range(NUMBERS)}
        columns.update({f"c{j}": np.round(rng.uniform(0, 1000, n), 2) for j in range(CENTS)})
        columns.update({f"i{j}": rng.integers(0, 10 ** (j + 1), n) for j in range(WHOLE)})
        columns.update({name: np.array(words)[rng.integers(0, len(words), n)] for name, words in WORDS.items()})
        columns["y"] = np.where(columns["x0"] + rng.normal(size=n) > 0, "yes", "no")
        yield pa.record_batch({name: pa.array(values) for name, values in columns.items()})


def make(rows, folder):
    """The bytes that pyarrow would hold."""
    from pyarrow import csv, ipc, parquet

    size, outs = 0, []
    for part in parts(rows):
        outs = outs or [parquet.ParquetWriter(folder / "records.parquet", part.schema),
                        ipc.new_file(folder / "records.feather", part.schema),
                        csv.CSVWriter(folder / "records.csv", part.schema, write_options=csv.WriteOptions(quoting_style="none"))]
        for out in outs:
            out.write_batch(part)
        size += part.nbytes
    for out in outs:
        out.close()
    return size


def memory(what):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(what))


def read(path):
    """In a process of its own."""
    import dperm
    from dperm import _library as c
    from dperm.tables import label_in, table_handle
    from dperm import arrow

    schema = dperm.Schema(SCHEMA)
    if not path.endswith(".csv"):
        from pyarrow import parquet  # loaded before the clock starts  # noqa: F401
    before, start, worked = memory("VmRSS"), time.perf_counter(), time.process_time()
    if not path.endswith(".csv"):
        X = arrow.table(path, schema.wanted)
        handle, rows = table_handle(schema, X, label_in(schema, X))
    else:
        source = c.Source(path=path, schema=schema._handle.pointer)
        handle = c.Handle("dperm_data_read", "dperm_data_free", byref(source), None)
        rows = c.lib.dperm_data_rows(handle)
    seconds = time.perf_counter() - start
    worked = time.process_time() - worked
    return {"rows": rows, "seconds": seconds, "worked": worked, "table": memory("VmRSS") - before, "most": memory("VmHWM"), "before": before}


def main(rows, folder):
    size = make(rows, folder)
    files = [folder / f"records.{kind}" for kind in ("parquet", "feather", "csv")]
    print(f"{rows} rows of 20 columns; as pyarrow's table {size / 1e6:.0f} MB; "
          + ", ".join(f"{file.name} {file.stat().st_size / 1e6:.0f} MB" for file in files))
    found = {file.name: [] for file in files}
    for _ in range(ROUNDS):
        for file in files:
            run = subprocess.run([sys.executable, __file__, "--read", str(file)], check=True, capture_output=True, text=True)
            found[file.name].append(json.loads(run.stdout))
    for name, runs in found.items():
        best = min(runs, key=lambda one: one["seconds"])
        most = max(one["most"] for one in runs)
        table = min(run["table"] for run in found["records.csv"])
        print(f"{name:16s} {best['seconds']:6.1f} s ({best['worked']:.1f} of processors)   most {most / 1e6:5.0f} MB, of them {best['before'] / 1e6:.0f} for Python   "
              f"table {table / 1e6:5.0f} MB   most/table {most / table:.2f}   most/Arrow {most / size:.2f}")
    for what, said in (("seconds", "seconds"), ("worked", "seconds of the processors")):
        least = {name: min(run[what] for run in runs) for name, runs in found.items()}
        print(f"CSV takes {least['records.csv'] / least['records.parquet']:.2f} times the {said} of Parquet")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        print(json.dumps(read(sys.argv[2])))
    else:
        count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
        with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as made:
            main(count, Path(made))
