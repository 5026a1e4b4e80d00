"""What all private classifiers share beside ``base.py``: classes, their weights and order, predictions."""

from __future__ import annotations

import warnings
from ctypes import byref, sizeof
from typing import Any, Dict, Optional, Tuple, TypeVar

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _library as c
from . import arrow, callers, data, labels, options, weights
from .account import refuse_known
from .base import Prepared, PrivateEstimator
from .errors import leak
from .model import Model
from .schema import Schema
from .targets import Codes, Column

__all__ = ["PrivateClassifier"]

_Self = TypeVar("_Self", bound="PrivateClassifier")


class PrivateClassifier(ClassifierMixin, PrivateEstimator):
    """The classifiers of this package; only they are meant to be made."""

    C: Optional[float]
    classes: Any
    class_weight: weights.ClassWeight
    refine: Any
    multiclass: str
    evaluate: Optional[float]
    classes_: np.ndarray
    _order: labels.ClassOrder  # where the classes are in the model

    def _loss(self) -> Tuple[str, float]:
        raise NotImplementedError

    # ---- preparing

    def _settings(self) -> Dict[str, Any]:
        loss, h = self._loss()
        weights.check(self.class_weight)
        return dict(loss=loss, h=h, C=self.C, multiclass=self.multiclass, refine=self.refine, evaluate=self.evaluate,
                    **{share: getattr(self, share, None) for share in options.SHARES})

    def _options(self, rows: int, prepared: Optional[Prepared] = None) -> c.Options:
        made = super()._options(rows, prepared)
        if prepared is not None and weights.apply(self.class_weight, self.C, prepared.handle, prepared.names, made):
            prepared.words += ("weights",)
        return made

    def _label_of_schema(self) -> Optional[Dict[str, Any]]:
        return None if self.classes is None else {"classes": data.class_names(data.class_array(self.classes))}

    def _labels_of_table(self, schema: Schema, y: Any) -> Column:
        if schema.label_range is not None:
            raise ValueError("the schema's label is a number, and this is a classifier; use dperm.Regressor, or list "
                             "the label's classes")
        names = schema.classes
        declared = None if self.classes is None else labels.of_declared(names, self.classes)
        numbered = labels.numbered(y, labels.from_names(names) if declared is None else declared)
        named = y if numbered is None else np.asarray(names, dtype=object)[numbered[0]]
        classes = numbered[1] if numbered is not None else \
            labels.of_schema(names, y) if declared is None else declared
        return Column(named, classes, names, _numbered())

    def _classes_of(self, y: np.ndarray) -> np.ndarray:
        leak("classes were not given: taking them from the labels tells that each occurs; the model is "
             "NOT private, and says so; give the public set of labels (classes=[...])")
        found = np.unique(y)
        if len(found) < 2:
            raise ValueError("This solver needs samples of at least 2 classes in the data, but the "
                             "data contains only one class")
        return found

    def _check_labelled(self, X: Any, y: Any) -> Tuple[Any, Codes]:
        """The classes are the public ones, or else those in y."""
        if self.classes is None:
            X, y = self._check_X(X, y)
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
            classes, taken = self._classes_of(y), ("classes",)
        else:
            classes, X, taken = data.class_array(self.classes), self._check_X(X), _numbered()
            check_consistent_length(X, y)
            numbered = labels.numbered(y, classes)
            if numbered is not None:
                return X, Codes(*numbered, data.class_names(classes), taken)
        return X, Codes(data.codes_of(y, classes), classes, data.class_names(classes), taken)

    def _labels_to_score(self, y: Any) -> Codes:
        return Codes(self._order.codes(y), self._order.classes, self.model_.classes)

    def _with_any_labels(self, X: Any, rows: int) -> Prepared:
        asked = clone(self)
        if asked.schema is None and asked.classes is None:
            asked.classes = ["a", "b"]
        if asked.schema is not None:
            asked.classes = Schema(asked.schema, asked._label_of_schema()).classes  # as texts
        return asked._prepare(X, [list(asked.classes)[0]] * rows)

    # ---- what was learned

    def _fitted(self: _Self, model: Model, classes: Any = None) -> _Self:
        self._order = labels.ClassOrder(classes)
        self.classes_ = self._order.classes
        return super()._fitted(model)

    def _weights(self) -> np.ndarray:
        return self._order.rows(self.model_.weights)

    # ---- predicting

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores: one for each row, for the second of two `classes_`, or for each row and class if there are more."""
        scores = self._scores(X)
        return self._order.columns(scores)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        scores = self._scores(X)
        return self._order.labels(scores)

    def _scores(self, X: Any) -> np.ndarray:
        handle, rows = self._rows(X)
        return self.model_.scores(handle, rows)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right predictions: exact, so for public data (see `score_private`).

        With a schema, `y` may hold any of the values that mean a class. Refused for records that the
        ledger of the environment (``DPERM_LEDGER``) knows.
        """
        check_is_fitted(self)
        y = arrow.column(y)
        if self.schema is None or sample_weight is not None:
            self._refuse_known(X, y)
            return super().score(X, y, sample_weight)
        found, (handle, _) = c.Metrics(), self._rows(X, y)
        refuse_known(handle)
        c.call("dperm_model_score_sized", self.model_._handle, handle, byref(found), sizeof(found))
        return 1.0 - found.error_rate

    # ---- files

    def __setstate__(self, state: Dict[str, Any]) -> None:
        super().__setstate__(state)
        if "model_" in state and "_order" not in state:  # of version 0.1, whose classes_ had the model's order
            self._fitted(state["model_"], state["classes_"])


def _numbered() -> Tuple[str, ...]:
    """Which label has which number, one record can tell."""
    return ("classes",) if callers.labels_are_numbered() else ()
