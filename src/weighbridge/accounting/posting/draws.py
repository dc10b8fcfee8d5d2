"""The draws of batches, as they were when values were computed: a batch keeps them, whatever comes later."""

from collections.abc import Sequence
from decimal import Decimal

from weighbridge.accounting.posting.calculations import array_text
from weighbridge.accounting.posting.posted import Posted
from weighbridge.core.engine.source_ledger import Drawn
from weighbridge.core.ledger.contributions import as_columns
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.db.engine import Write


async def insert_draws(tx: Write, project: int, posted: Sequence[Posted]) -> None:
    """Keep with each batch what its nodes had drawn when its values were computed."""
    rows = [
        (one.batch_id, draw.node, position, draw.source.number, draw.amount, _contributions(draw), draw)
        for one in posted
        for position, draw in enumerate(one.difference.run.draws)
    ]
    if not rows:
        return
    # An array of arrays must be rectangular, so attributes stand one below the other.
    attributes = [
        (row, index, value, str(unit))
        for row, (*_, draw) in enumerate(rows, start=1)
        for index, (value, unit) in enumerate(zip(draw.attributes, draw.units, strict=True))
    ]
    await tx.execute(
        """
        INSERT INTO batch_draws (project_id, batch_id, node, place, source_batch_id, amount, attributes,
                                 units, contributions)
        SELECT %s, batch_id, node, place, source_batch_id, amount, coalesce(named.attributes, '{}'),
               coalesce(named.units, '{}'), drawn.contributions::numeric[]
          FROM unnest(%s::bigint[], %s::text[], %s::integer[], %s::bigint[], %s::numeric[], %s::text[])
               WITH ORDINALITY AS drawn (batch_id, node, place, source_batch_id, amount, contributions, row)
          LEFT JOIN (SELECT row, array_agg(value ORDER BY index) AS attributes,
                            array_agg(unit ORDER BY index) AS units
                       FROM unnest(%s::integer[], %s::integer[], %s::numeric[], %s::text[])
                            AS one (row, index, value, unit)
                      GROUP BY row) AS named USING (row)
        """,
        (
            project,
            *([row[column] for row in rows] for column in range(6)),
            *([row[column] for row in attributes] for column in range(4)),
        ),
    )


def _contributions(draw: Drawn) -> str:
    """What the drawn amount and each attribute rest on, one after the other, as an array's text."""
    unknown: list[Decimal | None] = [None] * len(ValueSource)
    return array_text(
        [one for part in draw.rests_on for one in (unknown if part is None else as_columns(part))]
    )
