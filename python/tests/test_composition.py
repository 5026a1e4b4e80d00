"""Ledgers whose charges add up by one Renyi order."""

import math

import pytest

import dperm


def response(order, epsilon):
    """The divergence of randomized response."""
    return math.log((math.exp(order * epsilon) + math.exp((1 - order) * epsilon)) / (1 + math.exp(epsilon))) / (order - 1)


def test_charges_add_up_by_the_order_that_was_fixed(two, tmp_path):
    known = dict(data_norm=3, classes=[0, 1])
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 2, delta="1e-6", composition="renyi", order=13)
    before = float(ledger.left("people"))
    for _ in range(3):
        dperm.LogisticRegression(0.2, ledger=ledger, dataset="people", **known).fit(*two)
    shown = ledger.datasets()[0]
    assert (shown["composition"], shown["order"], shown["epsilon_plain"]) == ("renyi", 13, "0.6")
    assert float(shown["epsilon_left"]) == pytest.approx(before - 3 * response(13, 0.2), abs=1e-8)
    assert [float(e["cost_epsilon"]) for e in ledger.entries()] == pytest.approx([response(13, 0.2)] * 3, abs=1e-8)
    with pytest.raises(dperm.BudgetError, match="by Renyi order 13, and this run needs"):
        dperm.LogisticRegression(1.9, ledger=ledger, dataset="people", **known).fit(*two)
    assert ledger.verify()[0]


def test_the_order_has_a_default_and_limits(tmp_path):
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 2, delta=1e-6, composition="renyi")
    assert ledger.datasets()[0]["order"] == 13
    assert dperm.Ledger.create(tmp_path / "l.ledger", "plain", 2).datasets()[1]["composition"] == "plain"
    with pytest.raises(ValueError, match="composition='zcdp'; it is one of plain, renyi"):
        dperm.Ledger.create(tmp_path / "l.ledger", "x", 2, composition="zcdp")
    with pytest.raises(ValueError, match="a Renyi order of 1; give one from 1.1"):
        dperm.Ledger.create(tmp_path / "l.ledger", "x", 2, delta=1e-6, composition="renyi", order=1)
    with pytest.raises(ValueError, match="needs a total delta"):
        dperm.Ledger.create(tmp_path / "l.ledger", "x", 2, composition="renyi")
    with pytest.raises(ValueError, match="order='big'; it must be a number"):
        dperm.Ledger.create(tmp_path / "l.ledger", "x", 2, delta=1e-6, composition="renyi", order="big")
