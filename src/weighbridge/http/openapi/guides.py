"""The guides: the documentation of this version, served beside the interface that it explains.

A guide is one Markdown file of the repository's `docs/`, which is part of the package as `static/guides`. A
browser is shown the page, which asks for the text and renders it; every other client gets the text.

Invariants: a link inside a guide leads to a guide; a link that leads out of `docs/` is shown as its words,
because what it leads to is not here.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

GUIDES: Final = "/docs/guides/"
"""Below which path the guides are served."""

INDEX: Final = "README.md"
"""The guide that lists them all."""

MODEL_LANGUAGE: Final = "reference/model-language.md"
RULE_LANGUAGE: Final = "reference/rule-language.md"

_CAPTURE_RATE: Final = (
    "reference/capture-rate.md",
    "Capture rate: what was expected, what came, and the gaps",
)
_COLLECTION: Final = ("reference/collection.md", "Collection: records and what may be changed")
_REPORTS: Final = ("howto/report-and-restate.md", "Report what was produced, and state it anew")

OF_TAG: Final[Mapping[str, tuple[str, str]]] = {
    "Api tokens": ("howto/give-people-access.md", "Give people access"),
    "Asset custom fields": ("howto/keep-assets.md", "Keep assets in a spreadsheet"),
    "Assets": ("howto/keep-assets.md", "Keep assets in a spreadsheet"),
    "Async tasks": ("reference/async-tasks.md", "Async tasks and their results"),
    "Audit log": ("explanation/audit-log.md", "How a stranger checks the audit log"),
    "Batch generations": ("explanation/reading-data.md", "How generation reads data"),
    "Batches": ("howto/change-inputs.md", "Change what a batch is made of"),
    "Capture rates": _CAPTURE_RATE,
    "Changes": ("howto/follow-changes.md", "Follow changes"),
    "Data feed uploads": ("howto/feed-files.md", "Feed files of a plant"),
    "Data feeds": ("howto/feed-files.md", "Feed files of a plant"),
    "Data points": ("howto/correct-a-measurement.md", "Correct a measurement"),
    "Event types": _COLLECTION,
    "Events": ("howto/send-readings.md", "Send readings from a program"),
    "Evidence": ("howto/attach-evidence.md", "Attach evidence to an event"),
    "Exports": ("howto/export-lists.md", "Get lists as files"),
    "Feature flags": ("howto/operate.md", "Operate the service"),
    "Feedstocks": _COLLECTION,
    "Gaps": _CAPTURE_RATE,
    "Instruments": ("reference/system-ledgers.md", "System ledgers and instruments"),
    "Ledgers": ("howto/chain-ledgers.md", "Chain ledgers"),
    "Locations": _COLLECTION,
    "Methodologies": _REPORTS,
    "Model runs": ("howto/write-a-model.md", "Write a model"),
    "Models": (MODEL_LANGUAGE, "The model language"),
    "Outages": _CAPTURE_RATE,
    "Projects": ("tutorial/first-batch.md", "From an empty folder to the first batch"),
    "Registries": ("howto/send-reports-to-a-registry.md", "Send reports to a registry"),
    "Report links": _REPORTS,
    "Reports": _REPORTS,
    "Rule results": ("howto/watch-data-with-rules.md", "Watch data with rules"),
    "Rule runs": ("howto/watch-data-with-rules.md", "Watch data with rules"),
    "Rules": (RULE_LANGUAGE, "The rule language"),
    "Statements": ("howto/chain-ledgers.md", "Chain ledgers"),
    "Static inputs": _COLLECTION,
    "Substitutions": ("howto/fill-lost-hours.md", "Fill lost hours by the EU monitoring regulation"),
    "Webhooks": ("howto/receive-webhooks.md", "Receive webhooks"),
    "Version comparisons": ("howto/see-what-would-change.md", "See what would change"),
}
"""The guide that helps most with what is below a tag, and its title."""

_LINK: Final = re.compile(r"!?\[([^\[\]]+)\]\(([^()\s]+)\)")


def tag_of(package: str) -> str:
    """The tag of what the package of a noun offers: `weighbridge.collection.event_types` is `Event types`."""
    return package.rpartition(".")[2].replace("_", " ").capitalize()


def address(guide: str) -> str:
    """Where a guide is served."""
    return GUIDES + guide


def text_of(guide: str) -> str | None:
    """The text of a guide by its path below `docs/`; None when there is none."""
    return _texts().get(guide)


@cache
def _texts() -> Mapping[str, str]:
    """Every guide by its path."""
    found = dict(_found(files("weighbridge.http") / "static" / "guides", ""))
    return {path: _within(path, text, found) for path, text in sorted(found.items())}


def _found(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for one in folder.iterdir():
        if one.is_dir():
            yield from _found(one, f"{path}{one.name}/")
        elif one.name.endswith(".md"):
            yield path + one.name, one.read_text(encoding="utf-8")


def _within(path: str, text: str, guides: Mapping[str, str]) -> str:
    """The text with links to guides only; those to other hosts stay."""

    def kept(link: re.Match[str]) -> str:
        file, _, _ = link[2].partition("#")
        there = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
        return link[0] if "://" in file or not file or there in guides else link[1]

    return _LINK.sub(kept, text)
