"""Models and what they guarantee: the same file as the command line's, the same claim."""

from __future__ import annotations

import json
import os
from ctypes import byref, c_bool
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _library as c, options
from .explanation import Explanation
from .figures import Figures

__all__ = ["Model", "Privacy", "Finding"]


class Finding(NamedTuple):
    """A line of a verification: whether it holds (None: no file can show it), and what it says."""

    holds: Optional[bool]
    line: str


def verification(name: str, *before: Any) -> Tuple[bool, List[Finding]]:
    lines: List[Finding] = []
    note = c.VerifyLine(lambda _, kind, line: lines.append(
        Finding({0: False, 1: True}.get(kind), line.decode())))
    holds = c_bool()
    c.call(name, *before, note, None, byref(holds))
    return holds.value, lines


def _ledger_handle(ledger: Any) -> Optional[c.Handle]:
    """Of a ledger, or of the file that a path names; None for none."""
    if ledger is None:
        return None
    if isinstance(ledger, (str, os.PathLike)):
        return c.Handle("dperm_ledger_open", "dperm_ledger_free", os.fspath(ledger))
    if not isinstance(getattr(ledger, "_handle", None), c.Handle):
        raise ValueError(f"ledger={ledger!r}; give a dperm.Ledger, or the path of one")
    return ledger._handle


class Model:
    """A released model, owned by the C library. Estimators keep one as ``model_``."""

    def __init__(self, handle: c.Handle):
        self._handle = handle

    @classmethod
    def read(cls, path: "str | os.PathLike[str]") -> "Model":
        return cls(c.Handle("dperm_model_read", "dperm_model_free", path))

    def write(self, path: "str | os.PathLike[str]") -> None:
        """Writes the model file; it appears whole or not at all."""
        c.call("dperm_model_write", self._handle, path)

    @property
    def json(self) -> str:
        """The text of its file."""
        return c.text_from("dperm_model_to_text", self._handle)

    def to_dict(self) -> Dict[str, Any]:
        return json.loads(self.json)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _model_from_json, (self.json,)

    def __deepcopy__(self, memo: Any) -> "Model":
        return self  # nothing in it changes

    @property
    def classes(self) -> List[str]:
        return list(self._handle.described["classes"])

    @property
    def label_range(self) -> Optional[Tuple[float, float]]:
        """The range of the numbers that it predicts; None of classes."""
        return options.label_range(self._handle)

    @property
    def is_private(self) -> bool:
        return bool(self.to_dict()["private"])

    @property
    def inverse_temperature(self) -> float:
        """Probabilities are those of scores times this: 1, or what `calibrate` chose."""
        return float(self._handle.described["inverse_temperature"])

    @property
    def evaluation(self) -> Optional[Dict[str, Any]]:
        """How good it is on records that it was not shown, if the fit held some out (`evaluate`), as its file states it."""
        return self.to_dict().get("evaluation")

    @property
    def weights(self) -> np.ndarray:
        """One row for two classes or a number, a row for each class if there are more; the intercept is last."""
        classes = len(self.classes)
        shape = (classes if classes > 2 else 1, self._handle.described["dims"])
        return np.ctypeslib.as_array(c.lib.dperm_model_weights(self._handle), shape).copy()

    def explain(self, names: Optional[Sequence[str]] = None) -> Explanation:
        """What the model says, and what of it cannot be told from its privacy noise; costs no privacy. `names` are
        for the columns of rows without a schema, which have numbers otherwise."""
        return Explanation(json.loads(c.text_from("dperm_model_explain", self._handle)), names)

    @property
    def intervals(self) -> List[Dict[str, Any]]:
        """Of each slope its 95 percent confidence interval, with noise and sampling in it, if the fit spent a share of
        epsilon on that (`intervals`): the rows of `summary`. Costs no privacy."""
        found = self.explain().get("intervals")
        if not found:
            raise ValueError("the model has no intervals: fit it with intervals=\"auto\"")
        return list(found["columns"])

    def summary(self) -> str:
        """The intervals as a table for people."""
        lines = [f"{'':32} {'estimate':>11} {'std. err.':>10} {'2.5 %':>11} {'97.5 %':>11} {'p':>7} {'noise':>6}"]
        for row in self.intervals:
            name = f"{row['name']}, per {row['per']}" if row["value"] is None else f"{row['name']}: {row['value']}, not {row['against']}"
            if row["refused"]:
                lines.append(f"{name[:32]:32} none: {row['refused']}")
                continue
            figures = " ".join(f"{row[key]:>{width}.4g}" for key, width in
                               (("estimate", 11), ("standard_error", 10), ("low", 11), ("high", 11)))
            p = "<.0005" if row["p"] < 0.0005 else f"{row['p']:.2g}"  # the draws tell no smaller one
            lines.append(f"{name[:32]:32} {figures} {p:>7} {row['noise_share']:>6.0%}")
        return "\n".join(lines)

    def scores(self, data: c.Handle, rows: int) -> np.ndarray:
        classes = len(self.classes)
        found = np.empty((rows, classes) if classes > 2 else rows)
        c.call("dperm_model_scores", self._handle, data, c.Array(found, "f8"))
        return found

    def values(self, data: c.Handle, rows: int) -> np.ndarray:
        """The numbers that a regression predicts, within the range of its label."""
        found = np.empty(rows)
        c.call("dperm_model_values", self._handle, data, c.Array(found, "f8"))
        return found

    def probabilities(self, data: c.Handle, rows: int) -> np.ndarray:
        found = np.empty((rows, len(self.classes)))
        c.call("dperm_model_probabilities", self._handle, data, c.Array(found, "f8"))
        return found


def _model_from_json(text: str) -> Model:
    data = text.encode("utf-8")
    return Model(c.Handle("dperm_model_parse", "dperm_model_free", data, len(data), "model.json"))


class Privacy(Figures):
    """What a model guarantees, to whom, and why: its privacy statement as an object.

    >>> import dperm, numpy as np
    >>> X = np.repeat(np.eye(2), 50, axis=0)
    >>> y = np.repeat([0, 1], 50)
    >>> clf = dperm.LogisticRegression(1.0, data_norm=1, classes=[0, 1]).fit(X, y)
    >>> clf.privacy_
    Privacy((epsilon, delta) = (1.0, 1.4e-43) for every record, objective perturbation)
    >>> clf.privacy_.epsilon, clf.privacy_.verify()[0]
    (1.0, True)
    """

    def __init__(self, model: Model):
        self._model = model
        content = model.to_dict()
        fields: Dict[str, Any] = {"private": content["private"], "reason": content["reason"]}
        fields.update(content["privacy"])
        fields.setdefault("epsilon_refined", 0.0)  # of epsilon the schema's
        for key, figure in options.SHARES.values():
            fields[figure] = content.get(key, {}).get("epsilon", 0.0)
        fields.update({k: content[k] for k in ("rows_about", "rows_about_fitted") if k in content})
        fields.update({k: content[k] for k in ("rows", "rows_fitted", "selection", "ledger",
                                               "classes", "loss", "kernel")})
        fields["label"] = content.get("label")  # of a regression, its range
        fields["multiclass"] = content.get("multiclass", "one-vs-rest" if len(content["classes"]) > 2 else None)
        super().__init__(fields)

    def __repr__(self) -> str:
        if not self["private"]:
            return f"Privacy(none: {self['reason']})"
        many = self["rows_per_person"]
        whom = {0: "every person", 1: "every record"}.get(many, f"every person with at most {many} records")
        whom += ", added or removed" if self["neighbours"] == "add-remove" else ""
        delta = self["delta"]  # two digits are enough where it is that of rounding alone
        shown = f"{delta:.2g}" if delta < 1e-30 else repr(delta)
        pair = f"(epsilon, delta) = ({self['epsilon']}, {shown})"
        how = "noisy descent" if self["mechanism"] == "descent" else f"{self['mechanism']} perturbation"
        return f"Privacy({pair} for {whom}, {how})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return Privacy, (self._model,)

    def _file(self) -> Tuple[str, bytes, int]:
        """The model's file as the library takes it from memory: its name, its bytes and their number."""
        content = self._model.json.encode("utf-8")
        return "model.json", content, len(content)

    def verify(self, ledger: Any = None) -> Tuple[bool, List[Finding]]:
        """Derives the claim again from the model's public fields, step by step; with the ledger that it was charged
        to (a :class:`dperm.Ledger`, or its path), also what it had to pay."""
        return verification("dperm_model_verify", *self._file(), _ledger_handle(ledger))

    def statement(self, ledger: Any = None, html: bool = False,
                  about: "Mapping[str, str] | str | os.PathLike[str] | None" = None) -> str:
        """The model card for the person who must defend the release, as Markdown or HTML; with the ledger (or its path),
        what was spent and is left. `about` is what its publisher says of it (`intended_use`, `not_for`, `records`,
        `responsible`, `contact`, `date`): a dict, or the path of a file, JSON or plain text."""
        said = json.dumps(dict(about)).encode("utf-8") if isinstance(about, Mapping) else None
        name = "about" if said is not None else about
        return c.text_from("dperm_statement_about", *self._file(), name, said, len(said or b""), _ledger_handle(ledger),
                           bool(html))

    def _repr_html_(self) -> str:
        return self.statement(html=True)
