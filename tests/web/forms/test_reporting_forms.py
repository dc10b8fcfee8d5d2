"""Registries and methodologies are made and changed by forms, as the interface makes and changes them."""

import re

import pytest
from tests.given import accounting as given_accounting
from tests.given.forms import typed_in
from tests.given.people import visitor


@pytest.fixture
def person(account):
    return visitor(account)


def place(answer):
    """Where a form leads that did its work."""
    return answer.expect(303).headers["location"]


REGISTRY = {
    "name": "Registry of removals", "adapter": "http", "address": "https://registry.example/submissions",
    "headers[0].name": "Authorization", "headers[0].value": "Bearer secret", "timeout_seconds": "60",
}  # fmt: skip


def test_a_registry_is_made_and_changed_and_never_shows_its_secrets(api, person):
    made = place(person.post("/registries/new", REGISTRY))

    [registry] = api.get("/registries").data
    assert made == f"/registries/{registry['id']}"
    assert (registry["secret_headers"], registry["timeout_seconds"]) == (["Authorization"], 60)
    page = person.get(f"{made}/edit").expect(200)
    assert "Bearer secret" not in page.text
    assert 'value="https://registry.example/submissions"' in page.text

    person.post(f"{made}/edit", {**typed_in(page, f"{made}/edit"), "tries": "3"}).expect(303)

    assert api.get(f"/registries/{registry['id']}").body["tries"] == 3


def test_another_address_asks_for_the_secrets_again(api, person):
    made = place(person.post("/registries/new", REGISTRY))
    page = person.get(f"{made}/edit").expect(200)
    elsewhere = {**typed_in(page, f"{made}/edit"), "address": "https://elsewhere.example/x"}

    refused = person.post(f"{made}/edit", elsewhere).expect(422).text

    assert "headers" in refused
    assert 'value="https://elsewhere.example/x"' in refused
    assert api.get("/registries").data[0]["address"] == "https://registry.example/submissions"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": ""}, "name"),
        ({"address": ""}, "address"),
        ({"timeout_seconds": "1.5"}, "Timeout"),
        ({"tries": "21"}, "tries"),
        ({"headers[1].name": "Authorization", "headers[1].value": "x"}, "have Authorization several times"),
    ],
)
def test_what_is_wrong_with_a_registry_is_said_and_kept(api, person, change, sentence):
    refused = person.post("/registries/new", {**REGISTRY, **change}).expect(422).text

    assert sentence in re.search(r'class="problems".*?</div>', refused, re.DOTALL)[0]
    assert api.get("/registries").data == []


METHODOLOGY = {
    "name": "Biochar carbon removal", "version": "2.1", "report_type": "quarterly", "other_versions": "note",
    "requires_evidence": "yes", "measured_share_min": "0.9",
    "mapping.written": "json", "mapping.format": "json",
    "mapping.template": '{"tonnes": {"$value": "report.amount"}, "share": 0.10}',
}  # fmt: skip


def test_a_methodology_is_made_with_its_models_registry_and_mapping(account, api, person):
    plant = given_accounting.plant(api, account.drain)
    registry = place(person.post("/registries/new", REGISTRY)).rpartition("/")[2]
    home = f"/projects/{plant.project['id']}"
    typed = {
        **METHODOLOGY, "registry_id": registry,
        "models[0].model_id": plant.model["id"], "models[0].versions": "1",
    }  # fmt: skip

    made = place(person.post(f"{home}/methodologies/new", typed))

    assert made.startswith(f"{home}/methodologies/")
    found = api.get(f"/methodologies/{made.rpartition('/')[2]}").body
    assert (found["other_versions"], str(found["measured_share_min"])) == ("note", "0.9")
    assert found["submission_requirements"] == ["evidence"]
    assert [(model["name"], model["versions"]) for model in found["models"]] == [(plant.model["name"], [1])]
    assert found["registry_id"] == int(registry)
    assert found["mapping"]["template"]["tonnes"] == {"$value": "report.amount"}
    assert str(found["mapping"]["template"]["share"]) == "0.10"
    assert person.get(made).expect(200)
    assert "POST /api/v1/methodologies" in person.get(f"{home}/methodologies/new").expect(200).text


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"mapping.template": "{"}, "template must be JSON"),
        ({"mapping.template": '{"a": {"$value": "report.weight"}}'}, "report.weight"),
        ({"measured_share_min": "2"}, "measured_share_min"),
        (
            {"models[0].model_id": "mod_000000000000000000000000", "models[0].versions": "one"},
            "whole numbers",
        ),
        ({"registry_id": "7; DROP"}, "registry"),
    ],
)
def test_what_is_wrong_with_a_methodology_is_said_and_kept(api, person, change, sentence):
    refused = person.post("/methodologies/new", {**METHODOLOGY, **change}).expect(422).text

    assert sentence in re.search(r'class="problems".*?</div>', refused, re.DOTALL)[0]
    assert 'value="Biochar carbon removal"' in refused
    assert api.get("/methodologies").data == []


def test_somebody_who_may_only_read_sees_no_form(account):
    reader = visitor(account, "production_accounting:read")

    assert "New methodology" not in reader.get("/methodologies").expect(200).text
    assert reader.get("/registries/new").status == 403
    assert reader.post("/registries/new", REGISTRY).status == 403
