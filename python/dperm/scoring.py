"""How good a model is: exactly, on public records, or with noise that protects them."""

from __future__ import annotations

import json
import os
from ctypes import byref, sizeof
from typing import Any, Dict, Optional, Tuple

from sklearn.utils.validation import check_is_fitted

from . import _library as c
from . import arrow, options
from .account import account, refuse_known
from .model import Model
from .schema import Schema
from .tables import label_in

__all__ = ["Scored"]


class Scored:
    """The scores of a fitted estimator."""

    model_: Model
    schema: Any
    _schema: Optional[Schema]

    def _rows(self, X: Any, y: Any = None, empty: bool = False) -> Tuple[c.Handle, int]:
        """Rows encoded as the model's were, and their number; with `empty` there may be none."""
        raise NotImplementedError

    def _refuse_known(self, X: Any, y: Any) -> None:
        if os.environ.get("DPERM_LEDGER"):
            try:
                handle, _ = self._rows(X, y)
            except ValueError:  # labels that are none of the model's: no data that it was charged for
                return
            refuse_known(handle)

    def _with_labels(self, X: Any, y: Any) -> Tuple[Any, Any]:
        """Records with their labels; without y those of the label's column in X, as `fit` has them."""
        if y is not None or self._schema is None:
            return X, arrow.column(y)
        X = arrow.table(X, self._schema.wanted)
        y = label_in(self._schema, X)
        if y is None:
            raise ValueError("y is missing, and X has no column of the schema's label")
        return X, y

    def score_private(self, X: Any, y: Any, epsilon: float, *, counts: bool = False,
                      public_model: bool = False, rows_per_person: int = 1, ledger: Any = None, dataset: Optional[str] = None,
                      random_state: Any = None, neighbours: str = "replace", held_out: bool = False) -> Dict[str, Any]:
        """How often the model errs on labelled records, with noise that protects them.

        `score` is exact, so for public data only. This one costs `epsilon`, charged to a ledger if
        named; ``interval`` holds the error rate on these very rows in 95 of 100 runs. The score of a model
        that is not private is not private either, unless `public_model` says that these records had no
        part in it. With `counts`, ``baseline`` is what always naming the class that seems more frequent would err on.

        With ``neighbours="add-remove"``, which the score of a model that is so needs, how many records there
        are is private: ``rows`` is None, ``correct`` a noisy count as ``errors`` is, and ``error_rate`` NaN where
        neither is above zero.

        `held_out`: of these records, those that the model was fitted from in the same order, only the part that `fit` kept
        for its evaluation (`evaluate`), by the coins that the `ledger` keeps.
        """
        handle, wanted, alive = self._asked(X, y, epsilon, public_model, rows_per_person, ledger, dataset, random_state,
                                            neighbours, held_out)
        wanted.counts = options.flag("counts", counts)
        found = c.PrivateScore()
        c.call("dperm_model_score_private_sized", self.model_._handle, handle, byref(wanted), byref(found), sizeof(found))
        del alive
        result = {"private": found.is_private, "rows": found.rows, "errors": found.errors,
                  "error_rate": found.error_rate, "interval": (found.low, found.high),
                  "population_interval": (found.population_low, found.population_high)}
        if options.adding(neighbours):
            result.update(rows=None, correct=found.correct)
        if counts:
            result.update({k: getattr(found, k) for k in ("true_positives", "false_positives",
                                                          "false_negatives", "true_negatives")})
            result["baseline"] = {"class": self.model_.classes[found.baseline_class], "error_rate": found.baseline,
                                  "interval": (found.baseline_low, found.baseline_high)}
        return result

    def evaluate_exact(self, X: Any, y: Any = None) -> Dict[str, Any]:
        """All of how good the model is, exactly, so for public data (see `evaluate_private`).

        Of a regression, RMSE, mean absolute error and R2 beside those of the best constant, of labels clamped to their
        range. Of classes error, the error of always naming one class and the difference, AUC, log loss, precision and recall, each with
        the interval for sampling, the ROC curve, calibration, and rates by the group that the schema declares;
        ``finding`` says it in words. The object is that of docs/formats.md.
        """
        check_is_fitted(self)
        handle, _ = self._rows(*self._with_labels(X, y))
        refuse_known(handle)
        return _evaluation(c.text_from("dperm_evaluate", self.model_._handle, handle))

    def evaluate_private(self, X: Any, y: Any, epsilon: float, *, public_model: bool = False, rows_per_person: int = 1,
                         ledger: Any = None, dataset: Optional[str] = None, random_state: Any = None,
                         neighbours: str = "replace", held_out: bool = False) -> Dict[str, Any]:
        """The same with noise that protects the records: all of it for one `epsilon`, charged to a ledger if named.

        ``low`` and ``high`` are for noise and sampling together, at 95 percent. The other parameters are those of
        `score_private`, which spends its epsilon on the error rate alone.
        """
        handle, wanted, alive = self._asked(X, y, epsilon, public_model, rows_per_person, ledger, dataset, random_state,
                                            neighbours, held_out)
        text = c.text_from("dperm_evaluate_private", self.model_._handle, handle, byref(wanted))
        del alive
        return _evaluation(text)

    def _asked(self, X: Any, y: Any, epsilon: float, public_model: bool, rows_per_person: int, ledger: Any,
               dataset: Optional[str], random_state: Any, neighbours: str, held_out: bool) -> Tuple[c.Handle, Any, Any]:
        """The rows, options for them, and what must live as long as these."""
        check_is_fitted(self)
        handle, _ = self._rows(*self._with_labels(X, y), options.adding(neighbours))
        wanted = c.defaults("score")
        wanted.epsilon = options.number("epsilon", epsilon)
        wanted.rows_per_person = options.whole("rows_per_person", rows_per_person)
        wanted.public_model = options.flag("public_model", public_model)
        wanted.held_out = options.flag("held_out", held_out)
        wanted.neighbours = options.NEIGHBOURS[neighbours]
        wanted.account, paid = account(ledger, dataset, random_state is None)
        random = options.seeded(random_state)
        wanted.random = random.pointer if random else None
        return handle, wanted, (paid, random)


def _evaluation(text: str) -> Dict[str, Any]:
    found: Dict[str, Any] = json.loads(text)
    return found
