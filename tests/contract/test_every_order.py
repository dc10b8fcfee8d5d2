"""Every list, in every order that it names and by every filter that it takes, is walked whole.

Each list holds records that are alike in what it sorts by, that lack it, and values of every type. What one
page of it shows is what its pages show, by number and by cursor.
"""

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from tests.given.cases import tried_together
from tests.given.requests import CALLERS, OPERATIONS, World, kind_of, needed_filters, required_query
from tests.given.several import several_of
from tests.server import Server

LISTS = [name for name, operation in OPERATIONS.items() if operation.listing is not None]
SORTS = [
    (name, sign + field) for name in LISTS for field in OPERATIONS[name].listing.sorts for sign in ("", "-")
]
PAIRS = [
    (name, f"{sign}{first},{other}{second}")
    for name in LISTS
    for first, second in pairwise(OPERATIONS[name].listing.sorts)
    for sign, other in (("", ""), ("-", ""))
]
FILTERS = [
    (name, field, comparator)
    for name in LISTS
    for field, one in OPERATIONS[name].listing.filters.items()
    for comparator in one.comparators
]
FEWEST = {"list_ledger_batches": 3, "list_batches": 3, "list_rule_versions": 3, "list_data_points": 12}
"""Records that a list holds at least, where that is not two."""

VALUES: Mapping[str, Any] = {
    "start_time": "2025-01-05T00:00:00.000Z",
    "end_time": "2025-02-05T00:00:00.000Z",
    "effective_from": "2025-01-05T00:00:00.000Z",
    "created_at": "2025-01-05T00:00:00Z",
    "evaluated_at": "2025-01-05T00:00:00Z",
    "updated_at": "2025-01-05T00:00:00Z",
    "tracking_id": "T-1",
    "client_reference": "first",
    "external_id": "REC-1",
    "number": "2",
    "version": "1",
    "rule_version": "1",
    "tier": "1",
    "approval_state": "pending",
}
"""What to filter by, where no record shows a value as a filter takes it."""

NOT_SHOWN: Mapping[str, str] = {"status": "working", "in_force_at": "2025-01-05T00:00:00Z"}
"""What to filter by, where records do not show the field at all."""


@pytest.fixture(scope="module")
def world(server: Server) -> World:
    """Each of its tokens was used, which the list of tokens shows."""
    found = several_of(server)
    for _ in range(CALLERS):
        next(found.callers).get("/projects").expect(200)
    return found


@pytest.fixture(scope="module")
def walks(world: World):
    """The records of a list: on one page, by numbered pages, and by cursor."""

    def get(name: str, query: Mapping[str, str]):
        operation = OPERATIONS[name]
        needed = required_query(operation, world)
        return next(world.callers).get(world.path(operation), needed | query).expect(200)

    def walk(name: str, **query: str) -> list[Any]:
        whole = get(name, {**query, "page_size": "200"}).data
        half = -(-len(whole) // 2) or 1
        pages = {"page_size": str(half)}
        # Where there are cursors, a first page is what is walked from below: the second one tells numbers.
        page = 2 if OPERATIONS[name].listing.key and len(whole) > half else 1
        numbered = whole[: half * (page - 1)]
        while page is not None:
            answer = get(name, {**query, **pages, "page": str(page)})
            numbered += answer.data
            page = answer.info["next_page"]
        assert numbered == whole
        if OPERATIONS[name].listing.key:
            # A cursor says where a page ended: that is tried where records are alike and where they lack it.
            size = str(max(1, len(whole) // 4))
            walked, cursor = [], ""
            while cursor is not None:
                answer = get(name, {**query, "page_size": size} | ({"cursor": cursor} if cursor else {}))
                walked += answer.data
                cursor = answer.info["next_cursor"]
            assert walked == whole
        return whole

    return walk


@tried_together(("name", "sort"), SORTS + PAIRS)
def test_a_list_in_an_order_is_walked_whole(walks, name, sort):
    whole = walks(name, sort=sort, **needed_filters(OPERATIONS[name], sort))

    assert len(whole) >= FEWEST.get(name, 2)


@pytest.fixture(scope="module")
def value_of(world: World, walks):
    """A value to filter a list by; the list is walked once for all its filters."""
    unfiltered = cache(walks)
    return lambda name, field: _value(world, unfiltered(name), field)


@tried_together(("name", "field", "comparator"), FILTERS)
def test_a_filtered_list_is_walked_whole(walks, value_of, name, field, comparator):
    shown, sent = value_of(name, field)

    whole = walks(name, **{f"filter[{field}][{comparator}]": sent})

    if comparator == "eq":
        assert {str(record[field]) for record in whole if field in record} <= {shown}


def _value(world: World, records: list[Any], field: str) -> tuple[str, str]:
    """A value to filter by: as records show it, and as a filter takes it."""
    if field == "project_id":
        return world.ids["project"], str(world.ids["project_number"])
    name = "id" if field == "friendly_id" else field
    shown = [one[name] for one in records if one.get(name) is not None]
    if shown and field not in VALUES:
        return str(shown[0]), str(shown[0]).lower() if isinstance(shown[0], bool) else str(shown[0])
    kind = kind_of(field)
    if kind in world.ids and field.endswith("_id"):
        value = str(world.ids["event_type_number"] if field.startswith("nexus") else world.ids[kind])
        return value, value
    value = VALUES.get(field, NOT_SHOWN.get(field, "x"))
    return value, value


ASK = [(name, sort) for name in LISTS for sort in OPERATIONS[name].listing.needs]


@tried_together(("name", "sort"), ASK)
def test_an_order_that_needs_filters_is_refused_without_any_of_them(world, name, sort):
    operation = OPERATIONS[name]
    path, filters = world.path(operation), needed_filters(operation, sort)
    for left_out in filters:
        query = {parameter: value for parameter, value in filters.items() if parameter != left_out}

        error = next(world.callers).get(path, {**query, "sort": f"-{sort}"}).expect(422).error

        assert (error["field"], error["code"]) == ("sort", "unbounded")
        assert left_out in error["message"]
