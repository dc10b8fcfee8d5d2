"""`weighbridge outdated-rules`: the rules whose stored results are not what an evaluation would find now."""

import asyncio
import sys
from typing import TYPE_CHECKING

from cyclopts import App

from weighbridge.commands.database import opened
from weighbridge.commands.options import ExistingDataDir, Json

if TYPE_CHECKING:
    from weighbridge.quality.impact.outdated_rules import OutdatedRule


def register(app: App) -> None:
    """Add the command."""
    app.command(list_outdated, name="outdated-rules")


def list_outdated(*, data_dir: ExistingDataDir = None, as_json: Json = False) -> None:
    """List the rules with windows or fillings of which an evaluation would change something.

    Nothing is stored. Run it after an upgrade, before the service takes requests: it waits for writers, and
    they wait for it.

    Example: `weighbridge outdated-rules --data-dir /srv/weighbridge`
    """
    with opened(data_dir, is_made=True) as url:
        found = asyncio.run(_outdated(url))
    if as_json:
        import msgspec  # noqa: PLC0415 - slow to import

        sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
        return
    for one in found:
        times = f", evaluated until {one.evaluated_until.text}" if one.evaluated_until is not None else ""
        sys.stdout.write(
            f"{one.rule_id}  {one.name!r} of {one.project_id} ({one.evaluation}{times}): "
            f"{one.changes:,} changes, {one.alerts:,} alerts then\n"
        )
    how_many = (
        f"An evaluation would change something of {len(found)} rules" if found else "No rule is outdated"
    )
    sys.stdout.write(f"{how_many}; nothing was stored.\n")


async def _outdated(url: str) -> "list[OutdatedRule]":
    from weighbridge.db.engine import Database  # noqa: PLC0415 - slow to import
    from weighbridge.quality.impact.outdated_rules import outdated_rules  # noqa: PLC0415 - as above

    async with Database(url, connections_max=1) as database:
        return [one async for one in outdated_rules(database)]
