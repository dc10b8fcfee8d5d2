"""What the demonstration shows: numbered steps, a table, a tree; plain lines where there is no terminal."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from weighbridge.core.number import exact_total, plain, round_to
from weighbridge.demo.plant import TIME_ZONE

PLAIN_WIDTH: Final = 1000
"""Characters of a line where no terminal says how many there are: lines are not broken then."""

WIDTH_OF_IDS: Final = 100
"""Characters of a line that has room for whole ids in a table."""

ADJUSTED_PLACES: Final = 6
"""Places of a figure that is shown twice in a row."""

JsonRecord = dict[str, Any]
Update = Callable[[int, str], None]


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One batch of a ledger: what it credited, what was drawn of it, and what is left."""

    batch: str
    name: str
    credited: Decimal
    drawn: Decimal
    balance: Decimal


@dataclass(frozen=True, slots=True)
class AdjustedFigure:
    """A figure of a batch that adjusts another, before and after."""

    batch: str
    name: str
    figure: str
    before: Decimal
    after: Decimal


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure beside the one that was published."""

    what: str
    computed: Decimal
    published: str


class Screen:
    """Standard output, step by step."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False)
        if not self._console.is_terminal:
            self._console = Console(highlight=False, markup=False, emoji=False, width=PLAIN_WIDTH)
        self._steps = 0

    def title(self, text: str) -> None:
        self._line(text, "bold")

    def step(self, text: str, *calls: str) -> None:
        """Begin a step: what happens, and which commands or requests do it."""
        self._steps += 1
        self._line("")
        self._line(f"{self._steps:2}  {text}", "bold cyan")
        for call in calls:
            self._line(f"    {call}", "dim")

    def say(self, text: str, style: str = "") -> None:
        """Say what came of a step."""
        for line in text.splitlines():
            self._line(f"    {line}", style)

    @contextmanager
    def progress(self) -> Iterator[Update]:
        """Show how far a task is."""
        columns = (
            TextColumn("   "),
            BarColumn(40),
            TextColumn("{task.percentage:>3.0f} %  {task.description}"),
        )
        bar = Progress(
            *columns,
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
            transient=True,
        )
        with bar:
            task = bar.add_task("waiting for a worker", total=100)

            def update(percent: int, description: str) -> None:
                bar.update(task, completed=percent, description=description)

            yield update

    def ledger(self, title: str, rows: Sequence[LedgerRow]) -> None:
        """Show the batches of a ledger as a table, with their sum."""
        self._line(title, "bold")
        table = self._table("Batch", "Slot and feedstock", ">Credited", ">Drawn", ">Balance")
        for row in rows:
            amounts = (row.credited, row.drawn, row.balance)
            table.add_row(self._shorten(row.batch), row.name, *map(number, amounts))
        columns = ([row.credited for row in rows], [row.drawn for row in rows], [row.balance for row in rows])
        table.add_row("Together", "", *(number(exact_total(column)) for column in columns))
        self._console.print(table)

    def adjusted(self, rows: Sequence[AdjustedFigure]) -> None:
        """Show adjusting batches, with what they say and what the batches before them said."""
        table = self._table("Batch", "Slot and feedstock", "Figure", ">Before", ">After")
        for row in rows:
            amounts = (number(amount, ADJUSTED_PLACES) for amount in (row.before, row.after))
            table.add_row(self._shorten(row.batch), row.name, row.figure, *amounts)
        self._console.print(table)

    def compared(self, rows: Sequence[Compared]) -> None:
        """Show figures beside the published ones."""
        table = self._table("Figure", ">Weighbridge", "Published")
        for row in rows:
            table.add_row(row.what, f"{row.computed:f}", row.published)
        self._console.print(table)

    def lineage(self, batch: str, lineages: Mapping[str, JsonRecord], ledgers: Mapping[str, str]) -> None:
        """Show a batch as a tree: its nodes, their measurements, and the batches that it draws from."""
        self._console.print(LineageTree(lineages, ledgers).of(batch))

    def _line(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), soft_wrap=True)

    def _table(self, *columns: str) -> Table:
        gap = 2 if self._is_wide else 1
        table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0))
        for column in columns:
            is_number = column.startswith(">")
            header = Text(column.removeprefix(">"))
            table.add_column(header, justify="right" if is_number else "left", no_wrap=True)
        return table

    def _shorten(self, friendly: str) -> str:
        """An id, or its beginning on a narrow terminal."""
        return friendly if self._is_wide else f"{friendly[:9]}…"

    @property
    def _is_wide(self) -> bool:
        return self._console.width >= WIDTH_OF_IDS


# A figure, as the demonstration shows it: its first places, with a sign where there are more.


PLACES_SHOWN: Final = 10


def number(value: Decimal | int, places: int = PLACES_SHOWN) -> str:
    """A number with its first places, and a sign where there are more."""
    exact = Decimal(value)
    shown = round_to(exact, places, "down")
    return plain(shown) + ("" if shown == exact else "…")


# A lineage tree: a batch, the nodes behind it, their measurements, and the batches that it draws from.
#
# Invariants: a node that stands in the tree already is only named; of a batch that is drawn from, what
# travels along and what it credited are traced further.


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
        tree = Tree(self._name(batch))
        self._grow_nodes(tree, batch, ())
        return tree

    def _name(self, batch: str) -> Text:
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
        message = f", {number(draw['amount'])} {draw['unit']} of it"
        source = branch.add(Text.assemble(self._name(draw["batch_id"]), message))
        self._grow_nodes(source, draw["batch_id"], [one["slug"] for one in draw["attributes"]])


def _grow_events(branch: Tree, read: JsonRecord) -> None:
    unit = _unit(read["unit"])
    for row in read["rows"]:
        weight = "" if row["weight"] is None else f", weight {number(row['weight'])}"
        message = f"  {read['data_point']} {number(row['value'])}{unit}{weight}  {_day(row['start_time'])}"
        branch.add(Text.assemble((row["event_id"], "green"), message))


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
