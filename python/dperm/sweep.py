"""Experiments on public data: how often, or how far, models of many settings err on rows they have not seen."""

from __future__ import annotations

import math
import os
import warnings
from ctypes import byref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from . import _library as c
from . import options
from .account import refuse_known
from .errors import Cancelled, PrivacyLeakWarning, strict
from .tuner import _TUNABLE

__all__ = ["sweep", "Sweep"]


OF_CLASSES = {"error_mean", "error_se", "errors", "baseline", "auc_mean", "auc_se", "log_loss_mean", "log_loss_se",
              "baseline_log_loss"}
OF_NUMBERS = {"rmse_mean", "rmse_se", "mae_mean", "mae_se", "baseline_rmse", "baseline_mae"}


class Sweep(List[Dict[str, Any]]):
    """The cells of a sweep: settings, `error_mean`, `auc_mean`, `log_loss_mean` and their standard errors (`error_se`),
    `runs`, the wrong predictions of each run (`errors`, fold by fold), what always saying the same would reach
    (`baseline`, `baseline_log_loss`), and what was chosen. Of regressions `rmse_mean` and `mae_mean` in place of these,
    `rmse_se`, `mae_se`, and what always saying the mean or the median would reach (`baseline_rmse`, `baseline_mae`)."""

    def frame(self) -> Any:
        """As a DataFrame."""
        import pandas as pd

        return pd.DataFrame(list(self))

    def best(self, metric: Optional[str] = None) -> Dict[str, Any]:
        """The cell with the smallest mean "error", the largest area under the ROC curve ("auc"), or the smallest
        "log-loss"; of regressions with the smallest "rmse", or "mae". The first of these if None."""
        figure, _, sign, _ = measure(metric or usual_metric(self))
        cells = [cell for cell in self if cell["runs"] and not math.isnan(cell.get(figure, math.nan))]
        if not cells:
            raise ValueError(f"no cell has a figure for metric={metric or usual_metric(self)!r}")
        return min(cells, key=lambda cell: sign * cell[figure])


def usual_metric(cells: Sequence[Mapping[str, Any]]) -> str:
    return "rmse" if cells and "rmse_mean" in cells[0] else "error"


def measure(metric: str) -> Tuple[str, str, int, str]:
    """Where cells have it and its standard error, 1 or -1 if less or more is better, and its name in pictures."""
    known = {"error": ("error_mean", "error_se", 1, "mean test error"),
             "auc": ("auc_mean", "auc_se", -1, "mean area under the ROC curve"),
             "log-loss": ("log_loss_mean", "log_loss_se", 1, "mean log loss"),
             "rmse": ("rmse_mean", "rmse_se", 1, "root of the mean square error"),
             "mae": ("mae_mean", "mae_se", 1, "mean absolute error")}
    if metric not in known:
        raise ValueError(f"metric={metric!r}; choose one of {', '.join(known)}")
    return known[metric]


def _cells(estimator: Any, param_grid: Any) -> Tuple[List[Dict[str, Any]], List[Any]]:
    """All combinations; without a mechanism there is no epsilon, so only one of them."""
    settings, fitters = [], []
    known = estimator.get_params()
    for candidate in ParameterGrid(param_grid):
        for name in candidate:
            if name not in known:
                raise ValueError(f"{type(estimator).__name__} has no parameter {name!r}")
            if name not in _TUNABLE | {"epsilon", "delta", "rows_per_person"}:
                raise ValueError(f"{name} cannot be swept: it is about the data, not about the fit")
        if candidate.get("mechanism", estimator.mechanism) == "none":
            candidate = {**candidate, "epsilon": None, **({"delta": 0.0} if estimator.delta else {})}
        if candidate not in settings:
            settings.append(candidate)
            fitters.append(clone(estimator).set_params(**candidate))
    return settings, fitters


def sweep(estimator: Any, param_grid: Union[Mapping[str, Sequence[Any]],
                                            Sequence[Mapping[str, Sequence[Any]]]],
          X: Any, y: Any = None, *, folds: int = 10, draws: int = 10,
          test_data: Optional[Tuple[Any, Any]] = None, random_state: int = 1,
          journal: "str | os.PathLike[str] | None" = None, n_jobs: Optional[int] = None) -> Sweep:
    """Cross-validates settings on **public** data, over repeated draws of the noise.

    What is measured is the mechanism that ships: every model is planned, perturbed, solved,
    certified and released as `fit` would; only the noise comes from a seed. Nothing here is private, and
    records that the ledger of the environment (``DPERM_LEDGER``) knows are refused. No schema is refined (a share for
    `refine`). `test_data`, a pair of records and labels, is tested on instead of folds. `journal` names a file that keeps
    what is done: after an interruption the same call goes on from there. Where runs ask the records, each has its own
    ``lambda`` (NaN here), noise and columns (``dims`` is 0).

    >>> import dperm, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1500, 3)); y = (X[:, 0] > 0).astype(int)
    >>> clf = dperm.LogisticRegression(1.0, data_norm=3, classes=[0, 1])
    >>> found = dperm.sweep(clf, {"epsilon": [0.1, 10.0]}, X, y, folds=3, draws=5)
    >>> [cell["runs"] for cell in found], found[0]["error_mean"] > found[1]["error_mean"]
    ([15, 15], True)
    """
    if test_data is not None and not (isinstance(test_data, (tuple, list)) and len(test_data) == 2):
        raise ValueError("test_data must be a pair of records and labels, (X, y); give (frame, None) for a frame with labels")
    settings, fitters = _cells(estimator, param_grid)
    for fitter in fitters:
        fitter._options(1)
        fitter._check_bounds()
    with warnings.catch_warnings(), strict(False):  # public data have no secrets
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        prepared = clone(fitters[0])._prepare(X, y)
        test = clone(fitters[0])._prepare(*test_data) if test_data is not None else None
        cells = (c.Options * len(fitters))(*[f._options(prepared.rows, prepared) for f in fitters])
    refuse_known(prepared.handle)
    if test is not None:
        refuse_known(test.handle)
    how = c.defaults("sweep")
    how.folds, how.draws = options.whole("folds", folds, 2), options.whole("draws", draws)
    how.seed = options.whole("random_state", random_state, 0, 2**64 - 1)
    how.test_data = test.handle.pointer if test is not None else None
    how.threads = options.threads_of(n_jobs)
    how.journal = None if journal is None else c.path(journal)
    found: List[Dict[str, Any]] = []

    def visit(_: Any, cell: Any) -> None:
        figures = c.fields(cell.contents)
        errors = cell.contents.errors  # C's own, for this moment
        figures["errors"] = [int(errors[i]) for i in range(figures["runs"])] if errors else []
        regression = not math.isnan(figures["baseline_rmse"])
        for name in list(figures):
            if name in OF_CLASSES and regression or name in OF_NUMBERS and not regression:
                del figures[name]
        given = settings[figures.pop("index")]
        if figures["noise"] is None and "noise" in given:  # runs that ask have each their own
            del figures["noise"]
        found.append({**given, **figures})

    with c.Interruptible() as interruptible:
        how.progress = interruptible.progress
        try:
            c.call("dperm_sweep", prepared.handle, cells, len(cells), byref(how), c.SweepVisitor(visit), None)
        except Cancelled:
            if not interruptible.asked:
                raise
    return Sweep(found)
