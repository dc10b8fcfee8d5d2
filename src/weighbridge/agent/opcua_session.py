"""The session with an OPC UA server: certificates, its clock, its history, and its values as the exact
ones that the service keeps.
"""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from asyncua import ua
from asyncua.client.client import Client
from asyncua.common.node import Node
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
    held_by,
    is_pem,
    read_password,
    unreadable,
)
from weighbridge.agent.readings import (
    WAITING_CODE,
    AgentReading,
    Quality,
    ReadingError,
    RefusedReading,
    build_reference,
    exact,
    make_measured_reading,
    now,
    read_quality,
    read_status_code,
    text_of,
)
from weighbridge.errors import Refusal

# The session with an OPC UA server, and what it says of its own clock.


ANSWER_SECONDS: Final = 10.0
"""How long one answer of a server may take."""

FAILURES: Final = (OSError, UaError, TimeoutError)
"""What the library raises when a server is away, or refuses."""


class UnknownNamespaceError(LookupError):
    """The server has no namespace of the address that an id names."""


class PlantClient(Client):
    """A session with a server, which knows what its namespaces are called at present."""

    namespaces: tuple[str, ...] = ()

    def variable(self, node: OpcUaNode) -> Node:
        """The variable of an entry, by the present number of its namespace. Raises UnknownNamespaceError."""
        return self.resolve(node.node)

    def resolve(self, identifier: str) -> Node:
        """The node of an id, by the present number of its namespace. Raises UnknownNamespaceError."""
        named = _BY_NAMESPACE.fullmatch(identifier)
        if named is None:
            return self.get_node(identifier)
        address = named["address"].replace("%3B", ";").replace("%25", "%")
        if address not in self.namespaces:
            raise UnknownNamespaceError(f"the server has no namespace {address}")
        return self.get_node(f"ns={self.namespaces.index(address)};{named['identifier']}")

    def identify(self, identifier: ua.NodeId) -> str:
        """An id by the address of its namespace; those of OPC UA itself have number 0, and need none."""
        text = str(identifier.to_string())
        if not identifier.NamespaceIndex:
            return text
        address = self.namespaces[identifier.NamespaceIndex].replace("%", "%25").replace(";", "%3B")
        return f"nsu={address};{text.partition(';')[2]}"


# OPC 10000-6, 5.3.1.11: a semicolon of the address is written %3B, and a per cent sign %25.
_BY_NAMESPACE: Final = re.compile(r"nsu=(?P<address>.+?);(?P<identifier>[isgb]=.+)", re.DOTALL)


@asynccontextmanager
async def open_session(server: OpcUaServer) -> AsyncIterator[PlantClient]:
    """An open session. Raises one of FAILURES, or Refusal for a password or a certificate."""
    client = PlantClient(server.url, timeout=ANSWER_SECONDS)
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
    try:
        await client.connect()
    except FAILURES as error:
        flaws = [] if server.security is None else find_flaws(server, server.security, now())
        if not flaws:
            raise
        reason = str(error).rstrip(".") or type(error).__name__
        raise Refusal(f"{reason}. {' '.join(flaws)}") from None
    try:
        if server.nodes_from_service or any(_BY_NAMESPACE.fullmatch(node.node) for node in server.nodes):
            client.namespaces = tuple(await client.get_namespace_array())
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
    setting = _setting(server, "private_key")
    own_certificate = _certificate(server, security, "certificate")
    key = _key(security, setting)
    if key.public_key() != own_certificate.public_key():
        why = f"it is not the key of the certificate {security.certificate}"
        raise unreadable(security.private_key, setting, why)
    of_server = _certificate(server, security, "server_certificate")
    in_der = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return _encode_der(own_certificate), CertProperties(in_der, "der"), _encode_der(of_server)


def find_flaws(server: OpcUaServer, security: OpcUaSecurity, at: datetime) -> list[str]:
    """What makes others refuse our certificate, or makes the server's one no proof any more, at a moment.

    A channel is tried all the same: many a plant goes on with certificates whose time is over, and a server
    says by itself what it does not take.
    """
    flaws = []
    for field in ("certificate", "server_certificate"):
        certificate = _certificate(server, security, field)
        place = f"The file {getattr(security, field)} of {_setting(server, field)}"
        if at > certificate.not_valid_after_utc:
            flaws.append(f"{place} has expired on {text_of(certificate.not_valid_after_utc)}.")
        elif at < certificate.not_valid_before_utc:
            flaws.append(f"{place} is not valid before {text_of(certificate.not_valid_before_utc)}.")
    own = _certificate(server, security, "certificate")
    names = _uris(own)
    if security.application_uri not in names:
        said = ", ".join(names) or "none"
        flaws.append(
            f"The file {security.certificate} of {_setting(server, 'certificate')} names the application "
            f"{said}, and security.application_uri is {security.application_uri}."
        )
    return flaws


def _uris(certificate: x509.Certificate) -> list[str]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return names.get_values_for_type(x509.UniformResourceIdentifier)


def _setting(server: OpcUaServer, field: str) -> str:
    return f"security.{field} of the source {server.name}"


def _encode_der(certificate: x509.Certificate) -> CertProperties:
    return CertProperties(certificate.public_bytes(Encoding.DER), "der")


def _certificate(server: OpcUaServer, security: OpcUaSecurity, field: str) -> x509.Certificate:
    path, setting = getattr(security, field), _setting(server, field)
    content = content_of(path, setting)
    load = x509.load_pem_x509_certificate if is_pem(content) else x509.load_der_x509_certificate
    try:
        return load(content)
    except ValueError as error:
        raise unreadable(path, setting, f"it holds no certificate in PEM or DER ({error})") from None


def _key(security: OpcUaSecurity, setting: str) -> RSAPrivateKey:
    content = content_of(security.private_key, setting)
    load = load_pem_private_key if is_pem(content) else load_der_private_key
    password_file = security.private_key_password_file
    password = None if password_file is None else held_by(password_file).encode()
    try:
        key = load(content, password)
    except TypeError:
        why = (
            "it is locked with a password; name the file of the password in private_key_password_file"
            if password is None
            else f"it is not locked, and {password_file} holds a password for it"
        )
        raise unreadable(security.private_key, setting, why) from None
    except ValueError as error:
        if password is not None:
            why = f"it holds no key that opens with the password of {password_file} ({error})"
            raise unreadable(security.private_key, setting, why) from None
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
    times = variable_value.time, variable_value.arrived_at
    said = quality, describe_error(variable_value.status)
    return make_measured_reading(reference, node, times, value, said)


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
    client: PlantClient, node: OpcUaNode, start: datetime
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
    client: PlantClient, node: OpcUaNode, start: datetime, continuation: bytes | None
) -> ua.HistoryReadResult:
    details = ua.ReadRawModifiedDetails()
    details.IsReadModified = False
    details.StartTime = start
    details.EndTime = ua.get_win_epoch()
    details.NumValuesPerNode = PAGE_VALUES
    details.ReturnBounds = False
    try:
        result = await client.variable(node).history_read(details, continuation)
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
