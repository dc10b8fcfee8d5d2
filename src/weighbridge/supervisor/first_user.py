"""The first person as a step of a start: while nobody can sign in, a link is made by which somebody joins."""

import asyncio
from secrets import token_hex

from weighbridge.db.engine import Database
from weighbridge.platform.accounts.actions import DEFAULT_ACCOUNT, administrator_of
from weighbridge.platform.users.actions import offer_first_user
from weighbridge.platform.users.queries import has_people


def first_user_link(url: str, address: str) -> str | None:
    """A link by which the first person joins, at the address of the service; None when somebody has.

    The link of an earlier start works no longer.
    """
    secret = asyncio.run(_offer(url))
    return None if secret is None else f"{address}/join?key={secret}"


async def _offer(url: str) -> str | None:
    async with Database(url, connections_max=1) as database, database.write() as tx:
        if await has_people(tx):
            return None
        actor = await administrator_of(tx, DEFAULT_ACCOUNT, f"start_{token_hex(12)}")
        return await offer_first_user(tx, actor)
