"""The second checker of proof bundles, which runs in Node: many files in one process."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weighbridge.core.signing import VerifierKey

SCRIPT: Final = Path(__file__).parents[2] / "src/weighbridge/web/static/bundle-check.js"

NODE_VERSION_LEAST: Final = 20
"""The first version whose WebCrypto has Ed25519."""


@dataclass(frozen=True, slots=True)
class SecondCheck:
    """What the second checker found of one file."""

    faults: Sequence[str]
    counts: Mapping[str, int]
    runs: Sequence[Mapping[str, str]]
    not_checked: Sequence[str]
    gaps: Sequence[str]


def find_node() -> str | None:
    """The path of Node, if it is on this machine and new enough."""
    node = shutil.which("node")
    if node is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, check=True, text=True).stdout
    return node if int(version.removeprefix("v").partition(".")[0]) >= NODE_VERSION_LEAST else None


def run_second_checker(node: str, files: Sequence[tuple[bytes, VerifierKey]]) -> list[SecondCheck]:
    """What the second checker finds of each file by its key."""
    with tempfile.TemporaryDirectory() as folder:
        words = [node, str(SCRIPT)]
        for number, (content, key) in enumerate(files):
            file = Path(folder, f"{number}.zip")
            file.write_bytes(content)
            words += ["--key", key.text, str(file)]
        done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.stderr == ""
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(files)
    return [
        SecondCheck(
            [f"{one['part']}: {one['sentence']}".removeprefix(": ") for one in line["faults"]],
            line["counts"],
            line["runs"],
            line["notChecked"],
            line["gaps"],
        )
        for line in lines
    ]
