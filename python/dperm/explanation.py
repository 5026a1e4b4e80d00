"""What a model says, and what of it is only noise: ``dperm explain`` as an object."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from .figures import Figures

__all__ = ["Explanation"]


class Explanation(Figures):
    """Every effect of a model with the privacy noise in it and a verdict (``docs/formats.md`` has the members).

    >>> import dperm, numpy as np
    >>> X = np.repeat(np.eye(2), 5000, axis=0)
    >>> clf = dperm.LogisticRegression(5.0, data_norm=1, classes=[0, 1], fit_intercept=False)
    >>> _ = clf.fit(X, np.repeat([0, 1], 5000))
    >>> found = clf.explain()
    >>> sorted((row["column"], row["verdict"] != "grey") for row in found.rows())
    [('column 1', True), ('column 2', True)]
    """

    def __init__(self, fields: Dict[str, Any], names: Optional[Sequence[str]] = None):
        super().__init__(fields)
        for output in fields.get("outputs", []):
            for column in output["columns"] if names is not None else []:
                column["name"] = str(names[column["first"]])

    def rows(self) -> List[Dict[str, Any]]:
        """A dict for each effect: the columns that say most first, in each class."""
        found = []
        for output in self.get("outputs", []):
            for column in output["columns"]:
                lines = [column["line"]] if "line" in column else []
                for level in [*lines, *column["levels"]]:
                    found.append({"class": output["class"], "column": column["name"], "kind": column["kind"], **level})
        return found

    def to_frame(self) -> Any:
        """The same as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def plot(self, *, top: int = 20, index: int = 0, ax: Any = None) -> Any:
        """The largest effects that stand out, over as many grey ones as there is room for (`dperm.plots`)."""
        from . import plots

        return plots.explanation(self, top=top, index=index, ax=ax)

    def __repr__(self) -> str:
        if "outputs" not in self:
            return "Explanation(nothing: a kernel has no effects to show)"
        if self["epsilon"] is None:
            return f"Explanation(no noise, {self['weights']} weights)"
        return (f"Explanation({self['standing_out']} of {self['examined']} effects stand out from the privacy noise, "
                f"{self['beyond_the_noise']} beyond all of it)")
