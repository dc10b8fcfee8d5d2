"""Search: records are found by parts of their names, and events by the beginning of their tracking ids."""

import re

import pytest
from tests.given import accounting as given_accounting
from tests.given.feeds import Feeding
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


def named(reader, plant, words):
    """The kinds and names of what a search finds, in its order."""
    shown = reader.get(f"/projects/{plant.project['id']}/find?q={words}").expect(200).text
    return re.findall(r'<tr data-found="([^"]*)"><td class="long"><a href="[^"]*">([^<]*)</a>', shown)


def test_words_are_found_in_any_order_and_those_that_begin_a_word_come_first(plant, reader, api):
    for name in ("Unremoved stock", "Net removal", "Cabinet, remote"):
        api.post(f"/projects/{plant.project['id']}/feedstocks", {"feedstock": {"name": name}}).expect(201)

    assert named(reader, plant, "net+rem") == [
        ("feedstock", "Net removal"),
        ("feedstock", "Cabinet, remote"),
    ]
    assert named(reader, plant, "REM+net")[0] == ("feedstock", "Net removal")
    assert named(reader, plant, "rem") == [
        ("feedstock", "Cabinet, remote"),
        ("feedstock", "Net removal"),
        ("feedstock", "Unremoved stock"),
    ]


def test_a_generation_is_found_by_who_may_generate(plant, reader, account):
    assert named(reader, plant, "gen+bat") == [("action", f"Generate batches: {plant.ledger['name']}")]
    shown = reader.get(f"/projects/{plant.project['id']}/find?q=gen+bat").text
    assert f'href="/projects/{plant.project["id"]}/ledgers/{plant.ledger["id"]}/generations"' in shown
    assert named(reader, plant, "enerate") == []
    reads = visitor(account, "data_collection:write", "production_accounting:read")
    assert named(reads, plant, "gen+bat") == []


def test_an_upload_to_a_feed_is_found_by_who_may_upload(reader, account):
    feeding = Feeding(account)
    feed = feeding.feed(name="Weighing")

    shown = reader.get(f"{feeding.path}/find?q=upl").expect(200).text

    assert f'<a href="{feeding.path}/data_feeds/{feed["id"]}">Upload a file: Weighing</a>' in shown
    reads = visitor(account, "data_collection:read")
    assert "data-found" not in reads.get(f"{feeding.path}/find?q=upl").expect(200).text
