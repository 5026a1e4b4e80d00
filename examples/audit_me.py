#!/usr/bin/env python3
"""A small private trainer to audit:  dperm audit --epsilon 1 --command 'python3 audit_me.py'

Output perturbation for a Huber SVM with one weight, as one would write it in an afternoon, in the
standard library alone. It claims epsilon = 1. Called as

    audit_me.py [--right] FILE N

it reads FILE (CSV, columns x1 and y), fits the same records N times with fresh noise and prints the
weights of each as a JSON array on a line. It has a mistake that is easy to make and hard to see: the
paper says "standard deviation" where it means "scale". With --right it is mended.
"""
import csv
import json
import math
import random
import sys

EPSILON, LAMBDA, H = 1.0, 0.1, 0.5


def minimize(records):
    """The f that minimizes sum of losses + n LAMBDA/2 f^2: the root of its derivative."""
    low, high = -1 / LAMBDA, 1 / LAMBDA
    for _ in range(60):
        f = (low + high) / 2
        slope = len(records) * LAMBDA * f
        for x, y in records:
            slope -= y * x * min(1, max(0, (H + 1 - y * f * x) / (2 * H)))
        low, high = (low, f) if slope > 0 else (f, high)
    return f


def laplace(scale):
    return scale * (random.expovariate(1) - random.expovariate(1))


path, draws = [a for a in sys.argv[1:] if a != "--right"]
with open(path, newline="") as file:
    people = [(float(r["x1"]), float(r["y"])) for r in csv.DictReader(file)]
noise = 2 / (len(people) * LAMBDA * EPSILON)  # the sensitivity over epsilon
if "--right" not in sys.argv:
    noise /= math.sqrt(2)  # the mistake: a standard deviation of that, not a scale
best = minimize(people)
for _ in range(int(draws)):
    print(json.dumps([best + laplace(noise)]))
