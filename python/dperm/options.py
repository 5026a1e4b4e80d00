"""Words and numbers of estimators as the C library's options."""

from __future__ import annotations

import math
import warnings
from ctypes import byref
from typing import Any, Mapping, Optional, Tuple

import numpy as np

from . import _library as c
from . import callers
from .border import Number, whole

MECHANISMS = c.words("mechanism")
ANALYSES = c.words("analysis")
NOISES = c.numbers(c.lib.dperm_noise_name)
NEIGHBOURS = c.words("neighbours")
MULTICLASS = c.words("multiclass")
KERNELS = c.words("kernel")
del KERNELS["none"]  # None in Python
KERNELS["rbf"] = KERNELS["gaussian"]
BINS = c.words("bins")
ASK = BINS.pop("ask")  # None in Python
REFINE = {"ask": 0.0, "none": 0.0, "auto": math.nan}
# Options that are shares of epsilon for something after the fit: the object of a model's file that states what one
# released, and the name of its epsilon in reports.
SHARES = {"calibrate": ("calibration", "epsilon_calibrated"), "pairs": ("pairs", "epsilon_pairs"),
          "intervals": ("intervals", "epsilon_intervals")}


def choice(name: str, value: Any, words: Mapping[str, Any]) -> Any:
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"{name}={value!r}; choose one of {', '.join(map(repr, words))}")
    return words[value]


def number(name: str, value: Any, least: float = 0.0, strict: bool = True) -> float:
    """A finite number above `least` (or from it on)."""
    if isinstance(value, (bool, np.bool_)) or not np.isscalar(value) or isinstance(value, str):
        raise ValueError(f"{name}={value!r}; it must be a number")
    value = Number.from_param(value, name).value
    if not math.isfinite(value) or value < least or (strict and value == least):
        raise ValueError(f"{name}={value!r}; it must be finite and {'above' if strict else 'at least'} {least:g}")
    return value


def flag(name: str, value: Any) -> bool:
    """True or False; 1 and 0 are taken for them."""
    if not isinstance(value, (bool, np.bool_, int, np.integer)) or value not in (0, 1):
        raise ValueError(f"{name}={value!r}; it must be True or False")
    return bool(value)


def maybe(name: str, value: Any, **limits: Any) -> float:
    """A number, or NaN ("the library chooses") for None and "auto"."""
    return math.nan if value is None or value == "auto" else number(name, value, **limits)


def regularization(lambda_: Any, C: Any, rows: int) -> float:
    """Lambda itself, or 1/(n C) as scikit-learn and LIBLINEAR have it."""
    if C is not None:
        if lambda_ is not None and lambda_ != "auto":
            raise ValueError("lambda_ and C say the same thing; give one of them (lambda_ = 1/(n C))")
        return 1.0 / (rows * number("C", C))
    return maybe("lambda_", lambda_)


def adding(neighbours: Any) -> bool:
    """Whether records are added and removed, so that nothing may tell how many there are."""
    return bool(choice("neighbours", neighbours, NEIGHBOURS) == NEIGHBOURS["add-remove"])


def warn_delta(delta: float, rows: int) -> None:
    """Above 1/rows a guarantee would allow to publish somebody's whole record."""
    if rows > 0 and 1 / rows < delta < 1:
        warnings.warn(f"delta={delta:g} is above 1/rows = {1 / rows:.2g}: it would allow to publish a whole record of "
                      "somebody; choose one far below", UserWarning, stacklevel=callers.stacklevel())


def _set_columns(options: c.Options, refine: Any, bins: Optional[str], schema: bool) -> None:
    """What numeric columns become, and for what share of epsilon: `--bins` and `--refine` of the command."""
    refine = "none" if refine is None else refine
    options.refine = choice("refine", refine, REFINE) if isinstance(refine, str) else number("refine", refine)
    options.bins = choice("bins", bins, BINS) if bins is not None else \
        BINS["none"] if not schema or isinstance(refine, str) and refine == "none" else ASK
    if not schema and (options.refine != 0 or options.bins == BINS["auto"]):
        raise ValueError("refine and bins=\"auto\" are about the columns of a schema; give a schema")


LOSSES = c.numbers(c.lib.dperm_loss_name)


def label_range(described: c.Handle) -> Optional[Tuple[float, float]]:
    """Of a schema's numeric label, or a regression's; None where labels are classes."""
    found = described.described["label"]
    return None if found is None else (float(found["min"]), float(found["max"]))


def _set_loss(options: c.Options, loss: Optional[str], h: Any, quantile: Any) -> None:
    """None for the usual ones of the label, and of the loss."""
    h = math.nan if h is None else number("h", h)
    if loss != "quantile" and quantile not in (None, 0.5):
        raise ValueError(f"quantile={quantile!r} is for loss='quantile'; leave it out")
    if loss is None:
        options.loss = c.Loss(parameter=h)
    elif loss == "quantile" and quantile is not None:
        c.call("dperm_loss_quantile", number("quantile", quantile), h, byref(options.loss))
    else:
        c.call("dperm_loss_by_name", loss, h, byref(options.loss))


def make(*, epsilon: Any, rows: int, loss: Optional[str] = None, h: Any = None, quantile: Any = None,
         mechanism: str = "objective", analysis: str = "tight", noise: str = "auto",
         lambda_: Any = None, C: Any = None, delta_reg: Any = None, norm_guess: Any = None,
         kernel: Optional[str] = None, gamma: Any = None, n_components: Any = None,
         orthogonal: bool = True, rows_per_person: int = 1, classes: int = 0,
         threads: int = 0, neighbours: str = "replace", rows_about: Any = None,
         delta: Any = 0.0, multiclass: str = "auto", refine: Any = "ask",
         bins: Optional[str] = None, evaluate: Any = None, schema: bool = False, **shares: Any) -> c.Options:
    """Options for a fit to so many rows, or to about so many where their number is private; `schema`: there is one."""
    if not shares.keys() <= SHARES.keys():
        raise TypeError(f"there is no option {min(shares.keys() - SHARES.keys())!r}")
    options = c.defaults("train")
    options.mechanism = choice("mechanism", mechanism, MECHANISMS)
    if mechanism == "none":
        if epsilon is not None:
            raise ValueError("epsilon does not go with mechanism='none'; give None")
    elif epsilon is None:
        raise ValueError("epsilon is missing: it has no default, the choice is yours")
    else:
        options.epsilon = number("epsilon", epsilon)
    options.analysis = choice("analysis", analysis, ANALYSES)
    options.noise = choice("noise", noise, NOISES)
    options.delta = number("delta", delta, strict=False)
    if noise == "gaussian" and options.delta == 0 and mechanism != "none":
        raise ValueError("noise='gaussian' needs delta, which has no default above 0: choose one far below 1/rows")
    if options.delta != 0 and mechanism == "none":
        raise ValueError("delta does not go with mechanism='none'; leave it out")
    _set_columns(options, refine, bins, schema)
    options.multiclass = choice("multiclass", multiclass, MULTICLASS)
    for name, share in shares.items():
        if share in (None, "none"):
            setattr(options, name, 0.0)
            continue
        setattr(options, name, choice(name, share, {"auto": math.nan}) if isinstance(share, str) else number(name, share))
        if getattr(options, name) >= 1:
            raise ValueError(f"{name}={share!r}; give a share of epsilon above 0 and below 1, \"auto\" or None")
        if mechanism == "none" and (name, share) != ("pairs", "auto"):  # which is none then
            raise ValueError(f"{name} does not go with mechanism='none': it spends a share of epsilon")
    if evaluate is not None:
        options.evaluate = number("evaluate", evaluate)
        if options.evaluate >= 1:
            raise ValueError(f"evaluate={evaluate!r}; give the share of the records to hold out, below 1, or None")
        if mechanism == "none":
            raise ValueError("evaluate does not go with mechanism='none': its counts spend epsilon")
    options.neighbours = choice("neighbours", neighbours, NEIGHBOURS)
    if adding(neighbours):
        if rows_about is None:
            raise ValueError("neighbours='add-remove' needs rows_about: how many records there are is private then, and a "
                             "public figure near it stands for it")
        options.rows_about = rows = whole("rows_about", rows_about)
    elif rows_about is not None:
        raise ValueError("rows_about is for neighbours='add-remove'; else the rows are counted, and their number is public")
    options.lambda_ = regularization(lambda_, C, rows - math.floor(rows * options.evaluate))
    options.delta_reg = maybe("delta_reg", delta_reg, strict=False)
    options.norm_guess = maybe("norm_guess", norm_guess)
    options.rows_per_person = whole("rows_per_person", rows_per_person)
    options.classes = classes
    options.threads = threads
    _set_loss(options, loss, h, quantile)
    if kernel is not None:
        options.kernel.kind = choice("kernel", kernel, KERNELS)
        options.kernel.gamma = number("gamma", gamma)
        features = whole("n_components", n_components)
        options.kernel.features = features + features % 2  # a cos and a sin each
        options.kernel.independent = not orthogonal
    return options


def threads_of(n_jobs: Optional[int]) -> int:
    """None and -1 mean DPERM_THREADS or all cores; the result is the same to the bit for any number."""
    if n_jobs is None or n_jobs == -1:
        return 0
    return whole("n_jobs", n_jobs, most=2**31 - 1)


def seeded(random_state: Any) -> Optional[c.Handle]:
    """A reproducible source for a seed, None for the system's secure one."""
    if random_state is None:
        return None
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if not 0 <= int(random_state) < 2**64:
            raise ValueError(f"random_state={random_state!r}; it must be between 0 and 2**64 - 1")
        seed = int(random_state)
    else:
        from sklearn.utils import check_random_state

        seed = int(check_random_state(random_state).randint(0, 2**31 - 1))
    return c.Handle("dperm_random_seeded", "dperm_random_free", seed)
