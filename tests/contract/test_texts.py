"""Design, section 1: a captured value is kept as it came; a text comes back character by character."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import collection as given_a

from weighbridge.core.identity import find_unseen_character

NASTY = [
    "NULL", "null", "\\N", "\\.", "\\", "\\\\", "a\\tb", "a\tb", "a\nb", "a\r\nb", "\rx", '"', '""', "'",
    "''", "{}", "{", "}",
    "{NULL}", '{"a","b"}', ",", "a,b", ";", "$1", "%s", "%(x)s", "%%", " lead", "trail ", "\u00a0x",
    "x\u2028y", "\x01\x7f\x08\x0b\x0c",
    "ünïcödé", "木材", "👩‍🌾", "e\u0301", "\ufeffx", "\uffff", "𐍈", "-- ", "/* */", "t", "f", "1", "0.10",
    "true", "\\x41", "\\u0041", "\\n",
]  # fmt: skip


@pytest.fixture
def project(api):
    """A project whose deliveries have a note and another text beside it."""
    return given_a.measuring(api, given_a.text("note"), given_a.text("other"), given_a.number("mass"))


def test_texts_that_look_like_syntax_come_back_as_they_were_sent(api, project):
    bodies = [
        given_a.event_body(
            values={"note": text, "mass": 1},
            notes=text,
            client_reference=f"{index}{_seen(text)}",
            tracking_id=f"x{_seen(text)}",
        )
        for index, text in enumerate(NASTY)
    ]  # fmt: skip
    receipts = given_a.events(api, project, bodies)

    for receipt, body, text in zip(receipts, bodies, NASTY, strict=True):
        event = api.get(f"/projects/{project['id']}/events/{receipt['id']}").expect(200).body
        assert [point["value"] for point in event["data_points"]] == [text, 1]
        for field in ("notes", "client_reference", "tracking_id"):
            assert event[field] == body[field]


def test_a_reference_with_a_character_that_is_not_seen_is_refused(api, project):
    unseen = [text for text in NASTY if find_unseen_character(text)]
    assert len(unseen) > 5

    for text in unseen:
        for field in ("client_reference", "tracking_id"):
            body = given_a.event_body(values={"mass": 1}, **{field: f"x{text}"})
            error = api.post(f"/projects/{project['id']}/events", {"event": body}).expect(422).error
            assert (error["field"], "is not seen" in error["message"]) == (field, True)


def _seen(text):
    """The text without what names and references may not hold."""
    while unseen := find_unseen_character(text):
        text = text.replace(chr(int(f"0x{unseen[2:]}", 0)), "")
    return text


def test_the_word_null_is_a_text_and_not_a_missing_value(api, project, sql):
    given_a.event(api, project, values={"note": "NULL", "mass": 1})

    [(note, other)] = sql(
        "SELECT texts[1], texts[2] FROM events WHERE project_id = %s", project["numeric_id"]
    )

    assert (note, other) == ("NULL", None)


def test_names_come_back_as_they_were_sent(api, project):
    names = [name.strip() for name in map(_seen, NASTY) if name.strip()]

    for name in dict.fromkeys(names):
        made = (
            api.post(f"/projects/{project['id']}/feedstocks", {"feedstock": {"name": name}}).expect(201).body
        )
        assert made["name"] == name


texts = st.text(
    st.one_of(
        st.sampled_from('\\"{},\t\n\r\'NULLtf.x%$ \x01\x7f\u2028'),
        st.characters(codec="utf-8", exclude_characters="\0"),
    ),
    min_size=1,
    max_size=60,
).filter(str.strip)  # fmt: skip


@settings(
    max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(values=st.lists(texts, min_size=1, max_size=40))
def test_any_texts_come_back_equal(api, project, values):
    bodies = [
        given_a.event_body(values={"note": text, "other": text[::-1], "mass": 1}, notes=text)
        for text in values
    ]
    receipts = given_a.events(api, project, bodies)

    for receipt, text in list(zip(receipts, values, strict=True))[:5]:
        event = api.get(f"/projects/{project['id']}/events/{receipt['id']}").expect(200).body
        assert [point["value"] for point in event["data_points"]] == [text, text[::-1], 1]
        assert event["notes"] == text
