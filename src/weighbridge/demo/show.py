"""What the demonstration shows: numbered steps, a table, a tree; plain lines where there is no terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from weighbridge.core.number import exact_total, plain, round_to

PLACES_SHOWN: Final = 10
PURE: Final = "1"
"""The unit of a pure number, which goes without saying."""

PLAIN_WIDTH: Final = 1000
"""Characters of a line where no terminal says how many there are: lines are not broken then."""

WIDTH_OF_IDS: Final = 100
"""Characters of a line that has room for whole ids in a table."""

Record = dict[str, Any]
Update = Callable[[int, str], None]


@dataclass(frozen=True, slots=True)
class Row:
    """One batch of the ledger."""

    batch: str
    period: str
    feedstock: str
    dry_mass: Decimal
    output: Decimal
    balance: Decimal
    unit: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure beside the one that was published."""

    what: str
    found: Decimal
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

    def ledger(self, rows: Sequence[Row]) -> None:
        """Show the batches of a ledger as a table, with their sum."""
        table = self._table("Batch", "Period", "Feedstock", ">Dry, t", ">Net removal", ">Balance", "Unit")
        for row in rows:
            amounts = (number(row.dry_mass), number(row.output), number(row.balance))
            table.add_row(self._shortened(row.batch), row.period, row.feedstock, *amounts, row.unit)
        columns = (
            [row.dry_mass for row in rows],
            [row.output for row in rows],
            [row.balance for row in rows],
        )
        table.add_row("Together", "", "", *(number(exact_total(column)) for column in columns), rows[0].unit)
        self._console.print(table)

    def compared(self, rows: Sequence[Compared]) -> None:
        """Show figures beside the published ones."""
        table = self._table("Figure", ">Weighbridge", "Published")
        for row in rows:
            table.add_row(row.what, f"{row.found:f}", row.published)
        self._console.print(table)

    def lineage(self, lineage: Record) -> None:
        """Show a batch as a tree: outputs, the nodes they were computed from, data points, events."""
        nodes = {node["slug"]: node for node in lineage["nodes"]}
        tree = Tree(Text(lineage["batch"]["id"], "bold"))
        grown: set[str] = set()
        for node in lineage["nodes"]:
            if node["is_primary"]:
                _grow(tree, node, nodes, grown)
        self._console.print(tree)

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

    def _shortened(self, friendly: str) -> str:
        """An id, or its beginning on a narrow terminal."""
        return friendly if self._is_wide else f"{friendly[:12]}…"

    @property
    def _is_wide(self) -> bool:
        return self._console.width >= WIDTH_OF_IDS


def _grow(tree: Tree, node: Record, nodes: dict[str, Record], grown: set[str]) -> None:
    """Add a node and what it was computed from; a node that stands in the tree already only by name."""
    branch = tree.add(_label(node, is_repeated=node["slug"] in grown))
    if node["slug"] in grown:
        return
    grown.add(node["slug"])
    if node["input"] is not None:
        _grow_events(branch, node["input"])
        return
    for slug in node["reads"]:
        _grow(branch, nodes[slug], nodes, grown)


def _grow_events(branch: Tree, read: Record) -> None:
    unit = f" {read['unit']}" if read["unit"] else ""
    for row in read["rows"]:
        weight = "" if row["weight"] is None else f", weight {number(row['weight'])}"
        said = f"  {read['data_point']} {number(row['value'])}{unit}{weight}  {row['start_time'][:10]}"
        branch.add(Text.assemble((row["event_id"], "green"), said))


def _label(node: Record, *, is_repeated: bool) -> Text:
    unit = "" if node["unit"] == PURE else f" {node['unit']}"
    label = Text.assemble((node["slug"], "bold"), f" = {number(node['value'])}{unit}")
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


def number(value: Decimal | int) -> str:
    """A number with its first places, and a sign where there are more."""
    exact = Decimal(value)
    shown = round_to(exact, PLACES_SHOWN, "down")
    return plain(shown) + ("" if shown == exact else "…")
