"""One fit by several processes, each with its own records: what `dperm.spark` and `dperm.dask` share.

The caller's process leads and has no records: it draws the noise, is charged, and gets the model. Every worker
brings the pieces that it has, whichever; they are numbered in the order of their keys, move once to the worker that
the library gives these rows (`exchange`), and the library's processes talk by the connections of ``mesh.py``. The
model has the bits of a fit by one process to the same records in the same order.
"""

from __future__ import annotations

import json
import threading
from ctypes import byref
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
from sklearn.base import clone

from . import _library as c
from . import border, mesh
from .errors import DpermError
from .options import seeded
from .schema import Schema

__all__: List[str] = []

MOST_WORKERS = 16  # more have nothing to do: docs/growth.md
GRACE = 10.0  # seconds for workers to end once the model is there
_INVALID_DATA = 2
_CHUNK = 1 << 16  # records of a message

# ---------------------------------------------------------------- the library's processes


class Ranks(c.Handle):
    """The library's handle on a job, over the connections of a mesh."""

    def __init__(self, of: mesh.Mesh):
        self.mesh = of
        how = c.Collective(count=of.count, rank=of.rank, rows_from=1, send=c.Send(self._send), receive=c.Receive(self._receive))
        self._how = how  # the library calls them until it is closed
        super().__init__("dperm_ranks_of", "dperm_ranks_free", byref(how))

    def _send(self, context: Any, to: int, where: int, size: int) -> bool:
        try:
            self.mesh.to(to).sendall(border.bytes_at(where, size))
            return True
        except (OSError, DpermError):
            return False

    def _receive(self, context: Any, whom: int, where: int, size: int) -> bool:
        try:
            mesh.receive_into(self.mesh.to(whom), border.bytes_at(where, size))
            return True
        except (OSError, DpermError):
            return False

    def agreed(self, action: Callable[[], Any]) -> Any:
        """What an action gives; if it fails in one process, its failure in all of them."""
        failure: Optional[Exception] = None
        made = None
        try:
            made = action()
        except Exception as problem:
            failure = problem
        told = c.Error()
        if failure is not None:
            told.status = getattr(failure, "status", 0) or _INVALID_DATA
            told.message = str(failure).encode("utf-8", "replace")[:1023]
        try:
            c.call("dperm_ranks_agree", self, told.status, told=told)
        except DpermError:
            if failure is None:
                raise
        if failure is not None:
            raise failure
        return made


# ---------------------------------------------------------------- records on their way to their places


class Frames:
    """What an engine's pieces are: tables with a length."""

    def cut(self, piece: Any, first: int, end: int) -> Any:
        raise NotImplementedError

    def pack(self, piece: Any) -> bytes:
        raise NotImplementedError

    def unpack(self, content: bytes) -> Any:
        raise NotImplementedError

    def joined(self, pieces: Sequence[Any], columns: Any) -> Any:
        """One table of all; `columns` is a piece without records."""
        raise NotImplementedError


def _swap(of: mesh.Mesh, outgoing: Callable[[int], Iterator[bytes]]) -> Dict[int, List[bytes]]:
    """Messages from each worker to each other; who sends much does not wait for who reads later."""
    others = [rank for rank in range(1, of.count) if rank != of.rank]
    failures: List[BaseException] = []

    def send() -> None:
        try:
            for rank in others:
                for content in outgoing(rank):
                    mesh.send_sized(of.to(rank), content)
                mesh.send_sized(of.to(rank), b"")
        except BaseException as problem:
            failures.append(problem)
            of.close()

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    found: Dict[int, List[bytes]] = {}
    try:
        for rank in others:
            found[rank] = []
            while content := mesh.receive_sized(of.to(rank)):
                found[rank].append(content)
    except BaseException:
        of.close()
        raise
    finally:
        sender.join()
    if failures:
        raise failures[0]
    return found


def exchange(of: mesh.Mesh, pieces: Dict[Any, Any], frames: Frames) -> List[Any]:
    """The records of this worker's rows, in their order: piece after piece by their keys, which all workers' pieces
    have in common, each record numbered by its place."""
    mine = json.dumps([[key, len(piece)] for key, piece in pieces.items()]).encode()
    told = _swap(of, lambda rank: iter([mine]))
    listed = [item for part in [[mine], *told.values()] for content in part for item in json.loads(content)]
    starts: Dict[Any, int] = {}
    rows = 0
    for key, count in sorted(listed):
        if key in starts:
            raise mesh.Lost("two workers have the same records; nothing was charged or released: run it again")
        starts[key], rows = rows, rows + count
    parts = of.count - 1
    first = [c.lib.dperm_ranks_first_row(parts, part, rows) for part in range(parts + 1)]

    def cut_for(rank: int) -> Iterator[Tuple[int, Any]]:
        for key, piece in pieces.items():
            begin, end = max(first[rank - 1], starts[key]), min(first[rank], starts[key] + len(piece))
            for at in range(begin, end, _CHUNK):
                yield at, frames.cut(piece, at - starts[key], min(at + _CHUNK, end) - starts[key])

    got = _swap(of, lambda rank: (at.to_bytes(8, "little") + frames.pack(some) for at, some in cut_for(rank)))
    found = list(cut_for(of.rank))
    pieces.clear()
    for contents in got.values():
        while contents:
            content = contents.pop()
            found.append((int.from_bytes(content[:8], "little"), frames.unpack(content[8:])))
    found.sort(key=lambda one: one[0])
    end = first[of.rank - 1]
    for at, some in [*found, (first[of.rank], ())]:
        if at != end:
            raise mesh.Lost("a worker has other records than it says; nothing was charged or released: run it again")
        end += len(some)
    return [some for _, some in found]


# ---------------------------------------------------------------- a fit


def prepared_for(estimator: Any) -> Any:
    """What the workers get: the same estimator, which charges nothing and reads no file."""
    if getattr(estimator, "schema", None) is None:
        raise ValueError("a fit by several workers needs a schema: it says what the columns are; give schema=...")
    if getattr(estimator, "class_weight", None) == "balanced":
        raise ValueError("class_weight='balanced' counts the labels of all records; give public numbers "
                         "(class_weight={label: weight})")
    schema = Schema(estimator.schema)
    if estimator.person is not None or "person" in schema.to_dict():
        raise ValueError("the records of a person may be with several workers, which cannot count them as one; write them "
                         "to a file, and train from that")
    if schema.drafted:
        raise ValueError("the schema was drafted from records, and no worker could tell whether from these: look through "
                         "it, save it (schema.save) and give the file")
    return clone(estimator).set_params(schema=schema, ledger="none", dataset=None, random_state=_seed(estimator.random_state),
                                       n_jobs=estimator.n_jobs or 1)


def workers_of(asked: Optional[int], there: int) -> int:
    """How many work: as many as are asked for, or as there are."""
    return border.whole("workers", asked, most=MOST_WORKERS) if asked is not None else max(1, min(there, MOST_WORKERS))


def _seed(random_state: Any) -> Optional[int]:
    """That there is one is the same for all; its value counts for the leader alone."""
    if random_state is None:
        return None
    seeded(random_state if isinstance(random_state, (int, np.integer)) else 0)  # or it says what is wrong
    return 0


def columns_of(estimator: Any, present: Sequence[str]) -> List[str]:
    """The columns that a fit looks at: no others move."""
    schema = Schema(estimator.schema, estimator._label_of_schema())
    wanted = [name for name, kind in schema.columns if kind in ("numeric", "categorical", "group")]
    wanted.append(schema.label_column)
    for name in wanted:
        if list(present).count(name) != 1:
            raise ValueError(f"the data have {'no' if name not in present else 'several'} column {name!r} that the schema lists")
    return list(dict.fromkeys(wanted))


def _unquoted(action: Callable[[], Any]) -> Callable[[], Any]:
    """Failures of an engine's own code, without its words: they may quote records, and the leader's log is no release."""
    def run() -> Any:
        try:
            return action()
        except Exception as problem:
            raise mesh.Lost(f"a worker could not get at its records ({type(problem).__name__}); nothing was charged or "
                            "released: see its engine's log") from problem
    return run


def _fit_part(estimator: Any, records: Callable[[], Any], ranks: Ranks) -> Any:
    def prepare() -> Any:
        estimator._check_settings()
        return estimator._prepare_checked(records(), None, part=True)

    prepared = ranks.agreed(prepare)
    try:
        c.call("dperm_data_spread", prepared.handle, ranks)
        prepared.rows = c.lib.dperm_data_units(prepared.handle)
        return estimator._fit_prepared(prepared)
    finally:
        prepared.handle.close()


def work(estimator: Any, address: Tuple[str, int], token: str, part: int, parts: int, pieces: Callable[[], Dict[Any, Any]],
         frames: Frames, empty: Any) -> None:
    """What a worker does; a failure of one is the leader's to tell."""
    of = mesh.join(address, token, part, parts)
    try:
        ranks = Ranks(of)
        try:
            given = ranks.agreed(_unquoted(pieces))
            mine = exchange(of, given, frames)
            _fit_part(estimator, _unquoted(lambda: frames.joined(mine, empty)), ranks)
        finally:
            ranks.close()
    finally:
        of.close()


class Run:
    """An engine's work beside the leader's: begun, watched, ended."""

    def begin(self, address: Tuple[str, int], token: str) -> None:
        raise NotImplementedError

    def failed(self) -> bool:
        """Whether it has ended, or lost somebody."""
        raise NotImplementedError

    def end(self, stop: bool) -> None:
        """Waits for it a little, or with `stop` not at all; stops what is left."""
        raise NotImplementedError


def lead(estimator: Any, meeting: mesh.Meeting, run: Run, empty: Any) -> Any:
    """The leader's part of a fit; `empty` is a table without records that has the columns."""
    of: Optional[mesh.Mesh] = None
    done = threading.Event()

    def watch(connections: mesh.Mesh) -> None:
        while not done.wait(0.5):
            if run.failed():
                connections.close()
                return

    stop = True
    try:
        run.begin(meeting.address, meeting.token)
        of = meeting.wait(run.failed)
        meeting.close()
        threading.Thread(target=watch, args=(of,), daemon=True).start()
        ranks = Ranks(of)
        try:
            ranks.agreed(lambda: None)  # the workers' pieces
            fitted = _fit_part(estimator, lambda: empty, ranks)
            stop = False
            return fitted
        finally:
            ranks.close()
    finally:
        done.set()
        meeting.close()
        if of is not None:
            of.close()
        run.end(stop)
