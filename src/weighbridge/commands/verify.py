"""`weighbridge verify`: check the books, recompute every batch and read every evidence file."""

import asyncio
import sys
from typing import TYPE_CHECKING

from cyclopts import App

from weighbridge.commands.options import DataDir, Json

if TYPE_CHECKING:
    from weighbridge.verification import Report


def register(app: App) -> None:
    """Add the command."""
    app.command(verify)


def verify(*, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Check every ledger, compute every batch anew and read every evidence file; exits with 1 when anything
    does not hold.

    Nothing is changed, and the service may go on working meanwhile.

    Example: `weighbridge verify --data-dir /srv/weighbridge`
    """
    import msgspec  # noqa: PLC0415 - slow to import

    from weighbridge.collection.evidence_files.store import open_store  # noqa: PLC0415 - as above
    from weighbridge.db.embedded import database  # noqa: PLC0415 - as above
    from weighbridge.db.engine import Database  # noqa: PLC0415 - as above
    from weighbridge.settings import read_with  # noqa: PLC0415 - as above
    from weighbridge.verification import verify  # noqa: PLC0415 - as above

    async def check(url: str) -> "Report":
        async with Database(url, connections_max=2, idle_timeout_seconds=3600) as opened:
            return await verify(opened, open_store(settings.evidence_url, settings.data_dir))

    settings = read_with(data_dir=data_dir)
    with database(settings) as url:
        report = asyncio.run(check(url))
    sys.stdout.write(msgspec.json.encode(report).decode() + "\n" if as_json else _sentences(report))
    if not report.is_clean:
        sys.exit(1)


def _sentences(report: "Report") -> str:
    over = f"{report.batches} batches, {report.entries} ledger entries and {report.files} evidence files"
    lines = [f"{len(report.checks)} rules over {over}:"]
    for check in report.checks:
        lines.append(f"  {'BROKEN' if check.violations else 'holds '}  {check.rule}")
        lines += [f"            {violation}" for violation in check.violations]
    lines += [
        f"  audit chain of account {head.account}: row {head.number}, {head.hash}"
        for head in report.audit_heads
    ]
    lines.append("Everything holds." if report.is_clean else "Not everything holds.")
    return "\n".join(lines) + "\n"
