"""A single pass reads the records of a rule in their order, a portion at a time, and tells what it finds.

An evaluation puts the findings into the table of its transaction, from which statements go on; a preview
looks at them as they come.

Invariants: memory stays flat, whatever the number of records; records are evaluated in a thread.
"""

from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime
from typing import Any, Final

from weighbridge.core.expression import ExpressionError
from weighbridge.core.problem import Problem
from weighbridge.core.rule import Evaluation, Finding, RuleTarget
from weighbridge.core.rule.correction import AdjustedValue, adjusted
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid
from weighbridge.quality.evaluation.event_records import stream_of
from weighbridge.quality.evaluation.model_run_records import stream_of_runs
from weighbridge.quality.evaluation.prepared_rule import PreparedRule
from weighbridge.quality.evaluation.series_pass import SeriesPass, series_findings, series_pass
from weighbridge.quality.findings.table import FindingTableRow, insert_findings
from weighbridge.quality.versions.period import Period

PORTION: Final = 2_000
"""Records that are read and evaluated at a time."""


async def collect(tx: Write, prepared: PreparedRule, period: Period) -> int:
    """Put what is found in a period into the table of findings; gives how many records were evaluated."""
    evaluation = await begun(tx, prepared, period)
    async for portion in findings_of(tx, prepared, evaluation, period):
        await insert_findings(tx, portion)
    await tx.execute("ANALYZE rule_findings")
    return evaluation.evaluated


async def begun(
    tx: Read, prepared: PreparedRule, period: Period, starts: Collection[datetime] | None = None
) -> Evaluation | SeriesPass:
    """An evaluation that has taken no record yet; one that fills gaps fills those slots alone, if given."""
    if prepared.gaps is not None:
        return await series_pass(tx, prepared, period, starts)
    return Evaluation(prepared.program, prepared.zone)


async def findings_of(
    tx: Read, prepared: PreparedRule, evaluation: Evaluation | SeriesPass, period: Period
) -> AsyncIterator[list[FindingTableRow]]:
    """What is found of the records of a period, portion by portion."""
    try:
        if isinstance(evaluation, SeriesPass):
            async for portion in series_findings(tx, prepared, evaluation, period):
                yield portion
        else:
            async for portion in _record_findings(tx, prepared, evaluation, period):
                yield portion
    except ExpressionError as error:
        said = f"The rule cannot be evaluated: {error.message}"
        raise Invalid([Problem(said, None, "too_costly")]) from None


async def _record_findings(
    tx: Read, prepared: PreparedRule, evaluation: Evaluation, period: Period
) -> AsyncIterator[list[FindingTableRow]]:
    of_runs = prepared.rule.target is RuleTarget.MODEL_RUN
    make = _of_run if of_runs else _of_data_point
    stream = stream_of_runs(prepared, period) if of_runs else await stream_of(tx, prepared, period)

    def take(rows: Sequence[Sequence[Any]]) -> list[FindingTableRow]:
        return list(map(make, evaluation.take(map(stream.record, rows))))

    async for rows in tx.portions(stream.statement, PORTION):
        yield await tx.in_thread(take, rows)
    yield await tx.in_thread(lambda: list(map(make, evaluation.finish())))


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
