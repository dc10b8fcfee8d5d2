"""The demonstration, as someone meets it who has just installed the service.

Its figures stand here as literals, and are calculated once more by hand in exact fractions. That it leaves
nothing is tested where it is run from the wheel, in `tests/release`; that it ends by itself, too, in those of
`make release-check`.
"""

import http.client
import signal
from decimal import Decimal
from urllib.parse import urlsplit

from tests.durability import by_hand
from tests.durability.processes import HERE, Program, postmaster

from weighbridge.demo.plant import LATE

FEW = {"WEIGHBRIDGE_API_PROCESSES": "1", "WEIGHBRIDGE_COMPUTING_PROCESSES": "0"}
"""Fewer processes than usual, which start sooner; those of the installed wheel are as many as there are."""

INVENTORY = {
    "2025-01 Forest residues": ("12", "12", "0"),
    "2025-01 Rice husk": ("12.5", "12.5", "0"),
    "2025-02 Forest residues": ("36", "36", "0"),
    "2025-02 Rice husk": ("18", "18", "0"),
    "2025-03 Forest residues": ("16", "13.422", "2.578"),
    "2025-03 Rice husk": ("11", "10.26375", "0.73625"),
}
PRODUCTION = {
    "2025-01 Forest residues": ("2.5", "2.5", "0"),
    "2025-01 Rice husk": ("3.576", "3.576", "0"),
    "2025-02 Forest residues": ("8", "8", "0"),
    "2025-02 Rice husk": ("6", "6", "0"),
    "2025-03 Forest residues": ("4.8555", "4.29", "0.5655"),
    "2025-03 Rice husk": ("3.4684", "2.924", "0.5444"),
}
REMOVAL = {
    "2025-01 Forest residues": ("3.829063", "0", "3.829063"),
    "2025-01 Rice husk": ("3.061743", "0", "3.061743"),
    "2025-02 Forest residues": ("12.470549", "0", "12.470549"),
    "2025-02 Rice husk": ("5.372996", "0", "5.372996"),
    "2025-03 Forest residues": ("14.874544", "0", "14.874544"),
    "2025-03 Rice husk": ("4.036733", "0", "4.036733"),
}
LEDGERS = (INVENTORY, PRODUCTION, REMOVAL)
"""What each batch credits, what is drawn of it, and what is left, before the late lorry."""

ADJUSTED = [
    "2025-01 Forest residues dry_mass 12 20",
    "2025-01 Forest residues transport_intensity 10 15",
    "2025-01 Forest residues dry_mass 2.5 2.5",
    "2025-01 Forest residues emissions_intensity 297.249822… 317.249822…",
    "2025-02 Forest residues dry_mass 8 8",
    "2025-02 Forest residues emissions_intensity 339.51287… 340.76287…",
    "2025-01 Forest residues net_removal 3.829063… 3.793263…",
    "2025-01 Forest residues emissions 0.532077… 0.567877…",
    "2025-02 Forest residues net_removal 12.470548… 12.449736…",
    "2025-02 Forest residues emissions 2.00707… 2.027882…",
    "2025-03 Forest residues net_removal 14.874543… 14.871156…",
    "2025-03 Forest residues emissions 2.303051… 2.306439…",
]
"""The figures of the adjusting batches before and after the late lorry, each with its first six places."""

STALE_BIOCHAR = "2025-01 Forest residues (source_adjusted), 2025-02 Forest residues (source_adjusted)"
STALE_REMOVAL = ", ".join(f"2025-0{month} Forest residues (upstream_stale)" for month in (1, 2, 3))

SAID = [
    "The package has no flaw.",
    "2,153 events with 2,223 values in one request, and an outage of the kiln",
    "The balance of Feedstock inventory is 3.31425 t{dry}.",
    "The balance of Biochar production is 1.1099 t{dry}.",
    "The balance of Net removal is 43.645628 t{CO2e}.",
    "Durable fraction 0.84914 0.84914, Isometric v1.2",
    "Stored, t CO2e 4.3611406784 4.362, Isometric v1.2, of rounded parts",
    "Power of 3 t and 5 t, MWh 3.34 1.25 + 2.09, accounting course",
    "Power of 4 t and 2 t, MWh 2.50 1.67 + 0.83, accounting course",
    "The balance of Feedstock inventory rises from 3.31425 to 11.31425 t{dry}.",
    "Feedstock inventory: none is stale",
    f"Biochar production: 2 stale: {STALE_BIOCHAR}",
    f"Net removal: 3 stale: {STALE_REMOVAL}",
    "The balance of Biochar production stays at 1.1099 t{dry}.",
    "The balance of Net removal falls from 43.645628 to 43.585627 t{CO2e}.",
    "No batch is stale any more.",
    "Feedstock inventory: created 0, adjusted 0, unchanged 6",
    "Biochar production: created 0, adjusted 0, unchanged 6",
    "Net removal: created 0, adjusted 0, unchanged 6",
    "Everything holds.",
]
"""What it says on the way, in this order."""

TRACED = [
    "biochar_drawn = [1.79] t{dry}",
    "Biochar production 2025-01 Forest residues, 1.79 t{dry} of it",
    "= 297.2498224 kg{CO2e}/t{dry} = (transport_emissions + electricity_emissions) / dry_mass",
    "Feedstock inventory 2025-01 Forest residues, 10 t{dry} of it",
    "transport_intensity = 10 kg{CO2e}/t{dry} = transport_emissions / dry_mass",
    "distance 45 km 2025-01-03",
    "= [0.8491353903…] = min(most_durable, 1 - (intercept + slope * biochar_drawn.hydrogen_to_carbon))",
]
"""Ends of lines of the tree that leads from the carbon to the lorries, in this order."""


def test_the_demonstration_takes_a_chain_to_the_published_figures_and_stays_behind_a_link_that_signs_in_once(
    folder, fresh_dir
):
    log = folder / "log"
    program = Program("-m", "weighbridge", "demo", "--stay", "--data-dir", fresh_dir, log=log, **FEW)
    lines = []
    while not lines or "/enter?key=" not in lines[-1]:
        lines.append(program.process.stdout.readline())
        assert lines[-1], log.read_text()
    parts = urlsplit(lines[-1].strip())
    service = http.client.HTTPConnection(parts.netloc, timeout=10)
    try:
        service.request("GET", f"{parts.path}?{parts.query}")
        opened = service.getresponse()
        opened.read()
        place, session = opened.headers["location"], opened.headers["set-cookie"].partition(";")[0]
        service.request("GET", place, headers={"cookie": session})
        shown = service.getresponse()
        page = shown.read().decode()
        service.request("GET", f"{parts.path}?{parts.query}")
        again = service.getresponse()
    finally:
        service.close()
        program.signal(signal.SIGINT)

    _assert_published([" ".join(line.split()) for line in lines])
    assert (opened.status, shown.status, again.status) == (303, 200, 404)
    assert place.startswith("/projects/prj_")
    assert "Net removal" in page
    assert program.exit_code() == 0
    assert postmaster(fresh_dir) is None
    program.close()


def _assert_published(said):
    tables = [line.partition(" ")[2] for line in said if line.startswith("bat_")]
    ledgers = [f"{name} {' '.join(row)}" for ledger in LEDGERS for name, row in ledger.items()]
    assert tables == [*ledgers, "Net removal 2025-01 Forest residues", *ADJUSTED]
    assert [line for line in said if line in SAID] == SAID
    _assert_in_order(TRACED, said)


def test_the_figures_of_the_demonstration_are_those_of_a_calculation_by_hand():
    on_time, with_late = by_hand.chain(), by_hand.chain(LATE)

    for ledger, calculated in zip(LEDGERS, on_time, strict=True):
        assert {name: tuple(map(Decimal, row[:2])) for name, row in ledger.items()} == calculated
        assert all(
            Decimal(credited) - Decimal(drawn) == Decimal(left) for credited, drawn, left in ledger.values()
        )
    assert _changes(on_time[0], with_late[0]) == {"2025-01 Forest residues": (12, 20)}
    assert _changes(on_time[1], with_late[1]) == {}
    assert _changes(on_time[2], with_late[2]) == {
        "2025-01 Forest residues": (Decimal("3.829063"), Decimal("3.793263")),
        "2025-02 Forest residues": (Decimal("12.470549"), Decimal("12.449736")),
        "2025-03 Forest residues": (Decimal("14.874544"), Decimal("14.871156")),
    }
    assert sum(credited for credited, _ in with_late[2].values()) == Decimal("43.585627")


def test_an_interrupted_demonstration_stops_its_service_and_shows_the_end_of_the_log(folder, fresh_dir):
    log = folder / "stderr"
    program = Program("-m", "weighbridge", "demo", "--data-dir", fresh_dir, log=log, **FEW)
    while "are ready at" not in program.process.stdout.readline():
        assert program.process.poll() is None, log.read_text()

    program.signal(signal.SIGINT)

    assert program.exit_code() == 130
    assert postmaster(fresh_dir) is None
    assert log.read_text().startswith(f"The end of {fresh_dir}/service.log:\n")
    program.close()


def test_a_signal_during_the_start_of_a_command_leaves_no_process_behind(folder):
    program = Program(HERE / "cut_short.py", 5, log=folder / "stderr")

    assert program.line() == "0"

    program.close()


def _assert_in_order(ends, lines):
    rest = iter(lines)
    for end in ends:
        assert any(line.endswith(end) for line in rest), end


def _changes(before, after):
    return {name: (before[name][0], after[name][0]) for name in before if before[name] != after[name]}
