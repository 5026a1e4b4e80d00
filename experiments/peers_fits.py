"""Records, methods and scores of experiments/peers-private and peers-reasons.

Rows are those of dperm's encoder. A method takes a task (rows of one fold, a kind of privacy, a seed) and gives weights, one
row or one for each class, and the processor seconds of the fit. The reference DP-GD and its accountant are here; the peers
are imported where they are called, so that what does not need them runs without."""
import collections
import json
import math
import os
import random
import resource
import struct
import subprocess
import sys
import time

import numpy
import scipy.sparse
from scipy.special import expit, log_expit, log_ndtr, log_softmax
from scipy.stats import rankdata

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("DPERM_BUILD", os.path.join(HERE, "..", "build", "release"))
DPERM = os.path.join(BUILD, "dperm")

# ---- settings, the same for all cells; the peers' come from `peers-private --rates` on the demo's census and `letters` of seed 2

FOLDS, DRAWS = 5, 20
DELTA = 1e-6
CLIP = 1.0  # of a record's gradient; the encoder's rows have norm 1 at most, so of two classes' none is clipped
MOMENTUM = 0.9
# Rates are times the curvature of the loss (1/4; softmax 1/2) and cut where noise alone would move a row of weights by more
# than about the length.
Descent = collections.namedtuple("Descent", "steps rate length")  # DP-GD: full batches
Batches = collections.namedtuple("Batches", "size epochs rate length")  # Opacus
TWO = Descent(100, 64, 10), Batches(512, 10, 8, 10)  # classes: chosen on the census
MANY = Descent(100, 16, 6), Batches(512, 20, 8, 3)  # chosen on letters of seed 2


def learning_rate(task, setting, steps, noise):
    """The rate, unless `steps` noises (each of `noise` in a weight of the mean gradient) went beyond the length."""
    return min(setting.rate * (4 if task.classes == 2 else 2), setting.length / (noise * math.sqrt(steps * task.x.shape[1])))


# ---- the accountant: T Gaussians of scale s at sensitivity D are one at mu = sqrt(T) D/s

def gaussian_delta(mu, epsilon):
    """Exact: P(N > epsilon/mu - mu/2) - e^epsilon P(N > epsilon/mu + mu/2), from logarithms."""
    upper, lower = log_ndtr(mu / 2 - epsilon / mu), epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    return math.exp(upper) * -math.expm1(min(0.0, lower - upper))


def gaussian_scale(epsilon, delta, steps, sensitivity):
    """The least s for which `steps` Gaussians of scale s are (epsilon, delta) private, from above."""
    low, high = 1e-6, 100.0  # of mu
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if gaussian_delta(middle, epsilon) <= delta else (low, middle)
    return math.sqrt(steps) * sensitivity / low * (1 + 1e-12)  # above the rounding of this line


# ---- records, folds and rows

def rows_of(table, schema):
    """CSR rows and labels (-1 and 1, or from 0 on) as dperm encodes a file, from bench/peer_make (bench/peer_problem.h)."""
    out = table + ".rows"
    subprocess.run([os.path.join(BUILD, "bench", "peer_make"), "csv", table, schema, out], check=True)
    with open(out, "rb") as source:
        _, rows, columns, entries, _ = struct.unpack("<5Q", source.read(40))
        labels, starts, values, at = (numpy.fromfile(source, kind, count) for kind, count in (
            ("<f8", rows), ("<u8", rows + 1), ("<f8", entries), ("<u4", entries)))
    os.remove(out)
    return scipy.sparse.csr_matrix((values, at.astype("i4"), starts.astype("i4")), shape=(rows, columns)), labels


class Records:
    """One set: its folds as files, and their rows."""

    def __init__(self, item, work, seed=1):
        self.name, _, place = item.partition("=")
        self.work = os.path.join(work, f"{self.name}-{seed}")
        os.makedirs(self.work)
        if place:
            data, self.schema = map(os.path.abspath, place.rsplit(":", 1))
        elif self.name == "letters":
            subprocess.run([sys.executable, os.path.join(HERE, "letters.py"), self.work, "--seed", str(seed)], check=True)
            data, self.schema = (os.path.join(self.work, f"letters.{e}") for e in ("csv", "json"))
        elif self.name == "census":
            where = os.path.join(self.work, "demo")
            subprocess.run([DPERM, "demo", "--rows", "45000", "--out", where], check=True, capture_output=True)
            data, self.schema = os.path.join(where, "people.csv"), os.path.join(where, "schema.json")
        else:
            raise SystemExit(f"{self.name} is not made up here; give NAME=DATA:SCHEMA")
        with open(self.schema) as file:
            schema = json.load(file)
        with open(data) as file:
            lines = [v for v in file.read().splitlines() if v.strip() and not v.startswith(schema.get("comment", "\0"))]
        self.head = [lines.pop(0)] if schema.get("header", True) else []
        random.Random(1).shuffle(lines)
        self.lines = lines
        self.classes = len(schema["label"].get("classes", "ab"))
        self.rows = {}

    def plan(self, encoding, epsilon, privacy):
        """What `dperm plan` says of a fit on four of five parts: lambda, the noise and its rms length, ..."""
        rows = len(self.lines) * (FOLDS - 1) // FOLDS
        more = [] if privacy == "pure" else ["--delta", str(DELTA)]
        more += ["--neighbours", privacy, "--rows-about", str(about(rows))] if privacy == "add-remove" else ["--rows", str(rows)]
        out = subprocess.run([DPERM, "plan", "--schema", self.schema, "--epsilon", str(epsilon), "--bins",
                              "none" if encoding == "lines" else "auto", "--refine", "none", "--loss", "logistic", "--json",
                              *more], check=True, capture_output=True, text=True)
        return json.loads(out.stdout)

    def ridge(self, encoding, epsilon):
        """The lambda that dperm chooses from public numbers, for sums over training rows; None of more than two classes."""
        if self.classes > 2:
            return None
        plan = self.plan(encoding, epsilon, "pure")
        return plan["rows"] * plan["lambda"]

    def with_bins(self, table, epsilon):
        """The schema with the bins that a fit to these records has: public numbers decide them."""
        model, schema = table + ".model", table + ".schema"
        subprocess.run([DPERM, "train", "--force", "--data", table, "--schema", self.schema, "--epsilon", str(epsilon), "--bins", "auto",
                        "--seed", "1", "--ledger", "none", "--out", model, "-q"], check=True)
        with open(model) as source, open(schema, "w") as out:
            json.dump(json.load(source)["schema"], out)
        os.remove(model)
        return schema

    def fold(self, fold, encoding, epsilon):
        """The encoded training file, training rows and labels, test rows and labels; labels count from 0."""
        key = (fold, encoding, epsilon if encoding == "bins" else None)
        if key not in self.rows:
            parts = {"train": [v for i, v in enumerate(self.lines) if i % FOLDS != fold], "test": self.lines[fold::FOLDS]}
            held, schema = [], self.schema
            for part, lines in parts.items():
                table, out = (os.path.join(self.work, f"{part}-{'-'.join(map(str, key))}.{e}") for e in ("csv", "dperm"))
                with open(table, "w") as file:
                    file.write("\n".join(self.head + lines) + "\n")
                if part == "train" and encoding == "bins":
                    schema = self.with_bins(table, epsilon)
                subprocess.run([DPERM, "encode", "--data", table, "--schema", schema, "--out", out, "-q"], check=True)
                rows, labels = rows_of(table, schema)
                os.remove(table)
                held += [out, rows, labels.astype(int) if self.classes > 2 else (labels > 0).astype(int)]
            os.remove(held.pop(3))
            self.rows[key] = held
        return self.rows[key]


Task = collections.namedtuple("Task", "file x y classes epsilon privacy ridge seed")


def about(rows):
    """A public figure near the number of rows: two digits of it."""
    unit = 10 ** (len(str(rows)) - 2)
    return rows // unit * unit


# ---- the methods: each gives weights (one row, or one for each class) and the seconds that the fit took

def dperm(task, *more):
    out = task.file + ".json"
    command = [DPERM, "train", "--force", "--data", task.file, "--epsilon", str(task.epsilon), "--loss", "logistic", "--seed",
               str(task.seed + 1), "--threads", "1", "--bins", "none", "--ledger", "none", "--out", out, "-q", *more]
    if task.privacy != "pure":
        command += ["--delta", str(DELTA)]
    if task.privacy == "add-remove":
        command += ["--neighbours", "add-remove", "--rows-about", str(about(len(task.y)))]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        raise NotImplementedError(run.stderr.strip().split("\n")[0])
    with open(out) as file:
        model = json.load(file)
    os.remove(out)
    return numpy.atleast_2d(model["weights"]), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def timed(fit):
    before = time.process_time()
    weights = fit()
    return weights, time.process_time() - before


def gradients(x, turned, y, norms, weights):
    """Sums of clipped gradients of logistic (one row of weights) or softmax losses, for several fits side by side."""
    fits, rows, _ = weights.shape
    slopes = (x @ weights.reshape(fits * rows, -1).T).reshape(len(y), fits, rows)
    if rows == 1:
        expit(slopes, out=slopes)
        slopes -= y[:, None, None]
    else:
        slopes -= slopes.max(2, keepdims=True)
        numpy.exp(slopes, out=slopes)
        slopes /= slopes.sum(2, keepdims=True)
        slopes[numpy.arange(len(y)), :, y] -= 1
    lengths = numpy.sqrt(numpy.einsum("ifr,ifr->if", slopes, slopes)) * norms[:, None]
    if lengths.max() > CLIP:
        slopes *= numpy.minimum(1, CLIP / numpy.maximum(lengths, 1e-30))[:, :, None]
    return (turned @ slopes.reshape(len(y), -1)).T.reshape(weights.shape)


def descents(tasks, setting, one_noise=None):
    """Full-batch gradient descent with Gaussian noise in every sum: tasks on the same rows, in single precision.

    With one_noise the sums all have the same noise, so many times as long as the mean of theirs would be: objective
    perturbation that stops early. It is not private (the proof needs the minimum), and tells what the stopping does."""
    first = tasks[0]
    scales = [gaussian_scale(t.epsilon, DELTA, setting.steps, CLIP * (2 if t.privacy == "replace" else 1)) for t in tasks]
    counts = [about(len(t.y)) if t.privacy == "add-remove" else len(t.y) for t in tasks]
    noises = [numpy.random.default_rng(t.seed) for t in tasks]
    x = first.x.astype("f4")
    if x.nnz > x.shape[0] * x.shape[1] / 2:
        x = x.toarray()
    turned = x.T if isinstance(x, numpy.ndarray) else x.T.tocsr()
    norms = numpy.sqrt(numpy.asarray(first.x.multiply(first.x).sum(1)).ravel()).astype("f4")
    weights = numpy.zeros((len(tasks), 1 if first.classes == 2 else first.classes, x.shape[1]))
    speed = numpy.zeros_like(weights)
    if one_noise:
        scales = [one_noise * s for s in scales]
    rates = [learning_rate(t, setting, setting.steps, s / c) for t, s, c in zip(tasks, scales, counts)]
    same = [source.normal(0, s / math.sqrt(setting.steps), weights[0].shape) if one_noise else None
            for source, s in zip(noises, scales)]
    for _ in range(setting.steps):
        sums = gradients(x, turned, first.y, norms, weights.astype("f4"))
        for i, source in enumerate(noises):
            noisy = sums[i] + (same[i] if one_noise else source.normal(0, scales[i], sums[i].shape))
            speed[i] = MOMENTUM * speed[i] + (1 - MOMENTUM) * noisy / counts[i]
            weights[i] -= rates[i] * speed[i]
    return weights


DESCENTS = {}  # fits that were made beside others


def dp_gd(task, setting=None):
    """The task's descent, and beside it those of the fold's other draws and of both neighbours."""
    if setting:
        return descents([task], setting)[0], math.nan
    key = (task.file, task.epsilon, task.privacy, task.seed)
    if key not in DESCENTS:
        tasks = [task._replace(privacy=p, seed=d) for p in ("replace", "add-remove") for d in range(task.seed, DRAWS, FOLDS)]
        weights, seconds = timed(lambda: descents(tasks, (TWO if task.classes == 2 else MANY)[0]))
        DESCENTS.update({(t.file, t.epsilon, t.privacy, t.seed): (w, seconds / len(tasks)) for t, w in zip(tasks, weights)})
    return DESCENTS.pop(key)


MULTIPLIERS = {}  # Opacus's own search takes seconds and depends on n, epsilon and delta alone


def opacus(task, setting=None):
    """DP-SGD on Poisson batches by Opacus, at the noise that its accountant asks for."""
    setting = setting or (TWO if task.classes == 2 else MANY)[1]
    import torch
    from opacus import PrivacyEngine
    from opacus.accountants.utils import get_noise_multiplier
    torch.set_num_threads(1)
    torch.manual_seed(task.seed)
    batches = math.ceil(len(task.y) / setting.size)  # of an epoch; Opacus puts a record into a batch at 1 in so many
    steps = setting.epochs * batches
    key = (batches, steps, task.epsilon)
    if key not in MULTIPLIERS:
        # The search's default tolerance and the accountant's error of 0.01 each would make noise at 0.1 a sixth longer than it need be.
        MULTIPLIERS[key] = get_noise_multiplier(
            target_epsilon=task.epsilon, target_delta=DELTA, sample_rate=1 / batches, steps=steps, accountant="prv",
            epsilon_tolerance=min(0.01, task.epsilon / 500), eps_error=min(0.01, task.epsilon / 50))
    joint = task.classes > 2
    x = torch.tensor(task.x.toarray(), dtype=torch.float32)
    y = torch.tensor(task.y) if joint else torch.tensor(task.y, dtype=torch.float32)[:, None]

    class Rows(torch.utils.data.TensorDataset):
        """Rows by whole batches: the default gathers them one by one, which takes longer than the fit."""

        def __getitems__(self, at):
            return self[torch.tensor(at)] if at else []

    def fit():
        model = torch.nn.Linear(x.shape[1], task.classes if joint else 1, bias=False)
        torch.nn.init.zeros_(model.weight)
        step = learning_rate(task, setting, steps, MULTIPLIERS[key] * CLIP * batches / len(task.y))
        optimizer = torch.optim.SGD(model.parameters(), lr=step, momentum=MOMENTUM, dampening=MOMENTUM)
        loader = torch.utils.data.DataLoader(Rows(x, y), batch_size=setting.size, collate_fn=list)
        model, optimizer, loader = PrivacyEngine(accountant="prv").make_private(
            module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=MULTIPLIERS[key], max_grad_norm=CLIP)
        loss = torch.nn.CrossEntropyLoss() if joint else torch.nn.BCEWithLogitsLoss()
        for _ in range(setting.epochs):
            for batch, labels in loader:
                optimizer.zero_grad()
                loss(model(batch), labels).backward()
                optimizer.step()
        return next(model.parameters()).detach().numpy().astype(float)
    return timed(fit)


def diffprivlib(task, ridge=1.0):
    """Its objective perturbation; for more than two classes, one fit a class."""
    from diffprivlib.models import LogisticRegression
    x = task.x.toarray()
    model = LogisticRegression(epsilon=task.epsilon, data_norm=1.0, C=1 / ridge, fit_intercept=False, max_iter=1000,
                               random_state=task.seed)
    return timed(lambda: model.fit(x, task.y).coef_)


def no_privacy(task):
    from sklearn.linear_model import LogisticRegression
    model = LogisticRegression(C=10.0, fit_intercept=False, max_iter=1000)
    return timed(lambda: model.fit(task.x, task.y).coef_)


METHODS = {  # by the table in which they stand
    "none": {"no privacy": no_privacy},
    "pure": {"dperm": dperm, "diffprivlib": diffprivlib,
             "diffprivlib, dperm's lambda": lambda task: diffprivlib(task, task.ridge)},
    "replace": {"dperm": dperm, "DP-GD": dp_gd},
    "add-remove": {"dperm": dperm, "DP-GD": dp_gd, "Opacus": opacus},
}


def area_under_curve(scores, positive):
    """The chance that a positive record has a higher score than a negative one; ties count half."""
    count = positive.sum()
    return (rankdata(scores)[positive].sum() - count * (count + 1) / 2) / (count * (len(scores) - count))


def scored(weights, x, y, alone=False):
    """The error and the area under the curve: of many classes the mean over those against the rest, by probabilities.

    Classes that were learned alone (one fit each) have logistic probabilities scaled to a sum of 1, as scikit-learn's; the
    others softmax's. Logarithms are ranked, since small probabilities would be equal as numbers."""
    scores = numpy.asarray(x @ weights.T)
    if scores.shape[1] == 1:
        scores = scores.ravel()
        return float(((scores >= 0) != y).mean()), float(area_under_curve(scores, y == 1))
    error = float((scores.argmax(1) != y).mean())
    if alone:
        scores = log_expit(scores)
        scores -= numpy.log(numpy.exp(scores).sum(1, keepdims=True))
    else:
        scores = log_softmax(scores, axis=1)
    return error, float(numpy.mean([area_under_curve(scores[:, c], y == c) for c in numpy.unique(y)]))


def spread(values):
    """The mean and its standard error."""
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1) / len(values))
