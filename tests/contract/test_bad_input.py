"""Design, section 4: the wrong shape of a body is 400, a value that breaks a rule 422, each naming its field.

Every operation with a body is sent, field by field, what the field cannot hold. The answer names the field
in a sentence that stays short, and nothing is stored. What is particular to numbers, texts and times stands
in their own tests.
"""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from tests.given import collection as given
from tests.given.cases import tried_together
from tests.given.requests import (
    BODIES,
    OPERATIONS,
    World,
    content_of,
    is_id,
    noun_of,
    placed,
    placed_in,
    record_of,
    resolved,
    sent,
    ways_through,
    whole,
    world_of,
)
from tests.server import Answer, Caller, Server

from weighbridge.http.openapi.parameters import names_in
from weighbridge.http.wire import wrapping_keys

LIMIT = 4_096
LONG = "x" * 1_000_000
ANSWER_CHARACTERS_MAX = 5_000

JSON_BODIES = [name for name, content in BODIES.items() if "application/json" in content]

OF_TYPE: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "integer": 7,
    "number": 1.5,
    "string": "x",
    "array": [],
    "object": {},
}
"""A value of each type of JSON."""

NUMBERS = {
    "1" + "0" * 10_000: "ten thousand digits",
    "1e999999999999999999999": "an exponent beyond all numbers",
    "NaN": "no number",
    "Infinity": "infinity",
    "-Infinity": "infinity below zero",
}
MARK = "@the number@"

WRAPPING = {key for operation in OPERATIONS.values() for key in wrapping_keys(operation.body)}

Place = tuple[str, tuple[str, ...]]


def at(way: tuple[str, ...]) -> str:
    """The name of a field as refusals say it: `event.locations[0].id`."""
    return ".".join(way).replace(".[]", "[0]")


def schema_of(name: str) -> Any:
    return BODIES[name]["application/json"]["schema"]


def schema_at(name: str, way: tuple[str, ...]) -> dict[str, Any]:
    """The schema of a field, with its types in a list; of a record, that it is an object."""
    schema: Any = schema_of(name)
    for part in way:
        schema = record_of(schema, part)
        schema = schema["items"] if part == "[]" else schema["properties"][part]
    options = [resolved(one) for one in schema.get("anyOf", [schema])]
    kinds: list[str] = []
    for option in options:
        kind = option.get("type", [])
        kinds += [kind] if isinstance(kind, str) else kind
    return {**options[0], "type": kinds}


def places(*kinds: str) -> list[Place]:
    """Every field of every body that takes one of these types."""
    return [
        (name, way)
        for name in JSON_BODIES
        for way in ways_through(schema_of(name))
        if not fills_gaps(way) and set(kinds) & set(schema_at(name, way)["type"])
    ]


def fills_gaps(way: tuple[str, ...]) -> bool:
    """Whether the field is one of how a rule fills gaps: its method decides which fields are taken beside it,
    and `core/rule/substitution/test_reading.py` has each refused by name.
    """
    return "correction" in way[:-1] and (way[-2:] not in OF_ADJUSTING)


OF_ADJUSTING = {("correction", "method"), ("correction", "expression")}


JUDGED = {("validate_yaml", ("yaml",)), ("validate_model_yaml", ("yaml",))}
"""Texts that are not refused: the answer says what is wrong with them."""


BESIDE = {
    "cadence_unit": ("cadence_amount", 1),
    "value": ("slug", "mass"),
    "expression": ("method", "expression"),
}
"""What some fields cannot be without where there is such a field: a unit its amount, a value its slug."""


ROLLING = {"kind": "rolling", "members": 2}
CALENDAR = {"kind": "calendar", "unit": "day"}
WINDOWS = {
    **dict.fromkeys(("kind", "members", "include_current", "same", "where"), ROLLING),
    **dict.fromkeys(("unit", "value", "extent"), CALENDAR),
    "duration": {"kind": "rolling", "duration": {"value": 1, "unit": "day"}},
}
"""A window that would be taken and has the field, by the field's name."""


def made_of(world: World, name: str, way: tuple[str, ...], value: Any) -> Any:
    """A body that would be taken, but for the value at the end of the way."""
    body = placed_in(world, name, way, value)
    if "correction" in way:
        body["rule"]["purpose"] = "adjust"
    if "window" in way[:-1]:
        around = body | {"rule": body["rule"] | {"window": WINDOWS[way[2]]}}
        body = placed(schema_of(name), around, way, value)
    if way[-1] not in BESIDE:
        return body
    field, like = BESIDE[way[-1]]
    beside = (*way[:-1], field)
    return placed(schema_of(name), body, beside, like) if beside in ways_through(schema_of(name)) else body


def moments() -> list[Place]:
    return [place for place in places("string") if schema_at(*place).get("format") == "date-time"]


def spoken(value: object) -> str:
    return value if isinstance(value, str) else at(value) if isinstance(value, tuple) else repr(value)


@pytest.fixture(scope="module")
def world(server: Server) -> World:
    return world_of(server)


@pytest.fixture(scope="module")
def small(server: Server) -> Iterator[Caller]:
    """A caller of a service that takes small bodies only."""
    with server.again(request_body_bytes=LIMIT) as service:
        yield service.account().caller()


@pytest.fixture
def send(server: Server, world: World):
    """Send a body to an operation; the answer is a short refusal, and nothing is stored."""

    def stored() -> list[tuple[Any, ...]]:
        return server.sql("SELECT count(*) FROM audit_log WHERE account_id = %s", world.account.id)

    def refusal(name: str, body: Any) -> Answer:
        operation = OPERATIONS[name]
        before = stored()
        content = body if isinstance(body, bytes) else json.dumps(body, default=float).encode()
        answer = next(world.callers).send(operation.method, world.path(operation), content=content)
        assert answer.status in {400, 404, 413, 422}, f"{answer.status} {answer.text[:500]}"
        assert len(answer.text) < ANSWER_CHARACTERS_MAX, answer.text[:500]
        assert answer.status == 404 or all(error["message"].endswith(".") for error in answer.errors)
        assert stored() == before
        return answer

    return refusal


def named(answer: Answer, way: tuple[str, ...]) -> dict[str, Any]:
    """The error of the field, or of its one element, which is among those that the answer names."""
    place = at(way[1:]) if way[0] in WRAPPING and len(way) > 1 else at(way)
    fields = {place, f"{place}[0]"}
    found = [error for error in answer.errors if error.get("field") in fields]
    assert found, answer.text
    error: dict[str, Any] = found[0]
    return error


@tried_together(("name", "way"), places(*OF_TYPE))
def test_a_value_of_a_wrong_type_is_refused_by_field(send, world, name, way):
    schema = schema_at(name, way)
    taken = schema["type"] if not is_id(way[-1]) else [*schema["type"], schema.get("items", {}).get("type")]
    taken = [*taken, "integer"] if "number" in taken else taken

    for value in [value for kind, value in OF_TYPE.items() if kind not in taken]:
        named(send(name, made_of(world, name, way, value)), way)


@tried_together(("name", "way"), [place for place in places("string") if place not in JUDGED])
def test_a_text_of_a_million_characters_is_refused_by_field(send, world, name, way):
    answer = send(name, made_of(world, name, way, LONG))

    assert answer.status == 404 or named(answer, way)


@pytest.mark.parametrize("digits", NUMBERS, ids=NUMBERS.get)
@tried_together(("name", "way"), places("number", "integer"))
def test_a_number_beyond_all_bounds_is_refused(send, world, name, way, digits):
    body = json.dumps(placed_in(world, name, way, MARK), default=float).replace(f'"{MARK}"', digits)

    send(name, body.encode())


def test_an_instrument_of_a_system_ledger_is_taken(world):
    operation = OPERATIONS["create_instrument"]
    body = json.dumps(whole("create_instrument", ("instrument",)), default=float).encode()

    next(world.callers).send("POST", world.path(operation), content=body).expect(201)


@tried_together(("name", "way"), moments())
def test_a_time_without_an_offset_is_refused_by_field(send, world, name, way):
    error = named(send(name, placed_in(world, name, way, "2025-01-01T00:00:00")), way)

    assert error["message"] == f"{at(way)} needs an offset or Z, as in 2025-01-01T00:00:00Z."


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"])
@tried_together(("name", "way"), moments())
def test_a_time_that_lies_outside_the_calendar_in_utc_is_refused_by_field(send, world, name, way, text):
    answer = send(name, placed_in(world, name, way, text))

    assert answer.status == 422, answer.text
    # Of a start that is later than the end, it may be said that the end is not behind it.
    if way[-1] != ("start_time" if text.startswith("9999") else "end_time"):
        assert named(answer, way)


@pytest.mark.parametrize(("name", "way"), moments()[:1], ids=spoken)
def test_a_time_is_looked_at_however_its_digits_are_written(send, world, name, way):
    body = json.dumps(placed_in(world, name, way, MARK), default=float)
    written = body.replace(MARK, r"\u0039\u0039\u0039\u0039-12-31T23:59:59-23:59")

    assert named(send(name, written.encode()), way)["code"] == "invalid"


ENDED_BEFORE = {"start_time": "2025-03-02T00:00:00Z", "end_time": "2025-03-01T00:00:00Z"}


@pytest.mark.parametrize("name", [name for name, way in moments() if way[-1] == "end_time"])
def test_an_end_before_the_start_is_refused_by_field(send, world, name):
    way = next(way for one, way in moments() if one == name and way[-1] == "end_time")
    body = placed_in(world, name, way, ENDED_BEFORE["end_time"])
    body = placed(schema_of(name), body, (*way[:-1], "start_time"), ENDED_BEFORE["start_time"])

    answer = send(name, body)

    assert answer.status == 422, answer.text
    assert any((error.get("field") or "").endswith("end_time") for error in answer.errors), answer.text


@pytest.mark.parametrize("name", JSON_BODIES)
@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b"nonsense", b"\xff", b'{"\xc3\x28": 1}', b"[" * 1_000_000, b'{"a":' * 200_000],
    ids=["cut short", "a list", "a word", "no UTF-8", "a key that is no UTF-8", "lists", "objects"],
)
def test_a_body_that_is_no_json_object_is_refused_by_every_operation(send, name, content):
    assert send(name, content).status == 400


def test_a_text_that_is_no_utf_8_is_refused_with_the_place(api):
    project = given.project(api)

    answer = api.send(
        "POST",
        f"/projects/{project['id']}/assets/spreadsheet",
        content=b"name\nKiln \xff\n",
        headers={"content-type": "text/csv"},
    ).expect(400)

    assert answer.error["message"] == "The body is not UTF-8: byte 11 does not fit."


@tried_together("name", OPERATIONS, under=noun_of)
def test_a_parameter_that_an_operation_does_not_take_is_refused_by_name(world, name):
    operation = OPERATIONS[name]
    body = content_of(operation) if operation.body is not None else None

    answer = sent(operation, world.path(operation), next(world.callers), body, {"rehearse": "true"})

    assert answer.status == 400, answer.text
    assert [error["field"] for error in answer.errors] == ["rehearse"]


@pytest.mark.parametrize("path", ["/projects?page=%ff", "/feature_flags?%c3%28=1"])
def test_a_query_that_is_no_utf_8_is_refused(api, path):
    assert api.get(path).expect(400).error["message"] == "The query is not UTF-8."


@pytest.mark.parametrize("text", ["%ff", "%c3%28", "%ed%a0%80", "%00"])
def test_bytes_that_are_no_text_lead_nowhere_in_a_path(api, text):
    api.get(f"/projects/{text}").expect(404)


@pytest.mark.parametrize("name", [name for name in JSON_BODIES if OPERATIONS[name].form is None])
def test_a_body_over_the_limit_is_refused_with_the_limit(small, name):
    operation = OPERATIONS[name]
    path = operation.path.format_map(dict.fromkeys(names_in(operation.path), "1"))

    answer = small.send(operation.method, path, content=b" " * (LIMIT + 1)).expect(413)

    assert (
        answer.error["message"] == "The body is larger than this request takes; it takes 4,096 bytes at most."
    )


def test_a_body_that_tells_no_length_is_measured_as_it_arrives(small):
    host, port = small.server.address.removeprefix("http://").split(":")
    head = (
        "POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {small.token}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=10) as caller:
        caller.sendall(head.encode() + b"2000\r\n" + b" " * 8192 + b"\r\n")

        assert b" 413 " in caller.recv(65_536)
