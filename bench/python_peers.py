"""Fits from Python: against the C library's own time, scikit-learn, and diffprivlib.

    bench/python-peers DATA.csv SCHEMA.json      makes an environment with diffprivlib, and runs this

All on the encoded rows of one file, in one run: logistic regression, Lambda = 1e-3.
"""

import argparse
import statistics
import subprocess
import sys
import time
import warnings
from ctypes import byref, c_double

import numpy as np
import scipy.sparse as sp

warnings.simplefilter("ignore")
import dperm  # noqa: E402
from dperm import _library as c  # noqa: E402

LAMBDA = 1e-3


def encoded(path, schema):
    """The file's rows as the C library encodes them, and labels 0 and 1."""
    source = type("Source", (c.Struct,), {"_fields_": [
        ("path", c.c_char_p), ("format", c.c_int), ("schema", c.c_void_p), ("dims", c.c_size_t),
        ("no_identity", c.c_int)]})
    c._FALLIBLE["dperm_data_read"] = [c.POINTER(source), c.c_void_p, c.POINTER(c.c_void_p)]
    c.lib.dperm_data_read.argtypes = c._FALLIBLE["dperm_data_read"] + [c.POINTER(c.Error)]
    public = dperm.Schema(schema)
    given = source(c.path(path), 1, public._handle.pointer, 0, 1)
    data = c.Handle("dperm_data_read", "dperm_data_free", byref(given), None)
    X = np.empty((c.lib.dperm_data_rows(data), c.lib.dperm_data_dims(data)))
    for i, row in enumerate(X):
        c.call("dperm_data_row", data, i, c.Array(row, "f8"))
    y = np.ctypeslib.as_array(c.lib.dperm_data_labels(data), (len(X),)) > 0
    return X, y.astype(int)


def seconds(work, repeats=15):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


def show(name, times, note=""):
    print(f"{name:44s} {1e3 * statistics.median(times):9.1f} ms  (least {1e3 * min(times):.1f}){note}",
          flush=True)
    return statistics.median(times)


def against_c(X, y, program, data, schema, repeats=15):
    print("\n== fit of a sparse matrix from Python, and the C library's own time for it")
    S = sp.csr_matrix(X)
    clf = dperm.LogisticRegression(1.0, lambda_=LAMBDA, data_norm=1, classes=[0, 1])
    clf.fit(S, y)
    ours, theirs = [], []
    for _ in range(3):  # in turn, so that what else the machine does hits both
        theirs += [float(t) / 1e3 for t in
                   subprocess.run([program, data, schema, str(repeats)], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout.split()]
        ours += seconds(lambda: clf.fit(S, y), repeats)
    a, b = show("the C library", theirs), show("dperm.LogisticRegression.fit", ours)
    print(f"{'ratio':44s} {b / a:9.2f}     (of the least times {min(ours) / min(theirs):.2f})")


def gradient_norm(X, s, w):
    """Of the mean logistic loss with ridge Lambda."""
    z = s * (X @ w)
    return np.linalg.norm(X.T @ (-s / (1 + np.exp(z))) / len(s) + LAMBDA * w)


def against_sklearn(X, y):
    import sklearn
    from sklearn.linear_model import LogisticRegression

    print(f"\n== scikit-learn {sklearn.__version__}, each solver at the loosest tolerance that reaches "
          "gradient 1e-8")
    S, s = sp.csr_matrix(X), 2.0 * y - 1
    plain = dperm.LogisticRegression(None, mechanism="none", lambda_=LAMBDA, data_norm=1,
                                     classes=[0, 1], fit_intercept=False)
    plain.fit(S, y)
    private = dperm.LogisticRegression(1.0, lambda_=LAMBDA, data_norm=1, classes=[0, 1],
                                       fit_intercept=False)
    best = None
    for solver in ("lbfgs", "newton-cg", "newton-cholesky", "liblinear", "saga"):
        for A, kind in ((S, "sparse"), (X, "dense")):
            for tol in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12):
                peer = LogisticRegression(C=1 / (len(y) * LAMBDA), solver=solver, tol=tol,
                                          fit_intercept=False, max_iter=3000)
                try:
                    start = time.perf_counter()
                    peer.fit(A, y)
                    took = time.perf_counter() - start
                except ValueError:
                    break
                if gradient_norm(X, s, peer.coef_[0]) <= 1e-8 or took > 20:
                    break
            else:
                continue
            reached = gradient_norm(X, s, peer.coef_[0])
            if reached > 1e-8:
                print(f"{solver + ', ' + kind:44s}       did not reach it in 20 s ({reached:.1e})")
                continue
            m = show(f"{solver}, {kind}", seconds(lambda: peer.fit(A, y), 7), f", {reached:.1e}")
            best = m if best is None else min(best, m)
    reached = gradient_norm(X, s, plain.coef_[0])
    a = show("dperm, no privacy, sparse", seconds(lambda: plain.fit(S, y)), f", {reached:.1e}")
    b = show("dperm, epsilon = 1, sparse", seconds(lambda: private.fit(S, y)))
    print(f"{'best of scikit-learn / dperm':44s} {best / a:9.1f} x   (without privacy), "
          f"{best / b:.1f} x (with)")


def table(path, schema):
    """The file's records as a DataFrame, as a user would read them."""
    import pandas as pd

    content = dperm.Schema(schema).to_dict()
    names = None if content.get("header", True) else [one["name"] for one in content["columns"]]
    return pd.read_csv(path, names=names, skipinitialspace=True, sep=content.get("separator", ","),
                       comment=content.get("comment"), keep_default_na=False), \
        content["label"]["column"]


def repeated(fit, errors_of, draws):
    """Mean test error with its standard error, and the times of the fits: on the wall, of the processor."""
    errors, wall, busy = [], [], []
    for _ in range(draws):
        start, worked = time.perf_counter(), time.process_time()
        model = fit()
        wall.append(time.perf_counter() - start)
        busy.append(time.process_time() - worked)
        errors.append(errors_of(model))
    return statistics.mean(errors), statistics.stdev(errors) / draws ** 0.5, wall, busy


def report(name, found):
    error, spread, wall, busy = found
    print(f"{name:44s} {1e3 * statistics.median(wall):9.1f} ms  (processor {1e3 * statistics.median(busy):.1f}), "
          f"test error {error:.4f} +- {spread:.4f}", flush=True)


def against_diffprivlib(X, y, data, schema, draws=20):
    import diffprivlib
    from diffprivlib.models import LogisticRegression

    print(f"\n== diffprivlib {diffprivlib.__version__}, {draws} fits each: two thirds of the rows train, "
          "the rest test; data_norm 1, no intercept")
    order = np.random.default_rng(0).permutation(len(y))
    cut = 2 * len(y) // 3
    train, test = order[:cut], order[cut:]
    S = sp.csr_matrix(X)
    Xtrain, Xtest, Strain, Stest = X[train], X[test], S[train], S[test]
    people, label = table(data, schema)
    frame, others = people.iloc[train], people.iloc[test]
    for epsilon in (0.1, 1.0):
        theirs = {}
        for C in (1e-3, 1e-2, 1e-1, 1.0, 10.0):
            theirs[C] = repeated(
                lambda: LogisticRegression(epsilon=epsilon, data_norm=1.0, C=C,
                                           fit_intercept=False).fit(Xtrain, y[train]),
                lambda m: 1 - m.score(Xtest, y[test]), draws)
        best = min(theirs, key=lambda C: theirs[C][0])
        report(f"diffprivlib, epsilon {epsilon:g}, its default C 1", theirs[1.0])
        report(f"diffprivlib, epsilon {epsilon:g}, best C {best:g} by the test rows", theirs[best])
        rows = dperm.LogisticRegression(epsilon, data_norm=1, classes=[0, 1], fit_intercept=False)
        mine = repeated(lambda: rows.fit(Strain, y[train]), lambda m: 1 - m.score(Stest, y[test]), draws)
        report(f"dperm, epsilon {epsilon:g}, the same rows", mine)
        of_table = dperm.LogisticRegression(epsilon, schema=schema)
        named = repeated(lambda: of_table.fit(frame), lambda m: 1 - m.score(others, others[label]), draws)
        report(f"dperm, epsilon {epsilon:g}, the table with its schema", named)
        for which, column in (("wall", 2), ("processor", 3)):
            least = min(statistics.median(one[column]) for one in theirs.values())
            usual = statistics.median(theirs[1.0][column])
            own = statistics.median(mine[column])
            print(f"{'':44s} {usual / own:9.1f} x faster by the {which}'s time ({least / own:.1f} x "
                  "than its fastest C)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("schema")
    parser.add_argument("--program", required=True, help="csr_fit")
    parser.add_argument("--skip", default="", help="any of c, sklearn, diffprivlib, with commas")
    given = parser.parse_args()
    X, y = encoded(given.data, given.schema)
    print(f"{X.shape[0]} x {X.shape[1]}, {np.count_nonzero(X)} entries, "
          f"{np.linalg.norm(X, axis=1).max():.3f} the longest row")
    skipped = given.skip.split(",")
    if "c" not in skipped:
        against_c(X, y, given.program, given.data, given.schema)
    if "sklearn" not in skipped:
        against_sklearn(X, y)
    if "diffprivlib" not in skipped:
        against_diffprivlib(X, y, given.data, given.schema)


if __name__ == "__main__":
    sys.exit(main())
