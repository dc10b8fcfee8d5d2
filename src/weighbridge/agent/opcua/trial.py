"""A trial of a server: whether its variables are there, and whether it keeps a history of them."""

from datetime import timedelta
from typing import Final

from asyncua.ua.status_codes import StatusCodes

from weighbridge.agent.clock import now
from weighbridge.agent.configuration.records import OpcUaServer
from weighbridge.agent.opcua.backfill import HistoryFaultError, NoHistoryError, history_of
from weighbridge.agent.opcua.connection import FAILURES, connected
from weighbridge.agent.opcua.notifications import said_of

NOT_THERE: Final = frozenset(
    {
        StatusCodes.BadNodeIdUnknown,
        StatusCodes.BadNodeIdInvalid,
        StatusCodes.BadAttributeIdInvalid,
        StatusCodes.BadNotReadable,
        StatusCodes.BadUserAccessDenied,
    }
)
"""Codes that say something of a variable, and nothing of its value."""

HISTORY: Final = timedelta(minutes=1)


async def complaints_of(server: OpcUaServer) -> list[str]:
    """What is wrong with the variables of a server, a sentence for each. Raises one of FAILURES."""
    said = []
    async with connected(server) as client:
        for node in server.nodes:
            try:
                value = await client.get_node(node.node).read_data_value(raise_on_bad_status=False)
                code = 0 if value.StatusCode is None else int(value.StatusCode.value)
                if code in NOT_THERE:
                    said.append(f"{node.node} cannot be read: {said_of(code)}.")
                elif server.history if node.history is None else node.history:
                    async for _ in history_of(client, node, now() - HISTORY):
                        break
            except (NoHistoryError, HistoryFaultError) as error:
                said.append(f"{error}; say history: false of this node to read it without one.")
            except FAILURES as error:
                said.append(f"{node.node} cannot be read: {error}")
    return said
