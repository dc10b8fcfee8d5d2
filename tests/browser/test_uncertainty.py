"""How well a report is known is read on a wide screen and on a telephone, and tried out."""

import re

import pytest
from playwright.sync_api import expect
from tests.browser.site import keep_shot, refuse_sideways, refuse_violations
from tests.given import inputs
from tests.given.uncertain_claims import uncertain_claims


@pytest.fixture
def reported(account):
    """The page of a report over two months that were weighed on one scale, and that of its first batch."""
    claims, _ = uncertain_claims(account.caller(), account.drain, 10, 20, reading="0.1")
    home = f"/projects/{claims.plant.project['id']}"
    return f"{home}/reports/{claims.report(10, 20)['id']}", f"{home}/batches/{claims.batch()}"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_reader_goes_from_the_interval_to_what_is_material(person, reported, width):
    report, batch = reported
    with person.at(report, width=width) as page:
        page.get_by_role("link", name="Materiality").click()
        page.get_by_role("textbox", name="Threshold").fill("500 kg")
        page.get_by_role("button", name="Show effects").click()
        expect(page.get_by_text("reaches it")).to_have_count(2)
        refuse_sideways(page, width)
        refuse_violations(page)
        page.goto(batch)
        page.get_by_role("link", name="What would halve it").click()
        page.get_by_text("Effects one by one").wait_for()
        refuse_sideways(page, width)
        refuse_violations(page)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_verifier_by_link_sees_trials_and_sets_a_threshold(account, site, reported, width):
    api, report = account.caller(), reported[0].rpartition("/")[2]
    api.post(f"/reports/{report}/uncertainty_runs", {"uncertainty_run": {"trials": 5000}}).expect(202)
    account.drain()
    made = api.post(f"/reports/{report}/links", {"link": {"name": "Verifier"}}).expect(201).body
    with site.page(width=width) as page:
        page.goto(made["url"].replace("/api/v1/", "/"))
        trials = page.get_by_role("region", name="Newest trials")
        trials.get_by_role("cell", name="Trials, shortest interval").wait_for()
        page.get_by_role("textbox", name="Threshold").fill("500 kg")
        page.get_by_role("button", name="Show effects").click()
        page.get_by_text("1 effect moves the total by 0.59").wait_for()
        refuse_sideways(page, width)
        refuse_violations(page)
        keep_shot(page, f"uncertainty-by-link-{width}")


def test_the_certificate_of_a_calibration_is_taken_from_its_event(account, person):
    api = account.caller()
    claims, _ = uncertain_claims(api, account.drain)
    home = f"/projects/{claims.plant.project['id']}"
    event = inputs.measure(claims.plant, "delivery", {"mass": 1}, "2025-01-10")
    api.upload(f"/events/{event}/evidence", "D-K-7.txt", b"k = 2\n").expect(201)
    with person.at(f"{home}/events/{event}", width=390) as page:
        page.get_by_role("link", name="certificate of a new calibration").click()
        chosen = page.get_by_label("Certificate").locator("option:checked")
        expect(chosen).to_have_text("D-K-7.txt, of delivery on 2025-01-10")
        refuse_sideways(page, 390)
        refuse_violations(page)
        page.locator('[name="name"]').fill("D-K-7")
        page.get_by_label("Event type", exact=True).select_option(label="delivery")
        page.get_by_label("Data point", exact=True).fill("mass")
        page.get_by_label("Valid from").fill("2025-01-01T00:00")
        page.locator('[name="uncertainty.half_width"]').fill("40")
        page.locator('[name="uncertainty.coverage_factor"]').fill("2")
        page.get_by_role("button", name="Create calibration", exact=True).click()
        page.get_by_text("Calibration created.").wait_for()
    [made] = api.get(f"{home}/calibrations", {"filter[name]": "D-K-7"}).data
    assert made["evidence"]["name"] == "D-K-7.txt"


def test_a_calibration_brings_the_file_of_its_certificate(account, person):
    api = account.caller()
    claims, _ = uncertain_claims(api, account.drain)
    home = f"/projects/{claims.plant.project['id']}"
    inputs.measure(claims.plant, "delivery", {"mass": 1}, "2025-01-10")
    with person.at(f"{home}/calibrations/new") as page:
        page.locator('[name="name"]').fill("D-K-8")
        page.get_by_label("Event type", exact=True).select_option(label="delivery")
        page.get_by_label("Data point", exact=True).fill("mass")
        page.get_by_label("Valid from").fill("2025-01-01T00:00")
        page.locator('[name="uncertainty.half_width"]').fill("40")
        page.locator('[name="uncertainty.coverage_factor"]').fill("2")
        certificate = {"name": "D-K-8.txt", "mimeType": "text/plain", "buffer": b"k = 2"}
        page.get_by_label("File of the certificate").set_input_files(certificate)
        page.get_by_role("button", name="Create calibration with this file").click()
        page.get_by_text("Calibration created.").wait_for()
    [made] = api.get(f"{home}/calibrations", {"filter[name]": "D-K-8"}).data
    assert made["evidence"]["name"] == "D-K-8.txt"


WAYS = [pytest.param(1280, True, id="desk"), pytest.param(390, False, id="phone-without-scripts")]


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_trials_of_a_report_are_run_and_their_distribution_seen(account, person, reported, width, javascript):
    report, _ = reported
    with person.at(report, width=width, javascript=javascript) as page:
        trials = page.get_by_role("region", name="Newest trials")
        page.get_by_label("Trials", exact=True).fill("20,000")
        page.get_by_role("button", name="Run trials").click()
        trials.get_by_text("0 of 20,000 trials are computed").wait_for()
        account.drain()
        if not javascript:
            page.goto(report)

        trials.get_by_role("img", name=re.compile("^Distribution of 20,000 trials")).wait_for()
        trials.get_by_role("cell", name="Trials, shortest interval").wait_for()
        for colours in ("light", "dark") if javascript else ():
            page.emulate_media(color_scheme=colours)
            for each in (390, 1280):
                page.set_viewport_size({"width": each, "height": 900})
                refuse_sideways(page, each)
                refuse_violations(page)
                keep_shot(page, f"trials-of-a-report-{each}-{colours}")
