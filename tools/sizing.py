"""The page of machines: what so many values need, computed from a few measured figures.

The figures and assumptions stand in tools/sizing.yaml; each line of the page is one quantity with the
arithmetic that it follows from, so that whoever measures on other machines makes the page anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Any, Final

import yaml

from weighbridge.core.platform.cell import CELLS_MAX

FIGURES: Final = Path(__file__).with_name("sizing.yaml")

SECONDS_OF_A_YEAR: Final = Decimal(365 * 24 * 3600)
MONTHS_OF_A_YEAR: Final = Decimal(12)
SECONDS_OF_AN_HOUR: Final = Decimal(3600)
TERABYTE: Final = Decimal(10) ** 12
GIGABYTE: Final = Decimal(10) ** 9
ENOUGH: Final = Decimal(1000)
"""From here on digits behind the point say nothing."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One line: what it is, the words of its arithmetic, and what it comes to."""

    name: str
    arithmetic: str
    value: Decimal


def page() -> str:
    """The text of docs/reference/sizing.md without its first line."""
    figures = read()
    measured, assumed = figures["measured"], figures["assumed"]
    kept = assumed["values_kept"]
    columns = [computed(Decimal(one), measured, assumed) for one in kept]
    rows = [
        "| Quantity | Follows from |" + "".join(f" {_power(one)} values |" for one in kept),
        "| --- | --- |" + " ---: |" * len(kept),
    ]
    for line in zip(*columns, strict=True):
        values = " | ".join(_shown(one.value) for one in line)
        rows.append(f"| {line[0].name} | {line[0].arithmetic} | {values} |")
    given = [
        *_given("Measured", measured),
        "",
        *_compared(figures["compared"]),
        "",
        *_given("Assumed", assumed),
    ]
    return "\n".join([*_ABOUT, *given, "", *_THEN, *rows, *_AFTER])


def read() -> Mapping[str, Any]:
    """The figures as they stand in the file."""
    figures: Mapping[str, Any] = yaml.safe_load(FIGURES.read_text())
    return figures


def computed(values: Decimal, measured: Mapping[str, Any], assumed: Mapping[str, Any]) -> list[Quantity]:
    """What so many values need, each quantity behind those from which it follows."""
    m, a = _numbers(measured), _numbers(assumed)
    events = values / m["values_per_event"]
    terabytes = events * m["bytes_per_event"] / TERABYTE
    mean = events / (a["years_kept"] * SECONDS_OF_A_YEAR)
    peak = mean * a["peak_of_ingest"]
    api = peak / m["ingest_events_per_second"] / a["processor_use"]
    of_month = events / (a["years_kept"] * MONTHS_OF_A_YEAR)
    hours = of_month * a["generations_of_an_event"] / m["generation_events_per_second"] / SECONDS_OF_AN_HOUR
    at_once = hours / a["hours_of_generation_a_month"]
    cores = api * a["database_cores_per_api_core"] + at_once
    memory = of_month * m["bytes_per_event"] * a["months_in_memory"] / GIGABYTE
    load = events / m["copy_events_per_second"] / SECONDS_OF_AN_HOUR
    by_disk = terabytes / (a["disk_tb_of_a_machine"] * a["disk_use"])
    by_cores = cores / a["cores_of_a_machine"]
    service = (api + at_once) / a["cores_of_a_machine"]
    machines = _whole(max(by_disk, by_cores))
    return [
        Quantity("events", "values / values_per_event", events),
        Quantity("disk, TB", "events * bytes_per_event", terabytes),
        Quantity("events a second, mean", "events / years_kept", mean),
        Quantity("events a second, peak", "mean * peak_of_ingest", peak),
        Quantity("API cores", "peak / ingest_events_per_second / processor_use", api),
        Quantity("events a month", "events / (12 * years_kept)", of_month),
        Quantity("hours of generation a month", f"{_OF_HOURS} generation_events_per_second", hours),
        Quantity("generations at once", "those hours / hours_of_generation_a_month", at_once),
        Quantity("database cores", "API cores * database_cores_per_api_core + generations at once", cores),
        Quantity("database memory, GB", "events a month * bytes_per_event * months_in_memory", memory),
        Quantity("hours to load all by one COPY", "events / copy_events_per_second", load),
        Quantity("database machines by disk", "disk / (disk_tb_of_a_machine * disk_use)", by_disk),
        Quantity("database machines by cores", "database cores / cores_of_a_machine", by_cores),
        Quantity("database machines", "the more of both, rounded up", machines),
        Quantity("service machines", f"{_OF_SERVICE}, rounded up", _whole(service)),
        *_of_cells(values, machines, m, a),
        Quantity(
            "connections of a node",
            "API cores * connections_of_an_api_core + generations at once"
            " * connections_of_a_worker_in_a_cell * cells_of_a_node, both rounded up",
            _whole(api) * a["connections_of_an_api_core"]
            + _whole(at_once) * a["connections_of_a_worker_in_a_cell"] * a["cells_of_a_node"],
        ),
    ]


def _of_cells(
    values: Decimal, machines: Decimal, m: Mapping[str, Decimal], a: Mapping[str, Decimal]
) -> list[Quantity]:
    """How many cells there are, and what one comes to; one machine has one cell."""
    cells = min(machines * a["cells_of_a_node"], Decimal(CELLS_MAX)) if machines > 1 else Decimal(1)
    events = values / cells / m["values_per_event"]
    room = a["disk_tb_of_a_machine"] * a["disk_use"] * TERABYTE / m["bytes_per_event"] * m["values_per_event"]
    return [
        Quantity("cells", f"database machines * cells_of_a_node, up to {CELLS_MAX}; 1 on one machine", cells),
        Quantity("disk of a cell, TB", "disk / cells", events * m["bytes_per_event"] / TERABYTE),
        Quantity(
            "hours to copy a cell to another node",
            "events / cells / copy_events_per_second",
            events / m["copy_events_per_second"] / SECONDS_OF_AN_HOUR,
        ),
        Quantity(
            "nodes that the largest account fills",
            "disk * largest_account / (disk_tb_of_a_machine * disk_use); at most 1",
            values * a["largest_account"] / room,
        ),
    ]


def _numbers(figures: Mapping[str, Any]) -> dict[str, Decimal]:
    return {name: Decimal(str(value)) for name, value in figures.items() if isinstance(value, int | float)}


def _given(title: str, figures: Mapping[str, Any]) -> list[str]:
    rows = (f"| `{name}` | {_text(value)} |" for name, value in figures.items())
    return [f"## {title}", "", "| Figure | Value |", "| --- | ---: |", *rows]


def _compared(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What was measured at two sizes, and how many times as much the larger took."""
    shown = (
        f"| {row['what']} | {row['small']} | {row['large']} | {row['unit']} |"
        f" {Decimal(str(row['large'])) / Decimal(str(row['small'])):.2f} |"
        for row in rows
    )
    return [*_COMPARED, *shown]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_power, value))
    return value if isinstance(value, str) else f"{value:,}"


def _whole(value: Decimal) -> Decimal:
    return value.to_integral_value(ROUND_CEILING)


def _power(value: int) -> str:
    exponent = len(str(value)) - 1
    return f"10^{exponent}" if value == 10**exponent else f"{value:,}"


def _shown(value: Decimal) -> str:
    if value >= ENOUGH or value == value.to_integral_value():
        return f"{value:,.0f}"
    return f"{value:.3g}"


_OF_HOURS: Final = "events a month * generations_of_an_event /"
_OF_SERVICE: Final = "(API cores + generations at once) / cores_of_a_machine"
_ABOUT: Final = (
    """\
# Sizing

How many machines so many values need. Figures that were measured and what is assumed of an installation
stand in `tools/sizing.yaml`; the rest is computed from them by `make docs`. Measure on a machine of yours
with `make scale EVENTS=…`, put what it prints at its end and your assumptions into the file, and make the
page anew.
""",
)
_COMPARED: Final = (
    """\
## What grows with the data

The larger beside the smaller, and the one divided by the other. The machine did other work at the same time;
a table of 111 million events is twice its memory, and one of 11 million a fifth.

| What | Smaller | Larger | Unit | Ratio |
| --- | ---: | ---: | --- | ---: |""",
)
_THEN: Final = ("## What follows", "")
_AFTER: Final = (
    """
What the figures leave out: evidence files, which lie in an object store; the lineage of batches, at most
8 bytes for each event and generation; copies of the database (one for a standby, one for backups, each as
large as its disk); events with tags or many more values than were measured, whose rows and indexes grow
with them; and generations that read events one by one, which cost more than sums.

More than one database machine means [cells](../howto/add-cells.md) on nodes of their own. Nothing crosses
cells, so what follows above for one machine holds for each. Several cells on a node let a node that fills up
give one away; a cell that holds too much gives accounts away. One account has to fit on one node: where the
line above says more than 1, divide its projects among accounts, which share no ledger and no model, or copy
its [old months](../howto/archive-old-months.md) out of the database.""",
)
