"""Every change of the books is found, or the documents say why it cannot be."""

import asyncio
from itertools import islice

from psycopg.conninfo import make_conninfo
from tests.given import rich_books
from tests.server import Server
from tests.verification.mutations import COLUMNS, TABLES, Examiner, is_listed, mutations, unshown

from weighbridge.collection.evidence_files import open_store
from weighbridge.db.engine import Database

PARTS = 8
"""The changes are examined in so many parts; `make test` does the first, `make mutations` all."""


def test_changes_are_found_or_listed(migrated_database, request):
    with Server(migrated_database) as server:
        rich_books.told(server.account())
        store = open_store(server.settings.evidence_url, server.settings.data_dir)
        changes = [*mutations(server.sql(TABLES), server.sql(COLUMNS))]
        listed = unshown()
        assert listed.keys() - {one.name for one in changes} - {f"{one.table}.*" for one in changes} == set()
        examined = [one for one in changes if not is_listed(one, listed)]
        if not request.config.getoption("--every-mutation"):
            examined = [*islice(examined, 0, None, PARTS)]
        silent, absent = asyncio.run(_examined(migrated_database, store, examined))
    assert (silent, absent) == ([], []), f"of {len(examined)} changes"


async def _examined(url, store, changes):
    silent, absent = [], []
    owner = make_conninfo(url, user="postgres")
    async with Database(owner, connections_max=2) as database:
        examiner = Examiner(database, store)
        for change in changes:
            found = await examiner.found(change)
            if found is None:
                silent.append(change.name)
            elif found.startswith("-"):
                absent.append(f"{change.name} {found}")
    return silent, absent
