"""A proof bundle is checked in the browser: behind a report's link, and from a file without a network."""

import pytest
from tests.given import bundles, reports
from tests.given.second_checker import SCRIPT

from weighbridge.core.signing import SigningKey, VerifierKey


@pytest.fixture
def made(account, api, drain):
    """The bundle of a report."""
    claims = reports.claims(api, drain, 5, 3)
    return bundles.bundle(account, claims.report(4, "2.5"))


def found_in(page, content, key):
    """What the page shows of a bundle that somebody chose."""
    page.locator("#bundle-check input[type=file]").set_input_files(
        {"name": "spring.zip", "mimeType": "application/zip", "buffer": content}
    )
    page.locator("#bundle-check input[name=key]").fill(key)
    page.locator("#bundle-check button").click()
    page.wait_for_function("document.getElementById('found').textContent.includes('Not checked')")
    return page.locator("#found").text_content()


def test_a_file_without_a_network_checks_a_bundle(site, made):
    context = site.browser.new_context(offline=True)
    page = context.new_page()
    page.goto(SCRIPT.with_name("bundle-check.html").as_uri())

    found = found_in(page, made.content, made.key.text)
    stranger_key = VerifierKey(made.key.name, SigningKey.made().public)
    stranger = found_in(page, made.content, stranger_key.text)

    assert found.startswith("The bundle is valid.")
    assert "2025-01: total 5 t, included 4 t" in found
    assert stranger.startswith("SHA256SUMS.sig")
    context.close()


def test_the_page_behind_a_link_checks_the_bundle_that_it_gives(site, person, api, drain):
    claims = reports.claims(api, drain, 5)
    report = reports.accepted(claims, claims.report(4))
    link = api.post(f"/reports/{report['id']}/links", {"link": {"name": "Verifier", "expires_in": 3600}})
    key = api.get("/audit_log/key").expect(200).body["verifier_key"]
    address = link.expect(201).body["url"].replace("/api/v1/", "/")
    page = site.browser.new_page()
    asked = []
    page.goto(address, wait_until="networkidle")
    page.on("request", lambda request: asked.append(request.url))

    found = found_in(page, api.get(f"/reports/{report['id']}/bundle").expect(200).content, key)

    assert found.startswith("The bundle is valid.")
    assert [url for url in asked if "/assets/mark." not in url] == []  # a browser asks late for the icon
    page.close()
    person.look(address.removeprefix(site.server.address), shot="by_link_with_bundle")
