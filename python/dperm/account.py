"""Where a run is charged: what the caller names, or the environment, by the command line's rules.

``DPERM_LEDGER`` and ``DPERM_DATASET`` stand in for a ledger and a data set that are not given. A run
that is not private has no price: it is refused where a data set is named for it, and if the ledger of
the environment knows the data (docs/ledger.md).
"""

from __future__ import annotations

import os
from typing import Any, Optional, Tuple

from . import _library as c
from .errors import BudgetError, error_for
from .ledger import Ledger

__all__ = ["account", "names_ledger", "refuse_known"]

_NOT_PRIVATE = ("a run that is not private cannot be charged: it spends more than any budget; leave ledger "
                "and dataset out only if the records are nobody's secret")


def _from_environment(name: str) -> Optional[str]:
    return os.environ.get(name) or None


def _named(ledger: Any) -> Any:
    """The ledger that is given, or the environment's; None for none at all."""
    if ledger is None:
        ledger = _from_environment("DPERM_LEDGER")
    return None if ledger is False or isinstance(ledger, str) and ledger == "none" else ledger


def names_ledger(ledger: Any) -> bool:
    """Whether there is one to ask."""
    return _named(ledger) is not None


def _opened(ledger: Any) -> Optional[Ledger]:
    """None for no ledger at all."""
    ledger = _named(ledger)
    if ledger is None:
        return None
    if isinstance(ledger, str) and not ledger:
        raise ValueError("ledger is empty; name a file")
    if isinstance(ledger, (str, os.PathLike)):
        ledger = Ledger(ledger)
    if not isinstance(ledger, Ledger):
        raise ValueError(f"ledger={ledger!r}; give the path of a ledger, a dperm.Ledger, or \"none\"")
    return ledger


def account(ledger: Any, dataset: Optional[str], is_private: bool) -> Tuple[c.Account, Any]:
    """Where a run is charged, and what must live as long."""
    found, name = _opened(ledger), dataset
    if found is None:
        if dataset is not None:
            raise ValueError("dataset is named, but no ledger")
        if is_private and ledger is None and not _from_environment("DPERM_LEDGER") and _from_environment("DPERM_DATASET"):
            raise ValueError("DPERM_DATASET names a data set, and there is no ledger to charge; set "
                             "DPERM_LEDGER, or give ledger=\"none\"")
        return c.Account(), None
    if is_private and name is None:
        name = _from_environment("DPERM_DATASET")
    if is_private and name is None:
        raise ValueError("dataset is missing: it says whose budget the ledger is to charge")
    if not is_private and name is None and ledger is not None:
        raise ValueError(_NOT_PRIVATE)
    named = None if name is None else name.encode()
    return c.Account(found._handle.pointer, named, False, None), (found, named)


def refuse_known(records: "c.Handle | str | os.PathLike[str]", ledger: Any = None) -> None:
    """Refuses exact figures about records, or a file of them, that the ledger knows: this one, or the environment's."""
    found = _opened(ledger)
    if found is None:
        return
    try:
        c.call(f"dperm_ledger_refuse_{'data' if isinstance(records, c.Handle) else 'file'}", found._handle, records)
    except BudgetError as refused:
        raise error_for(refused.status, f"{found.path} knows these data, and exact figures about them are not "
                        "private; use score_private, or PrivateTuner") from None
