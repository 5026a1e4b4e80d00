"""Connections between the processes of a job: the leader, which listens, and workers, each with each.

Whoever connects shows that it knows the run's token, and is shown the same, by HMAC over both sides' random
numbers; the token itself is not sent. What is sent afterwards is neither encrypted nor signed: it is as private as
the network of the cluster. A process that ends, in whatever way, closes its connections, and the others learn it at
their next message.
"""

from __future__ import annotations

import hmac
import json
import os
import queue
import secrets
import socket
import struct
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _library as c
from .errors import DpermError

__all__: List[str] = []

_PATIENCE = 30.0  # seconds, for somebody who has connected to say who it is
_NONCE = 32
_SIZE = struct.Struct("!Q")
_MOST = 1 << 20  # bytes of a message about the job itself


class Lost(DpermError, OSError):
    """The processes of a job do not come together, or lose each other."""

    status = 5  # FileError's


def new_token() -> str:
    return secrets.token_hex(32)


# ---------------------------------------------------------------- one connection


def receive_into(connection: socket.socket, room: memoryview) -> None:
    while len(room):
        got = connection.recv_into(room)
        if not got:
            raise Lost("a connection to another process of this job was closed")
        room = room[got:]


def _receive(connection: socket.socket, size: int) -> bytes:
    made = bytearray(size)
    receive_into(connection, memoryview(made))
    return bytes(made)


def send_sized(connection: socket.socket, content: bytes) -> None:
    connection.sendall(_SIZE.pack(len(content)))
    connection.sendall(content)


def receive_sized(connection: socket.socket, most: Optional[int] = None) -> bytes:
    size, = _SIZE.unpack(_receive(connection, _SIZE.size))
    if most is not None and size > most:
        raise Lost("another process of this job sends what is no message")
    return _receive(connection, size)


def _send_json(connection: socket.socket, content: Any) -> None:
    send_sized(connection, json.dumps(content).encode())


def _receive_json(connection: socket.socket) -> Any:
    return json.loads(receive_sized(connection, _MOST))


def _proof(token: str, side: bytes, *nonces: bytes) -> bytes:
    return hmac.digest(token.encode(), side + b"".join(nonces), "sha256")


def _authenticate(connection: socket.socket, token: str, connects: bool) -> None:
    """Both show that they know the token; who listens does so last, so it tells nothing to a stranger."""
    connection.settimeout(_PATIENCE)
    mine = os.urandom(_NONCE)
    connection.sendall(mine)
    theirs = _receive(connection, _NONCE)
    nonces = (mine, theirs) if connects else (theirs, mine)
    sides = (b"connects", b"listens") if connects else (b"listens", b"connects")
    if connects:
        connection.sendall(_proof(token, sides[0], *nonces))
    if not hmac.compare_digest(_receive(connection, _NONCE), _proof(token, sides[1], *nonces)):
        raise Lost("another process does not know the token of this run")
    if not connects:
        connection.sendall(_proof(token, sides[0], *nonces))


def _settle(connection: socket.socket) -> socket.socket:
    """For the work: no limit of time, but a machine that is gone is noticed after a minute."""
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3), ("TCP_USER_TIMEOUT", 60000)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return connection


def _connect(address: Tuple[str, int], token: str) -> socket.socket:
    connection = socket.create_connection(address, _PATIENCE)
    try:
        _authenticate(connection, token, True)
    except BaseException:
        connection.close()
        raise
    return connection


def _listen(host: str) -> socket.socket:
    family = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0][0]
    return socket.create_server((host, 0), family=family, backlog=64)


class Door:
    """Where others come in who show that they know the token. A stranger keeps nobody waiting, whatever it says or not."""

    _MOST = 64  # that are asked at a time

    def __init__(self, host: str, token: str):
        self._listener, self._token = _listen(host), token
        self._asked: List[socket.socket] = []
        self._known: "queue.SimpleQueue[socket.socket]" = queue.SimpleQueue()
        self.port = self._listener.getsockname()[1]

    def _ask(self, connection: socket.socket) -> None:
        try:
            _authenticate(connection, self._token, False)
            known = True
        except (OSError, Lost):
            known = False
            connection.close()
        self._asked.remove(connection)  # before anybody has it, whose close() would end it
        if known:
            self._known.put(connection)

    def next(self) -> Optional[socket.socket]:
        """The next that is known; None if there is none within a moment."""
        self._listener.settimeout(0.05)
        try:
            connection, _ = self._listener.accept()
            if len(self._asked) < self._MOST:
                self._asked.append(connection)
                threading.Thread(target=self._ask, args=(connection,), daemon=True).start()
            else:
                connection.close()
        except socket.timeout:
            pass
        try:
            return self._known.get(timeout=0.05)
        except queue.Empty:
            return None

    def close(self) -> None:
        self._listener.close()
        for connection in list(self._asked):
            connection.close()
        while not self._known.empty():
            self._known.get().close()

    def __enter__(self) -> "Door":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


# ---------------------------------------------------------------- a job


class Mesh:
    """A process with its connections: ``of[rank]`` to each other one, None at its own place. The leader is 0."""

    def __init__(self, rank: int, of: List[Optional[socket.socket]]):
        self.rank, self.of = rank, of

    @property
    def count(self) -> int:
        return len(self.of)

    def to(self, rank: int) -> socket.socket:
        connection = self.of[rank]
        if connection is None:
            raise Lost("a process of this job speaks to itself")
        return connection

    def close(self) -> None:
        """Once for all; from any thread, for a process that waits for the others wakes up by it."""
        for connection in self.of:
            if connection is not None:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                connection.close()


class Meeting:
    """Where the leader waits for the workers: ``host`` is how they reach it, ``bind`` where it listens."""

    def __init__(self, host: str, bind: Optional[str] = None):
        self.token = new_token()
        self._door = Door(host if bind is None else bind, self.token)
        self.address = (host, self._door.port)

    def close(self) -> None:
        self._door.close()

    def wait(self, failed: Callable[[], bool]) -> Mesh:
        """All of them, as many as the first to come says; `failed` tells whether somebody will not come."""
        joined: Dict[int, socket.socket] = {}
        where: Dict[int, Tuple[str, int]] = {}
        parts, version = 0, c.lib.dperm_version().decode()
        try:
            while not parts or len(joined) < parts:
                if failed():
                    raise Lost("a worker failed before the run began; nothing was charged or released: see its engine's log")
                connection = self._door.next()
                if connection is None:
                    continue
                joins = _receive_json(connection)
                part, parts = joins["part"], parts or joins["parts"]
                if joins["version"] != version:
                    raise Lost(f"a worker has dperm {joins['version']} and this process {version}; install the same everywhere")
                if part in joined or joins["parts"] != parts:
                    connection.close()
                    raise Lost("a worker was started twice, after a failure; nothing was charged or released: run it again")
                joined[part], where[part] = connection, tuple(joins["at"])  # type: ignore[assignment]
            for part in joined:
                _send_json(joined[part], [where[other] for other in range(parts)])
            return Mesh(0, [None, *(_settle(joined[part]) for part in range(parts))])
        except (OSError, ValueError, KeyError) as problem:
            for connection in joined.values():
                connection.close()
            raise problem if isinstance(problem, Lost) else \
                Lost("the workers did not come together; nothing was charged or released: run it again") from None


def join(address: Tuple[str, int], token: str, part: int, parts: int) -> Mesh:
    """As worker `part` of `parts`, whose rank is one more."""
    of: List[Optional[socket.socket]] = [None] * (parts + 1)
    of[0] = leader = _connect(address, token)
    try:
        host = leader.getsockname()[0]
        with Door(host, token) as door:
            at = [host, door.port]
            _send_json(leader, {"part": part, "parts": parts, "at": at, "version": c.lib.dperm_version().decode()})
            leader.settimeout(None)  # until the last has come, or the leader has gone
            roster = _receive_json(leader)
            for other in range(part):
                of[other + 1] = connection = _connect(tuple(roster[other]), token)  # type: ignore[arg-type]
                _send_json(connection, part)
            end = time.monotonic() + 2 * _PATIENCE
            while None in of[part + 2:]:
                if time.monotonic() > end:
                    raise Lost("a worker did not connect to another")
                connection = door.next()
                if connection is not None:
                    of[_receive_json(connection) + 1] = connection
        return Mesh(part + 1, [None if connection is None else _settle(connection) for connection in of])
    except BaseException:
        Mesh(part + 1, of).close()
        raise
