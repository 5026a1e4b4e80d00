"""What the tests share: the command line of the same build, synthetic census records.

What depends on the noise is judged from a seed (`random_state`); fits with secure noise are there for
their claims, which do not depend on what was drawn.
"""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

for name in ("DPERM_LEDGER", "DPERM_DATASET", "DPERM_STRICT"):  # the user's own do not count
    os.environ.pop(name, None)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import dperm  # noqa: E402

for _name in ("DPERM_LEDGER", "DPERM_DATASET"):  # the person's who runs the tests
    os.environ.pop(_name, None)
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def command():
    """Runs the command line of the build that is tested; returns its standard output."""
    program = os.environ.get("DPERM", str(ROOT / "build" / "dev" / "dperm"))

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def census(command, tmp_path_factory):
    """A folder with people.csv and schema.json: nobody's records."""
    folder = tmp_path_factory.mktemp("census")
    command("demo", "--rows", 3000, "--seed", 1, "--out", folder)
    return folder


@pytest.fixture
def clouds():
    """Three clouds in the plane, within norm 4."""
    rng = np.random.default_rng(1)
    y = np.arange(900) % 3
    X = rng.normal(size=(900, 2)) * 0.5 + np.array([[0, 0], [3, 0], [0, 3]])[y]
    return X, y


@pytest.fixture
def two():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1000, 4))
    return X, (X[:, 0] - X[:, 1] > 0).astype(int)
