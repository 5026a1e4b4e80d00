"""Who called: the line that a warning should name, and whether scikit-learn is behind a fit and what it did to it.

Libraries in between (this one, scikit-learn, joblib) are looked through; the caller is the first frame beyond.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Iterator, List, Optional

__all__: List[str] = []

_BETWEEN = {"dperm", "sklearn", "joblib"}
# Ensembles number the labels 0, 1, ... in sorted order before they fit anything to them.
_NUMBERING = {"sklearn.ensemble._base", "sklearn.ensemble._voting", "sklearn.ensemble._stacking",
              "sklearn.ensemble._bagging"}
_CONTINUOUS = ("decision_function", "predict_proba", "predict_log_proba")


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _up(frame: Optional[FrameType]) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def stacklevel() -> int:
    """For a `warnings.warn` in the function that asks: so that it names the caller's line."""
    level = 0
    for level, frame in enumerate(_up(sys._getframe(1)), 1):
        if _module(frame).split(".")[0] not in _BETWEEN:
            break
    return level


def _numbers_labels(frame: FrameType) -> bool:
    module, function = _module(frame), frame.f_code.co_name
    if (module, function) == ("sklearn.model_selection._validation", "_fit_and_predict"):
        return frame.f_locals.get("method") in _CONTINUOUS  # cross_val_predict, which does so for these
    return module in _NUMBERING


def labels_are_numbered() -> bool:
    """Whether scikit-learn made the labels of this fit numbers, places among the sorted ones."""
    for frame in _up(sys._getframe(1)):
        if _module(frame).split(".")[0] not in _BETWEEN:
            return False
        if _numbers_labels(frame):
            return True
    return False
