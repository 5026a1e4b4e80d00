"""Warnings name the caller's line, and types say what comes back."""

import pathlib
import sys
import typing
import warnings

import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import dperm
from dperm.base import PrivateEstimator

CLF = dperm.LogisticRegression(5, random_state=1)
GRID = {"lambda_": [0.1, 0.2]}


def warned(call):
    """Where the warnings of a call point to, without repetition."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return {(w.category.__name__, w.filename, w.lineno) for w in found if issubclass(w.category, UserWarning)}


def here():
    return sys._getframe(1).f_lineno


@pytest.mark.parametrize("kinds, call", [
    (2, lambda X, y: (CLF.fit(X, y), here())),
    (2, lambda X, y: (make_pipeline(FunctionTransformer(), CLF).fit(X, y), here())),
    (2, lambda X, y: (GridSearchCV(CLF, GRID, cv=2).fit(X, y), here())),
    (2, lambda X, y: (cross_val_score(CLF, X, y, cv=2), here())),
    (2, lambda X, y: (dperm.PrivateTuner(CLF, GRID).fit(X, y), here())),
    (1, lambda X, y: (dperm.LogisticRegression(1, classes=[0, 1]).fit(X, y), here()))])
def test_warnings_name_the_callers_line(kinds, call, two):
    lines = []
    found = warned(lambda: lines.append(call(*two)[1]))
    assert {f for _, f, _ in found} == {__file__} and {n for _, _, n in found} == set(lines)
    assert len({name for name, _, _ in found}) == kinds


def test_so_does_the_warning_about_a_draft(two):
    people = pd.DataFrame(two[0], columns=list("abcd")).assign(kind=two[1])
    clf = dperm.LogisticRegression(1, schema=dperm.Schema.draft(people, label="kind"), random_state=1)
    kinds = ("PrivacyLeakWarning", "NotPrivateWarning")
    assert warned(lambda: clf.fit(people)) == {(kind, __file__, here()) for kind in kinds}


def test_what_fit_and_load_return_is_typed():
    """Tools read these; mypy and pyright were run by hand over a program that uses the package."""
    assert (pathlib.Path(dperm.__file__).parent / "py.typed").exists()
    for method in (PrivateEstimator.fit, dperm.LogisticRegression.load.__func__, dperm.PrivateTuner.fit):
        hints = typing.get_type_hints(method)
        assert isinstance(hints["return"], typing.TypeVar)
        assert hints["return"].__bound__ is not None
    assert typing.get_type_hints(dperm.load)["return"] == typing.Union[dperm.LogisticRegression, dperm.LinearSVC, dperm.Regressor]
