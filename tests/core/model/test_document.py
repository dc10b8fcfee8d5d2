"""Reading the YAML of a model document: exact, without surprises, and never more than data."""

import contextlib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.model.documents import document, flaws, model

from weighbridge.core.model import ModelError
from weighbridge.core.model.definition import FLAWS_MAX, Scalar, SourceListing, SourceMapping
from weighbridge.core.model.parsing import NODE_KEYS
from weighbridge.modelling.documents import DEPTH_MAX, check_document, read_source
from weighbridge.modelling.records import DOCUMENT_LENGTH_MAX

RESULT = "- {slug: result, constant: 0.1, unit: t}"


def value_of(written):
    source = read_source(f"key: {written}")
    assert isinstance(source, SourceMapping)
    found = source.get("key")
    assert isinstance(found, Scalar)
    return found.value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0.1", Decimal("0.1")),
        ("1.10", Decimal("1.10")),
        ("-5", Decimal(-5)),
        ("1e-3", Decimal("0.001")),
        ("0.1234567890123456789012345678901234", Decimal("0.1234567890123456789012345678901234")),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("off", "off"),
        ("NO", "NO"),
        ("012", "012"),
        ("0o14", "0o14"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2025-01-01", "2025-01-01"),
        (".inf", ".inf"),
        ("'1'", "1"),
        ('"true"', "true"),
    ],
)
def test_a_scalar_is_what_json_would_make_of_it(written, value):
    assert value_of(written) == value
    assert type(value_of(written)) is type(value)


def test_the_key_on_of_a_join_is_a_word():
    source = read_source("join: {to: wet_mass, on: tracking_id}")

    assert isinstance(source, SourceMapping)
    join = source.get("join")
    assert isinstance(join, SourceMapping)
    assert [entry.key for entry in join.entries] == ["to", "on"]


def test_a_constant_keeps_every_digit():
    assert model(RESULT).node("result").body.value == Decimal("0.1")


def test_every_part_knows_its_line_and_column():
    source = read_source("a:\n  - 1\n  -   two\n")

    assert isinstance(source, SourceMapping)
    items = source.get("a")
    assert isinstance(items, SourceListing)
    assert [(item.mark.line, item.mark.column) for item in items.items] == [(2, 5), (3, 7)]


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("", "1:1 The document is empty."),
        ("# nothing\n", "2:1 The document is empty."),
        ("a: 1\nb: 2\na: 3\n", "3:1 The key 'a' stands twice in one mapping."),
        ("a: &x 1\n", "1:4 Anchors (&name) and aliases (*name) are not part of a model document."),
        ("a: *x\n", "1:4 Anchors (&name) and aliases (*name) are not part of a model document."),
        ("a: !!python/object:os.system x\n", "1:4 Tags (!name) are not part of a model document."),
        ("a: !!float 1\n", "1:4 Tags (!name) are not part of a model document."),
        ("? [a]\n: 1\n", "1:3 A key is one word or text."),
        ("a: 1\n---\nb: 2\n", "2:1 A file holds one model document; here begins a second."),
        ("[" * (DEPTH_MAX + 1), f"1:{DEPTH_MAX + 1} Lists and mappings are nested deeper than {DEPTH_MAX}."),
        ("- 1\n", "1:1 A model document is a mapping with the keys name, about, cadence, partition_type,"),
        ("just text", "1:1 A model document is a mapping with the keys"),
    ],
)
def test_what_is_not_plain_yaml_is_refused_with_its_place(text, flaw):
    (found,) = flaws(text)

    assert found.startswith(flaw)


@pytest.mark.parametrize(
    ("text", "start", "reason"),
    [
        ("a: [1, 2\n", "2:1 ", "The document is no YAML"),
        ("unit: %\n", "1:7 ", "A text that begins with %, @ or ` stands in quotes."),
        ("a: 'open\n", "2:1 ", "The document is no YAML"),
        ("a: b: c\n", "1:5 ", "The document is no YAML"),
        ("a: \x00\n", "1:", "The document is no YAML"),
        ("a: \ud800\n", "1:1 ", "half of a character"),
        ("\ta: 1\n", "1:1 ", "The document is no YAML"),
    ],
)
def test_what_is_no_yaml_is_refused_with_its_place(text, start, reason):
    (found,) = flaws(text)

    assert found.startswith(start)
    assert reason in found


def test_a_bomb_of_aliases_is_refused_before_it_goes_off():
    text = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a]\n" for n in range(50))

    assert flaws(text) == ["1:4 Anchors (&name) and aliases (*name) are not part of a model document."]


def test_a_document_is_bounded_in_length():
    (found,) = flaws("#" * (DOCUMENT_LENGTH_MAX + 1))

    assert found.endswith(
        f"A model document has at most {DOCUMENT_LENGTH_MAX} characters; "
        f"this one has {DOCUMENT_LENGTH_MAX + 1}."
    )


@given(st.text(max_size=60) | st.text(alphabet="a:-[]{}&*!?|>'\"%@ \n#,0.", max_size=40))
def test_any_text_is_a_source_or_refused(text):
    with contextlib.suppress(ModelError):
        read_source(text)


def test_a_report_says_all_at_once():
    report = check_document(document("- {slug: result, constant: x, unit: flibber, colour: red}"))

    assert not report.is_valid
    assert not report.is_passed
    assert [flaw.message for flaw in report.flaws] == [
        "The constant of result must be a decimal number, without quotes; here is the text 'x'.",
        "The unit of result: 'flibber' is not a known unit.",
        f"result has no key 'colour'; allowed are {', '.join(NODE_KEYS)}.",
    ]


def test_a_flaw_becomes_a_problem_of_the_field_that_carries_the_document():
    report = check_document(document("- {slug: result, constant: 1, unit: flibber}"))

    problem = report.flaws[0].problem("model.yaml")

    assert problem.message == "At line 6, column 39: The unit of result: 'flibber' is not a known unit."
    assert (problem.field, problem.code) == ("model.yaml", "unit")


def test_a_document_with_very_many_flaws_is_answered_with_the_first_hundred():
    keys = "\n".join(f"  key_{index}: 1" for index in range(5_000))
    names = " + ".join(f"name_{index}" for index in range(60))

    assert len(flaws(f"name: Test\n{keys.replace('  ', '')}\n")) == FLAWS_MAX
    nodes = "\n".join(f"- {{slug: n{index}, unit: t, formula: {names}}}" for index in range(400))
    assert len(flaws(document(f"{RESULT}\n{nodes}"))) == FLAWS_MAX
