"""The proof bundle over HTTP: asked for of a draft (`start_bundle`), made once when a report is sent off.

Seed, Report operations: what a verifier recomputes offline, from one file.
"""

import json

import pytest
from tests.given import bundles, reports
from tests.given.bundles import Bundle
from tests.given.reports import submitted

from weighbridge import worker
from weighbridge.core.bundle.contents import name_proof_part
from weighbridge.core.signing import VerifierKey


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def downloaded(claims, report):
    """The bundle of a report, and the key as the service says it."""
    answer = claims.plant.api.get(f"/reports/{report['id']}/bundle").expect(200)
    key = claims.plant.api.get("/audit_log/key").expect(200).body["verifier_key"]
    return answer, Bundle(answer.content, VerifierKey.read(key))


def asked(claims, report, **body):
    """Ask for the bundle of a draft, and give the task as it ended."""
    answer = claims.plant.api.post(f"/reports/{report['id']}/bundle", body).expect(202)
    assert answer.headers["Location"] == f"/api/v1/async_tasks/{answer.body['async_task_id']}"
    claims.plant.drain()
    return claims.plant.api.get(f"/async_tasks/{answer.body['async_task_id']}").expect(200).body


def test_a_draft_has_a_bundle_once_somebody_asked_for_it(claims):
    draft = claims.report(4)
    claims.plant.api.get(f"/reports/{draft['id']}/bundle").expect(404)

    ended = asked(claims, draft)

    answer, bundle = downloaded(claims, draft)
    assert (ended["state"], ended["result"]["batch_count"]) == ("complete", 1)
    assert answer.headers["Content-Type"] == "application/zip"
    assert ended["result"]["file_size_bytes"] == len(bundle.content)
    assert bundle.faults() == []


def test_the_bundle_of_a_draft_follows_the_draft(claims):
    draft = claims.report(4)
    asked(claims, draft)
    change = {"report": {"batches": [{"batch_id": claims.batch(), "amount": 2}]}}
    claims.plant.api.patch(f"/reports/{draft['id']}", change).expect(200)
    asked(claims, draft)

    _, bundle = downloaded(claims, draft)

    assert bundle.check().contents.report.amount == "2"


def test_a_report_that_is_sent_off_has_its_bundle_and_keeps_it(claims):
    report = submitted(claims, claims.report(4))
    answer, bundle = downloaded(claims, report)

    claims.plant.api.post(f"/reports/{report['id']}/bundle", {}).expect(409)
    claims.plant.api.post(f"/reports/{report['id']}/accept", {}).expect(200)

    checked = bundle.check()
    assert [fault.text for fault in checked.faults.listed] == []
    assert checked.contents.report.effective_at == "2025-02-01T00:00:00.000Z"
    assert [row["action"] for row in checked.vouched.rows if row["object"] == report["id"]] == [
        "report.create",
        "report.submit",
    ]
    assert downloaded(claims, report)[0].content == answer.content


def test_a_bundle_of_the_draft_that_comes_after_its_submission_gives_way(claims, account):
    draft = claims.report(4)
    late = claims.plant.api.post(f"/reports/{draft['id']}/bundle", {}).expect(202).body["async_task_id"]
    task = claims.plant.api.post(f"/reports/{draft['id']}/submit", {}).expect(202).body["async_task_id"]
    server = account.server
    submit = worker.submitter(server.settings).submit
    server.run(worker.attempt_task(server.database, task, tasks={"report_submission": submit}))
    claims.plant.drain()

    ended = claims.plant.api.get(f"/async_tasks/{late}").expect(200).body

    assert (ended["state"], ended["error_message"]) == (
        "failed",
        "The report was sent off meanwhile; the bundle of that stays.",
    )
    assert claims.read(draft)["status"] == "submitted"
    assert downloaded(claims, draft)[1].check().contents.report.effective_at is not None


def test_the_audit_log_has_the_digest_of_the_bundle(claims):
    report = submitted(claims, claims.report(4))
    answer, _ = downloaded(claims, report)

    query = {"filter[action]": "report.keep_bundle"}
    [row] = claims.plant.api.get("/audit_log", query).expect(200).data

    assert row["object"] == f"bundle of {report['id']}"
    assert row["after"]["file_size_bytes"] == len(answer.content)


def test_a_redacted_bundle_has_the_digests_of_evidence_and_not_the_files(account):
    _, report = bundles.chained(account)
    whole = bundles.bundle(account, report)
    redacted = bundles.bundle(account, report, is_redacted=True)

    assert redacted.faults() == []
    names = [set(one.check().contents.parts) for one in (whole, redacted)]
    [evidence] = redacted.check().contents.evidence
    seals = [name_proof_part(one.check().vouched.seal["number"]) for one in (whole, redacted)]
    assert names[0] - {seals[0]} - names[1] == {f"evidence/{evidence.sha256}"}
    assert b"11.75 t, weighed again" in whole.content
    assert b"11.75 t, weighed again" not in redacted.content


def test_a_draft_without_batches_has_no_bundle(claims):
    draft = claims.report()

    answer = claims.plant.api.post(f"/reports/{draft['id']}/bundle", {}).expect(422)

    assert (
        json.loads(answer.text)["errors"][0]["message"] == "The report contains no batches. Add at least one."
    )


def test_no_time_stamp_is_there_where_no_authority_was_asked(claims):
    report = submitted(claims, claims.report(4))

    answer = claims.plant.api.get(f"/reports/{report['id']}/bundle/time_stamp").expect(404)

    assert answer.error["code"] == "time_stamp_missing"
