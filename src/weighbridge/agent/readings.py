"""A reading: what a source reported at one moment, its quality, and the event that it becomes."""

import hashlib
import math
import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, Protocol

import msgspec

# A reading: what a source said at one moment, as the event that it becomes, and its name.
#
# Invariants: the name of a reading (its `client_reference`) follows from its source, what it is of and its
# own time, so that a repeated read gives it the same name; the digest follows from what was measured
# alone.


REFERENCE_LENGTH_MAX: Final = 255
"""Characters of a client reference, as the service takes it."""

Measured = Decimal | int | str | bool

_encode: Final = msgspec.json.Encoder(decimal_format="number").encode


class ReadingError(ValueError):
    """What came is no reading; the message goes on from what it was, and says why."""


@dataclass(frozen=True, slots=True)
class Tags:
    """What the events of a place are tagged with, by the ids of the service."""

    event_type: str
    asset_id: str | None = None
    feedstock_id: str | None = None
    locations: tuple[str, ...] = ()
    tracking_id: str | None = None


@dataclass(frozen=True, slots=True)
class AgentReading:
    """What a source said: the event as JSON, its name and time, and the digest of what was measured."""

    reference: str
    digest: bytes
    event: bytes
    time: datetime

    @property
    def variable(self) -> str:
        """What it is of: its name without its time."""
        return self.reference.removesuffix(f"@{text_of(self.time)}")


@dataclass(frozen=True, slots=True)
class RefusedReading:
    """What came and can become no event, with the reason; it is kept and shown."""

    reference: str
    reason: str
    content: bytes = field(repr=False)


def make_reading(
    reference: str,
    tags: Tags,
    time: datetime,
    values: dict[str, Measured],
    arrival: tuple[str, datetime] | None = None,
) -> AgentReading:
    """The event of values at a moment; `arrival` is the data point that says when they came, and when."""
    points = [{"slug": slug, "value": value} for slug, value in values.items()]
    event: dict[str, Any] = {
        "event_type": tags.event_type,
        "start_time": text_of(time),
        "client_reference": reference,
        "data_points": points,
    }
    for name in ("asset_id", "feedstock_id", "tracking_id"):
        if (value := getattr(tags, name)) is not None:
            event[name] = value
    if tags.locations:
        event["locations"] = [{"id": location} for location in tags.locations]
    digest = hashlib.sha256(_encode([text_of(time), points])).digest()[:16]
    if arrival is not None:
        slug, arrived_at = arrival
        points.append({"slug": slug, "value": text_of(arrived_at)})
    return AgentReading(reference, digest, _encode(event), time)


def make_measured_reading(
    reference: str,
    entry: "MeasuredPlace",
    times: tuple[datetime, datetime],
    value: Measured | None,
    said: tuple["Quality", str],
) -> AgentReading:
    """The event of one value, with its quality and with why that is so; of None, without a value.

    `times` are when it was measured, and when it came.
    """
    time, arrived_at = times
    quality, status = said
    values: dict[str, Measured] = {} if value is None else {entry.data_point: value}
    values[entry.quality] = str(quality)
    if entry.status is not None:
        values[entry.status] = status
    arrival = None if entry.arrived_at is None else (entry.arrived_at, arrived_at)
    return make_reading(reference, entry.tags, time, values, arrival)


class MeasuredPlace(Protocol):
    """An entry of the agent's file that says where one value and its quality go."""

    @property
    def data_point(self) -> str: ...
    @property
    def quality(self) -> str: ...
    @property
    def status(self) -> str | None: ...
    @property
    def arrived_at(self) -> str | None: ...
    @property
    def tags(self) -> Tags: ...


def build_reference(source: str, variable: str, time: datetime) -> str:
    """The name of a reading: `plc/ns=2;s=Kiln@2025-01-01T00:00:00Z`; a long middle becomes its SHA-256."""
    end = f"@{text_of(time)}"
    plain, short = name_variable(source, variable)
    reference = f"{plain}{end}"
    if len(reference) <= REFERENCE_LENGTH_MAX and variable.isprintable():
        return reference
    return f"{short}{end}"


def name_variable(source: str, variable: str) -> tuple[str, str]:
    """The two names by which readings of a variable begin: as it is, and by its SHA-256."""
    return f"{source}/{variable}", f"{source}/{hashlib.sha256(variable.encode()).hexdigest()}"


# Quality: what the source itself says of a value, in one of four words.
#
# OPC UA codes are those of OPC 10000-4 and 10000-8: the two highest bits of a status code are its severity,
# 00 good, 01 uncertain, 10 and 11 bad; the lower 16 bits are flags and limits, which change nothing about
# it. OPC DA, its forerunner, has another scale in one byte: 11 in the two highest bits is good there, 00
# bad.
#
# A value that was put in by hand, or that the server's historian worked out, was substituted at the source.


class Quality(StrEnum):
    """What the source says of a value."""

    GOOD = "good"
    UNCERTAIN = "uncertain"
    BAD = "bad"
    SUBSTITUTED = "substituted"


SUBSTITUTED_CODES: Final = {
    0x00960000: "GoodLocalOverride",
    0x40910000: "UncertainSubstituteValue",
}
"""OPC UA codes of values that replace measured ones; the server marks them itself."""

WAITING_CODE: Final = 0x80320000
"""BadWaitingForInitialData: the server has no value yet. It is no reading."""

_CODE: Final = 0xFFFF0000
_SEVERITY: Final = 0xC0000000
_INFO_IS_OF_VALUE: Final = 0x0400
_OVERFLOW: Final = 0x0080
_HISTORIAN: Final = 0x0003
_HISTORIAN_INTERPOLATED: Final = 0x0002

_DA_SEVERITY: Final = 0xC0
_DA_CODE: Final = 0xFC
_DA_LOCAL_OVERRIDE: Final = 0xD8
_DA_GOOD: Final = 0xC0
_DA_UNCERTAIN: Final = 0x40


def read_quality(status: int) -> Quality:
    """The quality that an OPC UA status code says."""
    if read_status_code(status) in SUBSTITUTED_CODES:
        return Quality.SUBSTITUTED
    severity = status & _SEVERITY
    if severity >= 0x80000000:
        return Quality.BAD
    if status & _INFO_IS_OF_VALUE and status & _HISTORIAN == _HISTORIAN_INTERPOLATED:
        return Quality.SUBSTITUTED
    return Quality.UNCERTAIN if severity else Quality.GOOD


def quality_of_classic(byte: int) -> Quality:
    """The quality that a byte of OPC DA says, of which 192 is good."""
    low = byte & 0xFF
    if low & _DA_CODE == _DA_LOCAL_OVERRIDE:
        return Quality.SUBSTITUTED
    severity = low & _DA_SEVERITY
    if severity == _DA_GOOD:
        return Quality.GOOD
    return Quality.UNCERTAIN if severity == _DA_UNCERTAIN else Quality.BAD


def read_status_code(status: int) -> int:
    """The code itself, without flags and limits."""
    return status & _CODE


def has_overflowed(status: int) -> bool:
    """Whether the server says that it has lost values between this one and the one before."""
    return bool(status & _INFO_IS_OF_VALUE and status & _OVERFLOW)


# Values of sources as the exact values that the service keeps.
#
# A float has 32 bits or 64; the digits that were meant are the fewest that come to the same bits again, so
# 21.1 of 32 bits is 21.1 and not 21.100000381469727.


FLOAT_DIGITS: Final = 9
"""Digits that distinguish any two numbers of 32 bits."""


def exact(value: Any, *, is_single: bool) -> Measured | None:
    """The value as it was meant; None where there is none, and for what is no number (NaN, infinity).

    `is_single` says that it came as 32 bits. Raises ReadingError for lists and structures.
    """
    match value:
        case None:
            return None
        case bool() | int() | Decimal():
            return value
        case float():
            return _convert_binary(value, is_single=is_single) if math.isfinite(value) else None
        case str():
            return value if value.strip() else None
        case datetime():
            return text_of(value)
    raise ReadingError(f"is of the type {type(value).__name__}; a reading is one number, text or truth.")


def _convert_binary(value: float, *, is_single: bool) -> Decimal:
    if not is_single:
        return Decimal(repr(value))
    bits = struct.pack("<f", value)
    for digits in range(1, FLOAT_DIGITS):
        text = f"{value:.{digits}g}"
        if _pack(text) == bits:
            return Decimal(text)
    return Decimal(f"{value:.{FLOAT_DIGITS}g}")


def _pack(text: str) -> bytes:
    try:
        return struct.pack("<f", float(text))
    except OverflowError:  # rounded up, the largest numbers of 32 bits have no place among them
        return b""


# The agent's clock: the one place where the agent asks what time it is.
#
# The machine's clock dates what arrives; it never dates a reading that has a time of its own.


_MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> datetime:
    """What this machine holds for the time, in UTC."""
    return datetime.now(UTC)


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(number: int) -> datetime:
    """The moment so many microseconds after 1970."""
    return _EPOCH + number * _MICROSECOND


def text_of(moment: datetime) -> str:
    """A moment in UTC with every digit that it has: `2025-01-01T00:00:00Z`, `2025-01-01T00:00:00.25Z`."""
    utc = moment.astimezone(UTC)
    fraction = f".{utc.microsecond:06}".rstrip("0") if utc.microsecond else ""
    return f"{utc:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + f"{fraction}Z"
