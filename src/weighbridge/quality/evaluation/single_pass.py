"""A single pass reads the records of a rule in their order, a portion at a time, and tells what it finds.

An evaluation puts the findings into the table of its transaction, from which statements go on; a preview
looks at them as they come.

Invariants: memory stays flat, whatever the number of records; records are evaluated in a thread.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

from weighbridge.core.expression import ExpressionError
from weighbridge.core.problem import Problem
from weighbridge.core.rule import Evaluation, Finding, RuleTarget
from weighbridge.core.rule.correction import AdjustedValue, adjusted
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid
from weighbridge.quality.evaluation.event_records import RecordStream
from weighbridge.quality.evaluation.prepared_rule import PreparedRule
from weighbridge.quality.findings.table import FindingTableRow, insert_findings

PORTION: Final = 2_000
"""Records that are read and evaluated at a time."""


async def collect(tx: Write, prepared: PreparedRule, stream: RecordStream) -> int:
    """Put what is found into the table of findings; gives how many records were evaluated."""
    evaluation = Evaluation(prepared.program, prepared.zone)
    async for portion in findings_of(tx, prepared, evaluation, stream):
        await insert_findings(tx, portion)
    await tx.execute("ANALYZE rule_findings")
    return evaluation.evaluated


async def findings_of(
    tx: Read, prepared: PreparedRule, evaluation: Evaluation, stream: RecordStream
) -> AsyncIterator[list[FindingTableRow]]:
    """What is found of the records of a stream, portion by portion."""
    make = _of_run if prepared.rule.target is RuleTarget.MODEL_RUN else _of_data_point

    def take(rows: Sequence[Sequence[Any]]) -> list[FindingTableRow]:
        return list(map(make, evaluation.take(map(stream.record, rows))))

    try:
        async for rows in tx.portions(stream.statement, PORTION):
            yield await tx.in_thread(take, rows)
        yield await tx.in_thread(lambda: list(map(make, evaluation.finish())))
    except ExpressionError as error:
        said = f"The rule cannot be evaluated: {error.message}"
        raise Invalid([Problem(said, None, "too_costly")]) from None


def _of_data_point(finding: Finding) -> FindingTableRow:
    position, value, captured = finding.record.about
    becomes = AdjustedValue() if finding.error else adjusted(captured, finding.correction)
    error = finding.error or becomes.error
    replaced = None if becomes.value is None else captured
    return FindingTableRow(
        finding.record.key, position, None, None, value, error, replaced, becomes.value, finding.record.start
    )


def _of_run(finding: Finding) -> FindingTableRow:
    batch, run, value = finding.record.about
    return FindingTableRow(None, None, batch, run, value, finding.error, None, None, finding.record.start)
