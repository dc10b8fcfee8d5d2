"""Tasks of reviewers, accountants and verifiers, done by what is on the screen, on a desk and on a phone."""

import re

import pytest
from playwright.sync_api import expect
from tests.browser.test_bundle_check import found_in
from tests.browser.test_tasks import WAYS, go
from tests.given import accounting as given_accounting
from tests.given import reports as given_reports
from tests.given.approvals import pending
from tests.given.bundles import chained
from tests.given.reports import Claims, accepted
from tests.given.rule_evaluation import calibration, work


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_thirty_proposals_are_decided_on_by_what_they_would_change(account, api, person, width, javascript):
    plant = given_accounting.plant(api, account.drain)
    for day in range(1, 32):
        plant.deliver(5 if day == 31 else 20 + day, day)
    plant.generate()
    rule = calibration(api, plant.project, requires_approval=True)
    work(account)
    assert pending(api, rule) == 30

    with person.at(f"/projects/{plant.project['id']}", width=width, javascript=javascript) as page:
        page.get_by_text("30 pending proposals").wait_for()
        go(page, width, "Proposals")
        page.get_by_role("link", name="Select all 30").click()
        page.wait_for_url("**select=all**")
        page.get_by_role("button", name="Preview impact").click()
        page.get_by_role("heading", name="Impact of approving 30 proposals").wait_for()
        expect(page.locator("#impact")).to_contain_text("January 2025")

        page.locator("input[name=result_ids]").first.uncheck()
        page.get_by_role("button", name="Approve selected").click()
        page.get_by_text("29 proposals approved.").wait_for()

        page.locator("input[name=result_ids]").first.check()
        page.get_by_text("Reject selected…").click()
        page.get_by_label("Reason for all selected proposals").fill("Weighed again at the gate")
        page.get_by_role("button", name="Reject proposals").click()
        page.get_by_text("No pending proposals").wait_for()

    assert pending(api, rule) == 0
    assert [batch["conditions"] for batch in plant.batches()] == [["stale"]]


def test_a_decision_on_many_says_that_it_is_worked_on(account, api, person):
    plant = given_accounting.plant(api, account.drain)
    for day in range(1, 4):
        plant.deliver(30, day)
    calibration(api, plant.project, requires_approval=True)
    work(account)

    with person.at(f"/projects/{plant.project['id']}/proposals?select=all") as page:
        # The answer goes to a page of its own, so that this one stays as it is while it is worked on.
        page.locator("form[action$='/approve']").evaluate("form => { form.target = '_blank'; }")
        with page.context.expect_page() as answering:
            page.get_by_role("button", name="Approve selected").click()
        page.get_by_role("status").get_by_text("Working on 3 records. All are changed, or none.").wait_for()
        expect(page.get_by_role("button", name="Approve selected")).to_be_disabled()
        answering.value.get_by_text("3 proposals approved.").wait_for()
        answering.value.close()


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_a_tonne_is_followed_to_the_weighing_and_the_slip_that_it_rests_on(
    account, person, width, javascript
):
    works, _ = chained(account)
    slip = works.events[0].id

    with person.at(f"/projects/{works.project['id']}", width=width, javascript=javascript) as page:
        go(page, width, "Ledgers")
        page.get_by_role("main").get_by_role("link", name="Carbon", exact=True).click()
        page.get_by_role("main").get_by_role("link", name="2025-01 Straw").last.click()
        page.get_by_role("heading", name="Calculation").wait_for()
        for ledger in ("Biochar", "Deliveries"):
            page.locator('table:has(th:text-is("For"))').get_by_role(
                "link", name="2025-01 Straw"
            ).last.click()
            page.get_by_role("region", name="Result").get_by_text(f"on {ledger}").wait_for()
        while (closed := page.locator("details.level:not([open]) > summary:visible")).count():
            closed.first.click()
        page.locator(f"main a[href$='{slip}']").first.click()
        page.get_by_text("11.75").first.wait_for()
        page.get_by_role("link", name="slip.txt").first.click()
        page.get_by_role("link", name=re.compile("Download")).first.wait_for()


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_a_report_is_sent_accepted_restated_and_shown_to_a_verifier(api, drain, person, width, javascript):
    plant = given_reports.claims(api, drain, 5, 3).plant
    home = f"/projects/{plant.project['id']}"

    with person.at(home, width=width, javascript=javascript) as page:
        go(page, width, "Reports")
        page.get_by_role("textbox", name="Name", exact=True).fill("Winter")
        page.get_by_label("Type", exact=True).last.fill("quarterly")
        page.get_by_label("Ledger", exact=True).select_option(label="Deliveries, t")
        page.get_by_role("button", name="Create draft").click()
        page.get_by_text("Submit report…").click()
        page.get_by_role("button", name="Submit 2 batches").click()
        page.get_by_text("Report submitted.").wait_for()
        address = page.url
        drain()
        page.goto(address)
        page.get_by_label("Receiver's reference").first.fill("R-7")
        page.get_by_role("button", name="Record acceptance").click()
        page.get_by_text("The accepted amount is posted.").wait_for()

        [first, _] = api.get(f"{home}/events", {"sort": "start_time"}).data
        change = {"data_point": {"value": 4, "reason": "Second weighing"}}
        api.patch(f"{home}/data_points/{first['data_points'][0]['id']}", change).expect(200)
        plant.generate()
        page.reload()
        page.get_by_role("button", name="Create restatement").click()
        page.get_by_role("heading", name="Winter, restated").wait_for()
        page.get_by_role("button", name="Replace with current amounts").click()
        changes = page.locator('table:has(th:text-is("Cause"))').inner_text()
        assert "\N{MINUS SIGN}1" in changes
        page.get_by_text("Submit report…").click()
        page.get_by_role("button", name=re.compile("^Submit .* batch")).click()
        page.get_by_text("Report submitted.").wait_for()
        page.get_by_label("Recipient").fill("Grace of the verifiers")
        page.get_by_role("button", name="Create link").click()
        link = page.locator(".once code, .once .id").first.inner_text()

    with person.site.page(width=width, javascript=javascript) as page:
        page.goto(link)
        page.get_by_role("heading", name="Winter, restated").wait_for()
        expect(page.get_by_role("region", name="Reported amount")).to_contain_text("7")
        expect(page.get_by_role("heading", name="Changes from the restated report")).to_have_count(1)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_verifier_checks_a_report_and_its_bundle_from_the_link_alone(account, api, site, tmp_path, width):
    works, draft = chained(account)
    report = accepted(Claims(given_accounting.Plant(api, account.drain, works.project, {}, {})), draft)
    made = api.post(f"/reports/{report['id']}/links", {"link": {"name": "Verifier"}}).expect(201).body
    key = api.get("/audit_log/key").expect(200).body["verifier_key"]

    with site.page(width=width) as page:
        page.goto(made["url"].replace("/api/v1/", "/"))
        assert "accepted" in page.get_by_role("main").inner_text() or "complete" in page.inner_text("main")
        with page.expect_download() as downloading:
            page.get_by_role("link", name="Download the bundle").click()
        downloading.value.save_as(tmp_path / "bundle.zip")
        found = found_in(page, (tmp_path / "bundle.zip").read_bytes(), key)
        assert found.startswith("The bundle is valid.")

        page.locator('main table a[href*="/batches/"]').first.click()
        page.get_by_role("heading", name="Calculation").wait_for()
        page.get_by_role("link", name=report["name"]).click()
        page.get_by_role("heading", name="Included batches").wait_for()
