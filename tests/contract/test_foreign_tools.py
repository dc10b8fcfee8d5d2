"""Tools of others read the OpenAPI document: Spectral finds nothing, and two made clients do their work.

`make test` installs them into `.venv/foreign`; on a machine where that cannot be done these are left out.
"""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.docs.test_cookbooks import beside_a_worker
from tests.given import accounting

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "reference" / "openapi.json"
PROGRAMS = Path(__file__).parent / "foreign"
TOOLS = ROOT / ".venv" / "foreign"
READY = TOOLS / "ready"
DONE = "made by a client true complete\n"

pytestmark = pytest.mark.skipif(not READY.is_file(), reason="make packages installs the tools")


def run(*command, folder):
    """Run a program of others; gives what it printed."""
    ran = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-5_000:] + ran.stderr[-5_000:]
    return ran.stdout


def node(name):
    """A program that npm has installed."""
    return TOOLS / "node_modules" / ".bin" / name


@pytest.fixture
def plant(api, account):
    """A plant with a delivery of January, for a generation."""
    plant = accounting.plant(api, account.drain)
    plant.deliver(5)
    return plant


def test_spectral_finds_nothing(tmp_path):
    """It compiles a schema for each example: a document that it has read before is not read again."""
    rules, found, passed = PROGRAMS / "spectral.yaml", tmp_path / "found.json", TOOLS / "spectral-passed"
    read = hashlib.sha256(b"".join(one.read_bytes() for one in (DOCUMENT, rules, READY))).hexdigest()
    if passed.is_file() and passed.read_text() == read:
        return

    run(
        *(node("spectral"), "lint", DOCUMENT, "--ruleset", rules),
        *("--format", "json", "--output", found, "--fail-severity", "error"),
        folder=tmp_path,
    )

    assert json.loads(found.read_text()) == []
    passed.unlink(missing_ok=True)
    passed.write_text(read)


def test_a_made_python_client_creates_lists_generates_and_waits(server, account, plant, tmp_path):
    binaries = TOOLS / "python" / "bin"
    shutil.copy(PROGRAMS / "client.py", tmp_path)
    run(
        *(binaries / "openapi-python-client", "generate", "--path", DOCUMENT, "--meta", "none"),
        *("--output-path", tmp_path / "generated"),
        folder=tmp_path,
    )
    asked = (binaries / "python", "client.py", server.address, plant.api.token, plant.ledger["id"])

    assert beside_a_worker(account, lambda: run(*asked, folder=tmp_path)).lower() == DONE


def test_a_made_typescript_client_creates_lists_generates_and_waits(server, account, plant, tmp_path):
    shutil.copy(PROGRAMS / "client.ts", tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(TOOLS / "node_modules")
    made = ("--default-non-nullable=false", "--output", "generated.ts")
    run(node("openapi-typescript"), DOCUMENT, *made, folder=tmp_path)
    run(
        *(node("tsc"), "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"),
        *("--lib", "es2022,dom,dom.iterable", "client.ts"),
        folder=tmp_path,
    )
    asked = ("node", "client.js", server.address, plant.api.token, plant.ledger["id"])

    assert beside_a_worker(account, lambda: run(*asked, folder=tmp_path)).lower() == DONE
