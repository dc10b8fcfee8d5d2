"""Collecting: records are read in order, a portion at a time, and what a rule finds becomes rows.

An evaluation puts the rows into a table of its transaction, from which statements go on; a preview looks at
them as they come.

Invariants: memory stays flat, whatever the number of records; records are evaluated in a thread.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from weighbridge.core.expression.value import Scalar
from weighbridge.core.rule import Evaluation, Finding, Target
from weighbridge.core.rule.correction import Adjusted, adjusted
from weighbridge.db.engine import Read, Write
from weighbridge.db.json import canonical
from weighbridge.quality.evaluation.event_records import Stream
from weighbridge.quality.evaluation.prepared_rule import Subject

PORTION: Final = 2_000
"""Records that are read and evaluated at a time."""


class Row(NamedTuple):
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


async def begin(tx: Write) -> None:
    """Make the table of findings of the transaction, or empty it."""
    await tx.execute(_TABLE)
    await tx.execute("DELETE FROM rule_findings")


async def collect(tx: Write, subject: Subject, stream: Stream) -> int:
    """Put what is found into the table; gives how many records were evaluated."""
    evaluation = Evaluation(subject.program, subject.zone)
    async for found in findings(tx, subject, evaluation, stream):
        if found:
            await tx.execute(_COLLECT, _columns(found))
    await tx.execute("ANALYZE rule_findings")
    return evaluation.evaluated


async def index(tx: Write) -> None:
    """Let what was collected be found by event and position, whatever the planner knows of other tables."""
    await tx.execute("CREATE INDEX IF NOT EXISTS rule_findings_keys ON rule_findings (event_id, position)")


async def findings(
    tx: Read, subject: Subject, evaluation: Evaluation, stream: Stream
) -> AsyncIterator[list[Row]]:
    """What is found of the records of a stream, portion by portion."""
    make = _of_run if subject.rule.target is Target.MODEL_RUN else _of_data_point

    def take(rows: Sequence[Sequence[Any]]) -> list[Row]:
        return list(map(make, evaluation.take(map(stream.record, rows))))

    async for rows in tx.portions(stream.statement, PORTION):
        yield await tx.in_thread(take, rows)
    yield list(map(make, evaluation.finish()))


def _of_data_point(finding: Finding) -> Row:
    position, value, captured = finding.record.about
    becomes = Adjusted() if finding.error else adjusted(captured, finding.correction)
    error = finding.error or becomes.error
    replaced = None if becomes.value is None else captured
    return Row(
        finding.record.key, position, None, None, value, error, replaced, becomes.value, finding.record.start
    )


def _of_run(finding: Finding) -> Row:
    batch, run, value = finding.record.about
    return Row(None, None, batch, run, value, finding.error, None, None, finding.record.start)


def _columns(found: Sequence[Row]) -> list[list[Any]]:
    rows = [(*row[:6], _json(row.from_value), _json(row.to_value)) for row in found]
    return [list(column) for column in zip(*rows, strict=True)]


def _json(value: Scalar | None) -> str | None:
    return None if value is None else canonical(value).decode()


_TABLE: Final = """
    CREATE TEMPORARY TABLE IF NOT EXISTS rule_findings (
        event_id bigint, position smallint, batch_id bigint, model_run_id bigint, value text, error text,
        from_value jsonb, to_value jsonb
    ) ON COMMIT DROP
"""
_COLLECT: Final = """
    INSERT INTO rule_findings
    SELECT event_id, position, batch_id, model_run_id, value, error, from_value::jsonb, to_value::jsonb
      FROM unnest(%s::bigint[], %s::smallint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[],
                  %s::text[], %s::text[])
        AS found (event_id, position, batch_id, model_run_id, value, error, from_value, to_value)
"""
