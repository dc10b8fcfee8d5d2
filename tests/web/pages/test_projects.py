"""A new project begins empty, or with the event types, models and ledgers of a package."""

import re
from pathlib import Path

import pytest
from tests.given import packages
from tests.given.forms import typed_in
from tests.given.people import visitor

from weighbridge.packages.reading import read_package

TUTORIAL = Path(__file__).parents[3] / "docs" / "tutorial" / "first-batch.md"


def created(answer):
    return answer.expect(303).headers["location"].rpartition("/")[2]


@pytest.mark.parametrize("name", ["stored-carbon", "biochar-plant"])
def test_a_project_begins_with_what_its_package_says(api, account, name):
    package, person = read_package(packages.shipped(name)), visitor(account)

    project = created(
        person.post("/projects", {"name": "North", "time_zone": "Asia/Kolkata", "package": f"library:{name}"})
    )

    home = f"/projects/{project}"
    assert api.get(home).body["time_zone"] == "Asia/Kolkata"
    types = {one["name"] for one in api.get(f"{home}/event_types").data}
    assert types == {one.record.name for one in package.event_types}
    ledgers = api.get(f"{home}/ledgers", {"sort": "id"}).data
    assert [(one["name"], one["unit"]) for one in ledgers] == [
        (one.record.name, one.record.unit) for one in package.ledgers
    ]
    assert all(one["latest_model"] for one in ledgers)


def test_the_package_of_the_tutorial_counts_a_first_delivery(api, account):
    person = visitor(account)
    project = created(person.post("/projects", {"name": "North", "package": "library:stored-carbon"}))
    home = f"/projects/{project}"
    api.post(f"{home}/feedstocks", {"feedstock": {"name": "Wood"}}).expect(201)
    delivery = {
        "event_type": "biochar-delivery", "start_time": "2025-01-08T09:30:00Z",
        "feedstock_id": api.get(f"{home}/feedstocks").data[0]["id"],
        "data_points": [{"slug": "dry-mass", "value": 1}, {"slug": "carbon-content", "value": 100}],
    }  # fmt: skip
    api.post(f"{home}/events", {"events": [delivery]}).expect(201)
    [ledger] = api.get(f"{home}/ledgers").data

    times = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
    api.post(f"/ledgers/{ledger['id']}/batch_generations", times).expect(202)
    account.drain()

    assert str(api.get(f"/ledgers/{ledger['id']}").body["balance"]) == "3.664446"


def test_a_refused_project_leaves_nothing_behind_and_keeps_what_was_typed(api, account):
    person = visitor(account)

    refused = person.post(
        "/projects", {"name": "North", "time_zone": "Berlin", "package": "library:biochar-plant"}
    ).expect(422)

    assert "write &#39;Europe/Berlin&#39; if that is meant" in refused.text
    assert re.search(r'value="library:biochar-plant" checked', refused.text)
    assert api.get("/projects").data == []


@pytest.mark.parametrize("choice", ["biochar-plant", "../biochar-plant", "elsewhere:biochar-plant"])
def test_a_choice_of_no_package_is_refused(api, account, choice):
    refused = visitor(account).post("/projects", {"name": "North", "package": choice}).expect(422)

    assert "package must be empty, or library: and the name of a package" in refused.text
    assert api.get("/projects").data == []


def test_a_project_is_changed_by_its_form(api, account):
    person = visitor(account)
    project = created(person.post("/projects", {"name": "North", "time_zone": "UTC"}))
    edit = f"/projects/{project}/edit"

    typed = typed_in(person.get(edit).expect(200), edit)
    person.post(edit, {**typed, "name": "South", "time_zone": "Asia/Kolkata", "status": "archived"}).expect(
        303
    )
    refused = person.post(edit, {**typed, "name": "", "time_zone": "Kolkata"}).expect(422).text

    found = api.get(f"/projects/{project}").body
    assert (found["name"], found["time_zone"], found["status"]) == ("South", "Asia/Kolkata", "archived")
    assert "write &#39;Asia/Kolkata&#39; if that is meant" in refused
    assert visitor(account, "data_collection:read").get(edit).status == 403


def test_packages_are_offered_to_those_who_may_install_them(account):
    shown = visitor(account).get("/projects").expect(200).text
    assert "Biochar plant 1.0.0" in shown
    assert "some of its factors are assumed" in shown

    lesser = visitor(account, "administration:read", "administration:write").get("/projects").expect(200).text
    assert "Create project" in lesser
    assert "Biochar plant" not in lesser
