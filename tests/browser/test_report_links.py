"""A verifier with a link alone: from the report over a batch and its equation to its source, and back."""

import pytest
from playwright.sync_api import expect
from tests.browser.site import WIDTHS
from tests.given.bundles import chained


@pytest.fixture
def works(account):
    """Carbon that rests on biochar and deliveries, with a draft of it."""
    return chained(account)


@pytest.fixture
def address(account, works):
    """The address of a link to the draft."""
    _, report = works
    link = {"link": {"name": "Verifier"}}
    url = account.caller().post(f"/reports/{report['id']}/links", link).expect(201).body["url"]
    return url.replace("/api/v1/", "/")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_verifier_follows_a_batch_to_what_was_delivered_and_comes_back(site, works, address, width):
    _, report = works
    with site.page(width=width) as page:
        page.goto(address)
        page.locator("main table a").first.click()
        page.get_by_role("heading", name="Calculation").wait_for()
        expect(page.locator(".level").first).to_contain_text("sum(drawn) * 0.8")

        for ledger in ("Biochar", "Deliveries"):
            page.get_by_role("region", name="Result").wait_for()
            page.locator('table:has(th:text-is("For")) a').first.click()
            page.get_by_role("region", name="Result").get_by_text(f"on {ledger}").wait_for()
        readings = page.locator('table:has(th:text-is("Captured"))')
        assert readings.locator("tbody tr").count() >= 1
        expect(page.locator("form")).to_have_count(0)

        page.get_by_role("link", name=report["name"]).click()
        page.get_by_role("heading", name="Included batches").wait_for()


def test_everybody_can_use_the_page_of_a_batch_behind_a_link(person, works, address, site):
    made, _ = works
    path = address.removeprefix(site.server.address)
    for ledger in ("Carbon", "Deliveries"):
        for batch in made.batches(ledger)[:2]:
            person.look(
                path.replace("/by_link?", f"/by_link/batches/{batch['id']}?"), shot=f"linked_{ledger}"
            )
