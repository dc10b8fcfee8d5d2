"""What comes back of the registry: states, numbers as it keeps them, refusals, and lost answers."""

import json
from collections import Counter

import pytest
from tests.given.certified import certified_plant
from tests.given.certify import PROJECT, SECRET, TOKEN, certify

from weighbridge import worker
from weighbridge.reporting.isometric.calls import hide_signatures
from weighbridge.rounds import log_refused_decision


@pytest.fixture
def double():
    with certify(page_size=25) as listening:
        yield listening


@pytest.fixture
def plant(api, drain, double):
    made = certified_plant(api, drain, double.address)
    made.map()
    return made


def review(server):
    """Ask registries for their decisions, as a round of a worker does."""
    server.run(worker.submitter(server.settings).review(server.database, log_refused_decision))


def decide(server, account, double, status):
    """Let the registry say so of the statement, and ask it."""
    double.statement["status"] = status
    account.sql("UPDATE report_reviews SET next_at = now() RETURNING true")
    review(server)


def restated(plant, report):
    """A restatement of a report, after a lorry came in late and the ledgers were generated again."""
    plant.come_late()
    batches = plant.api.get(f"/ledgers/{plant.ledger['id']}/batches", {"page_size": 200}).data
    fields = {"supersedes": report["id"], "batch_ids": [batch["id"] for batch in batches]}
    return plant.draft(name="First quarter, restated", **fields)


def test_credits_that_are_issued_accept_the_report_and_every_state_is_kept(server, account, plant, double):
    report = plant.submit(plant.draft(2))

    for status in ("AWAITING_VERIFICATION", "VERIFIED"):
        decide(server, account, double, status)
        assert plant.read(report)["status"] == "submitted"
    decide(server, account, double, "CREDITS_ISSUED")

    found = plant.read(report)
    assert (found["status"], found["accepted_amount"]) == ("complete", found["amount"])
    assert found["history"][-1]["reason"] == "Credits were issued."
    states = [one["status"] for one in plant.statement(report)["history"]]
    assert states == ["AWAITING_VERIFICATION", "VERIFIED", "CREDITS_ISSUED"]


def test_a_statement_that_failed_is_submitted_again_with_what_its_restatement_changes(
    server, account, plant, double
):
    report = plant.submit(plant.draft())
    decide(server, account, double, "FAILED_VERIFICATION")
    assert plant.read(report)["status"] == "rejected"
    made = set(double.references)

    again = plant.submit(restated(plant, report))

    assert again["status"] == "submitted", again["history"]
    [first, second] = [body for _, path, body in double.journal if path.endswith("/submit")]
    assert "summary_of_changes" not in first
    assert second["summary_of_changes"].startswith(f"Restates report {report['id']}: ")
    assert "2025-01 Forest residues: " in second["summary_of_changes"]
    assert double.count("/ghg_statements") == 1
    removals = {one["supplier_reference_id"] for one in double.all("removal")}
    kept = removals & made
    assert len(removals) == 6
    assert 0 < len(kept) < 6  # those of other months and of the husk stay as they are
    deleted = Counter(path.split("/")[1] for method, path, _ in double.journal if method == "DELETE")
    assert deleted["removals"] == 6 - len(kept)
    assert deleted["biochar_applications"] > 0  # of production batches that came to something else
    spread = [(one["application_date"], one["truck_mass_on_arrival"]) for one in double.all("application")]
    assert len(spread) == len({str(one) for one in spread}) == 7


def test_a_number_that_comes_back_otherwise_is_a_finding_and_one_that_was_rounded_to_a_double_is_none(
    plant, double
):
    def round_away(kind, record):
        if kind == "datapoint" and "Emissions" in record["description"]:
            record["quantity"]["magnitude"] = round(record["quantity"]["magnitude"], 1)

    double.changed = round_away

    report = plant.submit(plant.draft(2))

    findings = plant.statement(report)["findings"]
    assert report["status"] == "submitted"
    assert {one["field"] for one in findings} == {"quantity.magnitude"}
    assert len(findings) == 2
    of = findings[0]["reference"]
    [sent] = [one for one in double.all("datapoint") if one["supplier_reference_id"] == of]
    assert float(findings[0]["received"]) == float(sent["quantity"]["magnitude"])
    assert len(findings[0]["sent"]) > len(findings[0]["received"])


@pytest.mark.parametrize("lost", [1, 2])
def test_answers_that_are_lost_are_looked_for(plant, double, lost):
    double.lose = lost

    report = plant.submit(plant.draft(2))

    assert report["status"] == "submitted"
    assert set(double.references.values()) == {1}


@pytest.mark.parametrize(
    ("path", "field"), [("/ghg_statements", "ghg_statements"), ("/data-upload-submissions", "time_series")]
)
def test_what_came_late_and_stands_twice_is_a_finding_and_one_statement_is_submitted(
    plant, double, path, field
):
    double.late = {path: None}

    report = plant.submit(plant.draft(2))

    assert report["status"] == "submitted"
    [finding] = plant.statement(report)["findings"]
    assert (finding["field"], finding["sent"]) == (field, "1")
    assert finding["received"].startswith("2: ")
    assert double.count(path) == 2
    assert len([one for one in double.all("statement") if one["status"] != "DRAFT"]) == 1


def test_a_second_statement_that_the_registry_refuses_is_the_first_one(plant, double):
    double.late = {"/ghg_statements": None}
    double.is_one_statement = True

    report = plant.submit(plant.draft(2))

    assert report["status"] == "submitted"
    assert (double.count("/ghg_statements"), plant.statement(report)["findings"]) == (1, [])


def test_a_refusal_leaves_the_report_failed_and_it_is_certain_that_nothing_was_submitted(plant, double):
    double.refuse = {"/removals": 422}

    report = plant.submit(plant.draft(2))

    assert report["status"] == "failed"
    reason = report["history"][-1]["reason"]
    assert "Isometric answered 422" in reason
    assert reason.endswith("It is certain that no statement was submitted to Isometric.")
    kept = plant.api.get(f"/reports/{report['id']}/submission").expect(200).body
    assert kept["may_have_been_received"] is False
    double.refuse = {}
    assert plant.submit(report)["status"] == "submitted"
    assert set(double.references.values()) == {1}


def test_a_statement_with_removals_of_others_is_not_submitted(plant, double):
    other = {
        "project_id": PROJECT, "started_on": "2025-01-01", "completed_on": "2025-01-31",
        "supplier_reference_id": "made by hand",
    }  # fmt: skip
    double.make("/removals", other)

    report = plant.submit(plant.draft(2))

    assert report["status"] == "failed"
    assert "has not the removals of the report: it has also rmv_" in report["history"][-1]["reason"]
    assert double.statement["status"] == "DRAFT"


def test_a_run_is_taken_whole_or_the_draft_says_so(plant):
    batches = plant.api.get(f"/ledgers/{plant.ledger['id']}/batches", {"sort": "start_time"}).data
    part = plant.draft()
    taken = [{"batch_id": batches[0]["id"], "amount": 1}]
    plant.api.patch(f"/reports/{part['id']}", {"report": {"batches": taken}}).expect(200)

    answer = plant.api.post(f"/reports/{part['id']}/submit", {"registry_id": plant.registry["id"]})

    assert "Isometric Certify takes runs whole" in answer.expect(422).errors[0]["message"]
    assert plant.read(part)["status"] == "draft"


@pytest.mark.parametrize(
    "answer",
    ['"https://store.example/f/1?signature={}"', '{{"upload_url": "https://store.example/f/1?x=1&s={}"}}',
     '{{"signed_upload_url":"http://store.example/f/1?signature={}","id":1}}'],
)  # fmt: skip
def test_an_answer_with_a_signed_address_is_kept_without_its_signature(answer):
    kept = hide_signatures(answer.format("word-that-proves"))

    assert "word-that-proves" not in kept
    assert "store.example/f/1?" in kept


def test_the_journal_of_calls_has_what_was_sent_and_came_back_and_no_secret(account, plant, double):
    plant.attach_certificate()

    report = plant.submit(plant.draft(2))

    calls = account.sql("SELECT coalesce(body, ''), coalesce(answer, ''), path FROM registry_calls")
    text = json.dumps(calls)
    assert len(calls) > len(double.references)
    for secret in (SECRET, TOKEN, "secret-of-"):
        assert secret not in text
    address = double.statement["ghg_statement_report_url"]
    assert address.startswith("http")
    assert address.split("key=")[1] not in text
    path, key = address.split("/api/v1", 1)[1].split("?key=")
    assert plant.api.get(path, {"key": key}).expect(200).body["id"] == report["id"]


def test_a_standard_deviation_is_the_standard_uncertainty_in_the_unit_that_is_sent(plant, double):
    plant.submit(plant.draft(2))

    [sent] = [one for one in double.all("datapoint") if "2025-01 Forest residues" in one["description"]
              and "Carbon dioxide stored" in one["description"]]  # fmt: skip

    assert sent["quantity"]["unit"] == "kgCO2e"
    assert float(sent["quantity"]["magnitude"]) == pytest.approx(4361.1406784)
    assert sent["quantity"]["standard_deviation"] is None
    assert sent["type"] == "DERIVED"
