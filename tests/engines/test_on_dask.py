"""Fits on a Dask cluster of this machine's own."""

import contextlib
import os
from types import SimpleNamespace

import dask.dataframe as dd
import pandas as pd
import pytest
from distributed import Client, LocalCluster, wait
from distributed import TimeoutError as Late

import dperm
import dperm.dask
from engine_runs import COLUMNS, NUMBER, SCHEMA, Watched, killed_everywhere, people

pytestmark = pytest.mark.filterwarnings("ignore")


@contextlib.contextmanager
def started():
    """A cluster whose workers may be killed. Dask's own list can miss one of them by then, and closing fails by that alone
    (dask/distributed#5407): only then is a KeyError not ours."""
    closing = False
    try:
        with LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, \
                Client(cluster) as made:
            yield made
            closing = True
    except KeyError:
        if not closing:
            raise


@pytest.fixture(scope="module")
def client():
    with started() as made:
        yield made


@pytest.fixture
def ledger(tmp_path):
    dperm.Ledger.create(tmp_path / "l.ledger", "people", 10)
    return tmp_path / "l.ledger"


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_the_model_is_that_of_one_process(client, workers):
    frame = people(9000)
    some = dd.from_pandas(frame, npartitions=7, sort=False)
    made = dperm.dask.fit(dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=5), some, workers=workers)
    assert made.model_.json == dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=5).fit(frame[COLUMNS]).model_.json


def test_partitions_of_different_types_are_one_table(client):
    """A worker's whole numbers are another's floats, where one is missing."""
    parts = [pd.DataFrame({"age": ages, "pay": 1.5, "smoker": truths, "job": "nurse", "ill": ["yes", "no"] * 300})
             for ages, truths in (([40, 50] * 300, [True, False] * 300), ([None, 7] * 300, [None, True] * 300))]
    some = dd.concat([dd.from_pandas(part, npartitions=1) for part in parts])
    made = dperm.dask.fit(dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=5), some, client=client)
    alone = dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=5).fit(pd.concat(parts))
    assert made.model_.json == alone.model_.json


def test_a_regression_and_its_charge(client, ledger):
    frame = people(4000)
    some = dd.from_pandas(frame, npartitions=4, sort=False)
    made = dperm.dask.fit(dperm.Regressor(1.0, schema=NUMBER, ledger=ledger, dataset="people"), some)
    assert made.privacy_.verify(ledger)[0] and len(dperm.Ledger(ledger).entries("people")) == 1
    assert made.predict(frame).shape == (4000,)


def test_the_client_gets_no_records(client, monkeypatch):
    """What comes to it does not grow with them."""
    seen = []
    for count in (8192, 131072):
        with monkeypatch.context() as patch:
            watched = Watched(patch)
            dperm.dask.fit(dperm.LogisticRegression(1.0, schema=SCHEMA, random_state=5, lambda_=0.1, refine=None, pairs=None),
                           dd.from_pandas(people(count), npartitions=6, sort=False))
            seen.append(watched.bytes)
    assert seen[1] < 200_000 and seen[1] < 2 * seen[0]


def test_a_partition_that_fails_ends_the_run(client, ledger):
    def broken(part):
        raise RuntimeError("the disk is gone")

    some = dd.from_pandas(people(100), npartitions=2).map_partitions(broken, meta=people(1))
    with pytest.raises(OSError, match="nothing was charged"):
        dperm.dask.fit(dperm.LogisticRegression(1.0, schema=SCHEMA, ledger=ledger, dataset="people"), some)
    assert not dperm.Ledger(ledger).entries("people")


def _deadly():
    from dperm import mesh

    mesh.join = lambda *_: os._exit(1)


def test_a_worker_that_dies_before_it_joins_ends_the_run(client, ledger):
    """Dask would wait for it, and start its work again."""
    some = dd.from_pandas(people(900), npartitions=3, sort=False).persist()
    wait(some)
    client.run(_deadly, workers=sorted(client.scheduler_info(n_workers=-1)["workers"])[:1])
    with pytest.raises(OSError, match="failed before the run began; nothing was charged"):
        dperm.dask.fit(dperm.LogisticRegression(1.0, schema=SCHEMA, ledger=ledger, dataset="people"), some)
    assert not dperm.Ledger(ledger).entries("people")


def test_clusters_that_encrypt_are_refused():
    secret = SimpleNamespace(scheduler=SimpleNamespace(address="tls://127.0.0.1:1"))
    with pytest.raises(ValueError, match="plain TCP"):
        dperm.dask.fit(dperm.LogisticRegression(1.0, schema=SCHEMA), dd.from_pandas(people(10), npartitions=1), client=secret,
                       workers=1)


def test_killed_workers_release_nothing(ledger, monkeypatch):
    frame = people(2000)
    with contextlib.ExitStack() as clusters:
        clients = [clusters.enter_context(started())]

        def fit(estimator):
            try:
                clients[-1].wait_for_workers(3, timeout=30)
            except Late:  # now and then Dask starts none in place of one that was killed
                clients.append(clusters.enter_context(started()))
            return dperm.dask.fit(estimator, dd.from_pandas(frame, npartitions=3, sort=False), client=clients[-1])

        killed_everywhere(fit, ledger, monkeypatch)
