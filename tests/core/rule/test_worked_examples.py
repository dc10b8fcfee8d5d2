"""The worked examples of windows and sliding aggregates are what the code comes to, number by number."""

import json
import re
from decimal import Decimal

import pytest
from tests.core.rule.records import alerts, record

from weighbridge.core.expression.tree import FunctionCall, Name
from weighbridge.core.rule import definition, functions
from weighbridge.core.rule.functions import AGGREGATES

DATES = ("28 Jan", "30 Jan", "1 Feb", "3 Feb")
STARTS = ("2025-01-28T12:00:00", "2025-01-30T12:00:00", "2025-02-01T12:00:00", "2025-02-03T12:00:00")
TWO_DAYS = {"kind": "rolling", "duration": {"value": 2, "unit": "day"}}


def table_of(module, separator):
    """The cells of the lines of a module's docstring that are indented by four."""
    lines = [line.strip() for line in module.__doc__.splitlines() if line.startswith("    ")]
    return [[cell.strip() for cell in re.split(separator, line)] for line in lines]


@pytest.mark.parametrize(("given", "members"), table_of(definition, r"\|"))
def test_the_window_of_the_example_holds_the_members_that_it_says(given, members):
    sizes = {date: 10**place for place, date in enumerate(DATES)}
    expected = sum(sizes[date] for date in members.split(", "))
    records = [
        record(key, start, [size])
        for key, (start, size) in enumerate(zip(STARTS, sizes.values(), strict=True))
    ]

    assert 2 in alerts(f"sum({{{{mass}}}}) = {expected}", records, json.loads(given))


def test_the_aggregates_of_the_example_slide_as_it_says():
    _, *rows = table_of(functions, r"\s{2,}")
    names = ("sum", "average", "max")
    aggregates = [AGGREGATES[name].start(FunctionCall(name, (Name(("mass",)),))) for name in names]
    members = []

    for _, mass, leave, *expected in rows:
        for value in [] if leave == "-" else leave.split(","):
            members.remove(Decimal(value))
            for aggregate in aggregates:
                aggregate.leave(Decimal(value))
        results = [aggregate.result(None) for aggregate in aggregates]
        shown = ["-" if result is None else str(result) for result in results]
        kept = [*aggregates[2]._candidates]
        assert [listed(members), *shown, listed(kept)] == expected
        members.append(Decimal(mass))
        for aggregate in aggregates:
            aggregate.enter(Decimal(mass))


def test_the_rule_of_the_example_alerts_where_it_says():
    _, *rows = table_of(functions, r"\s{2,}")
    records = [record(int(day), f"2025-01-{int(day):02}T00:00:00", [int(mass)]) for day, mass, *_ in rows]

    assert alerts("{{mass}} > (2 * avg({{mass}}))", records, TWO_DAYS) == [6]
    for name, index in (("sum", 4), ("max", 6)):
        for row in rows[1:]:
            assert int(row[0]) in alerts(f"{name}({{{{mass}}}}) = {row[index]}", records, TWO_DAYS)


def listed(values):
    return ",".join(map(str, values)) or "-"
