"""Fits by several workers, here threads of this process that talk over real connections: the model of one process,
one charge, and nothing where one of them is lost. `tests/engines` has the same on Spark and Dask."""

import socket
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import dperm
from dperm import _library as c
from dperm import collective, mesh
from dperm.dask import _Pandas

pytestmark = pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning")
JOB = {"name": "job", "type": "categorical", "values": ["nurse", "judge", "baker"]}
AGE = {"name": "age", "type": "numeric", "min": 0, "max": 100}
TWO = {"label": {"column": "ill", "classes": ["no", "yes"]}, "columns": [AGE, JOB]}
THREE = {"label": {"column": "kind", "classes": ["a", "b", "c"]}, "columns": [AGE, JOB]}
NUMBER = {"label": {"column": "pay", "type": "numeric", "min": 0, "max": 10}, "columns": [AGE, JOB]}


def people(count, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, count)
    return pd.DataFrame({"name": np.arange(count), "age": age, "job": rng.choice(["nurse", "judge", "baker", "?"], count),
                         "ill": np.where((age > 50) ^ (rng.random(count) < 0.1), "yes", "no"),
                         "kind": rng.choice(["a", "b", "c"], count), "pay": age / 12 + rng.random(count)})


class Threads(collective.Run):
    """An engine: `pieces` has for each worker its records by their keys."""

    def __init__(self, estimator, pieces, empty):
        self.sent, self.pieces, self.empty, self.failures = estimator, pieces, empty, []

    def begin(self, address, token):
        def work(part):
            try:
                collective.work(self.sent, address, token, part, len(self.pieces), lambda: self.pieces[part], _Pandas(), self.empty)
            except Exception as problem:
                self.failures.append(problem)

        self.threads = [threading.Thread(target=work, args=(part,)) for part in range(len(self.pieces))]
        for thread in self.threads:
            thread.start()

    def failed(self):
        return bool(self.failures)

    def end(self, stop):
        for thread in self.threads:
            thread.join()


def fit(estimator, pieces, kind=Threads):
    some = next(piece for held in pieces for piece in held.values())
    columns = collective.columns_of(estimator, list(some.columns))
    pieces = [{key: piece[columns] for key, piece in held.items()} for held in pieces]
    run = kind(collective.prepared_for(estimator), pieces, some[columns].iloc[:0])
    return collective.lead(estimator, mesh.Meeting("127.0.0.1"), run, run.empty)


def dealt(frame, workers, pieces):
    """Pieces in turn, so that most records belong elsewhere."""
    ends = np.linspace(0, len(frame), pieces + 1).astype(int)
    return [{key: frame.iloc[ends[key]:ends[key + 1]] for key in range(pieces) if key % workers == worker}
            for worker in range(workers)]


# ---------------------------------------------------------------- the model of one process


@pytest.mark.parametrize("workers, pieces", [(1, 1), (2, 5), (3, 7), (3, 2), (5, 40)])
def test_the_model_is_that_of_one_process(workers, pieces):
    frame = people(5000)
    made = fit(dperm.LogisticRegression(1.0, schema=TWO, random_state=5), dealt(frame, workers, pieces))
    alone = dperm.LogisticRegression(1.0, schema=TWO, random_state=5).fit(frame[["age", "job", "ill"]])
    assert made.model_.json == alone.model_.json and made.report_ == alone.report_
    assert list(made.classes_) == list(alone.classes_) and (made.coef_ == alone.coef_).all()
    assert list(made.predict(frame)) == list(alone.predict(frame))


@pytest.mark.parametrize("estimator", [
    dperm.LogisticRegression(2.0, schema=THREE, random_state=1, multiclass="joint"),
    dperm.LogisticRegression(2.0, schema=TWO, random_state=2, class_weight={"yes": 3}, C=2.0, evaluate=0.25),
    dperm.LinearSVC(1.0, schema=TWO, random_state=np.random.RandomState(4), refine="auto"),
    dperm.KernelSVC(1.0, schema=TWO, random_state=3, n_components=20),
    dperm.LogisticRegression(1.0, schema=TWO, random_state=3, neighbours="add-remove", rows_about=4000),
    dperm.Regressor(1.0, schema=NUMBER, random_state=9)], ids=lambda one: type(one).__name__)
def test_so_are_those_of_every_kind(estimator):
    frame = people(4100)
    wanted = [*("age", "job"), dperm.Schema(estimator.schema).label_column]
    state = estimator.random_state
    if isinstance(state, np.random.RandomState):  # which gives another seed each time
        estimator.random_state = int(np.random.RandomState(4).randint(0, 2**31 - 1))
    single = type(estimator)(**estimator.get_params()).fit(frame[wanted]).model_.json
    estimator.random_state = state
    assert fit(estimator, dealt(frame, 3, 5)).model_.json == single


def test_workers_may_have_nothing():
    frame = people(600)
    pieces = [{}, {7: frame.iloc[200:]}, {3: frame.iloc[:200], 5: frame.iloc[:0]}]
    made = fit(dperm.LogisticRegression(1.0, schema=TWO, random_state=5), pieces)
    assert made.model_.json == dperm.LogisticRegression(1.0, schema=TWO, random_state=5).fit(frame).model_.json


# ---------------------------------------------------------------- the charge


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "l.ledger"
    dperm.Ledger.create(path, "people", 50)
    dperm.Ledger.create(path, "again", 50)
    return path


def entries(ledger):
    return dperm.Ledger(ledger).entries("people")


def test_one_charge_and_the_same_people_as_in_one_process(ledger):
    frame = people(3000)
    made = fit(dperm.LogisticRegression(1.0, schema=TWO, ledger=ledger, dataset="people"), dealt(frame, 3, 4))
    assert made.privacy_.verify(ledger)[0]
    assert [entry["epsilon"] for entry in entries(ledger)] == ["1"]
    with pytest.raises(dperm.BudgetError, match='are data set "people" already'):
        dperm.LogisticRegression(1.0, schema=TWO, ledger=ledger, dataset="again").fit(frame)
    with pytest.raises(dperm.BudgetError, match='are data set "people" already'):
        fit(dperm.LogisticRegression(1.0, schema=TWO, ledger=ledger, dataset="again"), dealt(frame, 2, 2))


def test_a_worker_that_cannot_read_its_records_says_so_before_the_charge(ledger):
    frame = people(1000)
    frame["age"] = frame["age"].astype(object)
    frame.loc[900, "age"] = "many"
    with pytest.raises(ValueError, match="column \"age\" is a text that is not a finite number"):
        fit(dperm.LogisticRegression(1.0, schema=TWO, ledger=ledger, dataset="people"), dealt(frame, 3, 3))
    assert not entries(ledger)


class Quoting(_Pandas):
    def joined(self, pieces, columns):
        raise RuntimeError("nurse 42 is ill")


def test_what_an_engine_says_of_a_failure_is_not_repeated(ledger, monkeypatch):
    monkeypatch.setitem(globals(), "_Pandas", Quoting)
    with pytest.raises(OSError, match=r"could not get at its records \(RuntimeError\); nothing was charged") as told:
        fit(dperm.LogisticRegression(1.0, schema=TWO, ledger=ledger, dataset="people"), dealt(people(100), 2, 2))
    assert "42" not in str(told.value) and not entries(ledger)


class Fewer(_Pandas):
    def cut(self, piece, first, end):
        return piece.iloc[first:max(first, end - 1)]


def test_a_worker_that_has_other_records_than_it_says_ends_the_run(ledger, monkeypatch):
    monkeypatch.setitem(globals(), "_Pandas", Fewer)
    with pytest.raises(OSError, match="nothing was released"):
        fit(dperm.LogisticRegression(1.0, schema=TWO, ledger=ledger, dataset="people"), dealt(people(1000), 2, 2))
    assert not entries(ledger)


@pytest.mark.parametrize("part", [0.0, 0.2, 0.4, 0.6, 0.8, 0.95])
def test_a_worker_that_is_lost_ends_the_run_without_a_model(ledger, monkeypatch, part):
    frame, messages, inner = people(1500), [0], collective.Ranks._receive
    total = []

    def receive(self, *arguments):
        if self.mesh.rank == 0:
            messages[0] += 1
            if total and messages[0] == 1 + int(part * total[0]):
                self.mesh.of[2].close()
        return inner(self, *arguments)

    monkeypatch.setattr(collective.Ranks, "_receive", receive)
    estimator = dperm.LogisticRegression(0.5, schema=TWO, lambda_=0.1, ledger=ledger, dataset="people")
    fit(estimator, dealt(frame, 3, 3))
    total.append(messages[0])
    messages[0] = 0
    del estimator.model_
    with pytest.raises(OSError, match="can no longer talk to each other; nothing was released") as told:
        fit(estimator, dealt(frame, 3, 3))
    assert not hasattr(estimator, "model_")
    charged = len(entries(ledger)) == 2
    assert charged == ("stays spent" in str(told.value)) and len(entries(ledger)) <= 2
    assert dperm.Ledger(ledger).verify()[0]


class Absent(Threads):
    def begin(self, address, token):
        super().begin(address, token)
        self.failures.append(OSError("a worker is gone"))


def test_a_worker_that_never_comes_ends_the_run(ledger):
    with pytest.raises(mesh.Lost, match="failed before the run began; nothing was charged"):
        fit(dperm.LogisticRegression(0.5, schema=TWO, ledger=ledger, dataset="people"), dealt(people(100), 2, 2), Absent)
    assert not entries(ledger)


# ---------------------------------------------------------------- who may join


class Besieged(Threads):
    """Strangers come first: one who says nothing, one who says nothing that is known, one with another token, and one who
    hangs up."""

    def begin(self, address, token):
        def strangers():
            self.mute = socket.create_connection(address)
            self.senseless = socket.create_connection(address)
            self.senseless.sendall(bytes(64))
            socket.create_connection(address).close()
            try:
                mesh.join(address, mesh.new_token(), 0, 1)
            except mesh.Lost as problem:
                self.told.append(str(problem))
            Threads.begin(self, address, token)

        self.told = []
        self.siege = threading.Thread(target=strangers)
        self.siege.start()

    def end(self, stop):
        self.siege.join()
        super().end(stop)
        self.mute.close()
        self.senseless.close()
        assert self.told == ["a connection to another process of this job was closed"]


def test_strangers_are_turned_away_and_learn_nothing(monkeypatch):
    monkeypatch.setattr(mesh, "_PATIENCE", 1e6)  # nobody waits for the mute one
    frame = people(700)
    made = fit(dperm.LogisticRegression(1.0, schema=TWO, random_state=5), dealt(frame, 2, 2), Besieged)
    assert made.model_.json == dperm.LogisticRegression(1.0, schema=TWO, random_state=5).fit(frame).model_.json


@pytest.mark.parametrize("joins, words", [({"part": 0, "parts": 2, "version": "0.0.1"}, "a worker has dperm 0.0.1"),
                                          ({"part": 0, "parts": 2, "twice": True}, "started twice"),
                                          ({"parts": 2}, "did not come together")])
def test_workers_that_do_not_fit_end_the_meeting(joins, words):
    meeting = mesh.Meeting("127.0.0.1")
    told = []

    def wait():
        try:
            meeting.wait(lambda: False)
        except mesh.Lost as problem:
            told.append(str(problem))

    leader = threading.Thread(target=wait)
    leader.start()
    connections = []
    for _ in range(2 if "twice" in joins else 1):
        connections.append(mesh._connect(meeting.address, meeting.token))
        mesh._send_json(connections[-1], {"version": c.lib.dperm_version().decode(), "at": ["127.0.0.1", 1], **joins})
    leader.join()
    meeting.close()
    assert words in told[0]
    for connection in connections:
        connection.close()


# ---------------------------------------------------------------- what is refused


def test_what_cannot_be_fitted_so_is_refused_at_once(tmp_path):
    frame = people(50)
    drafted = dperm.Schema.draft(frame[["age", "job", "ill"]], label="ill", positive=["yes"])
    for estimator, words in [
            (dperm.LogisticRegression(1.0, data_norm=1.0), "needs a schema"),
            (dperm.LogisticRegression(1.0, schema=TWO, class_weight="balanced"), "counts the labels"),
            (dperm.LogisticRegression(1.0, schema=drafted), "drafted from records"),
            (dperm.LogisticRegression(1.0, schema=TWO, person="name"), "records of a person"),
            (dperm.LogisticRegression(1.0, schema={**TWO, "person": "name"}), "records of a person"),
            (dperm.LogisticRegression(1.0, schema=TWO, random_state=-1), "random_state=-1")]:
        with pytest.raises(ValueError, match=words):
            collective.prepared_for(estimator)
    drafted.save(tmp_path / "s.json")
    collective.prepared_for(dperm.LogisticRegression(1.0, schema=tmp_path / "s.json"))
    with pytest.raises(ValueError, match="have no column 'job'"):
        collective.columns_of(dperm.LogisticRegression(1.0, schema=TWO), ["age", "ill"])
    for wrong in (0, 17, 2.0):
        with pytest.raises(ValueError, match="workers"):
            collective.workers_of(wrong, 4)
    assert collective.workers_of(None, 40) == 16 and collective.workers_of(None, 0) == 1


def test_dropped_records_are_refused_by_all():
    frame = people(2000)
    with pytest.raises(NotImplementedError, match="drops records"):
        fit(dperm.LogisticRegression(1.0, schema={**TWO, "on_missing": "drop"}), dealt(frame, 2, 2))


def test_the_package_needs_no_engine():
    code = "import sys; sys.modules.update(dict.fromkeys(('pyspark', 'dask', 'distributed', 'pyarrow'))); " \
        "import dperm, dperm.spark, dperm.dask; print('fine')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "fine", done
