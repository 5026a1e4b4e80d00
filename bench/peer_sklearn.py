#!/usr/bin/python3
"""scikit-learn and pandas for bench/peers; one line of JSON.

peer_sklearn.py solve PROBLEM SOLVER LAMBDA TARGET RUNS LIMIT
peer_sklearn.py read CSV RUNS                    pandas.read_csv alone
peer_sklearn.py file CSV SCHEMA LAMBDA RUNS      read, encode as the schema says, fit
"""
import json, sys, time, warnings

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


def solve(path, solver, penalty, target, runs, limit):
    from sklearn.linear_model import LogisticRegression
    x, y = load(path)
    fit_x = x.toarray() if solver == "newton-cholesky" and scipy.sparse.issparse(x) else x
    tolerance, spent, before = 1e-4, 0.0, None
    while True:
        model = LogisticRegression(C=1 / (len(y) * penalty), fit_intercept=False, solver=solver,
                                   tol=tolerance, max_iter=100000)
        start = time.perf_counter()
        model.fit(fit_x, y)
        seconds = [time.perf_counter() - start]
        spent += seconds[0]
        norm = gradient_norm(x, y, model.coef_[0], penalty)
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


def read(path, runs):
    import pandas
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        pandas.read_csv(path, header=None)
        seconds.append(time.perf_counter() - start)
    report(seconds)


def encode(frame, schema):
    """The encoding of the schema in pandas and numpy: one-hot and scaled columns, clipped rows."""
    parts = []
    for column in schema["columns"]:
        if column["type"] == "numeric":
            v = frame[column["name"]].to_numpy(dtype=float)
            v = numpy.nan_to_num(numpy.clip(v, column["min"], column["max"]))
            v = v / max(abs(column["min"]), abs(column["max"]))
            parts.append(scipy.sparse.csr_matrix(v[:, None]))
        elif column["type"] == "categorical":
            groups = column.get("groups")
            values = list(groups) if groups else column["values"]
            series = frame[column["name"]]
            if groups:
                names = {v: g for g, list_ in groups.items() if list_ != "*" for v in list_}
                other = next((g for g, list_ in groups.items() if list_ == "*"), None)
                series = series.map(names).fillna(other)
            codes = pandas_codes(series, values)
            rows = numpy.flatnonzero(codes >= 0)
            parts.append(scipy.sparse.csr_matrix(
                (numpy.ones(len(rows)), (rows, codes[rows])), shape=(len(codes), len(values))))
    x = scipy.sparse.hstack(parts, format="csr")
    norms = numpy.sqrt(numpy.asarray(x.multiply(x).sum(axis=1)).ravel())
    return scipy.sparse.diags(1 / numpy.maximum(1, norms)) @ x


def pandas_codes(series, values):
    import pandas
    return pandas.Categorical(series, categories=values).codes


def file_to_model(path, schema_path, penalty, runs):
    import pandas
    from sklearn.linear_model import LogisticRegression
    schema = json.load(open(schema_path))
    names = [c["name"] for c in schema["columns"]]
    label, seconds = schema["label"], []
    for _ in range(runs):
        start = time.perf_counter()
        frame = pandas.read_csv(path, header=0 if schema.get("header", True) else None,
                                names=None if schema.get("header", True) else names,
                                skipinitialspace=True, na_values=schema.get("missing", [""]))
        x = encode(frame, schema)
        y = numpy.where(frame[label["column"]].isin(label["positive"]), 1, -1)
        LogisticRegression(C=1 / (len(y) * penalty), fit_intercept=False, max_iter=10000).fit(x, y)
        seconds.append(time.perf_counter() - start)
    report(seconds)


if __name__ == "__main__":
    a = sys.argv
    if a[1] == "solve":
        solve(a[2], a[3], float(a[4]), float(a[5]), int(a[6]), float(a[7]))
    elif a[1] == "read":
        read(a[2], int(a[3]))
    else:
        file_to_model(a[2], a[3], float(a[4]), int(a[5]))
