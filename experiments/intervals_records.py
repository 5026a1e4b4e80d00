"""Records for experiments/coverage: families that are made, with a known truth, and real ones, drawn with replacement,
whose truth is the fit to all of them."""

import csv
import json
import lzma

import numpy as np
from scipy.special import ndtr


class Loss:
    """Slope and curvature of a loss at margin or residual; labels are -1, 1 or numbers."""

    def __init__(self, name, h=1.0):
        self.name, self.h = name, h
        self.curve = 0.25 if name == "logistic" else 1 / h

    def both(self, score, y):
        """d loss/d score and its derivative."""
        if self.name == "logistic":
            p = 1 / (1 + np.exp(-np.clip(score, -40, 40)))
            return p - (y > 0), p * (1 - p)
        t = np.tanh((score - y) / self.h)
        return t, (1 - t * t) / self.h


def solve(x, y, loss, ridge, linear, start):
    """Minimizes the sum of losses + ridge/2 |f|^2 + linear f by damped Newton steps."""
    f = start.copy()

    def gradient(f):
        s, a = loss.both(x @ f, y)
        return x.T @ s + ridge * f + linear, a

    g, a = gradient(f)
    for _ in range(60):
        size = np.linalg.norm(g)
        if size < 1e-7 * len(y):
            break
        step = np.linalg.solve((x * a[:, None]).T @ x + (ridge + 1e-9) * np.eye(len(f)), g)
        t = 1.0
        while t > 1e-6:
            new, curve = gradient(f - t * step)
            if np.linalg.norm(new) < size * (1 - 0.1 * t):
                break
            t /= 2
        f, g, a = f - t * step, new, curve
    return f


def plain(z, y, loss):
    """The fit without privacy, and the standard errors of its slopes (sandwich)."""
    near = np.linalg.lstsq(z, y, rcond=None)[0] if loss.name != "logistic" else np.zeros(z.shape[1])
    f = solve(z, y, loss, 0.0, np.zeros(z.shape[1]), near)
    s, a = loss.both(z @ f, y)
    W = np.linalg.inv((z * a[:, None]).T @ z)
    inner = (z * s[:, None]).T @ (z * s[:, None])
    return f, np.sqrt(np.diag(W @ inner @ W))[1:], W


def correlation(name, d):
    if name == "ar5":
        return 0.5 ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))
    if name == "equal3":
        return 0.7 * np.eye(d) + 0.3
    if name == "ar":
        return 0.8 ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))
    if name == "equal":
        return 0.5 * np.eye(d) + 0.5
    if name == "pair":
        c = np.eye(d)
        c[0, 1] = c[1, 0] = 0.9
        return c
    if name == "factor":
        load = np.linspace(0.9, 0.2, d) * np.where(np.arange(d) % 2, 1, -1)
        c = np.outer(load, load)
        np.fill_diagonal(c, 1)
        return c
    return np.eye(d)


class Family:
    """Made records: kind of columns, labels, and a truth from a large sample."""

    label_most = 4.0  # numbers are clamped to this, with hardly any beyond

    def __init__(self, d, loss="logistic", corr="none", columns="mixed", label="plain", reach=2.0):
        self.d, self.corr, self.columns, self.label, self.reach = d, correlation(corr, d), columns, label, reach
        self.loss = Loss(loss, 0.5) if loss != "logistic" else Loss(loss)
        groups = []
        for j in range(d):
            kind = self.kind(j)
            groups.append(("bit",) if kind[0] == "b" else ("num", -1.0, 1.0))
        self.groups = groups
        rng = np.random.default_rng(12345)
        sds = {"normal": 1 / reach, "uniform": 0.577, "skew": 0.3}
        sds.update({"bit": 0.5, "bit2": 0.35, "bit05": 0.22, "bit02": 0.14})
        sd = np.array([sds[self.kind(j)] for j in range(d)])
        beta = rng.choice([0, 0.3, -0.3, 0.6, -0.15], d) / sd * (3 / np.sqrt(d + 6))
        beta[::5] = 0
        self.beta = np.concatenate([[-0.4 if loss == "logistic" else 0.1], beta * (1 if loss == "logistic" else 0.25)])
        if label == "plain" and loss == "logistic":
            self.truth = self.beta
        elif loss != "logistic" and label in ("plain", "hetero"):
            self.truth = self.beta
        else:
            z, y = self.draw(np.random.default_rng(777), 3000000 if d < 20 else 1000000)
            self.truth = solve(z, y, self.loss, 0.0, np.zeros(d + 1), self.beta)
        self.null = np.abs(self.truth[1:]) < 1e-12
        self.names = [f"{j} {self.kind(j)}" for j in range(d)]

    def kind(self, j):
        if self.columns in ("normal", "uniform"):
            return self.columns
        if self.columns == "rare":
            return ["normal", "bit02", "bit05", "uniform", "bit2"][j % 5]
        return ["normal", "normal", "uniform", "bit", "skew", "normal", "bit2", "normal", "uniform", "normal"][j % 10]

    def draw(self, rng, n):
        x = rng.standard_normal((n, self.d)) @ np.linalg.cholesky(self.corr).T
        z = np.ones((n, self.d + 1))
        for j in range(self.d):
            k = self.kind(j)
            if k == "normal":
                z[:, j + 1] = np.clip(x[:, j] / self.reach, -1, 1)
            elif k == "uniform":
                z[:, j + 1] = 2 * ndtr(x[:, j]) - 1
            elif k == "skew":
                z[:, j + 1] = np.minimum(0.4 * np.exp(0.6 * x[:, j]), 2) - 1
            else:
                p = {"bit": 0.5, "bit2": 0.15, "bit05": 0.05, "bit02": 0.02}[k]
                z[:, j + 1] = ndtr(x[:, j]) < p
        score = z @ self.beta
        if self.label == "missed":  # squares and a product that the model does not have
            score = score + 0.7 * (x[:, 0] ** 2 - 1) + 0.5 * x[:, 0] * x[:, 1]
        if self.loss.name == "logistic":
            y = np.where(rng.random(n) < 1 / (1 + np.exp(-score)), 1.0, -1.0)
        else:
            e = rng.standard_normal(n) * 0.5
            if self.label == "hetero":
                e *= np.exp(0.6 * x[:, 0])
            if self.label == "heavy":
                e = rng.standard_t(3, n) * 0.4
            y = score + e
        return z, y


class Records:
    """Real records, drawn with replacement; the truth is the fit to all."""

    label_most = 1.0

    def __init__(self, z, y, groups, loss, names):
        self.z, self.y, self.groups, self.loss, self.names = z, y, groups, loss, names
        self.truth = plain(z, y, loss)[0]
        self.null = np.zeros(len(self.truth) - 1, bool)

    def draw(self, rng, n):
        i = rng.integers(0, len(self.y), n)
        return self.z[i], self.y[i]


def table(path, **options):
    with lzma.open(path, "rt") as f:
        return list(csv.reader(f, **options))


def encode(rows, columns, y, loss, least=0.01):
    """columns: (name, index, kind, ...); categories below `least` of the records join the most frequent one as the
    reference."""
    z, groups, names = [np.ones(len(rows))], [], []
    for name, at, kind, *rest in columns:
        text = [r[at] for r in rows]
        if kind == "num":
            low, high, log = rest
            v = np.clip(np.array([float(t) if t not in ("", "?", "NA") else low for t in text]), low, high)
            if log:
                v, top = np.log1p(v - low), np.log1p(high - low)
                z.append(2 * v / top - 1)
                groups.append(("num", -1.0, 1.0))
            else:
                z.append((v - (low + high) / 2) / ((high - low) / 2))
                groups.append(("num", -1.0, 1.0))
            names.append(name)
        else:
            seen = {}
            for t in text:
                seen[t] = seen.get(t, 0) + 1
            seen.pop("?", None)  # no value encodes as zeros
            order = sorted(seen, key=lambda t: -seen[t])
            kept = [t for t in order[1:] if seen[t] >= least * len(rows)]
            for t in kept:
                z.append(np.array([x == t for x in text], float))
                names.append(f"{name}={t}")
            if kept:
                groups.append(("cat", len(kept)) if len(kept) > 1 else ("bit",))
    return Records(np.column_stack(z), y, groups, loss, names)


def adult(data, every=False):
    files = [table(f"{data}/adult/adult.{part}.xz") for part in ("data", "test")]
    rows = [[c.strip() for c in r] for f in files for r in f if len(r) == 15]
    y = np.array([1.0 if r[14].startswith(">") else -1.0 for r in rows])
    numbers = [("age", 0, "num", 17, 90, False), ("education-num", 4, "num", 1, 16, False),
               ("hours", 12, "num", 1, 99, False), ("capital-gain", 10, "num", 0, 99999, True),
               ("capital-loss", 11, "num", 0, 4356, True)]
    named = {"workclass": 1, "marital": 5, "occupation": 6, "relationship": 7, "race": 8, "sex": 9, "country": 13}
    texts = [(n, i, "cat") for n, i in named.items()]
    if not every:
        groups = {"Self-emp-not-inc": "self", "Self-emp-inc": "self", "Federal-gov": "gov", "Local-gov": "gov",
                  "State-gov": "gov", "Married-AF-spouse": "Married-civ-spouse", "Divorced": "once",
                  "Separated": "once", "Widowed": "once", "Married-spouse-absent": "once"}
        office = ("Exec-managerial", "Prof-specialty", "Tech-support", "Sales", "Adm-clerical")
        for r in rows:
            r[1], r[5] = groups.get(r[1], "Private"), groups.get(r[5], r[5])
            r[6] = "office" if r[6] in office else "other"
            r[8] = "White" if r[8] == "White" else "other"
            r[13] = "US" if r[13] in ("United-States", "?") else "other"
        texts = [t for t in texts if t[0] != "relationship"]
    return encode(rows, numbers + texts, y, Loss("logistic"))


def bank(data, every=False):
    rows = table(f"{data}/bank/bank-full.csv.xz")[1:]
    y = np.array([1.0 if r[16] == "yes" else -1.0 for r in rows])
    numbers = [("age", 0, "num", 18, 95, False), ("balance", 5, "num", 0, 50000, True),
               ("duration", 11, "num", 0, 5000, True), ("campaign", 12, "num", 1, 64, True)]
    named = {"job": 1, "marital": 2, "education": 3, "default": 4, "housing": 6, "loan": 7, "contact": 8, "month": 10,
             "poutcome": 15}
    texts = [(n, i, "cat") for n, i in named.items()]
    if not every:
        for r in rows:
            r[3] = "tertiary" if r[3] == "tertiary" else "other"
            r[8] = "unknown" if r[8] == "unknown" else "known"
            r[15] = "success" if r[15] == "success" else "other"
        texts = [t for t in texts if t[0] not in ("job", "default", "month")]
    return encode(rows, numbers + texts, y, Loss("logistic"))


def collected(data, name, loss=None, skip=(), where="collection"):
    """A file of the collection under its schema."""
    schema = json.load(open(f"{data}/{where}/{name}.schema.json"))
    rows = table(f"{data}/{where}/{name}.csv.xz")
    head, rows = rows[0], rows[1:]
    label = schema["label"]
    at = head.index(label["column"])
    if loss is None:
        positive = set(label["positive"])
        y = np.array([1.0 if r[at] in positive else -1.0 for r in rows])
        loss = Loss("logistic")
    else:
        y = np.clip(np.array([float(r[at]) for r in rows]), label["min"], label["max"])
        y = (y - (label["min"] + label["max"]) / 2) / ((label["max"] - label["min"]) / 2)
    columns = []
    for c in schema["columns"]:
        if c["name"] in skip or c["type"] not in ("numeric", "categorical"):
            continue
        i = head.index(c["name"])
        if c["type"] == "numeric":
            wide = c["max"] - c["min"] >= 250 and c["min"] == 0
            columns.append((c["name"], i, "num", c["min"], c["max"], True if wide else False))
        else:
            columns.append((c["name"], i, "cat"))
    return encode(rows, columns, y, loss)


def cells(data):
    """Name: how to make the records, and how many are drawn."""

    def made(*a, **k):
        return lambda: Family(*a, **k)

    def numbers(name, skip=()):
        return lambda: collected(data, name, Loss("log-cosh", 0.3), skip, "collection/regression")

    return {
        "d4": (made(4), 20000), "d4-2k": (made(4), 2000), "d4-100k": (made(4), 100000),
        "d10": (made(10), 20000), "d10-2k": (made(10), 2000), "d10-100k": (made(10), 100000),
        "d30": (made(30), 100000), "d30-20k": (made(30), 20000),
        "d30-2k": (made(30), 2000),
        "d10-normal": (made(10, columns="normal"), 20000),
        "d10-normal3": (made(10, columns="normal", reach=3.0), 20000),
        "d30-uniform": (made(30, columns="uniform"), 100000), "d10-uniform": (made(10, columns="uniform"), 20000),
        "d10-ar": (made(10, corr="ar"), 20000), "d10-equal": (made(10, corr="equal"), 20000),
        "d10-pair": (made(10, corr="pair"), 20000), "d10-factor": (made(10, corr="factor"), 20000),
        "d10-ar5": (made(10, corr="ar5"), 20000), "d10-equal3": (made(10, corr="equal3"), 20000),
        "d30-ar5": (made(30, corr="ar5"), 100000), "d30-equal3": (made(30, corr="equal3"), 100000),
        "r10-ar5": (made(10, "log-cosh", corr="ar5"), 20000),
        "d30-ar": (made(30, corr="ar"), 100000), "d30-equal": (made(30, corr="equal"), 100000),
        "d30-factor": (made(30, corr="factor"), 100000),
        "d4-ar": (made(4, corr="ar"), 20000), "d4-pair": (made(4, corr="pair"), 20000),
        "d10-rare": (made(10, columns="rare"), 20000), "d30-rare": (made(30, columns="rare"), 100000),
        "d10-missed": (made(10, label="missed"), 20000), "d4-missed": (made(4, label="missed"), 20000),
        "d10-missed-ar": (made(10, label="missed", corr="ar"), 20000),
        "r4": (made(4, "log-cosh"), 20000), "r10": (made(10, "log-cosh"), 20000), "r30": (made(30, "log-cosh"), 100000),
        "r10-hetero": (made(10, "log-cosh", label="hetero"), 20000),
        "r4-hetero": (made(4, "log-cosh", label="hetero"), 20000),
        "r10-heavy": (made(10, "log-cosh", label="heavy"), 20000),
        "r10-ar": (made(10, "log-cosh", corr="ar"), 20000),
        "r4-2k": (made(4, "log-cosh"), 2000), "r10-missed": (made(10, "log-cosh", label="missed"), 20000),
        "adult": (lambda: adult(data), 20000), "bank": (lambda: bank(data), 20000),
        "adult-all": (lambda: adult(data, True), 20000), "bank-all": (lambda: bank(data, True), 20000),
        "cardio": (lambda: collected(data, "cardio"), 20000),
        "shoppers": (lambda: collected(data, "online_shoppers"), 20000),
        "dutch": (lambda: collected(data, "dutch_census"), 20000),
        **{name: (lambda name=name: collected(data, name), 20000) for name in (
            "be_mtpl", "german_soep", "higgs", "htru2", "phoneme", "spambase", "telco_churn")},
        "california": (numbers("california_housing"), 20000), "diamonds": (numbers("diamonds"), 20000),
        "bike": (numbers("bike_sharing", skip=("casual", "registered", "season", "workingday")), 20000),
    }
