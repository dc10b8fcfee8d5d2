"""`weighbridge archive verify`: batches anew from the events of an archive."""

from decimal import Decimal

import pytest
from tests.commands.archive.given import correct, forge
from tests.given import accounting

from weighbridge.core import identity


@pytest.mark.usefixtures("deliveries")
def test_batches_are_computed_anew_from_the_archive(write, verify, plant, deliveries, behind):
    plant.generate(accounting.QUARTER)
    write()

    found = verify()

    assert (found["batches"], found["violations"], found["uncovered"], found["outside"]) == (2, [], [], 0)
    # What the database says of the event by now is not asked for.
    behind("UPDATE events SET numbers = '{9}' WHERE id = %s", identity.parse("event", deliveries[2]).key)
    assert verify()["violations"] == []


def test_batches_of_corrected_values_are_computed_anew_as_they_saw_them(write, verify, plant, deliveries):
    plant.generate(accounting.QUARTER)
    correct(plant, deliveries[1], Decimal("2.75"))
    plant.generate(accounting.QUARTER)
    write()

    found = verify()

    assert (found["batches"], found["violations"], found["uncovered"]) == (3, [], [])


def test_a_batch_of_data_that_changed_since_asks_for_another_version(write, verify, plant, deliveries):
    plant.generate(accounting.QUARTER)
    write()
    correct(plant, deliveries[1], Decimal("2.75"))
    plant.generate(accounting.QUARTER)

    found = verify(code=1)

    assert found["violations"] == []
    assert [one.partition(": ")[2] for one in found["uncovered"]] == [
        "it saw events as they were changed later"
    ]
    write()
    assert verify()["uncovered"] == []


@pytest.mark.usefixtures("deliveries")
def test_batches_are_told_whose_events_the_archive_lacks(write, verify, plant):
    plant.generate(accounting.QUARTER)
    write(through="2025-01")

    found = verify()

    assert (found["batches"], found["outside"], found["uncovered"]) == (1, 1, [])


@pytest.mark.usefixtures("deliveries")
def test_a_batch_of_forged_events_does_not_come_to_its_digits(write, verify, place, plant):
    plant.generate(accounting.QUARTER)
    write()
    forge(place, "2025-01", mass="2.6")

    found = verify(code=1)

    assert any("in the batch and" in sentence for sentence in found["violations"])
    assert found["batches"] == 2
