"""Where Python and C meet: layouts, the lock, interruptions, forks, a library that is not there."""

import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import textwrap

import dperm
from dperm import _library as c

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "include").rglob("*.h"))
STRUCTS = {"dperm_error": c.Error, "dperm_progress": c.Progress, "dperm_draft_options": c.DraftOptions,
           "dperm_import_options": c.ImportOptions,
           "dperm_column": c.Column, "dperm_arrow": c.Arrow, "dperm_source": c.Source, "dperm_loss": c.Loss, "dperm_regularizer": c.Regularizer,
           "dperm_account": c.Account, "dperm_ledger_budget": c.LedgerBudget, "dperm_unsafe_column_counts": c.ColumnCounts,
           "dperm_ledger_dataset": c.LedgerDataset, "dperm_ledger_entry": c.LedgerEntry,
           "dperm_kernel": c.Kernel, "dperm_class_weight": c.ClassWeight, "dperm_options": c.Options, "dperm_tune_options": c.TuneOptions,
           "dperm_plan_rows": c.PlanRows,
           "dperm_metrics": c.Metrics, "dperm_score_options": c.ScoreOptions, "dperm_private_score": c.PrivateScore,
           "dperm_sweep_options": c.SweepOptions, "dperm_sweep_cell": c.SweepCell,
           "dperm_collective": c.Collective, "dperm_audit_options": c.AuditOptions, "dperm_audit_result": c.AuditFigures}


def test_every_struct_lies_in_memory_as_the_header_says(tmp_path):
    lines = []
    for name, struct in STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in struct._fields_:
            member = field.rstrip("_")
            # and its size: the space of a bool may be as large as an int's
            lines.append(f'printf("{name} {field} %zu %zu\\n", offsetof({name}, {member}), sizeof((({name} *)0)->{member}));')
    includes = "".join(f"#include <{path.relative_to(ROOT / 'include')}>\n" for path in HEADERS)
    source = tmp_path / "layout.c"
    source.write_text("#include <stdio.h>\n#include <stddef.h>\n" + includes + "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
    program = tmp_path / "layout"
    subprocess.run(["gcc", "-I", str(ROOT / "include"), str(source), "-o", str(program)], check=True)
    for line in subprocess.run([str(program)], capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        struct = STRUCTS[words[0]]
        member = None if len(words) == 2 else getattr(struct, words[1])
        found = [ctypes.sizeof(struct)] if member is None else [member.offset, member.size]
        assert found == [int(word) for word in words if word.isdigit()], line


def test_every_member_of_the_structs_is_there():
    header = re.sub(r"/\*.*?\*/", "", "".join(path.read_text() for path in HEADERS), flags=re.S)
    for name, struct in STRUCTS.items():
        body = re.search(r"struct " + name + r" \{(.*?)\n\}", header, flags=re.S).group(1)
        functions = len(re.findall(r"\(\*\w+\)", body))
        plain = re.sub(r"[^;]*\(\*[^;]*;", "", body)
        members = functions + sum(len(part.split(",")) for part in plain.split(";") if part.strip())
        assert members == len(struct._fields_), name


def test_enums_have_the_order_of_the_header():
    header = (ROOT / "include" / "dperm.h").read_text()
    for enum, prefix, ours in (("words", "DPERM_WORDS_", c.WORDS), ("options_kind", "DPERM_OPTIONS_", c.OPTIONS)):
        body = re.search(rf"typedef enum dperm_{enum} \{{(.*?)\}}", header, flags=re.S).group(1)
        assert [word.lower() for word in re.findall(rf"{prefix}(\w+)", body)] == list(ours)


def run_python(code, cwd=None, **environment):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], text=True, cwd=cwd,
                          capture_output=True, timeout=3000,  # against hanging only
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python"), **environment})


def test_a_missing_library_says_how_to_install_it():
    done = run_python("import dperm", DPERM_LIBRARY="/nowhere/libdperm.so.0")
    assert done.returncode != 0
    assert "ImportError" in done.stderr and 'run "pip install ."' in done.stderr
    assert "DPERM_LIBRARY=/path/to/libdperm.so.0" in done.stderr


def test_what_the_library_needs_and_is_not_there_is_named_first(tmp_path):
    needed, ours = tmp_path / "libneeded.so.7", tmp_path / "libdperm.so.0"
    subprocess.run(["gcc", "-shared", "-x", "c", "/dev/null", "-Wl,-soname,libneeded.so.7", "-o", str(needed)], check=True)
    subprocess.run(["gcc", "-shared", "-x", "c", "/dev/null", "-x", "none", "-Wl,--no-as-needed", str(needed), "-o", str(ours)],
                   check=True)
    needed.unlink()
    done = run_python("import dperm", DPERM_LIBRARY=str(ours))
    assert "ImportError: libneeded.so.7 is missing: dperm's C library needs it" in done.stderr
    assert "DPERM_LIBRARY=/path/to/libdperm.so.0" in done.stderr


def test_a_library_of_another_kind_is_refused(tmp_path):
    other = tmp_path / "libother.so"
    subprocess.run(["gcc", "-shared", "-x", "c", "/dev/null", "-o", str(other)], check=True)
    done = run_python("import dperm", DPERM_LIBRARY=str(other))
    assert "older than this package" in done.stderr


START = """
    import numpy as np, sys, dperm, threading
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 40))
    y = (X[:, 0] > 0).astype(int)
"""


def gated(tmp_path, library, **settings):
    """The environment of a process that waits at a gate: tests/fault/fault_gate.h."""
    name = {"random": "RANDOM_FAULT", "ledger": "LEDGER_FAULT"}[library]
    preload = os.environ.get(name, str(ROOT / "build" / "dev" / "tests" / f"lib{library}_fault.so"))
    os.mkfifo(tmp_path / "gate")
    return {"LD_PRELOAD": preload, f"{name}_GATE": str(tmp_path / "gate"),
            **{f"{name}_{key}": value for key, value in settings.items()}}


def test_ctrl_c_stops_a_long_fit_and_leaves_nothing_but_the_charge(tmp_path):
    ledger = tmp_path / "l.ledger"
    dperm.Ledger.create(ledger, "people", 5)
    code = START + f"""
    try:  # tens of seconds, whatever the draws: a tall matrix, many random features
        dperm.KernelSVC(1.0, data_norm=5, classes=[0, 1], n_components=4000, ledger={str(ledger)!r},
                        dataset="people").fit(np.tile(X, (100, 1)), np.tile(y, 100))
        print("never stopped")
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        assert dperm.LogisticRegression(1.0, data_norm=5, classes=[0, 1]).fit(X, y).coef_.shape == (1, 40)
        print("and alive")
    """
    environment = gated(tmp_path, "ledger", GATE_AT="1 unlink l.ledger-journal")  # reserved
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE,
                          text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python"), **environment}) as child:
        with open(tmp_path / "gate", "w"):
            child.send_signal(signal.SIGINT)
        assert child.stdout.read() == "interrupted\nand alive\n"
    entry, = dperm.Ledger(ledger).entries()
    assert entry["commit"] == 0 and dperm.Ledger(ledger).left("people") == "4"
    assert dperm.Ledger(ledger).verify()[0]
    assert sorted(p.name for p in tmp_path.iterdir() if "ledger" not in p.name) == ["gate"]


def test_other_threads_run_during_a_fit(tmp_path):
    """The fit waits, inside the library, for what another Python thread does."""
    done = run_python(START + """
    thread = threading.Thread(target=dperm.LogisticRegression(1.0, data_norm=8, classes=[0, 1]).fit,
                              args=(X, y))
    thread.start()
    with open("gate", "w"):  # opens when the fit has come there
        print("inside:", thread.is_alive())
    thread.join()
    print("done")
    """, cwd=tmp_path, **gated(tmp_path, "random", GATE_AT="2"))
    assert done.stdout == "inside: True\ndone\n", done.stderr


def test_forked_processes_work_and_have_noise_of_their_own():
    done = run_python(START + """
    import multiprocessing
    def weights(_):
        return dperm.LogisticRegression(1.0, data_norm=5, classes=[0, 1]).fit(X, y).coef_.tolist()
    here = weights(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(weights, range(4)) + [here]
    assert len({str(w) for w in found}) == 5
    print("good")
    """)
    assert done.stdout == "good\n", done.stderr
