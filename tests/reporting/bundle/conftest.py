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
from tests.given.forgeries import FORGERIES
from tests.given.forgeries.rules import find_broken_rule, quote_page
from tests.given.second_checker import find_node, run_second_checker

SET: Final = os.environ.get("WEIGHBRIDGE_BUNDLE_SET")
"""The folder that files are stored in; none where it is not set."""

RULES: Final = {one.name: quote_page(find_broken_rule(one)) for one in FORGERIES} if SET else {}
"""By the name of a forgery the sentence of the page that it breaks."""


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
    pairs = [(one.gaps, second.gaps) for one, second in zip(files, found, strict=True) if one.is_valid]
    assert [pair for pair in pairs if list(pair[0]) != list(pair[1])] == []


def _store(folder: Path, files: Iterable[CheckedFile]) -> None:
    """Store files by their digests, with a line for each: by which key it is valid or not, what was changed,
    which sentence of the page about the format that breaks, and what the first checker finds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "set.jsonl").open("a", encoding="utf-8") as listed:
        for one in files:
            name = f"{hashlib.sha256(one.content).hexdigest()}.zip"
            (folder / name).write_bytes(one.content)
            line = {"file": name, "key": one.key.text, "is_valid": one.is_valid, "what": one.what}
            sentence = None if one.is_valid else RULES.get(one.what)
            listed.write(json.dumps(line | {"sentence": sentence, "faults": list(one.faults)}) + "\n")
