"""What someone who writes a model document learns before sending it to the service."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from weighbridge import demo
from weighbridge.commands.app import app
from weighbridge.errors import Refusal

EXAMPLES = [
    *sorted(Path(__file__).parents[2].joinpath("examples").glob("*.yaml")),
    *sorted(Path(demo.__file__).with_name("models").glob("*.yaml")),
]

DOCUMENT = """\
name: Moist biochar
cadence: monthly
partition_type: time
primary_output: dry_mass
nodes:
  - slug: wet_mass
    input: {event_type: delivery, data_point_type: wet-mass, aggregate: sum}
    unit: t{wet}
  - slug: moisture
    input: {event_type: delivery, data_point_type: moisture, aggregate: average}
    unit: "%"
  - slug: dry_per_wet
    constant: 1
    unit: t{dry}/t{wet}
  - slug: dry_mass
    formula: wet_mass * (1 - moisture) * dry_per_wet
    unit: t{dry}
"""

CASE = """\
cases:
  - name: two deliveries
    source: the weighbridge's book
    inputs: {wet_mass: [1.2, 0.8], moisture: 10.5}
    expect: {dry_mass: 1.79}
"""


@pytest.fixture
def check(tmp_path, capsys):
    """Checks a document and gives the exit code and what was printed."""

    def run(document, *options):
        file = tmp_path / "model.yaml"
        file.write_text(document)
        with pytest.raises(SystemExit) as ended:
            app(["model", "check", str(file), *options])
        return ended.value.code, capsys.readouterr().out.replace(str(file), "model.yaml")

    return run


def test_a_case_is_shown_with_its_equation_its_values_and_its_result(check):
    code, shown = check(DOCUMENT + CASE)

    assert code == 0
    assert shown == (
        "Moist biochar\n"
        "\n"
        "Case 1 of 1: two deliveries\n"
        "  the weighbridge's book\n"
        "  dry_mass = wet_mass * (1 - moisture) * dry_per_wet\n"
        "           = 2 t{wet} * (1 - 10.5 %) * 1 t{dry}/t{wet}\n"
        "           = 1.79 t{dry}\n"
        "  ok  dry_mass is 1.79 t{dry}, as expected\n"
        "\n"
        "The document is valid and passes: 1 case.\n"
    )


def test_a_case_that_comes_to_something_else_fails_the_check_with_both_values(check):
    code, shown = check(DOCUMENT + CASE.replace("1.79", "1.8"))

    assert code == 1
    assert "  FAILED  dry_mass is 1.79 t{dry}; expected 1.8 t{dry}\n" in shown
    assert shown.endswith("The document is valid, but 1 of 1 case failed.\n")


def test_a_case_that_cannot_be_computed_says_why(check):
    code, shown = check(DOCUMENT + CASE.replace(", moisture: 10.5", ""))

    assert code == 1
    assert "FAILED" in shown
    assert "moisture" in shown


def test_every_flaw_is_named_with_its_line_and_column(check):
    flawed = DOCUMENT.replace("aggregate: sum", "aggregate: total").replace("constant: 1", "constant: one")

    code, shown = check(flawed)

    assert code == 1
    assert "model.yaml:7:73: The aggregate of the input of wet_mass must be one of " in shown
    assert "model.yaml:13:15: " in shown
    assert shown.endswith("The document is refused: 2 flaws.\n")


def test_a_document_without_cases_passes_and_says_so(check):
    assert check(DOCUMENT) == (0, "Moist biochar\n\nThe document is valid; it has no cases.\n")


def test_as_json_numbers_keep_every_digit(check):
    code, shown = check(DOCUMENT + CASE.replace("10.5", "10.50000000000000000000000001"), "--json")

    report = json.loads(shown, parse_float=Decimal)

    assert code == 1
    assert report["is_valid"]
    assert not report["is_passed"]
    assert report["cases"][0]["comparisons"][0]["actual"] == Decimal("1.7899999999999999999999999998")


def test_as_json_a_flaw_has_its_place_and_a_code(check):
    code, shown = check(DOCUMENT.replace("unit: t{dry}\n", "unit: kWh\n"), "--json")

    assert code == 1
    assert [(flaw["line"], flaw["node"]) for flaw in json.loads(shown)["flaws"]] == [(16, "dry_mass")]


def test_a_file_that_is_not_there_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(Refusal) as refused:
        app(["model", "check", str(tmp_path / "none.yaml")])

    assert str(refused.value) == f"The file {tmp_path}/none.yaml cannot be read: No such file or directory."


def test_a_file_of_another_encoding_is_refused_in_one_sentence(tmp_path):
    file = tmp_path / "model.yaml"
    file.write_bytes("name: Übung".encode("latin-1"))

    with pytest.raises(Refusal, match="is not UTF-8: the byte at 6 is part of no character"):
        app(["model", "check", str(file)])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_pass_their_own_cases(example, capsys):
    with pytest.raises(SystemExit) as ended:
        app(["model", "check", str(example)])

    assert ended.value.code == 0, capsys.readouterr().out
