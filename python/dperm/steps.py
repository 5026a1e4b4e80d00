"""Steps of a pipeline before a private fit: which of them took something from the records."""

from __future__ import annotations

from typing import Any, List

__all__: List[str] = []

# What they learn has nothing to do with the values of the records, only with the number of columns.
_BLIND = {"PolynomialFeatures", "RBFSampler", "SkewedChi2Sampler", "PolynomialCountSketch", "GaussianRandomProjection",
          "SparseRandomProjection", "FunctionTransformer", "Normalizer", "Binarizer", "HashingVectorizer",
          "FeatureHasher", "AdditiveChi2Sampler", "FrozenEstimator"}


def learners(step: Any) -> List[str]:
    """The parts of a fitted transformer that depend on values: those that keep something of their own.

    A name that ends with an underscore is what a transformer has from its fit, by scikit-learn's custom.
    """
    if step is None or isinstance(step, str):
        return []
    for parts in ("steps", "transformers_", "transformer_list"):  # of Pipeline, ColumnTransformer, FeatureUnion
        inner = getattr(step, parts, None)
        if isinstance(inner, list):
            return [name for part in inner for name in learners(part[1])]
    name, own = type(step).__name__, vars(step) if hasattr(step, "__dict__") else {}
    kept = {a for a in own if a.endswith("_") and not a.startswith("_")} - {"n_features_in_", "feature_names_in_"}
    return [name] if kept and name not in _BLIND and not _public(step) else []


def _public(step: Any) -> bool:
    """Settings with which a transformer keeps only what it was given."""
    name, categories = type(step).__name__, getattr(step, "categories", None)
    if name in ("OneHotEncoder", "OrdinalEncoder"):
        return not isinstance(categories, str)
    return name == "SimpleImputer" and step.strategy == "constant"
