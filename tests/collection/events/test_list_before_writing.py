"""A list that is read in a transaction which writes afterwards: `select_events`, `ANY_WAY`."""

import pytest
from tests.given import collection as given

from weighbridge.collection.events import EVENTS, select_events
from weighbridge.db.lists.listing import list_request

SETTINGS = """
    SELECT current_setting('enable_sort'), current_setting('enable_seqscan'),
           current_setting('enable_bitmapscan'), current_setting('plan_cache_mode')
"""


@pytest.mark.parametrize("sort", ["start_time", "updated_at"])
def test_what_follows_a_list_is_planned_as_what_came_before_it(account, api, server, sort):
    project = given.project(api)["numeric_id"]

    async def settings():
        async with account.database.write() as tx:
            before = await tx.tuples(SETTINGS)
            await select_events(tx, project, list_request([("sort", sort)], EVENTS))
            return before, await tx.tuples(SETTINGS)

    before, after = server.run(settings())

    assert after == before
