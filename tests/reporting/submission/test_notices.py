"""What registries are told of claims that they have, and what they say of them batch by batch."""

import json

import pytest
from tests.given import registries, reports
from tests.given.registries import TOKEN

from weighbridge import worker
from weighbridge.rounds import log_refused_decision


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


@pytest.fixture(scope="module")
def listening():
    with registries.rehearsal() as registry:
        yield registry


@pytest.fixture
def rehearsal(listening):
    listening.behave()
    listening.server.received._reports.clear()
    return listening


@pytest.fixture
def registry(claims, rehearsal):
    return rehearsal.register(claims.plant.api, tries=2)


def sent(claims, registry, *amounts, **fields):
    """A report that was sent to a registry."""
    draft = claims.report(*amounts, **fields)
    body = {"registry_id": registry["id"]}
    claims.plant.api.post(f"/reports/{draft['id']}/submit", body).expect(202)
    claims.plant.drain()
    return claims.read(draft)


def accepted(claims, report):
    return claims.plant.api.post(f"/reports/{report['id']}/accept", {}).expect(200).body


def ask(claims, report, action, **body):
    """Decide something of a report, and have registries told of it."""
    said = claims.plant.api.post(f"/reports/{report['id']}/{action}", body)
    claims.plant.drain()
    return said


def notices(rehearsal):
    """What the registry was told, claim by claim."""
    return [[*one.notices.values()] for one in rehearsal.received()]


def decide(rehearsal, **said):
    """Have the registry decide of what it received last."""
    rehearsal.server.received.decide(
        rehearsal.received()[-1].key, said["status"], said.get("reason"), said.get("amount"),
        said.get("batches"),
    )  # fmt: skip


@pytest.fixture
def review(server):
    return lambda: server.run(worker.submitter(server.settings).review(server.database, log_refused_decision))


def notice_tasks(claims):
    return [one for one in claims.plant.api.get("/async_tasks").data if one["type"] == "report_notice"]


@pytest.mark.parametrize("is_accepted", [True, False])
def test_a_registry_is_told_once_that_a_claim_was_withdrawn(claims, registry, rehearsal, is_accepted):
    report = sent(claims, registry, 4)
    if is_accepted:
        accepted(claims, report)

    ask(claims, report, "withdraw", reason="Claimed elsewhere.", reference="W-1").expect(200)

    [[notice]] = notices(rehearsal)
    assert notice == {
        "report_id": report["id"], "status": "withdrawn", "reason": "Claimed elsewhere.", "reference": "W-1",
    }  # fmt: skip
    [task] = notice_tasks(claims)
    assert (task["state"], task["result"]["is_known"]) == ("complete", True)
    assert task["result"]["report_id"] == report["id"]
    assert claims.balances() == [5, 3]
    kept = claims.plant.api.get(f"/reports/{report['id']}/submission").body
    assert [one["step"] for one in kept["steps"]] == ["sending", "received", "sending", "received"]


def test_a_registry_is_told_of_what_it_may_not_have_received(claims, registry, rehearsal):
    rehearsal.behave(drop=100)
    report = sent(claims, registry, 4)
    assert report["status"] == "failed"

    ask(claims, report, "withdraw", reason="It never arrived.").expect(200)

    [task] = notice_tasks(claims)
    assert (task["state"], task["result"]["is_known"]) == ("complete", False)


def test_a_registry_that_takes_no_notices_fails_the_task_with_what_is_to_be_done(claims, rehearsal, registry):
    report = accepted(claims, sent(claims, registry, 4))
    rehearsal.server.received._reports.clear()

    answer = ask(claims, report, "withdraw", reason="Claimed elsewhere.")

    assert answer.expect(200).body["status"] == "withdrawn"
    [task] = notice_tasks(claims)
    assert task["state"] == "failed"
    assert task["error_message"].endswith("Rehearsal was not told. Tell it by other means.")
    assert TOKEN not in json.dumps(task)


def test_a_file_that_people_hand_on_is_told_of_to_nobody(claims):
    report = reports.accepted(claims, claims.report(4))

    ask(claims, report, "withdraw", reason="Claimed elsewhere.").expect(200)

    assert notice_tasks(claims) == []


def test_merged_claims_name_the_report_that_took_their_place_and_what_it_holds(claims, registry, rehearsal):
    first = accepted(claims, sent(claims, registry, 4, name="January"))
    second = accepted(claims, sent(claims, registry, 1, 2, name="More"))

    merged = (
        ask(claims, first, "merge", report_ids=[second["id"]], name="Quarter", reason="One claim.")
        .expect(201)
        .body
    )

    told = notices(rehearsal)
    assert [[one["report_id"] for one in notice] for notice in told] == [[first["id"]], [second["id"]]]
    for [notice] in told:
        assert (notice["status"], notice["reason"]) == ("superseded", "One claim.")
        assert notice["successors"] == [{
            "report_id": merged["id"], "name": "Quarter", "unit": "t",
            "predecessors": [first["id"], second["id"]],
            "inclusions": [
                {"batch_id": claims.batch(0), "amount": "5"}, {"batch_id": claims.batch(1), "amount": "2"},
            ],
        }]  # fmt: skip


def test_what_becomes_of_a_part_is_told_of_the_claim_that_it_was_part_of(claims, registry, rehearsal):
    report = accepted(claims, sent(claims, registry, 4, 2))
    parts = [{"name": "Basel", "amount": 4}, {"name": "Turin"}]
    split = ask(claims, report, "split", parts=parts, reason="Two buyers.").expect(201).body["parts"]

    ask(claims, split[1], "withdraw", reason="Turin left.").expect(200)

    [[one, other]] = notices(rehearsal)
    assert [part["name"] for part in one["successors"]] == ["Basel", "Turin"]
    assert sum(len(part["inclusions"]) for part in one["successors"]) == 4
    assert (other["report_id"], other["status"]) == (split[1]["id"], "withdrawn")


def test_a_registry_accepts_batch_by_batch(claims, registry, rehearsal, review):
    report = sent(claims, registry, 4, 2)
    batches = [{"batch_id": claims.batch(0), "amount": "3.5"}]
    decide(rehearsal, status="accepted", reason="February is late.", batches=batches)

    assert review() == 1

    found = claims.read(report)
    assert (found["status"], found["accepted_amount"]) == ("complete", 3.5)
    assert [one["accepted_amount"] for one in found["inclusions"]] == [3.5, 0]
    assert found["history"][-1]["reason"] == "February is late."
    assert claims.balances() == [1.5, 3]


@pytest.mark.parametrize(
    "said",
    [
        {"batches": [{"batch_id": "bat_0ee87aa12a8449f853e86823", "amount": "1"}]},
        {"batches": []},
        {"batches": [{"batch_id": "own", "amount": "4.5"}]},
        {"batches": [{"batch_id": "own", "amount": "1"}, {"batch_id": "own", "amount": "1"}]},
        {"batches": [{"batch_id": "own"}]},
        {"batches": ["own"]},
        {"batches": [{"batch_id": "own", "amount": "1"}], "amount": "1"},
    ],
)  # fmt: skip
def test_batches_that_cannot_be_accepted_are_no_decision(claims, registry, rehearsal, review, said):
    report = sent(claims, registry, 4, 2)
    own = json.loads(json.dumps(said).replace('"own"', json.dumps(claims.batch(0))))
    decide(rehearsal, status="accepted", **own)

    assert review() == 0

    assert claims.read(report)["status"] == "submitted"


def test_a_registry_that_withdraws_a_claim_releases_it(claims, registry, rehearsal, review):
    report = sent(claims, registry, 4)
    decide(rehearsal, status="withdrawn", reason="The programme has ended.")

    assert review() == 1

    found = claims.read(report)
    assert (found["status"], found["history"][-1]["reason"]) == ("withdrawn", "The programme has ended.")
    assert claims.balances() == [5, 3]
    assert notices(rehearsal) == [[]]


def test_a_restatement_to_less_than_nothing_is_sent_and_accepted_whole(claims, registry, rehearsal, review):
    first = accepted(claims, sent(claims, registry, 4))
    owed = {"batches": [], "liability": 6, "liability_reason": "More was emitted than removed."}
    ask_for = {"name": "Restated", "supersedes": first["id"], **owed}
    draft = claims.ask(**ask_for).expect(201).body
    claims.plant.api.post(f"/reports/{draft['id']}/submit", {"registry_id": registry["id"]}).expect(202)
    claims.plant.drain()

    content = json.loads(rehearsal.received()[-1].content)
    assert (content["amount"], content["liability"], content["supersedes"]) == ("-6", "6", first["id"])
    assert content["inclusions"] == []
    decide(rehearsal, status="accepted", amount="-6")
    assert review() == 1
    assert claims.read(draft)["status"] == "complete"
    assert claims.balances() == [5, 3]
