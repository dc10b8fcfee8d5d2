"""An engagement by tokens: the verifier's, and the operator's, who answers and does not decide."""

import pytest
from tests.given import engagements, reports
from tests.given.engagements import SEED_TEXT, agreed

from weighbridge.core.platform.permission import VERIFY


@pytest.fixture
def claims(api, drain):
    return reports.claims(api, drain, 10, 5)


@pytest.fixture
def path(claims, api, drain):
    report = claims.report(4, 5)
    engagements.make_bundle(api, drain, report)
    return f"/reports/{report['id']}/engagements"


@pytest.fixture
def verifier(account):
    return account.caller(VERIFY)


@pytest.fixture
def operator(account):
    return account.caller("production_accounting:write")


def begin(caller, path):
    return caller.post(path, agreed()).expect(201).body


def test_the_operator_answers_and_the_verifier_decides(verifier, operator, path):
    """`draw_engagement_sample`, `create_finding`, `answer_engagement_finding`,
    `decide_engagement_finding`.
    """
    one = f"{path}/{begin(verifier, path)['id']}"
    verifier.post(f"{one}/sample", {"seed_text": SEED_TEXT}).expect(200)
    finding = {"finding": {"kind": "request", "text": "Show the slip of the first delivery."}}
    verifier.post(f"{one}/findings", finding).expect(201)
    decision = {"decision": "resolve", "reason": "The slip was shown."}

    verifier.post(f"{one}/findings/1/answer", {"answer": "It is attached."}).expect(403)
    operator.post(f"{one}/findings/1/decide", decision).expect(403)
    answered = operator.post(f"{one}/findings/1/answer", {"answer": "It is attached."}).expect(200).body
    decided = verifier.post(f"{one}/findings/1/decide", decision).expect(200).body

    assert [one["findings"][0]["state"] for one in (answered, decided)] == ["answered", "resolved"]
    assert (answered["effect"]["open_requests"], decided["effect"]["open_requests"]) == (1, 0)


def test_an_engagement_that_is_withdrawn_has_no_opinion(verifier, path):
    """`withdraw_open_engagement`."""
    one = f"{path}/{begin(verifier, path)['id']}"

    withdrawn = verifier.post(f"{one}/withdraw", {}).expect(200).body

    assert (withdrawn["state"], withdrawn["opinion"]) == ("withdrawn", None)
    verifier.post(f"{one}/sample", {"seed_text": SEED_TEXT}).expect(409)


@pytest.mark.parametrize(
    ("finding", "field", "code"),
    [
        ({"kind": "error", "text": "x"}, "amount", "required"),
        ({"kind": "request", "text": "x", "amount": 1}, "amount", "conflict"),
        ({"kind": "request", "text": " "}, "text", "required"),
    ],
)
def test_a_finding_without_what_it_needs_is_rejected(verifier, path, finding, field, code):
    one = f"{path}/{begin(verifier, path)['id']}"

    error = verifier.post(f"{one}/findings", {"finding": finding}).expect(422).error

    assert (error["field"], error["code"]) == (field, code)


def test_moves_that_the_table_does_not_list_are_rejected(verifier, operator, path):
    one = f"{path}/{begin(verifier, path)['id']}"
    finding = {"finding": {"kind": "error", "text": "Wrong unit.", "amount": 1}}
    verifier.post(f"{one}/findings", finding).expect(201)
    decide = f"{one}/findings/1/decide"
    verifier.post(decide, {"decision": "reopen", "reason": "It is open."}).expect(409)
    verifier.post(decide, {"decision": "withdraw", "reason": "The unit is right."}).expect(200)

    operator.post(f"{one}/findings/1/answer", {"answer": "The unit is right."}).expect(409)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"materiality_percent": None}, "materiality_percent"),
        ({"materiality_percent": 101}, "materiality_percent"),
        ({"materiality_percent": None, "materiality_amount": 0}, "materiality_amount"),
        ({"scope": " "}, "scope"),
    ],
)
def test_an_agreement_without_what_it_needs_is_rejected(verifier, path, fields, field):
    assert verifier.post(path, agreed(**fields)).expect(422).error["field"] == field


def test_an_opinion_needs_what_the_service_proposed(verifier, path):
    """`propose_opinion`, `conclude_with_opinion`."""
    one = f"{path}/{begin(verifier, path)['id']}"
    signed = {"statement": "{}\n", "signature": "x", "public_key": "x"}

    assert verifier.post(f"{one}/conclude", signed).expect(422).error["field"] == "statement"
