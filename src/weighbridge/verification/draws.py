"""What batches had drawn when their values were computed, and what they saw of other ledgers, by slot."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import msgspec

from weighbridge.core.engine import NodeReading
from weighbridge.core.engine.slot_computation import Drawing, Drawn, SourceLedgerView
from weighbridge.core.ledger.allocation import (
    HALF_EVEN,
    NO_CONTRIBUTIONS,
    Contributions,
    LedgerRounding,
    Partition,
    ValueSource,
    read_columns,
    write_columns,
)
from weighbridge.core.ledger.drawing import Drawer, SourceBatch
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.model import Available, Model, Node, Upstream
from weighbridge.core.number import digits, plain
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.unit import ONE, Unit, parse_unit
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class RunAsUsed:
    """A run, and the batch whose lineage has its inputs."""

    slot: Interval
    partition: Partition
    batch: int


class _Draw(msgspec.Struct, frozen=True):
    batch: int
    node: str
    source: int
    start_time: Instant
    end_time: Instant
    tracking_id: str
    ledger: int
    unit: str
    scale: int
    rounding: LedgerRounding
    amount: Decimal
    attributes: list[Decimal]
    units: list[str]
    contributions: list[Decimal | None] | None

    @property
    def drawn(self) -> Drawn:
        slot = Interval(self.start_time, self.end_time)
        return Drawn(
            self.node,
            SourceBatch(self.source, self.ledger, slot, self.tracking_id, Partition(), Decimal(0)),
            self.amount,
            tuple(self.attributes),
            tuple(map(parse_unit, self.units)),
            tuple(self._rests_on()),
        )

    def _rests_on(self) -> Iterator[Contributions | None]:
        """What the batch knew of the sources of the amount and of each attribute."""
        width = len(ValueSource)
        for column in range(1 + len(self.attributes)):
            column_amounts = (self.contributions or [None] * width * (1 + len(self.attributes)))[
                width * column :
            ]
            known_amounts = [amount for amount in column_amounts[:width] if amount is not None]
            yield read_columns(known_amounts) if len(known_amounts) == width else None


async def read_drawing(
    tx: Read, project: int, model: Model, slots: Sequence[Interval], runs: Sequence[RunAsUsed]
) -> list[Drawing | None]:
    """What the nodes of each slot drew and saw; None for a model that looks at no other ledger."""
    nodes = {node.slug: node.body for node in model.nodes if isinstance(node.body, Upstream | Available)}
    if not nodes:
        return [None] * len(slots)
    by_batch = {run.batch: run for run in runs}
    draws = await tx.rows(_Draw, _DRAWS, (project, list(by_batch)))
    seen_rows = await tx.tuples(_SEEN, (project, list(by_batch), sorted(nodes)))
    recorded: dict[Drawer, tuple[Drawn, ...]] = {}
    for draw in draws:
        drawer = _build_drawer(by_batch[draw.batch], draw.node)
        recorded[drawer] = (*recorded.get(drawer, ()), draw.drawn)
    source_ledgers = await _read_source_ledgers(
        tx, project, nodes, {draw_row.node: draw_row for draw_row in draws}
    )
    values = {_build_drawer(by_batch[batch], slug): value for batch, slug, value in seen_rows}
    return [Drawing(slot, Pool((), {}), source_ledgers, recorded=recorded, seen=values) for slot in slots]


def _build_drawer(run: RunAsUsed, node: str) -> Drawer:
    return Drawer(run.slot, run.partition, node)


async def _read_source_ledgers(
    tx: Read, project: int, nodes: Mapping[str, Upstream | Available], draws: Mapping[str, _Draw]
) -> dict[str, SourceLedgerView]:
    """The ledgers as the nodes drew from them; of a node that drew nothing, by the name that it gives."""
    rows = await tx.tuples(
        "SELECT name, id, unit, scale, rounding FROM ledgers WHERE project_id = %s AND name = ANY (%s)",
        (project, sorted({body.ledger for body in nodes.values()})),
    )
    ledgers_by_name = {name: (number, unit, scale, how) for name, number, unit, scale, how in rows}
    unknown = (0, str(ONE), 0, HALF_EVEN)
    source_ledgers = {}
    for slug, body in nodes.items():
        draw = draws.get(slug)
        drawn_from = (draw.ledger, draw.unit, draw.scale, draw.rounding) if draw else None
        number, unit, scale, rounding = drawn_from or ledgers_by_name.get(body.ledger, unknown)
        source_ledgers[slug] = SourceLedgerView(
            number, body.ledger, parse_unit(unit), scale, _read_attributes(body, draw), rounding
        )
    return source_ledgers


def _read_attributes(body: Upstream | Available, draw: _Draw | None) -> dict[str, Unit]:
    """The units of what travelled along; where nothing did, nothing depends on them."""
    written_attributes = body.attributes if isinstance(body, Upstream) else {}
    units = (
        [parse_unit(unit) for unit in draw.units]
        if draw
        else [unit or ONE for unit in written_attributes.values()]
    )
    return dict(zip(written_attributes, units, strict=True))


_DRAWS = """
    SELECT d.batch_id, d.node, source.id, source.start_time, source.end_time, source.tracking_id, l.id,
           l.unit, l.scale, l.rounding, d.amount, d.attributes, d.units, d.contributions
      FROM batch_draws d
      JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
      JOIN ledgers l ON (l.project_id, l.id) = (source.project_id, source.ledger_id)
     WHERE d.project_id = %s AND d.batch_id = ANY (%s) ORDER BY d.batch_id, d.node, d.place
"""
_SEEN = """
    SELECT batch_id, slug, value FROM batch_calculations
     WHERE project_id = %s AND batch_id = ANY (%s) AND slug = ANY (%s) AND value IS NOT NULL
"""


# What the nodes of a batch came to, as it is kept and as it is computed anew, and where the two differ.


@dataclass(frozen=True, slots=True)
class CalculatedNode:
    """What a node came to, as its digits or, of an array, their digest; of a shared input, also the whole."""

    amount: str
    whole: Decimal | None
    name: str
    unit: str
    is_output: bool
    is_primary: bool
    contributions: tuple[Decimal, ...] | None = None
    """The contributions to an output by source; None for other nodes, or if unknown."""

    @classmethod
    def of(
        cls,
        node: Node,
        reading: NodeReading,
        model: Model,
        primary: str,
        contributions: Mapping[str, Contributions | None],
    ) -> "CalculatedNode":
        """A node as it is computed anew; `primary` is the output that the ledger keeps."""
        is_output = node in model.outputs
        rests_on = contributions.get(node.slug, NO_CONTRIBUTIONS)
        return cls(
            digits(reading.amount),
            reading.whole,
            node.label,
            str(node.unit),
            is_output,
            node.slug == primary,
            tuple(write_columns(rests_on)) if is_output and rests_on is not None else None,
        )

    @property
    def shown(self) -> str:
        """What it is called and serves for."""
        role = "the primary output" if self.is_primary else "an output" if self.is_output else "no output"
        return f"{self.name!r} in {self.unit}, {role}"


def list_differences(
    slug: str, recorded: CalculatedNode | None, recomputed: CalculatedNode | None, *, has_contributions: bool
) -> Iterator[str]:
    """List where a recomputed node differs from the recorded one.

    Contributions are compared if `has_contributions` is true; old batches have none.
    """
    if (
        recorded is None
        or recomputed is None
        or (recorded.amount, recorded.whole) != (recomputed.amount, recomputed.whole)
    ):
        if recorded != recomputed:
            amounts = f"{_write_amount(recorded)} in the batch and {_write_amount(recomputed)} computed anew"
            yield f"node {slug} is {amounts}"
        return
    if replace(recorded, contributions=None) != replace(recomputed, contributions=None):
        yield f"node {slug} is {recorded.shown} in the batch, and {recomputed.shown} in the model"
    if (
        has_contributions
        and recorded.contributions is not None
        and recorded.contributions != recomputed.contributions
    ):
        was, now = _write_sources(recorded), _write_sources(recomputed)
        yield f"node {slug} rests on {was} in the batch and on {now} computed anew"


def _write_amount(calculated: CalculatedNode | None) -> str:
    return "nothing" if calculated is None else calculated.amount


def _write_sources(calculated: CalculatedNode) -> str:
    """What contributes to a node, source by source."""
    if calculated.contributions is None:
        return "what nobody knows"
    sources = zip(ValueSource, calculated.contributions, strict=True)
    return ", ".join(f"{plain(amount)} {source}" for source, amount in sources if amount) or "no value"


async def read_calculations(
    tx: Read, project: int, batches: Sequence[int]
) -> dict[int, dict[str, CalculatedNode]]:
    """What the nodes of batches came to, by batch and slug, as it is kept."""
    by_batch: dict[int, dict[str, CalculatedNode]] = {}
    rows = await tx.tuples(
        """
        SELECT c.batch_id, c.slug, c.value, c.whole, c.element_count, encode(c.elements_sha256, 'hex'),
               c.elements, c.name, c.unit, c.is_output, c.is_primary, c.contributions
          FROM batch_calculations c WHERE c.project_id = %s AND c.batch_id = ANY (%s)
        """,
        (project, batches),
    )
    for (
        batch,
        slug,
        value,
        whole_amount,
        count,
        digest,
        elements,
        name,
        unit,
        is_output,
        is_primary,
        contributions,
    ) in rows:
        amount = digits(value) if count is None else f"[{count} {digest}]"
        if elements is not None and digits(tuple(elements)) != amount:
            amount = f"{amount} by its digest, {digits(tuple(elements))} by its elements"
        rests_on = None if contributions is None else tuple(contributions)
        by_batch.setdefault(batch, {})[slug] = CalculatedNode(
            amount, whole_amount, name, unit, is_output, is_primary, rests_on
        )
    return by_batch
