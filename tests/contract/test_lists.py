"""Seed, Filtering and paging, held against every list of the service: `page_size` defaults to 20 and is
capped at 200; an unknown filter field, an unsupported comparator or a malformed filter parameter returns 400
naming the problem; `filter[state]` on batch lists and `filter[value]` on event data points are refused.

The lists come from the table of contents of the service, so that a new one is held to the same rules.
"""

import pytest
from tests.given.cases import tried_together
from tests.given.requests import OPERATIONS, World, needed_filters, noun_of, required_query, world_of
from tests.server import Answer, Server

from weighbridge.db.lists.listing import COMPARATORS

LISTS = [name for name, operation in OPERATIONS.items() if operation.listing is not None]
FILTERS = [(name, field) for name in LISTS for field in OPERATIONS[name].listing.filters]
PLAIN = [(name, plain) for name in LISTS for plain in OPERATIONS[name].listing.plain]
SORTS = [(name, field) for name in LISTS for field in OPERATIONS[name].listing.sorts]
NO_LONGER = {
    "list_batches": "state",
    "list_ledger_batches": "state",
    "list_event_data_points": "value",
}
TWO_VALUES = {
    "slug": ("mass", "note"),
    "start_time": ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z"),
    "end_time": ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z"),
    "status": ("fail", "pass"),
}


@pytest.fixture(scope="module")
def world(server: Server) -> World:
    return world_of(server)


@pytest.fixture(scope="module")
def listed(world: World):
    """What a list answers to a query."""

    def get(name: str, *query: tuple[str, str]) -> Answer:
        operation = OPERATIONS[name]
        needed = required_query(operation, world).items()
        return next(world.callers).get(world.path(operation), [*needed, *query])

    return get


@tried_together("name", LISTS, under=noun_of)
def test_a_page_has_twenty_records_unless_asked_otherwise_and_never_more_than_two_hundred(listed, name):
    sizes = [
        listed(name, *query).expect(200).info["page_size"]
        for query in ((), [("page_size", "200")], [("page_size", "201")], [("page_size", "1")])
    ]

    assert sizes == [20, 200, 200, 1]


@tried_together("name", LISTS, under=noun_of)
def test_an_unknown_field_to_filter_by_is_named_with_those_there_are(listed, name):
    error = listed(name, ("filter[colour][eq]", "red")).expect(400).error

    allowed = ", ".join(OPERATIONS[name].listing.filters) or "nothing"
    assert error == {
        "message": f"colour is not a field to filter by; this list takes {allowed}.",
        "field": "filter[colour][eq]",
        "code": "unknown",
    }


@tried_together(("name", "field"), FILTERS)
def test_a_filter_takes_no_comparator_but_its_own(listed, name, field):
    takes = OPERATIONS[name].listing.filters[field].comparators
    for comparator in ({*COMPARATORS} - {*takes}) | {"gt", "in", "EQ"}:
        parameter = f"filter[{field}][{comparator}]"

        error = listed(name, (parameter, "1")).expect(400).error

        assert (error["field"], error["code"]) == (parameter, "unsupported")
        assert error["message"].endswith(f"{field} takes {', '.join(takes)}.")


@tried_together(("name", "field"), FILTERS)
def test_a_malformed_filter_is_named(listed, name, field):
    for parameter in (f"filter[{field}", f"filter[{field}][eq][x]", f"filter[{field}]x"):
        error = listed(name, (parameter, "1")).expect(400).error

        assert (error["field"], error["code"]) == (parameter, "malformed")


@tried_together(("name", "field"), FILTERS)
def test_a_value_with_a_nul_can_be_read_by_no_filter(listed, name, field):
    comparator = OPERATIONS[name].listing.filters[field].comparators[0]

    error = listed(name, (f"filter[{field}][{comparator}]", "a\0")).expect(400).error

    assert error["code"] == "unreadable"


@pytest.mark.parametrize(("name", "field"), NO_LONGER.items())
@pytest.mark.parametrize("comparator", ["", "[eq]"])
def test_a_filter_that_is_no_longer_accepted_is_refused(listed, name, field, comparator):
    parameter = f"filter[{field}]{comparator}"

    error = listed(name, (parameter, "complete")).expect(400).error

    assert (error["field"], error["code"]) == (parameter, "unknown")


@tried_together(("name", "plain"), PLAIN)
def test_a_plain_parameter_given_beside_the_filter_that_it_stands_for_is_a_conflict(listed, name, plain):
    field, comparator = OPERATIONS[name].listing.plain[plain]
    first, second = TWO_VALUES[field]

    error = listed(name, (plain, first), (f"filter[{field}][{comparator}]", second)).expect(400).error

    assert (error["field"], error["code"]) == (field, "conflict")


@tried_together(("name", "field"), SORTS)
def test_every_order_a_list_names_works_both_ways(listed, name, field):
    filters = needed_filters(OPERATIONS[name], field).items()
    ascending = listed(name, ("sort", field), ("page_size", "200"), *filters).expect(200)
    descending = listed(name, ("sort", f"-{field}"), ("page_size", "200"), *filters).expect(200)

    assert (ascending.info["sort"], descending.info["sort"]) == ([field], [f"-{field}"])
    assert ascending.data == descending.data[::-1]


@pytest.mark.parametrize("name", sorted({name for name, _ in SORTS}))
def test_a_sort_by_any_number_of_columns_is_refused_and_a_column_that_is_named_again_is_one(listed, name):
    field = next(iter(OPERATIONS[name].listing.sorts))
    filters = needed_filters(OPERATIONS[name], field).items()

    twice = listed(name, ("sort", f"{field}, {field}"), *filters).expect(200)
    refused = listed(name, ("sort", ",".join([field] * 1_700)))

    assert twice.info["sort"] == [field]
    assert refused.status == 400
    assert "sort names 1,700 columns; it takes at most 20." in [one["message"] for one in refused.errors]
