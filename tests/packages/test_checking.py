"""A package is checked as a whole: every flaw has its file, line and column."""

from pathlib import Path

import pytest

from weighbridge.packages.checking import check_package
from weighbridge.packages.contents import read_folder
from weighbridge.packages.reading import read_package
from weighbridge.packages.skeleton import write_skeleton

LIBRARY = Path(__file__).parents[2] / "packages"
PACKAGES = sorted(path.name for path in LIBRARY.iterdir() if path.is_dir())


def flaws_of(**changes):
    """The flaws of a skeleton in which a text of a file is replaced by another."""
    files = dict(write_skeleton("soda-ash"))
    for name, (before, after) in changes.items():
        [file] = [one for one in files if one.removesuffix(".yaml").endswith(name)]
        assert before in files[file]
        files[file] = files[file].replace(before, after)
    return check(files)


def check(files):
    contents = {name: text.encode() for name, text in files.items()}
    return [str(flaw) for flaw in check_package(read_package(contents)).flaws]


def test_a_new_package_has_no_flaw():
    assert flaws_of() == []


def test_a_unit_that_is_none_is_named_once_and_not_again_where_models_read_it():
    [flaw] = flaws_of(event_types=("unit: MWh", "unit: kWh of gas"))

    assert flaw.startswith("event_types.yaml:")


def test_a_source_that_is_none_is_told_which_there_are():
    [flaw] = flaws_of(rules=("source: standard, 4.2", "source: section 4.2"))

    assert flaw == (
        "rules.yaml:5:13: The source of the rule 'Energy below zero' names no document of sources.yaml; it"
        " begins with a key and the place, and keys are: standard."
    )


def test_an_event_type_that_is_none_is_named_where_the_rule_says_it():
    [flaw] = flaws_of(rules=("event_type_id: fuel-bill", "event_type_id: fuel bill"))

    assert flaw.startswith("rules.yaml:6:20: The rule 'Energy below zero' names the event type 'fuel bill'")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_of_the_library_has_no_flaw_and_all_its_cases_hold(name):
    report = check_package(read_package(read_folder(LIBRARY / name)))

    assert [str(flaw) for flaw in report.flaws] == []
    assert report.package.manifest.name == name
    assert all(result.is_passed for results in report.cases.values() for result in results)


@pytest.mark.parametrize(
    ("changes", "flaw"),
    [
        ({"package": ("0.1.0", "1")}, "package.yaml:3:10: The version '1' must be major, minor and patch"),
        ({"package": ("soda-ash", "Soda")}, "package.yaml:1:7: The name 'Soda' must be a slug"),
        ({"package": ("licence: CC-BY-4.0\n", "")}, "package.yaml:1:1: "),
        ({"package": ("engine_revision: 2", "engine_revision: 99")}, "package.yaml:7:"),
        ({"package": ("engine_revision: 2", "requires: {transport: '1'}")}, "package.yaml:7:"),
        (
            {"package": ("engine_revision: 2", "code: print")},
            "package.yaml:7:1: The package has no key 'co",
        ),
        ({"sources": ("key: standard", "key: other")}, "sources.yaml:1:1: Nothing names the source 'other'."),
        ({"sources": ("edition: Its edition or date", "")}, "sources.yaml:3:5: "),
        ({"event_types": ("unit: MWh", "unit: MWhh")}, "event_types.yaml:6:50: data_point_types[0].unit is"),
        (
            {"event_types": ("value_type: number", "value_type: numbr")},
            "event_types.yaml:6:36: ",
        ),
        (
            {"event_types": ("name: Energy", "nam: Energy")},
            "event_types.yaml:6:15: ",
        ),
        ({"ledgers": ("model: emissions", "model: missing")}, "ledgers.yaml:3:5: The ledger 'Emissions' has"),
        ({"ledgers": ("t{CO2e}", "MWh")}, "ledgers.yaml:3:5: The ledger 'Emissions' is in 'MWh'"),
        ({"emissions": ("source: standard, 4.2\n", "")}, "models/emissions.yaml:11:5: factor has a number"),
        (
            {"emissions": ("source: standard, 4.2\n", "source: standard, 4.20\n")},
            "models/emissions.yaml:11:5: factor has a number, and its source names '4.20' of standard",
        ),
        (
            {"emissions": ("energy * factor", "energy * factor * 3")},
            "models/emissions.yaml:16:5: emissions",
        ),
        ({"emissions": ("emissions: 2}", "emissions: 3}")}, "models/emissions.yaml:22:5: The case"),
        (
            {"emissions": ("fuel-bill", "fuel-bil")},
            "models/emissions.yaml:7:5: energy: ",
        ),
        ({"emissions": ("unit: MWh\n\n", "unit: kg\n\n")}, "models/emissions.yaml:"),
        ({"pages": ("# Soda ash\n\nWhat", "")}, None),
    ],
)
def test_a_flaw_has_its_place_and_a_sentence(changes, flaw):
    found = flaws_of(**{name.replace("pages", "pages.md"): change for name, change in changes.items()})

    if flaw is None:
        assert found == []
    else:
        assert any(one.startswith(flaw) for one in found), found


def test_events_that_two_models_read_are_said_to_be_reusable_or_refused():
    files = dict(write_skeleton("soda-ash"))
    files["models/again.yaml"] = files["models/emissions.yaml"]
    files["ledgers.yaml"] += '  - {name: Again, unit: "t{CO2e}", model: again}\n'
    types = files["event_types.yaml"]

    [flaw] = check(files)
    reused = types.replace(
        "    expected_locations: none", "    reusable_in_batches: true\n    expected_locations: none"
    )

    assert flaw.startswith("event_types.yaml:3:5: The models again, emissions read the same events"), flaw
    assert check(files | {"event_types.yaml": reused}) == []
    assert reused != types


def test_a_source_with_a_flaw_is_still_the_one_that_numbers_name():
    [flaw] = flaws_of(sources=("what: the factor", "what: the factor, why"))

    assert flaw == (
        "sources.yaml:8:44: Part 1 that was taken has no key 'why and how emissions follow from energy';"
        " allowed are section, what, tables."
    )


def test_ledgers_that_draw_in_a_circle_are_refused():
    files = dict(write_skeleton("soda-ash"))
    drawing = """\
name: {name}
cadence: monthly
partition_type: time
primary_output: total
nodes:
  - slug: energy
    input: {{event_type: fuel-bill, data_point_type: energy, aggregate: sum}}
    unit: MWh
  - slug: drawn
    upstream: {{ledger: {source}, amount: energy}}
    unit: MWh
  - slug: total
    formula: sum(drawn)
    unit: MWh
    output: true
cases:
  - {{name: none, source: standard, inputs: {{energy: 1, drawn: [1]}}, expect: {{total: 1}}}}
"""
    files["models/one.yaml"] = drawing.format(name="One", source="Second")
    files["models/two.yaml"] = drawing.format(name="Two", source="First")
    files["ledgers.yaml"] += (
        "  - {name: First, unit: MWh, model: one}\n  - {name: Second, unit: MWh, model: two}\n"
    )

    assert any("Ledgers draw in a circle: 'First'" in flaw for flaw in check(files)), check(files)


def test_a_file_that_is_no_text_is_named_with_its_line():
    contents = {name: text.encode() for name, text in write_skeleton("soda-ash").items()}
    contents["pages.md"] = b"# Soda\n\xff"

    found = [str(flaw) for flaw in check_package(read_package(contents)).flaws]

    assert "pages.md:2:1: The file is not UTF-8: byte 8 does not fit." in found


def test_a_constant_that_no_case_depends_on_is_a_flaw():
    margin = "  - {slug: margin, constant: 0.05, unit: t, source: 'standard, 4.2', output: true}\n\ncases:"

    [flaw] = flaws_of(emissions=("\ncases:", margin))

    assert flaw.startswith("models/emissions.yaml:20:5: No case depends on margin: ")
