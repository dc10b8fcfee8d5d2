"""What the guide to bundles tells a verifier to type is typed here, in the folder that it says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.given import bundles, reports

from weighbridge.core.signing import write_ssh_public_key

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = DOCS / "howto" / "check-a-proof-bundle.md"
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
TYPED = f'export PATH="{Path(sys.executable).parent}:$PATH"; set -euo pipefail\n'
SECONDS_MAX = 60


@pytest.fixture
def folder(account, api, drain, tmp_path):
    """A folder with a bundle and the operator's key in both forms."""
    bundle = bundles.bundle(account, reports.claims(api, drain, 5, 3).report(4, "2.5"))
    tmp_path.joinpath("first-quarter.zip").write_bytes(bundle.content)
    tmp_path.joinpath("plant.vkey").write_text(f"{bundle.key.text}\n")
    tmp_path.joinpath("allowed_signers").write_text(f"operator {write_ssh_public_key(bundle.key.public)}\n")
    return tmp_path


def test_the_three_lines_hold_for_a_bundle_in_the_folder_of_its_keys(folder):
    lines = SHELL.findall(GUIDE.read_text())[0]

    done = subprocess.run(
        ["bash", "-c", TYPED + lines],
        cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS_MAX,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert 'Good "weighbridge-bundle" signature for operator' in done.stdout
    assert "../first-quarter.zip holds." in done.stdout


def test_addresses_of_shell_lines_begin_with_the_url_of_the_tutorial_which_names_the_version():
    assert [page.name for page in DOCS.rglob("*.md") if "$URL/api/" in page.read_text()] == []
