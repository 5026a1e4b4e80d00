"""A fit to the records of a Spark DataFrame, by the workers that hold them; nothing of it comes to the driver.

The driver's process leads: it draws the noise, charges the ledger and gets the model. The DataFrame is put in order
by one of Spark's shuffles and goes as Arrow batches into a barrier stage, whose tasks fit together (collective.py).
"""

from __future__ import annotations

import contextlib
import uuid
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, TypeVar, Union

from . import collective, mesh
from .base import PrivateEstimator

__all__ = ["fit"]

_Estimator = TypeVar("_Estimator", bound=PrivateEstimator)
_ENCRYPTS = ("spark.network.crypto.enabled", "spark.authenticate.enableSaslEncryption", "spark.ssl.rpc.enabled")
_PLACE = "dperm place {}"  # of columns that keep the order


class _Batches(collective.Frames):
    """Arrow's record batches."""

    def cut(self, piece: Any, first: int, end: int) -> Any:
        return piece.slice(first, end - first)

    def pack(self, piece: Any) -> bytes:
        import pyarrow as pa

        made = pa.BufferOutputStream()
        with pa.ipc.new_stream(made, piece.schema) as stream:
            stream.write_batch(piece)
        return made.getvalue().to_pybytes()

    def unpack(self, content: bytes) -> Any:
        import pyarrow as pa

        batch, = pa.ipc.open_stream(content)
        return batch

    def joined(self, pieces: Sequence[Any], columns: Any) -> Any:
        import pyarrow as pa

        return pa.Table.from_batches(pieces, columns.schema)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _in_order(frame: Any, columns: Sequence[str], order_by: Sequence[str], workers: int) -> Any:
    """A range of the records for each worker, in their order. That of records which are equal in `order_by` is the
    DataFrame's own."""
    from pyspark.sql import functions as F

    keys = [F.col(_quoted(name)) for name in order_by] + [F.monotonically_increasing_id()]
    places = [_PLACE.format(i) for i in range(len(keys))]
    kept = frame.select(*(F.col(_quoted(name)) for name in columns), *(key.alias(place) for key, place in zip(keys, places)))
    by = [F.col(_quoted(place)) for place in places]
    return kept.repartitionByRange(workers, *by).sortWithinPartitions(*by).drop(*places)


class _Job(collective.Run):
    def __init__(self, frame: Any, estimator: Any, empty: Any):
        self._frame, self._estimator, self._empty = frame, estimator, empty
        self._session, self._group = frame.sparkSession, f"dperm {uuid.uuid4()}"
        self._failed = False

    def begin(self, address: Tuple[str, int], token: str) -> None:
        from pyspark import InheritableThread

        work = _work_of(self._estimator, address, token, self._empty)
        stage = self._frame.mapInArrow(work, "nothing boolean", barrier=True)

        def go() -> None:
            try:
                self._session.sparkContext.setJobGroup(self._group, "a private fit", interruptOnCancel=True)
                stage.write.format("noop").mode("overwrite").save()
            except Exception:  # Spark's log says what; the leader learns it by its connections
                self._failed = True

        self._thread = InheritableThread(target=go, daemon=True, session=self._session) if _takes_session(InheritableThread) \
            else InheritableThread(target=go, daemon=True)
        self._thread.start()

    def failed(self) -> bool:
        return self._failed

    def end(self, stop: bool) -> None:
        if not stop:
            self._thread.join(collective.GRACE)
        if self._thread.is_alive():
            with contextlib.suppress(Exception):  # with Spark's JVM the job is gone, too
                self._session.sparkContext.cancelJobGroup(self._group)
        self._thread.join()


def _takes_session(thread: Any) -> bool:
    return "session" in thread.__init__.__code__.co_varnames


def _work_of(estimator: Any, address: Tuple[str, int], token: str, empty: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import BarrierTaskContext

        context = BarrierTaskContext.get()
        part, parts = context.partitionId(), len(context.getTaskInfos())

        def pieces() -> Dict[Any, Any]:
            return {part << 32 | i: batch for i, batch in enumerate(batches)}

        collective.work(estimator, address, token, part, parts, pieces, _Batches(), empty)
        return iter(())

    return work


def fit(estimator: _Estimator, frame: Any, *, order_by: Union[str, Sequence[str], None] = None,
        workers: Optional[int] = None) -> _Estimator:
    """Fits an estimator with a schema to a Spark DataFrame that has the label's column; returns the estimator.

    Parameters
    ----------
    estimator : LogisticRegression, LinearSVC, KernelSVC or Regressor
        Its ledger is the driver's, its `n_jobs` the threads of each worker (1 if it says nothing).
    frame : pyspark.sql.DataFrame
        Only the schema's columns and the label's move. `estimator.fit(frame.toPandas())` gives the same model.
    order_by : column or columns, optional
        The order of the records, on which the bits of a model depend. Without it, and of records that are equal in
        these columns, it is the DataFrame's own: partition after partition.
    workers : int, optional
        Tasks of the barrier stage, all at once: at most 16, and as many as Spark's default parallelism without it.
    """
    from pyspark.sql.pandas.types import to_arrow_schema

    sent = collective.prepared_for(estimator)
    columns = collective.columns_of(estimator, frame.columns)
    try:
        context = frame.sparkSession.sparkContext
    except Exception:
        raise ValueError("a fit on Spark needs a session of this process's own, not one of Spark Connect") from None
    order: List[str] = [order_by] if isinstance(order_by, str) else list(order_by or [])
    count = collective.workers_of(workers, context.defaultParallelism)
    empty = to_arrow_schema(frame.select(*map(_quoted, columns)).schema).empty_table()
    conf = context.getConf()
    for key in _ENCRYPTS:
        if conf.get(key, "false").lower() == "true":
            raise ValueError(f"the session encrypts what its processes send ({key}), and a fit's own connections are plain TCP; "
                             "write the records to files, and train from these")
    host = conf.get("spark.driver.host")
    meeting = mesh.Meeting(host, conf.get("spark.driver.bindAddress", host))
    job = _Job(_in_order(frame, columns, order, count), sent, empty)
    return collective.lead(estimator, meeting, job, empty)
