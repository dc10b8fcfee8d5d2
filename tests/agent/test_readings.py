"""What becomes of a value on its way: its quality, its digits, its name."""

import struct
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.agent.configuration import MqttTopic, fits, said_of_filter
from weighbridge.agent.mqtt import MqttMessage, parse_readings
from weighbridge.agent.opcua_session import exact
from weighbridge.agent.readings import (
    ReadingError,
    RefusedReading,
    build_reference,
    has_overflowed,
    quality_of_classic,
    read_quality,
)

MOMENT = datetime(2026, 1, 5, 8, 15, 0, 250_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "quality"),
    [
        (0x00000000, "good"),
        (0x40000000, "uncertain"),
        (0x80000000, "bad"),
        (0xC0000000, "bad"),
        (0x408F0000, "uncertain"),
        (0x40900000, "uncertain"),
        (0x40910000, "substituted"),
        (0x40920000, "uncertain"),
        (0x40930000, "uncertain"),
        (0x808D0000, "bad"),
        (0x00960000, "substituted"),
        (0x40910480, "substituted"),
        (0x00000400, "good"),
        (0x00000402, "substituted"),
        (0x80000402, "bad"),
    ],
)
def test_a_status_code_of_opc_ua_says_a_quality_whatever_its_flags(status, quality):
    assert read_quality(status) == quality


@pytest.mark.parametrize(
    ("byte", "quality"),
    [(192, "good"), (0xD8, "substituted"), (0x40, "uncertain"), (0x58, "uncertain"), (0, "bad"), (24, "bad")],
)
def test_the_quality_of_opc_da_has_a_scale_of_its_own(byte, quality):
    assert quality_of_classic(byte) == quality


def test_lost_values_are_told_by_a_flag_of_the_value_alone():
    assert has_overflowed(0x00000480)
    assert not has_overflowed(0x00000080)
    assert not has_overflowed(0x00000400)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_number_of_32_bits_has_the_fewest_digits_that_come_to_the_same_bits(number):
    meant = exact(number, is_single=True)

    assert struct.pack("<f", float(meant)) == struct.pack("<f", number)
    assert len(meant.normalize().as_tuple().digits) <= 9


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-9999, max_value=9999, places=3))
def test_what_a_display_of_six_digits_shows_is_what_arrives(shown):
    short = Decimal(f"{shown:.6g}")
    (single,) = struct.unpack("<f", struct.pack("<f", float(short)))

    assert exact(single, is_single=True) == short


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_of_64_bits_is_the_same_number(number):
    assert float(exact(number, is_single=False)) == number


def test_no_number_is_no_value_and_a_list_is_refused():
    assert exact(float("nan"), is_single=False) is None
    assert exact(float("inf"), is_single=True) is None
    assert exact("  ", is_single=False) is None
    with pytest.raises(ReadingError):
        exact([1.0], is_single=False)


def test_a_name_that_would_be_too_long_keeps_its_source_and_time():
    reference = build_reference("plc", "s" * 300, MOMENT)

    assert len(reference) <= 255
    assert reference.startswith("plc/")
    assert reference.endswith("@2026-01-05T08:15:00.25Z")
    assert reference != build_reference("plc", "t" * 300, MOMENT)


@pytest.mark.parametrize(
    ("topic", "pattern", "is_among"),
    [
        ("a/b", "a/b", True),
        ("a/b", "a/+", True),
        ("a/b/c", "a/+", False),
        ("a", "a/#", True),
        ("a/b/c", "a/#", True),
        ("b", "a/#", False),
        ("a/b", "#", True),
        ("$SYS/load", "#", False),
        ("a", "a/+", False),
        ("a/", "a/+", True),
    ],
)
def test_topics_fit_filters_as_mqtt_has_it(topic, pattern, is_among):
    assert fits(topic, pattern) is is_among


@pytest.mark.parametrize("pattern", ["a/#/b", "a#", "a/b+", "#/#"])
def test_what_is_no_filter_is_told(pattern):
    assert said_of_filter(pattern)


def readings(payload, **entry):
    usual = {"topic": "t", "event_type": "scale", "time": "ts", "data_points": {"mass": "kg"}}
    message = MqttMessage("gateway", "t", payload, MOMENT)
    return [*parse_readings(message, MqttTopic(**usual | entry))]


def test_a_number_keeps_every_digit_that_the_device_sent():
    (reading,) = readings(b'{"ts": "2026-01-05T00:00:00Z", "kg": 0.1000000000000000000000001}')

    assert b'"value":0.1000000000000000000000001}' in reading.event


@pytest.mark.parametrize(
    ("form", "time", "name"),
    [
        ("iso", '"2026-01-05T01:00:00.123456+01:00"', "2026-01-05T00:00:00.123456Z"),
        ("seconds", "1767571200", "2026-01-05T00:00:00Z"),
        ("seconds", "1767571200.5", "2026-01-05T00:00:00.5Z"),
        ("milliseconds", "1767571200001", "2026-01-05T00:00:00.001Z"),
    ],
)
def test_a_device_may_write_its_time_in_three_forms(form, time, name):
    (reading,) = readings(f'{{"ts": {time}, "kg": 1}}'.encode(), time_form=form)

    assert reading.reference == f"gateway/t@{name}"


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b'{"ts": "yesterday", "kg": 1}',
        b'{"ts": "2026-01-05T00:00:00", "kg": 1}',
        b'{"ts": 1767571200, "kg": 1}',
        b'{"ts": "0001-01-01T00:00:00+10:00", "kg": 1}',
        b'{"ts": "2026-01-05T00:00:00Z", "kg": [1]}',
        b'[{"ts": "2026-01-05T00:00:00Z"}]',
        b"\xff",
    ],
)
def test_a_message_that_is_no_reading_is_refused_with_a_reason(payload):
    (refused,) = readings(payload)

    assert isinstance(refused, RefusedReading)
    assert refused.reason.endswith(".")
    assert refused.content == payload


@given(st.binary(max_size=60))
def test_nothing_that_a_device_sends_breaks_the_agent(payload):
    assert all(isinstance(one, RefusedReading) for one in readings(payload, data_points={"mass": "kg"}))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=9), st.lists))
def test_whatever_stands_at_the_place_of_a_time_a_message_is_read_or_refused(said):
    import msgspec  # noqa: PLC0415 - of this test alone

    for form in ("iso", "seconds", "milliseconds"):
        assert len(readings(msgspec.json.encode({"ts": said, "kg": 1}), time_form=form)) == 1


@pytest.mark.parametrize(
    ("form", "said", "quality"),
    [
        ("word", '"ok"', "good"),
        ("word", '"Bad"', "bad"),
        ("word", '"no idea"', "bad"),
        ("word", "null", "bad"),
        ("opcua", "1083244544", "substituted"),
        ("opcua", '"0x40910000"', "substituted"),
        ("opcua", "0", "good"),
        ("opcua", "true", "bad"),
        ("opcda", "192", "good"),
        ("opcda", "0", "bad"),
    ],
)
def test_a_message_says_its_quality_in_the_form_that_the_file_names(form, said, quality):
    (reading,) = readings(
        f'{{"ts": "2026-01-05T00:00:00Z", "kg": 1, "q": {said}}}'.encode(),
        quality="quality", quality_from="q", quality_form=form, quality_words={"ok": "good"},
    )  # fmt: skip

    assert f'{{"slug":"quality","value":"{quality}"}}'.encode() in reading.event
