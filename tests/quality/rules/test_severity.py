"""The severity of a rule: an alert, which reports may be refused for, or a warning."""

import re

import pytest
from tests.given import accounting as given_accounting
from tests.given import alerts, reports
from tests.given import collection as given
from tests.given.people import visitor


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


def findings(api, project, **query):
    path = f"/projects/{project['id']}/rule_results"
    return [(one["rule_name"], one["severity"]) for one in api.get(path, query).expect(200).data]


def test_a_rule_finds_alerts_unless_it_says_that_it_only_warns(api, plant, drain):
    event = given.event(api, plant, values={"mass": 50})
    grave = alerts.rule(api, plant, "{{mass}} > 45", name="Grave")
    alerts.finished_run(api, drain, grave)
    found = api.get(f"/projects/{plant['id']}/events/{event['id']}").body
    assert (grave["severity"], found["has_rule_alerts"], found["has_rule_warnings"]) == ("fail", True, False)

    light = alerts.rule(api, plant, "{{mass}} > 40", name="Light", severity="warn")
    alerts.finished_run(api, drain, light)
    found = api.get(f"/projects/{plant['id']}/events/{event['id']}").body

    assert (light["severity"], found["has_rule_alerts"], found["has_rule_warnings"]) == ("warn", True, True)
    assert [one["severity"] for one in found["data_points"][0]["rule_results"]] == ["fail", "warn"]
    assert findings(api, plant, **{"filter[severity]": "warn"}) == [("Light", "warn")]
    assert findings(api, plant, **{"filter[severity]": "fail"}) == [("Grave", "fail")]
    rules = api.get(f"/projects/{plant['id']}/rules", {"filter[severity]": "warn"}).data
    assert [one["name"] for one in rules] == ["Light"]


def test_another_severity_is_another_version_and_earlier_findings_keep_theirs(api, plant, drain):
    given.event(api, plant, values={"mass": 50})
    rule = alerts.rule(api, plant, "{{mass}} > 40", name="Heavy")
    alerts.finished_run(api, drain, rule)

    changed = api.patch(f"/rules/{rule['id']}", {"rule": {"severity": "warn"}}).expect(200).body
    assert (changed["version"], findings(api, plant)) == (2, [("Heavy", "fail")])

    alerts.finished_run(api, drain, changed)

    assert findings(api, plant, status="fail") == [("Heavy", "warn")]
    assert findings(api, plant, status="pass") == [("Heavy", "fail")]
    versions = api.get(f"/rules/{rule['id']}/versions").data
    assert [one["severity"] for one in versions] == ["warn", "fail"]


def test_a_rule_that_corrects_does_not_merely_warn(api, plant):
    body = alerts.rule_body(purpose="adjust", correction=alerts.TWO_PERCENT, severity="warn")

    [error] = api.post(f"/projects/{plant['id']}/rules", body).expect(422).errors

    assert (error["field"], error["message"]) == (
        "severity",
        "severity is 'warn'; what a rule corrects is no mere warning, so with the purpose adjust it is fail.",
    )


def test_a_severity_that_there_is_not_is_refused(api, plant):
    [error] = (
        api.post(f"/projects/{plant['id']}/rules", alerts.rule_body(severity="grave")).expect(422).errors
    )

    assert error["message"] == "severity is 'grave'; allowed are warn, fail."


def test_a_warning_keeps_no_report_back_and_an_alert_of_the_same_data_does(api, drain):
    claims = reports.claims(api, drain, 5)
    plant = claims.plant
    new = {
        "name": "Removal", "version": "1", "report_type": "quarterly",
        "submission_requirements": ["no_open_alerts"],
    }  # fmt: skip
    methodology = api.post("/methodologies", {"methodology": new}).expect(201).body["id"]
    rule = alerts.rule(api, plant.project, "{{mass}} > 4", severity="warn")
    alerts.finished_run(api, drain, rule)
    of_run = alerts.rule(
        api, plant.project, "mass > 4", target="model_run", model_id=plant.model["id"], severity="warn"
    )
    alerts.finished_run(api, drain, of_run)
    draft = claims.report(5, methodology_id=methodology)
    assert api.get(f"/reports/{draft['id']}").body["warned_batch_count"] == 1

    graver = api.patch(f"/rules/{rule['id']}", {"rule": {"severity": "fail"}}).expect(200).body
    alerts.finished_run(api, drain, graver)
    refused = api.post(f"/reports/{draft['id']}/submit", {}).expect(422).errors
    assert [error["code"] for error in refused[1:]] == ["open_alerts"]

    lighter = api.patch(f"/rules/{rule['id']}", {"rule": {"severity": "warn"}}).expect(200).body
    alerts.finished_run(api, drain, lighter)

    api.post(f"/reports/{draft['id']}/submit", {}).expect(202)


def test_a_batch_says_warnings_of_its_run_apart_from_alerts(api, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(50)
    [batch] = plant.generate()["batches"]
    rule = alerts.rule(
        api, plant.project, "mass > 40", target="model_run", model_id=plant.model["id"], severity="warn"
    )

    alerts.finished_run(api, drain, rule)

    shown = api.get(f"/batches/{batch}").body
    assert (shown["has_rule_alerts"], shown["has_rule_warnings"]) == (False, True)


def test_pages_say_warning_in_words_and_count_warnings_apart(api, account, plant, drain):
    given.event(api, plant, values={"mass": 50})
    rule = alerts.rule(api, plant, "{{mass}} > 40", name="Light", severity="warn")
    alerts.finished_run(api, drain, rule)
    home = f"/projects/{plant['id']}"

    person = visitor(account)

    assert '<span class="state waits">warning</span>' in person.get(f"{home}/rule_results").text
    assert '<span class="state waits">warning</span>' in person.get(f"{home}/rules/{rule['id']}").text
    overview = person.get(home).text
    assert re.search(r"filter\[severity\]=warn\"><b>1</b> warning</a>", overview)
    assert "alert</a>" not in overview
