"""The agent's file for ARM: it starts, says what it is and reads a plant, in an emulator of the processor.

`tools/arm64_root.sh` lays the emulator and a Python for ARM into `.venv/arm64`; `make packages-long` runs it.
"""

import os
import shutil
from decimal import Decimal
from pathlib import Path

import pytest
from tests.agent.single_file.conftest import ARM, ROOT, VERSION
from tests.agent.single_file.test_running import Installation
from tests.durability.processes import until

FOLDER = ROOT / ".venv" / "arm64"
SYSTEM = FOLDER / "root"
EMULATOR = shutil.which("qemu-aarch64-static") or str(FOLDER / "usr" / "bin" / "qemu-aarch64-static")

pytestmark = pytest.mark.skipif(
    not ((FOLDER / "ready").exists() and Path(EMULATOR).exists()),
    reason="there is no Python for ARM here; tools/arm64_root.sh fetches one and an emulator",
)


@pytest.fixture
def arm_machine(bare_machine, built_for_arm):
    """A machine that runs programs for ARM, one after another by a program of its own: the emulator."""
    bare_machine.install(built_for_arm.read_bytes())
    python = next((SYSTEM / "usr" / "bin").glob("python3.[0-9]*"))
    bare_machine.command = lambda *words: [
        EMULATOR, "-L", str(SYSTEM), str(python), "-IS", str(bare_machine.file), *map(str, words),
    ]  # fmt: skip
    return bare_machine


def test_the_file_reads_a_plant_on_arm(site, plant, arm_machine):
    plant.measure("Kiln", 21.1, "2026-01-05T00:00:00+00:00")
    installation = Installation(arm_machine, site.configuration(site.opcua(plant)), site.api.token)

    assert f"weighbridge-agent {VERSION} for {ARM}" in installation.call("about")
    assert "Usage: weighbridge-agent COMMAND" in installation.call("--help")
    assert installation.call("check", installation.file, "--connect").endswith("all of it works.\n")
    with installation.running():
        # An emulator is slow: each step has its own time.
        until((site.folder / "spool.db").exists, what="the agent has begun")
        until(lambda: site.events("kiln"), what="the value is there")

    assert [row[1:] for row in site.told("kiln", "temperature", "quality")] == [(Decimal("21.1"), "good")]


@pytest.mark.skipif(os.uname().machine == "aarch64", reason="this machine is one for ARM")
def test_a_file_for_another_machine_says_so(arm_machine, built):
    arm_machine.install(built.read_bytes())

    done = arm_machine.run("--version")

    assert done.returncode == 1
    assert "does not run on linux aarch64. Take the file for that machine." in done.stderr
