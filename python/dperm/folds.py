"""Fits inside scikit-learn's cross-validation: on parts of the records, for figures about them that are exact.

A ledger knows the whole records, not the parts; so the question whether it knows them is asked of what
scikit-learn was given, which its own frames on the stack still hold.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, Dict, Iterator

from sklearn.base import clone
from sklearn.model_selection._search import BaseSearchCV

from .account import names_ledger, refuse_known
from .errors import PrivacyLeakWarning, strict

__all__ = ["refuse_folds"]

_FRAMES = ("_fit_and_score", "_fit_and_predict")


def _validations() -> Iterator[Dict[str, Any]]:
    """What each cross-validation that we are inside was given, the innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in _FRAMES and \
                frame.f_globals.get("__name__", "").startswith("sklearn.model_selection"):
            yield frame.f_locals
        frame = frame.f_back  # type: ignore[assignment]


def refuse_folds(classifier: Any, fitted: Any) -> None:
    """Refuses to fit `classifier` for `fitted` (itself, or the tuner that it is for) in a cross-validation of
    records that the ledger knows, or that nobody can ask it about: exact scores have no price."""
    if not names_ledger(classifier.ledger):
        return
    for given in _validations():
        judged = given.get("estimator")
        if judged is not fitted and not isinstance(judged, BaseSearchCV):
            raise ValueError(f"a cross-validation of {type(judged).__name__}, which may change the records: the ledger "
                             "cannot say whether it knows them; cross-validate the dperm classifier itself, or say "
                             "ledger=\"none\" if they are public")
        with warnings.catch_warnings(), strict(False):  # the fit itself warns
            warnings.simplefilter("ignore", PrivacyLeakWarning)
            whole = clone(classifier)._prepare(given["X"], given["y"])
        refuse_known(whole.handle, classifier.ledger)
