"""The documentation names what the code has, and its links lead somewhere."""

import re
import tomllib
from collections.abc import Iterator
from itertools import chain

import pytest
from tests.architecture.source import ROOT
from tests.given.cases import tried_together
from tools import reference

DOCS = ROOT / "docs"
READMES = (ROOT / "src" / "weighbridge").glob("*/README.md")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *READMES])
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


@pytest.fixture(scope="module")
def made():
    """The pages as the code makes them now."""
    return reference.pages()


@pytest.mark.parametrize(
    "name",
    [
        *("settings.md", "agent.md", "lists.md", "limits.md", "errors.md"),
        *("operations.md", "metrics.md", "log.md", "conformance.md", "model-language.md", "rule-language.md"),
        "sizing.md",
    ],
)
def test_a_page_made_from_the_code_is_current(made, name):
    stored = (reference.PAGES / name).read_text()

    assert stored == made[name], f"docs/reference/{name} is out of date; run `make docs`"


@tried_together("document", DOCUMENTS, under=lambda path: path.parent.name)
def test_every_link_of_a_document_leads_to_a_file(document):
    dead = [
        target for target in LINK.findall(document.read_text()) if not (document.parent / target).exists()
    ]

    assert not dead, "\n".join(dead)


def headings(document):
    """The anchors that the headings of a document make, as code hosts and the guide make them."""
    lines = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = (re.sub(r"\]\([^)]*\)", "", title) for title in re.findall(r"^#+ (.+)$", lines, re.MULTILINE))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@tried_together("document", DOCUMENTS, under=lambda path: path.parent.name)
def test_every_anchor_that_a_document_links_is_a_heading_there(document):
    dead = [
        f"{file}#{anchor}"
        for file, anchor in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)", document.read_text())
        if (there := document.parent / file if file else document).suffix == ".md"
        and anchor not in headings(there)
    ]

    assert not dead, "\n".join(dead)


def test_the_index_names_every_page():
    index = (DOCS / "README.md").read_text()
    linked = {(DOCS / target).resolve() for target in LINK.findall(index)}

    unlisted = [
        path.relative_to(DOCS).as_posix()
        for path in sorted(DOCS.rglob("*.md"))
        if path.name != "README.md" and path.resolve() not in linked
    ]

    assert not unlisted, "\n".join(unlisted)


def test_every_direct_dependency_has_a_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    direct = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {re.split(r"[<>=\[]", requirement)[0] for requirement in direct}
    table = (DOCS / "decisions" / "0010-dependencies.md").read_text()

    named = set(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE))

    assert named == names


def test_every_target_that_the_documents_name_can_be_made():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    unknown = [
        f"{document.relative_to(ROOT)}: make {target}"
        for document in DOCUMENTS
        for target in re.findall(r"`make ([a-z-]+)", document.read_text())
        if target not in targets
    ]

    assert not unknown, "\n".join(unknown)


ABOUT_THE_CODE = (
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/explanation/path-of-a-value.md",
    "docs/reference/invariants.md",
    "docs/reference/security.md",
)

NAMED = re.compile(r"`([a-z\d_/]+(?:\.py|/))`")
"""Files and folders in code type; words in capitals stand for a name."""

BUILT = {"dist/"}
"""Folders that a target of the Makefile makes."""


@pytest.mark.parametrize("document", ABOUT_THE_CODE)
def test_every_file_and_folder_that_a_document_about_the_code_names_is_there(document):
    paths = ["/" + path for path in _paths_of_the_code()]
    named = NAMED.findall((ROOT / document).read_text())

    gone = [
        name for name in named if name not in BUILT and not any(path.endswith(f"/{name}") for path in paths)
    ]

    assert not gone, "\n".join(gone)


def test_every_test_of_an_invariant_is_named_from_the_folder_of_tests():
    text = (DOCS / "reference" / "invariants.md").read_text()
    tested = [row.rpartition(" | ")[2] for row in text.split("\n") if row.startswith("| ")]

    gone = [name for cell in tested for name in NAMED.findall(cell) if not (ROOT / "tests" / name).exists()]

    assert not gone, "\n".join(gone)


def _paths_of_the_code() -> Iterator[str]:
    """Files of Python below the repository's folders of code, and folders with a slash at their end."""
    for top in ("src", "tests", "tools", "benchmarks", "deploy", "docs"):
        for path in [ROOT / top, *(ROOT / top).rglob("*")]:
            name = path.relative_to(ROOT).as_posix()
            if path.is_dir() or path.suffix == ".py":
                yield f"{name}/" if path.is_dir() else name
