"""Lists take what the OpenAPI document tells of them: its defaults, with a cursor too, and its modes."""

import pytest
from tests.contract.test_bad_input import world as world  # noqa: PLC0414 - a fixture
from tests.given.requests import DOCUMENT, OPERATIONS, required_query

from weighbridge.core.platform.tasks import ResponseMode
from weighbridge.http.endpoints.response_modes import MODE

LISTS = [name for name, operation in OPERATIONS.items() if operation.listing is not None]
WALKED = [name for name in LISTS if OPERATIONS[name].listing.key and not OPERATIONS[name].sends]


def parameters(name):
    """What the document tells of the query of an operation, by name."""
    [described] = [
        one for path in DOCUMENT["paths"].values() for one in path.values() if one["operationId"] == name
    ]
    shared = DOCUMENT["components"]["parameters"]
    told = [
        shared[one["$ref"].rpartition("/")[2]] if "$ref" in one else one for one in described["parameters"]
    ]
    return {one["name"]: one["schema"] for one in told if one["in"] == "query"}


@pytest.mark.parametrize("name", WALKED)
def test_a_list_takes_every_default_that_the_document_tells_with_a_cursor_too(world, name):
    operation = OPERATIONS[name]
    path, needed = world.path(operation), required_query(operation, world)
    told = {one: str(schema["default"]) for one, schema in parameters(name).items() if "default" in schema}
    told = {one: value.lower() for one, value in told.items()}

    first = next(world.callers).get(path, {"page_size": "1"} | needed).expect(200)

    next(world.callers).get(path, told | needed).expect(200)
    if cursor := first.info["next_cursor"]:
        next(world.callers).get(path, told | needed | {"cursor": cursor}).expect(200)


@pytest.mark.parametrize("name", [name for name in LISTS if MODE in parameters(name)])
def test_a_list_takes_every_response_mode_that_the_document_tells_and_no_other(world, name):
    operation = OPERATIONS[name]
    needed = required_query(operation, world)

    for word in ResponseMode:
        answer = next(world.callers).get(world.path(operation), {MODE: word.value} | needed)

        assert answer.status == (200 if word in parameters(name)[MODE]["enum"] else 400), answer.text
        assert "<" not in answer.text or answer.status == 200
