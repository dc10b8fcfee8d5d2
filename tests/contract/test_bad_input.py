"""Design, section 4: the wrong shape of a body is 400, a value that breaks a rule 422, each naming its field.

Every operation with a body is sent, field by field, what the field cannot hold. The answer names the field
in a sentence that stays short, and nothing is stored. What is particular to numbers, texts and times stands
in their own tests.
"""

import json
import socket
from typing import Any

import pytest
from tests import given
from tests.given_requests import (
    BODIES,
    DOCUMENT,
    OPERATIONS,
    World,
    content_of,
    placed_in,
    ways_through,
    world_of,
)
from tests.server import Answer, Caller, Server

LIMIT = 4_096
LONG = "x" * 1_000_000
ANSWER_CHARACTERS_MAX = 2_000

JSON_BODIES = [name for name, content in BODIES.items() if "application/json" in content]

WRONG: dict[str, list[Any]] = {
    "string": [7, True, [], {}],
    "number": ["1", True, [], {}],
    "integer": ["1", 1.5, True, [], {}],
    "boolean": ["true", 0, 1, [], {}],
    "array": ["", 7, {}],
    "object": ["", 7, []],
}
"""What is sent where a value of a type belongs."""

NUMBERS = {
    "1" + "0" * 10_000: "ten thousand digits",
    "1e999999999999999999999": "an exponent beyond all numbers",
    "NaN": "no number",
    "Infinity": "infinity",
    "-Infinity": "infinity below zero",
}
MARK = "@the number@"

Place = tuple[str, tuple[str, ...]]


def at(way: tuple[str, ...]) -> str:
    """The name of a field as refusals say it: `event.locations[0].id`."""
    return ".".join(way).replace(".[]", "[0]")


def schema_at(name: str, way: tuple[str, ...]) -> dict[str, Any]:
    """The schema of a field, with its types in a list; of a record, that it is an object."""
    schema: dict[str, Any] = BODIES[name]["application/json"]["schema"]
    for part in way:
        schema = _record(schema)
        schema = schema["items"] if part == "[]" else schema["properties"][part]
    options = [_resolved(one) for one in schema.get("anyOf", [schema])]
    kinds: list[str] = []
    for option in options:
        kind = option.get("type", [])
        kinds += [kind] if isinstance(kind, str) else kind
    return options[0] | {"type": kinds}


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    return DOCUMENT["components"]["schemas"][reference.rpartition("/")[2]] if reference else schema


def _record(schema: dict[str, Any]) -> dict[str, Any]:
    options = [_resolved(one) for one in schema.get("anyOf", [schema])]
    return next(one for one in options if "properties" in one or "items" in one)


def places(*kinds: str) -> list[Place]:
    """Every field of every body that takes one of these types."""
    return [
        (name, way)
        for name in JSON_BODIES
        for way in ways_through(BODIES[name]["application/json"]["schema"])
        if set(kinds) & set(schema_at(name, way)["type"])
    ]


def moments() -> list[Place]:
    return [place for place in places("string") if schema_at(*place).get("format") == "date-time"]


def spoken(value: object) -> str:
    return value if isinstance(value, str) else at(value) if isinstance(value, tuple) else repr(value)


@pytest.fixture(scope="module")
def world(server: Server) -> World:
    return world_of(server)


@pytest.fixture
def send(server: Server, world: World):
    """Send a body to an operation; the answer is a short refusal, and nothing is stored."""

    def stored() -> list[tuple[Any, ...]]:
        return server.sql("SELECT count(*) FROM audit_log WHERE account_id = %s", world.account.id)

    def refusal(name: str, body: Any) -> Answer:
        operation = OPERATIONS[name]
        caller = world.account.caller()
        before = stored()
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = caller.send(operation.method, world.path(operation), content=content)
        assert answer.status in {400, 413, 422}, f"{answer.status} {answer.text[:500]}"
        assert len(answer.text) < ANSWER_CHARACTERS_MAX, answer.text[:500]
        assert all(error["message"].endswith(".") for error in answer.errors), answer.text
        assert stored() == before
        return answer

    return refusal


def named(answer: Answer, way: tuple[str, ...]) -> dict[str, Any]:
    """The error of the field, which is among those that the answer names."""
    found = [error for error in answer.errors if error.get("field") == at(way)]
    assert found, answer.text
    error: dict[str, Any] = found[0]
    return error


@pytest.mark.parametrize(("name", "way"), places(*WRONG), ids=spoken)
def test_a_value_of_a_wrong_type_is_refused_by_field(send, world, name, way):
    kinds = schema_at(name, way)["type"]
    wrong = [
        value
        for value in (7, 1.5, True, "", [], {})
        if all(value in _looks(WRONG[kind]) for kind in kinds if kind != "null")
    ]

    for value in wrong:
        named(send(name, placed_in(world, name, way, value)), way)


def _looks(values: list[Any]) -> list[Any]:
    """The values, and the like of them: True is not 1 here."""

    class Same(list[Any]):
        def __contains__(self, value: object) -> bool:
            return any(type(value) is type(one) for one in self)

    return Same(values)
