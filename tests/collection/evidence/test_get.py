"""GET /projects/{project_id}/events/{event_id}/evidences/{evidence_id}."""

from urllib.parse import unquote

import pytest
from tests.collection.evidence import files
from tests.given import collection as given


@pytest.fixture
def evidence(api, path):
    return api.upload(path, "Ticket.pdf", files.PDF).expect(201).body


def test_evidence_is_found_as_it_was_answered(api, place, evidence):
    assert api.get(f"{place}/{evidence['id']}").expect(200).body == evidence


def test_the_projects_number_leads_to_it_too(api, project, event, evidence):
    path = f"/projects/{project['numeric_id']}/events/{event['id']}/evidences/{evidence['id']}"

    assert api.get(path).expect(200).body == evidence


@pytest.mark.parametrize(
    "number", ["0", "-1", "2147483647", "2147483648", "99999999999", "x", "1.0", "%20", "\u0661"]
)
@pytest.mark.usefixtures("evidence")
def test_unknown_evidence_is_not_found(api, place, number):
    api.get(f"{place}/{number}").expect_not_found("evidence", unquote(number))
    api.get(f"{place}/{number}/file").expect_not_found("evidence", unquote(number))


def test_evidence_is_not_found_below_another_event_or_project(api, project, event, evidence):
    neighbour = given.event(api, project, values={"mass": 1})
    other = given.measuring(api, given.number("mass"))
    elsewhere = given.event(api, other, values={"mass": 1})

    for place in (
        f"/projects/{project['id']}/events/{neighbour['id']}",
        f"/projects/{other['id']}/events/{event['id']}",
        f"/projects/{other['id']}/events/{elsewhere['id']}",
    ):
        api.get(f"{place}/evidences/{evidence['id']}").expect(404)
        api.get(f"{place}/evidences/{evidence['id']}/file").expect(404)


def test_evidence_of_a_voided_event_is_not_found(api, project, place, evidence, sql):
    sql("UPDATE events SET voided_at = now() WHERE project_id = %s", project["numeric_id"])

    for path in (place, f"{place}/{evidence['id']}", f"{place}/{evidence['id']}/file"):
        api.get(path).expect(404)
