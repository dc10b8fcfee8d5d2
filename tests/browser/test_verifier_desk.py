"""The verifier's desk: an engagement by a link alone, from the agreement to a signed opinion, in a
browser.
"""

import subprocess

import pytest
from playwright.sync_api import expect
from tests.given import bundles, engagements, reports
from tests.given.engagements import SEED_TEXT

from weighbridge.core.engagement.opinion import NAMESPACE


@pytest.fixture
def claims(api, drain):
    """Sixty deliveries of two months."""
    claims = reports.claims(api, drain)
    for number in range(60):
        month, day = divmod(number, 28)
        claims.plant.deliver(number + 1, f"2025-{month + 1:02d}-{day + 1:02d}T00:00:00Z")
    claims.plant.generate(reports.QUARTER)
    return claims


@pytest.fixture
def report(claims, api, drain):
    draft = claims.report(406, *claims.balances()[1:])
    engagements.make_bundle(api, drain, draft)
    return draft


def ssh_keygen(tmp_path, *words):
    subprocess.run(["ssh-keygen", *words], check=True, cwd=tmp_path, capture_output=True)


def test_an_engagement_by_a_link_alone_to_a_signed_opinion(site, person, account, report, tmp_path):
    api = account.caller()
    link = {"name": "Verifier, first review", "is_of_verifier": True}
    url = api.post(f"/reports/{report['id']}/links", {"link": link}).expect(201).body["url"]
    page = site.browser.new_page()
    page.goto(url.replace("/api/v1/", "/"), wait_until="networkidle")

    page.get_by_label("Verifier").fill("Example Verification Ltd")
    page.get_by_label("Scope").fill("The first quarter of 2025")
    page.get_by_label("Criteria").fill("ISO 14064-2")
    page.get_by_label("Event type to sample").fill("delivery")
    page.get_by_label("Amount", exact=True).fill("mass")
    page.get_by_label("Method").select_option("monetary_unit")
    page.get_by_role("button", name="Begin engagement").click()
    page.get_by_label("A text of yours").fill(SEED_TEXT)
    page.get_by_role("button", name="Draw the sample").click()

    page.locator("#sample tbody tr").first.wait_for()
    expect(page.locator("#sample tbody tr")).to_have_count(25)
    expect(page.get_by_text("no evidence")).to_have_count(25)
    record = page.locator("#sample tbody tr .id").first.get_attribute("data-copy")
    page.get_by_label("Record", exact=True).fill(record)
    page.get_by_label("Amount by which it would change the total").fill("-0.4")
    page.get_by_label("Finding", exact=True).fill("The slip states another mass.")
    page.get_by_role("button", name="Record finding").click()
    page.get_by_role("region", name="Finding 1").wait_for()

    address = page.url.removeprefix(site.server.address)
    engagement = address.rpartition("/engagements/")[2].partition("?")[0]
    with person.at(
        f"/projects/{report['project_id']}/reports/{report['id']}/engagements/{engagement}"
    ) as operator:
        operator.get_by_role("textbox", name="Answer").fill("The slip is right. The value is corrected.")
        operator.get_by_role("button", name="Answer").click()
        operator.get_by_text("Answer recorded.").wait_for()
    page.reload()
    page.get_by_role("textbox", name="Reason", exact=True).fill("The corrected value is that of the slip.")
    page.get_by_role("button", name="Decide").click()
    page.get_by_text("resolved").first.wait_for()

    page.get_by_role("textbox", name="Reasons").fill("No material misstatement was found.")
    page.get_by_role("button", name="Draft the statement").click()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="download opinion.json").click()
    downloading.value.save_as(tmp_path / "opinion.json")
    ssh_keygen(tmp_path, "-q", "-t", "ed25519", "-N", "", "-C", "desk", "-f", "key")
    ssh_keygen(tmp_path, "-q", "-Y", "sign", "-f", "key", "-n", NAMESPACE, "opinion.json")
    page.get_by_role("textbox", name="Signature").fill((tmp_path / "opinion.json.sig").read_text())
    page.get_by_label("Your public key").fill((tmp_path / "key.pub").read_text().strip())
    page.get_by_role("button", name="Conclude with this opinion").click()

    page.get_by_text("Unmodified").first.wait_for()
    page.close()
    person.look(address, shot="verifier_desk")
    [opinion] = bundles.bundle(account, report).check().opinions
    assert (opinion.conclusion, opinion.key) == (
        "unmodified",
        " ".join((tmp_path / "key.pub").read_text().split()[:2]),
    )


def test_everybody_can_use_the_page_of_an_engagement(person, api, anyone, report):
    verifier = engagements.verifier(api, anyone, report)
    begun = verifier.begin()
    verifier.draw(begun)
    verifier.find(begun)

    path = f"/projects/{report['project_id']}/reports/{report['id']}"
    person.look(f"{path}/engagements/{begun['id']}", shot="engagement")
    person.look(path, shot="report_with_engagement")
    person.look(f"/reports/{report['id']}/by_link/engagements/{begun['id']}?key={verifier.key}", shot="desk")
