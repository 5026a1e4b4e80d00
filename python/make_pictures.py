"""Draws the pictures of docs/python.md again: python3 python/make_pictures.py (needs matplotlib)."""

import pathlib

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "dperm", "figure.figsize": (5.5, 3.6)})
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import dperm  # noqa: E402
from dperm import plots  # noqa: E402

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"


def save(ax, name):
    ax.figure.savefig(DOCS / name, metadata={"Date": None})
    plt.close(ax.figure)


save(plots.outlook(5000, dims=5, data_norm=4 * 2**0.5), "python-outlook.svg")
rng = np.random.default_rng(0)
X = rng.normal(size=(5000, 4))
y = (X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=5000) > 0).astype(int)
clf = dperm.LogisticRegression(1.0, data_norm=4, classes=[0, 1])
save(plots.sweep(dperm.sweep(clf, {"epsilon": [0.01, 0.03, 0.1, 0.3, 1.0], "noise": ["l2", "linf"]}, X, y,
                             folds=5, draws=20)), "python-sweep.svg")
