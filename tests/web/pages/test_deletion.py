"""Batches are deleted by people who see first what would come of it, and who say why."""

import re
from html import unescape

import pytest
from tests.given import accounting as given_accounting
from tests.given import chain
from tests.given.people import visitor


@pytest.fixture
def reader(account):
    return visitor(account)


@pytest.fixture
def links(api, account):
    """A stock of 10 t, of which the production of January drew 8 t."""
    first = chain.inventory(api, account.drain)
    first.deliver(10)
    first.generate()
    second = chain.link(first)
    chain.produce(second, 4)
    second.generate()
    return first, second


def home(plant):
    return f"/projects/{plant.project['id']}"


def address(plant, number=0):
    return f"{home(plant)}/batches/{plant.batches()[number]['id']}/delete"


def words(answer):
    text = answer.expect(200).text.split("<main", 1)[1]
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text)))


def test_what_a_deletion_gives_back_is_shown_and_nothing_changes_yet(links, reader):
    first, second = links

    shown = words(reader.get(address(second)))

    assert "2025-01: 2 → 10 remaining" in shown
    assert len(second.batches()) == 1
    assert chain.balances(first) == {"2025-01": 2}


def test_a_deletion_needs_a_reason_which_stays_in_the_audit_log(links, account, api, reader):
    first, second = links
    path = address(second)
    reader.get(path)
    refused = reader.post(path, {"reason": " "})
    assert refused.status == 422
    assert "Reason must not be empty" in refused.text

    moved = reader.post(path, {"reason": "made by mistake"}).expect(303).headers["location"]
    account.drain()

    assert "complete" in words(reader.get(moved))
    assert second.batches() == []
    assert chain.balances(first) == {"2025-01": 10}
    [row] = [one for one in api.get("/audit_log").data if one["action"] == "batch_deletion.start"]
    assert row["after"]["args"]["reason"] == "made by mistake"


def test_what_is_drawn_stands_in_the_way_and_can_be_deleted_with_it(links, account, reader):
    first, second = links
    path = address(first)
    drawing = second.batches()[0]["id"]

    shown = reader.get(path)
    assert "is drawn by" in words(shown)
    assert "Delete this batch as well" in words(shown)
    assert "Impact" in words(reader.get(f"{path}?with={drawing}"))
    reader.post(path, {"reason": "start again", "with": drawing}).expect(303)
    account.drain()

    assert first.batches() == second.batches() == []


def test_who_may_only_read_deletes_nothing(links, account):
    first, _ = links
    reader = visitor(account, "production_accounting:read")

    assert "/delete" not in reader.get(address(first).removesuffix("/delete")).expect(200).text
    reader.get(address(first)).expect(403)
    reader.post(address(first), {"reason": "x"}).expect(403)


def test_a_run_that_fell_says_what_would_stand_above_it(api, account, reader):
    plant = given_accounting.plant(api, account.drain)
    event = plant.deliver(10)
    plant.generate()
    point = api.get(f"{home(plant)}/events/{event}").body["data_points"][0]["id"]
    change = {"data_point": {"value": 6, "reason": "weighed again"}}
    api.patch(f"{home(plant)}/data_points/{point}", change).expect(200)
    plant.generate()

    shown = words(reader.get(address(plant, 1)))

    assert "was last calculated as 6; the remaining batches of its calculation total 10" in shown
