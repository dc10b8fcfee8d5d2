"""A lineage tree: a batch, the nodes behind it, their measurements, and the batches that it draws from.

Invariants: a node that stands in the tree already is only named; of a batch that is drawn from, what travels
along and what it credited are traced further.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from rich.text import Text
from rich.tree import Tree

from weighbridge.demo.figure import number
from weighbridge.demo.plant import TIME_ZONE, JsonRecord

PURE: Final = "1"
"""The unit of a pure number, which goes without saying."""


@dataclass(frozen=True, slots=True)
class LineageTree:
    """The lineages of some batches, and the names of their ledgers; what is in the tree already."""

    lineages: Mapping[str, JsonRecord]
    ledgers: Mapping[str, str]
    _grown: set[tuple[str, str]] = field(default_factory=set)

    def of(self, batch: str) -> Tree:
        """Grow the tree of a batch."""
        tree = Tree(self._named(batch))
        self._grow_nodes(tree, batch, ())
        return tree

    def _named(self, batch: str) -> Text:
        record = self.lineages[batch]["batch"]
        return Text.assemble(
            (batch, "bold magenta"), f"  {self.ledgers[record['ledger_id']]} {record['tracking_id']}"
        )

    def _grow_nodes(self, branch: Tree, batch: str, outputs: Collection[str]) -> None:
        nodes = {node["slug"]: node for node in self.lineages[batch]["nodes"]}
        for node in nodes.values():
            if node["is_primary"] or node["slug"] in outputs:
                self._grow(branch, batch, node, nodes)

    def _grow(self, tree: Tree, batch: str, node: JsonRecord, nodes: Mapping[str, JsonRecord]) -> None:
        is_repeated = (batch, node["slug"]) in self._grown
        branch = tree.add(_label(node, is_repeated=is_repeated))
        if is_repeated:
            return
        self._grown.add((batch, node["slug"]))
        if node["input"] is not None:
            _grow_events(branch, node["input"])
            return
        for slug in node["reads"]:
            self._grow(branch, batch, nodes[slug], nodes)
        for draw in node["draws"]:
            self._grow_draw(branch, draw)

    def _grow_draw(self, branch: Tree, draw: JsonRecord) -> None:
        said = f", {number(draw['amount'])} {draw['unit']} of it"
        source = branch.add(Text.assemble(self._named(draw["batch_id"]), said))
        self._grow_nodes(source, draw["batch_id"], [one["slug"] for one in draw["attributes"]])


def _grow_events(branch: Tree, read: JsonRecord) -> None:
    unit = _unit(read["unit"])
    for row in read["rows"]:
        weight = "" if row["weight"] is None else f", weight {number(row['weight'])}"
        said = f"  {read['data_point']} {number(row['value'])}{unit}{weight}  {_day(row['start_time'])}"
        branch.add(Text.assemble((row["event_id"], "green"), said))


def _day(moment: str) -> str:
    return f"{datetime.fromisoformat(moment).astimezone(ZoneInfo(TIME_ZONE)):%Y-%m-%d}"


def _label(node: JsonRecord, *, is_repeated: bool) -> Text:
    unit = _unit(node["unit"])
    label = Text.assemble((node["slug"], "bold"), f" = {_value(node)}{unit}")
    if is_repeated:
        label.append("  (see above)", "dim")
        return label
    if node["whole"] is not None:
        label.append(f", its share of {number(node['whole'])}{unit}")
    if node["equation"] is not None:
        label.append(f"  = {node['equation']}", "cyan")
    if node["input"] is not None:
        by = f" by {node['input']['weight']}" if node["input"]["weight"] else ""
        label.append(f"  = {node['input']['aggregate']} of {node['input']['event_type']}{by}", "cyan")
    if node["source"] is not None:
        label.append(f"  ({' '.join(node['source'].split())})", "dim")
    return label


def _value(node: JsonRecord) -> str:
    if node["value"] is not None:
        return number(node["value"])
    return f"[{', '.join(map(number, node['elements']))}]"


def _unit(unit: str | None) -> str:
    return f" {unit}" if unit and unit != PURE else ""
