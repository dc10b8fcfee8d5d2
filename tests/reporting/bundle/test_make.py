"""The bundle of a report: what stands in it, and that it is found right. Seed, Report operations."""

import io
import zipfile

import pytest
from tests.given import bundles, reports


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
