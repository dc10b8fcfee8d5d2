"""Who may approve: a permission of its own, and in some accounts nobody what is their own."""

import pytest
from tests.given import collection as given
from tests.given.approvals import approve, bulk_approve, bulk_reject, reject, shown
from tests.given.people import actor_of, email_of
from tests.given.rule_evaluation import calibration, results, work
from tests.server import Account

from weighbridge.core.platform.settings import Feature
from weighbridge.platform.feature_flags import switch_feature


@pytest.fixture
def project(api):
    return given.measuring(api, given.number("mass"))


def somebody(account, *permissions):
    """Another person of the account, with a token of theirs."""
    person = Account(account.server, actor_of(account, email_of(account)), account.cell)
    return person.caller(*permissions)


@pytest.fixture
def forbids_own(account):
    async def switch():
        async with account.server.database.write() as tx:
            await switch_feature(tx, account.actor, Feature.APPROVAL_OF_OWN, is_on=False)

    account.server.run(switch())


def proposed(author, sender, project, account, mass=50):
    """The result by which a rule of one person proposes for what another has sent."""
    rule = calibration(author, project, requires_approval=True)
    event = given.event(sender, project, values={"mass": mass})
    work(account)
    return results(author, rule)[0]["id"], event


def test_who_writes_rules_alone_decides_nothing_and_who_approves_alone_writes_none(api, account, project):
    result, _ = proposed(api, api, project, account)
    writer, approver = account.caller("data_rules:write"), account.caller("data_rules:approve")

    for answer in (
        approve(writer, project, result),
        reject(writer, project, result),
        bulk_approve(writer, project, result),
        bulk_reject(writer, project, result),
    ):
        assert answer.expect(403).error["code"] == "permission_missing"
    body = {"rule": {"name": "Mine", "expression": "{{mass}} > 1", "effective_from": "2025-01-01T00:00:00Z"}}
    approver.post(f"/projects/{project['id']}/rules", body).expect(403)

    assert shown(approver, project, result)["approval_state"] == "pending"
    approve(approver, project, result).expect(200)


def test_a_result_says_who_approved_it_and_when(api, account, project):
    result, _ = proposed(api, api, project, account)
    before = shown(api, project, result)
    assert (before["approved_at"], before["approved_by"]) == (None, None)

    approve(somebody(account, "data_rules:approve"), project, result).expect(200)

    after = shown(api, project, result)
    assert after["approved_by"] == "Ada Nord"
    assert after["approved_at"] is not None


def test_an_account_lets_people_approve_their_own_until_it_says_otherwise(api, account, project):
    result, _ = proposed(api, api, project, account)

    assert api.get("/feature_flags").body["approval_of_own"] is True
    approve(api, project, result).expect(200)


@pytest.mark.usefixtures("forbids_own")
@pytest.mark.parametrize("own", ["rule", "event"])
def test_where_somebody_else_has_to_nobody_approves_what_their_own_rule_or_data_proposed(
    api, account, project, own
):
    other = somebody(account, "data_collection:write", "data_rules:write")
    author, sender = (api if own == "rule" else other), (api if own == "event" else other)
    result, _ = proposed(author, sender, project, account)
    third = somebody(account, "data_rules:approve")

    refused = approve(api, project, result).expect(422)

    assert refused.error["code"] == "own_proposal"
    assert "Another user has to approve it" in refused.error["message"]
    assert bulk_approve(api, project, result).expect(422).error["field"] == "result_ids[0]"
    assert shown(api, project, result)["approval_state"] == "pending"
    approve(third, project, result).expect(200)


@pytest.mark.usefixtures("forbids_own")
def test_rejecting_ones_own_is_free(api, account, project):
    result, _ = proposed(api, api, project, account)

    assert reject(api, project, result).expect(200).body["approval_state"] == "rejected"


@pytest.mark.usefixtures("forbids_own")
def test_nobody_approves_their_own_after_it_was_rejected_either(api, account, project):
    result, _ = proposed(api, api, project, account)
    reject(api, project, result).expect(200)

    assert approve(api, project, result).expect(422).error["code"] == "own_proposal"
    third = somebody(account, "data_rules:approve")
    approve(third, project, result).expect(200)
    assert reject(api, project, result).expect(200).body["approval_state"] == "rejected"


def test_reversing_a_decision_needs_the_permission_to_decide(api, account, project):
    result, _ = proposed(api, api, project, account)
    writer = account.caller("data_rules:write")
    for decide, reverse in ((approve, reject), (reject, approve)):
        decide(api, project, result).expect(200)
        assert reverse(writer, project, result).expect(403).error["code"] == "permission_missing"
