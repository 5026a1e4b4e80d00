#!/usr/bin/env python3
"""Digests of seeded results over a matrix of options, to show that a change of structure changes no bit.

    tests/golden/models.py DPERM             compare with recorded.txt: TAP, one case for each result
    tests/golden/models.py DPERM --only PATTERN    compare those that match a regular expression
    tests/golden/models.py DPERM --record    write recorded.txt anew, in the commit that changes bits
    tests/golden/models.py DPERM --against OLDER    how far weights move where bits change, in certified errors

A change of rounding may move weights by twice the certified error of a fit: the release promises no more of them.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "recorded.txt")
LOSSES = ["logistic", "huber", "smooth-hinge"]
PEOPLE = "--data people.csv --schema schema.json"
ROWS = "--data rows.svm --dims 12"
THREE = "--data three.csv --schema three.json"
BINS = "--data three.csv --schema bins.json"


def cases():
    """Names and arguments; `--seed` and `--out` are added."""
    for loss in LOSSES:
        for data in (PEOPLE, ROWS, THREE):
            yield f"train {data} --mechanism none --lambda 0.001 --loss {loss}"
            for mechanism in ("objective", "output"):
                yield f"train {data} --epsilon 1 --mechanism {mechanism} --loss {loss}"
        if loss == "logistic":  # which learns classes jointly without it
            yield f"train {THREE} --mechanism none --lambda 0.001 --loss {loss} --multiclass one-vs-rest"
            for mechanism in ("objective", "output"):
                yield f"train {THREE} --epsilon 1 --mechanism {mechanism} --loss {loss} --multiclass one-vs-rest"
        for noise in ("l2", "l1", "group", "linf", "mixed"):
            yield f"train {PEOPLE} --epsilon 0.5 --loss {loss} --noise {noise}"
        for kernel in ("gaussian", "laplacian", "cauchy"):
            yield f"train {PEOPLE} --epsilon 2 --loss {loss} --kernel {kernel} --gamma 0.5 --features 48"
        yield f"train {PEOPLE} --epsilon 2 --loss {loss} --kernel gaussian --gamma 0.5 --features 48 --features-kind iid"
        yield f"train {PEOPLE} --epsilon 1 --loss {loss} --analysis paper"
        yield f"train {PEOPLE} --epsilon 1 --loss {loss} --class-weights low=1,high=3"
        yield f"train {PEOPLE} --epsilon 1 --loss {loss} --rows-per-person 2"
        for selector in ("permute-and-flip", "exponential"):
            yield f"tune {PEOPLE} --epsilon 2 --loss {loss} --lambda 0.001,0.01,0.1 --selector {selector}"
        for rounds in ("logarithmic", "geometric"):
            yield f"tune {PEOPLE} --epsilon 2 --loss {loss} --lambda 0.001,0.01 --method stopping --rounds {rounds}"
        yield f"tune {PEOPLE} --epsilon 2 --loss {loss} --lambda 0.001,0.1 --method public --public-data others.csv"
        yield f"sweep {PEOPLE} --epsilon 0.5,1 --loss {loss} --lambda 0.001,0.01 --draws 20 --folds 3"
    yield f"train {PEOPLE} --epsilon 1 --lambda 0.01 --delta-reg 0.5"
    yield f"train {PEOPLE} --epsilon 1 --h 0.1 --loss huber"
    yield "train --data rows.svm --dims 2000 --epsilon 5 --lambda 0.01"
    yield f"train {PEOPLE} --epsilon 1 --kernel gaussian --gamma 0.1 --features 1200"
    yield f"train {ROWS} --epsilon 2 --kernel gaussian --gamma 0.5 --features 2048"
    for noise in ("l2", "l1", "group", "linf", "mixed"):
        yield f"train {THREE} --epsilon 2 --noise {noise}"
    yield f"train {THREE} --epsilon 2 --class-weights A=1,B=3 --rows-per-person 2"
    yield f"train {THREE} --epsilon 2 --kernel gaussian --gamma 0.5 --features 40"
    yield f"train {THREE} --epsilon 2 --delta 1e-5"
    yield f"train {THREE} --epsilon 2 --delta 1e-5 --neighbours add-remove --rows-about 300"
    yield f"tune {THREE} --epsilon 2 --loss logistic,huber --lambda 0.001,0.01"
    yield f"sweep {THREE} --epsilon 0.5,1 --lambda 0.001,0.01 --draws 3 --folds 3"
    yield f"encode {PEOPLE}"
    yield f"encode {ROWS}"
    yield f"encode {THREE}"
    for noise in ("l2", "l1", "group", "mixed"):
        yield f"train {BINS} --epsilon 1 --noise {noise}"
    yield f"encode {BINS}"
    for command in ("train", "tune"):
        yield f"{command} {PEOPLE} --epsilon 1 --lambda {'auto' if command == 'train' else '0.001,0.01'} --bins auto"
    yield f"sweep {PEOPLE} --epsilon 0.1,1 --bins auto --draws 5 --folds 3"
    yield f"train {PEOPLE} --epsilon 1 --refine 0.2"
    yield f"train {PEOPLE} --epsilon 2 --evaluate 0.2"
    yield f"tune {THREE} --epsilon 2 --lambda 0.001,0.01 --evaluate 0.2"


def write_data(dperm):
    """Records of both formats, in the current folder."""
    subprocess.run([dperm, "demo", "-q", "--rows", "9000", "--out", "demo"], check=True, stdout=subprocess.DEVNULL)
    for name in ("people.csv", "others.csv", "schema.json"):
        os.rename(os.path.join("demo", name), name)
    with open("schema.json") as file:
        text = file.read()
    with open("schema.json", "w") as file:  # recorded before schemas had versions
        file.write(text.replace('  "version": 2,\n', ""))
    state = 12345
    with open("rows.svm", "w") as svm, open("three.csv", "w") as three:
        three.write("a,b,c,kind\n")
        for _ in range(1200):
            numbers = []
            for _ in range(6):
                state = (state * 1103515245 + 12345) % 2**31
                numbers.append(state / 2**31)
            a, b, c, which, noise, kind = numbers
            at = sorted({int(which * 12) + 1, int(noise * 12) + 1, 1})
            label = "+1" if a + 0.3 * noise > 0.6 else "-1"
            svm.write(label + "".join(f" {j}:{v:.4f}" for j, v in zip(at, (a, b, c))) + "\n")
            three.write(f"{a:.3f},{b:.3f},{'xyz'[int(c * 3)]},{'ABC'[int((a + kind / 4) * 3) % 3]}\n")
    with open("three.json", "w") as schema:
        schema.write(
            '{"header": true, "label": {"column": "kind", "classes": ["A", "B", "C"]}, "columns": ['
            '{"name": "a", "type": "numeric", "min": 0, "max": 1}, {"name": "b", "type": "numeric", "min": 0, "max": 1},'
            '{"name": "c", "type": "categorical", "values": ["x", "y", "z"]}]}'
        )
    with open("bins.json", "w") as schema:
        schema.write(
            '{"label": {"column": "kind", "positive": ["A"], "negative": "*"}, "on_missing": "category", "columns": ['
            '{"name": "a", "type": "numeric", "min": 0, "max": 1, "bins": [0.25, 0.5], "line": 0.5, "scale": "center"},'
            '{"name": "b", "type": "numeric", "min": 0, "max": 1, "bins": 4, "weight": 2},'
            '{"name": "c", "type": "categorical", "groups": {"x": ["x"], "rest": "*"}}],'
            '"crosses": [["a", "c"], {"columns": ["b", "a"], "weight": 0.5}]}'
        )


def digest(dperm, case):
    """What the case writes, in a few characters."""
    seed = [] if case.startswith("encode") else ["--seed", "7"]
    done = subprocess.run([dperm, *case.split(), *seed, "-q", "--out", "result"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return "failed: " + done.stderr.strip()
    with open("result", "rb") as result:
        left_out = [b'  "dperm_version"', b'  "digest"', b'  "multiclass"']  # the case says the last, if it is not usual
        left_out += [b'        "mechanism"', b'        "noise"', b'        "multiclass"']  # of candidates
        text = b"".join(line for line in result if not line.startswith(tuple(left_out)))
    for leftover in ("result", "result.journal"):
        if os.path.exists(leftover):
            os.remove(leftover)
    return hashlib.sha256(text).hexdigest()[:16]


def run(dperm, case, *more):
    """What the case writes, as text."""
    done = subprocess.run([dperm, *case.split(), "--seed", "7", "--out", "result", *more], check=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    with open("result") as file:
        result = file.read()
    for leftover in ("result", "result.journal"):
        if os.path.exists(leftover):
            os.remove(leftover)
    return result, done.stderr


def certified_error(model, diagnostics):
    """Of one weight: as promised before a release, or by the gradient norm of a fit without one, J being lambda-strongly convex."""
    numerics = model["privacy"]["numerics"]
    if numerics:
        return numerics["solution_error"] + numerics["lattice_step"]
    norms = [float(line.split()[-1]) for line in diagnostics.splitlines() if line.startswith("gradient norm")]
    return max(norms) / model["privacy"]["lambda"]


def flat(weights):
    """Of one class or of several."""
    return [w for row in weights for w in (row if isinstance(row, list) else [row])]


def compare(dperm, older):
    """Prints, for each case whose bits differ, the largest move of a weight over the certified error."""
    bad = 0
    for case in cases():
        if case.startswith("encode"):
            continue
        more = ["--unsafe-diagnostics"] if "--mechanism none" in case else ["-q"]
        (old, said), (new, _) = run(older, case, *more), run(dperm, case, *more)
        if old == new or case.startswith("sweep"):
            print(f"{'same' if old == new else 'OTHER COUNTS'}  {case}")
            continue
        old, new = json.loads(old), json.loads(new)
        moved = max(abs(a - b) for a, b in zip(flat(old["weights"]), flat(new["weights"])))
        ratio = moved / certified_error(old, said)
        bad += ratio > 2
        print(f"{ratio:.3g}  {case}")
    return 1 if bad else 0


def main():
    dperm = os.path.abspath(sys.argv[1])
    if sys.argv[2:3] == ["--against"]:
        older = os.path.abspath(sys.argv[3])
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            write_data(dperm)
            return compare(dperm, older)
    only = sys.argv[3] if sys.argv[2:3] == ["--only"] else ""
    if sys.argv[2:] != ["--record"]:
        with open(RECORDED) as file:
            recorded = dict(reversed(line.split(None, 1)) for line in file.read().splitlines() if re.search(only, line))
    lines, bad = [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_data(dperm)
        for number, case in enumerate((case for case in cases() if re.search(only, case)), 1):
            now = digest(dperm, case)
            lines.append(f"{now} {case}")
            if sys.argv[2:] != ["--record"]:
                same = recorded.pop(case, "not recorded") == now
                bad += not same
                print(f"{'ok' if same else 'not ok'} {number} - {case}" + ("" if same else f"\n# is {now}"))
    if sys.argv[2:] == ["--record"]:
        if any("failed" in line for line in lines):
            sys.exit("\n".join(line for line in lines if "failed" in line))
        with open(RECORDED, "w") as file:
            file.write("\n".join(lines) + "\n")
    elif recorded:
        print(f"not ok {number + 1} - recorded and no longer tried: {', '.join(recorded)}")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
