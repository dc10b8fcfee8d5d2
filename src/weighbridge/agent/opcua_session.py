"""The session with an OPC UA server: certificates, its clock, its history, and its values as the exact
ones that the service keeps.
"""

import math
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from asyncua import ua
from asyncua.client.client import Client
from asyncua.crypto import security_policies
from asyncua.crypto.uacrypto import CertProperties
from asyncua.ua.object_ids import ObjectIds
from asyncua.ua.status_codes import StatusCodes, get_name_and_doc
from asyncua.ua.uaerrors import UaError, UaStatusCodeError
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
    load_pem_private_key,
)

from weighbridge.agent.configuration import (
    OpcUaNode,
    OpcUaSecurity,
    OpcUaServer,
    content_of,
    is_pem,
    read_password,
    unreadable,
)
from weighbridge.agent.readings import (
    WAITING_CODE,
    AgentReading,
    Measured,
    Quality,
    ReadingError,
    RefusedReading,
    Tags,
    build_reference,
    make_reading,
    now,
    read_quality,
    read_status_code,
    text_of,
)

# The session with an OPC UA server, and what it says of its own clock.


ANSWER_SECONDS: Final = 10.0
"""How long one answer of a server may take."""

FAILURES: Final = (OSError, UaError, TimeoutError)
"""What the library raises when a server is away, or refuses."""


@asynccontextmanager
async def open_session(server: OpcUaServer) -> AsyncIterator[Client]:
    """An open session. Raises one of FAILURES, or Refusal for a password or a certificate."""
    client = Client(server.url, timeout=ANSWER_SECONDS)
    client.name = client.description = "Weighbridge agent"
    if server.username is not None:
        client.set_user(server.username)
        client.set_password(read_password(server) or "")
    if (security := server.security) is not None:
        certificate, key, certificate_of_server = identities(server, security)
        client.application_uri = security.application_uri
        await client.set_security(
            getattr(security_policies, f"SecurityPolicy{security.policy}"),
            certificate,
            key,
            server_certificate=certificate_of_server,
            mode=ua.MessageSecurityMode[security.mode],
        )
    await client.connect()
    try:
        yield client
    finally:
        with suppress(*FAILURES):
            await client.disconnect()


async def clock_offset(client: Client) -> timedelta:
    """How far this machine's clock is ahead of the server's, as exact as half the way to it and back."""
    asked_at = now()
    current: datetime = await client.get_node(ObjectIds.Server_ServerStatus_CurrentTime).read_value()
    answered_at = now()
    return asked_at + (answered_at - asked_at) / 2 - to_utc(current)


def to_utc(moment: datetime) -> datetime:
    """A time of OPC UA, which is UTC whether the library says so or not."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


# The certificates of the agent and a server and the agent's key, read and put as the library takes them.
#
# Invariant: a key that does not belong to its certificate is refused before anything is sent.


Identities = tuple[CertProperties, CertProperties, CertProperties]


def identities(server: OpcUaServer, security: OpcUaSecurity) -> Identities:
    """The agent's certificate and key, and the server's certificate. Raises Refusal."""
    setting = f"security.private_key of the source {server.name}"
    own_certificate = _certificate(server, security, "certificate")
    key = _key(security, setting)
    if key.public_key() != own_certificate.public_key():
        why = f"it is not the key of the certificate {security.certificate}"
        raise unreadable(security.private_key, setting, why)
    of_server = _certificate(server, security, "server_certificate")
    in_der = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return _encode_der(own_certificate), CertProperties(in_der, "der"), _encode_der(of_server)


def _encode_der(certificate: x509.Certificate) -> CertProperties:
    return CertProperties(certificate.public_bytes(Encoding.DER), "der")


def _certificate(server: OpcUaServer, security: OpcUaSecurity, field: str) -> x509.Certificate:
    path, setting = getattr(security, field), f"security.{field} of the source {server.name}"
    content = content_of(path, setting)
    load = x509.load_pem_x509_certificate if is_pem(content) else x509.load_der_x509_certificate
    try:
        return load(content)
    except ValueError as error:
        raise unreadable(path, setting, f"it holds no certificate in PEM or DER ({error})") from None


def _key(security: OpcUaSecurity, setting: str) -> RSAPrivateKey:
    content = content_of(security.private_key, setting)
    load = load_pem_private_key if is_pem(content) else load_der_private_key
    try:
        key = load(content, None)
    except TypeError:
        raise unreadable(security.private_key, setting, "it is locked with a password") from None
    except ValueError as error:
        raise unreadable(security.private_key, setting, f"it holds no key in PEM or DER ({error})") from None
    if not isinstance(key, RSAPrivateKey):
        raise unreadable(security.private_key, setting, "its key is not an RSA key, which OPC UA takes")
    return key


# What a server gives, as readings: the value, its own time, and what the server says of its quality.


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


def convert_value(node: OpcUaNode, data: ua.DataValue, arrived_at: datetime) -> VariableValue | None:
    """What the server gave; None where it only says that it has no value yet."""
    status = _GOOD if data.StatusCode is None else int(data.StatusCode.value)
    if read_status_code(status) == WAITING_CODE:
        return None
    variant = data.Value
    value = None if variant is None else variant.Value
    time = data.SourceTimestamp or data.ServerTimestamp
    return VariableValue(
        node,
        value,
        variant is not None and variant.VariantType is ua.VariantType.Float,
        status,
        arrived_at if time is None else to_utc(time),
        arrived_at,
    )


def build_reading(source: str, variable_value: VariableValue) -> AgentReading | RefusedReading:
    """The event of a value.

    With a bad status the value is left out, as OPC 10000-4, 7.7.1 has it: it is to be ignored, and most
    servers send none. A number that is none (NaN) has no value, and is bad whatever the server says.
    """
    node = variable_value.node
    reference = build_reference(source, node.node, variable_value.time)
    try:
        value = exact(variable_value.value, is_single=variable_value.is_single)
    except ReadingError as error:
        return RefusedReading(
            reference, f"The value of {node.node} {error}", repr(variable_value.value).encode()
        )
    quality = read_quality(variable_value.status)
    if quality is Quality.BAD:
        value = None
    elif value is None:
        quality = Quality.BAD
    values: dict[str, Measured] = {} if value is None else {node.data_point: value}
    values[node.quality] = str(quality)
    if node.status is not None:
        values[node.status] = describe_error(variable_value.status)
    tags = Tags(node.event_type, node.asset_id, node.feedstock_id, tuple(node.locations), node.tracking_id)
    arrival = None if node.arrived_at is None else (node.arrived_at, variable_value.arrived_at)
    return make_reading(reference, tags, variable_value.time, values, arrival)


def describe_error(status: int) -> str:
    """A status code by its name and number: `BadOutOfService 0x808D0000`."""
    code = read_status_code(status)
    name, _ = get_name_and_doc(code)
    return f"{name} 0x{code:08X}"


# Backfill: from the history of a server, what the subscription missed.
#
# A history is read from a moment on, page by page, without an end: up to what the server has now. Where a
# page is full and the server names no continuation, reading goes on from the last time of the page; what is
# read twice is known again by its name.


PAGE_VALUES: Final = 1_000
"""Values that are asked for at once."""

NO_HISTORY: Final = frozenset(
    {
        StatusCodes.BadHistoryOperationUnsupported,
        StatusCodes.BadHistoryOperationInvalid,
        StatusCodes.BadServiceUnsupported,
        StatusCodes.BadNotSupported,
        StatusCodes.BadNotReadable,
        StatusCodes.BadUserAccessDenied,
        StatusCodes.BadNotImplemented,
        StatusCodes.BadNodeIdUnknown,
    }
)
"""Answers of a server that keeps no history of a variable, or lets nobody read it."""

EMPTY: Final = frozenset({StatusCodes.GoodNoData, StatusCodes.BadNoData})
_TICK: Final = timedelta(microseconds=1)


class NoHistoryError(Exception):
    """The server gives no history of a variable; the message says why."""


class HistoryFaultError(UaError):
    """The server failed at reading a history that it says it keeps; the message names the variable."""


async def read_history(
    client: Client, node: OpcUaNode, start: datetime
) -> AsyncIterator[list[VariableValue]]:
    """Pages of what a variable was from a moment on. Raises NoHistoryError, or HistoryFaultError."""
    continuation: bytes | None = None
    while True:
        result = await _asked(client, node, start, continuation)
        values = [] if result.HistoryData is None else result.HistoryData.DataValues or []
        arrived_at = now()
        page = [value for data in values if (value := convert_value(node, data, arrived_at)) is not None]
        if page:
            yield page
        following = result.ContinuationPoint or None
        if following is not None and following != continuation:
            continuation = following
            continue
        if len(values) < PAGE_VALUES or not page:
            return
        continuation = None
        latest = max(value.time for value in page)
        # A page full of one moment leads no further by its time.
        start = latest if latest > start else start + _TICK


async def _asked(
    client: Client, node: OpcUaNode, start: datetime, continuation: bytes | None
) -> ua.HistoryReadResult:
    details = ua.ReadRawModifiedDetails()
    details.IsReadModified = False
    details.StartTime = start
    details.EndTime = ua.get_win_epoch()
    details.NumValuesPerNode = PAGE_VALUES
    details.ReturnBounds = False
    try:
        result = await client.get_node(node.node).history_read(details, continuation)
    except UaStatusCodeError as error:
        if error.code in NO_HISTORY:
            raise NoHistoryError(f"the server gives no history of {node.node}: {error}") from None
        raise _fault(node, error) from None
    except TimeoutError:
        raise _fault(node, "no answer came in time") from None
    code = result.StatusCode.value
    if code in EMPTY:
        return ua.HistoryReadResult()
    if code in NO_HISTORY:
        raise NoHistoryError(f"the server gives no history of {node.node}: {result.StatusCode.name}")
    try:
        result.StatusCode.check()
    except UaStatusCodeError as error:
        raise _fault(node, error) from None
    return result


def _fault(node: OpcUaNode, status: object) -> HistoryFaultError:
    return HistoryFaultError(f"the history of {node.node} cannot be read: {status}")


# Values of OPC UA as the exact values that the service keeps.
#
# A Float has 32 bits and a Double 64; the digits that were meant are the fewest that come to the same bits
# again, so 21.1 of a Float is 21.1 and not 21.100000381469727.


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
