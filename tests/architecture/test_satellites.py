"""What stands apart from the service says so in a README that is true: its files, and what it imports."""

import re
from typing import Final

import pytest
from tests.architecture.source import PACKAGE, files

SATELLITES: Final = ("agent", "archive", "backup", "client", "demo", "witness")

FILE: Final = re.compile(r"`([\w/]+\.py)`")
NAME: Final = re.compile(r"`(\w+)`")


def section(text: str, title: str) -> str:
    """The text below a heading."""
    return dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n?)*)", text, re.MULTILINE))[title]


@pytest.fixture(params=SATELLITES)
def satellite(request):
    return request.param


@pytest.fixture
def readme(satellite):
    return (PACKAGE / satellite / "README.md").read_text()


def test_a_readme_names_every_file_of_its_folder_and_no_other(satellite, readme):
    there = {
        file.path.removeprefix(f"{satellite}/")
        for file in files()
        if file.path.startswith(f"{satellite}/") and not file.path.endswith("__init__.py")
    }

    named = set(FILE.findall(readme))

    assert named - there == set()
    assert there - named - {"errors.py"} == set()


def test_a_readme_names_what_its_folder_imports(satellite, readme):
    imported = {
        module.split(".")[1]
        for file in files()
        if file.path.startswith(f"{satellite}/")
        for module, _ in file.imports()
        if module.startswith("weighbridge.") and module.split(".")[1] != satellite
    }

    assert set(NAME.findall(section(readme, "Imports"))) == imported


def test_a_readme_says_how_to_run_it_and_what_to_read_first(readme):
    assert "weighbridge" in section(readme, "Run it")
    assert "first" in section(readme, "Read")
