"""A new project begins empty, or with the event types, models and ledgers of a template."""

import re
from pathlib import Path

import pytest
from tests.given.forms import typed_in
from tests.given.people import visitor

from weighbridge.project_templates import TEMPLATES, read_model, read_template

TUTORIAL = Path(__file__).parents[3] / "docs" / "tutorial" / "first-batch.md"


def created(answer):
    return answer.expect(303).headers["location"].rpartition("/")[2]


@pytest.mark.parametrize("slug", TEMPLATES)
def test_a_template_brings_what_it_says(api, account, slug):
    template, person = read_template(slug), visitor(account)

    project = created(
        person.post("/projects", {"name": "North", "time_zone": "Asia/Kolkata", "template": slug})
    )

    home = f"/projects/{project}"
    assert api.get(home).body["time_zone"] == "Asia/Kolkata"
    types = [one["name"] for one in api.get(f"{home}/event_types", {"sort": "id"}).data]
    assert types == [one["name"] for one in template.event_types]
    ledgers = api.get(f"{home}/ledgers", {"sort": "id"}).data
    assert [(one["name"], one["unit"]) for one in ledgers] == [
        (one.name, one.unit) for one in template.ledgers
    ]
    assert all(one["latest_model"] for one in ledgers)


def test_the_template_of_the_tutorial_counts_a_first_delivery(api, account):
    person = visitor(account)
    project = created(person.post("/projects", {"name": "North", "template": "stored-carbon"}))
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
        "/projects", {"name": "North", "time_zone": "Berlin", "template": "biochar"}
    ).expect(422)

    assert "write &#39;Europe/Berlin&#39; if that is meant" in refused.text
    assert re.search(r'value="biochar" checked', refused.text)
    assert api.get("/projects").data == []


def test_an_unknown_template_is_refused(account):
    refused = visitor(account).post("/projects", {"name": "North", "template": "../biochar"}).expect(422)

    assert "template must be empty or one of stored-carbon, biochar" in refused.text


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


def test_templates_are_offered_to_those_who_may_make_all_of_them(account):
    shown = visitor(account).get("/projects").expect(200).text
    assert "Biochar plant" in shown
    assert "7 event types, 3 models and 3 ledgers" in shown

    lesser = visitor(account, "administration:read", "administration:write").get("/projects").expect(200).text
    assert "Create project" in lesser
    assert "Biochar plant" not in lesser


def test_the_model_of_the_tutorial_is_that_of_its_template():
    [document] = re.findall(
        r"cat > stored-carbon.yaml <<'YAML'\n(.*?)YAML\n", TUTORIAL.read_text(), re.DOTALL
    )

    assert document == read_model("stored-carbon.yaml")
