"""The browser of the tests: Debian's Chromium, found by its path, with nothing that reaches for a network.

`make test` installs it where it may (`tools/system_packages.sh`); the variable CHROMIUM names one that lies
elsewhere. Where there is none, the tests of pages are left out and say so.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

ARGUMENTS = (
    "--headless", "--no-sandbox", "--process-per-site", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def executable() -> Path | None:
    """Where Chromium is, if it is anywhere."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    return None if found is None else Path(found)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, as long as the block lasts."""
    found = executable()
    if found is None:
        pytest.skip(
            "there is no Chromium here, so pages are not opened; install it with the system's packages"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=[*ARGUMENTS])
        yield browser
        browser.close()
