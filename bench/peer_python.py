#!/usr/bin/python3
"""Python's tools for bench/peers; one line of JSON.

peer_python.py installed
peer_python.py solve PROBLEM "FAMILY SOLVER" LAMBDA TARGET RUNS LIMIT
peer_python.py read READER CSV RUNS                           the reader's own function alone
peer_python.py file CSV SCHEMA READER "FAMILY SOLVER" LAMBDA RUNS    read, encode as the schema says, fit
"""
import json, os, sys, time, warnings

import numpy
import scipy.sparse

warnings.filterwarnings("ignore")


def load(path):
    head = numpy.fromfile(path, dtype=numpy.uint64, count=5)
    rows, dims, entries, at = int(head[1]), int(head[2]), int(head[3]), 40

    def take(kind, shape):
        nonlocal at
        out = numpy.memmap(path, dtype=kind, offset=at, shape=shape, mode="r")
        at += out.nbytes
        return numpy.array(out)

    labels = take(numpy.float64, rows)
    if head[4]:
        return take(numpy.float64, (rows, dims)), labels
    starts = take(numpy.uint64, rows + 1).astype(numpy.int32)
    values = take(numpy.float64, entries)
    columns = take(numpy.uint32, entries).astype(numpy.int32)
    return scipy.sparse.csr_matrix((values, columns, starts), shape=(rows, dims)), labels


def gradient_norm(x, y, f, penalty):
    z = y * (x @ f)
    e = numpy.exp(-numpy.abs(z))
    slope = numpy.where(z >= 0, e, 1) / (1 + e)
    return float(numpy.linalg.norm(-(x.T @ (slope * y)) / len(y) + penalty * f))


def report(seconds, gradient=0.0):
    print(json.dumps({"gradient": gradient, "seconds": seconds}))


def make_sklearn(solver):
    from sklearn.linear_model import LogisticRegression
    return lambda rows, penalty, tolerance: LogisticRegression(
        C=1 / (rows * penalty), fit_intercept=False, solver=solver, tol=tolerance, max_iter=100000)


def make_intelex(solver):
    from sklearnex.linear_model import LogisticRegression
    return lambda rows, penalty, tolerance: LogisticRegression(
        C=1 / (rows * penalty), fit_intercept=False, solver=solver, tol=tolerance, max_iter=100000)


def make_snapml(form):
    from snapml import LogisticRegression
    return lambda rows, penalty, tolerance: LogisticRegression(
        regularizer=rows * penalty, fit_intercept=False, dual=form == "dual", tol=tolerance, max_iter=100000,
        n_jobs=len(os.sched_getaffinity(0)))


# Families of solvers, and how one of them makes a model.
FAMILIES = {
    "scikit-learn": (make_sklearn, ["lbfgs", "newton-cg", "newton-cholesky", "liblinear", "sag", "saga"]),
    "scikit-learn-intelex": (make_intelex, ["lbfgs", "newton-cg"]),
    "snapml": (make_snapml, ["primal", "dual"]),
}


def maker(name):
    family, solver = name.split(" ")
    return FAMILIES[family][0](solver)


def installed():
    """What this Python has of all that could take part."""
    def there(make, *argument):
        try:
            make(*argument)
            return True
        except ImportError:
            return False

    solvers = [f"{family} {solver}" for family, (make, names) in FAMILIES.items() for solver in names
               if there(make, solver)]
    print(json.dumps({"solvers": solvers, "readers": [name for name in READERS if there(__import__, name)]}))


def solve(path, name, penalty, target, runs, limit):
    make = maker(name)
    x, y = load(path)
    fit_x = x.toarray() if "cholesky" in name and scipy.sparse.issparse(x) else x
    tolerance, spent, before = 1e-4, 0.0, None
    while True:
        model = make(len(y), penalty, tolerance)
        start = time.perf_counter()
        model.fit(fit_x, y)
        seconds = [time.perf_counter() - start]
        spent += seconds[0]
        norm = gradient_norm(x, y, numpy.ravel(model.coef_), penalty)
        stuck = norm == before and tolerance < 1e-9
        if norm <= target or spent > limit or stuck or tolerance < 1e-15:
            break
        tolerance, before = tolerance / 10, norm
    while norm <= target and len(seconds) < runs and spent < 4 * limit:
        start = time.perf_counter()
        model.fit(fit_x, y)
        seconds.append(time.perf_counter() - start)
        spent += seconds[-1]
    report(seconds, norm)


# ---- tables: columns as numbers, or as places in a list of texts (-1 for none)

class PandasTable:
    def __init__(self, path, names=None, missing=()):
        import pandas
        self.frame = pandas.read_csv(path, header=None if names else 0, names=names, skipinitialspace=True,
                                     na_values=list(missing))

    def numbers(self, name):
        return self.frame[name].to_numpy(dtype=float)

    def places(self, name, values, groups=None):
        import pandas
        series = self.frame[name]
        if groups:
            series = series.map(groups[0]).fillna(groups[1])
        return numpy.array(pandas.Categorical(series, categories=values).codes)

    def among(self, name, values):
        return self.frame[name].isin(values).to_numpy()


class PolarsTable:
    def __init__(self, path, names=None, missing=()):
        import polars
        self.polars = polars
        self.frame = polars.read_csv(path, has_header=not names, new_columns=names or None,
                                     null_values=[text for m in missing for text in (m, " " + m)],
                                     infer_schema_length=10000)

    def _texts(self, name):
        return self.frame[name].cast(self.polars.String).str.strip_chars()

    def numbers(self, name):
        column = self.frame[name]
        if column.dtype == self.polars.String:
            column = self._texts(name)
        return column.cast(self.polars.Float64, strict=False).fill_null(float("nan")).to_numpy()

    def places(self, name, values, groups=None):
        column = self._texts(name)
        if groups:
            column = column.replace_strict(groups[0], default=groups[1], return_dtype=self.polars.String)
        column = column.replace_strict({v: i for i, v in enumerate(values)}, default=-1,
                                       return_dtype=self.polars.Int32)
        return column.fill_null(-1).to_numpy()

    def among(self, name, values):
        return self._texts(name).is_in(values).fill_null(False).to_numpy()


class ArrowTable(PandasTable):
    def __init__(self, path, names=None, missing=()):
        import pyarrow.csv
        table = pyarrow.csv.read_csv(
            path, read_options=pyarrow.csv.ReadOptions(column_names=names),
            convert_options=pyarrow.csv.ConvertOptions(null_values=[t for m in missing for t in (m, " " + m)],
                                                       strings_can_be_null=True))
        self.frame = table.to_pandas()
        for name, column in self.frame.items():
            if not (column.dtype.kind in "ifb"):
                self.frame[name] = column.str.strip()


READERS = {"pandas": PandasTable, "polars": PolarsTable, "pyarrow": ArrowTable}


def read(reader, path, runs):
    """The reader's own function alone, without encoding."""
    if reader == "pandas":
        import pandas
        go = lambda: pandas.read_csv(path, header=None)
    elif reader == "polars":
        import polars
        go = lambda: polars.read_csv(path, has_header=False)
    else:
        import pyarrow.csv
        options = pyarrow.csv.ReadOptions(autogenerate_column_names=True)
        go = lambda: pyarrow.csv.read_csv(path, read_options=options)
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        go()
        seconds.append(time.perf_counter() - start)
    report(seconds)


def encode(table, schema):
    """The encoding of the schema with numpy: one-hot and scaled columns, clipped rows."""
    parts = []
    for column in schema["columns"]:
        if column["type"] == "numeric":
            v = numpy.nan_to_num(numpy.clip(table.numbers(column["name"]), column["min"], column["max"]))
            v = v / max(abs(column["min"]), abs(column["max"]))
            parts.append(scipy.sparse.csr_matrix(v[:, None]))
        elif column["type"] == "categorical":
            groups = column.get("groups")
            values = list(groups) if groups else column["values"]
            names = groups and ({v: g for g, list_ in groups.items() if list_ != "*" for v in list_},
                                next((g for g, list_ in groups.items() if list_ == "*"), None))
            places = table.places(column["name"], values, names)
            rows = numpy.flatnonzero(places >= 0)
            parts.append(scipy.sparse.csr_matrix(
                (numpy.ones(len(rows)), (rows, places[rows])), shape=(len(places), len(values))))
    x = scipy.sparse.hstack(parts, format="csr")
    norms = numpy.sqrt(numpy.asarray(x.multiply(x).sum(axis=1)).ravel())
    return scipy.sparse.diags(1 / numpy.maximum(1, norms)) @ x


def file_to_model(path, schema_path, reader, solver, penalty, runs):
    make = maker(solver)
    schema = json.load(open(schema_path))
    names = None if schema.get("header", True) else [c["name"] for c in schema["columns"]]
    label, seconds = schema["label"], []
    for _ in range(runs):
        start = time.perf_counter()
        table = READERS[reader](path, names, schema.get("missing", [""]))
        x = scipy.sparse.csr_matrix(encode(table, schema))
        y = numpy.where(table.among(label["column"], label["positive"]), 1.0, -1.0)
        make(len(y), penalty, 1e-4).fit(x, y)
        seconds.append(time.perf_counter() - start)
    report(seconds)


if __name__ == "__main__":
    a = sys.argv
    if a[1] == "solve":
        solve(a[2], a[3], float(a[4]), float(a[5]), int(a[6]), float(a[7]))
    elif a[1] == "read":
        read(a[2], a[3], int(a[4]))
    elif a[1] == "file":
        file_to_model(a[2], a[3], a[4], a[5], float(a[6]), int(a[7]))
    else:
        installed()
