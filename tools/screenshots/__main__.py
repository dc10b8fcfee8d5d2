"""`python -m tools.screenshots`: start a plant of its own, and take its pages."""

import argparse
import json
import os
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tools.screenshots.given import all_that_lacks
from tools.screenshots.taking import IMAGES, Shot, entered, shots, take, take_images
from weighbridge.demo.run import tell
from weighbridge.demo.serving import serve, weighbridge
from weighbridge.demo.show import Screen
from weighbridge.demo.story import Client, Story
from weighbridge.errors import Refusal

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

PERSON = "erika@plant.example"


def main() -> None:
    """Take what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots", description=__doc__)
    parser.add_argument("--folder", type=Path, help="where pictures of all pages go")
    parser.add_argument("--images", type=Path, help="where the pictures of the documentation go")
    parser.add_argument("--only", default="", help="names of pages, with commas between; all by default")
    parser.add_argument("--data-dir", type=Path, help="a folder in which the plant stays")
    given = parser.parse_args()
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if chromium is None:
        sys.exit("There is no Chromium here; install it, or name it in CHROMIUM.")
    with ExitStack() as closing:
        data = given.data_dir or Path(
            closing.enter_context(tempfile.TemporaryDirectory(prefix="weighbridge-screenshots-"))
        )
        data.mkdir(parents=True, exist_ok=True)
        address = closing.enter_context(serve(data))
        found = _plant(data, address)
        link = _link(data, address)
        playwright = closing.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        closing.callback(browser.close)
        page = entered(browser, link)
        if given.folder:
            take(page, _wanted(found, {*filter(None, given.only.split(","))}), _made(given.folder))
        if given.images:
            take_images(page, found["plant"], _made(given.images))
            sys.stdout.write(f"{len(IMAGES)} images in {given.images}\n")


def _plant(data: Path, address: str) -> dict[str, dict[str, Any]]:
    """The ids of the plant's records by project and kind; it is made where the folder has none."""
    kept = data / "screenshots.json"
    if not kept.exists():
        options = ("--name", "Screenshots", "--all", "--expires", "30", "--data-dir", str(data))
        with Client(address, weighbridge("token", "create", *options)) as client:
            found = all_that_lacks(client, tell(Story(Screen(), client)))
        kept.write_text(json.dumps(found, default=str))
    ids: dict[str, dict[str, Any]] = json.loads(kept.read_text())
    return ids


def _link(data: Path, address: str) -> str:
    """A link that lets in somebody who may do everything."""
    at = ("--address", address, "--data-dir", str(data))
    made = ("--name", "Erika Berg", "--role", "administrator", "--at-once")
    try:
        return weighbridge("user", "add", "--email", PERSON, *made, *at)
    except Refusal:  # the folder is that of an earlier start
        return weighbridge("user", "link", "--email", PERSON, "--sign-in", *at)


def _wanted(found: dict[str, dict[str, Any]], only: set[str]) -> list[Shot]:
    every = [
        *(Shot(name, f"/{name}") for name in ("projects", "me")),
        *shots(found["plant"]),
        *shots(found["edges"], "edges-"),
        *shots(found["empty"], "empty-"),
    ]
    return [shot for shot in every if shot.name in only] if only else every


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


main()
