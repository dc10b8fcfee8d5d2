"""Cases of the rules of a package: what they come to, what is refused, and that the service says the same."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.given import collection as given
from tests.given.rule_evaluation import work

from weighbridge.core.time.calendar import CadenceSlots
from weighbridge.packages.checking import check_package
from weighbridge.packages.contents import read_folder
from weighbridge.packages.reading import read_package

PACKAGES = Path(__file__).parents[2] / "packages"
PACKS = sorted(folder.name for folder in PACKAGES.iterdir() if folder.name.startswith("missing-data-"))

EVENT_TYPES = b"""
event_types:
  - name: Hour
    slug: hour
    expected_locations: none
    cadence_amount: 1
    cadence_unit: hour
    data_point_types:
      - {name: SO2, slug: so2, value_type: number, unit: ppm}
      - {name: Quality, slug: quality, value_type: string}
"""
SOURCES = b"""
sources:
  - {key: text, title: A text, edition: "1", url: "https://a.example", taken: [{section: all, what: all}]}
"""
MANIFEST = b"""
name: rules
title: Rules
version: 1.0.0
licence: CC0-1.0
publisher: Somebody
about: Rules alone.
"""
RULE = """
rules:
  - name: Fill
    source: text, 1
    expression: "{{quality}} = 'bad'"
    data_point: so2
    purpose: PURPOSE
    effective_from: 2020-01-01T00:00:00Z
    correction: CORRECTION
    cases:
      - name: a series
        source: text, 2
        slots:
          - {values: {so2: 10, quality: good}}
          - {count: 2, values: {so2: 1, quality: bad}, add: {so2: 1}}
          - {count: 1}
          - {values: {so2: 14, quality: good}}
        expect: EXPECT
"""
MEAN = "{method: mean_before_after}"


def report_of(expect, *, correction=MEAN, purpose="substitute", **replaced):
    text = RULE.replace("CORRECTION", correction).replace("EXPECT", expect).replace("PURPOSE", purpose)
    for old, new in replaced.items():
        text = text.replace(old, new)
    files = {
        "package.yaml": MANIFEST, "sources.yaml": SOURCES, "event_types.yaml": EVENT_TYPES,
        "rules.yaml": text.encode(), "pages.md": b"# Rules",
    }  # fmt: skip
    return check_package(read_package(files))


def flaws_of(*args, **fields):
    return [flaw.message for flaw in report_of(*args, **fields).flaws]


def test_a_gap_of_invalid_and_missing_slots_is_filled():
    report = report_of("[{from: 2, to: 4, value: 12}]")

    assert report.flaws == ()
    assert [result.is_passed for one in report.rules for result in one.results] == [True]


def test_the_first_slot_that_comes_to_something_else_is_named():
    assert flaws_of("[{from: 2, to: 4, value: 13}]") == [
        "The case 'a series' expects the value 13 of slot 2, which comes to 12."
    ]
    assert flaws_of("[{slot: 1, value: 10}]") == [
        "The case 'a series' expects the value 10 of slot 1, which comes to nothing."
    ]


def test_an_adjustment_comes_to_its_value_where_it_alerts():
    correction = "{method: expression, expression: '{{so2}} * 2'}"

    expect = "[{slot: 1, alert: false}, {slot: 2, alert: true, value: 2}, {slot: 3, value: 4}]"

    assert flaws_of(expect, correction=correction, purpose="adjust") == []


def test_an_alert_looks_at_the_slots_before():
    fields = {
        "purpose": "alert",
        "    correction: CORRECTION\n": "",
        "{{quality}} = 'bad'": "missed_slots() > 0",
    }

    report = report_of("[{slot: 5, alert: true}, {slot: 3, alert: false}]", **fields, correction="CORRECTION")

    assert report.flaws == ()


REFUSED = {
    "a value of no data point": (
        {"{so2: 14,": "{so3: 14,"},
        "gives 'so3', which an event of type 'hour' has not",
    ),
    "a value of another kind": (
        {"quality: good": "quality: 4"},
        "gives 'quality' a value that is not a text",
    ),
    "an addition to nothing": ({"add: {so2: 1}": "add: {load: 1}"}, "adds to 'load', which the run gives no"),
    "a rule that fits nothing": ({"{{quality}} = 'bad'": "{{qualify}} = 'bad'"}, "did you mean {{quality}}?"),
    "a rule without a source": ({"source: text, 1": "source: other, 1"}, "names no document of sources.yaml"),
    "a case without a source": ({"source: text, 2": "source: other, 2"}, "names no document of sources.yaml"),
    "an unknown event type": ({"        slots:": "        event_type: day\n        slots:"}, "one of hour."),
    "a start that is none": ({"        slots:": "        start: soon\n        slots:"}, "Start is a moment"),
    "too many slots": ({"{count: 1}": "{count: 50000}"}, "A case has at most 50,000 slots; here are 50,004."),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_with_a_case_is_said(name):
    replaced, said = REFUSED[name]

    flaws = flaws_of("[{from: 2, to: 4, value: 12}]", **replaced)

    assert any(said in flaw for flaw in flaws), flaws


def test_what_is_wrong_with_a_filling_has_its_place():
    flaws = report_of("[{slot: 2, value: 12}]", correction="{method: mean}").flaws

    assert [(flaw.file, flaw.line) for flaw in flaws] == [("rules.yaml", 9)]


@pytest.mark.parametrize("name", PACKS)
def test_the_rules_of_the_library_come_to_their_cases(name):
    report = check_package(read_package(read_folder(PACKAGES / name)))

    assert report.flaws == ()
    assert all(one.results for one in report.rules)


def cases_of_the_library():
    for name in PACKS:
        report = check_package(read_package(read_folder(PACKAGES / name)))
        for one in report.rules:
            for result in one.results:
                if sum(run.count for run in result.case.runs) <= 500:
                    yield pytest.param(name, one.part.record.name, result.case, id=result.case.name)


def list_events(case, event_type, clock):
    """The bodies of the events of a case, each with the values that the case gives it and no others."""
    number, first = 0, clock.holding(case.start)
    for run in case.runs:
        for place in range(run.count):
            start = clock.start(first + number).strftime("%Y-%m-%dT%H:%M:%SZ")
            number += 1
            if run.values is not None:
                more = {slug: run.values[slug] + step * place for slug, step in run.add.items()}
                values = {**run.values, **more}
                yield given.event_body(event_type=event_type, start_time=start, values=values)


def create(api, kind, record):
    """A project with an event type and a rule of a package."""
    points = [
        {
            "name": row.name,
            "slug": row.slug,
            "value_type": row.value_type,
            "unit": row.unit,
            "required": False,
        }
        for row in kind.data_point_types
    ]
    project = given.measuring(
        api, *points, slug=kind.slug, cadence_amount=kind.cadence_amount, cadence_unit=kind.cadence_unit
    )
    names = ("name", "expression", "data_point", "purpose", "correction")
    rule = {name: getattr(record, name) for name in names} | {"effective_from": "2020-01-01T00:00:00Z"}
    api.post(f"/projects/{project['id']}/rules", {"rule": rule}).expect(201)
    return project


@pytest.mark.parametrize(("package", "rule", "case"), list(cases_of_the_library()))
def test_the_service_comes_to_the_same_as_a_case(api, account, package, rule, case):
    parts = read_package(read_folder(PACKAGES / package))
    [record] = [one.record for one in parts.rules if one.record.name == rule]
    point = record.data_point
    [kind] = [
        one.record for one in parts.event_types if point in {row.slug for row in one.record.data_point_types}
    ]
    clock = CadenceSlots(kind.cadence_amount, kind.cadence_unit, UTC)
    project = create(api, kind, record)
    given.events(api, project, [*list_events(case, kind.slug, clock)])
    work(account)

    for expected in case.expected:
        number = clock.holding(case.start) - 1
        first = clock.start(number + expected.first)
        query = {
            "sort": "start_time", "page_size": "200",
            "filter[start_time][geq]": first.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }  # fmt: skip
        events = api.get(f"/projects/{project['id']}/events", query).expect(200).data
        points = {
            clock.holding(datetime.fromisoformat(event["start_time"])): one
            for event in events
            for one in event["data_points"]
            if one["slug"] == point
        }
        said = expected.outcome
        for slot in range(expected.first, expected.last + 1):
            one = points.get(number + slot)
            substitution = None if one is None else one["substitution"]
            found = (one["value"], substitution.get("code")) if substitution else (None, None)
            assert found == (said.get("value"), said.get("code") if "value" in said else None)


def test_the_case_that_the_guide_prints_is_in_the_library():
    guide = (PACKAGES.parent / "docs" / "howto" / "write-a-package.md").read_text()
    [block] = re.findall(r"^```yaml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)

    assert block in (PACKAGES / "missing-data-quebec" / "rules.yaml").read_text()
