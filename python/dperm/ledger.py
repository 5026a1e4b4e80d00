"""Budgets: a file that knows the total of each data set and every charge to it."""

from __future__ import annotations

import os
from ctypes import byref, c_uint64, create_string_buffer
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _library as c
from .border import whole
from .model import Finding, verification
from .options import NEIGHBOURS, choice, flag

__all__ = ["Ledger"]

_COMPOSITIONS = ["plain", "renyi"]  # in the order of dperm_composition


class Ledger:
    """A ledger of privacy budgets, the same file as ``dperm ledger``'s.

    >>> import dperm, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "people.ledger")
    >>> ledger = dperm.Ledger.create(path, "people", epsilon=1)
    >>> ledger.left("people")
    '1'
    """

    def __init__(self, path: "str | os.PathLike[str]"):
        self.path = os.fspath(path)
        self._handle = c.Handle("dperm_ledger_open", "dperm_ledger_free", self.path)

    @classmethod
    def create(cls, path: "str | os.PathLike[str]", dataset: str, epsilon: Union[str, float, None] = None,
               delta: Union[str, float, None] = None, rows_per_person: int = 1,
               composition: str = "plain", order: Optional[float] = None, neighbours: str = "replace",
               part_of: Optional[str] = None, per_person: bool = False) -> "Ledger":
        """Gives a data set its budget, which cannot be changed later; the ledger is created if it does not exist.

        Charges add up as plain sums, or with ``composition="renyi"`` by one Renyi order, which makes many
        small releases with Gaussian noise far cheaper; that needs a ``delta``. Without ``order`` it is the
        one at which the most of them fit. A budget for ``neighbours="add-remove"`` takes no releases that state
        how many records there are; in one for replaced records, those that do not count twice.

        What a part of a data set is charged (``part_of``, its name) counts there too: a held-out file of the
        same people. It takes all else from there, and without totals of its own (no larger ones) these too.

        With ``per_person`` the budget is for fits whose schema tells persons apart ("person", or `person=`).
        """
        if composition not in _COMPOSITIONS:
            raise ValueError(f"composition={composition!r}; it is one of {', '.join(_COMPOSITIONS)}")
        if order is not None and order == 0:  # which the library takes for none
            raise ValueError(f"order={order!r}; give one from 1.1 on, or None for the one that the total decides")
        budget = c.defaults("budget")
        if epsilon is None and part_of is None:
            raise ValueError("a data set needs a total epsilon, unless it is a part of another; give epsilon=")
        budget.epsilon, budget.delta = (None if total is None else str(total) for total in (epsilon, delta))
        budget.part_of = part_of
        if flag("per_person", per_person) and rows_per_person != 1:
            raise ValueError("per_person is for persons with any number of rows; leave rows_per_person out")
        budget.rows_per_person = 0 if per_person else whole("rows_per_person", rows_per_person)
        budget.composition, budget.order = _COMPOSITIONS.index(composition), 0 if order is None else order
        budget.neighbours = choice("neighbours", neighbours, NEIGHBOURS)
        c.call("dperm_ledger_create", path, dataset, byref(budget))
        return cls(path)

    def __repr__(self) -> str:
        return f"Ledger({self.path!r})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return Ledger, (self.path,)

    def __deepcopy__(self, memo: Any) -> "Ledger":
        return Ledger(self.path)

    def datasets(self) -> List[Dict[str, Any]]:
        """Each data set with its total, what is spent and what is left, as exact decimals."""
        found: List[Dict[str, Any]] = []
        visit = c.DatasetVisitor(lambda _, one: found.append(c.fields(one.contents)))
        c.call("dperm_ledger_datasets", self._handle, visit, None)
        return found

    def left(self, dataset: str) -> str:
        """The epsilon that is left of a data set's budget, an exact decimal."""
        left = {one["name"]: str(one["epsilon_left"]) for one in self.datasets()}
        if dataset not in left:
            raise KeyError(f"the ledger {self.path} has no data set {dataset!r}, but {sorted(left)}")
        return left[dataset]

    def entries(self, dataset: Optional[str] = None) -> List[Dict[str, Any]]:
        """The charges, in order."""
        found: List[Dict[str, Any]] = []
        visit = c.EntryVisitor(lambda _, one: found.append(c.fields(one.contents)))
        c.call("dperm_ledger_entries", self._handle, dataset, visit, None)
        return found

    def entry_of(self, estimator: Any) -> Dict[str, Any]:
        """The entry that a fitted estimator was charged as."""
        found: List[Dict[str, Any]] = []
        visit = c.EntryVisitor(lambda _, one: found.append(c.fields(one.contents)))
        c.call("dperm_ledger_find_model", self._handle, estimator.model_._handle, visit, None)
        return found[0]

    def head(self) -> Tuple[int, str]:
        """The number of records and the last one's digest; note it elsewhere, and check it later."""
        records, digest = c_uint64(), create_string_buffer(c.DIGEST_SIZE)
        c.call("dperm_ledger_head", self._handle, byref(records), digest)
        return records.value, digest.value.decode()

    def verify(self, head: Optional[str] = None) -> Tuple[bool, List[Finding]]:
        """Reads the ledger from end to end; what was changed, taken away or moved is named."""
        return verification("dperm_ledger_verify", self._handle, head)
