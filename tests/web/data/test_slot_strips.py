"""The strips of slots below a chart, the calendar and the gaps count the same slots, whatever the range."""

import re
from collections import Counter
from html import unescape

import pytest
from tests.given import collection as given
from tests.given.gaps import filling, report
from tests.given.people import visitor
from tests.given.rule_evaluation import work

KINDS = {
    "captured": "valid", "substituted": "substituted", "imputed": "imputed", "invalid": "unfit",
    "missing": "missing", "in an outage or out of service": "outage",
}  # fmt: skip


@pytest.fixture
def ada(account):
    return visitor(account)


def words(answer):
    """What a page says, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.expect(200).text)))


YEAR = "from=2025-01-01T00:00&until=2026-01-01T00:00"
REST = """
    INSERT INTO events (project_id, id, event_type_id, asset_id, start_time, end_time, numbers, is_complete)
    SELECT e.project_id, e.asset_id * 1000000 + n, e.event_type_id, e.asset_id, t, t, e.numbers, n %% 23 > 0
      FROM (SELECT DISTINCT ON (asset_id) * FROM events
             WHERE project_id = %s AND numbers[1] IS NOT NULL AND NOT is_imputed ORDER BY asset_id, id) e,
           generate_series(24, 8759) n,
           LATERAL (SELECT timestamptz '2024-12-31 23:00Z' + n * interval '1 hour') l (t)
     WHERE n / 24 %% 7 > 0
"""
"""The year after its first day: every seventh day is missing, and some hours are incomplete."""


@pytest.fixture
def year(account, api, server):
    """A year of hours in Berlin of two stacks, with gaps, filled ones among them, and outages over DST."""
    project = given.project(api, time_zone="Europe/Berlin")
    types = [given.number("so2"), given.text("quality"), given.number("load", required=False)]
    kind = given.event_type(
        api, project, name="Hour", slug="hour", data_point_types=types, cadence_amount=1,
        cadence_unit="hour", expected_locations="none",
    )  # fmt: skip
    filling(api, project, {"method": "mean_before_after"})
    filling(api, project, {"method": "mean_before_after"}, purpose="impute", name="Impute")
    for name in ("North", "South"):
        asset = given.asset(api, project, name=name)["id"]
        report(api, project, "10 !99 12 - 14 15 - - 18 19 20 - !98 13", asset_id=asset)
    for start, end, place in (
        ("2025-03-29T22:30:00Z", "2025-03-30T05:00:00Z", {}),
        ("2025-10-25T20:00:00Z", "2025-10-26T12:30:00Z", {"asset_id": asset}),
    ):
        outage = {"reason": "Repair", "start_time": start, "end_time": end} | place
        api.post(f"/projects/{project['id']}/outages", {"outage": outage}).expect(201)
    work(account)
    server.sql(REST, project["numeric_id"])
    return f"/projects/{project['id']}", kind["id"]


def counted(title):
    """How many slots of a cell are what, by its title."""
    pairs = re.findall(r"([\d\u202f]+) ([a-z ]+)(?:,|$)", title)
    return {KINDS[kind]: int(re.sub(r"\D", "", count)) for count, kind in pairs if kind in KINDS}


def cells(answer):
    """What the strips of a page say by meter and cell: counts by kind, and where each leads."""
    strips = re.findall(r'<svg class="strip".*?</svg>', answer.expect(200).text, re.DOTALL)
    found = []
    for one in strips:
        titles = [unescape(title) for title in re.findall(r"<g><title>(.*?)</title>", one)]
        counts = [counted(title) for title in titles]
        found.append([*zip(counts, map(unescape, re.findall(r'<a href="([^"]+)"', one)), strict=True)])
    return found


def figures(rate):
    """The counts of a capture rate, without what is zero; slots that were not expected are not in it."""
    counts = {
        "valid": rate["valid"], "substituted": rate["substituted"], "imputed": rate["imputed"],
        "unfit": rate["received"] - rate["valid"] - rate["substituted"],
        "missing": rate["missing"] - rate["imputed"],
    }  # fmt: skip
    return {kind: count for kind, count in counts.items() if count}


def expected(counts):
    return {kind: count for kind, count in counts.items() if kind != "outage"}


WINTER = {"start_time": "2025-01-01T00:00:00+01:00", "end_time": "2025-04-02T00:00:00+02:00"}
AUTUMN = {"start_time": "2025-09-01T00:00:00+02:00", "end_time": "2025-11-30T00:00:00+01:00"}


@pytest.mark.parametrize(("bounds", "days"), [(WINTER, 91), (AUTUMN, 90)])
def test_a_strip_by_day_agrees_with_the_calendar_and_with_the_gaps(api, ada, year, bounds, days):
    home, kind = year
    first, last = (moment[:16] for moment in bounds.values())

    north, south = cells(ada.get(f"{home}/data_points?of=hour/so2&from={first}&until={last}"))

    rate = api.get(f"{home}/event_types/{kind}/capture_rate", {**bounds, "period": "day"}).expect(200).body
    assert (len(north), len(south), len(rate["data"])) == (days, days, days)
    for at, day in enumerate(rate["data"]):
        by_meter = {meter["name"]: figures(meter["figures"]) for meter in day["meters"]}
        assert {"North": expected(north[at][0]), "South": expected(south[at][0])} == by_meter, day["slot"]
    gaps = api.get(f"{home}/event_types/{kind}/gaps", bounds).expect(200).data
    empty = [cell.get("missing", 0) + cell.get("imputed", 0) for cell, _ in (*north, *south)]
    assert sum(gap["missing"] for gap in gaps) == sum(empty)


def test_a_strip_of_a_year_agrees_with_the_gaps_of_the_year(api, ada, year):
    home, kind = year

    strips = cells(ada.get(f"{home}/data_points?of=hour/so2&{YEAR}"))

    bounds = {"start_time": "2024-12-31T23:00:00Z", "end_time": "2025-12-31T23:00:00Z", "period": "month"}
    rate = api.get(f"{home}/event_types/{kind}/capture_rate", bounds).expect(200).body
    assert [len(strip) for strip in strips] == [53, 53]
    for strip, meter in zip(strips, rate["meters"], strict=True):
        total = sum((Counter(counts) for counts, _ in strip), Counter())
        assert expected(total) == figures(meter["figures"])
        assert total.total() == 8760
    missing = rate["total"]["missing"]
    assert str(missing) in re.sub(r"\D", "", words(ada.get(f"{home}/gaps/year?month=2025-12")))


def test_a_cell_of_a_strip_leads_to_its_range(ada, year):
    home, _ = year
    north, _ = cells(ada.get(f"{home}/data_points?of=hour/so2&from=2025-03-01T00:00&until=2025-04-01T00:00"))

    counts, address = north[29]
    [(_, *hours), *_] = [
        [one[0] for one in re.findall(r"<title>([^<]*)</title>", strip)]
        for strip in re.findall(r'<svg class="strip".*?</svg>', ada.get(address).expect(200).text, re.DOTALL)
    ]

    assert "from=2025-03-30T00%3A00&until=2025-03-31T00%3A00" in address
    assert sum(counts.values()) == 23
    assert hours


def test_years_of_minutes_are_counted_by_month_and_lose_none(api, ada):
    project = given.measuring(
        api, given.number("power"), slug="minute", cadence_amount=1, cadence_unit="minute",
        expected_locations="none",
    )  # fmt: skip
    moments = ["2015-01-01T00:00:00Z", "2019-06-30T23:59:00Z", "2019-07-01T00:00:00Z", "2023-12-31T23:59:00Z"]
    for moment in moments:
        given.event(api, project, event_type="minute", start_time=moment, values={"power": 1})
    outage = {
        "reason": "Repair",
        "start_time": "2016-02-28T00:00:00Z",
        "end_time": "2016-03-01T00:00:00Z",
    }
    api.post(f"/projects/{project['id']}/outages", {"outage": outage}).expect(201)
    years = "of=minute/power&from=2015-01-01T00:00&until=2024-01-01T00:00"

    page = ada.get(f"/projects/{project['id']}/data_points/strips?{years}")
    [strip] = cells(page)

    total = sum((Counter(counts) for counts, _ in strip), Counter())
    assert len(strip) == 9 * 12
    assert total == {"valid": 4, "outage": 2 * 1440, "missing": (3287 - 2) * 1440 - 4}
    assert [at for at, (counts, _) in enumerate(strip) if "valid" in counts] == [0, 53, 54, 107]
    assert strip[13][0] == {"missing": 27 * 1440, "outage": 2 * 1440}
