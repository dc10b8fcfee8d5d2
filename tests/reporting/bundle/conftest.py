"""Every file that a test here checks is checked by the second checker, too: both agree on it."""

from collections.abc import Iterator

import pytest
from tests.given import bundles
from tests.given.second_checker import find_node, run_second_checker


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
