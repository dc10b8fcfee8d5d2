"""The bundle of a report: what stands in it, and that it is found right. Seed, Report operations."""

import io
import zipfile

import pytest
from tests.given import accounting, bundles, reports, rule_evaluation

MASS_AND_POWER = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: sum}
    unit: kWh
    output: true
"""


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def test_a_bundle_that_was_made_is_found_right(account, claims):
    made = bundles.bundle(account, claims.report(4, "2.5"))

    checked = made.check()

    assert [fault.text for fault in checked.faults.listed] == []
    assert checked.recomputed.batches == 2
    assert checked.vouched.head is not None


def test_equal_content_gives_equal_bytes(account, claims):
    draft = claims.report(4)

    assert bundles.bundle(account, draft).content == bundles.bundle(account, draft).content


def test_any_program_that_reads_zip_files_reads_a_bundle(account, claims):
    made = bundles.bundle(account, claims.report(4))

    with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
    assert names == sorted(names)
    assert {"report.html", "SHA256SUMS", "SHA256SUMS.sig", "events/delivery.csv"} < set(names)


def test_a_value_that_was_corrected_twice_is_explained_for_the_batch_before_and_the_one_after(
    account, api, drain
):
    plant = accounting.plant(api, drain, MASS_AND_POWER, primary_output="power", unit="kWh")
    plant.deliver(10)
    bill = api.get(f"/projects/{plant.project['id']}/events/{plant.bill(5)}").body
    for read_again in (7, 9):
        rule_evaluation.correct(api, plant.project, bill, read_again)
        assert plant.finish()["state"] == "complete"

    made = bundles.bundle(account, bundles.report_of(api, plant.ledger))

    with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
        rows = archive.read("events/bill.csv").decode().splitlines()[1:]
    assert [row.rpartition(",")[2] for row in rows] == ["7", "9"]
    assert made.faults() == []
