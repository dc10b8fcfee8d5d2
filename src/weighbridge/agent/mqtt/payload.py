"""Readings of a message: its values by their paths, in the device's own time.

A path is names and places, `sensor.values[0].v`; one that leads nowhere gives no value, and the event is
incomplete, as it is for any other value that is missing. A message without its time is no reading.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

from weighbridge.agent.clock import microseconds, moment_of
from weighbridge.agent.configuration.meaning import ARRIVAL
from weighbridge.agent.configuration.records import MqttTopic
from weighbridge.agent.quality import Quality, quality_of, quality_of_classic
from weighbridge.agent.reading import (
    AgentReading,
    Measured,
    ReadingError,
    RefusedReading,
    Tags,
    make_reading,
    reference_of,
)
from weighbridge.core.quantity.number import shorten

ITEMS_MAX: Final = 10_000
"""Readings of one message, at most."""

_STEP: Final = re.compile(r"\[(\d{1,6})\]|\.?([^.\[\]]+)")
_HEXADECIMAL: Final = re.compile(r"0[xX][0-9a-fA-F]{1,8}")
_YEAR_MAX: Final = 9_999
_decode: Final = msgspec.json.Decoder(float_hook=Decimal).decode
_TRUTHS: Final = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}


@dataclass(frozen=True, slots=True)
class MqttMessage:
    """A message as it came."""

    source: str
    topic: str
    payload: bytes
    arrived_at: datetime


def readings_of(message: MqttMessage, entry: MqttTopic) -> Iterator[AgentReading | RefusedReading]:
    """Every reading of a message, or why it is none."""
    try:
        items = _items(message, entry)
    except ReadingError as error:
        yield _refused(message, str(error))
        return
    for item in items:
        try:
            yield _reading(message, entry, item)
        except ReadingError as error:
            yield _refused(message, str(error))


def _items(message: MqttMessage, entry: MqttTopic) -> list[Any]:
    try:
        if entry.payload == "plain":
            return [message.payload.decode()]
        content = _decode(message.payload)
    except UnicodeDecodeError:
        raise ReadingError("the message is no text in UTF-8.") from None
    except msgspec.DecodeError as error:
        raise ReadingError(f"the message is no JSON: {error}.") from None
    if entry.each is None:
        return [content]
    listed = _at(content, entry.each)
    if not isinstance(listed, list):
        raise ReadingError(f"the message has no list at {entry.each}.")
    if len(listed) > ITEMS_MAX:
        raise ReadingError(f"the message has {len(listed):,} readings; allowed are {ITEMS_MAX:,}.")
    return listed


def _reading(message: MqttMessage, entry: MqttTopic, item: Any) -> AgentReading:
    time = message.arrived_at if entry.time == ARRIVAL else _time(_at(item, entry.time), entry)
    what = message.topic
    if entry.key is not None:
        key = _at(item, entry.key)
        if not isinstance(key, str | int) or isinstance(key, bool):
            raise ReadingError(f"the message has no text or whole number at {entry.key}.")
        what = f"{what}/{key}"
    tags = Tags(
        entry.event_type, entry.asset_id, entry.feedstock_id, tuple(entry.locations), entry.tracking_id
    )
    arrival = None if entry.arrived_at is None else (entry.arrived_at, message.arrived_at)
    reference = reference_of(message.source, what, time)
    return make_reading(reference, tags, time, _values(entry, item), arrival)


def _values(entry: MqttTopic, item: Any) -> dict[str, Measured]:
    values: dict[str, Measured] = {}
    if entry.data_point is not None:
        values[entry.data_point] = _plain(item, entry.value_type)
    for slug, path in entry.data_points.items():
        value = _at(item, path)
        if isinstance(value, list | dict):
            raise ReadingError(f"what the message has at {path} is no single value.")
        if value is not None and not (isinstance(value, str) and not value.strip()):
            values[slug] = value
    if entry.quality is not None and entry.quality_from is not None:
        values[entry.quality] = str(_quality(_at(item, entry.quality_from), entry))
    return values


def _plain(text: str, value_type: str) -> Measured:
    """The value of a text that is nothing else."""
    said = text.strip()
    if value_type == "string" and said:
        return said
    if value_type == "boolean" and said.lower() in _TRUTHS:
        return _TRUTHS[said.lower()]
    if value_type == "number":
        try:
            number = Decimal(said)
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite() and said.isascii():
            return number
    raise ReadingError(f"the message is {shorten(text)!r}; it takes a {value_type}.")


def _quality(said: Any, entry: MqttTopic) -> Quality:
    """What a message says of the quality; what is not understood is bad, and so is nothing."""
    if entry.quality_form == "word":
        word = str(said)
        if word in entry.quality_words:
            return entry.quality_words[word]
        return Quality(word.lower()) if word.lower() in {*Quality} else Quality.BAD
    if isinstance(said, str):
        said = int(said, 16) if _HEXADECIMAL.fullmatch(said) else _whole(said)
    if not isinstance(said, int) or isinstance(said, bool) or said < 0:
        return Quality.BAD
    return quality_of(said) if entry.quality_form == "opcua" else quality_of_classic(said)


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 10 else None


def _time(said: Any, entry: MqttTopic) -> datetime:
    """The device's time, to the microsecond."""
    where = f"what the message has at {entry.time}, {shorten(str(said))!r},"
    if entry.time_form == "iso":
        return _iso_time(said, where)
    if isinstance(said, bool) or not isinstance(said, int | Decimal):
        raise ReadingError(f"{where} is no number of {entry.time_form} since 1970.")
    scale = 1_000_000 if entry.time_form == "seconds" else 1_000
    number = int(Decimal(said) * scale)
    if not 0 <= number < microseconds(datetime.fromisoformat("9999-01-01T00:00:00Z")):
        raise ReadingError(f"{where} is no time between 1970 and {_YEAR_MAX}.")
    return moment_of(number)


def _iso_time(said: Any, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(said if isinstance(said, str) else "")
    except ValueError:
        raise ReadingError(f"{where} is no time in ISO 8601.") from None
    if moment.tzinfo is None:
        raise ReadingError(f"{where} is a time without an offset, which names no moment.")
    try:
        return moment_of(microseconds(moment))
    except OverflowError:
        raise ReadingError(f"{where} has no place in the calendar.") from None


def _at(content: Any, path: str) -> Any:
    """What stands at a path; None where it leads nowhere."""
    for step in _STEP.finditer(path):
        place, name = step.groups()
        if place is not None:
            content = content[int(place)] if isinstance(content, list) and int(place) < len(content) else None
        else:
            content = content.get(name) if isinstance(content, dict) else None
    return content


def _refused(message: MqttMessage, reason: str) -> RefusedReading:
    what = reference_of(message.source, message.topic, message.arrived_at)
    return RefusedReading(what, reason[0].upper() + reason[1:], message.payload)
