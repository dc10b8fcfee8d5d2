"""`weighbridge verify` and `weighbridge outdated-rules`: checks that change nothing.

The first checks the ledgers, recomputes every batch and reads every evidence file; the second lists the
rules whose stored results an evaluation would change.
"""

import asyncio
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from weighbridge.commands.context import ProgressReport, open_cells, progress_bars
from weighbridge.commands.options import ExistingDataDir, Json
from weighbridge.core.platform.cell import FIRST
from weighbridge.core.time.calendar import Instant
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weighbridge.core.platform.cell import Cell
    from weighbridge.verification import Check, VerificationReport


Since = Annotated[
    str | None,
    Parameter(
        help="Only batches made, audit rows sealed and files attached since a time with an offset; "
        "the rules of the books look at all.",
    ),
]


def verify(*, data_dir: ExistingDataDir = None, since: Since = None, as_json: Json = False) -> None:
    """Check every ledger, compute every batch anew and read every evidence file; exits with 1 when anything
    does not hold.

    Nothing is changed, and the service may go on working meanwhile.

    Example: `weighbridge verify --data-dir /srv/weighbridge`
    """
    import msgspec

    from weighbridge.collection.evidence_files import open_store
    from weighbridge.db.account_move import without_moves
    from weighbridge.db.engine import Database
    from weighbridge.db.statements import to_json_form
    from weighbridge.platform.secret_keys import SecretKeys
    from weighbridge.settings import read_with
    from weighbridge.verification import VerificationRequest, verify
    from weighbridge.verification.cells import compare_directory, merge_reports

    async def check(url: str, report: ProgressReport) -> "VerificationReport":
        store = open_store(settings.evidence_url, settings.data_dir)
        opened = Database(
            url, connections_max=2, idle_timeout_seconds=3600, encryption=SecretKeys.of(settings)
        )
        async with opened as database:
            return await verify(database, store, VerificationRequest(moment, report))

    async def check_directory(urls: "Mapping[Cell, str]") -> "Check":
        return await compare_directory(urls[FIRST], [*urls])

    moment = None if since is None else _moment(since)
    settings = read_with(data_dir=data_dir)
    with open_cells(data_dir) as urls, progress_bars() as bars:
        if len(urls) == 1:
            report = asyncio.run(check(urls[FIRST], bars))
        else:
            with without_moves(urls[FIRST]):
                reports = {cell: asyncio.run(check(url, bars)) for cell, url in urls.items()}
                report = merge_reports(reports, asyncio.run(check_directory(urls)))
    sys.stdout.write(
        msgspec.json.encode(report, enc_hook=to_json_form).decode() + "\n" if as_json else _sentences(report)
    )
    if not report.is_clean:
        sys.exit(1)


def _moment(text: str) -> Instant:
    try:
        return Instant.of(datetime.fromisoformat(text))
    except ValueError:
        raise Refusal(
            f"--since is {text!r}; it takes a time with an offset, such as 2025-03-01T00:00:00Z."
        ) from None


def _sentences(report: "VerificationReport") -> str:
    over = f"{report.batches} batches, {report.entries} ledger entries and {report.files} evidence files"
    if report.since is not None:
        over += f", of batches and files those since {report.since.text}"
    lines = [f"{len(report.checks)} rules over {over}:"]
    for check in report.checks:
        lines.append(f"  {'BROKEN' if check.violations else 'holds '}  {check.rule}")
        lines += [f"            {violation}" for violation in check.violations]
    if report.older.batches:
        lines.append(f"  {report.older.batches} batches were computed by an older revision of the engine.")
    if report.unshown_events:
        lines.append(
            f"  {report.unshown_events:,} events were stored before 1.1.0: what was captured of them cannot"
            " be shown, only what batches saw of them."
        )
    if report.unshown_generations:
        lines.append(
            f"  {report.unshown_generations:,} generations were carried out before 1.1.0: what they wrote"
            " that no other rule tells cannot be shown."
        )
    lines += [
        f"  audit log of account {head.account}: {head.number} rows, {head.hash}"
        for head in report.audit_heads
    ]
    lines.append("Everything holds." if report.is_clean else "Not everything holds.")
    return "\n".join(lines) + "\n"


if TYPE_CHECKING:
    from weighbridge.quality.evaluation.period_evaluation import OutdatedRule


def list_outdated(*, data_dir: ExistingDataDir = None, as_json: Json = False) -> None:
    """List the rules with windows or fillings of which an evaluation would change something.

    Nothing is stored. Run it after an upgrade, before the service takes requests: it waits for writers, and
    they wait for it.

    Example: `weighbridge outdated-rules --data-dir /srv/weighbridge`
    """
    with open_cells(data_dir) as urls:
        rules = [rule for url in urls.values() for rule in asyncio.run(_list_outdated(url))]
    if as_json:
        import msgspec

        sys.stdout.write(msgspec.json.encode(rules).decode() + "\n")
        return
    for rule in rules:
        times = f", evaluated until {rule.evaluated_until.text}" if rule.evaluated_until is not None else ""
        sys.stdout.write(
            f"{rule.rule_id}  {rule.name!r} of {rule.project_id} ({rule.evaluation}{times}): "
            f"{rule.changes:,} changes, {rule.alerts:,} alerts then\n"
        )
    how_many = (
        f"An evaluation would change something of {len(rules)} rules" if rules else "No rule is outdated"
    )
    sys.stdout.write(f"{how_many}; nothing was stored.\n")


async def _list_outdated(url: str) -> "list[OutdatedRule]":
    from weighbridge.db.engine import Database
    from weighbridge.quality.evaluation.period_evaluation import outdated_rules

    async with Database(url, connections_max=1) as database:
        return [rule async for rule in outdated_rules(database)]
