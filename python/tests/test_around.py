"""What scikit-learn does around a fit: repeated fits and steps that learn warn, or are errors under strict(), and
every model that comes of it says that it is not private."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.model_selection import (GridSearchCV, HalvingGridSearchCV, HalvingRandomSearchCV, RandomizedSearchCV,
                                     cross_val_predict, cross_val_score, cross_validate, learning_curve,
                                     permutation_test_score, validation_curve)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

import dperm
from dperm.base import PrivateEstimator

LEAK = dperm.PrivacyLeakWarning


def clf(classes=(0, 1), **how):
    return dperm.LogisticRegression(5.0, data_norm=3, classes=list(classes), **how)


# Every class and function of scikit-learn that fits an estimator it is given, or a reason why it cannot fit ours.
REPEATED = {
    "GridSearchCV": lambda X, y: GridSearchCV(clf(), {"lambda_": [0.1, 0.2]}, cv=2).fit(X, y),
    "RandomizedSearchCV": lambda X, y: RandomizedSearchCV(clf(), {"lambda_": [0.1, 0.2]}, n_iter=2, cv=2).fit(X, y),
    "HalvingGridSearchCV": lambda X, y: HalvingGridSearchCV(clf(), {"lambda_": [0.1, 0.2]}, cv=2, random_state=1).fit(X, y),
    "HalvingRandomSearchCV": lambda X, y: HalvingRandomSearchCV(clf(), {"lambda_": [0.1, 0.2, 0.3]}, cv=2, n_candidates=2,
                                                                random_state=1).fit(X, y),
    "cross_validate": lambda X, y: cross_validate(clf(), X, y, cv=2),
    "cross_val_score": lambda X, y: cross_val_score(clf(), X, y, cv=2),
    "cross_val_predict": lambda X, y: cross_val_predict(clf(), X, y, cv=2),
    "learning_curve": lambda X, y: learning_curve(clf(), X, y, cv=2, train_sizes=[0.5], error_score="raise"),
    "validation_curve": lambda X, y: validation_curve(clf(), X, y, param_name="lambda_", param_range=[0.1], cv=2,
                                                      error_score="raise"),
    "permutation_test_score": lambda X, y: permutation_test_score(clf(), X, y, cv=2, n_permutations=1),
    "CalibratedClassifierCV": lambda X, y: CalibratedClassifierCV(clf(), cv=2).fit(X, y),
    "BaggingClassifier": lambda X, y: BaggingClassifier(clf(), n_estimators=2, random_state=1).fit(X, y),
    "VotingClassifier": lambda X, y: VotingClassifier([("a", clf()), ("b", clf(lambda_=0.1))]).fit(X, y),
    "StackingClassifier": lambda X, y: StackingClassifier([("a", clf())], cv=2).fit(X, y),
    "StackingClassifier, last": lambda X, y: StackingClassifier([("t", DecisionTreeClassifier(max_depth=2))], clf(),
                                                                cv=2).fit(X, y),
    "ClassifierChain": lambda X, y: ClassifierChain(clf(), cv=2).fit(X, np.column_stack([y, 1 - y])),
    "MultiOutputClassifier": lambda X, y: MultiOutputClassifier(clf()).fit(X, np.column_stack([y, 1 - y])),
    "OneVsRestClassifier": lambda X, y: OneVsRestClassifier(clf()).fit(X, y),
    "OneVsOneClassifier": lambda X, y: OneVsOneClassifier(clf()).fit(X, y),
    "OutputCodeClassifier": lambda X, y: OutputCodeClassifier(clf([-1, 1]), random_state=1).fit(X, y),
    "SelfTrainingClassifier": lambda X, y: SelfTrainingClassifier(clf()).fit(X, np.where(np.arange(len(y)) % 3, y, -1)),
    "SelectFromModel": lambda X, y: SelectFromModel(clf()).fit(X, y),
    "SequentialFeatureSelector": lambda X, y: SequentialFeatureSelector(clf(), n_features_to_select=1, cv=2).fit(X, y),
    "RFE": lambda X, y: RFE(clf(), n_features_to_select=2, step=0.9).fit(X, y),
    "RFECV": lambda X, y: RFECV(clf(), step=0.9, cv=2).fit(X, y)}
try:
    from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

    REPEATED["TunedThresholdClassifierCV"] = lambda X, y: TunedThresholdClassifierCV(clf(), cv=2).fit(X, y)
except ImportError:  # scikit-learn before 1.5
    FixedThresholdClassifier = None
ONCE = {"Pipeline", "FeatureUnion", "FixedThresholdClassifier", "FrozenEstimator"}
NOT_OURS = {"AdaBoostClassifier": "it needs sample_weight, which is refused",
            "ColumnTransformer": "its parts are transformers",
            **dict.fromkeys(["AdaBoostRegressor", "BaggingRegressor", "MultiOutputRegressor", "RANSACRegressor",
                             "RegressorChain", "StackingRegressor", "TransformedTargetRegressor", "VotingRegressor"],
                            "it fits regressors")}


def test_the_table_has_all_that_fit_an_estimator_they_are_given():
    takes = {"estimator", "estimators", "base_estimator", "regressor", "final_estimator", "transformers",
             "transformer_list", "steps"}
    found = {name for name, kind in all_estimators() if takes & set(inspect.signature(kind.__init__).parameters)}
    given = {name for name in dir(model_selection) if callable(getattr(model_selection, name)) and
             "estimator" in inspect.signature(getattr(model_selection, name)).parameters}
    assert found | given <= {*REPEATED, *ONCE, *NOT_OURS, "LearningCurveDisplay", "ValidationCurveDisplay"}


@pytest.fixture
def stamps(monkeypatch):
    """What every model that was made says of itself; forked workers have none here."""
    found, inner = [], PrivateEstimator._fitted

    def noted(self, model, classes=None):
        found.append((model.is_private, model.to_dict()["reason"]))
        return inner(self, model)

    monkeypatch.setattr(PrivateEstimator, "_fitted", noted)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REPEATED)
def test_every_model_of_repeated_fits_says_that_it_is_not_private(name, two, stamps, tmp_path, monkeypatch):
    REPEATED[name](*two)
    assert stamps and all(not private and "values were scaled or chosen" in reason for private, reason in stamps)
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 99)
    charged, made = clf, len(stamps)
    monkeypatch.setitem(globals(), "clf", lambda *of, **how: charged(*of, ledger=ledger, dataset="people", **how))
    with pytest.raises((ValueError, dperm.BudgetError), match="not private|fits failed|knows"):
        REPEATED[name](*two)
    assert not ledger.entries() and len(stamps) == made


@pytest.mark.parametrize("name", REPEATED)
def test_repeated_fits_warn_and_name_who_repeats_them(name, two):
    with pytest.warns(LEAK, match=rf"\({name.split(',')[0]}\).*NOT private; use dperm.PrivateTuner"):
        REPEATED[name](*two)
    with dperm.strict(), pytest.raises(ValueError, match="NOT private|All the .* fits failed|fits failed"):
        REPEATED[name](*two)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REPEATED)
def test_repeated_fits_are_refused_on_records_that_the_environments_ledger_knows(name, two, stamps, tmp_path, monkeypatch):
    """On parts of them too, and whatever labels they have; other records go on."""
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 9)
    clf(ledger=ledger, dataset="people").fit(*two)
    monkeypatch.setenv("DPERM_LEDGER", ledger.path)
    monkeypatch.setenv("DPERM_DATASET", "people")
    made = len(stamps)
    with pytest.raises((ValueError, dperm.BudgetError), match="knows these data|fits failed"):
        REPEATED[name](*two)
    assert len(stamps) == made and ledger.left("people") == "4"
    REPEATED[name](two[0][1:], two[1][1:])
    assert len(stamps) > made and ledger.left("people") == "4"


@pytest.mark.filterwarnings("ignore")
def test_around_a_pipeline_the_ledger_cannot_be_asked(two, tmp_path, monkeypatch):
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 9)
    monkeypatch.setenv("DPERM_LEDGER", ledger.path)
    changed = make_pipeline(Normalizer(), clf())
    with pytest.raises(ValueError, match="VotingClassifier around a pipeline.*ledger=\"none\" if they are public"):
        VotingClassifier([("a", changed)]).fit(*two)
    VotingClassifier([("a", changed.set_params(logisticregression__ledger="none"))]).fit(*two)
    make_pipeline(Normalizer(), VotingClassifier([("a", clf())])).fit(*two)  # which is given what the fit is given


def test_a_tuner_that_is_fitted_repeatedly_warns_too(two):
    tuner = dperm.PrivateTuner(clf(), {"lambda_": [0.1, 0.2]})
    with pytest.warns(LEAK, match="part of a cross-validation"):
        cross_val_score(tuner, *two, cv=2)


def test_threads_of_joblib_warn_too(two):
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_backend("threading", n_jobs=2), pytest.warns(LEAK, match="part of a cross-validation"):
        cross_val_score(clf(), *two, cv=2)


def test_nested_pipelines_and_tuners(two):
    with pytest.warns(LEAK, match="StandardScaler in the pipeline"):
        inner = make_pipeline(StandardScaler(), make_pipeline(Normalizer(), clf())).fit(*two)[-1][-1]
    assert not inner.privacy_.private
    tuner = dperm.PrivateTuner(clf(), {"lambda_": [0.1, 0.2]})
    with pytest.warns(LEAK, match="StandardScaler in the pipeline"):
        assert not make_pipeline(StandardScaler(), tuner).fit(*two)[-1].privacy_.private
    with warnings.catch_warnings():
        warnings.simplefilter("error", LEAK)
        assert make_pipeline(Normalizer(), tuner).fit(*two)[-1].privacy_.private


def test_a_step_from_public_records_is_frozen(two):
    frozen = pytest.importorskip("sklearn.frozen")
    scaler = frozen.FrozenEstimator(StandardScaler().fit(two[0][:100]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", LEAK)
        assert make_pipeline(scaler, clf()).fit(two[0][100:], two[1][100:])[-1].privacy_.private


def test_a_fixed_threshold_is_one_fit(two):
    if FixedThresholdClassifier is None:
        pytest.skip("scikit-learn before 1.5")
    with warnings.catch_warnings():
        warnings.simplefilter("error", LEAK)
        FixedThresholdClassifier(clf(), threshold=0.4).fit(*two)
