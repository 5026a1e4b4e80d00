"""Pictures, where matplotlib is installed. Each draws on `ax`, or makes one, and returns it."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from .planning import plan
from .sweep import OF_CLASSES, OF_NUMBERS, measure, usual_metric

__all__ = ["outlook", "noise_kinds", "budget", "explanation", "sweep", "roc", "calibration"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("pictures need matplotlib; install it (Debian: python3-matplotlib)") from None
    return plt.subplots(layout="constrained")[1]


def outlook(rows: int, *, epsilons: Optional[Sequence[float]] = None, ax: Any = None,
            **settings: Any) -> Any:
    """Noise to signal over epsilon for a plan of so many rows; below 1 there is something to learn."""
    ax = _axes(ax)
    places = np.geomspace(0.01, 10, 25) if epsilons is None else np.asarray(epsilons)
    plans = [plan(rows, epsilon=float(e), **settings) for e in places]
    ax.loglog(places, [p.noise_to_signal for p in plans])
    ax.axhline(1, linestyle=":", color="gray")
    least = plans[-1].epsilon_better_than_coin
    if least is not None:
        ax.axvline(least, linestyle="--", color="gray")
        ax.annotate(" better than a coin from here", (least, ax.get_ylim()[0]), rotation=90,
                    va="bottom", fontsize="small")
    ax.set(xlabel="epsilon", ylabel="noise to signal", title=f"{rows} rows")
    return ax


def noise_kinds(plan: Any, *, ax: Any = None) -> Any:
    """The kinds of noise side by side at a plan's epsilon."""
    ax = _axes(ax)
    names = [kind["noise"] for kind in plan.noise_kinds]
    colors = ["C1" if name == plan.noise else "C0" for name in names]
    ax.bar(names, [kind["rms_noise_norm"] for kind in plan.noise_kinds], color=colors)
    ax.set(ylabel="rms norm of the noise", title=f"epsilon = {plan.epsilon:g}")
    return ax


def budget(ledger: Any, *, ax: Any = None) -> Any:
    """What each data set of a ledger has spent and left."""
    ax = _axes(ax)
    sets = ledger.datasets()
    names = [one["name"] for one in sets]
    spent = [float(one["epsilon_spent"]) for one in sets]
    ax.barh(names, spent, color="C1", label="spent")
    ax.barh(names, [float(one["epsilon_left"]) for one in sets], left=spent, color="C0", label="left")
    ax.set(xlabel="epsilon")
    ax.legend()
    return ax


def explanation(found: Any, *, top: int = 20, index: int = 0, ax: Any = None) -> Any:
    """The effects of `model.explain()` (on class `index` if there are more than two): those that stand out first, the
    others in grey, each over a band as wide as what the privacy noise does alone."""
    if "outputs" not in found:
        raise ValueError("a model with a kernel has no effects to draw")
    ax = _axes(ax)
    chosen = found["outputs"][index]["class"]
    rows = [row for row in found.rows() if row["class"] == chosen and row["effect"] is not None]
    rows = sorted(rows, key=lambda row: (row["verdict"] == "grey", -abs(row["effect"])))[:top][::-1]
    colors = ["0.65" if row["verdict"] == "grey" else "C0" if row["effect"] > 0 else "C3" for row in rows]
    names = [row["column"] if row["kind"] == "line" else f"{row['column']}: {row['name']}" for row in rows]
    band = [found["deviations"] * (row["noise"] or 0) for row in rows]
    places = range(len(rows))
    ax.barh(places, [2 * b for b in band], left=[-b for b in band], color="0.93", height=0.95, zorder=0)
    ax.barh(places, [row["effect"] for row in rows], color=colors, height=0.6)
    ax.set_yticks(places, names)
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.set(xlabel=f"effect on the {found['scale']} of {chosen}; grey cannot be told from the noise")
    return ax


def sweep(cells: Any, *, metric: Optional[str] = None, ax: Any = None) -> Any:
    """The mean of a metric (error, auc, log-loss; of regressions rmse, mae; the first of these if None) over epsilon of a
    sweep, with standard errors, a line for each other setting, and what always saying the same of every record would reach."""
    ax = _axes(ax)
    metric = metric or usual_metric(cells)
    figure, spread, _, words = measure(metric)
    measured = {"epsilon", "runs", "lambda", "noise", "dims", "impossible", *OF_CLASSES, *OF_NUMBERS}
    chosen = {name for cell in cells for name in cell if name not in measured}
    lines: Any = {}
    for cell in cells:
        if cell["runs"]:
            name = ", ".join(f"{k}={cell[k]}" for k in sorted(chosen) if k in cell)
            lines.setdefault(name, []).append(cell)
    for name, line in lines.items():
        if all(cell.get("epsilon") is None for cell in line):
            ax.axhline(line[0][figure], linestyle=":", label=name)
        else:
            ax.errorbar([cell["epsilon"] for cell in line], [cell[figure] for cell in line],
                        [cell[spread] for cell in line], marker="o", capsize=3, label=name)
    ax.set(xlabel="epsilon", ylabel=words, xscale="log")
    if any(lines):
        name = "baseline" if metric == "error" else "baseline_" + metric.replace("-", "_")
        same = 0.5 if metric == "auc" else cells[0].get(name)
        ax.axhline(float("nan") if same is None else same, color="0.5", linestyle="--", label="the same of every record")
        ax.legend()
    return ax


def roc(evaluation: Any, *, ax: Any = None) -> Any:
    """The ROC curve of an evaluation (`evaluate_exact`, `evaluate_private`, `model_.evaluation`), with the band of its intervals."""
    ax, curve = _axes(ax), _part(evaluation, "roc", "two classes")
    x, y, low, high = ([0.0, *(float("nan") if v is None else v for v in reversed(curve[name])), 1.0]
                       for name in ("false_positive_rate", "true_positive_rate", "low", "high"))
    ax.fill_between(x, low, high, alpha=0.2, linewidth=0)
    ax.plot(x, y, label=f"AUC {_value(evaluation['auc']):.3f}")
    ax.plot([0, 1], [0, 1], color="0.5", linestyle="--", label="the same of every record")
    ax.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(0, 1), ylim=(0, 1))
    ax.legend()
    return ax


def calibration(evaluation: Any, *, ax: Any = None) -> Any:
    """What an evaluation saw of each predicted probability, with intervals."""
    ax, bins = _axes(ax), _part(evaluation, "calibration", "probabilities of two classes")
    seen = [i for i, value in enumerate(bins["observed"]) if value is not None and bins["predicted"][i] is not None]
    at = [bins["predicted"][i] for i in seen]
    ax.vlines(at, [bins["low"][i] for i in seen], [bins["high"][i] for i in seen])
    ax.plot(at, [bins["observed"][i] for i in seen], "o")
    ax.plot([0, 1], [0, 1], color="0.5", linestyle="--", label="calibrated")
    ax.set(xlabel="predicted probability", ylabel="share of the second class", xlim=(0, 1), ylim=(0, 1))
    ax.legend()
    return ax


def _part(evaluation: Any, name: str, needs: str) -> Any:
    if not evaluation.get(name):
        raise ValueError(f"the evaluation has no {name}: it is for {needs}")
    return evaluation[name]


def _value(figure: Any) -> float:
    value = figure["value"] if isinstance(figure, dict) else figure
    return float("nan") if value is None else float(value)
