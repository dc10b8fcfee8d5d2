"""What footprints are made of, as the books have it: a batch, or a report that was accepted."""

from decimal import Decimal

from weighbridge.accounting.batches_queries import get_batch
from weighbridge.accounting.model_runs import read_model_run
from weighbridge.core import identity
from weighbridge.core.footprint_content import MeasuredAmount, Produced
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.report import ReportStatus, compute_measured_share
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.footprints.pact.making import FootprintSource, read_nodes_of_report
from weighbridge.reporting.reports_queries import get_report
from weighbridge.reporting.submission.amounts import read_shares


async def read_batch_source(tx: Read, actor: Actor, friendly: str, nodes: set[str]) -> FootprintSource:
    """What a batch says; of one that others adjust, or that adjusts another, the run as it stands now."""
    batch = await get_batch(tx, actor, friendly)
    if batch.adjusts is not None:
        batch = await get_batch(tx, actor, batch.adjusts)
    newest = batch if not batch.adjusted_by else await get_batch(tx, actor, batch.adjusted_by[-1])
    values: dict[str, MeasuredAmount] = {}
    if nodes and newest.model_run is not None:
        run = await read_model_run(tx, actor, newest.model_run.id)
        values = {
            one.slug: MeasuredAmount(one.value, one.unit)
            for one in run.calculations
            if one.slug in nodes and isinstance(one.value, Decimal)
        }
    amount = MeasuredAmount(batch.run_total, batch.primary_output.unit)
    key = identity.parse("batch", batch.id)
    assert key is not None, "a batch has an id"  # noqa: S101
    produced = Produced(amount, values, batch.start_time, batch.end_time, batch.measured_share)
    basis = identity.parse("batch", newest.id)
    assert basis is not None, "a batch has an id"  # noqa: S101
    return FootprintSource(key.project, key.key, None, produced, basis=basis.key)


async def read_report_source(tx: Read, actor: Actor, friendly: str, nodes: set[str]) -> FootprintSource:
    """What an accepted report says of its batches. Raises Invalid for any other report."""
    report = await get_report(tx, actor, friendly)
    key = identity.parse("report", report.id)
    assert key is not None, "a report has an id"  # noqa: S101
    if report.status != ReportStatus.COMPLETE or report.start_time is None or report.end_time is None:
        message = f"The report is {report.status}; footprints are made from accepted reports with batches."
        raise Invalid([Problem(message, "footprint.report_id", "invalid")])
    if report.ledgers and nodes:
        message = (
            f"The product's amounts name nodes ({', '.join(sorted(nodes))}), and the report takes of several"
            " ledgers: what nodes came to is not summed over them. Use the amount of the report."
        )
        raise Invalid([Problem(message, "footprint.report_id", "several_ledgers")])
    unit = report.ledgers[0].unit if report.ledgers else report.inclusions[0].unit
    stated = report.amount if report.accepted_amount is None else report.accepted_amount
    share = compute_measured_share(await read_shares(tx, key))
    values = await read_nodes_of_report(tx, key, nodes)
    produced = Produced(MeasuredAmount(stated, unit), values, report.start_time, report.end_time, share)
    return FootprintSource(key.project, None, key.key, produced, await _list_predecessors(tx, key))


async def _list_predecessors(tx: Read, key: identity.Key) -> tuple[int, ...]:
    """All reports whose place this one takes, however many restatements lie between."""
    rows = await tx.tuples(
        """
        WITH RECURSIVE earlier (id) AS (
            SELECT %(report)s::bigint
            UNION
            SELECT found.id FROM earlier e CROSS JOIN LATERAL (
                SELECT r.supersedes AS id FROM reports r
                 WHERE (r.project_id, r.id) = (%(project)s, e.id) AND r.supersedes IS NOT NULL
                UNION ALL
                SELECT s.predecessor_id FROM report_successions s
                 WHERE (s.project_id, s.report_id) = (%(project)s, e.id)) AS found
        )
        SELECT id FROM earlier WHERE id <> %(report)s ORDER BY id
        """,
        {"project": key.project, "report": key.key},
    )
    return tuple(number for (number,) in rows)
