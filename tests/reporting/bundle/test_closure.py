"""A bundle has all that belongs to its period, and each event is as it was captured."""

import pytest
from tests.given import closed_bundles
from tests.given.closed_bundles import NOTED


@pytest.fixture(scope="module")
def closed(server):
    """A bundle with all that belongs to a period."""
    return closed_bundles.closed(server.account())


def test_what_belongs_to_the_period_is_there(closed):
    found = closed.check()

    assert [fault.text for fault in found.faults.listed] == []
    assert found.unbound == []
    contents = found.contents
    [late] = contents.late_events.values()
    assert late.start_time.text == "2025-01-06T12:00:00.000Z"
    assert [one.reason for one in contents.outages.values()] == ["Calibration"]
    assert [one.reason for one in contents.findings.values()] == ["A full truck with trailer."]
    page = bytes(contents.parts["report.html"]).decode()
    assert "A full truck with trailer." in page
    assert "2025-01-20T00:00:00.000Z" in page
    assert late.start_time.text in page


def test_an_event_proves_itself_though_others_of_its_request_are_not_there(closed):
    contents = closed.check().contents

    assert [len(hashes) for hashes in contents.write_proof.events.values()] == [1]
    assert NOTED.split("\n")[1] in bytes(contents.parts["captured.txt"]).decode()
