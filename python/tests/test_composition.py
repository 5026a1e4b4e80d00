"""Ledgers whose charges add up by one Renyi order."""

import json
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm

import dperm
from checks import refused


def response(order, epsilon):
    """The divergence of randomized response."""
    return math.log((math.exp(order * epsilon) + math.exp((1 - order) * epsilon)) / (1 + math.exp(epsilon))) / (order - 1)


def test_charges_add_up_by_the_order_that_was_fixed(two, tmp_path):
    known = dict(data_norm=3, classes=[0, 1])
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 2, delta="1e-6", composition="renyi", order=13)
    with pytest.raises(KeyError, match="has no data set 'zz'"):
        ledger.left("zz")
    before = float(ledger.left("people"))
    for _ in range(3):
        dperm.LogisticRegression(0.2, ledger=ledger, dataset="people", **known).fit(*two)
    shown = ledger.datasets()[0]
    assert (shown["composition"], shown["order"], shown["epsilon_plain"]) == ("renyi", 13, "0.6")
    assert float(shown["epsilon_left"]) == pytest.approx(before - 3 * response(13, 0.2), abs=1e-8)
    assert [float(e["cost_epsilon"]) for e in ledger.entries()] == pytest.approx([response(13, 0.2)] * 3, abs=1e-8)
    fitted = dperm.LogisticRegression(0.1, ledger=ledger, dataset="people", **known).fit(*two)
    holds, lines = fitted.privacy_.verify(ledger)
    assert holds and any(one.line.startswith("price: entry ") for one in lines)
    assert not any("price: " in one.line for one in fitted.privacy_.verify()[1])
    with pytest.raises(dperm.BudgetError, match="by its Renyi order, and this run needs"):
        dperm.LogisticRegression(1.9, ledger=ledger, dataset="people", **known).fit(*two)
    assert ledger.verify()[0]


def test_a_ledger_may_be_given_by_its_path(two, tmp_path):
    path = tmp_path / "l.ledger"
    dperm.Ledger.create(path, "people", 2, delta="1e-6", composition="renyi", order=13)
    privacy = dperm.LogisticRegression(0.2, data_norm=3, classes=[0, 1], ledger=path, dataset="people").fit(*two).privacy_
    for given in (path, str(path), dperm.Ledger(path)):
        holds, lines = privacy.verify(ledger=given)
        assert holds and any(one.line.startswith("price: entry ") for one in lines)
        assert "| what it costs there | 0." in privacy.statement(ledger=given)
    for wrong in (3, True, object()):
        refused(ValueError, "give a dperm.Ledger, or the path of one", privacy.verify, ledger=wrong)
        refused(ValueError, "give a dperm.Ledger, or the path of one", privacy.statement, ledger=wrong)
    refused(OSError, "", privacy.verify, ledger=tmp_path / "none")


def test_the_order_has_a_default_and_limits(tmp_path):
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 2, delta=1e-6, composition="renyi")
    assert ledger.datasets()[0]["order"] == 13
    assert dperm.Ledger.create(tmp_path / "l.ledger", "plain", 2).datasets()[1]["composition"] == "plain"
    with pytest.raises(ValueError, match="composition='zcdp'; it is one of plain, renyi"):
        dperm.Ledger.create(tmp_path / "l.ledger", "x", 2, composition="zcdp")
    with pytest.raises(ValueError, match="a Renyi order of 1; give one from 1.1"):
        dperm.Ledger.create(tmp_path / "l.ledger", "x", 2, delta=1e-6, composition="renyi", order=1)
    for none in (0, 0.0, np.float64(0)):
        with pytest.raises(ValueError, match="give one from 1.1 on, or None"):
            dperm.Ledger.create(tmp_path / "l.ledger", "x", 2, delta=1e-6, composition="renyi", order=none)
    with pytest.raises(ValueError, match="the total delta must be a decimal number from 0 to below 1"):
        dperm.Ledger.create(tmp_path / "l.ledger", "x", 2, delta=1)
    refused(ValueError, "needs a total delta", dperm.Ledger.create, tmp_path / "l.ledger", "x", 2, composition="renyi")
    with pytest.raises(ValueError, match="order='big'; it must be a number"):
        dperm.Ledger.create(tmp_path / "l.ledger", "x", 2, delta=1e-6, composition="renyi", order="big")


# ---------------------------------------------------------------- fifty releases, composed by other means


def delta_gaussian(epsilon, m):
    return norm.cdf(m / 2 - epsilon / m) - np.exp(epsilon) * norm.cdf(-m / 2 - epsilon / m)


def composed(losses, masses, times, delta):
    """The epsilon at this delta of so many releases with this law of the loss, by the discrete Fourier transform."""
    law = np.fft.fft(np.fft.ifftshift(masses)) ** times
    law = np.fft.fftshift(np.fft.ifft(law).real)
    return brentq(lambda e: np.where(losses > e, -law * np.expm1(np.minimum(e - losses, 0)), 0).sum() - delta, 0, 4)


def worst_profile(slack, m):
    """The law of losses that no pair with the profile of these corners is worse than: its convex hull."""
    losses = (np.arange(2**14) - 2**13) * 5e-4
    s, far = np.exp(losses), np.maximum(np.abs(losses) - slack, 0)
    known = np.where(np.abs(losses) < slack, 1, delta_gaussian(far, 2 * m) + 2 * delta_gaussian(far, m))
    stick = np.where(losses >= 0, known, 1 - s + s * known)
    hull = []
    for i in range(len(s)):
        while len(hull) > 1 and ((stick[hull[-1]] - stick[hull[-2]]) * (s[i] - s[hull[-1]])
                                 >= (stick[i] - stick[hull[-1]]) * (s[hull[-1]] - s[hull[-2]])):
            hull.pop()
        hull.append(i)
    slopes = np.diff(np.interp(s, s[hull], stick[hull])) / np.diff(s)
    masses = np.zeros(len(s))
    masses[1:-1] = s[1:-1] * np.maximum(np.diff(slopes), 0)
    assert masses.sum() == pytest.approx(1, abs=1e-5)
    return losses, masses


def opposite_records(lam, sigma, R):
    """The law of the loss of an actual pair: one record of norm R against its opposite, all others zero; logistic."""
    f = np.linspace(-14 * sigma / lam, 14 * sigma / lam, 400_001)
    step = f[1] - f[0]

    def log_density(y):
        s = expit(-y * R * f)
        return norm.logpdf(y * R * s - lam * f, scale=sigma) + np.log(lam + R * R * s * (1 - s))

    p, q = log_density(1), log_density(-1)
    cells = np.floor((p - q) / 5e-4).astype(int) + 2**13  # rounded down: a lower bound
    masses = np.bincount(cells, weights=np.exp(p) * step, minlength=2**14)[:2**14]
    assert masses.sum() == pytest.approx(1, abs=1e-6)
    return (np.arange(2**14) - 2**13) * 5e-4, masses


def test_fifty_gaussian_releases_of_a_tenth_cost_less_than_two(two, command, tmp_path):
    X, y = two
    rows = [f"{2 * label - 1} " + " ".join(f"{j + 1}:{value:.6f}" for j, value in enumerate(x)) for x, label in zip(X, y)]
    (tmp_path / "rows.svm").write_text("\n".join(rows) + "\n")
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 2, delta="1e-6", composition="renyi")
    for i in range(50):
        command("train", "--force", "--data", tmp_path / "rows.svm", "--format", "svmlight", "--dims", 4, "--epsilon", 0.1,
                "--delta", 1e-8, "--noise", "gaussian", "--out", tmp_path / "m.json", "--ledger", ledger.path,
                "--dataset", "people")
    shown, model = ledger.datasets()[0], json.loads((tmp_path / "m.json").read_text())
    claim, R = model["privacy"], model["encoding"]["norm"]
    assert set(claim.get("noise_weights") or [1]) == {1} and claim["mechanism"] == "objective"  # so R_K = R
    lam, m = model["rows"] * (claim["lambda"] + claim["delta_reg"]), R * claim["beta"]
    truth = composed(*opposite_records(lam, 1 / claim["beta"], R), 50, 1e-6)
    bound = composed(*worst_profile(math.log1p(R * R / 4 / lam), m), 50, 1e-6)
    assert truth < bound < float(shown["epsilon_spent"]) < 2 and shown["epsilon_plain"] == "5"
    assert {e["terms"].split()[0] for e in ledger.entries()} == {"fits=1"} and ledger.verify()[0]
    print(f"exactly {truth:.3f}, by the profile {bound:.3f}, charged {shown['epsilon_spent']} of 2, plain sum 5")


def test_what_is_asked_of_the_records_is_priced_with_the_fit(census, command, tmp_path):
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 9, delta="1e-6", composition="renyi")

    def entry(*options, epsilon=1):
        command("train", "--force", "--data", census / "people.csv", "--schema", census / "schema.json", "--epsilon", epsilon,
                "--delta", 1e-8, "--noise", "gaussian", "--out", tmp_path / "m.json", "--ledger", ledger.path,
                "--dataset", "people", *options)
        return dict(pair.split("=") for pair in ledger.entries()[-1]["terms"].split())

    asked, refined, alone = entry(), entry("--refine", "0.1"), entry("--refine", "none")
    assert float(alone["pure"]) == 0 and "fits" in alone
    # a schema that nobody knows yet: by the dearest of the curves that cover any
    assert float(asked["counted"]) == pytest.approx(0.23) and float(asked["pure"]) in (0.08, 0.23)
    assert float(refined["refined"]) == float(refined["pure"]) == 0.1
    assert all(float(e["cost"]) < 1.8 * float(alone["cost"]) and float(e["cost_delta"]) < 1e-30
               for e in (asked, refined))
