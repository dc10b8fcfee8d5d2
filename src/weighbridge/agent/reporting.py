"""What the agent tells the service of itself, and the questions that the service has for it.

Every so often the agent reports its state; the response may have a question about the address space of a
server, whose answer the next report has at once, and the newest version of the mapping that people chose in
the web app (`mapping.py`), which the agent then fetches. The agent opens no port for that.

Invariant: no reading depends on a report. A service that is away, too old or unwilling changes nothing else.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge import __version__
from weighbridge.agent.configuration import AgentConfiguration, OpcUaServer
from weighbridge.agent.mapping import MappingInForce
from weighbridge.agent.readings import now, text_of
from weighbridge.agent.sending import AgentConnection, UnansweredError
from weighbridge.agent.spool import Spool, SpoolFullError, SpoolState
from weighbridge.errors import Refusal

SOURCES_MAX: Final = 100
PROBLEMS_MAX: Final = 100
VALUES_MAX: Final = 200
"""The newest last values that a report has."""

TEXT_MAX: Final = 500
"""Characters of a text in a report; a longer one is cut."""

CREATED: Final = 201
OK: Final = 200
NOT_TAKEN: Final = "The service did not take what was found."
BROWSING_SECONDS: Final = 30
ATTENTIVE_SECONDS: Final = 2.0
"""The pause between reports while somebody browses."""

ATTENTIVE_FOR: Final = timedelta(minutes=2)
"""For how long after an answer another question is expected."""

_encode: Final = msgspec.json.Encoder(decimal_format="number").encode
log: Final = logging.getLogger("weighbridge.agent")

Browse = Callable[[OpcUaServer, str], Awaitable[tuple[list[dict[str, Any]], bool]]]
"""Finds the nodes below one of a server, and whether there are more."""


class ServiceReporter:
    """Reports the state of the agent to the service, for as long as it runs."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        spool: Spool,
        connection: AgentConnection,
        mapping: MappingInForce,
        clock_offset: Callable[[], timedelta | None],
        browse: Browse,
    ) -> None:
        self._configuration = configuration
        self._spool = spool
        self._connection = connection
        self._mapping = mapping
        self._knows_mappings = False
        """Whether the service does; one of an older version refuses a report with a field that it lacks."""
        self._clock_offset = clock_offset
        self._browse = browse
        self._answered: dict[str, Any] | None = None
        self._attentive_until: datetime | None = None

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            response = await self._report()
            if response is None or not await self._attend(response):
                await asyncio.sleep(self._pause())

    def _pause(self) -> float:
        usual = float(self._configuration.service.report_seconds)
        if self._attentive_until is not None and now() < self._attentive_until:
            return min(ATTENTIVE_SECONDS, usual)
        return usual

    async def _report(self) -> dict[str, Any] | None:
        """Send a report; gives what the service says to it, if it took the report."""
        state = await self._spool.state()
        body = build_state(self._configuration, state, now(), self._clock_offset())
        if self._knows_mappings:
            described = self._mapping.describe()
            body["mapping"] = described | {"problems": [*map(cut, described["problems"][:PROBLEMS_MAX])]}
        sent: dict[str, Any] = {"name": self._configuration.agent, "version": __version__, "state": body}
        if self._answered is not None:
            sent["browsed"] = self._answered
        try:
            answer = await self._connection.post("/agents", _encode({"agent": sent}))
        except UnansweredError as error:
            log.debug("The service does not take the report: %s", error)
            return None
        if answer.status != CREATED:
            log.debug("The service does not take the report: it answers %s.", answer.status)
            if self._answered is not None:
                # The next report goes without what may be the reason, or the agent would count as quiet.
                self._answered = {"number": self._answered["number"], "error": NOT_TAKEN}
            self._knows_mappings = False
            return None
        response: dict[str, Any] = msgspec.json.decode(answer.body)
        return response

    async def _attend(self, response: dict[str, Any]) -> bool:
        """Do what the service asks for; gives whether there is something to report of it at once."""
        is_first = "mapping" in response and not self._knows_mappings
        self._knows_mappings = "mapping" in response
        offer = response.get("mapping")
        has_taken = offer is not None and self._mapping.lacks(offer) and await self._fetch(response, offer)
        question = response.get("browsing")
        if question is None or question["answer"] is not None:
            self._answered = None
            return is_first or has_taken
        self._answered = await self._answer(question)
        self._attentive_until = now() + ATTENTIVE_FOR
        return True

    async def _fetch(self, response: dict[str, Any], offer: dict[str, Any]) -> bool:
        """Fetch the mapping that the service offers; False when that is to be tried again later."""
        reason: object
        try:
            answer = await self._connection.get(f"/agents/{response['id']}/mappings/{offer['version']}")
            if answer.status == OK:
                await self._mapping.take(answer.body, offer)
                return True
            reason = f"the service answers {answer.status}"
        except (UnansweredError, SpoolFullError) as error:
            reason = error
        log.warning("Version %s of the mapping is not taken yet: %s.", offer["version"], reason)
        return False

    async def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """What is below the node of a question, or why that is not known."""
        source = next((one for one in self._configuration.sources if one.name == question["source"]), None)
        answer: dict[str, Any] = {"number": question["number"]}
        if not isinstance(source, OpcUaServer):
            return answer | {"error": f"The agent has no OPC UA server {question['source']}."}
        try:
            async with asyncio.timeout(BROWSING_SECONDS):
                children, is_cut = await self._browse(source, question["node"])
        except TimeoutError:
            return answer | {"error": f"The server did not answer within {BROWSING_SECONDS} seconds."}
        except (OSError, Refusal, LookupError, ValueError) as error:
            return answer | {"error": cut(str(error) or type(error).__name__)}
        return answer | {"children": children, "is_cut": is_cut}


def build_state(
    configuration: AgentConfiguration, state: SpoolState, at: datetime, offset: timedelta | None
) -> dict[str, Any]:
    """What the agent says of itself, as the service takes it."""
    oldest = state.oldest_arrived_at
    lag = timedelta(0) if oldest is None else max(at - oldest, timedelta(0))
    return {
        "waiting": state.waiting,
        "oldest_arrived_at": None if oldest is None else text_of(oldest),
        "lag_seconds": _seconds(lag),
        "refused": state.refused,
        "spool_bytes": state.used_bytes,
        "spool_bytes_max": state.bytes_max,
        "clock_offset_seconds": None if offset is None else _seconds(offset),
        "sources": [
            _describe(source.name, source.type, state.facts.get(f"source/{source.name}", {}))
            for source in configuration.sources[:SOURCES_MAX]
        ],
        "last_values": [*_last_values(state.last_events.items())],
    }


def _describe(name: str, kind: str, fact: dict[str, Any]) -> dict[str, Any]:
    offset = fact.get("clock_offset_seconds")
    problems = [*(fact.get("problems") or {}).items()][:PROBLEMS_MAX]
    return {
        "name": name,
        "type": kind,
        "state": fact.get("state", "starting"),
        "error": cut(fact["error"]) if fact.get("error") else None,
        "clock_offset_seconds": None if offset is None else round(Decimal(str(offset)), 3),
        "problems": {cut(variable): cut(problem) for variable, problem in problems},
    }


def _last_values(events: Iterable[tuple[str, tuple[datetime, bytes]]]) -> Iterable[dict[str, Any]]:
    newest = sorted(events, key=lambda one: one[1][0], reverse=True)[:VALUES_MAX]
    for variable, (time, event) in newest:
        points = msgspec.json.decode(event, type=dict[str, Any])["data_points"]
        value = ", ".join(f"{point['slug']} {point['value']}" for point in points)
        yield {"variable": cut(variable), "time": text_of(time), "value": cut(value)}


def cut(text: str) -> str:
    """A text that fits into a report, without what is not printed."""
    shown = "".join(character if character.isprintable() else " " for character in text)
    return shown if len(shown) <= TEXT_MAX else f"{shown[: TEXT_MAX - 1]}…"


def _seconds(time: timedelta) -> Decimal:
    return Decimal(time // timedelta(milliseconds=1)).scaleb(-3)
