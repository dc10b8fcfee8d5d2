"""The demonstration, as someone meets it who has just installed the service."""

import signal
import subprocess
import sys

from tests.durability.processes import Program, environment, postmaster

DEADLINE_SECONDS = 100


def test_the_demonstration_ends_by_itself_with_the_published_figures_and_leaves_nothing(folder):
    done = subprocess.run(
        [sys.executable, "-m", "weighbridge.cli", "demo"],
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_SECONDS,
        env=environment(
            TMPDIR=str(folder), WEIGHBRIDGE_DATABASE_URL="postgresql://another.service/production"
        ),
    )

    assert done.returncode == 0, done.stdout + done.stderr
    shown = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "Durable fraction 0.84914 0.84914, Isometric v1.2" in shown
    assert "Stored, t CO2e 4.3611406784 4.362, Isometric v1.2, of rounded parts" in shown
    assert "Power of 3 t and 5 t, MWh 3.34 1.25 + 2.09, accounting course" in shown
    assert "Power of 4 t and 2 t, MWh 2.50 1.67 + 0.83, accounting course" in shown
    assert "The ledger's balance is 44.434528 t{CO2e}, the sum of its batches." in shown
    assert "created 0, adjusted 0, unchanged 6" in shown
    assert "Everything holds." in shown
    assert list(folder.iterdir()) == []


def test_an_interrupted_demonstration_stops_its_service_and_shows_the_end_of_the_log(folder, fresh_dir):
    log = folder / "stderr"
    program = Program("-m", "weighbridge.cli", "demo", "--data-dir", fresh_dir, log=log)
    while "are ready at" not in program.process.stdout.readline():
        assert program.process.poll() is None, log.read_text()

    program.signal(signal.SIGINT)

    assert program.exit_code() == 130
    assert postmaster(fresh_dir) is None
    assert log.read_text().startswith(f"The end of {fresh_dir}/service.log:\n")
    program.close()
