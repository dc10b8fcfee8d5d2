"""What `verify` says of the records of an installation."""

import asyncio

from tests.server import Server

from weighbridge.db.engine import Database
from weighbridge.verification.recorded import check_records


def differing(server: Server, *named: str) -> list[str]:
    """Where records are others than the log says, in the sentences that have any of these words.

    All records of the database are compared, which takes long: no loop of a service does that.
    """

    async def compared() -> list[str]:
        async with Database(server.running_url, connections_max=1) as database, database.read() as tx:
            return await check_records(tx)

    return [sentence for sentence in asyncio.run(compared()) if any(word in sentence for word in named)]
