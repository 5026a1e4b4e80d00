#!/usr/bin/env python3
"""Digests of seeded models of the Python package, on records that no library rounds in a way of its own: the same lines
on every machine and C library (tests/wheel-check)."""

import hashlib
import os
import tempfile
import warnings

import numpy as np

import dperm

X = (np.arange(9000) * 2654435761 % 1000003 / 1000003).reshape(1500, 6)
y = (X[:, 0] > X[:, 1]).astype(int)
warnings.simplefilter("ignore", dperm.NotPrivateWarning)  # a seed makes the noise known
known = {"data_norm": 3, "random_state": 7}
classes = {**known, "classes": [0, 1]}
for made, target in ((dperm.LogisticRegression(1.0, **classes), y), (dperm.LinearSVC(0.5, **classes), y),
                     (dperm.LogisticRegression(None, mechanism="none", lambda_=0.01, **classes), y),
                     (dperm.KernelSVC(2.0, n_components=60, **classes), y),
                     (dperm.Regressor(1.0, label_range=(0, 1), **known), X[:, 2])):
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "model.json")
        made.fit(X, target).save(path)
        assert (type(made).load(path).predict(X) == made.predict(X)).all()
        with open(path, "rb") as model:
            print(type(made).__name__, made.epsilon, hashlib.sha256(model.read()).hexdigest())
