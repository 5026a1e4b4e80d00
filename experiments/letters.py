#!/usr/bin/env python3
"""A generated data set of 26 classes and 16 numeric columns, for all figures about many classes.

    experiments/letters.py FOLDER [--seed N] [--rows N] [--classes K] [--columns D] [--spread S]

writes letters.csv and letters.json (a schema that knows the ranges and the classes, as documentation would). Made in the
manner of features of scanned letters: whole numbers from 0 to 15; each class has a prototype, writers a common style (four
directions that move all columns), and each column noise of its own. The default has an error of about .24 without privacy.
The same arguments give the same file anywhere: Python's own generator, and no floating point that could differ.
"""

import argparse
import json
import os
import random
import string

STYLES = 4


def names(classes):
    """A, B, ..., Z, AA, AB, ..."""
    letters = string.ascii_uppercase
    return [letters[c] if c < 26 else letters[c // 26 - 1] + letters[c % 26] for c in range(classes)]


def make(folder, seed, rows, classes, columns, spread):
    """Both files, in a folder that exists or not."""
    source = random.Random(seed)
    normal = source.gauss
    prototypes = [[7.5 + 2.2 * normal(0, 1) for _ in range(columns)] for _ in range(classes)]
    styles = [[normal(0, 1) / STYLES for _ in range(columns)] for _ in range(STYLES)]
    kinds = names(classes)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "letters.csv"), "w", encoding="utf-8") as out:
        out.write(",".join(f"x{j + 1}" for j in range(columns)) + ",letter\n")
        for _ in range(rows):
            kind = source.randrange(classes)
            style = [normal(0, spread) for _ in range(STYLES)]
            values = []
            for j in range(columns):
                moved = sum(style[s] * styles[s][j] for s in range(STYLES))
                values.append(min(15, max(0, round(prototypes[kind][j] + moved + normal(0, spread)))))
            out.write(",".join(map(str, values)) + f",{kinds[kind]}\n")
    schema = {
        "label": {"column": "letter", "classes": kinds},
        "columns": [
            {"name": f"x{j + 1}", "type": "numeric", "min": 0, "max": 15, "scale": "center"} for j in range(columns)
        ],
        "intercept": True,
    }
    with open(os.path.join(folder, "letters.json"), "w", encoding="utf-8") as out:
        json.dump(schema, out, indent=2)
        out.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--classes", type=int, default=26)
    parser.add_argument("--columns", type=int, default=16)
    parser.add_argument("--spread", type=float, default=2.6)
    given = parser.parse_args()
    make(given.folder, given.seed, given.rows, given.classes, given.columns, given.spread)


if __name__ == "__main__":
    main()
