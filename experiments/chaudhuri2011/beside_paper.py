"""Prints a sweep's cells beside the paper's, as a table in Markdown.

usage: python3 beside_paper.py paper.csv table1 results.csv
"""
import csv
import math
import sys


def near(a, b):
    return math.isclose(float(a), float(b), rel_tol=1e-6)


def power(value):
    return "10^{:.1f}".format(math.log10(float(value))).replace(".0", "")


def bold(texts, numbers):
    """The texts, with the one that belongs to the smallest number in bold."""
    known = [n for n in numbers if n is not None]
    return ["**" + t + "**" if n is not None and n == min(known) else t for t, n in zip(texts, numbers)]


def main(paper_path, table, results_path):
    paper = [r for r in csv.DictReader(open(paper_path)) if r["table"] == table]
    ours = list(csv.DictReader(open(results_path)))
    lambdas = list(dict.fromkeys(r["lambda"] for r in ours))
    print("| Λ | | " + " | ".join(power(x) for x in lambdas) + " |")
    print("|---" * (len(lambdas) + 2) + "|")
    for loss in dict.fromkeys(r["loss"] for r in ours):
        for mechanism in ("none", "output", "objective"):
            name = "{}, {}".format(loss, "not private" if mechanism == "none" else mechanism)
            printed = [next((float(r["error"]) for r in paper if (r["loss"], r["mechanism"]) == (loss, mechanism)
                             and near(r["lambda"], x)), None) for x in lambdas]
            found = [next((r for r in ours if (r["loss"], r["mechanism"]) == (loss, mechanism)
                           and near(r["lambda"], x)), None) for x in lambdas]
            if any(p is not None for p in printed):
                texts = ["{:.4f}".format(p) for p in printed]
                print("| {} | paper | {} |".format(name, " | ".join(bold(texts, printed))))
            numbers = [float(r["error_mean"]) if r and r["error_mean"] else None for r in found]
            texts = ["{:.4f} ± {:.4f}".format(n, float(r["error_se"])) if n is not None else "–"
                     for r, n in zip(found, numbers)]
            print("| {} | dperm | {} |".format(name, " | ".join(bold(texts, numbers))))
            name = ""


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
