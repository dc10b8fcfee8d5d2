"""Readings that several inputs share are recomputed with one error each, of what was stated then."""

import pytest
from tests.given import uncertain
from tests.given.shared_readings import ALL_WAYS
from tests.verification.conftest import Books


def _made(server):
    head = "uncertainty: {coverage_probability: 0.95}\n"
    return uncertain.list_batches(uncertain.told(server.account(), ALL_WAYS, head=head))


@pytest.fixture(scope="module")
def making():
    return _made


def test_batches_of_readings_that_inputs_share_are_recomputed(books: Books):
    assert len(books.batches) > 6
    assert books.violations() == {}
