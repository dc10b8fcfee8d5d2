"""A page of batches reads about as many rows as it shows, whatever the database knows of them."""

import pytest
from tests.given import accounting, many
from tests.given import collection as given
from tests.given.plans import READ_MAX, explained, rows_read

from weighbridge.accounting.batches_queries import BATCHES, list_batches, list_batches_of_project
from weighbridge.db.lists.listing import list_request
from weighbridge.errors import Invalid

LATE = "2045-01-01T00:00:00Z"
MADE_EARLY = "2053-01-01T00:00:00Z"
QUERIES = (
    {},
    {"sort": "-start_time"},
    {"sort": "-id"},
    {"sort": "friendly_id"},
    {"sort": "created_at"},
    {"filter[ledger_id]": "{ledger}"},
    {"filter[ledger_id]": "{ledger}", "filter[start_time][geq]": LATE},
    {"filter[project_id]": "{project}"},
    {"filter[project_id]": "{project}", "filter[ledger_id]": "{ledger}"},
    {"filter[start_time][geq]": LATE},
    {"filter[start_time][leq]": LATE, "sort": "-start_time"},
    {"filter[end_time][geq]": LATE},
    {"filter[end_time][leq]": LATE, "sort": "-start_time"},
    {"filter[created_at][leq]": MADE_EARLY},
    {"filter[created_at][leq]": MADE_EARLY, "sort": "created_at"},
)


MARK = """
    INSERT INTO stale_runs (project_id, run_id, ledger_id, reason, record)
    SELECT project_id, run_id, ledger_id, 'event_changed', 'evt_1'
      FROM batches WHERE project_id = %s ORDER BY id DESC LIMIT 30
"""


@pytest.fixture(scope="module")
def stored(lone):
    """An account with a plant that made many batches, and with another project."""
    account = lone.server.account()
    api = account.caller()
    plant = accounting.plant(api, account.drain)
    given.project(api)
    many.many_batches(lone, plant, 11_000)
    lone.server.sql(MARK, plant.project["numeric_id"])
    return account, plant


@pytest.fixture(params=["of the account", "of the project"])
def page(request, lone, stored):
    account, plant = stored
    names = {"ledger": plant.ledger["id"], "project": plant.project["id"]}

    def read(*query):
        asked = list_request([(name, value.format_map(names)) for name, value in query], BATCHES)
        if request.param == "of the account":
            return explained(lone.server, lambda tx: list_batches(tx, account.actor, asked))
        project = plant.project["numeric_id"]
        return explained(lone.server, lambda tx: list_batches_of_project(tx, project, asked))

    return read


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_a_page_of_batches_reads_what_it_shows(page, query):
    plans, first = page(*query.items())
    more, second = page(*query.items(), ("cursor", first.info.next_cursor))

    assert (len(first.data), len(second.data)) == (20, 20)
    assert not {one.id for one in first.data} & {one.id for one in second.data}
    assert max(map(rows_read, [*plans, *more])) < 2 * READ_MAX


def test_the_batches_of_a_tracking_id_are_found_without_reading_the_others(page):
    plans, found = page(("filter[tracking_id]", "T-40"))

    assert len(found.data) == 20
    assert max(map(rows_read, plans)) < READ_MAX


@pytest.mark.parametrize("query", [{}, {"sort": "-end_time"}, {"filter[ledger_id]": "{ledger}"}], ids=str)
def test_stale_batches_are_found_from_what_is_marked(page, query):
    plans, found = page(("filter[is_stale]", "true"), *query.items())

    assert (len(found.data), found.info.total_items) == (20, 30)
    assert {one.is_stale for one in found.data} == {True}
    assert max(map(rows_read, plans)) < READ_MAX


@pytest.mark.parametrize("sort", ["end_time", "-updated_at", "tracking_id", "state"])
def test_many_batches_are_put_in_no_order_that_no_index_gives(page, sort):
    with pytest.raises(Invalid, match=r"at most 10,000 records"):
        page(("sort", sort))
