"""The reference of the language is made from the tables of the engine, and its examples are computed."""

import pytest
from tools.model_reference import (
    compute_example,
    list_examples,
    list_rounding_modes,
    render_aggregates,
    render_functions,
    render_limits,
    render_matches,
    render_names,
    render_nodes,
    render_operators,
    render_options,
    render_settings,
)

from weighbridge.core.expression import FUNCTIONS
from weighbridge.core.expression.tree import Operator
from weighbridge.core.model import Aggregate
from weighbridge.core.model.parsing import INPUT_KEYS, MODEL_KEYS, NODE_KEYS

RESULTS = {
    "load + change": "9 t",
    "load * 2": "24 t",
    "2 ^ 3": "8",
    "-2 ^ 2": "-4",
    "ratio = 100": "true",
    "coldest < temperature": "true",
    "ratio > 20 and not wet": "true",
    "fraction between 0 and 1": "true",
    "feedstock in ('Wood', 'Straw')": "false",
    "lab_moisture is null": "true",
    "feedstock contains 'chip'": "true",
    "feedstock starts with 'Wood'": "true",
    "feedstock ends with 'chips'": "true",
    "feedstock matches '^W.*s$'": "true",
    "sum(mass * ash)": "55 t*%",
    "average(ash)": "15 %",
    "min(0.95, fraction)": "0.95",
    "max(temperature, coldest)": "14.85 degC",
    "median(ash)": "15 %",
    "count(mass)": "2",
    "abs(change)": "3 t",
    "round(temperature, 1, half_up)": "14.9 degC",
    "floor(days)": "2 d",
    "ceil(days)": "3 d",
    "clamp(fraction, 0, 1)": "0.97",
    "sqrt(area)": "1.5 m",
    "exp(-decay * years)": "0.6065306597126334236037995349911805",
    "ln(ratio)": "4.605170185988091368035982909368728",
    "log10(ratio)": "2",
    "if(ratio > 20 and wet, load, 2 * load)": "24 t",
    "coalesce(lab_moisture, default_moisture)": "15 %",
    "lookup(factors, kg_per_t, partition.feedstock)": "12.5 kg{CO2e}/t",
    "interpolate(permanence_class, fraction, temperature)": "0.8515",
    'to(energy, "kWh")': "2 kWh",
    'value(soil_temperature, "degC")': "14.9",
    'quantity(0.35 * ln(ratio), "kg{CO2e}")': "1.611809565095831978812594018279055 kg{CO2e}",
    "power * duration_hours(power)": "[10, 15] kW*h",
    "period_days()": "31 d",
    "period_hours()": "743 h",
}
"""What each example of the reference comes to."""


@pytest.mark.parametrize("example", list_examples())
def test_every_example_comes_to_what_the_reference_says(example):
    assert compute_example(example) == RESULTS[example]
    row = next(
        line for line in (render_operators() + render_functions()).splitlines() if f"`{example}`" in line
    )
    assert row.endswith(f"| `{RESULTS[example]}` |")


def test_every_function_and_aggregate_is_in_the_reference():
    functions, aggregates = render_functions(), render_aggregates()

    assert all(f"| `{name}(" in functions for name in FUNCTIONS)
    assert all(f"| `{kind}` |" in aggregates for kind in Aggregate)
    assert "| `delta` | Of a totaliser" in aggregates
    assert (
        "| `sum` | All values added; of none 0 where the node is optional, else none. | `84` | `even` |"
        in aggregates
    )


def test_every_operator_is_in_the_reference():
    forms = " ".join(line.split(" | ")[0] for line in render_operators().splitlines()[2:])

    assert [one for one in Operator if f" {one} " not in forms] == []


def test_every_key_of_a_document_is_in_the_reference():
    for keys, table in (
        (MODEL_KEYS, render_settings()),
        (NODE_KEYS, render_nodes()),
        (INPUT_KEYS, render_options()),
    ):
        assert [key for key in keys if f"| `{key}` |" not in table] == []
        assert len(table.splitlines()) == len(keys) + 2


def test_the_limits_and_words_of_the_language_are_in_the_reference():
    assert "| characters of an expression | 10,000 |" in render_limits()
    assert "| nodes of a document | 500 |" in render_limits()
    assert "| `below` | the last row whose key is not above the key |" in render_matches()
    assert list_rounding_modes().startswith("`half_even`, `half_up`")
    assert "| `energy` | `7.2 MJ` |" in render_names()


def test_a_table_has_one_line_for_each_row():
    assert len(render_functions().splitlines()) == len(FUNCTIONS) + 2
