"""Fits inside scikit-learn's cross-validation, ensembles and the like: on parts of the records, or on what was made of
them, for figures that are exact and models that are not private.

A ledger knows the whole records, not the parts; so the question whether it knows them is asked of what
scikit-learn was given, which its own frames on the stack still hold.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, Dict, Iterator, List, Tuple

from sklearn.model_selection._search import BaseSearchCV

from . import around
from .account import names_ledger, refuse_known
from .errors import PrivacyLeakWarning, strict

__all__ = ["refuse_folds"]

_INSTEAD = "cross-validate the dperm estimator itself, or say ledger=\"none\" if they are public"
_FRAMES = ("_fit_and_score", "_fit_and_predict")


def _validations() -> Iterator[Dict[str, Any]]:
    """What each cross-validation that we are inside was given, the innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in _FRAMES and \
                frame.f_globals.get("__name__", "").startswith("sklearn.model_selection"):
            yield frame.f_locals
        frame = frame.f_back  # type: ignore[assignment]


def _whole_records() -> Iterator[Tuple[Any, bool]]:
    """What all of scikit-learn around this fit that may split or change records was given, each once, and whether
    steps of a pipeline in between may have changed it."""
    seen: List[Any] = []
    changed = False
    for frame in around.frames():
        given = frame.f_locals
        if around.passes_on(frame):
            changed = changed or around.is_pipeline(frame) and len(given["self"].steps) > 1
        elif given.get("X") is not None and not any(given["X"] is known for known in seen):
            seen.append(given["X"])
            yield given["X"], changed


def _without_labels(estimator: Any, X: Any) -> Any:
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    with warnings.catch_warnings(), strict(False):  # the fit itself warns
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        return estimator._with_any_labels(X, rows)


def refuse_folds(estimator: Any, fitted: Any) -> None:
    """Refuses to fit `estimator` for `fitted` (itself, or the tuner that it is for) in a cross-validation or an
    ensemble of records that the ledger knows, or that nobody can ask it about: what is not private has no price."""
    if not names_ledger(estimator.ledger):
        return
    for given in _validations():
        judged = given.get("estimator")
        if judged is not fitted and not isinstance(judged, BaseSearchCV):
            raise ValueError(f"a cross-validation of {type(judged).__name__}, which may change the records: the ledger "
                             f"cannot say whether it knows them; {_INSTEAD}")
    for X, changed in _whole_records():
        if changed:
            raise ValueError(f"{around.repeated()} around a pipeline, whose steps may change the records: the ledger "
                             f"cannot say whether it knows them; {_INSTEAD}")
        refuse_known(_without_labels(estimator, X).handle, estimator.ledger)
