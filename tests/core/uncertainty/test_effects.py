"""Effects combine as the GUM says: shared ones add before they are squared, others in squares."""

import random
from decimal import Decimal

import GTC
import pytest

from weighbridge.core.uncertainty.effects import (
    Component,
    FreedomReason,
    UncertaintyEffect,
    add_components,
    combine,
    compute_covariance,
    find_smallest_eigenvalue,
    list_correlation_problems,
    multiply_components,
    pool_independent,
)


def of(name, change, degrees=None, input_name=None):
    freedom = None if degrees is None else Decimal(degrees)
    return {UncertaintyEffect(name): Component({input_name or name: Decimal(change)}, freedom)}


def pair(one, other):
    return frozenset((UncertaintyEffect(one), UncertaintyEffect(other)))


def together(*parts):
    return add_components(parts)


def test_two_loads_on_one_weighbridge_share_its_calibration():
    loads = together(
        of("calibration", 20, input_name="first"),
        of("calibration", 20, input_name="second"),
        of("first reading", 10),
        of("second reading", 10),
    )
    combined = combine(loads)
    assert abs(combined.standard_uncertainty**2 - 1800) < Decimal("1e-20")
    assert [(str(line.effect), line.input, line.share * 36) for line in combined.budget][:2] == [
        ("calibration", "first", 16),
        ("calibration", "second", 16),
    ]


def test_the_shares_of_a_budget_add_up_to_the_whole():
    combined = combine(together(of("a", 3), of("b", -4), of("c", "0.5")), {pair("a", "b"): Decimal("0.3")})
    assert abs(sum(line.share for line in combined.budget) - 1) < Decimal("1e-27")
    assert combined.standard_uncertainty**2 == pytest.approx(9 + 16 + Decimal("0.25") - Decimal("7.2"))


def test_a_shared_effect_that_works_in_both_directions_cancels():
    difference = together(
        of("calibration", 20, input_name="gross"), of("calibration", -20, input_name="tare")
    )
    assert combine(difference).standard_uncertainty == 0


# GUM H.1, the end gauge: JCGM 100:2008, table H.1; sensitivities in nm.
GAUGE = {
    "length of the standard": (Decimal(25), 18),
    "measured difference": (Decimal("5.8"), 24),
    "random effects of the comparator": (Decimal("3.9"), 5),
    "systematic effects of the comparator": (Decimal("6.7"), 8),
    "difference of expansion": (Decimal("2.886751345948128822545743902509787"), 50),
    "difference of temperature": (Decimal("16.59902648742187412714757"), 2),
}


def test_the_end_gauge_of_the_gum_has_its_printed_uncertainty():
    combined = combine(together(*(of(name, *stated) for name, stated in GAUGE.items())))
    assert round(combined.standard_uncertainty) == 32
    assert int(combined.degrees_of_freedom) == 16
    # 99 %: U = 93 nm with t = 2.92 of 16 degrees of freedom, after the GUM cuts 16.75 down.
    assert round(combined.compute_coverage_factor(Decimal("0.99")), 2) == Decimal("2.90")
    assert str(combined.budget[0].effect) == "length of the standard"


def test_resistance_and_reactance_of_the_gum_are_correlated_as_printed():
    # JCGM 100:2008, H.2, by the sensitivities of R = V cos(phi) / I at the printed estimates.
    voltage, current, phase = (GTC.ureal(4.999, 1), GTC.ureal(0.019661, 1), GTC.ureal(1.04446, 1))
    results = {
        "R": voltage * GTC.cos(phase) / current,
        "X": voltage * GTC.sin(phase) / current,
        "Z": voltage / current,
    }
    stated = {"voltage": (voltage, "3.2e-3"), "current": (current, "9.5e-6"), "phase": (phase, "7.5e-4")}
    correlations = {
        pair("voltage", "current"): Decimal("-0.36"),
        pair("voltage", "phase"): Decimal("0.86"),
        pair("current", "phase"): Decimal("-0.65"),
    }
    components = {
        name: together(
            *(
                of(effect, Decimal(repr(GTC.reporting.sensitivity(result, quantity))) * Decimal(size))
                for effect, (quantity, size) in stated.items()
            )
        )
        for name, result in results.items()
    }
    uncertainties = {
        name: combine(parts, correlations).standard_uncertainty for name, parts in components.items()
    }
    assert round(uncertainties["R"], 3) == Decimal("0.070")
    assert round(uncertainties["X"], 2) == Decimal("0.30")
    assert round(uncertainties["Z"], 2) == Decimal("0.24")
    for one, other, printed in (("R", "X", "-0.59"), ("R", "Z", "-0.49"), ("X", "Z", "0.99")):
        covariance = compute_covariance(components[one], components[other], correlations)
        coefficient = covariance / (uncertainties[one] * uncertainties[other])
        assert round(coefficient, 2) == Decimal(printed)


def test_random_budgets_agree_with_gtc():
    random_source = random.Random(7)  # noqa: S311 - the same numbers each time
    for _ in range(200):
        stated = [
            (random_source.uniform(-5, 5), random_source.choice([None, random_source.uniform(1, 60)]))
            for _ in range(random_source.randint(1, 8))
        ]
        combined = combine(
            together(
                *(
                    of(f"x{index}", repr(change), None if degrees is None else repr(degrees))
                    for index, (change, degrees) in enumerate(stated)
                )
            )
        )
        reference = sum(
            change * GTC.ureal(0, 1, float("inf") if degrees is None else degrees)
            for change, degrees in stated
        )
        assert float(combined.standard_uncertainty) == pytest.approx(reference.u, rel=1e-10)
        if combined.degrees_of_freedom is None:
            assert reference.df == float("inf")
        else:
            assert float(combined.degrees_of_freedom) == pytest.approx(reference.df, rel=1e-10)


def test_correlated_effects_of_finite_degrees_have_none_together():
    parts = together(of("a", 1, 5), of("b", 1))
    combined = combine(parts, {pair("a", "b"): Decimal("0.5")})
    assert combined.degrees_of_freedom is None
    assert combined.reason is FreedomReason.CORRELATED
    assert combine(parts).reason is None
    assert combine(of("b", 1)).reason is FreedomReason.INFINITE


def test_a_million_readings_are_one_component():
    change, degrees = pool_independent([Decimal("0.01")] * 1_000_000)
    assert change == 10
    assert degrees is None


def test_pooled_readings_keep_their_degrees_of_freedom():
    change, degrees = pool_independent([Decimal(3), Decimal(4)], [Decimal(9), None])
    assert change == 5
    assert round(degrees, 10) == round(Decimal(625) * 9 / 81, 10)


def test_what_parts_have_adds_up_to_what_the_whole_has():
    whole = together(of("calibration", "1.7"), of("own", "0.3"))
    parts = [multiply_components(whole, Decimal(part)) for part in ("0.25", "0.375", "0.375")]
    assert add_components(parts) == whole


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([("a", "a", "0.5")], "not correlated with itself"),
        ([("a", "b", "0.5"), ("b", "a", "0.5")], "given twice"),
        ([("a", "b", "1.5")], "from -1 to 1; here is 1.5"),
        (
            [("a", "b", "0.9"), ("b", "c", "0.9"), ("a", "c", "-0.9")],
            "a, b, c contradict one another: the smallest eigenvalue of their matrix is -0.8",
        ),
    ],
)
def test_what_is_wrong_with_correlations_is_said(pairs, sentence):
    [problem] = list_correlation_problems([(one, other, Decimal(number)) for one, other, number in pairs])
    assert sentence in problem.message


def test_correlations_of_the_gum_and_perfect_ones_are_accepted():
    gum = [("v", "i", "-0.36"), ("v", "p", "0.86"), ("i", "p", "-0.65")]
    perfect = [("a", "b", "1"), ("b", "c", "-1"), ("a", "c", "-1")]
    for pairs in (gum, perfect):
        assert not list_correlation_problems([(one, other, Decimal(number)) for one, other, number in pairs])


def test_the_smallest_eigenvalue_is_exact_where_it_is_known():
    assert abs(find_smallest_eigenvalue([[Decimal(2), Decimal(1)], [Decimal(1), Decimal(2)]]) - 1) < Decimal(
        "1e-28"
    )


def test_of_an_effect_with_several_degrees_of_freedom_the_fewest_count_in_any_order():
    parts = [
        {UncertaintyEffect("scale"): Component({"mass": Decimal(1)}, degrees)}
        for degrees in (Decimal(9), None, Decimal(4))
    ]

    for ordered in (parts, parts[::-1]):
        [component] = add_components(ordered).values()
        assert component.degrees_of_freedom == 4
