"""The limits of the OpenAPI document are those of the service: one step beyond each is refused by field.

The places are those of every body; what a text, a number or a list may be stands in the document alone, which
is made of the constants that the code refuses by.
"""

from typing import Any

from tests.contract.test_bad_input import JUDGED, Place, made_of, named, places, schema_at
from tests.contract.test_bad_input import send as send  # noqa: PLC0414 - a fixture
from tests.contract.test_bad_input import world as world  # noqa: PLC0414 - a fixture
from tests.given.cases import tried_together
from tests.given.requests import DOCUMENT, is_id

from weighbridge.core.rule.substitution.definition import METHODS_MAX, TIERS_MAX

STRANGE = "Not any of these: ?"

UNBOUNDED = {
    ("suggest_columns", ("header", "[]")),
}
"""Texts whose length the body alone bounds."""


def texts_with(*words: str) -> list[Place]:
    return [
        place
        for place in places("string")
        if place not in JUDGED and set(words) & set(schema_at(*place)) and not schema_at(*place).get("enum")
    ]


def numbers_with(word: str) -> list[Place]:
    return [place for place in places("integer") if word in schema_at(*place) and not is_id(place[1][-1])]


def lists_of_texts() -> list[Place]:
    """Lists of texts, such as ids, that tell how many they take."""
    found = [place for place in places("array") if "maxItems" in schema_at(*place)]
    return [place for place in found if "string" in spelled(schema_at(*place)["items"])]


def spelled(items: dict[str, Any]) -> str:
    return str(items.get("type", items.get("anyOf")))


def beyond(schema: dict[str, Any]) -> list[str]:
    """Texts that the schema does not take, by one character each."""
    found = [] if "maxLength" not in schema else ["x" * (schema["maxLength"] + 1)]
    found += [""] if schema.get("minLength") else []
    return found + ([STRANGE] if "pattern" in schema else [])


def test_every_text_of_every_body_has_a_form_or_a_length():
    forms = {"maxLength", "enum", "pattern", "format"}
    without = {place for place in places("string") if not forms & set(schema_at(*place))}

    assert without <= UNBOUNDED


@tried_together(("name", "way"), texts_with("maxLength", "minLength", "pattern"))
def test_a_text_beyond_what_the_document_says_is_refused_by_field(send, world, name, way):
    for text in beyond(schema_at(name, way)):
        answer = send(name, made_of(world, name, way, text))

        assert answer.status == 404 or named(answer, way), text[:20]


@tried_together(("name", "way"), numbers_with("minimum"))
def test_a_number_below_what_the_document_says_is_refused_by_field(send, world, name, way):
    least = schema_at(name, way)["minimum"]

    answer = send(name, made_of(world, name, way, least - 1))

    assert answer.status == 404 or named(answer, way)


@tried_together(("name", "way"), numbers_with("maximum"))
def test_a_number_above_what_the_document_says_is_refused_by_field(send, world, name, way):
    most = schema_at(name, way)["maximum"]

    answer = send(name, made_of(world, name, way, most + 1))

    assert answer.status == 404 or named(answer, way)


@tried_together(("name", "way"), lists_of_texts())
def test_a_list_longer_than_what_the_document_says_is_refused_by_field(send, world, name, way):
    body = around = made_of(world, name, way, "0")
    for key in way[:-1]:
        around = around[0 if key == "[]" else key]
    around[way[-1]] = [str(number) for number in range(schema_at(name, way)["maxItems"] + 1)]

    answer = send(name, body)

    assert answer.status == 404 or named(answer, way)["field"].endswith(way[-1]), answer.text[:200]


def test_lists_whose_length_a_rule_refuses_tell_it():
    schemas = DOCUMENT["components"]["schemas"]
    told = {
        (record, name): option["maxItems"]
        for record, schema in schemas.items()
        for name, field in schema["properties"].items()
        for option in (field, *field.get("anyOf", ()))
        if "maxItems" in option
    }

    assert (
        told.items()
        >= {
            ("GapCorrection", "tiers"): TIERS_MAX,
            ("GapCorrection", "methods"): METHODS_MAX,
            ("FillingTier", "methods"): METHODS_MAX,
        }.items()
    )
