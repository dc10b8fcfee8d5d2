"""Trials draw a value that a rule put in by the readings that it came from, as first order takes it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from tests.accounting.batch_generations.test_uncertainty_of_filled_values import (
    METHODS,
    Series,
    build_generate,
)
from tests.given.uncertain_chains import TRIALS, run


@dataclass(frozen=True)
class Trying:
    """Who starts trials, and does what they ask for."""

    api: Any
    drain: Any


STATED = {"method": "constant", "value": 60, "uncertainty": {"relative_standard": 0.2}}


@pytest.mark.parametrize(
    ("nodes", "correction"),
    [
        ("summed", {"method": "mean"} | METHODS["mean"]),
        ("covered", {"method": "linear"}),
        ("weighted", {"method": "previous"}),
        ("by time", {"method": "mean"} | METHODS["mean"]),
        ("one by one", {"method": "mean_before_after"}),
        ("joined average by weight", {"method": "mean"} | METHODS["mean"]),
        ("joined and summed", {"method": "linear"}),
        ("one by one", STATED),
    ],
)
def test_what_filled_values_share_is_drawn_once(api, account, nodes, correction):
    series = Series(f"trials {nodes} {correction}", imputes=not nodes.startswith("weighted"))
    batch = build_generate(api, account)(series, nodes, correction)

    found = run(Trying(api, account.drain), f"/batches/{batch['id']}", seed=11)

    first_order = batch["uncertainty"]["standard_uncertainty"]
    assert found["state"] == "complete", found
    assert abs(Decimal(found["first_order"]["standard_uncertainty"]) - first_order) < Decimal("1e-9")
    ratio = Decimal(found["standard_uncertainty"]) / first_order
    assert abs(ratio - 1) < 4 / Decimal(2 * (TRIALS - 1)).sqrt()
