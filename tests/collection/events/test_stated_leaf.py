"""What single values state of their uncertainty was captured with them: the leaf of the event has it."""

import pytest
from tests.given import collection as given
from tests.given.accounting import key_of

from weighbridge.collection.measurements.event_records import LINE_COLUMNS, leaf_of_columns, line_of_columns
from weighbridge.verification.audit_tree import check_events

STATED = {"standard": 0.050, "effect": "hand scale"}


@pytest.fixture
def project(api):
    project = given.project(api)
    given.event_type(api, project, slug="delivery", data_point_types=[given.number("mass")])
    return project


def body(statement):
    point = {"slug": "mass", "value": 5} | ({} if statement is None else {"uncertainty": statement})
    return {"event_type": "delivery", "start_time": "2025-01-01T00:00:00Z", "data_points": [point]}


def columns_of(server, event):
    [row] = server.sql(
        f"SELECT {LINE_COLUMNS} FROM events e WHERE e.id = %s", key_of("event", event["id"])[1]
    )
    return row


@pytest.fixture(scope="module")
def server(lone_server):
    """A service whose database has the events of this file alone, for verifying looks at all of them."""
    with lone_server() as server:
        yield server


def violations(server):
    async def check():
        async with server.database.read() as tx:
            return (await check_events(tx)).violations

    return server.run(check())


def test_a_line_has_what_is_stated_and_is_as_before_without(server, api, project):
    path = f"/projects/{project['id']}/events"
    stated, plain = (
        api.post(path, {"event": body(one)}).expect(201).body for one in (STATED, None)
    )  # fmt: skip

    lines = [line_of_columns(columns_of(server, event)) for event in (stated, plain)]

    assert lines[0].endswith('\t{"1":{"effect":"hand scale","standard":"0.05"}}')
    assert [line.count("\t") for line in lines] == [14, 13]


@pytest.mark.parametrize("is_bulk", [False, True])
def test_the_log_has_the_leaf_with_the_statement_and_with_each_that_follows(server, api, project, is_bulk):
    path = f"/projects/{project['id']}/events"
    if is_bulk:
        api.post(path, {"events": [body(STATED), body(None)]}).expect(201)
    else:
        api.post(path, {"event": body(STATED)}).expect(201)
    [event, *_] = api.get(path, {"sort": "id"}).data
    assert violations(server) == []

    point = event["data_points"][0]["id"]
    change = {"data_point": {"uncertainty": {"standard": 1}}}
    api.patch(f"/projects/{project['id']}/data_points/{point}", change).expect(200)
    again = {"event": {"data_points": [{"slug": "mass", "value": 5, "uncertainty": None}]}}
    api.patch(f"{path}/{event['id']}", again).expect(200)

    assert violations(server) == []
    rows = server.sql(
        "SELECT after FROM audit_log WHERE action = 'data_point.correct' ORDER BY id DESC LIMIT 1"
    )
    assert rows[0][0]["leaves"][0][0] == event["id"]
    assert leaf_of_columns(columns_of(server, event))
