"""A build backend (PEP 517) for this one package: CMake makes the C library, zip makes the wheel.

    pip install .                          with the C core inside the wheel
    DPERM_WITHOUT_CORE=1 pip install .     without it, for a machine with libdperm installed
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tarfile
import tempfile
import zipfile

try:
    import tomllib
except ImportError:  # before Python 3.11
    from pip._vendor import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SONAME = "libdperm.so.0"


def _project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    project["version"] = re.search(r"project\(dperm VERSION ([0-9.]+)", cmake).group(1)
    return project


def _with_core(settings):
    chosen = (settings or {}).get("core", "no" if os.environ.get("DPERM_WITHOUT_CORE") else "yes")
    return chosen != "no"


# ---- the C library


def _build_core(folder):
    """libdperm, as `make install` would have it, built in a folder of its own."""
    for tool in ("cmake", "cc"):
        if not shutil.which(tool):
            raise SystemExit(f"building dperm's C core needs {tool}; see the package lists in the "
                             "Makefile, or install libdperm and set DPERM_WITHOUT_CORE=1")
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", str(ROOT), "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release",
                    "-DDPERM_TESTS=OFF"], check=True)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", folder, "--target", "dperm", "--parallel", jobs], check=True)
    return pathlib.Path(folder) / SONAME


# ---- what a wheel holds besides


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {one}" for one in project["dependencies"]]
    for extra, wanted in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {one} ; extra == "{extra}"' for one in wanted]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text(encoding="utf-8")


def _tag(core):
    return "py3-none-" + (re.sub(r"[-.]", "_", sysconfig.get_platform()) if core else "any")


def _contents(project, core):
    """Name and bytes of every file but RECORD."""
    info = f"{project['name']}-{project['version']}.dist-info"
    for path in sorted((ROOT / "python" / "dperm").iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            yield f"dperm/{path.name}", path.read_bytes()
    if core:
        with tempfile.TemporaryDirectory(prefix="dperm-build-") as folder:
            yield f"dperm/{SONAME}", _build_core(folder).read_bytes()
    yield f"{info}/METADATA", _metadata(project).encode()
    yield f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes()
    yield f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: dperm_build\n"
                            f"Root-Is-Purelib: {'false' if core else 'true'}\n"
                            f"Tag: {_tag(core)}\n").encode()


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


# ---- the hooks


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project, core = _project(), _with_core(config_settings)
    name = f"{project['name']}-{project['version']}-{_tag(core)}.whl"
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in _contents(project, core):
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if path.endswith(SONAME) else 0o644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
            record.append(f"{path},sha256={_digest(content)},{len(content)}")
        here = f"{project['name']}-{project['version']}.dist-info/RECORD"
        wheel.writestr(here, "\n".join(record + [f"{here},,"]) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    base = f"{project['name']}-{project['version']}"
    kept = ["CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "bench", "cli", "cmake", "docs",
            "experiments", "include", "python", "src"]
    def clean(entry):
        return None if "__pycache__" in entry.name else entry
    with tarfile.open(os.path.join(sdist_directory, f"{base}.tar.gz"), "w:gz") as archive:
        for one in kept:
            archive.add(ROOT / one, f"{base}/{one}", filter=clean)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as info:
            info.write(_metadata(project))
            info.flush()
            archive.add(info.name, f"{base}/PKG-INFO")
    return f"{base}.tar.gz"
