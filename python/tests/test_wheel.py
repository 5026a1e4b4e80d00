"""`pip install .`, without any registry: a wheel with the C core inside, one without it, and a link to
the sources. They need scikit-build-core, which Debian 12 does not have; tools/check-wheel has it from
PyPI and goes further, to a machine without anything."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
USE = ("import dperm, numpy as np; X = np.eye(10); "
       "clf = dperm.LogisticRegression(1.0, data_norm=1, classes=[0, 1]).fit(X, np.arange(10) % 2); "
       "from dperm import _library; print(clf.privacy_, _library.lib._name, dperm.__file__)")


built = pytest.mark.skipif(not importlib.util.find_spec("scikit_build_core"), reason="needs scikit-build-core")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    pytest.importorskip("venv")
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The sources in a place of their own, where nobody else makes files meanwhile."""
    folder = tmp_path_factory.mktemp("source")
    for name in ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for name in ("cli", "cmake", "docs", "include", "python", "src"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run(*words, **environment):
    clean = {k: v for k, v in os.environ.items()
             if k not in ("PYTHONPATH", "DPERM_LIBRARY") and not k.startswith("PIP_")}
    done = subprocess.run([str(w) for w in words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**clean, **environment}, cwd="/", timeout=3000)  # against hanging only
    assert done.returncode == 0, done.stdout
    return done.stdout


@built
def test_a_wheel_without_the_core_uses_an_installed_library(place, source):
    run(place / "bin" / "pip", "install", "--no-index", "--no-build-isolation", source, DPERM_WITHOUT_CORE="1")
    library = os.environ.get("DPERM_LIBRARY", str(ROOT / "build" / "dev" / "libdperm.so"))
    found = run(place / "bin" / "python", "-c", USE,
                LD_LIBRARY_PATH=os.path.dirname(os.path.realpath(library)))
    assert "Privacy((epsilon, delta) = (1.0, 1.4e-43)" in found and " libdperm.so.0 " in found and str(place) in found
    assert list(place.rglob("site-packages/dperm/py.typed"))  # which tells tools that there are types


@built
def test_a_wheel_has_the_core_inside(place, source):
    def files():
        return {path for path in source.rglob("*") if "__pycache__" not in path.parts}

    before = files()
    run(place / "bin" / "pip", "install", "--no-index", "--no-build-isolation", "--force-reinstall", "--no-deps",
        source)
    found = run(place / "bin" / "python", "-c", USE)
    assert "Privacy((epsilon, delta) = (1.0, 1.4e-43)" in found and f"{place}/lib" in found.split()[-2]
    assert found.split()[-2].endswith("dperm/libdperm.so.0")
    assert files() == before  # nothing is left in the source folder


@built
def test_a_link_to_the_sources_finds_the_core(place, source):
    run(place / "bin" / "pip", "install", "--no-index", "--no-build-isolation", "--force-reinstall", "--no-deps",
        "-e", source)
    found = run(place / "bin" / "python", "-c", USE)
    assert f"{place}/lib" in found.split()[-2] and found.split()[-1].startswith(str(source))


def test_the_version_is_the_one_of_the_library():
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    import dperm
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]
    version = settings["metadata"]["version"]
    found = re.search(version["regex"], (ROOT / version["input"]).read_text(encoding="utf-8"))
    assert found and found.group("value") == dperm.__version__
