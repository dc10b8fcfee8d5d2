"""Random models by trials and by first order: equal where linear, within JCGM 101, clause 8, where nearly so.

For a linear model the law of propagation is exact whatever the distributions are, so the mean and the
standard deviation of trials differ from it by chance alone: by at most four standard errors.
"""

import random
from decimal import Decimal

import numpy as np
import pytest
from tests.core.engine.stated import setting_of, trials_of
from tests.core.engine.test_uncertainty import HEAD, write_random_formula

from weighbridge.core.engine import GivenValues, try_out
from weighbridge.core.model import prepare
from weighbridge.core.uncertainty.sampling import UncertainValue
from weighbridge.core.uncertainty.trial_summary import compare_with_first_order, summarise
from weighbridge.modelling.documents import read_model

TRIALS = 200_000
A_MILLION = 1_000_000
MODELS = 20

DISTRIBUTIONS = (
    "standard: {u}",
    "half_width: {u}, coverage_factor: 2",
    "half_width: {u}, distribution: rectangular",
    "half_width: {u}, distribution: triangular",
    "half_width: {u}, distribution: arcsine",
    "standard: {u}, effect: scale",
)
"""Statements; all that name the scale share its error."""


def write_constants(chance, names, statements):
    return "".join(
        f"- {{slug: {name}, unit: '', constant: {chance.uniform(-3, 3)!r},"
        f" uncertainty: {{{chance.choice(statements).format(u=chance.uniform(0.01, 0.5))}}}}}\n"
        for name in names
    )


def read_random(nodes, formula):
    return read_model(
        HEAD.format(name="Random", output="result")
        + f"nodes:\n{nodes}- {{slug: result, unit: '', formula: \"{formula}\"}}\n"
    )


def propagate(model):
    """The estimate and the combined uncertainty of the result, by first order."""
    trial = try_out(prepare(model), GivenValues({}))
    assert trial.problems == ()
    return trial.values["result"], trial.uncertainties["result"].combine().standard_uncertainty


def draw(model, trials=TRIALS):
    """The result in each trial, by what the document states of its constants."""
    stated = {node.slug: UncertainValue((node.uncertainty,)) for node in model.nodes if node.uncertainty}
    return trials_of(setting_of(model, {}, stated), trials)["result"]


@pytest.mark.parametrize("seed", range(MODELS))
def test_trials_of_a_linear_model_have_the_deviation_of_first_order(seed):
    chance = random.Random(seed)  # noqa: S311 - the same models each time
    names = [f"x{index}" for index in range(chance.randint(2, 5))]
    formula = " + ".join(f"{chance.uniform(-2, 2)!r} * {name}" for name in names).replace("+ -", "- ")
    model = read_random(write_constants(chance, names, DISTRIBUTIONS), formula)

    estimate, uncertainty = map(float, propagate(model))
    values = draw(model)

    distances = values - values.mean()
    deviation = values.std(ddof=1)
    error = np.sqrt(((distances**4).mean() - deviation**4) / TRIALS) / (2 * deviation)
    assert uncertainty > 0
    assert abs(values.mean() - estimate) <= 4 * deviation / np.sqrt(TRIALS)
    assert abs(deviation - uncertainty) <= 4 * error


def test_first_order_of_nearly_linear_models_passes_clause_8():
    chance = random.Random(8)  # noqa: S311 - the same models each time
    verdicts = []
    while len(verdicts) < MODELS / 2:
        names = [f"x{index}" for index in range(chance.randint(1, 4))]
        formula = write_random_formula(chance, names, 3)
        model = read_random(write_constants(chance, names, ("standard: {u:.3f}e-3",)), formula)
        estimate, uncertainty = propagate(model)
        if not uncertainty:
            continue
        values = draw(model, A_MILLION)
        expanded = Decimal("1.959963984540054") * uncertainty
        found = compare_with_first_order(estimate, uncertainty, expanded, summarise(values).distributed)
        verdicts.append(found.is_passed)

    assert False not in verdicts
    assert verdicts.count(True) >= MODELS / 4, "the others are too near to the tolerance for these trials"
