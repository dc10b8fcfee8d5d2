"""The cases that a document carries, and the published examples that come with the product."""

from decimal import Decimal
from pathlib import Path

import pytest
from tests.core.model.documents import SETTINGS, document, flaws_of

from weighbridge.modelling.documents import check_document

EXAMPLES = sorted(Path(__file__).parents[3].joinpath("examples").glob("*.yaml"))

NODES = """
- {slug: wet, unit: "t{wet}", input: {event_type: delivery, data_point_type: mass, aggregate: values}}
- slug: moisture
  unit: "%"
  input: {event_type: lab, data_point_type: moisture, aggregate: values, join: {to: wet, on: tracking_id}}
- {slug: power, unit: kWh, input: {event_type: bill, data_point_type: energy, aggregate: delta}}
- {slug: factor, unit: "kg{CO2e}/kWh", constant: 0.5}
- {slug: dry, unit: "t{wet}", formula: wet * (1 - moisture)}
- {slug: result, unit: "t{wet}", formula: sum(dry)}
"""


def results(case):
    report = check_document(document(NODES, f"cases:\n  - {case}\n"))
    assert report.is_valid, report.flaws
    return report


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_passes_its_published_cases(path):
    report = check_document(path.read_text(encoding="utf-8"))

    assert report.flaws == ()
    assert report.cases
    assert [result.case.name for result in report.cases if not result.is_passed] == []


def test_there_is_an_example_for_each_published_method():
    assert [path.stem for path in EXAMPLES] == [
        "biochar-decay",
        "biochar-durability",
        "certificates-to-tonne",
        "deliveries-with-shared-electricity",
        "low-carbon-fuel-units",
        "natural-gas-combustion",
        "shared-transport",
        "transport-fuel-and-refrigerant",
    ]


def test_a_case_shows_each_equation_with_its_values():
    (result,) = results(
        "{name: a, inputs: {wet: [1.2, 0.9], moisture: [12, 18]}, expect: {result: 1.794}}"
    ).cases

    assert result.is_passed
    assert [(equation.written, equation.filled, equation.result) for equation in result.equations] == [
        ("dry = wet * (1 - moisture)", "dry = [1.2, 0.9] t{wet} * (1 - [12, 18] %)", "[1.056, 0.738] t{wet}"),
        ("result = sum(dry)", "result = sum([1.056, 0.738] t{wet})", "1.794 t{wet}"),
    ]


def test_a_long_array_is_cut_short_in_an_equation():
    case = "{name: a, inputs: {wet: [1, 2, 3, 4, 5, 6], moisture: [0, 0, 0, 0, 0, 0]}, expect: {result: 21}}"
    (result,) = results(case).cases

    assert result.equations[1].filled == "result = sum([1, 2, 3, 4, … 2 more] t{wet})"


def test_a_case_that_expects_something_else_fails_and_says_both():
    report = results("{name: a, inputs: {wet: [1.2], moisture: [12]}, expect: {result: 1, dry: [1.056]}}")

    assert report.is_valid
    assert not report.is_passed
    (result,) = report.cases
    assert [(one.slug, one.expected, one.actual, one.is_met) for one in result.comparisons] == [
        ("result", Decimal(1), Decimal("1.056"), False),
        ("dry", (Decimal("1.056"),), (Decimal("1.056"),), True),
    ]


@pytest.mark.parametrize(
    ("places", "expected", "passes"),
    [
        ("", "1.05", False),
        ("places: 2,", "1.06", True),
        ("places: 2,", "1.0559", True),
        ("places: 3,", "1.06", False),
    ],
)
def test_a_case_is_compared_at_its_places(places, expected, passes):
    case = f"{{name: a, {places} inputs: {{wet: [1.2], moisture: [12]}}, expect: {{result: {expected}}}}}"

    assert results(case).is_passed is passes


def test_a_case_that_cannot_be_computed_fails_with_the_reason():
    (result,) = results("{name: a, inputs: {wet: [1.2]}, expect: {result: 1}}").cases

    assert not result.is_passed
    assert result.error == "Input 'moisture' has nothing that matches value 1."


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("{name: a, inputs: {wett: 1}, expect: {result: 1}}", "The case 'a' gives wett, which is no node"),
        (
            "{name: a, inputs: {factor: 1}, expect: {result: 1}}",
            "gives factor, which the model itself gives a value",
        ),
        (
            "{name: a, inputs: {dry: 1}, expect: {result: 1}}",
            "gives dry, which the model itself gives a value",
        ),
        (
            "{name: a, inputs: {power: [1, 2]}, expect: {result: 1}}",
            "gives a list for power, which is a number of kWh",
        ),
        ("{name: a, inputs: {}, expect: {resalt: 1}}", "expects resalt, which is no node"),
        ("{name: a, inputs: {}, expect: {result: [1]}}", "expects a list of result, which is a number"),
        ("{name: a, inputs: {}, expect: {dry: 1}}", "expects one number of dry, which is an array"),
        ("{name: a, inputs: {}, expect: {result: 1}, partition: {asset: x}}", "gives a asset"),
        ("{name: a, inputs: {}, expect: {result: 1}, durations: {factor: 1}}", "gives durations of factor"),
        ("{name: a, inputs: {wet.age: 1}, expect: {result: 1}}", "gives wet.age, which is no node"),
    ],
)
def test_a_case_that_does_not_fit_the_model_is_refused(case, reason):
    found = flaws_of(NODES, f"cases:\n  - {case}\n")

    assert any(reason in flaw for flaw in found), found


def test_a_case_gives_what_a_formula_may_ask_beside_the_inputs():
    text = SETTINGS + (
        "tables: {heat: {columns: [feedstock, value: kWh/t], rows: [[Wood, 5000], [Straw, 4000]]}}\n"
        "nodes:\n"
        "  - {slug: power, unit: kW, input: {event_type: meter, data_point_type: power, aggregate: values}}\n"
        "  - {slug: wanted, unit: t, constant: 2}\n"
        "  - {slug: drawn, unit: t, upstream: {ledger: Stock, amount: wanted, attributes: [share: '%']}}\n"
        "  - slug: result\n"
        "    unit: kWh/d\n"
        "    formula: >\n"
        "      (sum(power * duration_hours(power)) + lookup(heat, value, partition.feedstock)\n"
        "      * sum(drawn * drawn.share)) / period_days()\n"
        "cases:\n"
        "  - name: a\n"
        "    inputs: {power: [10, 4], drawn: [1, 1], drawn.share: [10, 20]}\n"
        "    durations: {power: [1, 2.5]}\n"
        "    partition: {feedstock: Straw}\n"
        "    period_days: 2\n"
        "    expect: {result: 610}\n"
    )

    report = check_document(text)

    assert report.flaws == ()
    assert report.is_passed
    assert report.cases[0].equations[0].filled == (
        "result = (sum([10, 4] kW * duration_hours([10, 4] kW)) + lookup(heat, value, 'Straw') * sum([1, 1] t"
        " * [10, 20] %)) / period_days()"
    )
