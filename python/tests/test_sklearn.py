"""scikit-learn's own checks of estimators, with the expected failures one by one."""

import inspect

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import dperm
from dperm.estimators import EXPECTED_FAILURES
from dperm.tuner import EXPECTED_FAILURES as TUNER_FAILURES

pytestmark = [pytest.mark.filterwarnings("ignore::dperm.PrivacyLeakWarning"),
              pytest.mark.filterwarnings("ignore::dperm.NotPrivateWarning"),
              pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")]

# The checks ask for accuracy on toy data: about the largest budget there is (delta grows with it, and
# above 1e-30 a fit is refused), and noise from a seed, so that noise is not what fails them.
ESTIMATORS = [dperm.LogisticRegression(25.0, random_state=0), dperm.LinearSVC(25.0, random_state=0),
              dperm.LinearSVC(25.0, loss="smooth-hinge", random_state=0),
              dperm.KernelSVC(25.0, gamma=2.0, n_components=40, random_state=0),
              dperm.Regressor(25.0, random_state=0), dperm.Regressor(25.0, loss="quantile", random_state=0)]
TUNER = dperm.PrivateTuner(dperm.LogisticRegression(25.0, random_state=0), {"lambda_": [1e-3, 1e-2]},
                           method="stopping", holdout=0.5, rounds_mean=1.5)
_newer = "expected_failed_checks" in inspect.signature(parametrize_with_checks).parameters
_expected = {"expected_failed_checks": lambda estimator: TUNER_FAILURES if isinstance(
    estimator, dperm.PrivateTuner) else EXPECTED_FAILURES} if _newer else {}


@parametrize_with_checks(ESTIMATORS + [TUNER], **_expected)
def test_estimator(estimator, check):
    check(estimator)


def test_what_is_expected_to_fail_is_listed_with_a_reason():
    assert list(EXPECTED_FAILURES) == ["check_parameters_default_constructible"]
    assert len(TUNER_FAILURES) == 5
    assert all(len(reason) > 20 for reason in {**EXPECTED_FAILURES, **TUNER_FAILURES}.values())
