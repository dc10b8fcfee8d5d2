"""Taking pictures: each page of the table of contents, opened by somebody who has signed in.

Invariants: a picture is taken when what the page loads is there; a page that is refused is named.
"""

import itertools
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import Browser, Page

from tools.screenshots.shrinking import shrunk
from weighbridge.contents import SLICES
from weighbridge.http.openapi.parameters import names_in
from weighbridge.web.pages import contents

WIDTHS: Final = (1280, 380)
COLOURS: Final = ("light", "dark")
HEIGHT: Final = 900
TALL_MAX: Final = 4000
"""Pixels of a page that are shown, at most."""

_TYPED: Final = re.compile(r":\w+\}")
_KINDS: Final = {"record_id": "event", "user_id": "user", "task_id": "task", "token_id": "token"}
_LEFT_OUT: Final = (
    ".json",
    ".csv",
    "/file",
    ".zip",
    ".tsr",
    "/submission_file",
    "/proof",
    "/consistency",
    "/head",
)
"""What data and files end with: they are no pages."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A page to take a picture of."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of the documentation."""

    name: str
    path: str
    colours: Literal["light", "dark"] = "light"
    width: int = 1280
    tall: int = 860


IMAGES: Final = (
    Image("overview", "/projects/{project}"),
    Image("batch", "/projects/{project}/batches/{batch}", tall=1480),
    Image("report", "/projects/{project}/reports/{report}"),
    Image("proposals", "/projects/{project}/proposals"),
    Image("audit", "/projects/{project}/audit_log", "dark"),
    Image("list-light", "/projects/{project}/events"),
    Image("ledger-dark", "/projects/{project}/ledgers/{ledger}", "dark"),
    Image("record-narrow-dark", "/projects/{project}/events/{event}", "dark", width=380),
)
"""Those that pages of the documentation show; the README shows the first three."""


def shots(ids: Mapping[str, Any], prefix: str = "") -> Iterator[Shot]:
    """Every page below the project for which there is a record."""
    home = "/projects/{project_id}"
    for path in sorted({*_paths()}):
        if not path.startswith(home):
            continue
        kinds = {name: _KINDS.get(name, name.removesuffix("_id")) for name in names_in(path)}
        if all(kind in ids for kind in kinds.values()):
            said = re.sub(r"\{(\w+?)_id\}", r"one-\1", path.removeprefix(home)).strip("/").replace("/", "-")
            address = path.format_map({name: ids[kind] for name, kind in kinds.items()})
            yield Shot(prefix + (said or "overview"), address)


def _paths() -> Iterator[str]:
    for handler in contents.routes(SLICES):
        if "page" in handler.opt and "GET" in handler.http_methods:
            for path in handler.paths:
                if not path.endswith(_LEFT_OUT) and "/open/" not in path:
                    yield _TYPED.sub("}", path)


def entered(browser: Browser, link: str) -> Page:
    """A page of somebody whom the link has let in, which it does once."""
    origin = "/".join(link.split("/")[:3])
    context = browser.new_context(
        base_url=origin, viewport={"width": WIDTHS[0], "height": HEIGHT}, locale="en-GB"
    )
    page = context.new_page()
    page.goto(link)
    return page


def take(page: Page, wanted: list[Shot], folder: Path) -> None:
    """Take each page at each width and in each colour."""
    for shot in wanted:
        page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
        answer = page.goto(shot.address)
        page.wait_for_load_state("networkidle")
        if answer is None or answer.status >= 400:
            sys.stderr.write(f"{shot.name}: {answer.status if answer else 0} at {shot.address}\n")
        for width, colours in itertools.product(WIDTHS, COLOURS):
            _keep(page, folder / f"{shot.name}-{width}-{colours}.png", width, colours)


def take_images(page: Page, ids: Mapping[str, Any], folder: Path) -> None:
    """Take the pictures of the documentation, each at its width, in its colour and as tall as it says."""
    for image in IMAGES:
        page.emulate_media(color_scheme=image.colours, reduced_motion="reduce")
        page.set_viewport_size({"width": image.width, "height": image.tall})
        page.goto(image.path.format_map(ids))
        page.wait_for_load_state("networkidle")
        (folder / f"{image.name}.png").write_bytes(shrunk(page.screenshot()))


def _keep(page: Page, file: Path, width: int, colours: str) -> None:
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light", reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.evaluate("new Promise(requestAnimationFrame)")
    tall = min(page.evaluate("document.documentElement.scrollHeight"), TALL_MAX)
    clip = {"x": 0, "y": 0, "width": width, "height": tall}
    page.screenshot(path=file, full_page=True, clip=clip)  # type: ignore[arg-type] # a clip is such a mapping
