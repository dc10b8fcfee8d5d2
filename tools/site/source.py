"""The generator's input: the files of `docs/` with a table of contents and without links that lead elsewhere.

The table of contents follows from the sections of `docs/README.md`, so it is kept in one place. A link to
what is no part of the guide (the code, the change log) is shown as its words, as the service does with the
texts. Where a guide names an operation of the interface, its name leads to the page of operations, which
leads to the interface itself and back to the guide.
"""

import posixpath
import re
import shutil
from collections.abc import Container
from pathlib import Path
from typing import Final

from tools.operations import operation_named
from weighbridge.http.openapi.page import tag_in_address
from weighbridge.http.openapi.site import INDEX

DOCS: Final = Path(__file__).parents[2] / "docs"
START: Final = "index.md"
"""What the list of all pages is called in a site."""

OPERATIONS: Final = "reference/operations.md"
_SHOWN: Final = {".md", ".png", ".svg"}
_LINK: Final = re.compile(r"(!?\[[^\]]+\])\(([^)\s]+)\)")
_SECTION: Final = re.compile(r"^## (.+)$", re.MULTILINE)
_CALL: Final = re.compile(r"^`([A-Z]+) (/api/v1\S*)`: (.*)$", re.MULTILINE)
_TAG: Final = re.compile(r"^## (.+)$")
_FENCED: Final = re.compile(r"(^ *```.*?^ *```$|^#[^\n]*$)", re.MULTILINE | re.DOTALL)
_NAMED: Final = re.compile(r"(?<!\[)`(GET|POST|PATCH|DELETE) (/[^`\s?]*)[^`]*`(?!\])")
"""An operation in the text of a guide, which is no link already."""


def write_source(folder: Path, docs: Path = DOCS) -> None:
    """Write what a site of the documents is made of into an empty folder."""
    files = {
        path.relative_to(docs).as_posix(): path for path in sorted(docs.rglob("*")) if path.suffix in _SHOWN
    }
    for name, path in files.items():
        target = folder / (START if name == INDEX else name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            target.write_text(page_of(name, path.read_text(), files))
        else:
            shutil.copy(path, target)


def page_of(name: str, text: str, files: Container[str]) -> str:
    """One page as the generator reads it."""
    text = _within(name, text, files)
    if name == INDEX:
        return _with_contents(text)
    if name == OPERATIONS:
        return _with_interface(text)
    return _with_operations(text, posixpath.relpath(OPERATIONS, posixpath.dirname(name) or "."))


def _within(name: str, text: str, files: Container[str]) -> str:
    """The text with links to pages of the site and to other hosts only."""

    def kept(link: re.Match[str]) -> str:
        file, mark, anchor = link[2].partition("#")
        there = posixpath.normpath(posixpath.join(posixpath.dirname(name), file))
        if there == INDEX:
            return f"{link[1]}({file.removesuffix(INDEX)}{START}{mark}{anchor})"
        if "://" in file or not file or there in files:
            return link[0]
        return link[1].strip("![]")

    return _LINK.sub(kept, text)


def _with_contents(text: str) -> str:
    """The list of all pages, which also is the table of contents beside every page."""
    parts = _SECTION.split(text)
    told = [parts[0]]
    for title, section in zip(parts[1::2], parts[2::2], strict=True):
        pages = [link[2].removesuffix(".md") for link in _LINK.finditer(section) if link[2].endswith(".md")]
        entries = "\n".join(dict.fromkeys(pages))
        told.append(f"## {title}{section}\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{entries}\n```\n\n")
    return "".join(told)


def _with_interface(text: str) -> str:
    """The page of operations, each leading to itself in the interface at /docs."""
    told, tag = [], ""
    for line in text.splitlines():
        if found := _TAG.match(line):
            tag = tag_in_address(found[1])
        told.append(_CALL.sub(rf'<a href="../../docs#tag/{tag}/\1\2"><code>\1 \2</code></a>: \3', line))
    return "\n".join(told) + "\n"


def _with_operations(text: str, operations: str) -> str:
    """A guide whose names of operations lead to what is said of them."""

    def led(named: re.Match[str]) -> str:
        name = operation_named(named[1], named[2])
        return named[0] if name is None else f"[{named[0]}]({operations}#{name})"

    parts = _FENCED.split(text)
    parts[::2] = [_NAMED.sub(led, prose) for prose in parts[::2]]
    return "".join(parts)
