"""What is sent beside removals: applications of biochar, project components, evidence that is a link."""

import pytest
from tests.given.certified import BUILDING, TRUCK, certified_plant
from tests.given.certify import EMITTED, FIELD, certify

LINK = "https://plant.example/tickets/17?page=2"
SECOND_SITE = "slc_1CERTIFYTERRACE0"


@pytest.fixture
def double():
    with certify(page_size=25) as listening:
        yield listening


@pytest.fixture
def plant(api, drain, double):
    return certified_plant(api, drain, double.address)


def applications(plant):
    query = {"filter[slug]": "biochar-application", "sort": "start_time"}
    return plant.api.get(f"{plant.installed.home}/events", query).expect(200).data


def refuse(plant):
    """Why a draft of the first batches is not submitted."""
    draft = plant.draft(2)
    answer = plant.api.post(f"/reports/{draft['id']}/submit", {"registry_id": plant.registry["id"]})
    return " ".join(one["message"] for one in answer.expect(422).errors)


def test_an_application_names_its_truck_its_place_and_the_production_batch_that_it_is_of(plant, double):
    spread = applications(plant)[0]
    upload = f"/events/{spread['id']}/evidence"
    plant.api.upload(upload, "field.pdf", b"%PDF-1.4\n%%EOF\n").expect(201)
    plant.map()

    found = plant.submit(plant.draft())

    assert found["status"] == "submitted", found["history"]
    assert plant.statement(found)["findings"] == []
    first = double.all("application")[0]
    assert (first["application_date"], first["storage_location_id"]) == ("2025-01-24", FIELD)
    assert float(first["truck_mass_on_arrival"]["magnitude"]) == 1000 * (TRUCK + 1.2)
    assert float(first["truck_mass_on_departure"]["magnitude"]) == 1000 * TRUCK
    assert first["average_application_rate"]["unit"] == "t/ha"
    names = {one["id"]: one["display_name"] for one in double.all("production_batch")}
    assert [names[one["production_batch_id"]] for one in double.all("application")] == [
        "2025-01 Forest residues", "2025-01 Forest residues", "2025-01 Rice husk", "2025-02 Forest residues",
        "2025-02 Rice husk", "2025-03 Forest residues", "2025-03 Rice husk",
    ]  # fmt: skip
    [sent] = [body for _, path, body in double.journal if path == "/biochar_applications"][:1]
    [source] = double.all("source")
    assert sent["source_ids"] == [source["id"]]


def test_an_application_at_a_mapped_location_is_stored_there(api, drain, double):
    def spread_on_the_terrace(plant):
        body = {"location": {"name": "Terrace", "lat": 10, "long": 76}}
        terrace = plant.api.post(f"{plant.installed.home}/locations", body).expect(201).body
        change = {"event": {"locations": [{"id": terrace["id"]}]}}
        path = f"{plant.installed.home}/events/{applications(plant)[0]['id']}"
        plant.api.patch(path, change).expect(200)
        there.append({"location_id": terrace["id"], "storage_location": {"id": SECOND_SITE}})

    there = []
    plant = certified_plant(api, drain, double.address, spread_on_the_terrace)
    plant.map(locations=there)

    plant.submit(plant.draft(2))

    assert [one["storage_location_id"] for one in double.all("application")] == [SECOND_SITE, FIELD, FIELD]


def test_an_application_without_a_place_or_a_rate_is_said_before_anything_is_sent(plant, double):
    contents = plant.contents()["applications"]
    rate = {"data_point": "moisture", "unit": "t/ha", "own_unit": "t/ha"}
    plant.map(applications={**contents, "storage_location": None, "rate": rate})

    message = refuse(plant)

    assert "is at no storage location of the registry." in message
    assert "cannot be sent in t/ha" in message
    assert double.journal == []


def test_applications_without_production_batches_are_no_mapping(plant):
    body = {
        "registry_id": plant.registry["id"], "ledger_id": plant.ledger["id"],
        "contents": plant.contents(production_batches=None),
    }  # fmt: skip

    answer = plant.api.post(f"{plant.installed.home}/registry_mappings", {"registry_mapping": body})

    assert answer.expect(422).errors[0]["field"] == "contents.production_batches"


def test_a_component_of_the_project_is_sent_with_its_strategy_its_time_and_its_static_input(plant, double):
    plant.map()

    plant.submit(plant.draft(2))

    [made] = double.all("component")

    assert (made["allocation_strategy"], made["blueprint_key"]) == ("ESTIMATED_PROJECT_LIFETIME", "emission")
    assert made["activity_started_at"] == "2024-03-01T00:00:00Z"
    [given] = made["inputs"]
    building = double.records["datapoint"][given["datapoint_id"]]
    assert (float(building["quantity"]["magnitude"]), building["type"]) == (125_000, "ASSUMPTION")


def test_a_component_that_says_something_else_now_is_a_finding_and_not_a_second_one(plant, double):
    mapping = plant.map()
    plant.submit(plant.draft(1))
    later = BUILDING | {"value": 130_000, "effective_from": "2024-06-01T00:00:00Z"}
    plant.api.post(f"{plant.installed.home}/static_inputs", {"static_input": later}).expect(201)
    contents = plant.contents()
    contents["project_components"][0]["allocation_strategy"] = "MANUAL"
    path = f"{plant.installed.home}/registry_mappings/{mapping['id']}"
    plant.api.patch(path, {"registry_mapping": {"contents": contents}}).expect(200)
    batches = plant.api.get(f"/ledgers/{plant.ledger['id']}/batches", {"sort": "start_time"}).data
    double.records["statement"].clear()
    double.records["removal"].clear()

    report = plant.submit(plant.draft(batch_ids=[batches[1]["id"]]))

    assert report["status"] == "submitted", report["history"]
    assert double.count("/project_components") == 1
    found = {one["field"]: (one["sent"], one["received"]) for one in plant.statement(report)["findings"]}
    assert found["allocation_strategy"] == ("MANUAL", "ESTIMATED_PROJECT_LIFETIME")
    sent, received = found["inputs.co2e"]
    assert sent != received == double.all("component")[0]["inputs"][0]["datapoint_id"]


def test_a_component_whose_input_has_no_value_then_is_said_before_anything_is_sent(plant, double):
    [component] = plant.contents()["project_components"]
    before = {"activity_started_on": "2023-01-01", "activity_completed_on": "2023-12-31"}
    plant.map(project_components=[component | before])

    assert "No value of static input building holds on 2023-12-31." in refuse(plant)
    assert double.journal == []


def test_what_a_component_names_that_the_project_does_not_have_is_refused(plant):
    [component] = plant.contents()["project_components"]
    changed = component | {
        "inputs": [component["inputs"][0] | {"slug": "gone"}],
        "activity_started_on": "2025-01-01",
    }
    body = {"registry_id": plant.registry["id"], "ledger_id": plant.ledger["id"]}
    path = f"{plant.installed.home}/registry_mappings"

    def post(*components):
        contents = plant.contents(project_components=[*components])
        return plant.api.post(path, {"registry_mapping": body | {"contents": contents}}).expect(422).errors

    [late] = post(changed)
    assert late["field"].endswith("project_components[0].activity_completed_on")
    [unknown] = post(changed | {"activity_started_on": "2024-01-01"})
    assert "names static input 'gone'" in unknown["message"]
    [twice] = post(component, component)
    assert "more than once" in twice["message"]


def test_evidence_that_is_a_link_stands_in_the_description_of_what_rests_on_it(plant, double):
    spread = applications(plant)[0]
    body = {"evidence": {"type": "url", "url": LINK, "name": "Weighing ticket 17"}}
    link = plant.api.post(f"/events/{spread['id']}/evidence", body).expect(201).body
    contents = plant.contents()
    contents["components"][1]["inputs"][0]["evidence_ids"] = [link["id"]]
    plant.map(components=contents["components"])

    report = plant.submit(plant.draft(2))

    assert report["status"] == "submitted", report["history"]
    said = [one["description"] for one in double.all("datapoint") if LINK in one["description"]]
    assert len(said) == 3  # both of January's forest residues, and what is mapped to it of the husk
    assert all(text.endswith(f". Evidence: Weighing ticket 17 ({LINK})") for text in said)
    assert double.all("source") == []
    assert {one["id"] for one in contents["components"]} >= {EMITTED}
