"""Seed, Resources, Conventions: most records use a string friendly ID made of a type prefix and an opaque
suffix. Design, section 4: `X-Request-Id` on every answer.
"""

import re

import pytest
from tests.given import collection as given


def test_records_carry_the_prefix_of_their_type(api):
    project = given.project(api)
    event_type = given.event_type(api, project, data_point_types=[given.number("mass")])
    location, feedstock = given.location(api, project), given.feedstock(api, project)
    event = given.event(api, project, values={"mass": 1})

    assert [
        re.sub("[0-9a-f]{24}$", "…", text)
        for text in (
            project["id"], event_type["id"], location["id"], feedstock["id"], event["id"],
            event["data_points"][0]["id"],
        )
    ] == ["prj_…", "et_…", "loc_…", "fs_…", "evt_…", "in_…"]  # fmt: skip


def test_the_ids_of_neighbours_tell_nothing_of_their_order(api):
    project = given.measuring(api, given.number("mass"))

    ids = [one["id"] for one in given.events(api, project, [given.event_body(values={"mass": 1})] * 50)]

    assert len(set(ids)) == 50
    assert ids != sorted(ids)
    assert ids != sorted(ids, reverse=True)


def test_event_ids_are_unique_across_processes(server):
    async def take(database, counts):
        async with database, database.write() as tx:
            return [key for count in counts for key in await tx.take_event_keys(count)]

    processes = [server.database.with_connections(2) for _ in range(3)]
    keys = [key for process in processes for key in server.run(take(process, [1, 4095, 1, 10_000, 7]))]

    assert len(set(keys)) == len(keys) == 3 * 14_104
    assert min(keys) >= 4096


def test_a_key_that_a_process_holds_is_given_out_once_and_without_asking(server):
    process = server.database.with_connections(1)

    async def take():
        before = process.event_keys.take_held()
        async with process, process.write() as tx:
            first = await tx.take_event_keys(4094)
            held = [process.event_keys.take_held() for _ in range(3)]
            return before, first, held, await tx.take_event_keys(1)

    before, first, held, after = server.run(take())

    assert before is None
    assert held == [first[-1] + 1, first[-1] + 2, None]
    assert after[0] not in [*first, *held]


def test_keys_that_a_refused_request_took_are_not_given_out_again(api):
    project = given.measuring(api, given.number("mass"))
    bad = {"events": [given.event_body(values={"mass": "heavy"})]}

    first = given.event(api, project, values={"mass": 1})["id"]
    api.post(f"/projects/{project['id']}/events", bad).expect(422)
    second = given.event(api, project, values={"mass": 1})["id"]

    assert first != second


def test_an_answer_names_the_request_id_it_was_sent(api):
    answer = api.send("GET", "/projects", headers={"x-request-id": "client-7.a_B"})

    assert answer.headers["x-request-id"] == "client-7.a_B"


@pytest.mark.parametrize(
    "sent", [None, "short", "x" * 65, "has space in it", "semi;colon;here", "ümlaut-here"]
)
def test_an_answer_names_a_new_request_id_when_none_or_an_unfit_one_was_sent(api, sent):
    headers = {} if sent is None else {"x-request-id": sent.encode()}

    answers = [api.send("GET", "/projects", headers=headers) for _ in range(2)]

    made = [answer.headers["x-request-id"] for answer in answers]
    assert all(re.fullmatch("req_[0-9a-f]{24}", one) for one in made)
    assert made[0] != made[1]


def test_the_request_id_stands_in_the_audit_of_the_write(api, sql):
    api.send(
        "POST",
        "/projects",
        content=b'{"project": {"name": "Plant"}}',
        headers={"x-request-id": "client-4711"},
    ).expect(201)

    assert sql("SELECT action FROM audit_log WHERE request_id = 'client-4711'") == [("project.create",)]
