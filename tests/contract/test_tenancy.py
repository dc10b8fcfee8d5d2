"""Seed, Authentication; design, section 4: 404 `record not found` also for another account's records.

The matrix is made from the table of contents of the service: each operation, and each place of a request
where an id stands. Whoever holds every permission of one account and names a record of another one learns
no more than by naming a record that never was. A new place that nobody says how to fill fails here.
"""

import re
from typing import Any

import pytest
from tests.given.requests import (  # fmt: skip
    BODIES,
    OPERATIONS,
    QUERY_KINDS,
    QUERY_VALUES,
    World,
    content_of,
    is_id,
    kind_of,
    placed_in,
    required_query,
    sent,
    unknown,
    ways_through,
    world_of,
)
from tests.server import Answer, Server

from weighbridge.core.platform.permission import LINK
from weighbridge.http.messages.operation import Operation
from weighbridge.http.openapi.parameters import names_in

RECORD_TYPES = {"task": "async_task", "token": "api_token", "data_point_result": "rule_result"}
"""What a refusal calls a kind of record, where that is not the word in the path."""


@pytest.fixture(scope="module")
def worlds(server: Server) -> tuple[World, World]:
    """The account of the caller, and the one whose records it names."""
    return world_of(server), world_of(server)


@pytest.fixture
def written(worlds: tuple[World, World], server: Server):
    """Counts the writes of both accounts, all of which stand in the audit."""

    def count() -> list[tuple[Any, ...]]:
        accounts = [world.account.id for world in worlds]
        return server.sql("SELECT count(*) FROM audit_log WHERE account_id = ANY(%s)", accounts)

    return count


def parameters_of(operation: Operation) -> list[str]:
    """The ids in a path; by a link only the report's, and not those that are numbers in a record of the path:
    a finding's in its engagement, a mapping's in its agent.
    """
    names = [one for one in names_in(operation.path) if one not in {"finding_id", "agent_mapping_id"}]
    return [one for one in names if operation.permission != LINK or one == "report_id"]


def path_places() -> list[tuple[str, str, str]]:
    """Each operation, parameter of its path, and form of id: friendly, or the number of a project."""
    return [
        (name, parameter, form)
        for name, operation in OPERATIONS.items()
        for parameter in parameters_of(operation)
        for form in (("", "_number") if parameter == "project_id" else ("",))
    ]


def path_with(operation: Operation, place: str, value: Any, mine: World, theirs: World) -> str:
    """The path with a value in one place, the caller's ids before it and the other account's behind it."""
    names = names_in(operation.path)
    at = names.index(place)
    values = {name: (mine if index < at else theirs).ids[kind_of(name)] for index, name in enumerate(names)}
    return operation.path.format_map(values | {place: value})


def told(answer: Answer, *values: Any) -> tuple[int, str]:
    """What an answer tells, without the id of the request and the ids that were sent."""
    text = answer.text.replace(answer.headers["x-request-id"], "<request>")
    text = re.sub(r'"page_size":\d+', '"page_size":"<size>"', text)  # may be the number of a record as well
    text = text.replace(f'"statusCode":{answer.status}', '"statusCode":"<status>"')  # may be one, too
    for value in values:
        text = re.sub(rf"(?<!\w){re.escape(str(value))}(?!\w)", "<id>", text)
    return answer.status, text


@pytest.mark.parametrize(("name", "place", "form"), path_places())
def test_another_accounts_record_in_a_path_is_not_found(worlds, written, name, place, form):
    mine, theirs = worlds
    before = written()
    operation, kind = OPERATIONS[name], kind_of(place)
    foreign = theirs.ids[kind + form]
    never = unknown(kind, foreign)
    body = content_of(operation) if operation.body is not None else None
    query = required_query(operation, mine)

    answers = [
        (
            sent(
                operation, path_with(operation, place, value, mine, theirs), next(mine.callers), body, query
            ),
            value,
        )
        for value in (foreign, never)
    ]

    error = answers[0][0].expect(404).error
    assert error["message"] in {"record not found", "Project not found"}
    assert (error["type"], error["id"]) == (RECORD_TYPES.get(kind, kind), str(foreign))
    assert told(*answers[0]) == told(*answers[1])
    assert written() == before


def query_places() -> list[tuple[str, str, str]]:
    """Each operation, parameter of its query that takes an id, and the kind of record."""
    found = []
    for name, operation in OPERATIONS.items():
        found += [
            (name, parameter, QUERY_KINDS.get((name, parameter), ""))
            for parameter in operation.query
            if (name, parameter) not in QUERY_VALUES
        ]
        noun = operation.path.rpartition("/")[2]
        for field in operation.listing.filters if operation.listing is not None else ():
            if is_id(field):
                found.append((name, f"filter[{field}]", kind_of(field, noun)))
    return found


@pytest.mark.parametrize(("name", "parameter", "kind"), query_places())
def test_another_accounts_record_in_a_query_is_as_one_that_never_was(worlds, name, parameter, kind):
    mine, theirs = worlds
    operation = OPERATIONS[name]
    takes_number = operation.listing is not None and "number" in _expects(operation, parameter)
    foreign = theirs.ids[f"{kind}_number" if takes_number else kind]
    path, query = (
        mine.path(operation),
        {name: value for name, value in required_query(operation, mine).items() if name != parameter},
    )

    answers = [
        (sent(operation, path, next(mine.callers), None, query | {parameter: str(value)}), value)
        for value in (foreign, unknown(kind, foreign))
    ]

    assert told(*answers[0]) == told(*answers[1])
    assert answers[0][0].status == 404 or answers[0][0].expect(200).data == []


def _expects(operation: Operation, parameter: str) -> str:
    expects: str = operation.listing.filters[parameter.removeprefix("filter[").removesuffix("]")].expects
    return "" if "prj_" in expects else expects


def body_places() -> list[tuple[str, tuple[str, ...]]]:
    """Each operation, and the way through its body to a field that takes an id."""
    return [
        (name, way)
        for name, content in BODIES.items()
        if "application/json" in content
        for way in ways_through(content["application/json"]["schema"])
        if is_id(way[-1])
    ]


@pytest.mark.parametrize(
    ("name", "way"), body_places(), ids=lambda one: one if isinstance(one, str) else ".".join(one)
)
def test_another_accounts_record_in_a_body_is_refused_as_one_that_never_was(worlds, written, name, way):
    mine, theirs = worlds
    before = written()
    operation = OPERATIONS[name]
    kind = kind_of(way[-1], next((part for part in reversed(way[:-1]) if part != "[]"), ""))
    foreign = theirs.ids[kind]
    path = mine.path(operation)

    answers = [
        (sent(operation, path, next(mine.callers), placed_in(mine, name, way, value)), value)
        for value in (foreign, unknown(kind, foreign))
    ]

    refusal = answers[0][0]
    assert refusal.status in {400, 404, 422}, refusal.text
    assert refusal.status == 404 or str(foreign) in refusal.text or way[-1] in refusal.text
    assert told(*answers[0]) == told(*answers[1])
    assert written() == before


ELSEWHERE = {
    "download_bundle_by_link",
    "get_audit_consistency_by_link",
    "get_audit_head_by_link",
    "get_audit_key_by_link",
    "get_audit_keys_by_link",
    "get_audit_proof_by_link",
    "get_cosigned_head",
    "get_cosigned_head_by_link",
    "get_engagement_by_link",
    "get_materiality_by_link",
    "get_report_uncertainty_by_link",
    "get_sample_by_link",
    "list_engagements_by_link",
    "download_evidence",
    "download_export",
    "download_report_time_stamp",
    "open_report",
}
"""Links lead elsewhere, or have keys; a time stamp is there where the service asks an authority,
and a cosigned head where it asks witnesses."""


def test_the_caller_may_do_all_this_with_records_of_its_own(worlds):
    mine, _ = worlds
    for name, operation in OPERATIONS.items():
        if operation.method == "GET":
            path = operation.path.format_map(
                {one: mine.ids[kind_of(one)] for one in names_in(operation.path)}
            )
            answer = sent(operation, path, next(mine.callers), None, required_query(operation, mine))
            if name not in ELSEWHERE:
                answer.expect(200)


def test_every_place_for_an_id_can_be_filled(worlds):
    mine, _ = worlds
    kinds = {
        *(kind_of(place) for _, place, _ in path_places()),
        *(kind for _, _, kind in query_places()),
        *(
            kind_of(way[-1], next((part for part in reversed(way[:-1]) if part != "[]"), ""))
            for _, way in body_places()
        ),
    }

    assert kinds - set(mine.ids) == set()
    assert len(path_places()) >= sum(map(len, map(parameters_of, OPERATIONS.values())))
