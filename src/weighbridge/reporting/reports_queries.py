"""Read reports, their submissions and bundles, and their changes against the report that they restate."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from types import NoneType
from typing import Final

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.accounting.books.runs import select_stale
from weighbridge.accounting.tracing.pending_proposals import ask_for_any_pending, count_pending_of_reports
from weighbridge.collection.measurements.annotations import IS_OPEN, PARAMETERS, WITH_RULE
from weighbridge.core import identity
from weighbridge.core.identity import Link
from weighbridge.core.number import EXACT
from weighbridge.core.platform.permission import Actor
from weighbridge.core.report import (
    RESERVING,
    DeliveryStep,
    InclusionOfRun,
    ReportStatus,
    RunBasis,
    compare_reports,
    may_have_been_received,
)
from weighbridge.core.report_ledgers import sum_net
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    Source,
    among,
    read_int4,
    read_key,
    read_moment,
    read_page,
)
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.errors import NotFound
from weighbridge.platform.staleness import IS_NEWEST
from weighbridge.platform.tenancy import find, key_named, need, of_key, of_projects, project_filter
from weighbridge.reporting.bundle.storage import KeptBundle, kept_bundle, need_bundle
from weighbridge.reporting.records.reports import (
    INCLUSIONS_INLINE,
    REPORT_BATCHES_MAX,
    Inclusion,
    Report,
    ReportAllocation,
    ReportChanges,
    ReportLedger,
    ReportMove,
    RunRestated,
)
from weighbridge.reporting.records.submissions import StoredSubmission, SubmissionStep
from weighbridge.reporting.submission.file import SubmissionRow, read_submission
from weighbridge.reporting.submission.ledgers import FACTOR, read_ledger_roles
from weighbridge.reporting.submission.versions import OF_OTHER_VERSIONS

# The summary of changes of a report: against what was accepted of the last one that was, or else against the
# one that it restates.
#
# What a run stood on is its newest batch when the report was submitted; of a draft, its newest batch now.


async def summarize_changes(tx: Read, project: int, report: int) -> ReportChanges | None:
    """What a report says otherwise than the one that it is compared with; None for one that restates
    nothing.
    """
    earlier = await find_compared(tx, project, report)
    if earlier is None:
        return None
    before = await _read_taken(tx, project, earlier, is_earlier=True)
    after = await _read_taken(tx, project, report, is_earlier=False)
    changes = compare_reports(before, after)
    more = EXACT.subtract(
        await _sum_taken(tx, project, report, after), await _sum_taken(tx, project, earlier, before)
    )
    batches = await _read_batches(tx, project, [earlier, report])
    owed: dict[int, Decimal] = dict(
        await tx.tuples(
            "SELECT id, coalesce(liability, 0) FROM reports WHERE project_id = %s AND id = ANY (%s)",
            (project, [earlier, report]),
        )
    )
    owes_more = EXACT.subtract(owed[report], owed[earlier])
    return ReportChanges(
        compared_with=identity.of("report", project, earlier),
        change=EXACT.subtract(more, owes_more),
        liability_change=owes_more,
        data=[
            RunRestated(
                batch_ids=[identity.of("batch", project, batch) for batch in batches[change.run]],
                before=change.before,
                after=change.after,
                change=EXACT.subtract(change.after, change.before),
                causes=list(change.causes),
                ledger_id=identity.of("ledger", project, _find_ledger(change.run)),
            )
            for change in changes
        ],
    )


def _find_ledger(run: Hashable) -> int:
    assert isinstance(run, tuple), "a run is named with its ledger"  # noqa: S101
    return int(run[1])


async def _sum_taken(
    tx: Read, project: int, report: int, taken: Mapping[Hashable, InclusionOfRun]
) -> Decimal:
    """What is taken of runs, all in all, in the unit of the report."""
    factors = {one.ledger: one.factor for one in await read_ledger_roles(tx, project, report)}
    return sum_net((one.amount, factors.get(_find_ledger(run), Decimal(1))) for run, one in taken.items())


async def find_compared(tx: Read, project: int, report: int) -> int | None:
    """The report that a restatement is compared with; None for one that restates nothing."""
    earlier: int | None = await tx.value(_COMPARED, {"project": project, "report": report})
    return earlier


async def was_accepted(tx: Read, project: int, report: int) -> bool:
    """Whether a report was accepted, whatever has become of it since."""
    query = f"SELECT {_WAS_ACCEPTED} FROM reports r WHERE r.project_id = %s AND r.id = %s"
    return bool(await tx.value(query, (project, report)))


async def _read_taken(
    tx: Read, project: int, report: int, *, is_earlier: bool
) -> dict[Hashable, InclusionOfRun]:
    """What a report takes of runs; of an earlier one what was accepted, where it was."""
    taken: dict[Hashable, InclusionOfRun] = {}
    for run, ledger, amount, batch, model, corrections, *events in await tx.tuples(
        _INCLUDED_OF_RUNS, {"project": project, "report": report, "is_earlier": is_earlier}
    ):
        count, first, last = events
        basis = RunBasis(batch, model, frozenset(corrections), (int(count), first, last))
        taken[run, ledger] = InclusionOfRun(Decimal(amount), basis)
    return taken


async def _read_batches(tx: Read, project: int, reports: list[int]) -> dict[Hashable, list[int]]:
    """The batches that either report takes from, by run."""
    rows = await tx.tuples(
        """
        SELECT coalesce(b.run_id, - b.id), b.ledger_id, array_agg(DISTINCT b.id ORDER BY b.id)
          FROM report_batches i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE i.project_id = %s AND i.report_id = ANY (%s) GROUP BY 1, 2
        """,
        (project, reports),
    )
    return {(run, ledger): batches for run, ledger, batches in rows}


_COMPARED: Final = """
    SELECT coalesce(
               (SELECT max(earlier.id) FROM reports earlier
                 WHERE (earlier.project_id, earlier.chain_id) = (r.project_id, r.chain_id) AND earlier.id <
                 r.id
                   AND EXISTS (SELECT FROM report_moves m
                                WHERE (m.project_id, m.report_id, m.status)
                                    = (earlier.project_id, earlier.id, 'complete'))),
               r.supersedes)
      FROM reports r WHERE r.project_id = %(project)s AND r.id = %(report)s AND r.supersedes IS NOT NULL
"""

# An instrument has no run; its own number, below zero, stands for it.
_INCLUDED_OF_RUNS: Final = """
    WITH taken AS (
        SELECT coalesce(b.run_id, - b.id) AS run, b.ledger_id,
               sum(CASE WHEN %(is_earlier)s THEN coalesce(i.accepted_amount, i.amount) ELSE i.amount END)
               AS amount, max(coalesce(i.basis, (
               SELECT max(newest.id) FROM batches newest
                WHERE (newest.project_id, newest.run_id, newest.ledger_id)
                    = (b.project_id, b.run_id, b.ledger_id) AND newest.deleted_at IS NULL), b.id)) AS basis,
               min(b.start_time) AS start_time, min(b.id) AS first
          FROM report_batches i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE i.project_id = %(project)s AND i.report_id = %(report)s GROUP BY 1, 2
    )
    SELECT taken.run, taken.ledger_id, taken.amount, taken.basis, b.model_id,
           ARRAY(SELECT c.correction_id FROM batch_corrections c
                  WHERE (c.project_id, c.batch_id) = (b.project_id, b.id)),
           (SELECT coalesce(sum(s.event_count), 0) FROM batch_input_sets s
             WHERE (s.project_id, s.batch_id) = (b.project_id, b.id)),
           (SELECT min(n.first_event) FROM batch_inputs n
             WHERE (n.project_id, n.batch_id) = (b.project_id, b.id)),
           (SELECT max(n.last_event) FROM batch_inputs n
             WHERE (n.project_id, n.batch_id) = (b.project_id, b.id))
      FROM taken JOIN batches b ON (b.project_id, b.id) = (%(project)s, taken.basis)
     ORDER BY taken.start_time, taken.first
"""


# Read reports.


REPORTS: Final = Listing(
    sorts={
        "id": "r.id",
        "name": "r.name",
        "status": "r.status",
        "created_at": "r.created_at",
        "updated_at": "r.updated_at",
    },
    default_sort="id",
    key=("r.project_id", "r.id"),
    filters={
        "project_id": project_filter("r.project_id"),
        "id": Filter("r.id", read_key("report"), "an id rpt_…"),
        "status": Filter("r.status", among(ReportStatus), f"one of {', '.join(ReportStatus)}"),
        "report_type": Filter("r.report_type", str, "a report type"),
        "ledger_id": Filter("r.ledger_id", read_key("ledger"), "an id lgr_…"),
        "methodology_id": Filter("r.methodology_id", read_int4, "the number of a methodology"),
        "created_at": Filter("r.created_at", read_moment, MOMENT, BOUNDS),
    },
)

_TAKEN: Final = f"""
    FROM report_batches i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
   CROSS JOIN LATERAL (SELECT {FACTOR} AS factor) AS counted
   WHERE (i.project_id, i.report_id) = (r.project_id, r.id)
"""


def _count(amount: str) -> str:
    """What an amount of a ledger counts for: of one that converts, with no more digits than it needs."""
    return f"CASE WHEN factor = 1 THEN {amount} ELSE trim_scale({amount} * factor) END"


_WAS_ACCEPTED: Final = """EXISTS (
    SELECT FROM report_moves m WHERE (m.project_id, m.report_id, m.status) = (r.project_id, r.id, 'complete'))
"""
"""Whether the report r was accepted, whatever has become of it since."""
_JOINED: Final = f"""
    LEFT JOIN ledgers l ON (l.project_id, l.id) = (r.project_id, r.ledger_id)
    LEFT JOIN LATERAL (
        SELECT count(*) AS count, coalesce(sum({_count("i.amount")}), 0) AS amount,
               min(b.start_time) AS start_time, max(b.end_time) AS end_time,
               coalesce(sum({_count("coalesce(i.accepted_amount, i.amount)")}), 0) AS accepted
               {_TAKEN}) AS taken ON true
    CROSS JOIN LATERAL (
        SELECT CASE WHEN {_WAS_ACCEPTED} THEN taken.accepted END AS amount) AS accepted
    LEFT JOIN reports later ON (later.project_id, later.supersedes) = (r.project_id, r.id)
"""
_SOURCE: Final = f"reports r {_JOINED}"
_PREDECESSORS: Final = """ARRAY(
    SELECT s.predecessor_id FROM report_successions s
     WHERE (s.project_id, s.report_id) = (r.project_id, r.id) ORDER BY 1)
"""
_SUCCESSORS: Final = """ARRAY(
    SELECT s.report_id FROM report_successions s
     WHERE (s.project_id, s.predecessor_id) = (r.project_id, r.id) ORDER BY 1)
"""
_HOLDING: Final = frozenset((*RESERVING, ReportStatus.COMPLETE))


def _build_allocation(
    status: str, number: int, amount: object, accepted: object, unit: str | None, reserved_at: object
) -> ReportAllocation | None:
    if status not in _HOLDING:
        return None
    held = accepted if status == ReportStatus.COMPLETE else amount
    return ReportAllocation(number, held, unit, reserved_at)  # type: ignore[arg-type] # as the row has them


_report_id: Final = partial(identity.of, "report")


def _name_reports(project: int, numbers: Sequence[int]) -> list[str]:
    return [identity.of("report", project, number) for number in numbers]


def _build_page_link(project: str, report: str) -> Link:
    return Link(f"/projects/{project}/reports/{report}")


REPORT: Final = row_of(
    Report,
    Column("id", ("r.project_id", "r.id"), _report_id),
    Column("numeric_id", "r.id"),
    Column("project_id", "r.project_id", partial(identity.of, "project")),
    Column("name", "r.name"),
    Column("report_type", "r.report_type"),
    Column("status", "r.status"),
    Column("methodology_id", "r.methodology_id"),
    Column("ledger_id", ("r.project_id", "r.ledger_id"), unless_null(partial(identity.of, "ledger"))),
    Column("ledgers", (), list),
    Column("start_time", "taken.start_time"),
    Column("end_time", "taken.end_time"),
    Column("inclusions", (), list),
    Column("inclusion_count", "taken.count"),
    Column("amount", "taken.amount - coalesce(r.liability, 0)"),
    Column("liability", "r.liability"),
    Column("liability_reason", "r.liability_reason"),
    Column("accepted_amount", "accepted.amount - coalesce(r.liability, 0)"),
    Column(
        "allocation",
        ("r.status", "r.id", "taken.amount", "accepted.amount", "l.unit", "r.reserved_at"),
        _build_allocation,
    ),
    Column("effective_at", "r.effective_at"),
    Column("supersedes", ("r.project_id", "r.supersedes"), unless_null(_report_id)),
    Column("superseded_by", ("r.project_id", "later.id"), unless_null(_report_id)),
    Column("predecessors", ("r.project_id", _PREDECESSORS), _name_reports),
    Column("successors", ("r.project_id", _SUCCESSORS), _name_reports),
    Column("summary_of_changes", (), NoneType),
    Column("history", (), list),
    Column("alerted_batch_count", (), int),
    Column("warned_batch_count", (), int),
    Column("stale_batch_count", (), int),
    Column("waiting_batch_count", (), int),
    Column("pending_proposal_count", (), int),
    Column("other_version_batch_count", (), int),
    Column("created_at", "r.created_at"),
    Column("updated_at", "r.updated_at"),
    Derived("ui_url", ("project_id", "id"), _build_page_link),
)


async def list_reports(tx: Read, actor: Actor, request: ListRequest) -> Page[Report]:
    """The reports of every project of the actor's account."""
    where = [of_projects(actor, "r.project_id")]
    source = Source("reports r", "r.*", _JOINED)
    page = await read_page(tx, REPORT, REPORTS, request, source=source, where=where)
    return Page(await _complete_reports(tx, page.data, INCLUSIONS_INLINE), page.info)


async def get_report(tx: Read, actor: Actor, friendly: str) -> Report:
    """One report of the actor's account, with all its inclusions."""
    key = key_named("report", friendly)
    return await _read_report(tx, of_key(actor, "r.project_id", "r.id"), key)


async def report_numbered(tx: Read, project: int, number: int) -> Report:
    """One report that is known to be there."""
    return await _read_report(tx, SQL("r.project_id = %s AND r.id = %s"), identity.Key(project, number))


async def get_submission(tx: Read, actor: Actor, friendly: str) -> StoredSubmission:
    """What is kept of a report's submission; of one that was not sent off, that nothing is."""
    key, kept = await find_submission(tx, actor, friendly)
    if kept is None:
        return StoredSubmission(friendly, None, None, None, None, None, None, False, [])  # noqa: FBT003
    steps = await tx.rows(
        SubmissionStep,
        """
        SELECT step, said_at, http_status, detail FROM report_deliveries
         WHERE project_id = %s AND report_id = %s ORDER BY id
        """,
        (key.project, key.key),
    )
    return StoredSubmission(
        report_id=friendly,
        adapter=kept.adapter,
        registry_id=kept.registry,
        key=kept.key,
        media_type=kept.media_type,
        size_bytes=kept.size,
        sha256=kept.sha256.hex(),
        may_have_been_received=may_have_been_received([DeliveryStep(step.step) for step in steps]),
        steps=steps,
    )


async def find_submission(tx: Read, actor: Actor, friendly: str) -> tuple[identity.Key, SubmissionRow | None]:
    """The key of a report, and what is stored of its submission; None while nothing is."""
    key = await find_report_key(tx, actor, friendly)
    return key, await read_submission(tx, key.project, key.key)


async def find_report_key(tx: Read, actor: Actor, friendly: str) -> identity.Key:
    """The key of a report of the actor's account; NotFound when there is none."""
    key = key_named("report", friendly)
    condition = of_key(actor, "project_id", "id")
    await need(tx, "reports", condition, (key.project, key.key), ("report", friendly))
    return key


async def read_bundle(tx: Read, actor: Actor, friendly: str) -> KeptBundle:
    """The proof bundle of one report; NotFound while it has none."""
    key = await find_report_key(tx, actor, friendly)
    return need_bundle(friendly, await kept_bundle(tx, key.project, key.key))


async def read_time_stamp(tx: Read, actor: Actor, friendly: str) -> bytes:
    """The time stamp over the bundle of one report; NotFound where no authority was asked."""
    kept = await read_bundle(tx, actor, friendly)
    if kept.time_stamp is None:
        message = "No time-stamping authority was asked over the bundle."
        raise NotFound("report", friendly, message=message, code="time_stamp_missing")
    return kept.time_stamp


async def _read_report(tx: Read, where: Composable, key: identity.Key) -> Report:
    found = await find(tx, REPORT, _SOURCE, where, (key.project, key.key))
    [report] = await _complete_reports(tx, [found], REPORT_BATCHES_MAX)
    if report.supersedes is None:
        return report
    changes = await summarize_changes(tx, key.project, key.key)
    return msgspec.structs.replace(report, summary_of_changes=changes)


async def _complete_reports(tx: Read, reports: Sequence[Report], most: int) -> list[Report]:
    """Reports with what stands beside their rows, read for all of them at once."""
    if not reports:
        return []
    keys = [key_named("report", one.id) for one in reports]
    values = {
        "projects": [key.project for key in keys],
        "reports": [key.key for key in keys],
        "most": most,
        "project": keys[0].project,  # whose account has the feature or has not; all are of one
        **PARAMETERS,
    }
    inclusions: dict[int, list[Inclusion]] = {key.key: [] for key in keys}
    for project, report, batch, ledger, *rest in await tx.tuples(_INCLUSIONS, values):
        friendly, of_ledger = identity.of("batch", project, batch), identity.of("ledger", project, ledger)
        inclusions[report].append(Inclusion(friendly, of_ledger, *rest))
    ledgers: dict[int, list[ReportLedger]] = {}
    for project, report, role, ledger, *rest in await tx.tuples(_LEDGERS, values):
        of_report = ledgers.setdefault(report, [])
        of_report.append(ReportLedger(role, identity.of("ledger", project, ledger), *rest))
    stale: dict[int, int] = dict(await tx.tuples(_STALE, values))
    alerted = {report: counts for report, *counts in await tx.tuples(_ALERTED, values)}
    waiting: dict[int, int] = dict(await tx.tuples(_WAITING, values))
    pending = await _count_pending(tx, keys)
    of_others = Counter(report for report, _ in await tx.tuples(OF_OTHER_VERSIONS, values))
    history: dict[int, list[ReportMove]] = {key.key: [] for key in keys}
    for report, *move in await tx.tuples(_HISTORY, values):
        history[report].append(ReportMove(*move))
    return [
        msgspec.structs.replace(
            report,
            inclusions=inclusions[key.key],
            ledgers=ledgers.get(key.key, []),
            history=history[key.key],
            stale_batch_count=stale.get(key.key, 0),
            alerted_batch_count=alerted.get(key.key, (0, 0))[0],
            warned_batch_count=alerted.get(key.key, (0, 0))[1],
            waiting_batch_count=waiting.get(key.key, 0),
            pending_proposal_count=pending.get(key.key, 0),
            other_version_batch_count=of_others[key.key],
        )
        for key, report in zip(keys, reports, strict=True)
    ]


async def _count_pending(tx: Read, keys: Sequence[identity.Key]) -> dict[int, int]:
    """How many proposals wait of what the batches of each report rest on, by the number of the report."""
    counts: dict[int, int] = {}
    for project in {key.project for key in keys}:
        [(is_any,)] = await tx.tuples(*ask_for_any_pending(project))
        if is_any:
            reports = [key.key for key in keys if key.project == project]
            counts |= await count_pending_of_reports(tx, project, reports)
    return counts


_NAMED: Final = "unnest(%(projects)s::integer[], %(reports)s::bigint[]) AS named (project_id, report_id)"

_INCLUSIONS: Final = f"""
    SELECT t.project_id, t.report_id, t.batch_id, t.ledger_id, t.name, t.start_time, t.end_time, t.amount,
           t.unit, CASE WHEN acceptance.id IS NOT NULL THEN coalesce(t.accepted_amount, t.amount) END
      FROM {_NAMED}
      LEFT JOIN LATERAL (
           SELECT m.id FROM report_moves m
            WHERE (m.project_id, m.report_id, m.status) = (named.project_id, named.report_id, 'complete')
            LIMIT 1) AS acceptance ON true
     CROSS JOIN LATERAL (
           SELECT i.project_id, i.report_id, i.batch_id, b.tracking_id AS name, b.start_time, b.end_time,
                  i.amount, i.accepted_amount, l.unit, b.ledger_id
             FROM report_batches i
             JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
             JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
            WHERE (i.project_id, i.report_id) = (named.project_id, named.report_id)
            ORDER BY b.start_time, b.end_time, b.tracking_id, b.id LIMIT %(most)s) AS t
     ORDER BY t.report_id, t.start_time, t.end_time, t.name, t.batch_id
"""

_LEDGERS: Final = f"""
    SELECT g.project_id, g.report_id, g.role, g.ledger_id, sign(g.factor)::integer, l.unit, taken.amount,
           CASE WHEN was.accepted THEN taken.accepted END, trim_scale(taken.amount * g.factor),
           CASE WHEN was.accepted THEN trim_scale(taken.accepted * g.factor) END
      FROM {_NAMED}
      JOIN report_ledgers g ON (g.project_id, g.report_id) = (named.project_id, named.report_id)
      JOIN reports r ON (r.project_id, r.id) = (named.project_id, named.report_id)
      JOIN ledgers l ON (l.project_id, l.id) = (g.project_id, g.ledger_id)
     CROSS JOIN LATERAL (SELECT {_WAS_ACCEPTED} AS accepted) AS was
     CROSS JOIN LATERAL (
           SELECT coalesce(sum(i.amount), 0) AS amount,
                  coalesce(sum(coalesce(i.accepted_amount, i.amount)), 0) AS accepted
             FROM report_batches i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
            WHERE (i.project_id, i.report_id, b.ledger_id) = (g.project_id, g.report_id, g.ledger_id)
           ) AS taken
     ORDER BY g.report_id, g.position
"""

_HISTORY: Final = f"""
    SELECT m.report_id, m.status, m.said_at, u.name, m.adapter, m.reason, m.reference,
           CASE WHEN m.status = 'complete' THEN (
               SELECT coalesce(sum({_count("coalesce(i.accepted_amount, i.amount)")}), 0)
                 FROM report_batches i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
                CROSS JOIN LATERAL (SELECT {FACTOR} AS factor) AS counted
                WHERE (i.project_id, i.report_id) = (m.project_id, m.report_id)
               ) - coalesce(r.liability, 0) END
      FROM {_NAMED}
      JOIN reports r ON (r.project_id, r.id) = (named.project_id, named.report_id)
      JOIN report_moves m ON (m.project_id, m.report_id) = (named.project_id, named.report_id)
      JOIN users u ON u.id = m.user_id
     ORDER BY m.report_id, m.id
"""

# Of the batches of a run the newest says whether it is stale; a report stands on what was newest when it was
# sent off. A deleted batch is no longer what was taken.
_STALE: Final = f"""
    SELECT i.report_id, count(*)
      FROM {_NAMED}
      JOIN report_batches i ON (i.project_id, i.report_id) = (named.project_id, named.report_id)
      JOIN batches own ON (own.project_id, own.id) = (i.project_id, i.batch_id)
      LEFT JOIN batches b
        ON (b.project_id, b.run_id, b.ledger_id) = (own.project_id, own.run_id, own.ledger_id) AND {IS_NEWEST}
     WHERE own.deleted_at IS NOT NULL OR b.id <> i.basis
        OR (b.project_id, b.id) IN ({select_stale("= ANY (%(projects)s)")})
     GROUP BY i.report_id
"""

_WAITING: Final = f"""
    SELECT i.report_id, count(DISTINCT i.batch_id)
      FROM {_NAMED}
      JOIN report_batches i ON (i.project_id, i.report_id) = (named.project_id, named.report_id)
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
      JOIN slot_waits w ON (w.project_id, w.ledger_id, w.start_time, w.end_time)
                         = (b.project_id, b.ledger_id, b.start_time, b.end_time)
     GROUP BY i.report_id
"""

_ALERTED: Final = f"""
    SELECT i.report_id, count(DISTINCT i.batch_id) FILTER (WHERE r.severity = 'fail'),
           count(DISTINCT i.batch_id) FILTER (WHERE r.severity = 'warn')
      FROM {_NAMED}
      JOIN report_batches i ON (i.project_id, i.report_id) = (named.project_id, named.report_id)
      JOIN model_run_results r ON (r.project_id, r.batch_id) = (i.project_id, i.batch_id) {WITH_RULE}
     WHERE {IS_OPEN}
     GROUP BY i.report_id
"""
