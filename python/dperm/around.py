"""What scikit-learn does around a fit, which a single fit cannot answer for.

Searches, cross-validation, calibration and ensembles fit the same records again and again, each time at the
full price, and choose by exact scores. A pipeline scales or chooses columns by the records before they come
here. Both show in the frames of the caller; what another program does before it calls `fit` does not.
"""

from __future__ import annotations

import sys
from typing import Any, Iterator, List, Optional

__all__: List[str] = []

# Parts of scikit-learn that pass one fit on. All others that call a fit do so repeatedly, or may.
_ONCE = ("sklearn.base", "sklearn.pipeline", "sklearn.utils", "sklearn._config", "sklearn.frozen")
# What they learn has nothing to do with the values of the records, only with the number of columns.
_BLIND = {"PolynomialFeatures", "RBFSampler", "SkewedChi2Sampler", "PolynomialCountSketch", "GaussianRandomProjection",
          "SparseRandomProjection", "FunctionTransformer", "Normalizer", "Binarizer", "HashingVectorizer",
          "FeatureHasher", "AdditiveChi2Sampler", "FrozenEstimator"}


def _frames() -> Iterator[Any]:
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back  # type: ignore[assignment]


def repeated() -> Optional[str]:
    """Who fits repeatedly around this call: the outermost class or function of scikit-learn."""
    found = None
    for frame in _frames():
        module = frame.f_globals.get("__name__") or ""
        if module.startswith("sklearn.") and not module.startswith(_ONCE):
            owner = frame.f_locals.get("self")
            name = frame.f_code.co_name if owner is None else type(owner).__name__
            if name != "FixedThresholdClassifier" and not (name.startswith("_") and found):
                found = name
    return found


def learned() -> List[str]:
    """Steps before this fit, in the pipelines around it, that took something from the records."""
    found: List[str] = []
    for frame in _frames():
        owner = frame.f_locals.get("self") if frame.f_code.co_name.startswith("fit") else None
        if owner is not None and hasattr(type(owner), "named_steps"):
            for step in owner.steps[:-1]:
                found += [name for name in _learners(step[1]) if name not in found]
    return found


def _learners(step: Any) -> List[str]:
    """The parts of a fitted transformer that depend on values: those that keep something of their own.

    A name that ends with an underscore is what a transformer has from its fit, by scikit-learn's custom.
    """
    if step is None or isinstance(step, str):
        return []
    for parts in ("steps", "transformers_", "transformer_list"):  # of Pipeline, ColumnTransformer, FeatureUnion
        inner = getattr(step, parts, None)
        if isinstance(inner, list):
            return [name for part in inner for name in _learners(part[1])]
    name, own = type(step).__name__, vars(step) if hasattr(step, "__dict__") else {}
    kept = {a for a in own if a.endswith("_") and not a.startswith("_")} - {"n_features_in_", "feature_names_in_"}
    return [name] if kept and name not in _BLIND and not _public(step) else []


def _public(step: Any) -> bool:
    """Settings with which a transformer keeps only what it was given."""
    name, categories = type(step).__name__, getattr(step, "categories", None)
    if name in ("OneHotEncoder", "OrdinalEncoder"):
        return not isinstance(categories, str)
    return name == "SimpleImputer" and step.strategy == "constant"


def remarks() -> List[str]:
    """What is worth a warning."""
    found, who, steps = [], repeated(), learned()
    if who is not None:
        found.append(f"this fit is part of a cross-validation, search or ensemble ({who}): every fit spends epsilon, "
                     "and what is chosen or calibrated by exact scores on the records is NOT private; use "
                     "dperm.PrivateTuner to choose")
    if steps:
        found.append(f"{', '.join(steps)} in the pipeline took something from the records before this fit; the model "
                     "is NOT private, and says so; give bounds=... or schema=..., or fit the step on public records and "
                     "freeze it")
    return found
