"""Numbers of the feed: given to what was committed, before anybody looks."""

from collections.abc import Mapping, Sequence
from typing import Final

from weighbridge.db.engine import Database

NUMBERED_AT_ONCE: Final = 1_000
"""Rows that `number_changes` takes at a time, and all that their transactions have beside them."""

ROUNDS_MAX: Final = 20
"""How often one look takes some; what is left then comes with the next one."""

_NEWEST: Final = """
    SELECT array_agg(account), array_agg(coalesce(
               (SELECT max(c.number) FROM changes c WHERE c.account_id = account), 0))
      FROM unnest(%s::integer[]) AS account
"""


async def number_changes(database: Database) -> int:
    """Give numbers to what was committed; gives how much there was."""
    taken = 0
    for _ in range(ROUNDS_MAX):
        found = await database.single("SELECT number_changes()")
        taken += found[0] if found else 0
        if not found or found[0] < NUMBERED_AT_ONCE:
            break
    return taken


async def newest_numbers(database: Database, accounts: Sequence[int]) -> Mapping[int, int]:
    """The number of the newest entry of each account, once what was committed has its number."""
    await number_changes(database)
    found = await database.single(_NEWEST, ([*accounts],))
    return dict(zip(found[0], found[1], strict=True)) if found and found[0] else {}
