"""A page of events or data points reads about as many rows as it shows, whatever the database knows of them.

Decision 18: which index finds the rows of a page follows from the filters and the sort. What the statements
read is told by EXPLAIN ANALYZE, of a project of 20,000 events.
"""

from collections.abc import Sequence

import pytest
from tests.given import collection as given
from tests.given.lone import copied
from tests.given.plans import READ_MAX, explained, nodes, rows_read

from weighbridge.collection.data_points_queries import DATA_POINTS, list_data_points
from weighbridge.collection.events import EVENTS, select_events
from weighbridge.collection.measurements.event_records import ONE_EVENT
from weighbridge.core import identity
from weighbridge.db.lists.listing import list_request
from weighbridge.errors import Invalid

EVENTS_STORED = 20_000

LOAD = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, tracking_id, feedstock_id,
                        location_ids, numbers, is_complete, client_reference, updated_at)
    SELECT %(project)s, %(first)s + n, %(kind)s, moment, moment + interval '1 minute', 'T-' || n / 20,
           %(feedstock)s, ARRAY[%(location)s]::integer[], ARRAY[1, 2, 3], n %% 100 <> 0, 'erp-' || n,
           '2022-01-01Z'::timestamptz - n * interval '1 minute'
      FROM (SELECT n, '2020-01-01Z'::timestamptz + n * interval '1 minute' AS moment
              FROM generate_series(%(from)s, %(to)s - 1) AS n) AS made
"""
LATE = "2020-01-13T00:00:00Z"
CHANGED_EARLY = "2021-12-18T04:00:00Z"
CHANGED_LATE = "2021-12-31T21:00:00Z"
"""Events changed in the order opposite to their start: 200 before the one, 180 after the other."""
OF_EVENTS: Sequence[dict[str, str]] = (
    {},
    {"sort": "-start_time"},
    {"sort": "id"},
    {"sort": "-updated_at"},
    {"filter[slug]": "delivery"},
    {"filter[slug]": "delivery", "filter[start_time][geq]": LATE},
    {"filter[location_id]": "{location}"},
    {"filter[location_id]": "{location}", "filter[slug]": "delivery", "filter[start_time][geq]": LATE},
    {"filter[feedstock_id]": "{feedstock}", "sort": "-start_time"},
    {"filter[tracking_id]": "T-900"},
    {"filter[tracking_id]": "T-900", "filter[slug]": "delivery"},
    {"filter[tracking_id]": "T-900", "sort": "end_time"},
    {"filter[start_time][geq]": LATE},
    {"filter[start_time][leq]": LATE, "sort": "-start_time"},
    {"filter[end_time][geq]": LATE},
    {"filter[end_time][leq]": LATE, "sort": "-start_time"},
    {"filter[status]": "incomplete"},
    {"filter[status]": "incomplete", "sort": "-start_time"},
    {"filter[status]": "incomplete", "sort": "updated_at"},
    {"filter[status]": "incomplete", "filter[slug]": "delivery", "filter[start_time][leq]": LATE},
    {"filter[status]": "complete"},
    {"filter[updated_at][leq]": CHANGED_EARLY},
    {"filter[updated_at][geq]": CHANGED_LATE, "sort": "-start_time"},
    {"filter[updated_at][geq]": CHANGED_LATE, "sort": "updated_at"},
    {"filter[updated_at][leq]": CHANGED_EARLY, "sort": "updated_at"},
    {"filter[updated_at][leq]": CHANGED_EARLY, "filter[location_id]": "{location}"},
    {"filter[updated_at][leq]": CHANGED_EARLY, "filter[start_time][geq]": LATE},
    {"filter[updated_at][leq]": CHANGED_EARLY, "sort": "tracking_id"},
    {"filter[updated_at][geq]": "2000-01-01T00:00:00Z", "sort": "-updated_at"},
    {"filter[updated_at][geq]": "2000-01-01T00:00:00Z", "filter[tracking_id]": "T-900"},
)
OF_POINTS: Sequence[dict[str, str]] = (
    {},
    {"sort": "-start_time"},
    {"sort": "-id"},
    {"sort": "updated_at"},
    {"slug": "ash"},
    {"slug": "ash", "start_time": LATE},
    {"start_time": LATE},
    {"end_time": LATE, "sort": "-start_time"},
)


@pytest.fixture(scope="module")
def stored(lone):
    """A project with many events of one type, at one location; what a query may name of it."""
    api = lone.server.account().caller()
    types = [given.number(slug) for slug in ("mass", "ash", "water")]
    project = given.measuring(api, *types)
    [kind] = api.get(f"/projects/{project['id']}/event_types").data
    tags = {"location": given.location(api, project)["id"], "feedstock": given.feedstock(api, project)["id"]}
    numbers = {name: key.key for name, tag in tags.items() if (key := identity.parse(name, tag))}
    values = {"project": project["numeric_id"], "first": 10**8, **numbers}
    values["kind"] = kind["data_point_types"][0]["nexus_event_type_id"]

    def load(connection, begin, end):
        connection.execute(LOAD, {**values, "from": begin, "to": end})

    tables = ("events", "event_types", "data_point_types", "locations", "feedstocks")
    lone.fill(EVENTS_STORED, load, copied(project["numeric_id"], *tables), *tables)
    return project["numeric_id"], tags


@pytest.fixture
def plans(lone, stored):
    """The plans by which a list is read."""
    project, tags = stored

    def read(work, listing, query):
        asked = [(name, value.format_map(tags)) for name, value in query.items()]

        async def page(tx):
            return await work(tx, project, list_request(asked, listing))

        return explained(lone.server, page)

    return read


@pytest.mark.parametrize("query", OF_EVENTS, ids=str)
def test_a_page_of_events_reads_what_it_shows(plans, query):
    found, page = plans(select_events, EVENTS, query)

    assert len(page.data) == 20
    assert max(map(rows_read, found)) < READ_MAX


@pytest.mark.parametrize("query", [{}, {"filter[location_id]": "{location}"}, {"sort": "id"}], ids=str)
def test_a_range_of_changes_that_is_long_is_read_in_its_own_order(plans, query):
    with pytest.raises(Invalid, match=r"at most 10,000 records.*or sort by updated_at\."):
        plans(select_events, EVENTS, {"filter[updated_at][geq]": "2000-01-01T00:00:00Z", **query})


def test_a_moment_of_start_is_looked_up(plans):
    found, page = plans(select_events, EVENTS, {"filter[start_time]": LATE})

    assert [event.client_reference for event in page.data] == ["erp-17280"]
    assert max(map(rows_read, found)) < 50


@pytest.mark.parametrize("sort", ["start_time", "-updated_at"])
def test_an_event_is_found_by_its_reference(plans, sort):
    found, page = plans(select_events, EVENTS, {"filter[client_reference]": "erp-777", "sort": sort})

    assert [event.client_reference for event in page.data] == ["erp-777"]
    assert max(map(rows_read, found)) < 50


def test_one_event_is_found_by_its_key_before_anything_is_looked_up_beside_it(lone, stored):
    """A planner without statistics began with the project's types, and walked a million events of each."""
    [[[told]]] = lone.server.sql(
        f"EXPLAIN (ANALYZE, FORMAT JSON) {ONE_EVENT.replace('%s', '{}')}".format(stored[0], 10**8 + 77)
    )
    [event] = [node for node in nodes(told["Plan"]) if node.get("Alias") == "e"]
    first = next(node for node in nodes(told["Plan"]) if "Relation Name" in node)

    assert (event["Index Name"], event["Actual Loops"], event["Actual Rows"]) == ("events_pkey", 1, 1)
    assert first is event


@pytest.mark.parametrize("query", OF_POINTS, ids=str)
def test_a_page_of_data_points_reads_what_it_shows(plans, query):
    found, page = plans(list_data_points, DATA_POINTS, query)

    assert len(page.data) == 20
    assert max(map(rows_read, found)) < 3 * READ_MAX
