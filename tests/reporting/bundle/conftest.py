"""Every file that a test here checks is checked by the second checker, too: both agree on it. Of the hundreds
that one test changes it is some, and all of them in `make fuzz-bundle`.

`make bundle-set` also stores these files, for those who write a third checker.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.given import bundles
from tests.given.bundles import CheckedFile
from tests.given.second_checker import find_node, run_second_checker

SET: Final = os.environ.get("WEIGHBRIDGE_BUNDLE_SET")
"""The folder that files are stored in; none where it is not set."""


@pytest.fixture(scope="session")
def node() -> str:
    """The path of Node."""
    found = find_node()
    if found is None:
        pytest.skip("The second checker runs in Node 20 or newer, and there is none on this machine.")
    return found


@pytest.fixture(scope="module", autouse=True)
def _hold_both_checkers_against_each_other() -> Iterator[None]:
    """Once for each module, for a start of Node takes longer than the check of a file."""
    bundles.CHECKED.clear()
    yield
    files = list({(one.content, one.key): one for one in bundles.CHECKED}.values())
    bundles.CHECKED.clear()
    if SET is not None:
        _store(Path(SET), files)
    node = find_node()
    if node is None or not files:
        return
    found = run_second_checker(node, [(one.content, one.key) for one in files])
    differ = [
        (number, "valid for the first alone" if one.is_valid else "valid for the second alone", second.faults)
        for number, (one, second) in enumerate(zip(files, found, strict=True))
        if one.is_valid is bool(second.faults)
    ]  # fmt: skip
    assert differ == []


def _store(folder: Path, files: Iterable[CheckedFile]) -> None:
    """Store files by their digests, with a line for each that says by which key it is valid or not."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "set.jsonl").open("a", encoding="utf-8") as listed:
        for content, key, is_valid in files:
            name = f"{hashlib.sha256(content).hexdigest()}.zip"
            (folder / name).write_bytes(content)
            listed.write(json.dumps({"file": name, "key": key.text, "is_valid": is_valid}) + "\n")
