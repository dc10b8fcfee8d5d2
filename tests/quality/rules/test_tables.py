"""Limits that a rule looks up in its tables: of each lorry or analyser, and from when on they hold."""

from datetime import UTC, datetime

import pytest
from tests.given import alerts
from tests.given import collection as given
from tests.given.rule_evaluation import work

LORRIES = {
    "lorries": {
        "columns": ["plate", "effective_from", "tare"],
        "rows": [
            ["KN 12", "2024-01-01T00:00:00Z", 14.2],
            ["KN 12", "2025-03-01T00:00:00Z", 14.6],
            ["KN 77", "2024-01-01T00:00:00Z", 12],
            ["KN 99", "2025-06-01T00:00:00Z", 13],
        ],
    }
}
TOO_HEAVY = "{{empty}} > (1.02 * lookup(lorries, tare, {{plate}}))"


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("empty"), given.text("plate"))


def weigh(api, plant, plate, mass, start="2025-02-01T08:00:00Z"):
    values = {"empty": mass} | ({} if plate is None else {"plate": plate})
    return given.event(api, plant, start_time=start, values=values)["id"]


def found(api, plant):
    """What stands: the event, the status and the sentence of each result."""
    results = api.get(f"/projects/{plant['id']}/rule_results", {"sort": "id"}).expect(200).data
    return [
        (one["event_id"], one["status"], one["error_message"]) for one in results if one["status"] != "pass"
    ]


def make(api, plant, expression=TOO_HEAVY, **fields):
    return alerts.rule(api, plant, expression, **({"tables": LORRIES, "evaluation": "automatic"} | fields))


def test_each_lorry_has_the_limit_of_its_row(api, account, plant):
    make(api, plant)
    weigh(api, plant, "KN 12", 14.4)
    weigh(api, plant, "KN 77", 12.2, "2025-02-01T09:00:00Z")
    heavy = weigh(api, plant, "KN 77", 12.3, "2025-02-01T10:00:00Z")
    work(account)

    assert found(api, plant) == [(heavy, "fail", None)]


def test_the_row_counts_that_holds_when_the_event_starts(api, account, plant):
    make(api, plant)
    before = weigh(api, plant, "KN 12", 14.8, "2025-02-28T23:59:59Z")
    weigh(api, plant, "KN 12", 14.8, "2025-03-01T00:00:00Z")
    work(account)

    assert found(api, plant) == [(before, "fail", None)]


def test_a_key_without_a_row_is_found_with_a_sentence(api, account, plant):
    make(api, plant)
    unknown = weigh(api, plant, "B 1", 10)
    early = weigh(api, plant, "KN 99", 10)
    weigh(api, plant, None, 10, "2025-02-01T09:00:00Z")
    work(account)

    assert {event: sentence for event, _, sentence in found(api, plant)} == {
        unknown: "At column 21: The table lorries has no row for 'B 1'.",
        early: "At column 21: The table lorries has no row for 'KN 99' that holds by "
        "2025-02-01T08:00:00.000Z.",
    }


def test_a_row_that_is_added_makes_another_version_and_settles_the_finding(api, account, plant):
    rule = make(api, plant)
    weigh(api, plant, "B 1", 10)
    work(account)
    assert len(found(api, plant)) == 1
    rows = [*LORRIES["lorries"]["rows"], ["B 1", "2024-01-01T00:00:00Z", 10]]

    change = {"rule": {"tables": {"lorries": LORRIES["lorries"] | {"rows": rows}}}}
    changed = api.patch(f"/rules/{rule['id']}", change).expect(200).body
    work(account)

    assert (changed["version"], found(api, plant)) == (2, [])
    versions = api.get(f"/rules/{rule['id']}/versions").expect(200).data
    assert [len(one["tables"]["lorries"]["rows"]) for one in versions] == [5, 4]


def test_a_tag_such_as_the_asset_is_a_key_as_well(api, account, plant):
    """The span of each analyser: a reading above it is none (40 CFR 75, appendix A, 2.1)."""
    spans = {"spans": {"columns": ["analyser", "span"], "rows": [["East", 100], ["West", 500]]}}
    make(api, plant, "{{empty}} > lookup(spans, span, asset)", tables=spans)
    over = []
    for hour, name in enumerate(("East", "West")):
        asset = given.asset(api, plant, name=name)["id"]
        event = given.event(
            api, plant, start_time=f"2025-02-01T0{hour}:00:00Z", asset_id=asset, values={"empty": 200}
        )
        over += [event["id"]] if name == "East" else []
    work(account)

    assert found(api, plant) == [(over[0], "fail", None)]


def test_a_lookup_counts_in_windows_and_in_corrections(api, account, plant):
    make(
        api, plant, "{{empty}} is not null", purpose="adjust",
        correction={"method": "expression", "expression": "{{empty}} - lookup(lorries, tare, {{plate}})"},
    )  # fmt: skip
    share = "share({{empty}} > lookup(lorries, tare, {{plate}})) > 0.5"
    make(api, plant, share, name="Most", window={"kind": "rolling", "members": 5, "include_current": True})
    event = weigh(api, plant, "KN 77", 20)
    work(account)

    [point] = [
        one for one in api.get(f"/projects/{plant['id']}/events/{event}").body["data_points"]
        if one["slug"] == "empty"
    ]  # fmt: skip
    assert (point["value"], point["raw_value"]) == (8, 20)


@pytest.mark.parametrize(
    "wrong",
    [
        (None, TOO_HEAVY, "expression", "The rule has no table 'lorries'"),
        (LORRIES, "{{empty}} > lookup(lorries, tar, {{plate}})", "expression", "did you mean tare?"),
        (LORRIES, "{{empty}} > lookup(lorries, tare, {{empty}})", "expression", "lookup is a number"),
        (LORRIES, "{{empty}} > lookup(lorries, tare, previous({{plate}}))", "expression", "record alone"),
        ({"t": {"columns": ["a"], "rows": [["x"]]}}, "{{empty}} > 1", "tables.t.columns", "are 2 to 20"),
        ({"t": {"columns": ["a", "b"], "rows": []}}, "{{empty}} > 1", "tables.t.rows", "are 1 to 2,000"),
        ({"t": {"columns": ["a", "b"], "rows": [["x"]]}}, "{{empty}} > 1", "tables.t.rows[0]", "2 columns"),
        (
            {"t": {"columns": ["a", "b"], "rows": [["x", 1], ["x", 2]]}},
            "{{empty}} > 1", "tables.t.rows[1]", "is another row for 'x'",
        ),
        (
            {"t": {"columns": ["a", "b"], "rows": [["x", 1], ["y", "z"]]}},
            "{{empty}} > 1", "tables.t.b", "holds numbers and texts",
        ),
        (
            {"t": {"columns": ["a", "effective_from", "b"], "rows": [["x", "2025", 1]]}},
            "{{empty}} > 1", "tables.t.rows[0].effective_from", "is a time with an offset",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_said_with_its_place(api, plant, wrong):
    tables, expression, field, sentence = wrong
    body = alerts.rule_body(expression, tables=tables)

    errors = api.post(f"/projects/{plant['id']}/rules", body).expect(422).errors

    [error] = [one for one in errors if sentence in one["message"]]
    assert error["field"] == field


def test_for_each_lorry_a_rule_looks_at_that_lorry_alone(api, account, plant):
    """`same` of a window: a lorry that stands out among its own weighings, not among those of all."""
    window = {"kind": "rolling", "members": 3, "same": "{{plate}}"}
    make(api, plant, "{{empty}} > (1.5 * avg({{empty}}))", tables=None, window=window)
    begin = datetime(2025, 2, 1, tzinfo=UTC)
    ids = [
        weigh(api, plant, plate, mass, begin.replace(hour=hour).isoformat())
        for hour, (plate, mass) in enumerate(
            [("A", 10), ("B", 30), ("A", 11), ("B", 31), (None, 90), ("A", 20), ("B", 32)]
        )
    ]
    work(account)

    assert found(api, plant) == [(ids[5], "fail", None)]


def test_for_each_supplier_a_month_fails_of_which_less_than_a_share_passes(api, account, plant):
    """`mostly`, with `same`: an alert on each wrong row of a month of which less than 95 % are possible."""
    window = {"kind": "calendar", "unit": "month", "extent": "whole_period", "same": "{{plate}}"}
    expression = "{{empty}} not between 1 and 40 and share({{empty}} between 1 and 40) < 0.95"
    make(api, plant, expression, tables=None, window=window)
    wrong = {}
    for hour in range(20):
        for minute, (plate, wrong_hours) in enumerate({"A": {7}, "B": {7, 9}}.items()):
            mass = 50 if hour in wrong_hours else 20
            event = weigh(api, plant, plate, mass, f"2025-02-01T{hour:02d}:{minute:02d}:00Z")
            wrong.setdefault(plate, []).extend([event] if hour in wrong_hours else [])
    work(account)

    assert {event for event, _, _ in found(api, plant)} == {*wrong["B"]}
