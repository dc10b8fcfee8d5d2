"""POST /events/{event_id}/evidence: a link."""

import pytest
from tests.given import collection as given


def link(url="https://example.org/tickets/4711", name="Ticket 4711", **fields):
    return {"evidence": {"type": "url", "url": url, "name": name} | fields}


def test_a_link_is_attached_as_it_was_sent(api, path):
    made = api.post(path, link()).expect(201).body

    assert made == {
        "id": made["id"],
        "type": "url",
        "url": "https://example.org/tickets/4711",
        "name": "Ticket 4711",
    }
    assert isinstance(made["id"], int)


def test_the_name_of_a_link_keeps_its_slashes_and_loses_the_spaces_around_it(api, path):
    assert api.post(path, link(name=" Ticket 4711/2025 ")).expect(201).body["name"] == "Ticket 4711/2025"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://example.org/x",
        "http://user:pw@example.org/",
        "https:///x",
    ],
)
def test_a_link_that_is_not_plain_http_is_refused(api, path, place, url):
    error = api.post(path, link(url)).expect(422).error

    assert (error["field"], error["code"]) == ("url", "invalid")
    assert api.get(place).data == []


def test_everything_that_is_wrong_with_a_link_is_said_at_once(api, path):
    errors = api.post(path, link("ftp://x", "a\nb", type="file")).expect(422).errors

    assert [error["field"] for error in errors] == ["type", "name", "url"]
    assert "a file is sent as multipart/form-data" in errors[0]["message"]


@pytest.mark.parametrize("missing", ["type", "url", "name"])
def test_a_link_says_all_three(api, path, missing):
    body = link()
    del body["evidence"][missing]

    assert api.post(path, body).expect(400).error["field"] == f"{missing}"


def test_another_content_type_is_refused_with_both_that_are_taken(api, path):
    refused = api.send("POST", path, content=b"%PDF", headers={"content-type": "application/pdf"}).expect(415)

    assert "takes application/json or multipart/form-data" in refused.error["message"]


@pytest.mark.parametrize("event", ["evt_000000000000000000000000", "evt_1", "1", ".%20."])
def test_an_unknown_event_is_not_found(api, event):
    assert api.post(f"/events/{event}/evidence", link()).expect(404).error["message"] == "record not found"


def test_the_id_of_a_data_point_is_not_the_id_of_its_event(api, event):
    disguised = event["data_points"][0]["id"].replace("in_", "evt_")

    api.post(f"/events/{disguised}/evidence", link()).expect(404)


def test_a_voided_event_takes_no_evidence(api, path, project, sql):
    sql("UPDATE events SET voided_at = now() WHERE project_id = %s", project["numeric_id"])

    api.post(path, link()).expect(404)


def test_an_event_has_room_for_a_hundred_files_and_links_also_when_they_come_at_once(api, server, path):
    for number in range(98):
        api.post(path, link(name=f"Ticket {number}")).expect(201)

    answers = server.together(lambda: api.post(path, link()), 5)

    assert sorted(answer.status for answer in answers) == [201, 201, 422, 422, 422]
    refused = next(answer for answer in answers if answer.status == 422)
    assert "has 100 files and links" in refused.error["message"]


def test_the_audit_names_who_attached_what(api, account, path, event, sql):
    made = api.post(path, link()).expect(201).body

    assert sql(
        "SELECT action, object, user_id, after FROM audit_log WHERE account_id = %s ORDER BY id DESC LIMIT 1",
        account.id,
    ) == [("evidence.create", f"evidence {made['id']} of {event['id']}", account.actor.user_id, made)]


def test_a_repeated_request_with_a_key_attaches_once(api, path, place):
    body = b'{"evidence": {"type": "url", "url": "https://example.org", "name": "Report"}}'

    first, second = (
        api.send("POST", path, content=body, headers={"idempotency-key": "ticket-4711"}).expect(201)
        for _ in range(2)
    )

    assert first.body == second.body
    assert api.get(place).data == [first.body]


def test_evidence_of_one_event_is_not_that_of_its_neighbour(api, project, path):
    other = given.event(api, project, values={"mass": 1})
    api.post(path, link()).expect(201)

    assert api.get(f"/projects/{project['id']}/events/{other['id']}/evidences").data == []


def test_the_type_of_a_link_may_be_called_evidence_type(api, path):
    sent = {"evidence": {"evidence_type": "url", "url": "https://example.org/a", "name": "A"}}
    both = link(evidence_type="url")

    made = [api.post(path, body).expect(201).body["type"] for body in (sent, both)]
    error = api.post(path, link(evidence_type="file")).expect(422).error

    assert made == ["url", "url"]
    assert (error["field"], error["code"]) == ("evidence_type", "invalid")
