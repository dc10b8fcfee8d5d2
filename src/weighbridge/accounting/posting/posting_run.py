"""Post a proposal in one transaction: runs, batches, journal entries, and the digests for the audit log.

Read `post_proposal` first. Consumers of changed runs are marked as out of date afterwards.

Invariants: what is posted is what was proposed, entry by entry; nothing is computed here. The columns
of the digests, their order and their format never change, because stored digests depend on them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any, Final, LiteralString

from psycopg.sql import SQL, Composed

from weighbridge.accounting.books.runs import RunIdentity, keep_digests
from weighbridge.accounting.inputs.selection import record_used_corrections
from weighbridge.accounting.planning.explicit_inputs import forget_inputs, keep_inputs
from weighbridge.accounting.planning.plan import NewBatch, Plan, RunDifference
from weighbridge.accounting.planning.proposal import Proposal, ProposedEntries
from weighbridge.accounting.posting.provenance import (
    GenerationContext,
    PostedBatch,
    build_identity_columns,
    insert_calculations,
    insert_draws,
    insert_lineage,
    insert_skipped_inputs,
    insert_static_inputs,
)
from weighbridge.accounting.posting.waiting_events import keep_seen
from weighbridge.core import identity
from weighbridge.core.engine import ENGINE_REVISION
from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.ledger.posting import Key
from weighbridge.core.time.calendar import EventSlot
from weighbridge.db.engine import Command, Read, Write
from weighbridge.platform.records import INPUTS_REPLACED, SOURCE_ADJUSTED
from weighbridge.platform.staleness import IS_NEWEST, MARK_FOUND

# Batches as they are written: runs, batches, values and lineage of a plan, in one transaction.
#
# Everything is written set by set: one statement for each table, whatever the number of batches.


MANY_BATCHES: Final = 200
"""So many new batches change what statements have to be planned for.

PostgreSQL looks at its tables anew by itself, but within minutes: until then it plans for the tables as they
were, empty ones for instance, and may read all batches once for each run.
"""


async def insert_batches(
    tx: Write, context: GenerationContext, plan: Plan, credited: Mapping[NewBatch, Decimal]
) -> list[PostedBatch]:
    """Write every batch of a plan with its run, its values and its lineage; give them in the plan's order."""
    if not plan.differences:
        return []
    model = plan.scope.model
    runs = await _ensure_runs(tx, context, plan.differences)
    posted_batches = await _insert_rows(tx, context, plan, runs, credited)
    await insert_calculations(tx, context, model, posted_batches)
    await _send_many(tx, posted_batches)
    dimensions = DIMENSIONS[model.partition_type]
    for stream in plan.streams:
        await insert_lineage(tx, context, plan.discovery, stream, posted_batches, dimensions=dimensions)
        await _send_many(tx, posted_batches)
    insert_static_inputs(tx, context, posted_batches)
    insert_skipped_inputs(tx, context, posted_batches)
    await insert_draws(tx, context.project, posted_batches)
    await _send_many(tx, posted_batches)
    record_used_corrections(tx, context.project, [batch.batch_id for batch in posted_batches])
    if len(posted_batches) >= MANY_BATCHES:
        tx.later("SELECT refresh_statistics('runs', 'batches')")
    return posted_batches


async def _send_many(tx: Write, posted_batches: Sequence[PostedBatch]) -> None:
    """Send the rows of many batches by themselves, and those of few together with what follows.

    While rows are written into a message, nothing keeps the transaction in use; those of all tables of
    thousands of batches in one took longer than the server lets it idle.
    """
    if len(posted_batches) >= MANY_BATCHES:
        await tx.ready()


async def _ensure_runs(
    tx: Write, context: GenerationContext, differences: Sequence[RunDifference]
) -> dict[tuple[object, ...], int]:
    """The ids of the runs by slot and partition; new ones are written down, and what moved with its event."""
    known_runs = {
        build_identity_columns(context, difference.run): difference.run_number
        for difference in differences
        if difference.run_number is not None and not isinstance(difference.run.slot, EventSlot)
    }
    all_identities = dict.fromkeys(
        build_identity_columns(context, difference.run) for difference in differences
    )
    keys = [key for key in all_identities if key not in known_runs]
    if not keys:
        return known_runs
    columns = [list(column) for column in zip(*keys, strict=True)]
    tx.later(_MOVE_RUNS, (*columns, context.project, context.family))
    tx.later(_MAKE_RUNS, (context.project, context.family, *columns))
    rows = await tx.tuples(
        """
        SELECT start_time, end_time, tracking_id, feedstock_id, asset_id, event_id, by_event, id FROM runs
         WHERE project_id = %s AND family_id = %s AND start_time = ANY (%s)
        """,
        (context.project, context.family, columns[0]),
    )
    return known_runs | {tuple(key): number for *key, number in rows}


_RUNS: Final[LiteralString] = """
    unnest(%s::timestamptz[], %s::timestamptz[], %s::text[], %s::integer[], %s::integer[], %s::bigint[],
           %s::boolean[])
        WITH ORDINALITY AS run (start_time, end_time, tracking_id, feedstock_id, asset_id, event_id,
                                  by_event, position)
"""

# A run of an event stays the same run when the event's times are corrected.
_MOVE_RUNS: Final = (
    "UPDATE runs r SET start_time = run.start_time, end_time = run.end_time FROM "
    + _RUNS
    + """
     WHERE r.project_id = %s AND r.family_id = %s AND r.by_event AND run.by_event
       AND (r.event_id, r.tracking_id, r.feedstock_id, r.asset_id)
           IS NOT DISTINCT FROM (run.event_id, run.tracking_id, run.feedstock_id, run.asset_id)
       AND (r.start_time, r.end_time) <> (run.start_time, run.end_time)
"""
)
_MAKE_RUNS: Final = (
    """
    INSERT INTO runs (project_id, family_id, start_time, end_time, tracking_id, feedstock_id, asset_id,
                      event_id, by_event)
    SELECT %s, %s, start_time, end_time, tracking_id, feedstock_id, asset_id, event_id, by_event
      FROM """
    + _RUNS
    + """
     ORDER BY position
    ON CONFLICT DO NOTHING
"""
)


async def _insert_rows(
    tx: Write,
    context: GenerationContext,
    plan: Plan,
    runs: Mapping[tuple[object, ...], int],
    credited: Mapping[NewBatch, Decimal],
) -> list[PostedBatch]:
    differences = plan.differences
    inserted: Command = (
        """
        INSERT INTO batches (project_id, ledger_id, run_id, adjusts, model_id, model_sha256, tracking_id,
                             start_time, end_time, total, credited, fingerprint, share_scale, async_task_id,
                             engine_revision, uncertainty_sha256)
        SELECT %s, ledger_id, run_id, adjusts, %s, %s, tracking_id, start_time, end_time, total, credited,
               fingerprint, %s, %s, %s, uncertainty_sha256
          FROM unnest(%s::integer[], %s::bigint[], %s::bigint[], %s::text[], %s::timestamptz[],
                      %s::timestamptz[], %s::numeric[], %s::numeric[], %s::bytea[], %s::bytea[])
               WITH ORDINALITY AS batch (ledger_id, run_id, adjusts, tracking_id, start_time, end_time, total,
                                         credited, fingerprint, uncertainty_sha256, position)
         ORDER BY position
        RETURNING id
        """,
        (
            context.project,
            plan.scope.model_id,
            plan.scope.model_sha256,
            plan.scope.model.share_places,
            context.task_id,
            ENGINE_REVISION,
            [difference.ledger.number for difference in differences],
            [runs[build_identity_columns(context, difference.run)] for difference in differences],
            [difference.adjusts for difference in differences],
            [difference.run.name for difference in differences],
            [difference.run.slot.start for difference in differences],
            [difference.run.slot.end for difference in differences],
            [difference.total for difference in differences],
            [credited[difference.batch] for difference in differences],
            [difference.run.fingerprint for difference in differences],
            [difference.run.uncertainty_sha256 for difference in differences],
        ),
    )
    rows, [(now,)] = await tx.several(inserted, ("SELECT clock_timestamp()", ()))
    # Ids are drawn in the order of the rows, so sorting them pairs them with the differences again.
    numbers = [number for (number,) in sorted(rows)]
    return [
        PostedBatch(difference, runs[build_identity_columns(context, difference.run)], number, now)
        for difference, number in zip(differences, numbers, strict=True)
    ]


# The entries that a generation posts, on ledgers and on the deficits of runs.


def insert_entries(
    tx: Write, project: int, task_id: int, proposed: ProposedEntries, posted_batches: Sequence[PostedBatch]
) -> None:
    """Write down entries, by the numbers that new runs and batches have by now.

    All carry one time, that of the last of their batches, which is taken while their ledgers are locked: on
    a ledger, entries are posted in the order of their times, so what is read as of a time does not change
    later.
    """
    number = _build_number_lookup(posted_batches)
    posted_at = max(batch.made_at for batch in posted_batches)
    rows = [
        (entry.ledger, number(entry.batch), entry.kind, entry.amount, entry.effective_at,
         number(entry.posted_by), number(entry.run), entry.node)
        for entry in proposed.entries
    ]  # fmt: skip
    tx.later(
        """
        INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                    run_id, node, async_task_id, posted_at)
        SELECT %s, ledger_id, batch_id, kind, amount, effective_at, posted_by, run_id, node, %s, %s
          FROM unnest(%s::integer[], %s::bigint[], %s::text[], %s::numeric[], %s::timestamptz[],
                      %s::bigint[], %s::bigint[], %s::text[])
               WITH ORDINALITY AS entry (ledger_id, batch_id, kind, amount, effective_at, posted_by, run_id,
                                         node, position)
         ORDER BY position
        """,
        (project, task_id, posted_at, *_transpose_rows(rows, 8)),
    )
    deficit_rows = [
        (entry.ledger, number(entry.run), number(entry.posted_by), entry.amount, entry.effective_at)
        for entry in proposed.deficit_entries
    ]
    tx.later(
        """
        INSERT INTO deficit_entries (project_id, ledger_id, run_id, posted_by, amount, effective_at,
                                     async_task_id, posted_at)
        SELECT %s, ledger_id, run_id, posted_by, amount, effective_at, %s, %s
          FROM unnest(%s::integer[], %s::bigint[], %s::bigint[], %s::numeric[], %s::timestamptz[])
               WITH ORDINALITY AS entry (ledger_id, run_id, posted_by, amount, effective_at, position)
         ORDER BY position
        """,
        (project, task_id, posted_at, *_transpose_rows(deficit_rows, 5)),
    )


def _build_number_lookup(posted_batches: Sequence[PostedBatch]) -> Callable[[Key], int]:
    """The number of what a plan names: a new batch, a run that had no batches, or what has a number."""
    batches = {batch.difference.batch: batch.batch_id for batch in posted_batches}
    runs = {batch.difference.run.identity: batch.run_id for batch in posted_batches}

    def number(name: Key) -> int:
        if isinstance(name, NewBatch):
            return batches[name]
        if isinstance(name, RunIdentity):
            return runs[name]
        assert isinstance(name, int), name  # noqa: S101 - there is nothing else that a plan names
        return name

    return number


def _transpose_rows(rows: Sequence[Sequence[object]], width: int) -> list[list[object]]:
    return [[row[column] for row in rows] for column in range(width)]


# Posting: everything that a proposal says is written to the books, in one transaction.
#
# Invariant: what is posted is what was proposed, entry by entry; nothing is computed here.


async def post_proposal(tx: Write, proposal: Proposal, task_id: int, seen_until: object) -> list[PostedBatch]:
    """Write the batches and entries of a proposal, and what stays with its slots; give the batches.

    `seen_until` is the moment up to which the transaction's snapshot shows all that was stored.
    """
    context = await _read_context(tx, proposal, task_id)
    credited = proposal.entries.credits
    posted_batches = []
    for plan in proposal.plans:
        posted_batches += await insert_batches(tx, context, plan, credited)
        _keep_with_slots(tx, plan)
        keep_seen(tx, plan.scope, seen_until)
    if posted_batches:
        insert_entries(tx, context.project, task_id, proposal.entries, posted_batches)
    return posted_batches


async def _read_context(tx: Write, proposal: Proposal, task_id: int) -> GenerationContext:
    project, family = proposal.scope.project, proposal.scope.family
    runs = [difference.run for difference in proposal.differences]
    tags = {tags for run in runs for tags in (run.partition, *chain.from_iterable(run.tags.values()))}
    if not any(tag.feedstock or tag.asset for tag in tags):
        return GenerationContext(project, family, task_id, {}, {})
    feedstocks, assets = await tx.several(
        ("SELECT name, id FROM feedstocks WHERE project_id = %s", (project,)),
        ("SELECT name, id FROM assets WHERE project_id = %s", (project,)),
    )
    return GenerationContext(project, family, task_id, dict(feedstocks), dict(assets))


def _keep_with_slots(tx: Write, plan: Plan) -> None:
    """Note what the slots were computed from, and what the request said of them."""
    scope = plan.scope
    ledgers = [ledger.number for ledger in scope.ledgers]
    keep_digests(tx, scope.project, ledgers, plan.digests, scope.replaced)
    forget_inputs(tx, scope.project, scope.family, scope.replaced)
    keep_inputs(tx, scope.project, scope.family, scope.slots, scope.inputs)


# Consumers: the runs that drew from batches of a run, and its own batches on other ledgers.
#
# They have not read the run's new total.


def mark_consumers(tx: Write, project: int, posted_batches: Sequence[PostedBatch]) -> None:
    """Mark the runs that draw from a run which has another batch now, as long as they draw from it.

    Both generations lock the ledger between them, so no draw escapes this.
    """
    adjusting_batches = [batch for batch in posted_batches if batch.difference.adjusts is not None]
    if not adjusting_batches:
        return
    tx.later(
        f"""
        WITH drawn AS MATERIALIZED (
            SELECT d.project_id, d.batch_id, adjusted.record
              FROM unnest(%(runs)s::bigint[], %(ledgers)s::integer[], %(records)s::text[])
                   AS adjusted (run_id, ledger_id, record)
              JOIN batches source
                ON (source.project_id, source.run_id, source.ledger_id)
                 = (%(project)s, adjusted.run_id, adjusted.ledger_id)
              JOIN batch_draws d ON (d.project_id, d.source_batch_id) = (source.project_id, source.id)
        ), found AS MATERIALIZED (
            SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, %(reason)s::text AS reason, drawn.record
              FROM drawn JOIN batches b ON (b.project_id, b.id) = (drawn.project_id, drawn.batch_id)
             WHERE {IS_NEWEST}
        )
        {MARK_FOUND}
        """,
        {
            "project": project,
            "reason": SOURCE_ADJUSTED,
            "runs": [batch.run_id for batch in adjusting_batches],
            "ledgers": [batch.difference.ledger.number for batch in adjusting_batches],
            "records": [identity.of("batch", project, batch.batch_id) for batch in adjusting_batches],
        },
    )


def mark_other_ledgers(
    tx: Write, project: int, posted_batches: Sequence[PostedBatch], ledgers: Sequence[int]
) -> None:
    """Mark runs that were given other inputs, on the ledgers that were not generated with them."""
    tx.later(
        f"""
        WITH found AS MATERIALIZED (
            SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, %(reason)s::text AS reason, given.record
              FROM unnest(%(runs)s::bigint[], %(records)s::text[]) AS given (run_id, record)
              JOIN batches b ON (b.project_id, b.run_id) = (%(project)s, given.run_id)
             WHERE b.deleted_at IS NULL AND b.ledger_id <> ALL (%(ledgers)s)
        )
        {MARK_FOUND}
        """,
        {
            "project": project,
            "reason": INPUTS_REPLACED,
            "runs": [batch.run_id for batch in posted_batches],
            "records": [identity.of("batch", project, batch.batch_id) for batch in posted_batches],
            "ledgers": list(ledgers),
        },
    )


# What a generation wrote, as digests: for each table how many rows, and the SHA-256 over them.
#
# The audit log has them in the row of the generation, so that every value, moment and share of
# the books can be held against what was written. Columns that change later, such as balances, are left out.
#
# Invariant: columns, their order and their form never change, or no digest that was kept would vouch any
# more.


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table whose rows are written by generations and never changed."""

    name: LiteralString
    columns: LiteralString
    order: LiteralString
    batch: LiteralString = "w.batch_id"
    """The column that has the batch by which a row was written."""


WRITTEN: Final = (
    WrittenTable(
        "batches",
        """w.id, w.ledger_id, w.run_id, w.adjusts, w.model_id, encode(w.model_sha256, 'hex'), w.tracking_id,
        extract(epoch FROM w.start_time), extract(epoch FROM w.end_time), w.total, w.credited, w.share_scale,
        encode(w.fingerprint, 'hex'), w.engine_revision, extract(epoch FROM w.created_at)""",
        "w.id",
        "w.id",
    ),
    WrittenTable(
        "batch_calculations",
        """w.batch_id, w.position, w.id, w.slug, w.name, w.unit, w.value, w.whole, w.is_output, w.is_primary,
        w.element_count, w.elements, encode(w.elements_sha256, 'hex'), w.contributions""",
        "w.batch_id, w.position",
    ),
    WrittenTable(
        "batch_draws",
        "w.batch_id, w.node, w.place, w.source_batch_id, w.amount, w.attributes, w.units, w.contributions",
        "w.batch_id, w.node, w.place",
    ),
    WrittenTable(
        "batch_input_sets",
        "w.batch_id, w.set_number, w.event_type_id, w.nodes, w.positions, w.event_count",
        "w.batch_id, w.set_number",
    ),
    WrittenTable(
        "batch_inputs",
        "w.batch_id, w.set_number, w.chunk, w.first_event, w.last_event, w.event_ids",
        "w.batch_id, w.set_number, w.chunk",
    ),
    WrittenTable("batch_corrections", "w.batch_id, w.correction_id", "w.batch_id, w.correction_id"),
    WrittenTable(
        "batch_static_inputs",
        "w.batch_id, w.node, w.static_input_id",
        'w.batch_id, w.node COLLATE "C", w.static_input_id',
    ),
    WrittenTable(
        "batch_skipped_inputs",
        "w.batch_id, w.node, w.data_point_type_id",
        'w.batch_id, w.node COLLATE "C", w.data_point_type_id',
    ),
    WrittenTable(
        "ledger_entries",
        """w.id, w.ledger_id, w.batch_id, w.kind, w.amount, extract(epoch FROM w.effective_at),
        extract(epoch FROM w.posted_at), w.posted_by, w.run_id, w.node, w.reverses, w.report_id""",
        "w.id",
        "w.posted_by",
    ),
    WrittenTable(
        "deficit_entries",
        """w.id, w.ledger_id, w.run_id, w.posted_by, w.amount, extract(epoch FROM w.effective_at),
        extract(epoch FROM w.posted_at), w.reverses, w.report_id""",
        "w.id",
        "w.posted_by",
    ),
)
"""Every table, in the order of the digests."""

_DIGEST: Final[LiteralString] = """
    count(*), encode(sha256(coalesce(
        string_agg(sha256(convert_to(jsonb_build_array({columns})::text, 'UTF8')), ''::bytea
                   ORDER BY {order}), '')), 'hex')
"""


def select_digest(table: WrittenTable) -> Composed:
    """The expressions of how many rows `w` there are, and the SHA-256 over them."""
    return SQL(_DIGEST).format(columns=SQL(table.columns), order=SQL(table.order))


def match_tasks(table: WrittenTable) -> SQL:
    """Which rows `w` are those of the task of their batch `b`; what a deletion undid is another task's."""
    return SQL("w.async_task_id = b.async_task_id" if table.batch == "w.posted_by" else "true")


async def read_written_digests(tx: Read, project: int, task: int, batches: Sequence[int]) -> dict[str, Any]:
    """The digests of what a task has written with the batches that it made."""
    digests_of_tables = await tx.several(*((statement, (project, [*batches])) for statement in _OF_TABLES))
    tables = {
        table.name: [count, digest]
        for table, [(count, digest)] in zip(WRITTEN, digests_of_tables, strict=True)
        if count
    }
    return {"task": task, "tables": tables}


_OF_BATCHES: Final[LiteralString] = """
    SELECT {digest} FROM {table} w
      JOIN batches b ON b.project_id = w.project_id AND b.id = {batch} AND {task}
     WHERE w.project_id = %s AND {batch} = ANY (%s::bigint[])
"""
_OF_TABLES: Final = [
    SQL(_OF_BATCHES).format(
        digest=select_digest(table), table=SQL(table.name), batch=SQL(table.batch), task=match_tasks(table)
    )
    for table in WRITTEN
]
