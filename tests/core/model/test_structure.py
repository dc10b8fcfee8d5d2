"""The structure of a model document: every key has its form, and what breaks it is named with its place."""

from decimal import Decimal

import pytest
from tests.core.model.documents import SETTINGS, document, flaws, flaws_of, model

from weighbridge.core.ledger.drawing import DrawOrder
from weighbridge.core.model import (
    Aggregate,
    Available,
    BoundaryPolicy,
    Dimension,
    Input,
    Join,
    Rounding,
    Share,
    StaticInput,
    Upstream,
)
from weighbridge.core.unit import parse_unit

RESULT = "- {slug: result, constant: 1, unit: t}"


def body_of(node):
    slug = node.partition("slug: ")[2].partition(",")[0]
    return model(f"{node}\n{RESULT}").node(slug).body


def test_a_node_keeps_all_that_is_said_of_it():
    node = model(
        """
        - slug: result
          name: Net removal
          description: What is left.
          formula: 1 + 1
          unit: t{CO2e}
          source: protocol, page 3
          tags: {ghg: co2e, category: removal}
          output: true
          round: {places: 3, mode: half_up}
        """.replace("1 + 1", "quantity(2, 't{CO2e}')")
    ).node("result")

    assert (node.name, node.description, node.source) == ("Net removal", "What is left.", "protocol, page 3")
    assert (node.tags, node.unit, node.is_output) == (
        {"ghg": "co2e", "category": "removal"},
        parse_unit("t{CO2e}"),
        True,
    )
    assert node.rounding == Rounding(3, "half_up")


def test_an_input_has_its_options():
    found = body_of(
        "- {slug: power, unit: kWh, input: {event_type: power-bill, data_point_type: energy, aggregate: sum,"
        " partitions: true, share: by, share_by: result, straddle: prorate, coverage: 95%,"
        ' where: "location = '
        "north"
        '", period: any}}'
    )

    assert isinstance(found, Input)
    assert (found.event_type, found.data_point_type, found.aggregate) == (
        "power-bill",
        "energy",
        Aggregate.SUM,
    )
    assert (found.is_partitioning, found.share, found.share_by) == (True, Share.BY, "result")
    assert (found.straddle, found.coverage, found.is_any_period) == (
        BoundaryPolicy.PRORATE,
        Decimal(95),
        True,
    )
    assert found.where is not None


@pytest.mark.parametrize(
    ("aggregate", "share"),
    [
        ("sum", "even"),
        ("count", "even"),
        ("delta", "even"),
        ("average", "repeat"),
        ("values", "repeat"),
        ("max", "repeat"),
    ],
)
def test_amounts_are_shared_and_all_else_is_repeated_when_nothing_is_said(aggregate, share):
    unit = '""' if aggregate == "count" else "kWh"
    found = body_of(
        f"- {{slug: x, unit: {unit}, input: {{event_type: a, data_point_type: b, aggregate: {aggregate}}}}}"
    )

    assert found.share == share


def test_a_joined_input_says_to_what_and_on_what():
    joined = """
    - {slug: mass, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: values}}
    - slug: ash
      unit: "%"
      input: {event_type: lab, data_point_type: ash, aggregate: values, join: {to: mass, on: tracking_id}}
    - {slug: result, unit: t, formula: sum(mass * ash)}
    """

    assert model(joined).node("ash").body.join == Join("mass", "tracking_id")


@pytest.mark.parametrize(
    ("node", "body"),
    [
        ("- {slug: ph, unit: '', static_input: soil-ph}", StaticInput("soil-ph")),
        (
            "- {slug: ph, unit: '', static_input: soil-ph, by: asset}",
            StaticInput("soil-ph", by=Dimension.ASSET),
        ),
        (
            "- {slug: ph, unit: '', static_input: {slug: soil-ph, by: location}}",
            StaticInput("soil-ph", by=Dimension.LOCATION),
        ),
        ("- {slug: stock, unit: t, available: Feedstock inventory}", Available("Feedstock inventory")),
        (
            "- {slug: stock, unit: t, available: {ledger: Feedstock inventory}}",
            Available("Feedstock inventory"),
        ),
        ("- {slug: drawn, unit: t, upstream: {ledger: Stock, amount: result}}", Upstream("Stock", "result")),
        (
            "- {slug: drawn, unit: t, upstream: {ledger: Stock, amount: result, match: [feedstock]}}",
            Upstream("Stock", "result", match=("feedstock",)),
        ),
        (
            "- {slug: drawn, unit: t, upstream: {ledger: A, amount: result, attributes: [heat, age: d]}}",
            Upstream("A", "result", attributes={"heat": None, "age": parse_unit("d")}),
        ),
        (
            "- {slug: drawn, unit: t, upstream: {ledger: Stock, amount: result, order: pro_rata}}",
            Upstream("Stock", "result", DrawOrder.PRO_RATA),
        ),
        (
            "- {slug: drawn, unit: t, upstream: {ledger: Stock, select: manual, allocation_group: wood}}",
            Upstream("Stock", is_manual=True, allocation_group="wood"),
        ),
    ],
)
def test_a_node_gets_its_value_in_one_of_six_ways(node, body):
    assert body_of(node) == body


def test_a_static_input_may_be_taken_at_each_element_of_an_input():
    found = model(
        """
        - {slug: mass, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: values}}
        - {slug: price, unit: "{EUR}/t", static_input: price, at: mass}
        - {slug: result, unit: "{EUR}", formula: sum(mass * price)}
        """
    )

    assert found.node("price").body == StaticInput("price", at="mass")


INPUT = "event_type: bill, data_point_type: energy"


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        (
            "- {slug: x, unit: t}",
            "one of input, static_input, constant, upstream, available, formula; it has none.",
        ),
        ("- {slug: x, unit: t, constant: 1, formula: 1}", "it has constant and formula"),
        ("- {unit: t, constant: 1}", "Node 1 needs the key 'slug'"),
        (
            "- {slug: X, unit: t, constant: 1}",
            "The slug of node 1 must be small letters, digits and single underscores",
        ),
        ("- {slug: a-b, unit: t, constant: 1}", "must be small letters"),
        ("- {slug: a__b, unit: t, constant: 1}", "must be small letters"),
        ("- {slug: and, unit: t, constant: 1}", "no word of the expression language"),
        ("- {slug: partition, unit: t, constant: 1}", "no word of the expression language"),
        (f"- {{slug: {'a' * 65}, unit: t, constant: 1}}", "at most 64"),
        ("- {slug: x, constant: 1}", "x needs the key 'unit'"),
        ("- {slug: x, unit: [t], constant: 1}", "The unit of x must be a unit such as"),
        ("- {slug: x, unit: tonns, constant: 1}", "The unit of x: 'tonns' is not a known unit"),
        (
            "- {slug: x, unit: t, constant: '1'}",
            "The constant of x must be a decimal number, without quotes; here is the text '1'",
        ),
        ("- {slug: x, unit: t, constant: 012}", "here is the text '012'"),
        ("- {slug: x, unit: t, constant: 1e200}", "The constant of x: 1E+200 is outside"),
        (
            "- {slug: x, unit: t, constant: 1, tags: {a: [1]}}",
            "The tags.a of x must be a text; here is a list",
        ),
        ("- {slug: x, unit: t, constant: 1, output: maybe}", "The output of x must be true or false"),
        ("- {slug: x, unit: t, constant: 1, colour: red}", "x has no key 'colour'; allowed are slug"),
        (
            "- {slug: x, unit: t, constant: 1, descripton: red}",
            "x has no key 'descripton'; did you mean 'description'?",
        ),
        ("- {slug: x, unit: t, constant: 1, round: {places: 1}}", "Only a formula is rounded; x is none."),
        ("- {slug: x, unit: '', formula: 1, round: {mode: up}}", "Round of x needs the key 'places'"),
        ("- {slug: x, unit: '', formula: 1, round: {places: 1.5}}", "must be a whole number from -34 to 34"),
        (
            "- {slug: x, unit: '', formula: 1, round: {places: 1, mode: best}}",
            "must be one of half_even, half_up",
        ),
        ("- {slug: x, unit: '', formula: 1, round: 3}", "The round of x must be a mapping; here is 3"),
        ("- {slug: x, unit: '', formula: 1 +}", "In the formula of x, at column 4: The expression ends"),
        ("- {slug: x, unit: '', formula: [1]}", "The formula of x must be an expression; here is a list"),
        (
            "- {slug: x, unit: t, constant: 1, by: asset}",
            "The keys at and by belong to a static_input; x is none",
        ),
        ("- {slug: x, unit: t, static_input: a, by: month}", "must be one of asset, feedstock, location"),
        ("- {slug: x, unit: t, static_input: A B}", "The static_input of x must be small letters"),
        ("- {slug: x, unit: t, input: sum}", "The input of x must be a mapping"),
        ("- {slug: x, unit: t, input: {aggregate: sum}}", "The input of x needs the key 'event_type'"),
        (f"- {{slug: x, unit: t, input: {{{INPUT}}}}}", "The input of x needs the key 'aggregate'"),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: mean}}}}",
            "must be one of sum, average, time_weighted",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, speed: 1}}}}",
            "The input of x has no key 'speed'",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, weight: mass}}}}",
            "In the input of x, weight belongs to aggregate: average",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: max, share: even}}}}",
            "share: even divides an amount; max is none",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: average, share: by, share_by: x}}}}",
            "can only be repeated",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, share: by}}}}",
            "In the input of x, share: by needs share_by",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, share_by: result}}}}",
            "share_by needs share: by",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, partitions: true, share: repeat}}}}",
            "is never repeated",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: max, straddle: prorate}}}}",
            "straddle: prorate takes the part",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, straddle: both}}}}",
            "must be one of report, prorate, start, end",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, join: {{to: y, on: interval}}}}}}",
            "A join goes with aggregate average or values",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: values, join: {{to: y}}}}}}",
            "The join of x needs the key 'on'",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, period: month}}}}",
            "must be one of any, slot",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, coverage: 120%}}}}",
            "must be full, any or a percentage such as 95%",
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, where: 1 +}}}}",
            "In the where of x, at column 4",
        ),
        ("- {slug: x, unit: t, upstream: {amount: result}}", "The upstream of x needs the key 'ledger'"),
        ("- {slug: x, unit: t, upstream: {ledger: A}}", "In the upstream of x, there is either an amount"),
        (
            "- {slug: x, unit: t, upstream: {ledger: A, amount: result, select: manual}}",
            "In the upstream of x, there is either an amount",
        ),
        (
            "- {slug: x, unit: t, upstream: {ledger: A, amount: result, order: lifo}}",
            "must be one of fifo, pro_rata",
        ),
        (
            "- {slug: x, unit: t, upstream: {ledger: A, select: manual, order: fifo}}",
            "order belongs to an amount",
        ),
        (
            "- {slug: x, unit: t, upstream: {ledger: A, amount: result, allocation_group: g}}",
            "belongs to select: manual",
        ),
        (
            "- {slug: x, unit: t, upstream: {ledger: A, amount: result, match: [colour]}}",
            "match lists dimensions",
        ),
        (
            "- {slug: x, unit: t, upstream: {ledger: A, amount: result, attributes: [A-B]}}",
            "attributes lists slugs",
        ),
        (
            "- {slug: x, unit: t, upstream: {ledger: A, amount: result, attributes: [a: foo]}}",
            "'foo' is not a known unit",
        ),
        ("- {slug: x, unit: t, available: {}}", "The available of x needs the key 'ledger'"),
        ("- just text", "Node 1 must be a mapping; here is the text 'just text'"),
    ],
)
def test_a_node_that_breaks_the_structure_is_refused(node, reason):
    assert any(reason in flaw for flaw in flaws_of(f"{node}\n{RESULT}")), flaws_of(f"{node}\n{RESULT}")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (SETTINGS.replace("name: Test\n", ""), "The model needs the key 'name'."),
        (
            SETTINGS.replace("monthly", "fortnightly"),
            "one of event, hourly, daily, weekly, monthly, quarterly, annual; here is the text 'fortnightly'",
        ),
        (SETTINGS.replace("feedstock", "colour"), "must be one of time, feedstock, tracking_id, asset"),
        (SETTINGS.replace("primary_output: result\n", ""), "The model needs the key 'primary_output'."),
        (SETTINGS + "color: red\n", "The model has no key 'color'; allowed are name, about"),
        (SETTINGS + "tables: []\n", "The tables of the model must be a mapping; here is a list."),
        (SETTINGS + "cases: {}\n", "The cases of the model must be a list; here is a mapping."),
        (SETTINGS + "cases: [x]\n", "Case 1 must be a mapping"),
        (SETTINGS + "cases: [{name: a}]\n", "Case 1 needs the key 'inputs'."),
        (
            SETTINGS + "cases: [{name: a, inputs: {x: y}, expect: {result: 1}}]\n",
            "The inputs.x of case 1 must be a decimal number",
        ),
        (
            SETTINGS + "cases: [{name: a, inputs: {}, expect: {result: 1}, places: -1}]\n",
            "a whole number from 0 to 34",
        ),
        (
            SETTINGS + "share_places: 13\n",
            "The share_places of the model must be a whole number from 0 to 12",
        ),
        (
            SETTINGS + "share_places: -1\n",
            "The share_places of the model must be a whole number from 0 to 12",
        ),
        (
            SETTINGS + "share_places: 1.5\n",
            "The share_places of the model must be a whole number from 0 to 12",
        ),
    ],
)
def test_settings_that_break_the_structure_are_refused(settings, reason):
    assert any(reason in flaw for flaw in flaws_of(RESULT, settings=settings)), flaws_of(
        RESULT, settings=settings
    )


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("{rows: [[1]]}", "The table t needs the key 'columns'"),
        ("{columns: [a]}", "The table t needs the key 'rows'"),
        ("{columns: [a], rows: []}", "at least one column and one row"),
        ("{columns: [a, b], rows: [[1]]}", "one cell for each of the 2 columns"),
        ("{columns: [a, a], rows: [[1, 2]]}", "Two columns of the table have the same name"),
        ("{columns: [a, b], rows: [[1, 2], [1, 3]]}", "The table has two rows for 1"),
        ("{columns: [a, b], rows: [[1, 2], [2, x]]}", "The column b holds numbers and texts"),
        ("{columns: [a: kg, b], rows: [[x, 2]]}", "The column a holds texts and has a unit"),
        ("{columns: [A], rows: [[1]]}", "A column is written as its name in snake case"),
        ("{columns: [a: foo], rows: [[1]]}", "'foo' is not a known unit"),
        ("{columns: [a], rows: [[true]]}", "A cell is a number or a text"),
        ("{columns: [{a: kg, b: kg}], rows: [[1]]}", "A column is written as its name in snake case"),
        ("{columns: [a], rows: [[1]], note: x}", "The table t has no key 'note'"),
        ("[1]", "The table t must be a mapping"),
    ],
)
def test_a_table_that_breaks_the_structure_is_refused(table, reason):
    found = flaws_of(RESULT, f"tables:\n  t: {table}\n")

    assert any(reason in flaw for flaw in found), found


def test_blank_and_endless_texts_are_refused():
    long = "a" * 10_001

    assert flaws_of(f"- {{slug: result, unit: t, constant: 1, name: ' ', source: {long}}}") == [
        "The name of result must be a text that is not blank; here is the text ' '.",
        f"The source of result must be a text of at most 10000 characters; here is the text '{'a' * 40}'.",
    ]


def test_a_model_needs_nodes():
    assert flaws(f"{SETTINGS}nodes: []\n") == ["1:1 The model has no nodes."]


def test_a_node_has_a_label_and_a_model_its_outputs():
    found = model(
        """
        - {slug: result, unit: t, constant: 1}
        - {slug: net_mass, unit: t, constant: 1, output: true}
        - {slug: other, name: Something else, unit: t, constant: 1}
        """
    )

    assert [node.slug for node in found.outputs] == ["result", "net_mass"]
    assert [node.label for node in found.nodes] == ["result", "net mass", "Something else"]


def test_there_are_limits_to_what_a_document_holds():
    nodes = "\n".join(f"- {{slug: n{index}, constant: 1, unit: t}}" for index in range(500))

    assert flaws_of(f"{RESULT}\n{nodes}") == ["The model has 501 nodes; 500 are allowed."]


def test_flaws_are_listed_from_top_to_bottom_with_their_places():
    text = document(
        """
        - slug: x
          unit: tonns
          constant: 1
        - slug: y
          unit: t
          formula: 1 + * 2
        """
    )

    assert [flaw.partition(" ")[0] for flaw in flaws(text)] == ["7:11", "11:18"]
