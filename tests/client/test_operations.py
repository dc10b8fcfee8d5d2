"""The made parts of the client follow from the document, and read what the service answers."""

import json
from typing import get_args, get_origin

import pytest
from tests.given.requests import OPERATIONS, required_query, world_of
from tools.client_source import __main__ as source
from tools.client_source import types

from weighbridge.client import Client
from weighbridge.client.calls import Invalid
from weighbridge.client.made import operations
from weighbridge.client.pages import Listing, Page
from weighbridge.core.platform.permission import LINK
from weighbridge.http.openapi.parameters import names_in

DOCUMENT = json.loads(source.DOCUMENT.read_text())
FUNCTIONS = {
    one.name: getattr(operations, f"{one.tag}_{one.verb}")
    for one in types.operations(DOCUMENT)
    if not one.on_trial
}
OF_FILES = {"download_evidence", "download_report_time_stamp"}
"""Files that the world of these tests has none of; `test_client.py` reads one."""
READS = sorted(
    name
    for name, operation in OPERATIONS.items()
    if operation.method == "GET"
    and operation.permission != LINK
    and name not in OF_FILES | {"get_cosigned_head"}  # of a service that has no witness there is none
)


@pytest.fixture(scope="module")
def world(server):
    return world_of(server)


MADE = source.made()


@pytest.mark.parametrize("path", sorted(MADE), ids=lambda path: str(path.relative_to(source.ROOT)))
def test_what_is_made_from_the_document_is_current(path):
    assert path.read_text() == MADE[path], f"{path} is out of date; run `make docs`"


def test_every_operation_of_the_service_has_a_method():
    assert set(FUNCTIONS) == set(OPERATIONS)


def test_a_head_that_no_witness_has_cosigned_is_refused_with_the_field(world, server):
    call = FUNCTIONS["get_cosigned_head"](cosignatures=1)
    with (
        Client(server.address, token=next(world.callers).token) as client,
        pytest.raises(Invalid, match="No head of the log has 1 cosignatures"),
    ):
        client.carry(call)


@pytest.mark.parametrize("name", READS)
def test_what_an_operation_answers_is_read(world, server, name):
    operation = OPERATIONS[name]
    path = world.path(operation)
    asked = FUNCTIONS[name](
        *[1 if kind is int else "x" for kind in [str] * len(names_in(operation.path))],
        **{types.identifier(each): value for each, value in required_query(operation, world).items()},
    )
    call = asked.call if isinstance(asked, Listing) else asked
    with Client(server.address, token=next(world.callers).token) as client:
        answer = client.carry(type(call)("GET", f"/api/v1{path}", call.kind, call.query))

    assert type(answer) is (get_origin(call.kind) or call.kind)
    if isinstance(answer, Page):
        assert {type(record) for record in answer.data} <= {*get_args(call.kind)}
