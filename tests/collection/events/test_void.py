"""DELETE /projects/{project_id}/events/{event_id}. Design, Collection: a used event is not deleted; an
unused one is voided and kept for the audit.
"""

from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given import generation as given_generation

MASS = given.number("mass")


def path(project, event):
    return f"/projects/{project['id']}/events/{event['id']}"


def test_a_voided_event_disappears_from_what_is_read(api):
    project = given.measuring(api, MASS)
    event, other = (given.event(api, project, values={"mass": mass}) for mass in (1, 2))

    assert api.delete(path(project, event)).expect(204).text == ""

    api.get(path(project, event)).expect(404)
    assert [one["id"] for one in api.get(f"/projects/{project['id']}/events").data] == [other["id"]]
    assert [one["value"] for one in api.get(f"/projects/{project['id']}/data_points").data] == [2]
    api.get(f"/projects/{project['id']}/data_points/{event['data_points'][0]['id']}").expect(404)
    api.get(f"{path(project, event)}/data_points").expect(404)


def test_a_voided_event_is_kept_for_the_audit(api, account, sql):
    project = given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": 1})

    api.delete(path(project, event)).expect(204)

    assert sql(
        "SELECT numbers[1]::integer, voided_at IS NOT NULL FROM events WHERE project_id = %s",
        project["numeric_id"],
    ) == [(1, True)]
    assert sql(
        """
        SELECT object, before ->> 'id', after FROM audit_log
         WHERE account_id = %s AND action = 'event.void'
        """,
        account.id,
    ) == [(event["id"], event["id"], None)]


def test_an_event_cannot_be_voided_twice(api):
    project = given.measuring(api, MASS)
    event = given.event(api, project)

    api.delete(path(project, event)).expect(204)

    assert api.delete(path(project, event)).expect(404).error["message"] == "record not found"


def test_the_client_reference_of_a_voided_event_stays_taken(api):
    project = given.measuring(api, MASS)
    event = given.event(api, project, client_reference="erp-1")
    api.delete(path(project, event)).expect(204)

    body = {"event": given.event_body(client_reference="erp-1")}
    error = api.post(f"/projects/{project['id']}/events", body).expect(422).error

    assert error["code"] == "taken"


def test_an_event_that_batches_were_made_of_is_refused_with_their_names(api, drain):
    plant = given_accounting.plant(api, drain)
    event = plant.deliver(5)
    plant.generate()
    [batch] = plant.batches()

    error = api.delete(path(plant.project, {"id": event})).expect(422).error

    assert error["code"] == "in_use"
    assert error["message"] == f"The event is part of what was accounted for: {batch['id']}. It stays."
    api.get(path(plant.project, {"id": event})).expect(200)


def test_a_refusal_names_ten_batches_and_counts_the_others(api, drain):
    plant = given_accounting.plant(api, drain, cadence="daily")
    event = plant.deliver(1)
    for _ in range(11):
        plant.deliver(1)
        plant.generate()

    message = api.delete(path(plant.project, {"id": event})).expect(422).error["message"]

    named = sorted(batch["id"] for batch in plant.batches() if batch["id"] in message)
    assert len(named) == 10
    assert message.endswith(" and 1 more. It stays.")


def test_an_event_beside_those_that_batches_were_made_of_is_voided(api, drain):
    plant = given_accounting.plant(api, drain)
    first, unused, last = plant.deliver(5), given.event(api, plant.project), plant.deliver(5)
    plant.generate()

    api.delete(path(plant.project, unused)).expect(204)

    assert plant.generate()["unchanged"] == 1
    assert first != last


def test_a_voided_event_counts_in_no_generation(api, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(5)
    mistaken = plant.deliver(7)

    api.delete(path(plant.project, {"id": mistaken})).expect(204)
    plant.generate()

    assert plant.balance() == 5


def test_voiding_waits_for_a_generation_that_runs(api, drain, server):
    plant = given_accounting.plant(api, drain)
    event = plant.deliver(5)

    with given_generation.running(server, plant):
        error = api.delete(path(plant.project, {"id": event})).expect(409).error

    assert "A generation works on the project's data just now" in error["message"]
    api.delete(path(plant.project, {"id": event})).expect(204)


def test_only_one_of_several_at_once_voids_an_event(api, server):
    project = given.measuring(api, MASS)
    event = given.event(api, project)

    answers = server.together(lambda: api.delete(path(project, event)), 3)

    assert sorted(answer.status for answer in answers) == [204, 404, 404]


def test_an_event_is_voided_below_its_own_project_only(api):
    project = given.measuring(api, MASS)
    event = given.event(api, project)

    api.delete(path(given.project(api), event)).expect(404)
    api.delete(path(project, {"id": "99999999999999999999"})).expect(404)

    api.get(path(project, event)).expect(200)
