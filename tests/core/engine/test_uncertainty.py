"""Uncertainty of a run's outputs: published budgets as documents, and random models beside GTC."""

import random
from decimal import Decimal

import GTC
import pytest
from tests.core.model.documents import flaws_of

from weighbridge.core.engine import GivenValues, try_out
from weighbridge.core.model import prepare
from weighbridge.core.uncertainty.effects import FreedomReason
from weighbridge.core.uncertainty.statement import build_statement
from weighbridge.modelling.documents import check_document, read_model

HEAD = """
name: {name}
cadence: monthly
partition_type: time
primary_output: {output}
uncertainty: {{coverage_probability: 0.95}}
"""

GAUGE = (
    HEAD.format(name="End gauge", output="length")
    + """
about: JCGM 100:2008, H.1; lengths in nm, temperatures in K
nodes:
- {slug: standard, unit: nm, constant: 50000623, uncertainty: {standard: 25, degrees_of_freedom: 18}}
- {slug: difference, unit: nm, constant: 215, uncertainty: {standard: 5.8, degrees_of_freedom: 24}}
- {slug: random_effects, unit: nm, constant: 0, uncertainty: {standard: 3.9, degrees_of_freedom: 5}}
- {slug: systematic_effects, unit: nm, constant: 0, uncertainty: {standard: 6.7, degrees_of_freedom: 8}}
- {slug: expansion, unit: 1/K, constant: 11.5e-6, uncertainty: {half_width: 2e-6, distribution: rectangular}}
- {slug: mean_deviation, unit: K, constant: -0.1, uncertainty: {standard: 0.2}}
- {slug: cycle, unit: K, constant: 0, uncertainty: {half_width: 0.5, distribution: arcsine}}
- slug: expansion_difference
  unit: 1/K
  constant: 0
  uncertainty: {half_width: 1e-6, distribution: rectangular, degrees_of_freedom: 50}
- slug: temperature_difference
  unit: K
  constant: 0
  uncertainty: {half_width: 0.05, distribution: rectangular, degrees_of_freedom: 2}
- {slug: deviation, unit: K, formula: mean_deviation + cycle}
- slug: length
  unit: nm
  formula: >-
    standard + difference + random_effects + systematic_effects
    - standard * (expansion_difference * deviation + expansion * temperature_difference)
cases:
- name: as printed
  source: JCGM 100:2008, H.1.3 and H.1.6
  inputs: {}
  expect: {length: 50000838}
  expect_uncertainty: {length: 32}
  places: 0
- name: as the GUM Tree Calculator computes it
  inputs: {}
  expect_uncertainty: {length: {standard_uncertainty: 31.663879111, degrees_of_freedom: 16.7518557}}
  places: 7
"""
)

CADMIUM = (
    HEAD.format(name="Cadmium standard", output="concentration")
    + """
about: EURACHEM/CITAC guide CG 4, third edition, A1
nodes:
- {slug: mass, unit: mg, constant: 100.28, uncertainty: {standard: 0.05}}
- {slug: purity, unit: "", constant: 0.9999, uncertainty: {half_width: 0.0001, distribution: rectangular}}
- {slug: flask, unit: mL, constant: 100, uncertainty: {half_width: 0.1, distribution: triangular}}
- {slug: filling, unit: mL, constant: 0, uncertainty: {standard: 0.02}}
- {slug: temperature, unit: mL, constant: 0, uncertainty: {half_width: 0.084, distribution: rectangular}}
- {slug: concentration, unit: mg/L, formula: mass * purity / (flask + filling + temperature)}
cases:
- name: as printed
  inputs: {}
  expect: {concentration: 1002.7}
  expect_uncertainty: {concentration: 0.8}
  places: 1
- name: as the GUM Tree Calculator computes it
  inputs: {}
  expect_uncertainty: {concentration: 0.8351992268}
  places: 10
"""
)

SODA = (
    HEAD.format(name="Sodium hydroxide", output="concentration")
    + """
about: EURACHEM/CITAC guide CG 4, third edition, A2
nodes:
- {slug: tare, unit: g, constant: 0, uncertainty: {half_width: 0.15e-3, distribution: rectangular}}
- {slug: gross, unit: g, constant: 0.3888, uncertainty: {half_width: 0.15e-3, distribution: rectangular}}
- {slug: purity, unit: "", constant: 1, uncertainty: {half_width: 0.0005, distribution: rectangular}}
- {slug: carbon, unit: g/mol, constant: 12.0107, uncertainty: {half_width: 0.0008, distribution: rectangular}}
- {slug: hydrogen, unit: g/mol, constant: 1.00794, uncertainty: {half_width: 7e-5, distribution: rectangular}}
- {slug: oxygen, unit: g/mol, constant: 15.9994, uncertainty: {half_width: 0.0003, distribution: rectangular}}
- slug: potassium
  unit: g/mol
  constant: 39.0983
  uncertainty: {half_width: 0.0001, distribution: rectangular}
- {slug: burette, unit: mL, constant: 18.64, uncertainty: {half_width: 0.03, distribution: triangular}}
- {slug: warmth, unit: mL, constant: 0, uncertainty: {standard: 0.006}}
- {slug: repeatability, unit: "", constant: 1, uncertainty: {standard: 0.0005}}
- {slug: molar_mass, unit: g/mol, formula: 8 * carbon + 5 * hydrogen + 4 * oxygen + potassium}
- slug: concentration
  unit: mol/L
  formula: repeatability * (gross - tare) * purity / (molar_mass * (burette + warmth))
cases:
- name: as printed
  inputs: {}
  expect: {concentration: 0.1021}
  expect_uncertainty: {concentration: 0.0001}
  places: 4
- name: as the GUM Tree Calculator computes it
  inputs: {}
  expect: {concentration: 0.10213615971}
  expect_uncertainty: {concentration: 0.00010050072}
  places: 11
"""
)


@pytest.mark.parametrize("document", [GAUGE, CADMIUM, SODA], ids=["gauge", "cadmium", "soda"])
def test_a_published_budget_is_a_document_that_passes_its_cases(document):
    report = check_document(document)
    assert report.flaws == ()
    for result in report.cases:
        assert result.error is None
        assert [(one.slug, one.actual) for one in result.comparisons if not one.is_met] == []


def test_the_budget_of_the_cadmium_standard_is_the_published_one():
    budget = combined(CADMIUM, "concentration").budget
    printed = {
        "mass": "0.49995", "temperature": "0.486284", "flask": "0.40935", "filling": "0.20054",
        "purity": "0.0578967",
    }  # fmt: skip
    assert [line.input for line in budget] == list(printed)
    for line in budget:
        assert float(abs(line.change)) == pytest.approx(float(printed[line.input]), rel=2e-5)


def combined(document, slug, statements=None, **values):
    """The combined uncertainty of a node, of values that are given."""
    found = read_model(document)
    trial = try_out(prepare(found), GivenValues(values, statements=statements or {}))
    assert trial.problems == ()
    return trial.uncertainties[slug].combine()


def stated(**fields):
    statement, problems = build_statement(fields)
    assert not problems
    return statement


LOADS = (
    HEAD.format(name="Loads", output="carbon")
    + """
nodes:
- {slug: mass, unit: t, input: {event_type: load, data_point_type: mass, aggregate: sum}}
- {slug: share, unit: "", input: {event_type: lab, data_point_type: share, aggregate: average}}
- {slug: carbon, unit: kg, formula: mass * share}
"""
)
MASSES, SHARES = (Decimal(10), Decimal(20), Decimal(30)), (Decimal("0.7"), Decimal("0.8"))


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        # The sum is 60 t and the average 0.75: c = 750 kg/t.
        (stated(standard=Decimal("0.02")), "25.9807621135"),  # 750 * 0.02 * sqrt(3)
        (stated(standard=Decimal(20), unit="kg"), "25.9807621135"),
        (stated(standard=Decimal("0.02"), effect="scale"), "45"),  # 750 * 0.02 * 3
        (stated(relative_standard=Decimal("0.01")), "280.6243040080"),  # 7.5 * sqrt(100 + 400 + 900)
        (stated(relative_standard=Decimal("0.01"), effect="scale"), "450"),  # 7.5 * 60
    ],
)
def test_readings_are_independent_unless_they_share_an_effect(statement, expected):
    found = combined(LOADS, "carbon", {"mass": statement}, mass=MASSES, share=SHARES)
    assert round(found.standard_uncertainty, 10) == Decimal(expected)


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("sum", "3.7416573868"), ("average", "1.2472191289"), ("min", "1"), ("max", "3"), ("count", "0"),
        ("first", "1"), ("last", "3"), ("median", "2"), ("values", "3.7416573868"),
    ],
)  # fmt: skip
def test_each_aggregate_is_as_uncertain_as_its_values_make_it(aggregate, expected):
    unit = '""' if aggregate == "count" else "t"
    result = "sum(mass)" if aggregate == "values" else "mass * 1"
    document = (
        HEAD.format(name="Loads", output="result")
        + f"""
nodes:
- slug: mass
  unit: {unit}
  input: {{event_type: load, data_point_type: mass, aggregate: {aggregate}}}
- {{slug: result, unit: {unit}, formula: {result}}}
"""
    )
    ten_percent = {"mass": stated(relative_standard=Decimal("0.1"))}
    found = combined(document, "result", ten_percent, mass=MASSES)
    assert round(found.standard_uncertainty, 10) == Decimal(expected)


def test_a_constant_that_two_terms_share_adds_up_before_it_is_squared():
    document = (
        HEAD.format(name="Factor", output="result")
        + """
nodes:
- {slug: factor, unit: "", constant: 2, uncertainty: {standard: 0.1}}
- {slug: first, unit: "", formula: factor * 3}
- {slug: result, unit: "", formula: first - factor * 2}
"""
    )
    assert combined(document, "result").standard_uncertainty == Decimal("0.1")


def test_what_is_read_from_a_column_has_one_error():
    document = (
        HEAD.format(name="Table", output="result")
        + """
tables:
  factors:
    columns: [fuel, factor: "kg/t"]
    rows: [[wood, 100], [straw, 300]]
    uncertainty: {factor: {relative_standard: 0.05}}
nodes:
- slug: result
  unit: kg/t
  formula: lookup(factors, factor, "wood") + lookup(factors, factor, "straw")
"""
    )
    found = combined(document, "result")
    assert found.standard_uncertainty == 20
    assert [(line.input, line.share) for line in found.budget] == [("factors.factor", 1)]


def test_correlations_of_the_document_are_taken_into_account():
    document = (
        HEAD.format(name="Pair", output="result").replace(
            "{coverage_probability: 0.95}",
            "{correlations: [{between: [one, other], coefficient: 0.5}]}",
        )
        + """
nodes:
- {slug: one, unit: "", constant: 1, uncertainty: {standard: 3, degrees_of_freedom: 5}}
- {slug: other, unit: "", constant: 1, uncertainty: {standard: 4}}
- {slug: result, unit: "", formula: one + other}
"""
    )
    found = combined(document, "result")
    assert round(found.standard_uncertainty**2, 20) == 37
    assert found.reason is FreedomReason.CORRELATED


def test_a_model_that_does_not_ask_has_no_uncertainty():
    document = LOADS.replace("uncertainty: {coverage_probability: 0.95}\n", "")
    trial = try_out(prepare(read_model(document)), GivenValues({"mass": MASSES, "share": SHARES}))
    assert trial.uncertainties is None


HEAT = """
- {slug: warmth, unit: K, constant: 20, uncertainty: {standard: 1}}
- {slug: result, unit: K, formula: warmth}
"""


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("standard: 1", "standard: -1", "standard must not be negative; here is -1."),
        ("standard: 1", "standard: 1, unit: kg", "an uncertainty in kg cannot be converted to K"),
        ("standard: 1", "half_width: 1", "needs its coverage_factor"),
        ("{standard: 1}", "1", "must be a mapping, such as {standard: 0.5}"),
        ("formula: warmth", "formula: warmth, uncertainty: {standard: 1}", "that of others is computed"),
    ],
)
def test_what_is_wrong_with_the_uncertainty_of_a_node_is_said(old, new, sentence):
    assert any(sentence in flaw for flaw in flaws_of(HEAT.replace(old, new)))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("coverage_probability: 95", "above 0 and below 1, such as 0.95; here is 95"),
        ("correlations: [{between: [warmth, warmth], coefficient: 1}]", "not correlated with itself"),
        ("correlations: [{between: [warmth], coefficient: 1}]", "lists two names"),
        ("trials: 5", "The uncertainty of the model has no key 'trials'"),
    ],
)
def test_what_is_wrong_with_what_the_model_asks_for_is_said(asked, sentence):
    flaws = flaws_of(HEAT, f"uncertainty: {{{asked}}}\n")
    assert any(sentence in flaw for flaw in flaws), flaws


def write_random_formula(chance, names, depth):
    """A formula over names, as text for both languages."""
    if depth == 0 or chance.random() < 0.2:
        return chance.choice(names)
    one, other = (write_random_formula(chance, names, depth - 1) for _ in range(2))
    return chance.choice(
        [f"({one} + {other})", f"({one} - {other})", f"({one} * {other})", f"({one} / (7 + {other} ^ 2))",
         f"exp(({one}) / 50)", f"ln(3 + ({one}) ^ 2)", f"sqrt(2 + ({one}) ^ 2)"]
    )  # fmt: skip


def test_two_hundred_random_models_agree_with_gtc():
    chance = random.Random(30)  # noqa: S311 - the same models each time
    for _ in range(200):
        names = [f"x{index}" for index in range(chance.randint(1, 5))]
        inputs = {
            name: (
                chance.uniform(-3, 3),
                chance.uniform(0.01, 0.5),
                chance.choice([None, chance.uniform(1, 30)]),
            )
            for name in names
        }
        formula = write_random_formula(chance, names, 4)
        nodes = "".join(
            f"- {{slug: {name}, unit: '', constant: {value!r}, uncertainty: {{standard: {u!r}"
            + (f", degrees_of_freedom: {freedom!r}" if freedom else "")
            + "}}\n"
            for name, (value, u, freedom) in inputs.items()
        )
        document = (
            HEAD.format(name="Random", output="result")
            + f"nodes:\n{nodes}- {{slug: result, unit: '', formula: \"{formula}\"}}\n"
        )
        found = combined(document, "result")
        reference = eval(  # noqa: S307 - a formula that this test made
            formula.replace("^", "**"),
            {"exp": GTC.exp, "ln": GTC.log, "sqrt": GTC.sqrt},
            {
                name: GTC.ureal(value, u, float("inf") if freedom is None else freedom)
                for name, (value, u, freedom) in inputs.items()
            },
        )
        assert float(found.standard_uncertainty) == pytest.approx(reference.u, rel=1e-10, abs=1e-14), formula
        if found.degrees_of_freedom is None:
            assert reference.df == float("inf") or not reference.u, formula
        else:
            assert float(found.degrees_of_freedom) == pytest.approx(reference.df, rel=1e-9), formula
