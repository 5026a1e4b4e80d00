"""What can go wrong, and what is worth a warning."""

from __future__ import annotations

import contextlib
import os
import warnings
from typing import Iterator

from . import callers

__all__ = ["DpermError", "DataError", "BudgetError", "LedgerError", "NumericError",
           "PrivacyLeakWarning", "NotPrivateWarning", "strict"]


class DpermError(Exception):
    """A call that the library refused; ``status`` is its number in ``dperm.h``."""

    status = 0


class DataError(DpermError, ValueError):
    """Data, a schema, a model or an option that does not make sense."""


class BudgetError(DpermError):
    """Refused by a ledger: the budget does not allow it."""


class LedgerError(DpermError):
    """A ledger that is damaged, or none."""


class NumericError(DpermError, ArithmeticError):
    """Numbers beyond what doubles can hold."""


class FileError(DpermError, OSError):
    """Reading or writing failed."""


class Cancelled(DpermError):
    """Stopped on request, with nothing left behind."""


class Unsupported(DpermError, NotImplementedError):
    """Something that this build or machine cannot do."""


class OutOfMemory(DpermError, MemoryError):
    """There was not enough memory."""


_KINDS = {1: DataError, 2: DataError, 3: DataError, 4: DataError, 5: FileError, 6: OutOfMemory,
          7: NumericError, 8: Unsupported, 9: Cancelled, 10: BudgetError, 11: LedgerError}


def error_for(status: int, message: str) -> DpermError:
    error = _KINDS.get(status, DpermError)(message)
    error.status = status
    return error


class PrivacyLeakWarning(UserWarning):
    """Something was, or would have to be, taken from private data that should be known in public.

    ``dperm.strict()`` makes it an error.
    """


class NotPrivateWarning(UserWarning):
    """The model that comes out protects nobody: a seed, or no mechanism. It says so itself."""


_strict = os.environ.get("DPERM_STRICT", "") not in ("", "0")


def strict(on: bool = True) -> "contextlib.AbstractContextManager[None]":
    """Makes every PrivacyLeakWarning an error, from here on or inside a ``with`` block.

    The environment variable ``DPERM_STRICT=1`` does so from the start.

    >>> import dperm, numpy as np
    >>> X, y = np.eye(4), [0, 1, 0, 1]
    >>> with dperm.strict():
    ...     dperm.LogisticRegression(1.0).fit(X, y)
    Traceback (most recent call last):
        ...
    ValueError: classes were not given: taking them from the labels tells that each occurs; ...
    """
    global _strict
    before, _strict = _strict, on

    @contextlib.contextmanager
    def until() -> Iterator[None]:
        global _strict
        try:
            yield
        finally:
            _strict = before

    return until()


def leak(message: str) -> None:
    if _strict:
        raise ValueError(message)
    warnings.warn(message, PrivacyLeakWarning, stacklevel=callers.stacklevel())
