"""What a server gives, as readings: the value, its own time, and what the server says of its quality."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from asyncua import ua
from asyncua.ua.status_codes import get_name_and_doc

from weighbridge.agent.configuration.records import OpcUaNode
from weighbridge.agent.opcua.connection import in_utc
from weighbridge.agent.opcua.value import exact
from weighbridge.agent.quality import WAITING_CODE, Quality, code_of, quality_of
from weighbridge.agent.reading import (
    AgentReading,
    Measured,
    ReadingError,
    RefusedReading,
    Tags,
    make_reading,
    reference_of,
)

_GOOD: Final = 0


@dataclass(frozen=True, slots=True)
class VariableValue:
    """A value of a variable as the server gave it, live or from its history."""

    node: OpcUaNode
    value: Any
    is_single: bool
    status: int
    time: datetime
    """The source's own time, or the server's where the source has none."""
    arrived_at: datetime

    @property
    def known_up_to(self) -> datetime:
        """Up to when the variable is known by this value; a clock that is ahead knows no future."""
        return min(self.time, self.arrived_at)


def value_of(node: OpcUaNode, data: ua.DataValue, arrived_at: datetime) -> VariableValue | None:
    """What the server gave; None where it only says that it has no value yet."""
    status = _GOOD if data.StatusCode is None else int(data.StatusCode.value)
    if code_of(status) == WAITING_CODE:
        return None
    variant = data.Value
    value = None if variant is None else variant.Value
    time = data.SourceTimestamp or data.ServerTimestamp
    return VariableValue(
        node,
        value,
        variant is not None and variant.VariantType is ua.VariantType.Float,
        status,
        arrived_at if time is None else in_utc(time),
        arrived_at,
    )


def reading_of(source: str, given: VariableValue) -> AgentReading | RefusedReading:
    """The event of a value.

    With a bad status the value is left out, as OPC 10000-4, 7.7.1 has it: it is to be ignored, and most
    servers send none. A number that is none (NaN) has no value, and is bad whatever the server says.
    """
    node = given.node
    reference = reference_of(source, node.node, given.time)
    try:
        value = exact(given.value, is_single=given.is_single)
    except ReadingError as error:
        return RefusedReading(reference, f"The value of {node.node} {error}", repr(given.value).encode())
    quality = quality_of(given.status)
    if quality is Quality.BAD:
        value = None
    elif value is None:
        quality = Quality.BAD
    values: dict[str, Measured] = {} if value is None else {node.data_point: value}
    values[node.quality] = str(quality)
    if node.status is not None:
        values[node.status] = said_of(given.status)
    tags = Tags(node.event_type, node.asset_id, node.feedstock_id, tuple(node.locations), node.tracking_id)
    arrival = None if node.arrived_at is None else (node.arrived_at, given.arrived_at)
    return make_reading(reference, tags, given.time, values, arrival)


def said_of(status: int) -> str:
    """A status code by its name and number: `BadOutOfService 0x808D0000`."""
    code = code_of(status)
    name, _ = get_name_and_doc(code)
    return f"{name} 0x{code:08X}"
