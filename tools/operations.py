"""The reference page of operations: each by its tag, with the guides whose text speaks of it.

A guide speaks of an operation where it names its method and path, asks its path with curl, or names its id;
nobody keeps a list.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from weighbridge.contents import SLICES
from weighbridge.core.identity import API_PREFIX
from weighbridge.http.openapi import document
from weighbridge.http.openapi.site import OF_TAG, title_of

DOCS: Final = Path(__file__).parents[1] / "docs"
ABOUT: Final = """\
Every operation of the interface by its tag, as the OpenAPI document has them, with the guides that name it.
What holds for all of them is in [The interface](interface.md); fields, answers and refusals are in the
document itself, which a running service shows at `/docs`."""

_MADE: Final = "<!-- Made by"
_PARAMETER: Final = re.compile(r"\\\{\w+\\\}")
_VALUE: Final = r"[^/\s`\"'?]+"
_MEANT: Final = re.compile(r"\{[^}]*\}|…|(?<=/)[a-z]{3}_[0-9a-f…]+")
_TITLE: Final = re.compile(r"^# (.+)$", re.MULTILINE)


def sections() -> Iterator[str]:
    """A part of the page for each tag."""
    described = document.document(SLICES, API_PREFIX)
    operations = [
        (method.upper(), path, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        if "operationId" in operation
    ]
    for tag in described["tags"]:
        own = [one for one in operations if one[2]["tags"] == [tag["name"]]]
        told = [f"## {tag['name']}", tag["description"].partition("\n\n")[0]]
        if guide := OF_TAG.get(tag["name"]):
            told.append(f"To begin with: [{title_of(guide)}]({_address(guide)}).")
        yield "\n\n".join([*told, *(_described(*one) for one in own)])


def _described(method: str, path: str, operation: Mapping[str, Any]) -> str:
    name = operation["operationId"]
    told = f"### {name}\n\n`{method} {path}`: {operation['summary']}."
    found = [
        f"[{title}]({_address(guide)})"
        for guide, (title, text) in _guides().items()
        if speaks(text, method, path, name)
    ]
    return f"{told} See {', '.join(found)}." if found else told


def speaks(text: str, method: str, path: str, name: str) -> bool:
    """Whether a text speaks of an operation."""
    within = _PARAMETER.sub(lambda _: _VALUE, re.escape(path.removeprefix(API_PREFIX)))
    named = rf"\b{method}\s+[^\s`]*?(?<![\w}}]){within}(?![\w/])|`{name}`"
    if method == "GET":
        named += rf"|(?<!POST )(?<!PATCH )(?<!DELETE ){API_PREFIX}{within}(?![\w/])"
    return re.search(named, text) is not None


def operation_named(method: str, path: str) -> str | None:
    """The id of the operation that a text means by a method and a path, whatever stands for ids in it."""
    asked = _MEANT.sub("{}", path.removeprefix(API_PREFIX))
    return _names().get((method, asked))


@cache
def _names() -> Mapping[tuple[str, str], str]:
    """The ids of operations by method and path, with {} for every parameter."""
    return {
        (operation.method, _MEANT.sub("{}", operation.path)): operation.name
        for routes in SLICES
        for endpoint in routes
        if (operation := endpoint.operation)
    }


def _address(guide: str) -> str:
    return guide.removeprefix("reference/") if guide.startswith("reference/") else f"../{guide}"


@cache
def _guides() -> Mapping[str, tuple[str, str]]:
    """Title and text of everything that people wrote for people, but for decisions."""
    found = {}
    for folder in ("tutorial", "howto", "explanation", "reference", "cookbooks"):
        for path in sorted((DOCS / folder).glob("*.md")):
            text = path.read_text()
            title = _TITLE.search(text)
            if not text.startswith(_MADE) and title:
                found[path.relative_to(DOCS).as_posix()] = (title[1], text)
    return found
