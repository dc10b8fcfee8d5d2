"""The tutorial is run as a newcomer runs it: every shell block, in order, in one shell; so are guides that go
on where it ends.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial" / "first-batch.md"
GUIDES = [
    ROOT / "docs" / "howto" / f"{name}.md"
    for name in (
        "correct-a-measurement",
        "attach-evidence",
        "keep-assets",
        "send-readings",
        "see-what-would-change",
    )
]
SCRIPTS = Path(sys.executable).parent
FEW = {"WEIGHBRIDGE_API_PROCESSES": "1", "WEIGHBRIDGE_COMPUTING_PROCESSES": "0"}
"""Fewer processes than a newcomer's service has, which start sooner; one after the other asks it anyway."""


@pytest.fixture
def plant(tmp_path: Path) -> Iterator[str]:
    """The address of a service on the folder `plant`, started as the tutorial says."""
    arguments = [SCRIPTS / "weighbridge", "serve", "--data-dir", "plant", "--port", "0"]
    with subprocess.Popen(
        arguments,
        cwd=tmp_path,
        env=os.environ | FEW,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("ready ").strip()
        process.terminate()
        process.wait(timeout=60)


def blocks_of(text: str) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_every_shell_block_of_the_tutorial_and_its_guides_works_and_the_balance_is_the_one_it_names(
    plant: str, tmp_path: Path
) -> None:
    text = TUTORIAL.read_text()
    blocks = [block for page in (TUTORIAL, *GUIDES) for block in blocks_of(page.read_text())]
    script = "set -euo pipefail\n" + "\n".join(blocks).replace("http://127.0.0.1:8080", plant)
    script = script.replace(". .venv/bin/activate\n", "")

    ran = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{SCRIPTS}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert '"errors"' not in ran.stdout
    named = re.search(r"The balance is ([\d.]+) t CO2e: ([\d.]+) from .* and ([\d.]+) from", text)
    assert named
    assert f"\n{named[1]}\n" in ran.stdout
    for amount in named.groups()[1:]:
        assert f" {amount} t{{CO2e}}\n" in ran.stdout
    assert "Everything holds." in ran.stdout
    assert '"count":1,"adjustments":1' in ran.stdout
    assert "january.zip holds." in ran.stdout
