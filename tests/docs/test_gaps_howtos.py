"""The guides that fill gaps by a regulation: their rules, sent as they stand there, give what they say."""

import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from tests.core.rule.substitution.test_part_75 import past
from tests.given import collection as given
from tests.given.rule_evaluation import work

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
PART_75 = (HOWTO / "fill-gaps-by-part-75.md").read_text()
OTHERS = (HOWTO / "fill-gaps-by-other-regulations.md").read_text()
LOST_HOURS = (HOWTO / "fill-lost-hours.md").read_text()
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
PORTION = 5_000


def rule_of(page):
    (block,) = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return json.loads(block, parse_float=Decimal)


def rows_of(page):
    """The rows of the one table of a page, without its head."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    assert len(lines) > 2
    return [[cell.strip().replace(",", "") for cell in line.strip("|").split("|")] for line in lines[2:]]


def plant(api, *data_point_types, unit="hour"):
    return given.measuring(api, *data_point_types, slug="hour", cadence_amount=1, cadence_unit=unit)


def report(api, project, values):
    """Store hours, one after the other."""
    bodies = [
        given.event_body(event_type="hour", start_time=moment(number), values=one)
        for number, one in enumerate(values)
    ]
    for first in range(0, len(bodies), PORTION):
        given.events(api, project, bodies[first : first + PORTION])


def moment(number):
    return (BEGIN + timedelta(hours=number)).strftime("%Y-%m-%dT%H:%M:%SZ")


def points(api, project, slug, first):
    """What the service says of a data point from an hour on, by hours."""
    query = {
        "filter[slug][eq]": slug, "filter[start_time][geq]": moment(first), "page_size": "200",
        "sort": "start_time",
    }  # fmt: skip
    return api.get(f"/projects/{project['id']}/data_points", query).expect(200).data


@pytest.mark.parametrize("row", rows_of(PART_75), ids=" ".join)
def test_every_worked_hour_of_part_75(api, account, row):
    measured, before, after, length, value, code = row
    project = plant(api, given.number("so2", unit="ppm"), given.text("quality"))
    words = [*past(int(measured), 8_000 - int(measured), before), *["-"] * int(length), after]
    report(
        api,
        project,
        [
            {"so2": 0, "quality": "bad"} if word == "-" else {"so2": Decimal(word), "quality": "good"}
            for word in words
        ],
    )

    api.post(f"/projects/{project['id']}/rules", {"rule": rule_of(PART_75)}).expect(201)
    work(account)

    gap = points(api, project, "so2", 8_000)[: int(length)]
    assert {(one["value"], one["substitution"]["code"]) for one in gap} == {(Decimal(value), code)}
    assert {one["substitution"]["gap_slots"] for one in gap} == {int(length)}


@pytest.mark.parametrize("row", rows_of(LOST_HOURS), ids=" ".join)
def test_the_worked_hour_of_the_monitoring_regulation(api, account, row):
    valid, _, value = row
    project = plant(api, given.number("co2", unit="mg/m3"), given.number("readings", unit=None))
    captured = [{"co2": Decimal(one), "readings": 60} for one in ("2", "4", "4", "4", "5", "5", "7", "9")]
    report(api, project, [*captured, {"co2": Decimal("5.5"), "readings": int(valid)}])

    api.post(f"/projects/{project['id']}/rules", {"rule": rule_of(LOST_HOURS)}).expect(201)
    work(account)

    [point] = points(api, project, "co2", 8)
    assert (point["value"], point["raw_value"]) == (Decimal(value), Decimal("5.5"))


def cases():
    """The sections of the page of other regulations, each with the rows of its table."""
    for section in OTHERS.split("\n## ")[1:]:
        for row in rows_of(section):
            yield pytest.param(section, row, id=f"{section.splitlines()[0]}: {row[0]}")


@pytest.mark.parametrize(("section", "row"), list(cases()))
def test_every_worked_series_of_other_regulations(api, account, section, row):
    words, expected = (cell.strip("`").split() for cell in row)
    step = timedelta(days=1) if "The slots are days" in section else timedelta(hours=1)
    begin = datetime(2025, 1, 1, tzinfo=UTC) - 4 * step
    project = plant(
        api, given.number("value"), given.text("quality"), given.number("load"),
        unit="day" if step.days else "hour",
    )  # fmt: skip
    bodies = []
    for number, word in enumerate(words):
        value, _, load = word.partition("@")
        values = {"value": Decimal(value.replace("-", "0")), "quality": "bad" if value == "-" else "good"}
        start = (begin + number * step).strftime("%Y-%m-%dT%H:%M:%SZ")
        bodies.append(
            given.event_body(event_type="hour", start_time=start, values=values | {"load": int(load or 1)})
        )
    given.events(api, project, bodies)

    api.post(f"/projects/{project['id']}/rules", {"rule": rule_of(section)}).expect(201)
    work(account)

    query = {"filter[slug][eq]": "value", "page_size": "200", "sort": "start_time"}
    found = api.get(f"/projects/{project['id']}/data_points", query).expect(200).data
    filled = [one["value"] for one, word in zip(found, words, strict=True) if word[0] == "-"]
    assert filled == [Decimal(one) for one in expected]
