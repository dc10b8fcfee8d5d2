"""Values are drawn as their statements say: by distribution, unit, effect and correlation."""

from decimal import Decimal

import numpy as np
import pytest

from weighbridge.core.uncertainty.correlation import build_pair
from weighbridge.core.uncertainty.sampling import (
    BlockOfDraws,
    UncertainValue,
    build_mixtures,
    check_statement,
)
from weighbridge.core.uncertainty.statement import build_statement
from weighbridge.core.unit import parse_unit

TRIALS = 200_000
KG = parse_unit("kg")


def stated(*statements, identity=None):
    built = []
    for fields in statements:
        numbers = {
            key: Decimal(value)
            if isinstance(value, str) and key not in {"distribution", "unit", "effect"}
            else value
            for key, value in fields.items()
        }
        statement, problems = build_statement(numbers, KG)
        assert not problems
        built.append(statement)
    return UncertainValue(tuple(built), identity)


def draw(value, uncertain, name="mass", *, count=TRIALS, mixtures=None):
    return BlockOfDraws(1, 0, count, mixtures or {}).draw_value(Decimal(value), KG, uncertain, name)


PERCENTILES = {"low": Decimal("0.8"), "high": Decimal("1.3"), "probability": Decimal("0.95")}


@pytest.mark.parametrize(
    ("fields", "deviation"),
    [
        ({"standard": "2"}, 2),
        ({"relative_standard": "0.01"}, 1),
        ({"half_width": "4", "coverage_factor": "2"}, 2),
        ({"half_width": "6", "distribution": "rectangular"}, 3.4641),
        ({"relative_half_width": "0.06", "distribution": "triangular"}, 2.4495),
        ({"half_width": "6", "distribution": "arcsine"}, 4.2426),
        ({"standard": "0.002", "unit": "t"}, 2),
        ({"standard": "2", "degrees_of_freedom": "18"}, 2 * (18 / 16) ** 0.5),
    ],
)
def test_a_value_is_drawn_around_itself(fields, deviation):
    drawn = draw("100", stated(fields))

    assert float(drawn.mean()) == pytest.approx(100, abs=4 * deviation / TRIALS**0.5)
    assert float(drawn.std()) == pytest.approx(deviation, rel=0.01)


def test_percentiles_say_where_a_value_lies():
    drawn = draw("100", stated({"relative_percentiles": PERCENTILES}))

    assert float((drawn < 80).mean()) == pytest.approx(0.025, abs=0.002)
    assert float((drawn > 130).mean()) == pytest.approx(0.025, abs=0.002)
    assert float(np.median(drawn)) == pytest.approx(100 * (0.8 * 1.3) ** 0.5, rel=0.01)


def test_several_statements_add_their_errors():
    drawn = draw("100", stated({"standard": "3"}, {"standard": "4"}))

    assert float(drawn.std()) == pytest.approx(5, rel=0.01)


def test_values_that_share_an_effect_move_together_and_others_do_not():
    shared, alone = stated({"standard": "1", "effect": "scale"}), stated({"standard": "1"})
    first, second = draw("10", shared, "a"), draw("20", shared, "b")

    assert list(second - first) == pytest.approx([10] * TRIALS)
    assert abs(float(np.corrcoef(draw("10", alone, "a"), draw("20", alone, "b"))[0, 1])) < 0.01


def test_a_relative_effect_moves_values_by_their_size():
    shared = stated({"relative_standard": "0.01", "effect": "scale"})

    assert list(draw("200", shared, "a")) == pytest.approx(list(-2 * draw("-100", shared, "b")))


def test_a_reading_that_two_nodes_read_is_one():
    reading = stated({"standard": "1"}, identity="evt_1")

    assert list(draw("10", reading, "a")) == list(draw("10", reading, "b"))


def test_correlated_effects_have_their_coefficient():
    mixtures = build_mixtures([build_pair("v", "i", Decimal("-0.36"))])

    left = draw("0", stated({"standard": "2", "effect": "v"}), "a", mixtures=mixtures)
    right = draw("0", stated({"standard": "3", "effect": "i"}), "b", mixtures=mixtures)

    assert float(np.corrcoef(left, right)[0, 1]) == pytest.approx(-0.36, abs=0.01)
    assert float(right.std()) == pytest.approx(3, rel=0.01)


def test_nothing_uncertain_is_the_value_itself():
    assert set(draw("12.5", stated({"standard": "0"}), count=5)) == {12.5}


def test_what_cannot_be_drawn_is_said():
    mixtures = build_mixtures([build_pair("v", "i", Decimal(0))])
    [few] = stated({"standard": "1", "degrees_of_freedom": "0.5"}).statements
    [limits] = stated({"half_width": "1", "distribution": "rectangular", "effect": "v"}).statements

    assert check_statement(few, {}) == "has 0.5 degrees of freedom; trials need at least 1"
    assert "correlated effect 'v'" in check_statement(limits, mixtures)
    with pytest.raises(ValueError, match="'v' is in two groups"):
        build_mixtures([build_pair("v", "i", Decimal(0)), build_pair("v", "x", Decimal(0))])
