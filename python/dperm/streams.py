"""What can be read as a stream of Arrow's: files of Parquet and Feather, scans of pyarrow's, queries of a database.

Each is an object that offers ``__arrow_c_stream__`` anew whenever it is asked, so that one serves a fit and the predictions
after it; nothing is read before. pyarrow is imported where a file is named, and nowhere else.
"""

from __future__ import annotations

import mmap
import os
from typing import Any, Iterator, Optional, Sequence

__all__ = ["read_sql"]

_BATCH = 1 << 13  # records of a file at a time
_BUFFER = 1 << 16  # bytes of a column of Parquet at a time; unless told, pyarrow reads all of the file ahead and keeps it


class _File:
    """A file whose batches are read one after the other, and of them only the columns that are wanted."""

    def __init__(self, path: str, wanted: Optional[Sequence[str]]):
        self.path, self.wanted = path, wanted

    def _listed(self, names: Sequence[str]) -> Optional[Sequence[str]]:
        return None if self.wanted is None else [name for name in names if name in self.wanted]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        try:
            import pyarrow
        except ImportError:
            raise ValueError(f"{self.path}: reading such files takes pyarrow; install it, or give a table") from None
        try:
            return self._reader(pyarrow).__arrow_c_stream__()
        except (pyarrow.ArrowException, ValueError):  # whose words may quote what the file holds
            raise ValueError(f"{self.path}: no such file can be read from it; name a sound one") from None

    def _reader(self, pyarrow: Any) -> Any:
        raise NotImplementedError


class _Parquet(_File):
    def _reader(self, pyarrow: Any) -> Any:
        from pyarrow import parquet

        file = parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=_BUFFER)
        listed = self._listed(file.schema_arrow.names)
        batches = file.iter_batches(_BATCH, columns=listed)
        return pyarrow.RecordBatchReader.from_batches(_of(pyarrow, file.schema_arrow, listed), batches)


class _Feather(_File):
    def _reader(self, pyarrow: Any) -> Any:
        with open(self.path, "rb") as opened:
            mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            file = pyarrow.ipc.open_file(mapped)
            batches: Iterator[Any] = map(file.get_batch, range(file.num_record_batches))
        except pyarrow.ArrowInvalid:  # the same without a table of contents
            file = batches = pyarrow.ipc.open_stream(mapped)
        listed = self._listed(file.schema.names)
        return pyarrow.RecordBatchReader.from_batches(_of(pyarrow, file.schema, listed), _pieces(mapped, batches, listed))


def _pieces(mapped: mmap.mmap, batches: Iterator[Any], listed: Optional[Sequence[str]]) -> Iterator[Any]:
    """Of batches that may hold a whole file; its pages stay with the system, not this process, once they are read."""
    for batch in batches:
        chosen = batch if listed is None else batch.select(listed)
        for at in range(0, len(batch), _BATCH):
            yield chosen.slice(at, _BATCH)
            mapped.madvise(mmap.MADV_DONTNEED)


def _of(pyarrow: Any, schema: Any, listed: Optional[Sequence[str]]) -> Any:
    return schema if listed is None else pyarrow.schema([field for field in schema if field.name in listed])


_KINDS = {".parquet": _Parquet, ".pq": _Parquet, ".feather": _Feather, ".arrow": _Feather, ".arrows": _Feather, ".ipc": _Feather}


class _Scan:
    """A scan of pyarrow's, begun when it is read."""

    def __init__(self, begin: Any):
        self._begin = begin

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._begin().to_reader().__arrow_c_stream__()


def opened(X: Any, wanted: Optional[Sequence[str]] = None) -> Any:
    """A file by its name, a dataset or a scanner of pyarrow's as an Arrow stream; anything else as it is."""
    if isinstance(X, (str, os.PathLike)):
        path = os.fspath(X)
        kind = _KINDS.get(os.path.splitext(path)[1].lower()) if isinstance(path, str) else None
        if kind is None:
            return X
        if not os.access(path, os.R_OK):
            raise FileNotFoundError(f"{path}: there is no such file, or it cannot be read")
        return kind(path, wanted)
    if type(X).__module__.startswith("pyarrow._dataset"):
        if not hasattr(X, "scanner"):
            return _Scan(lambda: X)
        listed = None if wanted is None else [name for name in X.schema.names if name in wanted]
        return _Scan(lambda: X.scanner(columns=listed, batch_readahead=1, fragment_readahead=1))  # not much at a time
    return X


def _is_duck(connection: Any) -> bool:
    return type(connection).__module__.split(".")[0] in ("duckdb", "_duckdb")


class Query:
    """The rows of a query, which runs anew whenever they are read."""

    def __init__(self, sql: str, connection: Any, parameters: Any):
        self.sql, self._connection, self._parameters, self._cursor = sql, connection, parameters, None

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        if _is_duck(self._connection):
            return self._connection.sql(self.sql, params=self._parameters).__arrow_c_stream__()
        given = [] if self._parameters is None else [self._parameters]
        self._cursor = self._connection.cursor()  # whose memory the stream uses
        self._cursor.execute(self.sql, *given)
        return self._cursor.fetch_arrow().__arrow_c_stream__()


def read_sql(sql: str, connection: Any, parameters: Any = None) -> Query:
    """The rows of a query as records, for `fit`, predictions and scores; like pandas.read_sql, without a frame.

    `connection` is DuckDB's or one of ADBC's. The query runs when its rows are read, which go into the library batch by
    batch. A record's row depends on itself alone only if the query makes each row from one record: without what it is
    compared or counted with among the others (aggregates, windows, LIMIT, DISTINCT, joins that repeat a record).
    """
    if not _is_duck(connection) and not callable(getattr(connection, "cursor", None)):
        raise ValueError(f"connection={type(connection).__name__}; give one of DuckDB's or ADBC's")
    return Query(sql, connection, parameters)
