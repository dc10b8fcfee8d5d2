"""The table of findings: what evaluating a rule has found, for the statements of the same transaction.

An evaluation fills it portion by portion; results are made of it, and corrections and proposals.

Invariants: it belongs to one transaction and goes with it; memory stays flat, whatever the number of
findings.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from weighbridge.core.expression.value import Scalar
from weighbridge.db.engine import Write
from weighbridge.db.json import canonical


class ImputedSlot(NamedTuple):
    """A slot of a meter that no event came for; 0 for an asset or location that it does not have."""

    event_type: int
    asset: int
    location: int
    start: datetime
    end: datetime


class FindingTableRow(NamedTuple):
    """What was found of one record: which it is, what its result says, and the correction it calls for."""

    event: int | None
    position: int | None
    batch: int | None
    model_run: int | None
    value: str | None
    error: str | None
    from_value: Scalar | None
    to_value: Scalar | None
    start: datetime
    substitution: dict[str, Any] | None = None
    """How the value was found that fills a gap."""
    slot: ImputedSlot | None = None
    """The slot that has no event; the row names no event then."""


async def make_empty_table(tx: Write) -> None:
    """Make the table of findings of the transaction, or empty it."""
    await tx.execute(_TABLE)
    await tx.execute("DELETE FROM rule_findings")


async def insert_findings(tx: Write, findings: Sequence[FindingTableRow]) -> None:
    """Put a portion of findings into the table."""
    rows = [
        (*row[:6], _json(row.from_value), _json(row.to_value), _json(row.substitution)) for row in findings
    ]
    if rows:
        await tx.execute(_INSERT, [list(column) for column in zip(*rows, strict=True)])


async def index_findings(tx: Write) -> None:
    """Let what was found be looked up by event and position, whatever the planner knows of other tables."""
    await tx.execute("CREATE INDEX IF NOT EXISTS rule_findings_keys ON rule_findings (event_id, position)")


def _json(value: Scalar | dict[str, Any] | None) -> str | None:
    return None if value is None else canonical(value).decode()


_TABLE: Final = """
    CREATE TEMPORARY TABLE IF NOT EXISTS rule_findings (
        event_id bigint, position smallint, batch_id bigint, model_run_id bigint, value text, error text,
        from_value jsonb, to_value jsonb, substitution jsonb
    ) ON COMMIT DROP
"""
_INSERT: Final = """
    INSERT INTO rule_findings
    SELECT event_id, position, batch_id, model_run_id, value, error, from_value::jsonb, to_value::jsonb,
           substitution::jsonb
      FROM unnest(%s::bigint[], %s::smallint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[],
                  %s::text[], %s::text[], %s::text[])
        AS portion (event_id, position, batch_id, model_run_id, value, error, from_value, to_value,
                    substitution)
"""
