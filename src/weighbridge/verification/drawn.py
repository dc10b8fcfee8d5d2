"""What draws took of the uncertainty of their sources, against what the source batches carry.

A draw takes of its source's run, as the newest batch of the run has it by then, the part of each effect that
goes with the amount; attributes bring theirs as a whole.

Invariant: what a draw is kept with follows from the source batch, so nothing that a draw says is believed.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge.core import identity
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.ledger.drawing import SourceBatch
from weighbridge.core.model import Model, Upstream
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.uncertainty.effects import Uncertainty, read_uncertainty, write_uncertainty
from weighbridge.core.unit import Unit, parse_unit
from weighbridge.db.engine import Read


class _DrawnOfSource(msgspec.Struct, frozen=True):
    """A draw, and the batch that its source's run had by then."""

    batch: int
    node: str
    amount: Decimal
    units: list[str]
    uncertainties: list[dict[str, Any]] | None
    source: int
    ledger: int
    ledger_unit: str
    start_time: Instant
    end_time: Instant
    newest: int | None
    """None of an instrument, which is certain."""
    total: Decimal | None


_Carried = dict[str, tuple[Uncertainty, Unit]]


async def list_drawn_complaints(
    tx: Read, project: int, model: Model, batches: Sequence[int]
) -> dict[int, list[str]]:
    """List by batch what its draws took otherwise of the uncertainty of their sources.

    What a source carries that is no uncertainty counts as nothing; verifying the source says so.
    """
    nodes = {node.slug: (node, node.body) for node in model.nodes if isinstance(node.body, Upstream)}
    if model.uncertainty is None or not nodes:
        return {}
    draws = await tx.rows(_DrawnOfSource, _DRAWS, {"project": project, "batches": list(batches)})
    newest = sorted({draw.newest for draw in draws if draw.newest is not None})
    carried: dict[int, _Carried] = {}
    for batch, slug, is_primary, kept, unit in await tx.tuples(_CARRIED, (project, newest)):
        with suppress(ValueError):
            of_output = read_uncertainty(kept), parse_unit(unit)
            carried.setdefault(batch, {}).update(
                dict.fromkeys((slug, "") if is_primary else (slug,), of_output)
            )
    complaints: dict[int, list[str]] = {}
    for draw in draws:
        node, body = nodes[draw.node]
        attributes = dict(zip(body.attributes, map(parse_unit, draw.units), strict=True))
        source = _build_source(draw, carried.get(draw.newest or 0, {}))
        taken = source.take_uncertainties(draw.amount, parse_unit(draw.ledger_unit), node.unit, attributes)
        if [_write(one) for one in map(read_uncertainty, draw.uncertainties or ())] != [*map(_write, taken)]:
            name = identity.of("batch", project, draw.source)
            complaints.setdefault(draw.batch, []).append(
                f"what node {draw.node} took of the uncertainty of batch {name} is not that part of it"
            )
    return complaints


def _build_source(draw: _DrawnOfSource, carried: _Carried) -> SourceBatch:
    slot = Interval(draw.start_time, draw.end_time)
    total = draw.total or Decimal(0)
    return SourceBatch(
        draw.source, draw.ledger, slot, "", Partition(), Decimal(0), run_total=total, uncertainties=carried
    )


def _write(uncertainty: Uncertainty) -> str:
    return json.dumps(write_uncertainty(uncertainty), sort_keys=True)


_DRAWS: Final = """
    SELECT d.batch_id AS batch, d.node, d.amount, d.units, d.uncertainties, source.id AS source,
           source.ledger_id AS ledger, l.unit AS ledger_unit, source.start_time, source.end_time,
           newest.id AS newest, newest.total
      FROM batch_draws d
      JOIN batches b ON (b.project_id, b.id) = (d.project_id, d.batch_id)
      JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
      JOIN ledgers l ON (l.project_id, l.id) = (source.project_id, source.ledger_id)
      LEFT JOIN LATERAL (
           SELECT other.id, other.total FROM batches other
            WHERE (other.project_id, other.ledger_id, other.run_id)
                = (source.project_id, source.ledger_id, source.run_id)
              AND other.id < d.batch_id AND (other.deleted_at IS NULL OR other.deleted_at > b.created_at)
            ORDER BY other.id DESC LIMIT 1) AS newest ON true
     WHERE d.project_id = %(project)s AND d.batch_id = ANY (%(batches)s::bigint[])
     ORDER BY d.batch_id, d.node, d.place
"""
_CARRIED: Final = """
    SELECT batch_id, slug, is_primary, uncertainty, unit FROM batch_calculations
     WHERE project_id = %s AND batch_id = ANY (%s::bigint[]) AND is_output AND uncertainty IS NOT NULL
"""
