"""A line for each case, as tests/run counts them: "ok 3 - name", "not ok 4 - name"."""

import itertools
import os
import sys

_numbers = itertools.count(1)


def pytest_runtest_logreport(report):
    if report.skipped and report.when in ("setup", "call"):
        kind = "expected to fail" if hasattr(report, "wasxfail") else "skipped"
        _say(f"# {kind}: {report.nodeid}")
    elif report.failed or (report.when == "call" and report.passed):
        _say(f"{'not ok' if report.failed else 'ok'} {next(_numbers)} - {report.nodeid}")


def pytest_collectreport(report):
    if report.failed:
        _say(f"not ok {next(_numbers)} - {report.nodeid} could not be read")


def _say(line):
    os.write(sys.__stdout__.fileno(), ("\n" + line + "\n").encode())
