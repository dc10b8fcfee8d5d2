"""The key of the audit log as a step of a start; where there is none, the service runs and signs no heads."""

import asyncio

import structlog

from weighbridge.db.engine import Database
from weighbridge.errors import Refusal
from weighbridge.platform.audit_tree.keys import keep_key, key_file
from weighbridge.settings import Settings

log = structlog.get_logger("weighbridge.supervisor")


def keep_audit_key(url: str, settings: Settings) -> None:
    """Have this host have the key, made if the database knows none yet.

    Raises Refusal when a setting names a file that holds none.
    """
    try:
        is_kept = asyncio.run(_keep(url, settings))
    except Refusal as refusal:
        if settings.audit_key_file is not None:
            raise
        log.error("audit_key_missing", reason=str(refusal))  # noqa: TRY400 - no trace is of use here
        return
    if not is_kept:
        log.error(
            "audit_key_missing",
            file=str(key_file(settings)),
            remedy="let WEIGHBRIDGE_AUDIT_KEY_FILE name a copy of the file that another host of this database"
            " has, or a new key that signs from now on",
        )


async def _keep(url: str, settings: Settings) -> bool:
    async with Database(url, connections_max=1) as database, database.write() as tx:
        return await keep_key(tx, settings) is not None
