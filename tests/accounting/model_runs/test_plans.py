"""A page of model runs reads about as many rows as it shows, whatever the database knows of them."""

import pytest
from tests.given import accounting, many
from tests.given.plans import READ_MAX, explained, rows_read

from weighbridge.accounting.model_runs import MODEL_RUNS, select_model_runs
from weighbridge.core import identity
from weighbridge.db.lists.listing import list_request
from weighbridge.errors import Invalid

LATE = "2045-01-01T00:00:00Z"
QUERIES = (
    {},
    {"sort": "-start_time"},
    {"sort": "id"},
    {"sort": "-id"},
    {"filter[state]": "failed"},
    {"filter[state]": "failed", "sort": "-start_time"},
    {"filter[state]": "complete"},
    {"filter[start_time][geq]": LATE},
    {"filter[start_time][leq]": LATE, "sort": "-start_time"},
    {"filter[end_time][geq]": LATE},
    {"filter[end_time][leq]": LATE, "sort": "-start_time"},
    {"filter[state]": "failed", "filter[end_time][geq]": LATE},
)


@pytest.fixture(scope="module")
def model(lone):
    """The actor of an account, and the number of a version of it with many runs, alone and behind batches."""
    account = lone.server.account()
    plant = accounting.plant(account.caller(), account.drain)
    many.many_batches(lone, plant, 10_000)
    return account.actor, identity.number("model", plant.model["id"])


@pytest.fixture
def page(lone, model):
    def read(*query):
        request = list_request(query, MODEL_RUNS)
        return explained(lone.server, lambda tx: select_model_runs(tx, *model, request))

    return read


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_a_page_of_model_runs_reads_what_it_shows(page, query):
    plans, first = page(*query.items())
    more, second = page(*query.items(), ("cursor", first.info.next_cursor))

    assert (len(first.data), len(second.data)) == (20, 20)
    assert not {one.id for one in first.data} & {one.id for one in second.data}
    assert max(map(rows_read, [*plans, *more])) < 2 * READ_MAX


@pytest.mark.parametrize("sort", ["end_time", "-created_at", "state", "start_time,id"])
def test_many_runs_are_put_in_no_order_that_no_index_gives(page, sort):
    with pytest.raises(Invalid, match=r"at most 10,000 records"):
        page(("sort", sort))
