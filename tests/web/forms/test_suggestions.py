"""A field of a unit, a time zone or a cadence says what it means, or what may be meant."""

from datetime import UTC, datetime

import pytest
from tests.given.people import visitor

from weighbridge.core.time.calendar import Instant
from weighbridge.web.display.figures import TimeFormat
from weighbridge.web.forms.suggestions import suggest_cadence, suggest_time_zone, suggest_unit

NOW = TimeFormat("UTC", Instant.of(datetime(2026, 3, 29, 12, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("typed", "words", "offered"),
    [
        ("t", "", ()),
        ("tonnes", "The same as t.", ("t",)),
        ("m3", "The same as m³.", ("m^3",)),
        ("mt", "The same as kg.", ("kg",)),
        ("lb", "1 lb = 0.00045359237 t.", ()),
        ("kg{CO2e}/MWh", "1 kg CO₂e/MWh = 0.001 kg CO₂e/kWh.", ()),
        ("kwh", "'kwh' is not a known unit; write 'kWh' if that is meant.", ("kWh",)),
    ],
)
def test_a_unit_is_said_by_one_that_people_know(typed, words, offered):
    said = suggest_unit(typed)

    assert (said.words, said.offered) == (words, offered)


@pytest.mark.parametrize(("typed", "offered"), [("t co2e", "t{CO2e}"), ("cubic metres", "m^3")])
def test_units_in_words_are_offered_as_symbols(typed, offered):
    assert suggest_unit(typed).is_wrong
    assert suggest_unit(typed).offered == (offered,)


def test_tagged_units_and_temperatures_are_not_said_by_those_that_they_do_not_mix_with():
    assert suggest_unit("kg{wet}").words == ""
    assert suggest_unit("degF").words == ""


def test_a_zone_says_what_time_it_is_there():
    assert suggest_time_zone("Europe/Berlin", NOW).words == "It is 29 Mar 2026, 14:00 there."


@pytest.mark.parametrize(
    ("typed", "first"),
    [("berlin", "Europe/Berlin"), ("new york", "America/New_York"), ("Kolkatta", "Asia/Kolkata"), ("?", "")],
)
def test_a_zone_is_found_by_its_place(typed, first):
    said = suggest_time_zone(typed, NOW)

    assert said.is_wrong
    assert next(iter(said.offered), "") == first


@pytest.mark.parametrize(
    ("amount", "unit", "words"),
    [
        ("15", "minute", "96 expected a day."),
        ("7", "hour", "about 3 expected a day."),
        ("1", "week", "about 52 expected a year."),
        ("1", "month", ""),
        ("0", "hour", "A cadence is a whole number of units, such as 15 minutes."),
        ("1.5", "hour", "A cadence is a whole number of units, such as 15 minutes."),
        ("9" * 5_000, "minute", "about 0 expected a year."),
    ],
)
def test_a_cadence_says_how_much_it_expects(amount, unit, words):
    assert suggest_cadence(amount, unit).words == words


def test_what_was_typed_is_text_on_the_page(account):
    shown = visitor(account).get("/suggestions?kind=unit&text=%3Cb%3E").expect(200).text

    assert "<b>" not in shown
    assert "&lt;b&gt;" in shown


def test_long_texts_and_unknown_kinds_are_answered_shortly(account):
    reader = visitor(account)

    for query in ("kind=time_zone&text=" + "a" * 5_000, "kind=unit&text=" + "t" * 5_000, "kind=nobody"):
        assert len(reader.get(f"/suggestions?{query}").expect(200).text) < 400
