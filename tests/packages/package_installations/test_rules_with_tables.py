"""A rule of a package that looks limits up, and warns of drift: what an upgrade says of it before, and that
what the rule finds then equals it.
"""

from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given import packages
from tests.given.rule_evaluation import results, work

BEGIN = "2020-01-01T00:00:00Z"
DAY = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-01-02T00:00:00Z"}
LIMITS = f"""\
      limits:
        columns: [grade, effective_from, drift]
        rows:
          - [A, "{BEGIN}", 2.5]
          - [B, "{BEGIN}", 5]
"""
STRICTER = LIMITS.replace(", 5]", ", 3]") + '          - [A, "2025-01-01T02:00:00Z", 9]\n'
FILES = {
    "package.yaml": """\
name: drifting
title: Drift of a monitor
version: 1.0.0
licence: CC0-1.0
publisher: Works
about: Limits of drift by grade.
""",
    "sources.yaml": """\
sources:
  - key: plan
    title: Monitoring plan
    edition: "2025"
    url: https://works.example/plan
    taken: [{section: "1", what: limits}]
""",
    "event_types.yaml": """\
event_types:
  - name: Hour
    expected_locations: none
    cadence_amount: 1
    cadence_unit: hour
    data_point_types:
      - {name: SO2, slug: so2, value_type: number, unit: ppm}
      - {name: Grade, value_type: string}
""",
    "rules.yaml": f"""\
rules:
  - name: Drift
    expression: "abs(next_calibration_drift()) > lookup(limits, drift, {{{{grade}}}})"
    data_point: so2
    severity: warn
    message: More drift than the grade allows.
    effective_from: "2020-01-01T00:00:00Z"
    source: plan, 1
    tables:
{LIMITS}""",
    "pages.md": "# Drift of a monitor\n",
}


def version(number="1.0.0", tables=LIMITS):
    files = {name: text.replace("version: 1.0.0", f"version: {number}") for name, text in FILES.items()}
    files["rules.yaml"] = files["rules.yaml"].replace(LIMITS, tables)
    return {name: text.encode() for name, text in files.items()}


@pytest.fixture
def monitor(api, account):
    """Four hours of two grades between two calibrations, which the meter has moved by 4 between."""
    project = given.project(api)
    installed = packages.install(api, project, packages.upload(api, version())).expect(201).body
    [kind] = api.get(f"/projects/{project['id']}/event_types").data
    asset = given.asset(api, project, name="Monitor")["id"]
    for hour, errors in ((0, {"as_left": 0}), (4, {"as_found": 4})):
        body = {
            "name": f"Hour {hour}", "event_type_id": kind["id"], "data_point_type": "so2", "asset_id": asset,
            "valid_from": f"2025-01-01T{hour:02}:00:00Z", "uncertainty": {"standard": 1}, "error_unit": "%",
        } | ({"valid_until": "2025-01-01T04:00:00Z"} if hour == 0 else {}) | errors  # fmt: skip
        api.post(f"/projects/{project['id']}/calibrations", {"calibration": body}).expect(201)
    events = [
        given.event_body(
            event_type="hour", start_time=f"2025-01-01T{hour:02}:00:00Z", asset_id=asset,
            values={"so2": 10 + hour, "grade": grade},
        )
        for hour, grade in enumerate("ABAB")
    ]  # fmt: skip
    given.events(api, project, events)
    work(account)
    return project, installed


def warned(api, rule):
    """The hours that the rule warns of now, by what was checked: 10 is that of the first."""
    return [
        (int(one["entered_value"]) - 10, one["severity"])
        for one in sorted(results(api, rule), key=lambda one: one["entered_value"])
        if one["status"] == "fail"
    ]


def test_the_dry_run_of_an_upgrade_says_another_table_and_the_rule_then_goes_by_it(api, account, monitor):
    project, installed = monitor
    [rule] = api.get(f"/projects/{project['id']}/rules").data
    assert (rule["severity"], len(rule["tables"]["limits"]["rows"])) == ("warn", 2)
    assert warned(api, rule) == [(0, "warn"), (2, "warn")]
    newer = packages.upload(api, version("1.1.0", STRICTER))
    path = f"/package_installations/{installed['id']}"
    body = {"upgrade": {"package_id": newer["id"]}}

    foreseen = api.post(f"{path}/upgrade/preview", body).expect(200).body

    assert foreseen["problems"] == []
    [said] = [one for one in foreseen["parts"] if one["kind"] == "rule"]
    assert (said["key"], said["state"]) == ("Drift", "changed")
    [(field, before, after)] = [(one["field"], one["before"], one["after"]) for one in said["differences"]]
    assert (field, before) == ("tables.limits.rows", [["A", BEGIN, "2.5"], ["B", BEGIN, "5"]])
    assert after == [["A", BEGIN, "2.5"], ["B", BEGIN, "3"], ["A", "2025-01-01T02:00:00Z", "9"]]
    rule_then = {name: rule[name] for name in ("expression", "data_point", "effective_from", "severity")}
    rows = [[*cells, Decimal(drift)] for *cells, drift in after]
    rule_then |= {"name": "Then", "tables": {"limits": rule["tables"]["limits"] | {"rows": rows}}}
    tried = api.post(f"/projects/{project['id']}/rules/preview", {"rule": rule_then} | DAY).expect(200).body
    work(account)
    assert api.get(f"/rules/{rule['id']}").body == rule, "the dry run changes nothing"
    assert warned(api, rule) == [(0, "warn"), (2, "warn")]

    done = api.post(f"{path}/upgrade", body).expect(200).body
    work(account)

    assert [one for one in done["parts"] if one["kind"] == "rule"] == [said]
    now = api.get(f"/rules/{rule['id']}").body
    assert (now["version"], now["severity"]) == (2, "warn")
    assert now["tables"]["limits"]["rows"] == rows
    assert warned(api, rule) == [(0, "warn"), (1, "warn"), (3, "warn")]
    assert [int(one["value"]) - 10 for one in tried["data"]] == [0, 1, 3]
