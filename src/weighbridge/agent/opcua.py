"""OPC UA: readings of a server by subscription, and from its history those that the subscription missed."""

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from asyncua import ua
from asyncua.common.node import Node
from asyncua.common.subscription import DataChangeNotif, Subscription
from asyncua.ua.attribute_ids import AttributeIds
from asyncua.ua.status_codes import StatusCodes
from asyncua.ua.uaerrors import UaError

from weighbridge.agent.configuration import OpcUaNode, OpcUaServer
from weighbridge.agent.opcua_session import (
    FAILURES,
    HistoryFaultError,
    NoHistoryError,
    PlantClient,
    UnknownNamespaceError,
    VariableValue,
    build_reading,
    clock_offset,
    convert_value,
    describe_error,
    find_flaws,
    open_session,
    read_history,
)
from weighbridge.agent.readings import AgentReading, has_overflowed, now, text_of
from weighbridge.agent.reporting import cut
from weighbridge.agent.spool import Handover, Spool
from weighbridge.errors import Refusal

# An OPC UA server as a source: subscribed to, and its history read for what was missed.
#
# A session begins by subscribing, so that nothing goes by while history is read; then the history is read
# from what the spool knows of each variable, and again after a delay, for what the historian had not
# written yet. Only then does what the subscription gives move the position of a variable forward. So a
# position never passes what has not been read, whenever the agent, the network or the server ends.
#
# A server says when it had to drop values of a variable (the overflow bit); its history is read for that
# too.


VALUES_AT_ONCE_MAX: Final = 5_000
"""Values of a subscription that are made durable by one sync."""

NODES_AT_ONCE_MAX: Final = 500
"""Variables that are subscribed to by one request; servers bound it."""

LOOK_SECONDS: Final = 5.0
"""How often the server's clock is read, which also says whether the server is there."""

HISTORY_PAUSE_SECONDS_MAX: Final = 600.0
"""The longest pause before the history of a variable is read again that the server failed to read."""

SILENT_INTERVALS: Final = 3.0
"""After how many times of its promise a subscription that says nothing is given up."""

log: Final = logging.getLogger("weighbridge.agent")


class SubscriptionLostError(ConnectionError):
    """The server has ended the subscription, or says nothing any more."""


class OpcUaSource:
    """One server, for one session after the other."""

    def __init__(self, server: OpcUaServer, spool: Spool) -> None:
        self._server = server
        self._spool = spool
        self._session: _Session | None = None

    async def session(self) -> None:
        """Connect and read until the connection ends, by an exception of what ended it."""
        async with open_session(self._server) as client:
            self._session = _Session(self._server, self._spool, client)
            try:
                await self._session.run()
            finally:
                self._session = None

    def change(self, server: OpcUaServer) -> None:
        """Read other variables of the same server from now on; those that stay are read without a break."""
        self._server = server
        if self._session is not None:
            self._session.changes.put_nowait(server)


class _Session:
    """One connection: what it gives, and which variables are caught up with."""

    def __init__(self, server: OpcUaServer, spool: Spool, client: PlantClient) -> None:
        self._server = server
        self._nodes = {node.node: server.settle(node) for node in server.nodes}
        self._spool = spool
        self._client = client
        self._values: asyncio.Queue[VariableValue] = asyncio.Queue()
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._behind: set[str] = set()
        """The variables whose history is still to be read."""
        self._dropped: set[str] = set()
        """Those of them of which the server has dropped values since."""
        self._latest: dict[str, datetime] = {}
        """The time of the last value that the subscription gave of each variable."""
        self._by_handle: dict[ua.NodeId, OpcUaNode] = {}
        self._subscribed: dict[str, tuple[ua.NodeId, int]] = {}
        """The variables that are subscribed to: the id here, and the number of the subscription's item."""
        self.changes: asyncio.Queue[OpcUaServer] = asyncio.Queue()
        """The server with other variables, each time that another mapping came in force."""
        self._problems: dict[str, str] = {}
        self._faults: dict[str, str] = {}
        """What the server failed at, of the variables whose history is read again after a pause."""
        self._tasks: set[asyncio.Task[None]] = set()

    def datachange_notification(self, node: Node, _value: Any, data: DataChangeNotif) -> None:
        """Take what the subscription gives; the library calls this."""
        known_node = self._by_handle.get(node.nodeid)
        variable_value = (
            None if known_node is None else convert_value(known_node, data.monitored_item.Value, now())
        )
        if variable_value is not None:
            self._values.put_nowait(variable_value)

    def status_change_notification(self, status: ua.StatusChangeNotification) -> None:
        """The server ends the subscription; the library calls this."""
        if not self._ended.done():
            self._ended.set_exception(SubscriptionLostError(f"the subscription has ended: {status.Status}"))

    async def run(self) -> None:
        """Read until something ends it."""
        subscription = await self._client.create_subscription(self._server.publishing_ms, self)
        starts = await self._begin(subscription, [*self._nodes.values()])
        if self._nodes and not self._subscribed:
            [(first, problem), *_] = self._problems.items()
            none = f"The server {self._server.name} lets us subscribe to none of its variables"
            raise Refusal(f"{none}; {first}: {problem}")
        log.info("%s: connected to %s.", self._server.name, self._server.url)
        steps = [self._take(), self._watch(subscription), self._await_end(), self._follow(subscription)]
        steps += [self._catch_up(some, delay) for delay, some in self._by_delay(starts).items()]
        tasks = [asyncio.create_task(step) for step in steps]
        try:
            await asyncio.gather(*tasks)
        finally:
            all_tasks = [*tasks, *self._tasks]
            for task in all_tasks:
                task.cancel()
            await asyncio.gather(*all_tasks, return_exceptions=True)

    async def _await_end(self) -> None:
        await self._ended

    async def _begin(self, subscription: Subscription, nodes: list[OpcUaNode]) -> dict[str, datetime]:
        """Subscribe to variables; gives from when the history of each is to be read that has one.

        It is behind before its first value can come, which would move its position past its history.
        """
        starts = await self._starts(nodes)
        self._behind.update(starts)
        await self._subscribe(subscription, nodes)
        failed = starts.keys() - self._subscribed.keys()
        self._behind -= failed
        return {name: start for name, start in starts.items() if name not in failed}

    async def _subscribe(self, subscription: Subscription, nodes: list[OpcUaNode]) -> None:
        """Subscribe to variables, and log each one to which that is not possible."""
        found = [node for node in nodes if self._is_found(node)]
        for sampling_ms, queue_size, some in _by_sampling(found):
            results = await subscription.subscribe_data_change(
                [self._client.variable(node) for node in some],
                queuesize=queue_size or self._server.queue_size,
                sampling_interval=ua.Double(sampling_ms or 0),
            )
            for node, result in zip(some, results, strict=True):
                node_id = self._client.variable(node).nodeid
                if isinstance(result, ua.StatusCode):
                    self._problems[node.node] = f"it cannot be subscribed to: {describe_error(result.value)}."
                    self._by_handle.pop(node_id, None)
                else:
                    self._subscribed[node.node] = node_id, result
        for node in nodes:
            if (problem := self._problems.get(node.node)) is not None:
                log.warning("%s: %s %s", self._server.name, node.node, problem)

    def _is_found(self, node: OpcUaNode) -> bool:
        """Whether a variable has an id at this server that no other entry has."""
        try:
            node_id = self._client.variable(node).nodeid
        except UnknownNamespaceError as error:
            self._problems[node.node] = f"{error}."
            return False
        other = self._by_handle.setdefault(node_id, node)
        if other.node != node.node:
            self._problems[node.node] = f"it is {other.node}, which is read already."
            return False
        return True

    async def _follow(self, subscription: Subscription) -> None:
        """Read other variables whenever another mapping comes in force, and go on with those that stay."""
        while True:
            server = await self.changes.get()
            nodes = {node.node: server.settle(node) for node in server.nodes}
            gone = {name: item for name, item in self._subscribed.items() if name not in nodes}
            self._server, self._nodes = server, nodes
            for name, (node_id, _) in gone.items():
                del self._subscribed[name], self._by_handle[node_id]
            for name, (node_id, _) in self._subscribed.items():
                self._by_handle[node_id] = nodes[name]
            self._behind -= gone.keys()
            self._dropped -= gone.keys()
            self._problems = {name: said for name, said in self._problems.items() if name in self._subscribed}
            self._faults = {name: said for name, said in self._faults.items() if name in self._subscribed}
            if gone:
                await subscription.unsubscribe([number for _, number in gone.values()])
            new = [node for name, node in nodes.items() if name not in self._subscribed]
            starts = await self._begin(subscription, new)
            for delay, some in self._by_delay(starts).items():
                self._begin_task(self._catch_up(some, delay))
            log.info("%s: %d variables are read.", self._server.name, len(self._subscribed))

    async def _starts(self, nodes: Iterable[OpcUaNode]) -> dict[str, datetime]:
        """From when the history of each variable is read; a variable without a start has none to be read."""
        positions = await self._spool.positions(self._server.name)
        starts = {}
        for node in nodes:
            if not node.history:
                continue
            if (position := positions.get(node.node)) is not None:
                starts[node.node] = position - _overlap(node)
            elif node.history_from is not None:
                starts[node.node] = node.history_from
        return starts

    def _by_delay(self, starts: dict[str, datetime]) -> dict[int, dict[str, datetime]]:
        """The starts of variables whose historian may be so many seconds late."""
        found: dict[int, dict[str, datetime]] = {}
        for name, start in starts.items():
            found.setdefault(self._nodes[name].history_delay_seconds or 0, {})[name] = start
        return found

    async def _catch_up(self, starts: dict[str, datetime], delay_seconds: int) -> None:
        """Read what was missed, and once more after a delay; then what comes moves positions."""
        nodes_read = [
            name for name, start in starts.items() if await self._has_read(name, start, is_first=True)
        ]
        for name in starts.keys() - {*nodes_read}:
            self._begin_one(name, starts[name])
        await asyncio.sleep(delay_seconds)
        nodes_changed = [name for name in nodes_read if await self._has_read(name, starts[name])]
        for name in {*nodes_read} - {*nodes_changed}:
            self._begin_one(name, starts[name])
        await self._caught_up(nodes_changed)

    async def _has_read(self, name: str, start: datetime, *, is_first: bool = False) -> bool:
        """Read the history of a variable; False if the server fails, which is logged for the variable.

        At first the end of the history may not have been written yet. Of a variable that a mapping has taken
        away meanwhile nothing is read.
        """
        node = self._nodes.get(name)
        if node is None:
            return True
        try:
            await self._read_history(node, start, _overlap(node) if is_first else timedelta(0))
        except HistoryFaultError as error:
            if name not in self._faults:
                log.warning("%s: %s; it is tried again.", self._server.name, error)
            self._faults[name] = f"{error}; what came since {text_of(start)} may be missing until then."
            return False
        self._faults.pop(name, None)
        return True

    async def _read_history(self, node: OpcUaNode, start: datetime, late: timedelta = timedelta(0)) -> None:
        """Read the history of a variable; `late` is how much of its end may not have been written yet."""
        try:
            async for page in read_history(self._client, node, start):
                await self._keep(page, {node.node: max(value.known_up_to for value in page) - late})
        except NoHistoryError as error:
            self._problems[node.node] = f"{error}; what came since {text_of(start)} may be missing."
            log.warning("%s: %s", self._server.name, self._problems[node.node])

    async def _take(self) -> None:
        """Make durable what the subscription gives, as much at once as has come."""
        while True:
            values = [await self._values.get()]
            while not self._values.empty() and len(values) < VALUES_AT_ONCE_MAX:
                values.append(self._values.get_nowait())
            overflowed = [value for value in values if has_overflowed(value.status)]
            if overflowed:
                self._begin_again(overflowed)
            latest: dict[str, datetime] = {}
            for value in values:
                latest[value.node.node] = max(
                    value.known_up_to, latest.get(value.node.node, value.known_up_to)
                )
            await self._keep(values, {name: at for name, at in latest.items() if name not in self._behind})
            self._latest |= latest

    def _begin_again(self, overflowed: Iterable[VariableValue]) -> None:
        """The server has dropped values: their variables are behind until their history is read."""
        for value in overflowed:
            name = value.node.node
            if not value.node.history or name not in self._subscribed:
                continue
            if name in self._behind:
                self._dropped.add(name)
            else:
                self._behind.add(name)
                self._begin_one(name, value.known_up_to)

    def _begin_one(self, name: str, otherwise: datetime) -> None:
        self._begin_task(self._catch_up_one(name, otherwise))

    def _begin_task(self, step: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(step)
        self._tasks.add(task)
        task.add_done_callback(self._ended_one)

    async def _catch_up_one(self, name: str, otherwise: datetime) -> None:
        """Read the history of a variable, from a moment if the spool does not know it yet."""
        if (node := self._nodes.get(name)) is None:
            return
        start = (await self._starts([node])).get(name, otherwise)
        pause = float(node.history_delay_seconds or 0)
        await asyncio.sleep(pause)
        while not await self._has_read(name, start):
            pause = min(2 * pause, max(pause, HISTORY_PAUSE_SECONDS_MAX))
            await asyncio.sleep(pause)
        await self._caught_up([name])

    async def _caught_up(self, names: Iterable[str]) -> None:
        """From now on what the subscription gives moves positions, and so does what it gave."""
        caught_up = {*names} - self._dropped
        for name in {*names} & self._dropped:
            self._dropped.discard(name)
            self._begin_one(name, self._latest.get(name, now()))
        self._behind -= caught_up
        await self._keep([], {name: self._latest[name] for name in caught_up if name in self._latest})

    def _ended_one(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not self._ended.done():
            self._ended.set_exception(error)

    async def _keep(self, values: Iterable[VariableValue], reached: dict[str, datetime]) -> None:
        built = [build_reading(self._server.name, value) for value in values]
        readings = [reading for reading in built if isinstance(reading, AgentReading)]
        refused_readings = [reading for reading in built if not isinstance(reading, AgentReading)]
        positions = {(self._server.name, node): time for node, time in reached.items()}
        await self._spool.keep(Handover(readings, refused_readings, positions))

    async def _watch(self, subscription: Subscription) -> None:
        """Check whether the server responds, and record the offset of its clock."""
        while True:
            offset = await clock_offset(self._client)
            await self._spool.note(
                f"source/{self._server.name}",
                {
                    "state": "reading history" if self._behind else "reading",
                    "clock_offset_seconds": offset.total_seconds(),
                    "problems": self._faults | self._problems,
                },
            )
            if subscription.is_stale(SILENT_INTERVALS):
                raise SubscriptionLostError("the subscription says nothing any more")
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await asyncio.shield(self._ended)


def _by_sampling(
    nodes: Iterable[OpcUaNode],
) -> Iterator[tuple[int | None, int | None, list[OpcUaNode]]]:
    """The variables that are subscribed to by one request, with what the request asks for."""
    found: dict[tuple[int | None, int | None], list[OpcUaNode]] = {}
    for node in nodes:
        found.setdefault((node.sampling_ms, node.queue_size), []).append(node)
    for (sampling_ms, queue_size), some in found.items():
        for begin in range(0, len(some), NODES_AT_ONCE_MAX):
            yield sampling_ms, queue_size, some[begin : begin + NODES_AT_ONCE_MAX]


def _overlap(node: OpcUaNode) -> timedelta:
    return timedelta(seconds=node.history_overlap_seconds or 0)


# A trial of a server: whether its variables are there, and whether it keeps a history of them.


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


async def list_complaints(server: OpcUaServer) -> list[str]:
    """What is wrong with the variables of a server, a sentence for each. Raises one of FAILURES."""
    message = [] if server.security is None else find_flaws(server, server.security, now())
    async with open_session(server) as client:
        for node in map(server.settle, server.nodes):
            try:
                value = await client.variable(node).read_data_value(raise_on_bad_status=False)
                code = 0 if value.StatusCode is None else int(value.StatusCode.value)
                if code in NOT_THERE:
                    message.append(f"{node.node} cannot be read: {describe_error(code)}.")
                elif node.history:
                    async for _ in read_history(client, node, now() - HISTORY):
                        break
            except (NoHistoryError, HistoryFaultError) as error:
                message.append(f"{error}; say history: false of this node to read it without one.")
            except (*FAILURES, UnknownNamespaceError) as error:
                message.append(f"{node.node} cannot be read: {str(error).rstrip('.')}.")
    return message


# Browsing: what is below a node of a server, for whoever chooses variables.


CHILDREN_MAX: Final = 500
"""Nodes below one node that are told."""

OBJECTS_AND_VARIABLES: Final[Any] = int(ua.NodeClass.Object | ua.NodeClass.Variable)
"""A mask of the classes of nodes that are told."""

VALUE_MAX: Final = 200
"""Characters of a value that is told."""


async def browse_server(server: OpcUaServer, node: str) -> tuple[list[dict[str, Any]], bool]:
    """The objects and variables below a node, and whether there are more than are told.

    Raises one of FAILURES, Refusal, or UnknownNamespaceError.
    """
    async with open_session(server) as client:
        client.namespaces = tuple(await client.get_namespace_array())
        try:
            below = client.resolve(node)
            await below.read_node_class()  # of a node that is not there, the list of nodes is empty
            found = await below.get_children_descriptions(nodeclassmask=OBJECTS_AND_VARIABLES)
        except UaError as error:
            raise Refusal(f"{node} cannot be browsed: {error}") from None
        told = found[:CHILDREN_MAX]
        variables = [one.NodeId for one in told if one.NodeClass is ua.NodeClass.Variable]
        values = await client.uaclient.read_attributes(variables, AttributeIds.Value) if variables else []
        by_id = dict(zip(variables, values, strict=True))
        return [_describe_node(client, one, by_id.get(one.NodeId)) for one in told], len(found) > len(told)


def _describe_node(
    client: PlantClient, found: ua.ReferenceDescription, value: ua.DataValue | None
) -> dict[str, Any]:
    described: dict[str, Any] = {
        "node": client.identify(found.NodeId),
        "name": cut(found.DisplayName.Text or found.BrowseName.Name or ""),
        "is_variable": found.NodeClass is ua.NodeClass.Variable,
    }
    if value is not None and value.Value is not None and value.Value.Value is not None:
        described["data_type"] = value.Value.VariantType.name
        described["value"] = cut(str(value.Value.Value))[:VALUE_MAX]
    return described
