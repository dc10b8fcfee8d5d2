"""The documents on the pages about models are models: each is checked, and its cases are run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.given import collection as given
from tools.model_reference import compute_aggregate, compute_example, list_examples

from weighbridge.core.expression.parsing import parse
from weighbridge.core.model import Aggregate
from weighbridge.modelling.documents import check_document

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = DOCS / "reference" / "model-language.md"
TUTORIAL = DOCS / "tutorial" / "first-batch.md"
SCRIPTS = Path(sys.executable).parent
HOWTO = DOCS / "howto" / "write-a-model.md"
EXAMPLE = DOCS.parent / "examples" / "biochar-durability.yaml"
ROW = re.compile(r"^\| `.+?` \| .+ \| `([^`]+)` \| `(?!even`|repeat`)([^`]+)` \|$", re.MULTILINE)
AGGREGATE = re.compile(r"^\| `(\w+)` \| .+ \| `([^`]+)` \| `(?:even|repeat)` \|$", re.MULTILINE)
YAML = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documents(page):
    return [block for block in YAML.findall(page.read_text()) if block.startswith("name:")]


def test_the_document_of_the_reference_is_valid_and_its_case_passes():
    [text] = documents(REFERENCE)

    report = check_document(text)

    assert report.flaws == ()
    assert [result.is_passed for result in report.cases] == [True]


def test_every_place_of_the_reference_was_filled():
    assert re.findall(r"^\{\w+\}$|\{[a-z_]+s\}", REFERENCE.read_text(), re.MULTILINE) == []


def test_every_example_of_an_operator_or_a_function_comes_to_what_the_page_says():
    shown = ROW.findall(REFERENCE.read_text())

    assert {example for example, _ in shown} == set(list_examples())
    assert [(example, said) for example, said in shown if compute_example(example) != said] == []


def test_every_aggregate_comes_to_what_the_page_says():
    page = REFERENCE.read_text()
    assert "20 at 0:00, 26 at 6:00 and 38 at 18:00" in page
    shown = dict(AGGREGATE.findall(page))

    assert shown == {
        "sum": "84", "average": "28", "time_weighted": "27.5", "min": "20", "max": "38", "count": "3",
        "first": "20", "last": "38", "median": "26", "delta": "18", "values": "[20, 26, 38]",
    }  # fmt: skip
    assert [(kind, said) for kind, said in shown.items() if compute_aggregate(Aggregate(kind)) != said] == []
    assert shown.keys() == set(Aggregate)


@pytest.mark.parametrize("form", ["a < b < c", "a < b + c"])
def test_what_the_reference_calls_ambiguous_is_refused(form):
    assert f"`{form}`" in REFERENCE.read_text()

    with pytest.raises(ValueError, match="ambiguous"):
        parse(form)


def test_the_parts_of_the_how_to_stand_in_the_document_that_it_explains():
    parts = YAML.findall(HOWTO.read_text())

    assert len(parts) == 8
    assert [part for part in parts if part.rstrip() not in EXAMPLE.read_text()] == []
    assert check_document(EXAMPLE.read_text()).is_passed


def test_the_equations_of_the_how_to_are_those_that_come_of_its_document():
    shown = re.search(r"^```text\n(.*?)^```$", HOWTO.read_text(), re.MULTILINE | re.DOTALL)
    assert shown

    cases = check_document(EXAMPLE.read_text()).cases
    lines = {line for case in cases for equation in case.equations for line in _lines(equation)}

    assert [line for line in shown[1].splitlines() if line not in lines] == []


def test_the_shell_blocks_of_the_how_to_work_one_after_the_other(api, server, tmp_path):
    shorthands = re.search(r"^call\(\).*?^pick\(\).*?$", TUTORIAL.read_text(), re.MULTILINE | re.DOTALL)
    assert shorthands
    names = {"URL": server.address + "/api/v1", "TOKEN": api.token, "PROJECT": given.project(api)["id"]}
    (tmp_path / "examples").symlink_to(EXAMPLE.parent)
    blocks = re.findall(r"^```sh\n(.*?)^```$", HOWTO.read_text(), re.MULTILINE | re.DOTALL)
    script = "\n".join(["set -euo pipefail", shorthands[0], *blocks])

    ran = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=os.environ | names | {"PATH": f"{SCRIPTS}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert '"errors":[],' in ran.stdout
    assert '"valid":true' in ran.stdout
    named = re.search(r"It answers `(.*)`", HOWTO.read_text())
    assert named
    assert f"\n{named[1]}\n" in ran.stdout
    assert "'slug': 'soil_temperature'" in ran.stdout


def _lines(equation):
    yield equation.written
    yield equation.filled.removeprefix(equation.slug).strip()
    yield f"= {equation.result}"
