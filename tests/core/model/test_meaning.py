"""What a model means as a whole: names, circles, units, arrays, outputs, and its surroundings."""

from decimal import Decimal

import pytest
from tests.core.model.documents import SETTINGS, document, flaws, flaws_of, model

from weighbridge.core.expression import PLAIN, TEXT, TRUTH, number
from weighbridge.core.identity import SUGGESTIONS_MAX
from weighbridge.core.model import Surroundings, check_model, list_needs, order
from weighbridge.core.unit import parse_unit

INPUTS = """
- {slug: mass, unit: "t{wet}", input: {event_type: delivery, data_point_type: mass, aggregate: values}}
- slug: moisture
  unit: "%"
  input: {event_type: lab, data_point_type: moisture, aggregate: values, join: {to: mass, on: tracking_id}}
- {slug: power, unit: kWh, input: {event_type: bill, data_point_type: energy, aggregate: sum}}
- {slug: temperature, unit: degC, static_input: soil-temperature}
- {slug: wanted, unit: "t{dry}", constant: 5}
- slug: drawn
  unit: "t{dry}"
  upstream: {ledger: Stock, amount: wanted, attributes: [intensity: "kg{CO2e}/t{dry}", unknown]}
"""


def found(formula, unit='""', more=""):
    return flaws_of(f"{INPUTS}\n- {{slug: result, unit: {unit}, formula: '{formula}'}}", more)


@pytest.mark.parametrize(
    ("formula", "unit", "reason"),
    [
        (
            "mas * 1",
            '""',
            "In the formula of result, at column 1: There is no node 'mas'; did you mean 'mass'?",
        ),
        ("1 + zebra", '""', "at column 5: There is no node 'zebra'."),
        ("sum(mass * drawn)", "t", "at column 10: Two arrays that do not run in parallel"),
        ("sum(mass) + wanted", '"t{wet}"', "at column 11: Adding is refused between t{wet} and t{dry}"),
        ("sum(mass)", "t", "The formula yields t{wet}, which cannot be converted to the unit of result, t"),
        ("power = power", '""', "The result of a formula must be a number; it is true or false"),
        ("temperature * 1", "degC", "The formula yields K: an absolute temperature, or a difference of two."),
        ("mass * 1", '"t{wet}"', "result is an output and must be one number, but is an array"),
        (
            "partition.asset",
            '""',
            "partition.asset is not known: a partition of type feedstock has feedstock",
        ),
        ("drawn.age", '""', "drawn has no attribute 'age'; it has intensity, unknown"),
        ("mass.age", '""', "mass has no attribute 'age'; it has none"),
        ("lookup(t, a, 1)", '""', "There is no table 't'"),
        (
            "sum(duration_hours(drawn))",
            "h",
            "duration_hours needs an input with aggregate: values; drawn is none",
        ),
    ],
)
def test_a_formula_that_does_not_fit_the_model_is_refused(formula, unit, reason):
    assert any(reason in flaw for flaw in found(formula, unit)), found(formula, unit)


@pytest.mark.parametrize(
    ("formula", "unit"),
    [
        ("sum(mass * (1 - moisture))", '"t{wet}"'),
        ("sum(drawn * drawn.intensity)", '"t{CO2e}"'),
        ("sum(drawn * drawn.unknown)", '"t{CO2e}"'),
        ("to(temperature * 1, degC)", "degC"),
        ("temperature", "degC"),
        ("temperature", "K"),
        ("power", "MJ"),
        ("sum(duration_hours(mass))", "d"),
        ("period_days()", "h"),
        ("if(partition.feedstock = ''Wood'', 1, 2)", '""'),
    ],
)
def test_a_formula_that_fits_is_accepted(formula, unit):
    assert found(formula, unit) == []


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        ("- {slug: result, unit: t, constant: 2}", "The slug result is already taken by the node at line 6."),
        (
            "- {slug: x, unit: t, input: {EVENTS, aggregate: sum, share: by, share_by: y}}",
            "x names y: There is no node 'y'",
        ),
        (
            "- {slug: x, unit: t, static_input: a, at: result}",
            "The at of x must name an input with aggregate: values",
        ),
        (
            "- {slug: x, unit: t, input: {EVENTS, aggregate: values, join: {to: result, on: interval}}}",
            "x is joined to result, which must be an input with aggregate: values",
        ),
        (
            "- {slug: x, unit: t, input: {EVENTS, aggregate: count}}",
            "x counts, so its unit is a plain number; it is t",
        ),
        (
            "- {slug: x, unit: t, default: 1, input: {EVENTS, aggregate: values}}",
            "x is an array and has no default",
        ),
        ("- {slug: x, unit: t, constant: 1, optional: true}", "x is computed, so it is not optional"),
        ("- {slug: x, unit: t, formula: result, default: 1}", "x is computed, so it is not optional"),
        (
            "- {slug: x, unit: kWh, upstream: {ledger: A, amount: result}}",
            "x is in kWh and draws result, which is in t",
        ),
        (
            "- {slug: x, unit: t, upstream: {ledger: A, amount: result, match: [asset]}}",
            "x matches asset; a partition of type feedstock has none",
        ),
        (
            "- {slug: x, unit: t, output: true, upstream: {ledger: A, amount: result}}",
            "x is an output and must be one number",
        ),
        (
            (
                "- {slug: x, unit: t, upstream: {ledger: A, amount: result}}\n"
                "- {slug: y, unit: t, upstream: {ledger: A, amount: x}}"
            ),
            "y draws x, which must be one number",
        ),
        (
            "- {slug: x, unit: t, input: {EVENTS, aggregate: sum, where: sum(1)}}",
            "In the where of x, at column 1: A where has no functions; here is sum",
        ),
        (
            "- {slug: x, unit: t, input: {EVENTS, aggregate: sum, where: 1}}",
            "A where must be true or false for an event",
        ),
    ],
)
def test_a_node_that_does_not_fit_the_model_is_refused(node, reason):
    events = "event_type: delivery, data_point_type: mass"
    nodes = f"- {{slug: result, unit: t, constant: 1}}\n{node.replace('EVENTS', events)}"

    assert any(reason in flaw for flaw in flaws_of(nodes)), flaws_of(nodes)


def test_a_share_by_an_array_is_refused():
    nodes = """
    - {slug: mass, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: values}}
    - slug: result
      unit: kWh
      input: {event_type: bill, data_point_type: energy, aggregate: sum, share: by, share_by: mass}
    """

    assert flaws_of(nodes) == [
        "result is shared by mass, which must be one number; it is an array, each element a number of t."
    ]


def test_a_circle_is_refused_with_its_path():
    nodes = """
    - {slug: result, unit: "", formula: a + 1}
    - {slug: a, unit: "", formula: b * 2}
    - {slug: b, unit: "", formula: result - c}
    - {slug: c, unit: "", formula: c}
    """

    assert flaws_of(nodes) == [
        "These nodes need one another in a circle: result -> a -> b -> result.",
        "These nodes need one another in a circle: c -> c.",
    ]


def test_a_long_circle_is_cut_short():
    nodes = [f"- {{slug: n{index}, unit: t, formula: n{(index + 1) % 50}}}" for index in range(50)]
    settings = SETTINGS.replace("primary_output: result", "primary_output: n0")

    (flaw,) = flaws_of("\n".join(nodes), settings=settings)

    assert flaw.endswith("n0 -> n1 -> n2 -> n3 -> n4 -> n5 -> n6 -> n7 -> n8 -> n9 -> … -> n0.")


def test_the_primary_output_must_be_a_node():
    settings = SETTINGS.replace("primary_output: result", "primary_output: resalt")

    assert flaws_of("- {slug: result, unit: t, constant: 1}", settings=settings) == [
        "The primary_output names resalt: There is no node 'resalt'; did you mean 'result'?"
    ]


def test_a_flaw_is_reported_once_where_it_arises():
    nodes = """
    - {slug: a, unit: t, formula: 1 + b}
    - {slug: b, unit: kWh, constant: 1}
    - {slug: c, unit: t, formula: a * 2}
    - {slug: result, unit: t, formula: sum(c)}
    """

    assert flaws_of(nodes) == [
        "In the formula of a, at column 3: Adding is refused between 1 and kWh, which count different things."
    ]


def test_a_flaw_in_a_formula_has_the_place_in_the_document():
    text = document(
        """
        - slug: result
          unit: t
          formula: (1 + 2) * tonnes
        - slug: other
          unit: t
          formula: "1 + kilos"
        - slug: folded
          unit: t
          formula: >
            1 +
            nothing
        """
    )

    assert [flaw.partition(" ")[0] for flaw in flaws(text)] == ["8:24", "11:19", "14:14"]


def test_nodes_may_stand_in_any_order_and_are_computed_in_that_of_their_needs():
    found = model(
        """
        - {slug: result, unit: t, formula: b + a}
        - {slug: b, unit: t, formula: a * 2}
        - {slug: c, unit: t, constant: 1}
        - {slug: a, unit: t, constant: 1}
        """
    )

    assert order(found) == ("c", "a", "b", "result")
    assert list_needs(found.node("result")) == ("b", "a")


def test_the_first_input_defines_the_partitions_when_none_is_marked():
    inputs = """
    - {slug: result, unit: t, constant: 1}
    - {slug: a, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: sum}}
    - slug: b
      unit: t
      input: {event_type: delivery, data_point_type: mass, aggregate: sum, partitions: MARK}
    """

    assert [node.slug for node in model(inputs.replace("MARK", "false")).partitioning] == ["a"]
    assert [node.slug for node in model(inputs.replace("MARK", "true")).partitioning] == ["b"]


KNOWN = Surroundings(
    data_points={
        ("delivery", "wet-mass"): number(parse_unit("kg")),
        ("delivery", "vehicle"): TEXT,
        ("delivery", "is-covered"): TRUTH,
        ("delivery", "count"): PLAIN,
    },
    attributes={("Stock", "intensity"): parse_unit("kg{CO2e}/t")},
)


def flaws_among(options, unit="t"):
    nodes = f"- {{slug: result, unit: {unit}, input: {{{options}}}}}"
    return [flaw.message for flaw in check_model(model(nodes), KNOWN)]


@pytest.mark.parametrize(
    ("options", "unit", "reason"),
    [
        (
            "event_type: delivry, data_point_type: wet-mass, aggregate: sum",
            "t",
            "there is no event type 'delivry'; there are delivery",
        ),
        (
            "event_type: delivery, data_point_type: mass, aggregate: sum",
            "t",
            "has no data point type 'mass'; it has wet-mass, vehicle",
        ),
        (
            "event_type: delivery, data_point_type: vehicle, aggregate: sum",
            "t",
            "result needs numbers, but vehicle of delivery is a text",
        ),
        (
            "event_type: delivery, data_point_type: wet-mass, aggregate: sum",
            "kWh",
            "result is in kWh, to which kg, the unit of wet-mass",
        ),
        (
            "event_type: delivery, data_point_type: wet-mass, aggregate: average, weight: vehicle",
            "t",
            "the weight vehicle is no number",
        ),
        (
            "event_type: delivery, data_point_type: wet-mass, aggregate: average, weight: load",
            "t",
            "the weight load is no number",
        ),
        (
            "event_type: delivery, data_point_type: wet-mass, aggregate: sum, where: colour = 'red'",
            "t",
            "In the where of result, at column 1: There is no 'colour'",
        ),
        (
            "event_type: delivery, data_point_type: wet-mass, aggregate: sum, where: vehicle > 2",
            "t",
            "at column 9: Comparing needs two of one kind",
        ),
        (
            "event_type: delivery, data_point_type: wet-mass, aggregate: sum, where: wet_mass",
            "t",
            "A where must be true or false",
        ),
    ],
)
def test_what_the_project_does_not_have_is_refused(options, unit, reason):
    assert any(reason in flaw for flaw in flaws_among(options, unit)), flaws_among(options, unit)


@pytest.mark.parametrize(
    "where",
    [
        "wet_mass > 2 and vehicle = 'truck'",
        "{{wet-mass}} > 2",
        "is_covered",
        "not is_covered or location in ('north', 'south')",
        "asset is null and feedstock starts with 'W' and tracking_id != 'x'",
        "(wet_mass * 2) between 1 and 9",
    ],
)
def test_a_condition_over_what_an_event_has_is_accepted(where):
    options = f'event_type: delivery, data_point_type: wet-mass, aggregate: sum, where: "{where}"'

    assert flaws_among(options) == []


@pytest.mark.parametrize(
    ("joined", "reason"),
    [
        ("aggregate: values, join: {to: mass, on: vehicle}", None),
        ("aggregate: values, join: {to: mass, on: interval}", None),
        ("aggregate: average, weight: wet-mass, join: {to: mass, on: tracking_id}", None),
        (
            "aggregate: average, weight: load, join: {to: mass, on: tracking_id}",
            "the weight load is no number",
        ),
        (
            "aggregate: values, join: {to: mass, on: count}",
            "ash is joined on count, which is no text of the event",
        ),
    ],
)
def test_a_join_is_on_what_both_events_have_and_may_bring_a_weight(joined, reason):
    known = Surroundings({**KNOWN.data_points, ("lab", "ash"): PLAIN, ("lab", "vehicle"): TEXT})
    nodes = f"""
    - {{slug: mass, unit: t, input: {{event_type: delivery, data_point_type: wet-mass, aggregate: values}}}}
    - {{slug: ash, unit: "%", input: {{event_type: lab, data_point_type: ash, {joined}}}}}
    - {{slug: result, unit: t, formula: sum(mass * ash)}}
    """

    found = [flaw.message for flaw in check_model(model(nodes), known)]

    assert (found == []) if reason is None else (reason in found[0])


def test_events_may_be_counted_by_any_data_point():
    assert flaws_among("event_type: delivery, data_point_type: vehicle, aggregate: count", '""') == []


def test_the_unit_of_an_attribute_is_taken_from_the_source_when_the_document_does_not_say_it():
    nodes = """
    - {slug: wanted, unit: t, constant: 5}
    - {slug: drawn, unit: t, upstream: {ledger: Stock, amount: wanted, attributes: [intensity]}}
    - {slug: result, unit: kWh, formula: sum(drawn * drawn.intensity)}
    """

    assert check_model(model(nodes)) == ()
    (flaw,) = check_model(model(nodes), KNOWN)
    assert "cannot be converted to the unit of result, kWh" in flaw.message


def test_two_inputs_run_in_parallel_only_when_they_take_the_same_events():
    def parallel(first, second):
        options = "event_type: delivery, aggregate: values"
        return not flaws_of(
            f"""
            - {{slug: a, unit: t, input: {{{options}, data_point_type: wet-mass{first}}}}}
            - {{slug: b, unit: "%", input: {{{options}, data_point_type: ash{second}}}}}
            - {{slug: result, unit: t, formula: sum(a * b)}}
            """
        )

    assert parallel("", "")
    assert parallel(", where: \"location = 'x'\"", ", where: \"location='x'\"")
    assert not parallel(", where: \"location = 'x'\"", "")
    assert not parallel(", period: any", "")
    assert not parallel(", straddle: start", "")


def test_a_table_has_units_and_is_read_by_the_partition():
    found = model(
        """
        - {slug: mass, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: sum}}
        - {slug: result, unit: "t{CO2e}", formula: "mass * lookup(factors, factor, partition.feedstock)"}
        """,
        """
        tables:
          factors:
            columns: [feedstock, factor: "kg{CO2e}/t"]
            rows: [[Wood, 12.5], [Straw, 30]]
        """,
    )

    assert found.tables["factors"].rows == (("Wood", Decimal("12.5")), ("Straw", Decimal(30)))
    assert check_model(found) == ()


def test_a_document_full_of_unknown_names_has_suggestions_for_a_few():
    names = [f"amount_of_what_is_delivered_{number:03d}" for number in range(100)]
    nodes = "\n".join(
        f"- slug: {name}\n  unit: kg\n  formula: amount_of_what_is_delivered_{number + 500}"
        for number, name in enumerate(names)
    )
    found = [one for one in flaws_of(nodes) if "There is no node" in one]
    assert len(found) == 100
    assert 0 < sum("did you mean" in one for one in found) <= SUGGESTIONS_MAX
