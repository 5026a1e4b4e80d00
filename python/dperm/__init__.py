"""dperm: private classifiers and regressions that say what they guarantee.

Differentially private empirical risk minimization in C, at home in scikit-learn. The command line,
the C library and this package share one implementation and one model file.
"""

from . import plots
from ._library import lib as _lib
from .errors import (BudgetError, DataError, DpermError, LedgerError, NotPrivateWarning, NumericError,
                     PrivacyLeakWarning, strict)
from .estimators import KernelSVC, LinearSVC, LogisticRegression, Regressor, load
from .explanation import Explanation
from .ledger import Ledger
from .model import Finding, Model, Privacy
from .planning import Audit, Plan, audit, audit_cases, audit_outcomes, plan
from .schema import Schema
from .streams import read_sql
from .sweep import Sweep, sweep
from .tuner import PrivateTuner

__version__ = _lib.dperm_version().decode()
__all__ = ["LogisticRegression", "LinearSVC", "KernelSVC", "Regressor", "PrivateTuner", "load", "Schema", "Ledger",
           "Model", "Privacy", "Explanation", "Finding", "Plan", "plan", "Audit", "audit", "audit_cases",
           "audit_outcomes", "read_sql", "Sweep", "sweep", "plots", "strict", "PrivacyLeakWarning", "NotPrivateWarning", "DpermError",
           "DataError", "BudgetError", "LedgerError", "NumericError", "__version__"]
