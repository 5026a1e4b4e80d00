"""Named figures, as attributes and as a mapping: what plans, audits and guarantees are."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Tuple


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


class Figures(Mapping[str, Any]):
    """`f.epsilon` is `f["epsilon"]`; a name that Python keeps for itself takes an underscore behind."""

    _shown: Tuple[str, ...] = ()

    def __init__(self, fields: Dict[str, Any]):
        self._fields = fields

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_fields"][name.rstrip("_")]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={_short(self._fields[k])}" for k in self._shown)
        return f"{type(self).__name__}({shown})"
