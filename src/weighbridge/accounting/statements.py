"""Statements: what the partitions of a ledger had, produced and gave in a period.

Invariants: the opening balance plus production minus withdrawals equals the closing balance; a deficit
counts as negative.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from psycopg.sql import SQL

from weighbridge.accounting.books.runs import RUN_TAGS
from weighbridge.accounting.ledgers_queries import AS_OF, find_ledger, read_moments
from weighbridge.accounting.records.ledgers import DrawnIn, PartitionStatement, StandingAt, Statement
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.ledger.posting import OF_REPORTS
from weighbridge.core.number import EXACT
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Malformed
from weighbridge.http.endpoints.endpoint import ReadCall, get
from weighbridge.platform.tenancy import key_named

# Read statements: the entries of a period, partition by partition.
#
# Entries less deficit entries are produced less drawn at every moment, so a statement is a sum of what was
# posted. Invariant: opening and produced less drawn out is closing, a deficit counted below zero.


START: Final = "start_time"
END: Final = "end_time"


@dataclass(frozen=True, slots=True)
class _Sums:
    """What stood before the period, and what counts in it, of one partition."""

    opening: Decimal = Decimal(0)
    produced: Decimal = Decimal(0)
    fallen: Decimal = Decimal(0)
    drawn_out: Decimal = Decimal(0)
    reported: Decimal = Decimal(0)


def _read_period(query: Sequence[tuple[str, str]]) -> Mapping[str, Instant]:
    moments, _ = read_moments(query, (START, END, AS_OF))
    if problems := [
        Problem(f"{name} is required.", name, "required") for name in (START, END) if name not in moments
    ]:
        raise Malformed(problems)
    if moments[END] <= moments[START]:
        message = f"end_time must be after start_time, {moments[START].text}; it is {moments[END].text}."
        raise Malformed([Problem(message, END, "invalid")])
    return moments


def _build_partition_statement(
    partition: Partition, sums: _Sums, drawn_in: list[DrawnIn]
) -> PartitionStatement:
    closing = EXACT.subtract(EXACT.add(sums.opening, sums.produced), sums.drawn_out)
    return PartitionStatement(
        partition=partition.label or None,
        opening=_build_standing(sums.opening),
        produced=sums.produced,
        of_which_fallen=sums.fallen,
        drawn_in=drawn_in,
        drawn_out=sums.drawn_out,
        of_which_reported=sums.reported,
        closing=_build_standing(closing),
    )


def _build_standing(amount: Decimal) -> StandingAt:
    return StandingAt(max(amount, Decimal(0)), max(EXACT.minus(amount), Decimal(0)))


async def _read_drawn_in(tx: Read, values: Mapping[str, Any]) -> dict[Partition, list[DrawnIn]]:
    drawn: dict[Partition, list[DrawnIn]] = {}
    for tracking_id, feedstock, asset, ledger, name, unit, amount in await tx.tuples(_DRAWN_IN, values):
        friendly = identity.of("ledger", values["project"], ledger)
        partition = Partition(tracking_id, feedstock, asset)
        drawn.setdefault(partition, []).append(DrawnIn(friendly, name, unit, amount))
    return drawn


# What entries come to less deficit entries; that of instruments counts as produced.
_PARTITIONS: Final = SQL("""
    SELECT r.tracking_id, f.name, a.name,
           coalesce(sum(change.amount) FILTER (WHERE NOT change.is_inside), 0),
           coalesce(sum(change.amount) FILTER (WHERE change.is_inside AND NOT change.is_drawn), 0),
           coalesce(sum(change.amount)
                    FILTER (WHERE change.is_inside AND change.kind IN ('fall', 'rise')), 0),
           coalesce(- sum(change.amount) FILTER (WHERE change.is_inside AND change.is_drawn), 0),
           coalesce(- sum(change.amount)
                    FILTER (WHERE change.is_inside AND change.kind = ANY (%(of_reports)s)), 0)
      FROM (SELECT b.run_id, e.kind, e.node IS NOT NULL OR e.kind = ANY (%(of_reports)s) AS is_drawn,
                   e.amount, e.effective_at > %(start)s AS is_inside
              FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
             WHERE (e.project_id, e.ledger_id) = (%(project)s, %(ledger)s) AND e.effective_at <= %(end)s
               AND (%(as_of)s::timestamptz IS NULL OR e.posted_at <= %(as_of)s)
            UNION ALL
            SELECT d.run_id, 'deficit', false, - d.amount, d.effective_at > %(start)s FROM deficit_entries d
             WHERE (d.project_id, d.ledger_id) = (%(project)s, %(ledger)s) AND d.effective_at <= %(end)s
               AND (%(as_of)s::timestamptz IS NULL OR d.posted_at <= %(as_of)s)) AS change
      LEFT JOIN runs r ON (r.project_id, r.id) = (%(project)s, change.run_id) {tags}
     GROUP BY r.tracking_id, f.name, a.name
""").format(tags=SQL(RUN_TAGS))

_DRAWN_IN: Final = SQL("""
    SELECT r.tracking_id, f.name, a.name, source.id, source.name, source.unit, - sum(e.amount)
      FROM ledgers own
      JOIN runs r ON (r.project_id, r.family_id) = (own.project_id, own.family_id)
      JOIN ledger_entries e ON (e.project_id, e.run_id) = (r.project_id, r.id) AND e.node IS NOT NULL
      JOIN ledgers source ON (source.project_id, source.id) = (e.project_id, e.ledger_id)
      {tags}
     WHERE (own.project_id, own.id) = (%(project)s, %(ledger)s)
       AND e.effective_at > %(start)s AND e.effective_at <= %(end)s
       AND (%(as_of)s::timestamptz IS NULL OR e.posted_at <= %(as_of)s)
     GROUP BY r.tracking_id, f.name, a.name, source.id, source.name, source.unit HAVING sum(e.amount) <> 0
     ORDER BY source.name, source.id
""").format(tags=SQL(RUN_TAGS))


# Paths of statements.


@get(
    "/ledgers/{ledger_id}/statement",
    permission="production_accounting:read",
    returns=Statement,
    query={
        "start_time": "The moment at which the period begins: what counts for it is in the period before.",
        "end_time": "The moment at which it ends: what counts for it is in the period.",
    },
    time_parameters={"as_of": "By what had been posted at this time; without it, by now."},
)
async def get_statement(call: ReadCall) -> Statement:
    """Read what each partition of a ledger had, produced and gave in a period."""
    tx, friendly = call.tx, call.path["ledger_id"]
    moments = _read_period(call.query)
    ledger = await find_ledger(tx, call.actor, friendly)
    key = key_named("ledger", friendly)
    values = {
        "project": key.project,
        "ledger": key.key,
        "start": moments[START],
        "end": moments[END],
        "as_of": moments.get(AS_OF),
        "of_reports": list(OF_REPORTS),
    }
    drawn_in = await _read_drawn_in(tx, values)
    parts = {
        Partition(tracking_id, feedstock, asset): _Sums(*sums)
        for tracking_id, feedstock, asset, *sums in await tx.tuples(_PARTITIONS, values)
    }
    return Statement(
        ledger=ledger.id,
        unit=ledger.unit,
        start_time=moments[START],
        end_time=moments[END],
        as_of=moments.get(AS_OF),
        data=[
            _build_partition_statement(one, parts.get(one, _Sums()), drawn_in.get(one, []))
            for one in sorted({*parts, *drawn_in}, key=lambda one: one.label)
        ],
    )


ROUTES = [get_statement]
