"""The guides, as texts and as the site at /guide, and how files of the package are sent.

Invariants: a link inside a guide leads to a guide; an address below /guide of a page that exists leads
to its text, whether the site was built or not; nothing outside the site's folder is served.
"""

import hashlib
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect

from weighbridge.errors import NotFound
from weighbridge.http.caller import WebRequest
from weighbridge.http.endpoints.framework import ServedRequest

# Files of the package as answers: a browser keeps them under a tag, and asks whether they still hold.


REVALIDATED: Final = {"Cache-Control": "no-cache"}
KEPT: Final = {"Cache-Control": "public, max-age=3600"}


@dataclass(frozen=True, slots=True)
class PageContent:
    """Bytes that never change while the process lives, with the tag that a browser keeps them under."""

    data: bytes
    media_type: str
    tag: str


def content_of(data: bytes, media_type: str) -> PageContent:
    """The bytes with their tag."""
    return PageContent(data, media_type, f'"{hashlib.sha256(data).hexdigest()[:32]}"')


def answered(request: WebRequest, content: PageContent, headers: Mapping[str, str]) -> Response[bytes]:
    """Send the content, or only that the browser's copy is still the same."""
    headers = {**headers, "ETag": content.tag, "X-Content-Type-Options": "nosniff"}
    is_known = content.tag in request.headers.get("if-none-match", "")
    return Response(
        b"" if is_known else content.data,
        status_code=304 if is_known else 200,
        media_type=content.media_type,
        headers=headers,
    )


# The guides: the documentation of this version, served with the interface that it explains.
#
# A guide is one Markdown file of the repository's `docs/`, which is part of the package as `static/guides`.
# A browser is shown the page, which asks for the text and renders it; every other client gets the text.
#
# Invariants: a link inside a guide leads to a guide; a link that leads out of `docs/` is shown as its
# words, because what it leads to is not here.


GUIDES: Final = "/docs/guides/"
"""Below which path the guides are served."""

INDEX: Final = "README.md"
"""The guide that lists them all."""

TUTORIAL: Final = "tutorial/first-batch.md"
MODEL_LANGUAGE: Final = "reference/model-language.md"
RULE_LANGUAGE: Final = "reference/rule-language.md"

_CAPTURE_RATE: Final = "reference/capture-rate.md"
_COLLECTION: Final = "reference/collection.md"
_CERTIFY: Final = "howto/send-to-isometric.md"
_REPORTS: Final = "howto/report-and-restate.md"
_FOOTPRINTS: Final = "howto/exchange-footprints.md"

OF_TAG: Final[Mapping[str, str]] = {
    "Agents": "howto/run-an-agent.md",
    "Api tokens": "howto/give-people-access.md",
    "Identity providers": "howto/sign-in-by-your-provider.md",
    "Asset custom fields": "howto/keep-assets.md",
    "Assets": "howto/keep-assets.md",
    "Async tasks": "reference/async-tasks.md",
    "Audit log": "explanation/audit-log.md",
    "Batch generations": "explanation/reading-data.md",
    "Batches": "howto/change-inputs.md",
    "Capture rates": _CAPTURE_RATE,
    "Changes": "howto/follow-changes.md",
    "Data feed uploads": "howto/feed-files.md",
    "Data feeds": "howto/feed-files.md",
    "Data points": "howto/correct-a-measurement.md",
    "Event types": _COLLECTION,
    "Events": "howto/send-readings.md",
    "Evidence": "howto/attach-evidence.md",
    "Exports": "howto/export-lists.md",
    "Feature flags": "howto/operate.md",
    "Feedstocks": _COLLECTION,
    "Gaps": _CAPTURE_RATE,
    "Instruments": "reference/system-ledgers.md",
    "Ledgers": "howto/chain-ledgers.md",
    "Locations": _COLLECTION,
    "Footprint calls": _FOOTPRINTS,
    "Footprint clients": _FOOTPRINTS,
    "Footprint events": _FOOTPRINTS,
    "Footprint partners": _FOOTPRINTS,
    "Footprint products": _FOOTPRINTS,
    "Footprints": _FOOTPRINTS,
    "Methodologies": _REPORTS,
    "Model runs": "howto/write-a-model.md",
    "Models": MODEL_LANGUAGE,
    "Outages": _CAPTURE_RATE,
    "Projects": TUTORIAL,
    "Received footprints": _FOOTPRINTS,
    "Registries": "howto/send-reports-to-a-registry.md",
    "Registry mappings": _CERTIFY,
    "Registry statements": _CERTIFY,
    "Report links": _REPORTS,
    "Reports": _REPORTS,
    "Rule results": "howto/watch-data-with-rules.md",
    "Rule runs": "howto/watch-data-with-rules.md",
    "Rules": RULE_LANGUAGE,
    "Saved views": "howto/work-with-lists.md",
    "Statements": "howto/chain-ledgers.md",
    "Static inputs": _COLLECTION,
    "Substitutions": "howto/fill-lost-hours.md",
    "Webhooks": "howto/receive-webhooks.md",
    "Balance steps": "howto/see-what-was-known.md",
    "Version comparisons": "howto/see-what-would-change.md",
}
"""The guide that helps most with what is below a tag."""

_LINK: Final = re.compile(r"!?\[([^\[\]]+)\]\(([^()\s]+)\)")


def tag_of(package: str) -> str:
    """The tag of what the package of a noun offers: `weighbridge.collection.event_types` is `Event types`."""
    return package.rpartition(".")[2].replace("_", " ").capitalize()


def address(guide: str) -> str:
    """Where a guide is served."""
    return GUIDES + guide


@cache
def title_of(guide: str) -> str:
    """The heading of a guide by its path below `docs/`."""
    with (_folder() / guide).open(encoding="utf-8") as lines:
        return next(line for line in lines if line.startswith("# ")).removeprefix("# ").strip()


def text_of(guide: str) -> str | None:
    """The text of a guide by its path below `docs/`; None when there is none."""
    return _texts().get(guide)


@cache
def _texts() -> Mapping[str, str]:
    """Every guide by its path."""
    texts = dict(_found(_folder(), ""))
    return {path: _within(path, text, texts) for path, text in sorted(texts.items())}


def _folder() -> Traversable:
    return files("weighbridge.http") / "static" / "guides"


def _found(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _found(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(".md"):
            yield path + entry.name, entry.read_text(encoding="utf-8")


def _within(path: str, text: str, guides: Mapping[str, str]) -> str:
    """The text with links to guides only; those to other hosts stay."""

    def kept(link: re.Match[str]) -> str:
        file, _, _ = link[2].partition("#")
        linked_path = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
        return link[0] if "://" in file or not file or linked_path in guides else link[1]

    return _LINK.sub(kept, text)


# The guide as a site at /guide: the pages that `make site` built, or the same texts where it was not run.
#
# The pages are plain files of the package. They and all that they load, the search and its index too, come
# from this service, and its content security policy lets them ask nobody else and run nothing that stands
# in a page.
#
# Invariants: an address below /guide of a page that there is leads to its text, whether the site was built
# or not; nothing outside the site's folder is served.


GUIDE: Final = "/guide/"
"""Below which path the site is served."""

START: Final = "index.html"
OPERATIONS: Final = "reference/operations.html"
"""The page that has each operation with the guides that speak of it."""

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

TYPES: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
"""What the site is made of; nothing else of its folder is served."""

_PAGE_HEADERS: Final = {
    **REVALIDATED,
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
}


def operation_address(name: str) -> str:
    """Where the guide speaks of an operation."""
    return f"{GUIDE}{OPERATIONS}#{name.replace('_', '-')}"


def page_address(guide: str, folder: Path | None = None) -> str:
    """Where the page of a guide is; empty where neither the site nor the texts have it."""
    site = packaged() if folder is None else folder
    name = START if guide == INDEX else guide.removesuffix(".md") + ".html"
    is_there = (site / name).is_file() if (site / START).is_file() else instead(name) is not None
    return GUIDE + name if is_there else ""


def packaged() -> Path:
    """The folder of the site in the package; it is there once `make site` has been run."""
    return Path(str(files("weighbridge.http"))) / "static" / "site"


def routes(folder: Path) -> list[HTTPRouteHandler]:
    """Make the handlers of a site that lies in a folder, or does not."""

    @lru_cache(maxsize=512)
    def read(name: str) -> PageContent | None:
        path = folder / name
        kind = TYPES.get(path.suffix)
        if kind is None or not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            return None
        return content_of(path.read_bytes(), kind)

    @get("/guide", include_in_schema=False, sync_to_thread=False)
    def start(request: ServedRequest) -> Redirect:
        # Relative, so that it holds where a proxy has the service below a path of its own.
        asked = request.scope.get("raw_path") or request.scope["path"].encode()
        is_below = asked.endswith(b"/")
        return Redirect(START if is_below else f"guide/{START}")

    @get("/guide/{path:path}", include_in_schema=False, sync_to_thread=False)
    def page(request: ServedRequest) -> Response[bytes] | Redirect:
        name = str(request.path_params["path"]).strip("/")
        page_content = read(name)
        if page_content is not None:
            is_page = name.endswith(".html")
            return answered(request, page_content, _PAGE_HEADERS if is_page else KEPT)
        text = instead(name)
        if text is not None and read(START) is None:
            return Redirect(address(text))
        raise NotFound(message="The guide has no such page; it begins at /guide.", code="no_such_path")

    return [start, page]


def instead(name: str) -> str | None:
    """The guide that has the text of a page."""
    guide = INDEX if name == START else name.removesuffix(".html") + ".md"
    return guide if text_of(guide) is not None else None
