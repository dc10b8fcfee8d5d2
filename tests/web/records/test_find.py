"""Search: records are found by parts of their names, and events by the beginning of their tracking ids."""

import re

import pytest
from tests.given import accounting as given_accounting
from tests.given.people import visitor


@pytest.fixture
def reader(account):
    return visitor(account)


@pytest.fixture
def plant(api, account):
    return given_accounting.plant(api, account.drain)


def found(reader, plant, words):
    """The tracking ids of the events that a search finds, in its order."""
    shown = reader.get(f"/projects/{plant.project['id']}/find?q={words}").expect(200).text
    return re.findall(r'href="/open/evt_[0-9a-f]+">[^<]*(LORRY-\d+)', shown)


def test_events_are_found_by_the_beginning_of_their_tracking_id(plant, reader):
    for day, name in enumerate(("LORRY-001", "LORRY-002", "LORRY-002", "LORRY-010", "TANK-001"), start=1):
        plant.deliver(10, day, tracking_id=name)

    assert found(reader, plant, "LORRY-0") == ["LORRY-001", "LORRY-002", "LORRY-010"]
    assert found(reader, plant, "lorry-00") == ["LORRY-001", "LORRY-002"]
    assert found(reader, plant, "ORRY") == []
    assert found(reader, plant, "L") == []


def test_what_is_typed_is_no_pattern(plant, reader):
    plant.deliver(10, tracking_id="LORRY-001")

    for words in ("LORRY_0", "LORRY%25", "%25%25", "LORRY-001%27"):
        assert found(reader, plant, words) == []


def test_events_of_another_project_are_not_found(plant, reader, api, account):
    other = given_accounting.plant(api, account.drain)
    other.deliver(10, tracking_id="LORRY-001")

    assert found(reader, plant, "LORRY-0") == []
