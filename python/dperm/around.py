"""What scikit-learn does around a fit, which a single fit cannot answer for.

Searches, cross-validation, calibration, stacking, chains and ensembles fit the same records again and again,
each time at the full price, and what a fit is given (rows, labels, settings) may be made of other records by
then. A pipeline scales or chooses columns by the records before they come here. Both show in the frames of the
caller, and a model says so; what another program does before it calls `fit` does not show.
"""

from __future__ import annotations

import sys
from typing import Any, Iterator, List, Optional

from .steps import check_given, learners

__all__: List[str] = []

# Parts of scikit-learn that pass one fit on. All others that call a fit do so repeatedly, or may.
_ONCE = ("sklearn.base", "sklearn.pipeline", "sklearn.utils", "sklearn._config", "sklearn.frozen")


def frames() -> Iterator[Any]:
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back  # type: ignore[assignment]


def _name(frame: Any) -> str:
    owner = frame.f_locals.get("self")
    return str(frame.f_code.co_name if owner is None else type(owner).__name__)


def passes_on(frame: Any) -> bool:
    """Whether it leaves a fit as it is: what is not scikit-learn's, and the few parts that fit once."""
    module = frame.f_globals.get("__name__") or ""
    return not module.startswith("sklearn.") or module.startswith(_ONCE) or _name(frame) == "FixedThresholdClassifier"


def is_pipeline(frame: Any) -> bool:
    """Whether a pipeline fits here."""
    return frame.f_code.co_name.startswith("fit") and hasattr(type(frame.f_locals.get("self")), "named_steps")


def repeated() -> Optional[str]:
    """Who fits repeatedly around this call: the outermost class or function of scikit-learn."""
    found = None
    for frame in frames():
        if not passes_on(frame) and not (_name(frame).startswith("_") and found):
            found = _name(frame)
    return found


def _pipelines() -> List[Any]:
    """Those that have steps before this fit, the outermost last."""
    return [frame.f_locals for frame in frames() if is_pipeline(frame) and
            any(hasattr(step, "fit") for _, step in frame.f_locals["self"].steps[:-1])]


def learned() -> List[str]:
    """Steps before this fit, in the pipelines around it, that took something from the records, or may have."""
    found: List[str] = []
    for given in _pipelines():
        for step in given["self"].steps[:-1]:
            found += [name for name in learners(step[1]) if name not in found]
    return found


def taken() -> List[str]:
    """What those around this fit took from the records as a whole, in the words of `data.taken`."""
    if repeated() is not None or learned():
        return ["scales"]
    for given in _pipelines()[-1:]:
        check_given(given.get("X"))
    return []


def remarks() -> List[str]:
    """What is worth a warning."""
    found, who, steps = [], repeated(), learned()
    if who is not None:
        found.append(f"this fit is part of a cross-validation, search or ensemble ({who}): every fit spends epsilon, "
                     "and its rows, labels or settings may be made of other records, so the model says that it is "
                     "NOT private; use dperm.PrivateTuner to choose")
    if steps:
        found.append(f"{', '.join(steps)} in the pipeline took something from the records before this fit, or may have; "
                     "the model is NOT private, and says so; give bounds=... or schema=..., or fit the step on public "
                     "records and freeze it" +
                     ("; a ColumnTransformer needs sparse_threshold=0" if "ColumnTransformer" in steps else ""))
    return found
