"""Pages of ledgers, batches and reports: for everybody, and walked as people walk them."""

import pytest
from tests.given import accounting as given_accounting
from tests.given.accounting import JANUARY


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("completeness", "/projects/{project}/completeness"),
        ("ledgers", "/projects/{project}/ledgers"),
        (
            "generate",
            "/projects/{project}/ledgers/{ledger}/generations?from=2025-01-01T00:00&until=2025-02-01T00:00",
        ),
        ("reports", "/projects/{project}/reports"),
        ("report", "/projects/{project}/reports/{report}"),
        ("generation", "/projects/{project}/ledgers/{ledger}/generations/{task}"),
    ],
)
def test_everybody_can_use_the_page(ada, world, name, address):
    ada.look(address.format_map({**world.ids, "task": _generation(world)}), shot=name)


def _generation(world):
    api = world.account.caller()
    found = api.get("/async_tasks", {"filter[type]": "batch_generation"}).data
    return found[0]["id"]


def test_a_generation_is_previewed_and_followed_to_its_batch(person, account):
    plant = given_accounting.plant(account.caller(), account.drain)
    plant.deliver(5)
    address = f"/projects/{plant.project['id']}/ledgers/{plant.ledger['id']}"
    with person.at(address) as page:
        page.get_by_role("link", name="Generate batches").first.click()
        page.get_by_label("From").fill(JANUARY[0][:16])
        page.get_by_label("Until").fill(JANUARY[1][:16])
        page.get_by_role("button", name="Preview").click()
        page.get_by_role("button", name="Generate 1 batch").click()
        page.get_by_text("waits for a worker").wait_for()

        account.drain()

        page.get_by_text("complete").wait_for()
        page.get_by_role("link", name="2025-01").click()
        page.get_by_role("heading", name="Who took of it").wait_for()


def test_a_verifier_can_use_the_page_behind_a_link(site, ada, world):
    api = world.account.caller()
    made = api.post(f"/reports/{world.ids['report']}/links", {"link": {"name": "Verifier"}}).expect(201).body
    address = made["url"].replace("/api/v1", "")

    ada.look(address, shot="by_link")
    with site.page() as page:
        page.goto(address)
        page.get_by_role("link", name="Download the bundle").wait_for()
