"""Draws by hand on the form of a generation: the lots that can be named, and how much of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from weighbridge.accounting.ledgers.records import Ledger, RequiredInput
from weighbridge.accounting.tracing.slot_states import OfferedLot, holdings, lots
from weighbridge.collection.tenancy.project import project_number
from weighbridge.core.identity import ids
from weighbridge.core.identity.ids import Key
from weighbridge.core.quantity.number import plain
from weighbridge.web.ledgers.asked import DRAW, GenerationAsked
from weighbridge.web.visit import Visit

LOTS_SHOWN: Final = 40
"""Batches with something left that one node is offered, the newest; others are named by their ids."""


@dataclass(frozen=True, slots=True)
class LotShown:
    """A batch that can be drawn from, with its field."""

    lot: OfferedLot
    batch_id: str
    ledger: str
    unit: str
    held: Decimal | None
    """What the runs of the period draw of it already."""
    field: str
    typed: str


@dataclass(frozen=True, slots=True)
class ByHand:
    """One node that draws what is named."""

    input: RequiredInput
    group: str
    lots: Sequence[LotShown] = ()
    is_cut: bool = False
    """Whether there are more lots than are shown."""

    @property
    def holds(self) -> bool:
        """Whether the period draws something for it already."""
        return any(one.held for one in self.lots)


async def by_hand(
    visit: Visit, ledger: Ledger, inputs: Sequence[RequiredInput], asked: GenerationAsked
) -> list[ByHand]:
    """The nodes that draw by hand, each with the lots of its ledgers."""
    manual = [(one, group) for one in inputs if one.is_manual_select for group in one.allocation_groups]
    if not manual:
        return []
    key = Key(project_number(visit.path["project_id"]), ledger.numeric_id)
    held: dict[str, dict[int, Decimal]] = {}
    if asked.start is not None and asked.end is not None:
        nodes = [group.node for _, group in manual]
        for found in await holdings(visit.reading, key, nodes, asked.start, asked.end):
            held.setdefault(found.node, {})[found.batch] = found.amount
    return [
        await _node(visit, ByHand(one, group.name), held.get(group.node, {}), asked) for one, group in manual
    ]


async def _node(visit: Visit, node: ByHand, held: Mapping[int, Decimal], asked: GenerationAsked) -> ByHand:
    """The node with its lots: those that it holds, those named, and the newest with something left."""
    project = project_number(visit.path["project_id"])
    sources = {ids.number("ledger", one.id): one for one in node.input.output_of_ledgers}
    typed = {draw.batch: draw.text for draw in asked.draws or () if draw.group == node.group}
    named = {key.key for text in typed if (key := ids.parse("batch", text)) and key.project == project}
    found = await lots(visit.reading, project, list(sources), [*held, *named], LOTS_SHOWN + 1)
    shown: list[LotShown] = []
    for lot in found:
        if len(shown) >= LOTS_SHOWN and lot.number not in {*held, *named}:
            continue
        batch_id, holds = ids.of("batch", project, lot.number), held.get(lot.number)
        text = typed.get(batch_id, "") if asked.draws is not None else plain(holds) if holds else ""
        source = sources[lot.ledger]
        field = f"{DRAW}{node.group}:{batch_id}"
        shown.append(LotShown(lot, batch_id, source.name, source.unit, holds, field, text))
    return replace(node, lots=shown, is_cut=len(shown) < len(found))
