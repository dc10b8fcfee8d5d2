"""Balance steps: why what was known of a ledger at one row of the audit log is another figure at a later row.

A step that moves the balance is what one transaction posted to the ledger, by what it was: generated,
deleted, reserved and so on. Before it come the steps that led there and moved nothing themselves: events
that were delivered and are in a batch posted since, and changes that made batches of the ledger out of date.

Invariant: the opening balance and all amounts are the closing balance, exactly; the same holds for deficits.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.accounting.ledgers_queries import find_ledger
from weighbridge.accounting.records.ledgers import STEP_KINDS, BalanceAtRow, BalanceStep, BalanceSteps
from weighbridge.core import identity
from weighbridge.core.number import EXACT
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.known_then import KnownThen
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import LookingBack, ReadCall, get
from weighbridge.platform.known_moments import find_number_before
from weighbridge.platform.records import DATA_POINT_CORRECTED, EVENT_CORRECTED, EVENT_WITHDRAWN
from weighbridge.platform.tenancy import key_named

SINCE: Final = "since"
STEPS_MAX: Final = 1_000
"""Steps of one answer, at most."""

RECORDS_MAX: Final = 10
"""Records that a step names, at most."""

_KINDS_OF_REASONS: Final = {
    DATA_POINT_CORRECTED: "corrected",
    EVENT_CORRECTED: "corrected",
    EVENT_WITHDRAWN: "voided",
}
_APPROVING: Final = ("rule_result.approve", "rule_result.bulk_approve")


class _Part(NamedTuple):
    """What one transaction did to the ledger in one way."""

    number: int
    is_logged: bool
    kind: str
    record_count: int
    records: Sequence[str]
    amount: Decimal = Decimal(0)
    deficit: Decimal = Decimal(0)


class _AuditRow(NamedTuple):
    """The audit row of a number, and from which time on it was known."""

    known_at: Instant
    action: str | None
    object: str | None
    user_name: str | None


async def read_balance_steps(tx: Read, then: KnownThen, call: ReadCall) -> BalanceSteps:
    """The steps of a ledger from the row that the query names to the one that is looked back to."""
    friendly = call.path["ledger_id"]
    ledger = await find_ledger(tx, call.actor, friendly)
    key = key_named("ledger", friendly)
    [since] = [value for name, value in call.query if name == SINCE][:1] or [""]
    number, known_at = await find_number_before(tx, then, since, SINCE)
    values = {
        "account": then.account, "project": key.project, "ledger": key.key, "since": number,
        "until": then.number, "most": RECORDS_MAX,
    }  # fmt: skip
    opening, posted, marked, delivered = await tx.several(
        (_OPENING, values), (_POSTED, values), (_MARKED, values), (_DELIVERED, values)
    )
    # A deletion also marks what has to be generated again, which led to nothing.
    parts = [_name_batches(key.project, row) for row in posted]
    parts += [_name_events(key.project, row) for row in delivered]
    rows = await _read_audit_rows(
        tx, then.account, {part.number for part in parts} | {row[0] for row in marked}
    )
    moved = {part.number for part in parts if part.amount or part.deficit}
    parts += _group_marks([mark for mark in marked if mark[0] not in moved], rows)
    if len(parts) > STEPS_MAX:
        message = (
            f"The ledger has {len(parts):,} steps since row {number} of the audit log; an answer has at most "
            f"{STEPS_MAX:,}. Ask for a shorter span with {SINCE} and as_of."
        )
        raise Invalid([Problem(message, SINCE, "too_many")])
    at_first = BalanceAtRow(number, known_at, *opening[0])
    steps = [*_build_steps(at_first, parts, rows)]
    last = steps[-1] if steps else at_first
    at_last = BalanceAtRow(then.number, then.known_at, last.balance, last.deficit)
    return BalanceSteps(ledger.id, ledger.unit, at_first, at_last, steps)


def _name_batches(project: int, row: Sequence[Any]) -> _Part:
    number, is_logged, kind, count, batches, amount, deficit = row
    names = [identity.of("batch", project, batch) for batch in batches]
    return _Part(number, is_logged, kind, count, names, amount, deficit)


def _name_events(project: int, row: Sequence[Any]) -> _Part:
    number, is_logged, is_late, count, events = row
    names = [identity.of("event", project, event) for event in events]
    return _Part(number, is_logged, "delivered_late" if is_late else "delivered", count, names)


def _group_marks(marked: Sequence[Sequence[Any]], rows: Mapping[int, _AuditRow]) -> Iterator[_Part]:
    """A step for each row and kind of change that made batches of the ledger out of date."""
    found: dict[tuple[int, bool, str], set[str]] = {}
    for number, is_logged, reason, record in marked:
        kind = _KINDS_OF_REASONS.get(reason, "inputs_changed")
        if kind == "corrected" and is_logged and rows[number].action in _APPROVING:
            kind = "approved"
        found.setdefault((number, is_logged, kind), set()).add(record)
    for (number, is_logged, kind), records in found.items():
        yield _Part(number, is_logged, kind, len(records), sorted(records)[:RECORDS_MAX])


def _build_steps(
    opening: BalanceAtRow, parts: Iterable[_Part], rows: Mapping[int, _AuditRow]
) -> Iterator[BalanceStep]:
    """The steps in the order of the log with the running balance; what led to a posting comes before it."""
    balance, deficit = opening.balance, opening.deficit
    for part in sorted(parts, key=lambda one: (one.number, STEP_KINDS.index(one.kind), not one.is_logged)):
        balance = EXACT.add(balance, part.amount)
        deficit = EXACT.add(deficit, part.deficit)
        row = rows[part.number]
        yield BalanceStep(
            number=part.number,
            known_at=row.known_at,
            kind=part.kind,
            action=row.action if part.is_logged else None,
            object=row.object if part.is_logged else None,
            user_name=row.user_name if part.is_logged else None,
            record_count=part.record_count,
            record_ids=[*part.records],
            amount=part.amount,
            deficit_amount=part.deficit,
            balance=balance,
            deficit=deficit,
        )


async def _read_audit_rows(tx: Read, account: int, numbers: Iterable[int]) -> dict[int, _AuditRow]:
    """The rows of the log by number."""
    found = await tx.tuples(_ROWS, (account, sorted(numbers)))
    return {number: _AuditRow(*row) for number, *row in found}


_ROWS: Final = """
    SELECT t.number, t.known_at, a.action, a.object, u.name
      FROM audit_times t
      LEFT JOIN audit_seals s ON (s.account_id, s.number) = (t.account_id, t.number)
      LEFT JOIN audit_log a ON a.id = s.audit_id
      LEFT JOIN users u ON u.id = a.user_id
     WHERE t.account_id = %s AND t.number = ANY (%s::bigint[])
"""

# What was posted before moments were kept has none, and is before every row that can be asked for.
_OPENING: Final = """
    SELECT (SELECT coalesce(sum(e.amount), 0)
              FROM ledger_entries e
              LEFT JOIN audit_moments m ON (m.account_id, m.moment) = (%(account)s, e.known_from)
             WHERE (e.project_id, e.ledger_id) = (%(project)s, %(ledger)s)
               AND coalesce(m.number, 0) <= %(since)s),
           (SELECT coalesce(sum(d.amount), 0)
              FROM deficit_entries d
              LEFT JOIN audit_moments m ON (m.account_id, m.moment) = (%(account)s, d.known_from)
             WHERE (d.project_id, d.ledger_id) = (%(project)s, %(ledger)s)
               AND coalesce(m.number, 0) <= %(since)s)
"""

_POSTED: Final = """
    SELECT m.number, m.is_logged, posted.kind, count(DISTINCT posted.batch_id),
           (array_agg(DISTINCT posted.batch_id))[1:%(most)s], sum(posted.amount), sum(posted.deficit)
      FROM (SELECT e.known_from, e.batch_id, e.amount, 0::numeric AS deficit,
                   CASE WHEN e.reverses IS NOT NULL THEN 'deleted'
                        WHEN e.kind = 'reserve' THEN 'reserved' WHEN e.kind = 'release' THEN 'released'
                        WHEN e.kind = 'report' THEN 'reported' WHEN e.kind = 'restate' THEN 'restated'
                        WHEN e.kind = 'draw' THEN 'withdrawn' WHEN e.kind = 'return' THEN 'returned'
                        WHEN b.run_id IS NULL THEN 'entered'
                        WHEN e.kind = 'credit' AND b.adjusts IS NULL THEN 'generated'
                        ELSE 'regenerated' END AS kind
              FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
             WHERE (e.project_id, e.ledger_id) = (%(project)s, %(ledger)s)
            UNION ALL
            SELECT d.known_from, d.posted_by, 0, d.amount,
                   CASE WHEN d.reverses IS NOT NULL THEN 'deleted'
                        WHEN d.report_id IS NOT NULL THEN 'released'
                        ELSE 'regenerated' END
              FROM deficit_entries d
             WHERE (d.project_id, d.ledger_id) = (%(project)s, %(ledger)s)) AS posted
      JOIN audit_moments m ON (m.account_id, m.moment) = (%(account)s, posted.known_from)
     WHERE m.number > %(since)s
     GROUP BY m.number, m.is_logged, posted.kind
"""

# A generation removes the marks that it settles, so those of before are among the former ones.
_MARKED: Final = """
    SELECT m.number, m.is_logged, marked.reason, marked.record
      FROM (SELECT s.known_from, s.reason, s.record FROM stale_runs s
             WHERE s.project_id = %(project)s AND s.ledger_id = %(ledger)s
            UNION
            SELECT f.known_from, f.reason, f.record FROM former_stale_runs f
             WHERE f.project_id = %(project)s AND f.ledger_id = %(ledger)s) AS marked
      JOIN audit_moments m ON (m.account_id, m.moment) = (%(account)s, marked.known_from)
     WHERE m.number > %(since)s AND m.number <= %(until)s
"""

_DELIVERED: Final = """
    SELECT m.number, m.is_logged, posted.is_adjusting, count(DISTINCT used.id),
           (array_agg(DISTINCT used.id))[1:%(most)s]
      FROM (SELECT DISTINCT b.id, b.adjusts IS NOT NULL AS is_adjusting
              FROM ledger_entries e
              JOIN audit_moments m ON (m.account_id, m.moment) = (%(account)s, e.known_from)
              JOIN batches b ON (b.project_id, b.id, b.ledger_id) = (e.project_id, e.posted_by, e.ledger_id)
             WHERE (e.project_id, e.ledger_id) = (%(project)s, %(ledger)s) AND m.number > %(since)s
               AND e.reverses IS NULL) AS posted
      JOIN batch_inputs i ON (i.project_id, i.batch_id) = (%(project)s, posted.id)
     CROSS JOIN unnest(i.event_ids) AS used (id)
      JOIN events e ON (e.project_id, e.id) = (%(project)s, used.id)
     CROSS JOIN LATERAL (
           SELECT least(e.known_from, min(f.known_from)) AS moment, count(*) - count(f.known_from) AS older
             FROM former_events f WHERE (f.project_id, f.id) = (%(project)s, used.id)) AS first
      JOIN audit_moments m ON (m.account_id, m.moment) = (%(account)s, first.moment)
     WHERE first.older = 0 AND m.number > %(since)s
     GROUP BY m.number, m.is_logged, posted.is_adjusting
"""


@get(
    "/ledgers/{ledger_id}/balance_steps",
    permission="production_accounting:read",
    returns=BalanceSteps,
    query={
        SINCE: "The row of the audit log from which the steps start, as `as_of` takes it: a number or a time."
    },
    looks_back=LookingBack.ALWAYS,
)
async def list_balance_steps(call: ReadCall) -> BalanceSteps:
    """List step by step why the balance known at one row of the audit log is another one at a later row."""
    assert call.tx.then is not None  # noqa: S101 - it is read as of a row
    return await read_balance_steps(call.tx, call.tx.then, call)


ROUTES = [list_balance_steps]
