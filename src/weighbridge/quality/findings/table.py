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
    await tx.execute(_MISSING_SLOTS)
    await tx.execute("DELETE FROM rule_findings")
    await tx.execute("DELETE FROM rule_missing_slots")


async def insert_findings(tx: Write, findings: Sequence[FindingTableRow]) -> None:
    """Put a portion of findings into the table."""
    rows = [
        (*row[:6], _json(row.from_value), _json(row.to_value), _json(row.substitution))
        for row in findings
        if row.slot is None
    ]
    if rows:
        await tx.execute(_INSERT, [list(column) for column in zip(*rows, strict=True)])
    missing = [
        (*row.slot, row.position, _json(row.to_value), _json(row.substitution))
        for row in findings
        if row.slot is not None and row.to_value is not None
    ]
    if missing:
        await tx.execute(_INSERT_MISSING, [list(column) for column in zip(*missing, strict=True)])


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
_MISSING_SLOTS: Final = """
    CREATE TEMPORARY TABLE IF NOT EXISTS rule_missing_slots (
        place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_type_id integer, asset_id integer,
        location_id integer, slot_start timestamptz(3), slot_end timestamptz(3), position smallint,
        to_value jsonb, substitution jsonb, event jsonb
    ) ON COMMIT DROP
"""
"""The slots without an event that a rule has found a value for, and how an event for one is described."""

_INSERT_MISSING: Final = """
    INSERT INTO rule_missing_slots (event_type_id, asset_id, location_id, slot_start, slot_end, position,
                                    to_value, substitution)
    SELECT event_type_id, asset_id, location_id, slot_start, slot_end, position, to_value::jsonb,
           substitution::jsonb
      FROM unnest(%s::integer[], %s::integer[], %s::integer[], %s::timestamptz[], %s::timestamptz[],
                  %s::smallint[], %s::text[], %s::text[])
        AS portion (event_type_id, asset_id, location_id, slot_start, slot_end, position, to_value,
                    substitution)
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
