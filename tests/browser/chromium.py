"""The browser of the tests: Debian's Chromium, found by its path, with nothing that reaches for a network."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def executable() -> Path:
    """Where Chromium is; the variable CHROMIUM names it where it lies elsewhere."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "tests of pages need Chromium; `tools/system_packages chromium` installs it"
    return Path(found)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, as long as the block lasts."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=[*ARGUMENTS])
        yield browser
        browser.close()
