"""What a worker does beside its tasks, again and again: what is due is found by looking.

Every worker looks for tasks that no living worker carries out and queues them again, so recovery needs no
setting up; it seals the audit log, numbers changes, evaluates rules, counts what waits for a generation and
tells webhooks, asks registries and identity providers, exchanges footprints, takes up files and removes what
has outlived its use. A round that fails is logged, and the next one comes all the same.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, MutableMapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from time import monotonic
from typing import Any, Final, cast

import structlog
from psycopg import OperationalError

from weighbridge.accounting.posting.waiting_events import update_marked
from weighbridge.collection.evidence_files import open_store, sweep
from weighbridge.db.cells import Cells
from weighbridge.db.engine import MOVED, Database, is_lost
from weighbridge.exchange.changes import forget_changes, number_all
from weighbridge.exchange.data_feed_uploads import remove_old_files
from weighbridge.exchange.delivery import DELIVERING_CONNECTIONS, LANES_MAX, Deliverer, NameResolver
from weighbridge.exchange.exports import remove_expired
from weighbridge.exchange.watched_places import poll_places
from weighbridge.exchange.webhooks import forget_deliveries
from weighbridge.footprints.footprints_tasks import follow_reports
from weighbridge.footprints.pact.calling import Exchanger
from weighbridge.http import idempotency
from weighbridge.http.outgoing import CallReach, OutgoingClient
from weighbridge.platform.audit_log import log_link_uses, log_refusals
from weighbridge.platform.audit_tree import seal
from weighbridge.platform.audit_witnesses import WitnessChange, ask_witnesses
from weighbridge.platform.queue import recover
from weighbridge.platform.sign_on.confirmation import FailedProvider, confirm_people
from weighbridge.quality.evaluation.incremental import ACCOUNTS_AT_ONCE, FailedEvaluation, Rounds
from weighbridge.reporting.reports_tasks import Submitter
from weighbridge.reporting.submission.sending import RefusedDecision
from weighbridge.settings import Settings

log = structlog.get_logger()

TIDY_SECONDS: Final = 3600.0
"""How often a worker removes what has outlived its use."""

SEAL_SECONDS: Final = 1.0
"""How often a worker seals the rows of the audit log that were committed since."""

NUMBER_SECONDS: Final = 1.0
"""How often a worker gives changes their numbers that were committed since."""

RULES_SECONDS: Final = 1.0
"""How often a worker looks for data that automatic rules have not evaluated yet."""

REVIEW_SECONDS: Final = 1.0
"""How often a worker looks for reports whose registry is to be asked for its decision."""

EXCHANGE_SECONDS: Final = 1.0
"""How often a worker looks for calls to partners."""

FOLLOW_SECONDS: Final = 10.0
"""How often a worker looks for reports whose footprints have to follow; it looks through all active ones."""

CONFIRM_SECONDS: Final = 5.0
"""How often a worker looks about whom identity providers are to be asked."""

WITNESS_LOOK_SECONDS: Final = 10.0
"""How often a worker looks at most which heads witnesses are to be asked to cosign."""

WAITING_SECONDS: Final = 1.0
"""How often a worker looks which events wait for a generation."""


def start_rounds(
    database: Database,
    settings: Settings,
    reviewer: Submitter,
    cells: Cells,
    tidied: MutableMapping[str | None, float],
) -> list[asyncio.Task[None]]:
    """Begin all of it in the cell of a database; whoever begins it ends it.

    `tidied` remembers when this process tidied each schema, by its monotonic clock.
    """
    rounds: tuple[Coroutine[Any, Any, None], ...] = (
        _recover(database, settings.lease_seconds),
        _seal(database),
        _number_changes(database),
        _evaluate_rules(database),
        _update_waiting(database),
        _deliver(database, settings),
        _review(database, reviewer),
        _call_partners(database, settings),
        _follow_reports(database, settings),
        _confirm_people(database, settings),
        _tidy(database, settings, cells, tidied),
        _watch(database, settings),
        _witness(database, settings),
    )
    return [asyncio.create_task(coroutine) for coroutine in rounds]


@contextmanager
def _give_way() -> Iterator[None]:
    """End a round where an account is about to move, or the server is lost; the next comes soon."""
    try:
        yield
    except OperationalError as error:
        if error.sqlstate != MOVED and not is_lost(error):
            raise
        _log_given_way(error)


def _log_given_way(error: OperationalError) -> None:
    log.info("round_gave_way", reason=str(error).partition("\n")[0])


async def _repeat(
    work: Callable[[], Awaitable[object]], seconds: float, log_failure: Callable[[], object]
) -> None:
    """Work again and again, with pauses; a failure is logged while it is handled, and does not end it."""
    while True:
        try:
            with _give_way():
                await work()
        except Exception:  # noqa: BLE001 - what is given logs it with its trace
            log_failure()
        await asyncio.sleep(seconds)


async def _recover(database: Database, lease_seconds: int) -> None:
    """Queue again what dead workers left, at once and then some times in each lease."""

    async def look() -> None:
        async with database.write() as tx:
            for task_id in await recover(tx, lease_seconds):
                log.warning("task_recovered", task_id=task_id)

    await _repeat(look, lease_seconds / 3, partial(log.exception, "recovery_failed"))


async def _seal(database: Database) -> None:
    """Seal what was written to the audit log, some seconds after its commit at the latest.

    Writes that were refused and links that were used in a minute that is over come to the log here.
    """

    async def write() -> None:
        async with database.write() as tx:
            await log_refusals(tx)
            await log_link_uses(tx)
        await seal(database)

    await _repeat(write, SEAL_SECONDS, partial(log.exception, "sealing_failed"))


async def _witness(database: Database, settings: Settings) -> None:
    """Have witnesses cosign the newest heads of the audit log, if the operator names any."""
    if not settings.audit_witnesses:
        return
    async with OutgoingClient(CallReach.of(settings.outgoing_networks)) as client:

        async def ask() -> None:
            for change in await ask_witnesses(database, client, settings):
                _log_witness(change)

        await _repeat(
            ask,
            min(settings.audit_witness_seconds, WITNESS_LOOK_SECONDS),
            partial(log.exception, "witnessing_failed"),
        )


def _log_witness(change: WitnessChange) -> None:
    """Say in the log that a witness fails, or does so no longer."""
    if change.failure is None:
        log.info("witness_recovered", account=change.account, witness=change.witness)
        return
    log.warning("witness_failed", account=change.account, witness=change.witness, reason=change.failure)


async def _number_changes(database: Database) -> None:
    """Give changes their numbers, so that few wait for them who read the feed."""
    await _repeat(partial(number_all, database), NUMBER_SECONDS, partial(log.exception, "numbering_failed"))


async def _update_waiting(database: Database) -> None:
    """Say of ledgers which events wait for a generation, soon after they were stored."""
    await _repeat(partial(update_marked, database), WAITING_SECONDS, partial(log.exception, "waiting_failed"))


async def _evaluate_rules(database: Database) -> None:
    """Let automatic rules evaluate what was written since, again and again, on connections of their own."""
    async with database.with_connections(ACCOUNTS_AT_ONCE + 1) as own:
        rounds = Rounds(own)

        async def look() -> None:
            for failure in await rounds.look():
                log_failure(failure)

        try:
            await _repeat(look, RULES_SECONDS, partial(log.exception, "rules_failed"))
        finally:
            await rounds.stop()


async def _deliver(database: Database, settings: Settings) -> None:
    """Tell webhooks of what changes, again and again, on connections of their own."""
    with NameResolver(LANES_MAX) as resolve:
        client = OutgoingClient(CallReach.of(settings.outgoing_networks), resolve=resolve)
        own = database.with_connections(DELIVERING_CONNECTIONS)
        async with client, own:
            lease = settings.lease_seconds
            tell = _log_failed_delivering
            await Deliverer(own, client, settings.address, lease_seconds=lease, tell=tell).run()


def _log_failed_delivering(error: Exception) -> None:
    if isinstance(error, OperationalError) and is_lost(error):
        _log_given_way(error)
        return
    log.error("delivering_failed", exc_info=error)


async def _call_partners(database: Database, settings: Settings) -> None:
    """Call partners with whom footprints are exchanged."""
    async with OutgoingClient(CallReach.of(settings.outgoing_networks)) as client:
        lease = settings.lease_seconds
        exchanger = Exchanger(database, client, lease_seconds=lease, tell=_log_failed_exchange)
        await _repeat(exchanger.settle, EXCHANGE_SECONDS, partial(log.exception, "exchange_failed"))


async def _confirm_people(database: Database, settings: Settings) -> None:
    """Ask identity providers whether people who signed in there may still."""
    async with OutgoingClient(CallReach.of(settings.outgoing_networks)) as client:
        confirm = partial(confirm_people, database, client, settings.address, _log_failed_provider)
        await _repeat(confirm, CONFIRM_SECONDS, partial(log.exception, "confirmation_failed"))


def _log_failed_provider(failed: FailedProvider) -> None:
    log.warning(
        "identity_provider_failed", account=failed.account, provider=failed.provider, reason=failed.reason
    )


async def _follow_reports(database: Database, settings: Settings) -> None:
    """Have footprints follow the reports that they were made from."""
    await _repeat(
        partial(follow_reports, database, settings.address),
        FOLLOW_SECONDS,
        partial(log.exception, "exchange_failed"),
    )


def _log_failed_exchange(error: Exception) -> None:
    if isinstance(error, OperationalError) and is_lost(error):
        _log_given_way(error)
        return
    log.error("exchange_failed", exc_info=error)


async def _review(database: Database, reviewer: Submitter) -> None:
    """Ask registries what they have decided, and write it down."""
    await _repeat(
        partial(reviewer.review, database, log_refused_decision),
        REVIEW_SECONDS,
        partial(log.exception, "review_failed"),
    )


def log_refused_decision(decision: RefusedDecision) -> None:
    """Say in the log that a registry has decided what cannot be written down."""
    log.warning("registry_decision_refused", report=decision.report, reason=decision.reason)


def log_failure(failure: FailedEvaluation) -> None:
    """Say in the log which rule or roll-up could not be evaluated."""
    if failure.version is None:
        log.error("roll_up_failed", reference=failure.reference, exc_info=failure.error)
        return
    log.error("rule_failed", rule=failure.version.rule, reference=failure.reference, exc_info=failure.error)


async def _watch(database: Database, settings: Settings) -> None:
    """Look for files where data feeds watch, if the operator allows any place."""
    if not settings.watched_roots:
        return
    store = open_store(settings.evidence_url, settings.data_dir)

    async def look() -> None:
        looked = await poll_places(database, store, settings, await _now(database))
        if looked.files:
            log.info("files_taken_up", files=looked.files)
        for failure in looked.failures:
            log.error("watching_failed", exc_info=failure)

    await _repeat(look, settings.watch_seconds, partial(log.exception, "watching_failed"))


async def _now(database: Database) -> datetime:
    row = await database.single("SELECT now()")
    assert row is not None, "there is always a time"  # noqa: S101
    return cast("datetime", row[0])


async def _tidy(
    database: Database, settings: Settings, cells: Cells, tidied: MutableMapping[str | None, float]
) -> None:
    """Remove answers that are too old to be repeated, old changes, and files that no evidence names.

    Files are those of all cells, so they are looked for in the first one alone.
    """
    store = open_store(settings.evidence_url, settings.data_dir)
    while True:
        await asyncio.sleep(tidied.get(database.schema, -TIDY_SECONDS) + TIDY_SECONDS - monotonic())
        try:
            with _give_way():
                async with database.write() as tx:
                    forgotten = await idempotency.forget(tx)
                    changes = await forget_changes(tx, settings.change_days)
                    deliveries = await forget_deliveries(tx)
                    now = await tx.value("SELECT now()")
                over = await remove_expired(database, store)
                over += await remove_old_files(database, store)
                swept: list[str] = []
                if database.schema is None:
                    swept = await sweep([database.in_cell(cell) for cell in await cells.list()], store, now)
                log.info(
                    "tidied", answers=forgotten, changes=changes, deliveries=deliveries, files=len(swept),
                    exports=over,
                )  # fmt: skip
        except Exception:
            log.exception("tidying_failed")
        tidied[database.schema] = monotonic()
