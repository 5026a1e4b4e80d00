"""A fit to the records of a Dask DataFrame, by the workers that hold them; nothing of it comes to the client.

The client's process leads: it draws the noise, charges the ledger and gets the model. Partitions stay on the workers
that made them, which fit together (collective.py).
"""

from __future__ import annotations

import contextlib
import pickle
import socket
import time
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple, TypeVar
from urllib.parse import urlsplit

from . import collective, mesh
from .base import PrivateEstimator

__all__ = ["fit"]

_Estimator = TypeVar("_Estimator", bound=PrivateEstimator)


class _Pandas(collective.Frames):
    def cut(self, piece: Any, first: int, end: int) -> Any:
        return piece.iloc[first:end]

    def pack(self, piece: Any) -> bytes:
        return pickle.dumps(piece, protocol=5)

    def unpack(self, content: bytes) -> Any:
        return pickle.loads(content)  # from a worker that knows the run's token

    def joined(self, pieces: Sequence[Any], columns: Any) -> Any:
        import pandas as pd

        return pd.concat(pieces, ignore_index=True) if pieces else columns


def _work(pieces: List[Any], keys: List[int], estimator: Any, address: Tuple[str, int], token: str, part: int, parts: int,
          empty: Any) -> None:
    collective.work(estimator, address, token, part, parts, lambda: dict(zip(keys, pieces)), _Pandas(), empty)


class _Tasks(collective.Run):
    def __init__(self, client: Any, frame: Any, estimator: Any, empty: Any, workers: Optional[int]):
        self._client, self._frame, self._estimator, self._empty, self._workers = client, frame, estimator, empty, workers
        self._tasks: List[Any] = []
        self._of: Set[str] = set()  # the workers that have them
        self._looked = 0.0

    def begin(self, address: Tuple[str, int], token: str) -> None:
        from distributed import wait

        pieces = self._client.compute(self._frame.to_delayed())
        wait(pieces)
        holders = self._client.who_has(pieces)
        workers = sorted({held[0] for held in holders.values() if held})[:self._workers]
        if not workers or not all(holders.values()):
            raise mesh.Lost("the records are on no worker; nothing was charged or released: see the workers' logs")
        mine: Dict[str, List[int]] = {worker: [] for worker in workers}
        for key, piece in enumerate(pieces):
            held = [worker for worker in holders[piece.key] if worker in mine]
            mine[held[0] if held else workers[key % len(workers)]].append(key)
        self._of = set(workers)
        self._tasks = [
            self._client.submit(_work, [pieces[key] for key in keys], keys, self._estimator, address, token, part, len(workers),
                                self._empty, workers=[worker], allow_other_workers=False, pure=False, retries=0)
            for part, (worker, keys) in enumerate(mine.items())]

    def failed(self) -> bool:
        if any(task.status in ("error", "lost", "cancelled") for task in self._tasks):
            return True
        if time.monotonic() < self._looked + 1:
            return False
        self._looked = time.monotonic()  # what a worker had that is gone waits for it for ever
        return not self._of <= set(self._client.scheduler_info(n_workers=-1)["workers"])

    def end(self, stop: bool) -> None:
        from distributed import TimeoutError as Late
        from distributed import wait

        if not stop:
            with contextlib.suppress(Late):
                wait(self._tasks, timeout=collective.GRACE)
        self._client.cancel(self._tasks, force=True)


def _own_host(client: Any) -> str:
    """The address at which the cluster sees this process."""
    at = urlsplit(client.scheduler.address)
    if at.scheme != "tcp" or at.hostname is None or at.port is None:
        raise ValueError(f"the scheduler is at {client.scheduler.address!r}; a fit's own connections are plain TCP, and go with "
                         "a cluster that talks so (tcp://)")
    with socket.create_connection((at.hostname, at.port)) as connection:
        return str(connection.getsockname()[0])


def fit(estimator: _Estimator, frame: Any, *, workers: Optional[int] = None, client: Any = None) -> _Estimator:
    """Fits an estimator with a schema to a Dask DataFrame that has the label's column; returns the estimator.

    Parameters
    ----------
    estimator : LogisticRegression, LinearSVC, KernelSVC or Regressor
        Its ledger is the client's, its `n_jobs` the threads of each worker (1 if it says nothing).
    frame : dask.dataframe.DataFrame
        Only the schema's columns and the label's move. The order of the records is that of its partitions;
        `estimator.fit(frame.compute())` gives the same model.
    workers : int, optional
        At most 16, and as many as there are without it.
    client : distributed.Client, optional
        Without it the current one.
    """
    from distributed import get_client

    client = get_client() if client is None else client
    host = _own_host(client)
    sent = collective.prepared_for(estimator)
    frame = frame[collective.columns_of(estimator, list(frame.columns))]
    count = collective.workers_of(workers, len(client.scheduler_info(n_workers=-1)["workers"]))
    empty = frame._meta.iloc[:0]
    return collective.lead(estimator, mesh.Meeting(host), _Tasks(client, frame, sent, empty, count), empty)
