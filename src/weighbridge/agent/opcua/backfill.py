"""Backfill: from the history of a server, what the subscription missed.

A history is read from a moment on, page by page, without an end: up to what the server has now. Where a page
is full and the server names no continuation, reading goes on from the last time of the page; what is read
twice is known again by its name.
"""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Final

from asyncua import ua
from asyncua.client.client import Client
from asyncua.ua.status_codes import StatusCodes
from asyncua.ua.uaerrors import UaError, UaStatusCodeError

from weighbridge.agent.clock import now
from weighbridge.agent.configuration.records import OpcUaNode
from weighbridge.agent.opcua.notifications import VariableValue, value_of

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


async def history_of(client: Client, node: OpcUaNode, start: datetime) -> AsyncIterator[list[VariableValue]]:
    """Pages of what a variable was from a moment on. Raises NoHistoryError, or HistoryFaultError."""
    continuation: bytes | None = None
    while True:
        result = await _asked(client, node, start, continuation)
        values = [] if result.HistoryData is None else result.HistoryData.DataValues or []
        arrived_at = now()
        page = [one for data in values if (one := value_of(node, data, arrived_at)) is not None]
        if page:
            yield page
        following = result.ContinuationPoint or None
        if following is not None and following != continuation:
            continuation = following
            continue
        if len(values) < PAGE_VALUES or not page:
            return
        continuation = None
        latest = max(one.time for one in page)
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


def _fault(node: OpcUaNode, said: object) -> HistoryFaultError:
    return HistoryFaultError(f"the history of {node.node} cannot be read: {said}")
