"""What the tests of engines share: records, a leader whose messages are counted, and workers that are killed."""

import os
import signal
import time

import numpy as np
import pandas as pd
import psutil

import dperm
from dperm import collective, mesh

SCHEMA = {"on_missing": "category", "label": {"column": "ill", "classes": ["no", "yes"]},
          "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100},
                      {"name": "pay", "type": "numeric", "min": 0, "max": 10},
                      {"name": "smoker", "type": "categorical", "values": ["True", "False"]},
                      {"name": "job", "type": "categorical", "values": ["nurse", "judge", "baker"]}]}
NUMBER = {"label": {"column": "pay", "type": "numeric", "min": 0, "max": 10},
          "columns": [column for column in SCHEMA["columns"] if column["name"] != "pay"]}
COLUMNS = ["age", "pay", "smoker", "job", "ill"]


def people(count, seed=0):
    """With missing values, and a column that nobody asks for."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, count)
    made = pd.DataFrame({"name": np.arange(count), "age": pd.array(age, dtype="Int64"), "pay": 10 * rng.random(count),
                         "smoker": rng.random(count) < 0.3, "job": rng.choice(["nurse", "judge", "baker", "?"], count),
                         "ill": np.where((age > 50) ^ (rng.random(count) < 0.1), "yes", "no")})
    made.loc[rng.random(count) < 0.05, "age"] = pd.NA
    made.loc[rng.random(count) < 0.05, "job"] = None
    return made


class Watched:
    """The leader's messages, while it is in force: how many came and their bytes; at one of them a worker is killed, or its JVM."""

    def __init__(self, monkeypatch, kill_at=None, victim=1, jvm=False):
        self.count = self.bytes = 0
        self.jvm = jvm
        self.killed = None
        receive, accepted = collective.Ranks._receive, mesh.Meeting.wait

        def counted(ranks, context, whom, where, size):
            if ranks.mesh.rank == 0:
                self.count, self.bytes = self.count + 1, self.bytes + size
                if self.count == kill_at:
                    self.kill(ranks.mesh.of[victim])
            return receive(ranks, context, whom, where, size)

        def joined(meeting, failed):
            made = accepted(meeting, failed)
            if kill_at == 0:
                self.kill(made.of[victim])
            return made

        monkeypatch.setattr(collective.Ranks, "_receive", counted)
        monkeypatch.setattr(mesh.Meeting, "wait", joined)

    def kill(self, connection):
        """The process at the other end of a connection."""
        there = connection.getpeername()
        pid, = {one.pid for one in psutil.net_connections("tcp") if one.pid and tuple(one.laddr) == there}
        assert pid != os.getpid()
        worker = psutil.Process(pid)
        killed = next(one for one in worker.parents() if one.name() == "java") if self.jvm else worker
        os.kill(killed.pid, signal.SIGKILL)
        end = time.monotonic() + 60
        while worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE:  # it goes with its JVM
            assert time.monotonic() < end
            time.sleep(0.01)
        self.killed = killed.pid


def killed_everywhere(fit, ledger, monkeypatch, moments=20, jvm=False):
    """A worker, or its JVM, killed at each of so many moments of a fit: nothing is released, and at most one charge stands each
    time."""
    def estimator():
        return dperm.LogisticRegression(0.01, schema=SCHEMA, lambda_=0.1, ledger=ledger, dataset="people")

    with monkeypatch.context() as patch:
        whole = Watched(patch)
        fit(estimator())
    charges = len(dperm.Ledger(ledger).entries("people"))
    assert charges == 1
    released = spent = 0
    for moment in range(moments):
        at, one = int(0.85 * whole.count * moment / (moments - 1)), estimator()
        with monkeypatch.context() as patch:
            watched = Watched(patch, at, 1 + moment % 2, jvm)
            try:
                fit(one)
            except OSError as problem:
                told = str(problem)
                assert "nothing was" in told and "\n" not in told, told
        assert watched.killed, f"the run was over before message {at}"
        released += hasattr(one, "model_")
        now = len(dperm.Ledger(ledger).entries("people"))
        assert now <= charges + 1 and (now > charges) == ("stays spent" in told), told
        spent, charges = spent + now - charges, now
    assert dperm.Ledger(ledger).verify()[0]
    print(f"\n{moments} of {moments} killed at messages 0 to {at} of {whole.count}: {released} released, {spent} charged")
    assert released == 0 and 0 < spent < moments
