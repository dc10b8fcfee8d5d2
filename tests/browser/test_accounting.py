"""Pages of ledgers, batches and reports: for everybody, and walked as people walk them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.given import accounting as given_accounting
from tests.given import chain
from tests.given import reports as given_reports
from tests.given.accounting import JANUARY

PERIOD = "from=2025-01-01T00:00&until=2025-02-01T00:00"

HALF = """
  - slug: half
    formula: mass / 2
    unit: t
    output: true
"""

DRY = """
  - slug: mass
    formula: wet * 3 / 4
    unit: t
    output: true
"""


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
        page.get_by_text("waiting for a worker").wait_for()

        account.drain()

        page.get_by_text("complete").wait_for()
        page.get_by_role("link", name="2025-01").click()
        page.get_by_role("heading", name="Withdrawals from this batch").wait_for()


def test_a_ledger_is_given_a_model_and_walked_to_a_batch_with_its_numbers(person, account):
    first = chain.inventory(account.caller(), account.drain, given_accounting.MASS + HALF)
    first.deliver(10)
    first.generate()
    by_hand = chain.PRODUCED + chain.upstream("select: manual") + chain.USED
    second = chain.link(first, by_hand, output="used")
    bare = given_accounting.ledger(first.api, first.project, name="Half")
    chain.produce(second, 4)
    home = f"/projects/{first.project['id']}/ledgers"

    with person.at(f"{home}/{bare['id']}") as page:
        page.get_by_label("Model").select_option(label="Deliveries, version 1")
        page.get_by_label("Output").fill("half")
        page.get_by_role("button", name="Assign model").click()
        page.get_by_text("Model Deliveries assigned to Half.").wait_for()
        page.goto(f"{home}/{second.ledger['id']}")
        page.get_by_role("link", name="Generate batches").first.click()
        page.get_by_role("link", name="2025-01: never generated").click()
        page.get_by_text("no source is selected").wait_for()
        page.get_by_label("Withdraw from 2025-01 for drawn").fill("7.5")
        page.get_by_role("button", name="Preview").click()
        page.get_by_role("button", name="Generate 1 batch").click()
        page.get_by_text("waiting for a worker").wait_for()
        account.drain()
        page.get_by_role("link", name="2025-01").click()

        page.get_by_role("heading", name="Calculation").wait_for()
        page.locator("math a", has_text="7.5").first.click()
        page.wait_for_url("**#node-used")
        page.get_by_role("heading", name="Withdrawals from other batches").wait_for()
        page.get_by_role("link", name="Delete batch").click()
        page.get_by_text("2.5 → 10 remaining").wait_for()

    person.look(f"{home}/{second.ledger['id']}/generations?{PERIOD}", shot="generate-by-hand")
    bare = given_accounting.ledger(first.api, first.project, name="Bare")
    person.look(f"{home}/{bare['id']}", shot="ledger-without-model")
    batch = second.batches()[0]["id"]
    person.look(f"/projects/{first.project['id']}/batches/{batch}", shot="batch-drawn")
    person.look(f"/projects/{first.project['id']}/batches/{batch}/delete", shot="deletion")


def test_a_model_is_changed_in_the_editor_and_what_it_would_change_is_compared(person, account):
    plant = given_accounting.plant(account.caller(), account.drain)
    plant.deliver(30)
    plant.generate()
    path = f"/projects/{plant.project['id']}/models/{plant.model['id']}"

    with person.at(path) as page:
        page.get_by_role("link", name="Document").click()
        document = page.get_by_label("Model document")
        text = document.input_value()
        wrong = text.replace("slug: mass", "slug: wet").replace("output: true", "") + DRY
        document.fill(wrong.replace("wet * 3", "wett * 3"))
        page.get_by_text("invalid").wait_for()
        page.get_by_text("wett").last.wait_for()
        said = page.locator("#validation").inner_text()
        assert "line 12, column" in said, said
        document.fill(wrong)
        page.get_by_text("valid", exact=True).wait_for()
        page.get_by_label("Version label").fill("Dry basis")
        page.get_by_role("button", name="Save as version 2").click()

        page.get_by_text("Version 2 created.").wait_for()
        page.get_by_label("Period from").fill(JANUARY[0][:16])
        page.get_by_label("until").fill(JANUARY[1][:16])
        page.get_by_role("button", name="Compare").click()
        page.get_by_role("heading", name="Impact").wait_for()
        expect(page.locator("main")).to_contain_text("22.5")
        page.get_by_role("link", name="Simulate").click()
        page.get_by_label("wet, in t").fill("8")
        page.get_by_role("button", name="Calculate").click()
        page.get_by_text("8 t * 3 / 4").wait_for()
        page.get_by_role("link", name="mass", exact=True).click()
        page.get_by_role("region", name="Formula").wait_for()
        expect(page).to_have_url(re.compile("#node"))
        saved = page.url

    person.look(saved, shot="model-node")


def test_a_verifier_can_use_the_page_behind_a_link(site, ada, world):
    api = world.account.caller()
    made = api.post(f"/reports/{world.ids['report']}/links", {"link": {"name": "Verifier"}}).expect(201).body
    address = made["url"].replace("/api/v1", "")

    ada.look(address, shot="by_link")
    with site.page() as page:
        page.goto(address)
        with page.expect_download() as downloading:
            page.get_by_role("link", name="Download the bundle").click()
        assert downloading.value.suggested_filename.endswith(f"Z_{world.ids['report'][-8:]}.zip")
        expect(page.locator("form")).to_have_count(0)
    with site.page(javascript=False, width=380) as page:
        page.goto(address)
        page.get_by_text("Read-only access through an expiring link").wait_for()


def shell(lines, folder):
    """What lines of shell say, in a folder; they have to end well."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    bash = ["bash", "-e", "-c", lines]
    done = subprocess.run(
        bash, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{lines}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_a_report_goes_from_its_draft_to_a_bundle_that_the_lines_of_its_page_prove(person, account, tmp_path):
    plant = given_reports.claims(account.caller(), account.drain, 5, 3).plant
    home = f"/projects/{plant.project['id']}"
    came = plant.deliver(2, 20)
    with person.at(f"{home}/reports") as page:
        page.get_by_label("Name", exact=True).first.fill("Winter")
        page.get_by_label("Type", exact=True).last.fill("quarterly")
        page.get_by_label("Ledger", exact=True).select_option(label="Deliveries, t")
        page.get_by_role("button", name="Create draft").click()
        page.get_by_role("heading", name="Winter").wait_for()
        address = page.url.removeprefix(person.site.server.address)
        page.get_by_text(came).wait_for()
        expect(page.locator("#requirements .unmet")).to_have_count(1)

        plant.generate()

        page.locator("#requirements:not(:has(.unmet))").wait_for()
        page.get_by_text("Submit report…").click()
        page.get_by_text("8 t of Deliveries").wait_for()
        assert account.caller().get(f"/reports/{address.rsplit('/', 1)[1]}").body["status"] == "draft"
        page.get_by_role("button", name="Submit 2 batches").click()
        page.get_by_text("Report submitted.").wait_for()
        account.drain()
        page.goto(address)
        with page.expect_download() as downloading:
            page.get_by_role("link", name="Download the bundle").click()
        name = downloading.value.suggested_filename
        downloading.value.save_as(tmp_path / name)
        lines = page.locator("pre.curl", has_text="bundle check").inner_text()
        person.look(address, shot="submitted")
        page.goto(f"{home}/audit_log")
        for name_of_key, file in (("Key", "plant.vkey"), ("For ssh-keygen", "allowed_signers")):
            key = (
                page.locator("dt")
                .get_by_text(name_of_key, exact=True)
                .locator("xpath=following-sibling::dd[1]")
            )
            (tmp_path / file).write_text(key.inner_text().strip() + "\n")

    said = shell(lines, tmp_path)

    assert len(lines.strip().splitlines()) == 3
    assert 'Good "weighbridge-bundle" signature for operator' in said
    assert f"{name} holds." in said


def test_a_batch_of_a_chain_can_be_used_by_everybody(person, account):
    first = chain.inventory(account.caller(), account.drain)
    event = first.deliver(10)
    first.generate()
    second = chain.link(first)
    chain.produce(second, 4)
    second.generate()
    home = f"/projects/{first.project['id']}"
    point = first.api.get(f"{home}/events/{event}").body["data_points"][0]["id"]
    change = {"data_point": {"value": 5, "reason": "weighed again"}}
    first.api.patch(f"{home}/data_points/{point}", change).expect(200)

    person.look(f"{home}/batches/{second.batches()[0]['id']}", shot="chained")
    first.generate()
    person.look(f"{home}/ledgers", shot="flow")
    person.look(f"{home}/ledgers/{first.ledger['id']}", shot="short")
    person.look(home, shot="waiting")
