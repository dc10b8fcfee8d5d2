"""POST /reports/{report_id}/submit (`submit_report`). Seed, Report operations; reference facts, 2.10."""

import hashlib
import json

import pytest
from tests.given import accounting, alerts, gaps, reports
from tests.given.reports import accepted, submitted
from tests.given.rule_evaluation import work


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def submit(claims, report):
    return claims.plant.api.post(f"/reports/{report['id']}/submit", {})


def unmet(answer):
    """The codes of what a report does not meet."""
    first, *others = answer.expect(422).errors
    assert (first["message"], first["code"]) == (
        "Report does not meet submission requirements",
        "requirements",
    )
    return [error["code"] for error in others]


def test_submission_reserves_what_the_report_takes_at_once_and_answers_with_its_task(claims):
    draft = claims.report(4)

    answer = submit(claims, draft).expect(202)

    assert (answer.body["id"], answer.body["status"]) == (draft["id"], "submitting")
    assert answer.body["async_task_id"] == answer.body["async_task"]["id"]
    assert answer.body["async_task"]["type"] == "report_submission"
    assert answer.headers["Location"] == f"/api/v1/async_tasks/{answer.body['async_task_id']}"
    assert claims.balances() == [1, 3]
    found = claims.read(draft)
    assert (found["status"], found["effective_at"]) == ("submitting", "2025-02-01T00:00:00.000Z")
    assert (found["allocation"]["amount"], found["allocation"]["unit"]) == (4, "t")
    [allocation] = claims.plant.batches()[0]["report_allocations"]
    assert (allocation["amount"], allocation["unit"], allocation["allocation"]["amount"]) == (4, "t", 4)
    assert allocation["report"] == {
        "id": draft["id"],
        "name": "First quarter",
        "report_type": "quarterly",
        "status": "submitting",
    }


def test_the_task_hands_on_canonical_content_and_says_its_digest(claims):
    draft = claims.report("1.50")
    task = submit(claims, draft).expect(202).body["async_task_id"]
    claims.plant.drain()

    ended = claims.plant.api.get(f"/async_tasks/{task}").expect(200).body
    content = claims.plant.api.get(f"/reports/{draft['id']}/submission/download").expect(200).content

    digest = hashlib.sha256(content).hexdigest()
    assert ended["result"] == {"report": draft["id"], "reference": f"sha256:{digest}", "sha256": digest}
    assert json.loads(content)["amount"] == "1.5"
    history = [(one["status"], one["adapter"], one["reference"]) for one in claims.read(draft)["history"]]
    assert history == [("submitting", None, None), ("submitted", "file", f"sha256:{digest}")]


def test_a_report_counts_from_the_latest_slots_end_on(claims):
    submitted(claims, claims.report(1, 1))

    path = f"/ledgers/{claims.plant.ledger['id']}"
    at = [
        claims.plant.api.get(path, {"effective_at": f"2025-0{month}-01T00:00:00Z"}).body["balance"]
        for month in (2, 3)
    ]
    statement = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-04-01T00:00:00Z"}
    [partition] = claims.plant.api.get(f"{path}/statement", statement).expect(200).data

    assert at == [5, 6]
    assert (partition["produced"], partition["drawn_out"], partition["of_which_reported"]) == (8, 2, 2)
    assert partition["closing"] == {"balance": 6, "deficit": 0}


def test_what_another_report_holds_is_not_taken_again(claims):
    first, second = claims.report(4), claims.report(4)
    submitted(claims, first)

    assert unmet(submit(claims, second)) == ["not_remaining", "not_remaining"]
    assert claims.read(second)["status"] == "draft"
    assert claims.balances() == [1, 3]


def test_a_report_without_batches_is_not_submitted(claims):
    assert unmet(submit(claims, claims.ask().expect(201).body)) == ["no_batches"]


def test_a_report_over_batches_that_were_deleted_is_not_submitted(claims):
    draft = claims.report(0, 3)
    claims.plant.api.delete(f"/batches/{claims.batch(1)}").expect(202)
    claims.plant.drain()

    assert unmet(submit(claims, draft)) == ["batch_gone"]
    assert claims.read(draft)["stale_batch_count"] == 1


def test_a_report_over_stale_batches_is_not_submitted_until_they_are_generated_again(api, drain):
    claims = reports.claims(api, drain, 5)
    draft = claims.report(5)
    event = claims.plant.api.get(f"/projects/{claims.plant.project['id']}/events").data[0]
    point = event["data_points"][0]["id"]
    path = f"/projects/{claims.plant.project['id']}/data_points/{point}"
    claims.plant.api.patch(path, {"data_point": {"value": 6}}).expect(200)

    assert unmet(submit(claims, draft)) == ["stale_batches"]
    assert claims.read(draft)["stale_batch_count"] == 1
    claims.plant.generate()
    submit(claims, draft).expect(202)


def test_a_report_is_submitted_once(claims):
    draft = claims.report(5)
    submit(claims, draft).expect(202)

    assert submit(claims, draft).expect(409).error["code"] == "report_state"
    claims.plant.drain()
    assert submit(claims, draft).expect(409).error["code"] == "report_state"
    for change in ({"name": "Other"}, {"batch_ids": []}):
        answer = claims.plant.api.patch(f"/reports/{draft['id']}", {"report": change}).expect(409)
        assert answer.error["code"] == "not_draft"
    assert claims.plant.api.delete(f"/reports/{draft['id']}").expect(409).error["code"] == "not_draft"


def test_a_submission_that_is_cancelled_keeps_its_reserve_until_it_is_certain(claims):
    draft = claims.report(5)
    task = submit(claims, draft).expect(202).body["async_task_id"]

    claims.plant.api.post(f"/async_tasks/{task}/cancel", {}).expect(200)

    failed = claims.read(draft)
    assert (failed["status"], failed["allocation"]["amount"]) == ("failed", 5)
    assert failed["history"][-1]["reason"] == "The task was cancelled; it has changed nothing."
    assert claims.balances() == [0, 3]
    submit(claims, draft).expect(202)
    claims.plant.drain()
    assert claims.read(draft)["status"] == "submitted"
    assert claims.balances() == [0, 3]


def test_a_methodology_may_ask_for_more(api, drain, claims):
    other = reports.claims(api, drain, 1).plant.model
    new = {
        "name": "Removal", "version": "1", "report_type": "quarterly", "model_ids": [other["id"]],
        "submission_requirements": ["evidence", "no_open_alerts"],
    }  # fmt: skip
    methodology = api.post("/methodologies", {"methodology": new}).expect(201).body["id"]

    assert unmet(submit(claims, claims.report(5, methodology_id=methodology))) == [
        "another_model",
        "no_evidence",
    ]


def test_a_batch_that_a_report_holds_is_not_deleted(claims):
    report = submitted(claims, claims.report(5))

    errors = claims.plant.api.delete(f"/batches/{claims.batch()}").expect(422).errors

    assert [(error["code"], error["records"]) for error in errors] == [("reported", [report["id"]])]


def test_a_fall_below_what_a_report_holds_is_a_deficit(claims):
    accepted(claims, claims.report(5, 3))
    events = claims.plant.api.get(
        f"/projects/{claims.plant.project['id']}/events", {"sort": "start_time"}
    ).data
    path = f"/projects/{claims.plant.project['id']}/data_points/{events[0]['data_points'][0]['id']}"
    claims.plant.api.patch(path, {"data_point": {"value": 4}}).expect(200)

    claims.plant.generate()

    ledger = claims.plant.api.get(f"/ledgers/{claims.plant.ledger['id']}").body
    assert (ledger["balance"], ledger["deficit"]) == (0, 1)


def test_a_correction_that_waits_for_approval_blocks_the_report_of_what_it_would_change(claims):
    plant = claims.plant
    rule = alerts.calibration(plant.api, plant.project, "{{mass}} > 4", requires_approval=True)
    alerts.finished_run(plant.api, plant.drain, rule)

    assert unmet(submit(claims, claims.report(5))) == ["pending_proposals"]
    submit(claims, claims.report(0, 3)).expect(202)


def test_an_alert_on_the_data_blocks_a_report_whose_methodology_asks_for_none(claims):
    plant = claims.plant
    new = {
        "name": "Removal", "version": "1", "report_type": "quarterly",
        "submission_requirements": ["no_open_alerts"],
    }  # fmt: skip
    methodology = plant.api.post("/methodologies", {"methodology": new}).expect(201).body["id"]
    rule = alerts.rule(plant.api, plant.project, "{{mass}} > 4")
    alerts.finished_run(plant.api, plant.drain, rule)

    assert unmet(submit(claims, claims.report(5, methodology_id=methodology))) == ["open_alerts"]
    submit(claims, claims.report(5)).expect(202)


def test_evidence_on_an_event_of_each_batch_is_enough(claims):
    plant = claims.plant
    new = {
        "name": "Removal", "version": "1", "report_type": "quarterly",
        "submission_requirements": ["evidence"],
    }  # fmt: skip
    methodology = plant.api.post("/methodologies", {"methodology": new}).expect(201).body["id"]
    draft = claims.report(5, methodology_id=methodology)
    assert unmet(submit(claims, draft)) == ["no_evidence"]
    events = plant.api.get(f"/projects/{plant.project['id']}/events", {"sort": "start_time"}).data

    link = {"evidence": {"type": "url", "url": "https://example.org/a", "name": "A"}}
    plant.api.post(f"/events/{events[0]['id']}/evidence", link).expect(201)

    submit(claims, draft).expect(202)


def test_an_event_that_waits_for_approval_blocks_the_report_of_what_it_would_change(api, account, drain):
    project = gaps.stack(api)
    gaps.filling(api, project, {"method": "previous"}, purpose="impute", requires_approval=True)
    gaps.report(api, project, "10 - 14")
    gaps.report(api, project, "20 21", first=49)
    text = accounting.document(
        """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
""",
        cadence="daily",
        primary_output="emission",
    )
    model = accounting.model(api, project, text)
    ledger = accounting.ledger(api, project, model, name="Emissions")
    plant = accounting.Plant(api, drain, project, model, ledger)
    plant.generate(("2025-01-01T00:00:00Z", "2025-01-04T00:00:00Z"))
    work(account)
    claims = reports.Claims(plant)
    assert [batch["primary_output"]["value"] for batch in plant.batches()] == [24, 41]

    assert unmet(submit(claims, claims.report(5))) == ["pending_proposals"]
    submit(claims, claims.report(0, 5)).expect(202)


def corrected_by_hand(claims, value):
    """Another value for the first event, and batches that stand on it."""
    plant = claims.plant
    events = plant.api.get(f"/projects/{plant.project['id']}/events", {"sort": "start_time"}).data
    path = f"/projects/{plant.project['id']}/data_points/{events[0]['data_points'][0]['id']}"
    plant.api.patch(path, {"data_point": {"value": value}}).expect(200)
    plant.generate()


def test_a_methodology_may_ask_how_much_was_measured(claims):
    corrected_by_hand(claims, 6)
    new = {"name": "Removal", "version": "1", "report_type": "quarterly", "measured_share_min": "0.375"}
    api = claims.plant.api
    enough = api.post("/methodologies", {"methodology": new}).expect(201).body["id"]
    more = {"methodology": new | {"version": "2", "measured_share_min": "0.3751"}}
    too_much = api.post("/methodologies", more).expect(201).body["id"]
    by_hand, measured = (
        next(batch["id"] for batch in claims.plant.batches() if batch["start_time"].startswith(month))
        for month in ("2025-01", "2025-02")
    )
    taken = [{"batch_id": by_hand, "amount": 5}, {"batch_id": measured, "amount": 3}]

    def draft(methodology):
        return claims.ask(batches=taken, methodology_id=methodology).expect(201).body

    errors = submit(claims, draft(too_much)).expect(422).errors
    assert [error["code"] for error in errors] == ["requirements", "measured_share"]
    assert errors[1]["records"] == [by_hand]
    assert "Of what it takes 0.375 was measured, and its methodology asks for 0.3751" in errors[1]["message"]
    submit(claims, draft(enough)).expect(202)


def test_whatever_a_methodology_asks_for_and_is_not_there_is_told_at_once(claims):
    corrected_by_hand(claims, 6)
    plant = claims.plant
    rule = alerts.rule(plant.api, plant.project, "{{mass}} > 2")
    alerts.finished_run(plant.api, plant.drain, rule)
    new = {
        "name": "Removal", "version": "1", "report_type": "quarterly", "measured_share_min": 1,
        "submission_requirements": ["evidence", "no_open_alerts"],
    }  # fmt: skip
    methodology = plant.api.post("/methodologies", {"methodology": new}).expect(201).body["id"]

    draft = claims.report(5, methodology_id=methodology)

    assert sorted(unmet(submit(claims, draft))) == ["measured_share", "no_evidence", "open_alerts"]
