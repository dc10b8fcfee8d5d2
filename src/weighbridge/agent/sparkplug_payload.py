"""Payloads of Sparkplug B 3.0: protobuf, and the exact value, time and quality of each of its metrics.

The messages are described here field by field, as chapter 6.4 of the specification numbers them; the library
of protobuf reads and writes them. Fields that are not described are passed over.
"""

import zlib
from datetime import datetime
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from weighbridge.agent.readings import (
    Measured,
    Quality,
    ReadingError,
    exact,
    moment_of,
    quality_of_classic,
)

# The messages: each field with its number, its type and, where it repeats or is a message, which.


_FIELD: Final = descriptor_pb2.FieldDescriptorProto
_TYPES: Final = {
    "u32": _FIELD.TYPE_UINT32, "u64": _FIELD.TYPE_UINT64, "float": _FIELD.TYPE_FLOAT,
    "double": _FIELD.TYPE_DOUBLE, "bool": _FIELD.TYPE_BOOL, "string": _FIELD.TYPE_STRING,
    "bytes": _FIELD.TYPE_BYTES,
}  # fmt: skip
_VALUES: Final = {"int_value": "u32", "long_value": "u64", "float_value": "float", "double_value": "double",
                  "boolean_value": "bool", "string_value": "string"}  # fmt: skip
_MESSAGES: Final[dict[str, list[tuple[int, str, str]]]] = {
    "Payload": [
        (1, "timestamp", "u64"), (2, "metrics", "*Metric"), (3, "seq", "u64"), (4, "uuid", "string"),
        (5, "body", "bytes"),
    ],
    "Metric": [
        (1, "name", "string"), (2, "alias", "u64"), (3, "timestamp", "u64"), (4, "datatype", "u32"),
        (5, "is_historical", "bool"), (7, "is_null", "bool"), (9, "properties", "Properties"),
        *((10 + place, name, kind) for place, (name, kind) in enumerate(_VALUES.items())),
        (16, "bytes_value", "bytes"), (17, "dataset_value", "bytes"), (18, "template_value", "bytes"),
    ],
    "Properties": [(1, "keys", "*string"), (2, "values", "*Property")],
    "Property": [
        (1, "type", "u32"), (2, "is_null", "bool"),
        *((3 + place, name, kind) for place, (name, kind) in enumerate(_VALUES.items())),
    ],
}  # fmt: skip


def _describe() -> Any:
    file = descriptor_pb2.FileDescriptorProto(
        name="weighbridge/sparkplug.proto", package="weighbridge.sparkplug"
    )
    for name, listed in _MESSAGES.items():
        described = file.message_type.add(name=name)
        for number, field, kind in listed:
            label = _FIELD.LABEL_REPEATED if kind.startswith("*") else _FIELD.LABEL_OPTIONAL
            own = described.field.add(name=field, number=number, label=label)
            own.type = _TYPES.get(kind.removeprefix("*"), _FIELD.TYPE_MESSAGE)
            if own.type == _FIELD.TYPE_MESSAGE:
                own.type_name = f".weighbridge.sparkplug.{kind.removeprefix('*')}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("weighbridge.sparkplug.Payload"))


_Payload: Final = _describe()

METRICS_MAX: Final = 10_000
"""Metrics of one message, at most."""


def read_payload(content: bytes) -> Any:
    """The payload of a message. Raises ReadingError."""
    payload = _parse(content)
    if payload.uuid == COMPRESSED:
        payload = _expand(payload)
    if len(payload.metrics) > METRICS_MAX:
        raise ReadingError(f"the message has {len(payload.metrics):,} metrics; allowed are {METRICS_MAX:,}.")
    return payload


def _parse(content: bytes) -> Any:
    payload = _Payload()
    try:
        payload.ParseFromString(content)
    except DecodeError:
        raise ReadingError("the message is no payload of Sparkplug B.") from None
    return payload


COMPRESSED: Final = "SPBV1.0_COMPRESSED"
"""What marks a payload whose body is another one, compressed by DEFLATE or GZIP."""

EXPANDED_BYTES_MAX: Final = 16_777_216
_EITHER_HEADER: Final = zlib.MAX_WBITS | 32


def _expand(outer: Any) -> Any:
    """The payload in a compressed one, with the number of that one; one that is compressed twice is not."""
    reader = zlib.decompressobj(_EITHER_HEADER)
    try:
        content = reader.decompress(outer.body, EXPANDED_BYTES_MAX)
    except zlib.error:
        raise ReadingError("the message is compressed otherwise than by DEFLATE or GZIP.") from None
    if reader.unconsumed_tail:
        raise ReadingError(f"the message has more than {EXPANDED_BYTES_MAX:,} bytes when it is expanded.")
    inner = _parse(content)
    if outer.HasField("seq"):
        inner.seq = outer.seq
    return inner


REBIRTH: Final = "Node Control/Rebirth"


def write_rebirth(at: datetime) -> bytes:
    """The command by which an edge node is asked for its births (6.4.29)."""
    moment = int(at.timestamp() * 1_000)
    payload = _Payload(timestamp=moment)
    payload.metrics.add(name=REBIRTH, timestamp=moment, datatype=BOOLEAN, boolean_value=True)
    return bytes(payload.SerializeToString())


# The value of a metric: integers are in two's complement of their size, DateTime is milliseconds since 1970.


FLOAT, DOUBLE, BOOLEAN, STRING, DATE_TIME, TEXT, UUID = 9, 10, 11, 12, 13, 14, 15
BITS: Final = {1: 8, 2: 16, 3: 32, 4: 64}
"""Signed integers by their type, with their bits."""

UNSIGNED: Final = frozenset({5, 6, 7, 8})
TEXTS: Final = frozenset({STRING, TEXT, UUID})
STALE: Final = 500
"""The quality of a value that is no longer kept up to date (6.4.13)."""


def read_value(metric: Any, datatype: int) -> Measured | None:
    """The exact value of a metric of a type; None where it has none. Raises ReadingError."""
    if metric.is_null or not any(metric.HasField(name) for name in _ALL_VALUES):
        return None
    whole = int(metric.long_value if metric.HasField("long_value") else metric.int_value)
    if datatype in BITS:
        value: Any = _signed(whole, BITS[datatype])
    elif datatype in UNSIGNED:
        value = whole
    elif datatype in {FLOAT, DOUBLE}:
        value = metric.float_value if datatype == FLOAT else metric.double_value
    elif datatype == BOOLEAN:
        value = bool(metric.boolean_value)
    elif datatype in TEXTS:
        value = metric.string_value
    elif datatype == DATE_TIME:
        value = moment_of_milliseconds(whole)
    else:
        raise ReadingError(f"has the type {datatype} of Sparkplug B; a reading is one number, text or truth.")
    return exact(value, is_single=datatype == FLOAT)


_ALL_VALUES: Final = (*_VALUES, "bytes_value", "dataset_value", "template_value")


def _signed(number: int, bits: int) -> int:
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def read_metric_quality(metric: Any) -> tuple[Quality, str]:
    """What a metric says of its quality, and the code; without a word of it, it is good."""
    properties = metric.properties
    for key, value in zip(properties.keys, properties.values, strict=False):
        if key.lower() == "quality":
            code = _signed(value.int_value or value.long_value, 32)
            if code == STALE:
                return Quality.BAD, "Stale 500"
            return quality_of_classic(code), f"Quality {code}"
    return Quality.GOOD, "Good"


MILLISECONDS_MAX: Final = 253_402_300_799_000
"""The end of the year 9999."""


def moment_of_milliseconds(number: int) -> datetime:
    """A time of Sparkplug. Raises ReadingError for one without a place in the calendar."""
    if number > MILLISECONDS_MAX:
        raise ReadingError(f"has the time {number}, which is none between 1970 and 9999.")
    return moment_of(number * 1_000)


def time_of(metric: Any, payload: Message, arrived_at: datetime) -> datetime:
    """When a metric was measured: its own time, that of its message, or that of its arrival."""
    for part in (metric, payload):
        if part.HasField("timestamp"):
            return moment_of_milliseconds(part.timestamp)
    return arrived_at
