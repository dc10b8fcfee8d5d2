"""The session with an OPC UA server, and what it says of its own clock."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Final

from asyncua import ua
from asyncua.client.client import Client
from asyncua.crypto import security_policies
from asyncua.ua.object_ids import ObjectIds
from asyncua.ua.uaerrors import UaError

from weighbridge.agent.clock import now
from weighbridge.agent.configuration.credentials import password_of
from weighbridge.agent.configuration.records import OpcUaServer
from weighbridge.agent.opcua.identity import identities

ANSWER_SECONDS: Final = 10.0
"""How long one answer of a server may take."""

FAILURES: Final = (OSError, UaError, TimeoutError)
"""What the library raises when a server is away, or refuses."""


@asynccontextmanager
async def connected(server: OpcUaServer) -> AsyncIterator[Client]:
    """An open session. Raises one of FAILURES, or Refusal for a password or a certificate."""
    client = Client(server.url, timeout=ANSWER_SECONDS)
    client.name = client.description = "Weighbridge agent"
    if server.username is not None:
        client.set_user(server.username)
        client.set_password(password_of(server) or "")
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
    return asked_at + (answered_at - asked_at) / 2 - in_utc(current)


def in_utc(moment: datetime) -> datetime:
    """A time of OPC UA, which is UTC whether the library says so or not."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
