"""Pages of rules: results, the inbox of proposals, the review with its impact, decisions, and the editor."""

import re
from html import escape, unescape

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given.approvals import dismiss, pending, reject, shown
from tests.given.people import Visitor, actor_of, email_of, visitor
from tests.given.rule_evaluation import calibration, results, work
from tests.server import Account


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


@pytest.fixture
def ada(account):
    return visitor(account)


@pytest.fixture
def proposed(api, account, plant):
    """A rule proposes two percent more for deliveries above 20 t, two of which were credited."""
    plant.deliver(30)
    plant.deliver(25)
    plant.deliver(5)
    plant.generate()
    made = propose(api, account, plant)
    return made, [one["id"] for one in results(api, made)]


def propose(api, account, plant):
    """A rule that proposes two percent more for deliveries above 20 t, evaluated."""
    made = calibration(api, plant.project, requires_approval=True)
    work(account)
    return made


def home(plant):
    return f"/projects/{plant.project['id']}"


def words(answer):
    """What a page says, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.expect(200).text)))


def test_the_inbox_lists_what_waits_and_the_review_says_what_approving_changes(ada, plant, proposed):
    rule, found = proposed

    inbox = ada.get(f"{home(plant)}/proposals").expect(200).text
    assert all(one in inbox for one in found)

    page = ada.get(f"{home(plant)}/rule_results/{found[0]}").expect(200).text
    assert f'hx-get="{home(plant)}/rule_results/{found[0]}/impact"' in page
    assert escape(rule["name"]) in page

    impact = words(ada.get(f"{home(plant)}/rule_results/{found[0]}/impact"))
    assert "January 2025 60 60.60 +0.60 t" in impact
    assert "Nothing is stored" in impact


def test_proposals_say_what_was_measured_when_and_by_how_much_it_would_change(api, account, drain, ada):
    plant = given_accounting.plant(api, drain)
    meter = (
        api.post(f"/projects/{plant.project['id']}/assets", {"asset": {"name": "Scale 2"}}).expect(201).body
    )
    plant.deliver(30, day=2, asset_id=meter["id"], tracking_id="LORRY-7")
    plant.deliver(25, day=3)
    rule = calibration(api, plant.project, requires_approval=True)
    work(account)
    assert pending(api, rule) == 2

    page = words(ada.get(f"{home(plant)}/proposals"))

    assert f"{rule['name']} v1 · Scale 2 1 proposal" in page
    assert "2 Jan 2025 12:00 LORRY-7 mass 30 30.60 +2.0 % t Calculate" in page


def test_all_proposals_of_a_page_or_of_a_group_are_selected_without_a_script(api, account, drain, ada):
    plant = given_accounting.plant(api, drain)
    meter = (
        api.post(f"/projects/{plant.project['id']}/assets", {"asset": {"name": "Scale 2"}}).expect(201).body
    )
    for day in (2, 3):
        plant.deliver(30, day=day, asset_id=meter["id"])
    plant.deliver(25, day=4)
    rule = calibration(api, plant.project, requires_approval=True)
    work(account)
    inbox = ada.get(f"{home(plant)}/proposals").expect(200).text
    groups = [unescape(link) for link in re.findall(r'href="([^"]*select=[^"]*)"', inbox)]

    checked = {link: ada.get(link).expect(200).text.count(" checked>") for link in groups}

    assert sorted(checked.values()) == [1, 2, 3]
    assert f"filter[rule_id]={rule['id']}" not in inbox
    of_rule = ada.get(f"{home(plant)}/proposals?filter[rule_id]={rule['id']}&select=all").expect(200).text
    assert of_rule.count(" checked>") == 3


@pytest.mark.usefixtures("proposed")
def test_a_reviewer_who_may_read_no_events_still_sees_the_proposals(account, plant):
    reviewer = visitor(account, "data_rules:read", "data_rules:approve")

    page = words(reviewer.get(f"{home(plant)}/proposals"))

    assert "mass 30 30.60 +2.0 %" in page
    assert "1 Jan 2025" not in page


def test_the_overview_names_what_waits_and_what_it_would_change(ada, plant, proposed):
    rule, found = proposed

    page = ada.get(home(plant)).expect(200).text

    assert all(f"/rule_results/{one}" in page for one in found)
    assert "30 → 30.6" in page
    assert escape(rule["name"]) in page


def test_a_reviewer_approves_one_and_comes_to_the_next(api, ada, plant, proposed):
    rule, found = proposed

    ada.get(f"{home(plant)}/rule_results/{found[0]}")
    moved = ada.post(f"{home(plant)}/rule_results/{found[0]}/approve").expect(303)

    assert moved.headers["location"] == f"{home(plant)}/rule_results/{found[1]}"
    assert shown(api, plant.project, found[0])["approval_state"] == "approved"
    assert pending(api, rule) == 1


def test_a_rejection_needs_a_reason_and_keeps_it(api, ada, plant, proposed):
    _, found = proposed
    address = f"{home(plant)}/rule_results/{found[0]}/reject"

    assert "reason" in words_of_refusal(ada.post(address, {"reason": ""}))
    ada.post(address, {"reason": "The scale was right"}).expect(303)

    assert shown(api, plant.project, found[0])["rejection_reason"] == "The scale was right"


def words_of_refusal(answer):
    return answer.expect(422).text


def test_many_are_approved_at_once_after_a_look_at_what_they_change_together(api, ada, plant, proposed):
    rule, found = proposed
    chosen = "&".join(f"result_ids={one}" for one in found)

    looked = ada.post(f"{home(plant)}/proposals/impact", {"result_ids": found, "reason": ""}).expect(303)
    assert looked.headers["location"] == f"{home(plant)}/proposals/impact?{chosen}"
    assert "Impact of approving 2 proposals" in words(ada.get(looked.headers["location"]))
    ada.post(f"{home(plant)}/proposals/approve", {"result_ids": found}).expect(303)

    assert pending(api, rule) == 0
    assert "No pending proposals" in words(ada.get(f"{home(plant)}/proposals"))


@pytest.mark.usefixtures("proposed")
@pytest.mark.parametrize("act", ["approve", "reject", "impact"])
def test_who_selected_nothing_is_asked_to_select(ada, plant, act):
    answer = ada.post(f"{home(plant)}/proposals/{act}", {"reason": "Seen"})

    assert "Select at least one proposal." in answer.text


def test_many_are_rejected_and_dismissed_with_one_reason(api, ada, plant, proposed):
    rule, found = proposed
    ada.get(f"{home(plant)}/proposals")

    ada.post(f"{home(plant)}/proposals/reject", {"result_ids": found, "reason": "Both were right"}).expect(
        303
    )
    assert {shown(api, plant.project, one)["approval_state"] for one in found} == {"rejected"}

    assert rule["name"] in words(ada.get(f"{home(plant)}/rule_results?filter[rule_id]={rule['id']}"))
    ada.post(f"{home(plant)}/rule_results/dismiss", {"result_ids": found, "reason": "Known"}).expect(303)
    assert {shown(api, plant.project, one)["status"] for one in found} == {"dismissed"}


def test_an_approval_is_reversed_on_its_page_until_a_batch_rests_on_it(api, ada, plant, proposed):
    _, found = proposed
    address = f"{home(plant)}/rule_results/{found[0]}"
    ada.get(address)
    ada.post(f"{address}/approve", {"comment": "Read at the gate"}).expect(303)

    page = words(ada.get(address))
    assert "by Ada Nord: Read at the gate" in page
    assert "Reverse the decision" in page
    moved = ada.post(f"{address}/reject", {"reason": "Read wrongly"}).expect(303)
    assert moved.headers["location"] == address
    assert shown(api, plant.project, found[0])["rejection_reason"] == "Read wrongly"

    page = words(ada.get(address))
    assert "by Ada Nord: Read wrongly" in page
    assert "January 2025 60 60.60 +0.60 t" in words(ada.get(f"{address}/impact"))
    ada.post(f"{address}/approve", {"comment": ""}).expect(303)
    assert shown(api, plant.project, found[0])["approval_comment"] is None
    [batch] = plant.generate()["batches"]
    page = ada.get(address).expect(200).text
    assert f'href="{home(plant)}/batches/{batch}"' in page
    assert "1 batch was generated from its correction" in page
    assert "Reject proposal" not in page
    assert "1 batch was generated from its correction" in words_of_refusal(
        ada.post(f"{address}/reject", {"reason": "Read wrongly"})
    )


def test_the_page_of_a_decision_that_stands_says_why(ada, account, api, plant, proposed):
    _, found = proposed
    address = f"{home(plant)}/rule_results/{found[0]}"
    ada.get(address)
    ada.post(f"{address}/reject", {"reason": "The scale was right"}).expect(303)
    reader = visitor(account, "data_rules:read")
    assert "Users who may approve can reverse this decision." in words(reader.get(address))

    dismiss(api, plant.project, found[0]).expect(200)

    page = words(ada.get(address))
    assert "The result is closed or dismissed, so this decision stands." in page
    assert "Approve proposal" not in page


def test_the_page_of_a_rejection_offers_nobody_to_approve_their_own(account, api, sql, plant):
    email = email_of(account)
    sender = Account(account.server, actor_of(account, email), account.cell).caller()
    given.event(sender, plant.project, event_type="delivery", values={"mass": 30})
    [result] = [one["id"] for one in results(api, propose(api, account, plant))]
    reject(api, plant.project, result).expect(200)
    address = f"{home(plant)}/rule_results/{result}"
    author = Visitor(account.server).sign_in(email)
    assert "Approve proposal" in words(author.get(address))
    sql(
        "INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'approval_of_own', false)",
        account.id,
    )

    page = words(author.get(address))

    assert "Another user must approve it." in page
    assert "Approve proposal" not in page


def test_many_are_approved_with_one_comment(api, ada, plant, proposed):
    _, found = proposed
    ada.get(f"{home(plant)}/proposals")

    ada.post(
        f"{home(plant)}/proposals/approve", {"result_ids": found, "comment": "Read", "reason": ""}
    ).expect(303)

    assert [shown(api, plant.project, one)["approval_comment"] for one in found] == ["Read"] * 2


def test_the_list_and_the_page_of_a_rule_say_what_it_does(ada, plant, proposed):
    rule, found = proposed

    assert rule["name"] in words(ada.get(f"{home(plant)}/rules"))
    page = ada.get(f"{home(plant)}/rules/{rule['id']}").expect(200).text
    assert all(one in page for one in found)
    ada.post(f"{home(plant)}/rules/{rule['id']}/run").expect(303)


def test_who_may_only_read_sees_no_button_and_decides_nothing(account, api, plant, proposed):
    _, found = proposed
    reader = visitor(account, "data_rules:read")

    page = reader.get(f"{home(plant)}/rule_results/{found[0]}").expect(200).text
    assert "Approve" not in page
    reader.post(f"{home(plant)}/rule_results/{found[0]}/approve").expect(403)
    assert shown(api, plant.project, found[0])["approval_state"] == "pending"


def test_of_another_account_there_is_no_result(server, plant, proposed):
    _, found = proposed
    stranger = visitor(server.account())

    stranger.get(f"{home(plant)}/rule_results/{found[0]}").expect(404)
    stranger.get(f"{home(plant)}/proposals").expect(404)
