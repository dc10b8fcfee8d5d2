"""A PATCH of one field changes that field of the record and no other, whatever the record is.

Every operation that changes a record is sent each field of its body by itself, with every value that can be
made for it. What follows from a field by its meaning is named here.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.given.requests import (
    BODIES,
    MAPPED,
    OPERATIONS,
    World,
    content_of,
    is_id,
    kind_of,
    least,
    record_of,
    resolved,
    world_of,
)

ALWAYS = {"updated_at", "version", "backfill_enqueued", "rule_run_id"}
"""What any change may change."""

FOLLOWS: dict[tuple[str, str], set[str]] = {
    ("correct_data_point", "value"): {"value_source", "corrections_count", "corrections_total"},
    ("correct_event_data_point", "value"): {"value_source", "corrections_count", "corrections_total"},
    ("update_event", "feedstock_id"): {"feedstock"},
    ("update_event", "asset_id"): {"asset"},
    ("update_rule", "asset_id"): {"asset"},
    ("update_calibration", "evidence_id"): {"evidence"},
    ("update_registry", "address"): {"secret_headers"},
    ("update_report", "batch_ids"): {
        "inclusions", "inclusion_count", "amount", "ledger_id", "start_time", "end_time", "stale_batch_count",
    },
    ("update_webhook", "is_enabled"): {"disabled_at", "disabled_reason"},
}  # fmt: skip
"""What changes with a field: another form of it, or what it comes to."""

NOT_OF_A_RECORD = {"update_inputs", "reassign_api_token", "reassign_report_link"}
"""Changes that no record is the answer of, and those of one field, whose record no path gives."""

OTHER_DOCUMENTS: dict[tuple[str, str], Any] = {
    ("update_registry_mapping", "contents"): MAPPED | {"feedstock_type": {"id": "fst_1MAPPED0000000000"}},
}
"""Another value of a field that is a whole document, which its schema does not say."""

CHANGES = sorted(
    name
    for name, operation in OPERATIONS.items()
    if operation.method == "PATCH" and name not in NOT_OF_A_RECORD
)


@pytest.fixture(scope="module")
def world(server):
    return world_of(server)


def fields_of(name: str) -> dict[str, Any]:
    """The fields of a change by their names, each with its schema."""
    [wrapping] = content_of(OPERATIONS[name])
    whole = BODIES[name]["application/json"]["schema"]
    return dict(resolved(record_of(whole, wrapping)["properties"][wrapping])["properties"])


def others(schema: Any, name: str, now: Any, world: World) -> Iterator[Any]:
    """Values of a field other than the one that it has."""
    options = [resolved(one) for one in schema.get("anyOf", [schema])]
    kinds = [kind for one in options for kind in _kinds(one)]
    if "null" in kinds:
        yield None
    for one in options:
        yield from one.get("enum", ())
    match now:
        case bool():
            yield not now
        case int() | float():
            yield now + 1
        case str():
            yield f"{now} too"
        case None if is_id(name) and kind_of(name) in world.ids:
            yield world.ids[kind_of(name)]
        case None | [] | {}:
            yield from (least(one, name) for one in options if "null" not in _kinds(one))
    if "array" in kinds:
        yield []


def _kinds(schema: Any) -> list[str]:
    kinds = schema.get("type", "string")
    return [kinds] if isinstance(kinds, str) else list(kinds)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_one_field_changes_no_other(world, name):
    operation, taken = OPERATIONS[name], 0
    path = world.path(operation)
    shown = path.removesuffix("/version_label")
    [wrapping] = content_of(operation)

    # The second time round the record has a value wherever one was taken.
    for field, schema in [*fields_of(name).items()] * 2:
        whole = [OTHER_DOCUMENTS[name, field]] if (name, field) in OTHER_DOCUMENTS else []
        for value in [*others(schema, field, record(world, shown).get(field), world), *whole]:
            before = record(world, shown)
            answer = next(world.callers).patch(path, {wrapping: {field: value}})
            after = record(world, shown)
            follows = {field, *FOLLOWS.get((name, field), ()), *ALWAYS} if answer.status == 200 else set()
            assert answer.status in {200, 400, 404, 409, 422}, answer.text
            either = before.keys() | after.keys()
            changed = {one for one in either if before.get(one) != after.get(one)}
            assert changed <= follows, (field, value)
            taken += answer.status == 200

    assert taken


def record(world: World, path: str) -> dict[str, Any]:
    found: dict[str, Any] = next(world.callers).get(path).expect(200).body
    return found
