"""A reading: what a source said at one moment, as the event that it becomes, and its name.

Invariants: the name of a reading (its `client_reference`) follows from its source, what it is of and its own
time, so whoever reads it again gives it the same name; the digest follows from what was measured alone.
"""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge.agent.clock import text_of

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
    """What a source said: the event as JSON, its name, and the digest of what was measured."""

    reference: str
    digest: bytes
    event: bytes


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
        event["locations"] = [{"id": one} for one in tags.locations]
    digest = hashlib.sha256(_encode([text_of(time), points])).digest()[:16]
    if arrival is not None:
        slug, arrived_at = arrival
        points.append({"slug": slug, "value": text_of(arrived_at)})
    return AgentReading(reference, digest, _encode(event))


def reference_of(source: str, what: str, time: datetime) -> str:
    """The name of a reading: `plc/ns=2;s=Kiln@2025-01-01T00:00:00Z`; a long middle becomes its SHA-256."""
    end = f"@{text_of(time)}"
    reference = f"{source}/{what}{end}"
    if len(reference) <= REFERENCE_LENGTH_MAX and what.isprintable():
        return reference
    return f"{source}/{hashlib.sha256(what.encode()).hexdigest()}{end}"
