"""Weights of classes, and why there are none of records (``docs/proofs/weights.md``)."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _library as c
from . import data, options
from .errors import leak
from .origin import taken_of

__all__: List[str] = []

ClassWeight = Union[Mapping[Any, float], str, None]


def check(class_weight: ClassWeight) -> None:
    """Words and numbers, before any look at the data."""
    if class_weight is None or isinstance(class_weight, str) and class_weight == "balanced":
        return
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight={class_weight!r}; give a dict of public numbers by class, 'balanced' "
                         "(which is not private) or None")
    for label, weight in class_weight.items():
        options.number(f"class_weight[{label!r}]", weight)


def _balanced(handle: c.Handle, names: Sequence[str]) -> Dict[str, float]:
    """n/(k n_c), as scikit-learn counts; a class without records weighs as little as any."""
    rows, classes = c.lib.dperm_data_rows(handle), len(names)
    found = np.ctypeslib.as_array(c.lib.dperm_data_labels(handle), shape=(rows,))
    codes = found.astype(np.intp) if classes > 2 else (found > 0).astype(np.intp)
    counts = np.bincount(codes, minlength=classes)
    weights = rows / (classes * np.where(counts > 0, counts, rows))
    return dict(zip(names, weights.tolist()))


def apply(class_weight: ClassWeight, C: Optional[float], handle: c.Handle, names: Sequence[str],
          wanted: c.Options) -> bool:
    """Puts the weights into options; True if they were taken from the records, which are then marked.

    The library divides weights by the largest. Where C was given, scikit-learn's objective is meant: the
    largest weight goes into Lambda.
    """
    if class_weight is None:
        return False
    taken = isinstance(class_weight, str)
    if isinstance(class_weight, str):
        leak("class_weight='balanced' counts the labels; the model is NOT private, and says so; give public "
             "numbers (class_weight={label: weight})")
        data.taken(handle, "weights")
        by_name = _balanced(handle, names)
    else:
        by_name = {str(label): float(weight) for label, weight in class_weight.items()}
    if not by_name:
        return taken
    listed = [c.ClassWeight(name.encode(), weight) for name, weight in by_name.items()]
    wanted.class_weights = (c.ClassWeight * len(listed))(*listed)
    wanted.class_weight_count = len(listed)
    if C is not None:
        unnamed = [1.0] if set(names) - set(by_name) else []
        wanted.lambda_ /= max([*by_name.values(), *unnamed])
    return taken


def of_file(content: Mapping[str, Any], classes: Sequence[Any]) -> ClassWeight:
    """What a model's file says, for a fit like it."""
    if "weights" in taken_of(content["reason"]):
        return "balanced"
    found = content.get("class_weights")
    return None if found is None else dict(zip(classes, found))


def refuse(arguments: Mapping[str, Any], instead: str = "; class_weight={label: weight} takes public weights of classes") -> None:
    """For whatever else is passed to `fit`."""
    if "sample_weight" in arguments:
        raise TypeError("fit takes no sample_weight: a record's weight would have to depend on that record alone, "
                        "and nobody can check that what computed it (boosting, counts) did not look at the others" + instead)
    for name in arguments:
        raise TypeError(f"fit() got an unexpected keyword argument {name!r}")
