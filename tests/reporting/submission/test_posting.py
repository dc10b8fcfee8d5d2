"""A report on its way to a registry that answers, does not answer, answers late, or answers nonsense.

Whatever the registry does, it has the report once or the report says that it may not have it.
"""

import socket
from decimal import Decimal

import pytest
from tests.given import registries, reports
from tests.given.receivers import receiver
from tests.given.registries import TOKEN

from weighbridge import worker
from weighbridge.rounds import log_refused_decision

LOST = ("sending", "unanswered", "absent")
"""The steps of a request that brought nothing, and of the question after it."""


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


def submit(claims, report, registry, **fields):
    body = {"registry_id": registry["id"]} | fields
    return claims.plant.api.post(f"/reports/{report['id']}/submit", body)


def sent(claims, registry, name="First quarter"):
    """A report that was sent to a registry, as it stands, and what is kept of its submission."""
    draft = claims.report(4, name=name)
    submit(claims, draft, registry).expect(202)
    claims.plant.drain()
    return claims.read(draft), submission(claims, draft)


def submission(claims, report):
    return claims.plant.api.get(f"/reports/{report['id']}/submission").expect(200).body


def steps(kept):
    return [(one["step"], one["http_status"]) for one in kept["steps"]]


def test_a_report_that_is_received_has_the_reference_of_the_registry(claims, rehearsal):
    found, kept = sent(claims, rehearsal.register(claims.plant.api))

    [received] = rehearsal.received()
    assert (found["status"], found["history"][-1]["reference"]) == ("submitted", "REH-0001")
    assert found["history"][-1]["adapter"] == "http"
    assert steps(kept) == [("sending", None), ("received", 201)]
    assert (received.key, received.sha256, received.requests) == (kept["key"], kept["sha256"], 1)
    path = f"/reports/{found['id']}/submission/download"
    assert claims.plant.api.get(path).expect(200).content == received.content


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ({"drop": 1}, [*LOST, "sending", "received"]),
        ({"fail": 1}, [*LOST, "sending", "received"]),
        ({"lose": 1}, ["sending", "unanswered", "received"]),
        ({"fail_after": 1}, ["sending", "unanswered", "received"]),
        ({"drop": 1, "fail": 1, "lose": 1},
         [*LOST, *LOST, "sending", "unanswered", "received"]),
    ],
    ids=["request lost", "500 then 200", "answer lost", "500 though kept", "one after the other"],
)  # fmt: skip
def test_whatever_happens_on_the_way_the_registry_has_the_report_once(claims, rehearsal, behaviour, expected):
    rehearsal.behave(**behaviour)

    found, kept = sent(claims, rehearsal.register(claims.plant.api))

    assert found["status"] == "submitted"
    assert [step for step, _ in steps(kept)] == expected
    assert [one.requests for one in rehearsal.received()] == [1]


def test_a_registry_that_answers_after_the_time_is_asked_and_has_it(claims, rehearsal):
    rehearsal.behave(delay_seconds=1.3)

    found, kept = sent(claims, rehearsal.register(claims.plant.api, timeout_seconds=1))

    assert (found["status"], steps(kept)) == (
        "submitted",
        [("sending", None), ("unanswered", None), ("received", 200)],
    )
    assert [one.requests for one in rehearsal.received()] == [1]


def test_a_registry_that_is_dead_has_certainly_received_nothing(claims, rehearsal):
    with socket.create_server(("127.0.0.1", 0)) as free:
        dead = f"http://127.0.0.1:{free.getsockname()[1]}/submissions"

    registry = rehearsal.register(claims.plant.api, address=dead, tries=2)
    found, kept = sent(claims, registry)

    assert (found["status"], found["allocation"]["amount"]) == ("failed", 4)
    assert found["history"][-1]["reason"] == (
        "Could not connect to 127.0.0.1. It is certain that Rehearsal has received nothing."
    )
    assert steps(kept) == [("sending", None), ("not_sent", None)] * 2
    assert kept["may_have_been_received"] is False
    assert claims.balances() == [1, 3]

    moved = {"address": rehearsal.address, "status_address": f"{rehearsal.address}/{{key}}"}
    change = {"registry": moved | {"headers": {"Authorization": f"Bearer {TOKEN}"}}}
    claims.plant.api.patch(f"/registries/{registry['id']}", change).expect(200)
    claims.plant.api.post(f"/reports/{found['id']}/submit", {}).expect(202)
    claims.plant.drain()
    assert claims.read(found)["status"] == "submitted"
    assert [one.key for one in rehearsal.received()] == [kept["key"]]


def test_what_a_registry_refuses_failed_with_its_reason_and_certainly_did_not_arrive(claims, rehearsal):
    rehearsal.behave(refuse="The period overlaps with that of REH-0007.")

    found, kept = sent(claims, rehearsal.register(claims.plant.api))

    assert (found["status"], kept["may_have_been_received"]) == ("failed", False)
    assert found["history"][-1]["reason"] == (
        "Rehearsal answered 422: The period overlaps with that of REH-0007. "
        "It is certain that Rehearsal has received nothing."
    )
    assert rehearsal.received() == []


def test_a_registry_that_never_answers_leaves_a_reserve_until_somebody_says_what_is_certain(
    claims, rehearsal
):
    rehearsal.behave(drop=100)
    found, kept = sent(claims, rehearsal.register(claims.plant.api, tries=2))

    assert (found["status"], found["allocation"]["amount"]) == ("failed", 4)
    assert kept["may_have_been_received"] is True
    assert found["history"][-1]["reason"].endswith("It is not certain that Rehearsal has received nothing.")

    path = f"/reports/{found['id']}/reject"
    body = {"reason": "Their office found nothing in its books, by telephone on 3 March."}
    claims.plant.api.post(path, body).expect(200)
    assert (claims.read(found)["status"], claims.balances()) == ("rejected", [5, 3])
    rows = claims.plant.api.get("/audit_log", {"filter[action]": "report.reject"}).expect(200).data
    assert len(rows) == 1


def test_a_retry_of_what_was_received_after_all_finds_it_and_sends_nothing(claims, rehearsal):
    rehearsal.behave(fail_after=100)
    registry = rehearsal.register(claims.plant.api, tries=1)
    found, _ = sent(claims, registry)
    assert found["status"] == "failed"

    claims.plant.api.post(f"/reports/{found['id']}/submit", {}).expect(202)
    claims.plant.drain()

    assert claims.read(found)["status"] == "submitted"
    assert [one.requests for one in rehearsal.received()] == [1]


def test_what_was_rendered_for_one_receiver_goes_to_no_other(claims, rehearsal):
    rehearsal.behave(drop=100)
    registry = rehearsal.register(claims.plant.api, tries=1)
    found, _ = sent(claims, registry)
    other = rehearsal.register(claims.plant.api, name="Other")

    assert submit(claims, found, other).expect(422).error["code"] == "conflict"
    answer = claims.plant.api.post(f"/reports/{found['id']}/submit", {"adapter": "file"})
    assert answer.expect(422).error["code"] == "conflict"


def test_a_registry_out_of_reach_is_not_called(claims, rehearsal):
    registry = rehearsal.register(claims.plant.api, address="http://10.1.2.3/submissions", tries=3)

    found, kept = sent(claims, registry)

    assert (found["status"], steps(kept)) == ("failed", [("sending", None), ("not_sent", None)])
    assert "10.1.2.3 may not be called without TLS" in found["history"][-1]["reason"]


def test_what_proves_who_calls_is_in_no_answer_log_or_row_even_when_the_registry_repeats_it(
    claims, rehearsal, sql
):
    rehearsal.behave(refuse=f"Authorization was Bearer {TOKEN}.")

    found, kept = sent(claims, rehearsal.register(claims.plant.api))

    assert kept["steps"][-1]["detail"] == "Rehearsal answered 422: Authorization was […]."
    shown = claims.plant.api.get("/registries").data
    assert shown[0]["secret_headers"] == ["Authorization"]
    told = [
        *sql("SELECT detail FROM report_deliveries WHERE detail LIKE %s", f"%{TOKEN}%"),
        *sql("SELECT 1 FROM audit_log WHERE coalesce(after, '{}')::text LIKE %s", f"%{TOKEN}%"),
        *sql("SELECT 1 FROM async_tasks t WHERE t::text LIKE %s", f"%{TOKEN}%"),
        *sql("SELECT 1 FROM report_moves m WHERE m::text LIKE %s", f"%{TOKEN}%"),
    ]
    assert told == []
    assert TOKEN not in str([found, kept, shown])


def review(server):
    return server.run(worker.submitter(server.settings).review(server.database, log_refused_decision))


@pytest.mark.parametrize(
    "decided", [("accepted", "complete", [1, 3]), ("rejected", "rejected", [5, 3])], ids=lambda one: one[0]
)
def test_a_decision_that_comes_later_is_asked_for_and_written_down_once(
    server, claims, rehearsal, sql, decided
):
    decision, status, balances = decided
    found, kept = sent(claims, rehearsal.register(claims.plant.api))
    review(server)
    assert claims.read(found)["status"] == "submitted"

    rehearsal.server.received.decide(kept["key"], decision, "So we decided.")
    sql("UPDATE report_reviews SET next_at = now() WHERE report_id = %s", found["numeric_id"])
    review(server)

    after = claims.read(found)
    assert (after["status"], claims.balances()) == (status, balances)
    last = after["history"][-1]
    assert (last["adapter"], last["reason"], last["reference"]) == ("http", "So we decided.", "REH-0001")
    assert sql("SELECT 1 FROM report_reviews WHERE report_id = %s", found["numeric_id"]) == []
    assert review(server) == 0


def test_a_registry_may_accept_a_part(server, claims, rehearsal):
    found, _ = sent(claims, rehearsal.register(claims.plant.api), name="[rehearse: accept, amount 1.5]")
    review(server)

    after = claims.read(found)
    assert (after["status"], after["accepted_amount"], claims.balances()) == (
        "complete", Decimal("1.5"), [Decimal("3.5"), 3],
    )  # fmt: skip
    assert after["history"][-1]["reason"] == "The registry gave no reason."


def test_a_decision_over_more_than_is_claimed_is_none_and_the_log_says_why(
    server, claims, rehearsal, sql, warnings
):
    found, kept = sent(claims, rehearsal.register(claims.plant.api))
    for amount, reason in (
        ("5", "amount is 5; the report claims 4, and no more is accepted."),
        ("soon", "amount is 'soon', which is no amount."),
    ):
        rehearsal.server.received.decide(kept["key"], "accepted", None, amount)
        sql("UPDATE report_reviews SET next_at = now() WHERE report_id = %s", found["numeric_id"])
        review(server)
        assert (claims.read(found)["status"], claims.balances()) == ("submitted", [1, 3])
        assert (warnings[-1]["event"], warnings[-1]["report"]) == ("registry_decision_refused", found["id"])
        assert warnings[-1]["reason"] == reason

    rehearsal.server.received.decide(kept["key"], "accepted", None, "4")
    sql("UPDATE report_reviews SET next_at = now() WHERE report_id = %s", found["numeric_id"])
    review(server)
    assert (claims.read(found)["status"], claims.balances()) == ("complete", [1, 3])


def test_a_report_may_say_for_itself_what_the_rehearsal_does_with_it(server, claims, rehearsal):
    found, kept = sent(
        claims,
        rehearsal.register(claims.plant.api),
        name="First quarter [rehearse: fail 1, lose 1, reject No certificate of the scale]",
    )
    review(server)

    assert [step for step, _ in steps(kept)] == [
        "sending", "unanswered", "absent", "sending", "unanswered", "received",
    ]  # fmt: skip
    after = claims.read(found)
    assert (after["status"], after["history"][-1]["reason"]) == ("rejected", "No certificate of the scale")


@pytest.mark.parametrize(
    "said", ["accpet", "fail", "delay soon", "lose 1000", "fail 1, Reject"], ids=lambda said: said.split()[0]
)
def test_a_report_that_asks_the_rehearsal_for_what_it_does_not_know_is_refused_by_it(claims, rehearsal, said):
    unread = said.split(", ")[-1]

    found, kept = sent(claims, rehearsal.register(claims.plant.api), name=f"First quarter [rehearse: {said}]")

    assert (found["status"], kept["may_have_been_received"]) == ("failed", False)
    reason = found["history"][-1]["reason"]
    assert f"It asks to rehearse {unread!r}" in reason
    assert "drop N, fail N, lose N, fail-after N, delay S, decide-after S, refuse TEXT, accept" in reason


def test_a_registry_that_moves_gets_no_report_with_what_was_stated_for_another_address(
    account, claims, rehearsal
):
    registry = rehearsal.register(claims.plant.api)
    clerk = account.caller("production_accounting:write")
    with receiver() as elsewhere:
        path = f"/registries/{registry['id']}"
        clerk.patch(path, {"registry": {"address": elsewhere.url}}).expect(422)
        moved = {
            "address": elsewhere.url,
            "status_address": elsewhere.url + "/{key}",
            "headers": {},
            "tries": 1,
        }
        clerk.patch(path, {"registry": moved}).expect(200)

        submit(claims, claims.report(4), registry).expect(202)
        claims.plant.drain()

    assert elsewhere.received
    assert not [came for came in elsewhere.received if TOKEN in str(came.headers)]
