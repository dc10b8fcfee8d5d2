"""Send the oldest readings of the spool to the service, and release those that the service has."""

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import Enum
from random import random
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote, urlsplit

import httpx2
import msgspec

from weighbridge import __version__
from weighbridge.agent.configuration import (
    AgentConfiguration,
    AgentService,
    create_tls_context,
    read_agent_token,
)
from weighbridge.agent.readings import now
from weighbridge.agent.spool import Spool, SpooledReading, SpoolFullError
from weighbridge.core.identity import API_PREFIX

# One connection to the service: requests with the token, certificates verified, and what its clock says.


CLOCK_STEP: Final = timedelta(seconds=1)
"""What the service's header Date is exact to."""


class UnansweredError(Exception):
    """No answer came; the message says why."""


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """What came back for a request; the clock offset is positive when this machine's clock is ahead."""

    status: int
    body: bytes
    retry_after: float | None
    clock_offset: timedelta | None


class AgentConnection:
    """Requests to the service about one project."""

    def __init__(self, service: AgentService) -> None:
        """Raises Refusal without a token, or with certificates that cannot be read."""
        address = urlsplit(service.url)
        base = address.path.rstrip("/").removesuffix(API_PREFIX) + API_PREFIX
        self._url = f"{address.scheme}://{address.netloc}{base}/projects/{quote(service.project, safe='')}"
        self._client = httpx2.AsyncClient(
            headers={
                "Authorization": f"Bearer {read_agent_token(service)}",
                "Accept": "application/json",
                "User-Agent": f"weighbridge-agent/{__version__}",
            },
            verify=create_tls_context(service.ca_file, "service.ca_file"),
            timeout=service.timeout_seconds,
            follow_redirects=False,
        )

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, trace)

    async def post_events(self, events: Sequence[bytes]) -> AgentAnswer:
        """Send events; the same events have the same key, so that a repetition has the same answer."""
        body = b'{"events":[' + b",".join(events) + b"]}"
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": f"agent-{hashlib.sha256(body).hexdigest()}",
        }
        return await self._ask("POST", "/events", body, headers)

    async def post(self, path: str, body: bytes) -> AgentAnswer:
        """Send something else than events."""
        return await self._ask("POST", path, body, {"Content-Type": "application/json"})

    async def get(self, path: str) -> AgentAnswer:
        """Read something of the project."""
        return await self._ask("GET", path, None, {})

    async def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> AgentAnswer:
        """Raises UnansweredError."""
        sent_at = now()
        try:
            answer = await self._client.request(method, self._url + path, content=body, headers=headers)
        except (httpx2.HTTPError, OSError) as error:
            raise UnansweredError(
                f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            ) from None
        came_at = now()
        return AgentAnswer(
            answer.status_code,
            answer.content,
            retry_after_seconds(answer.headers.get("Retry-After"), came_at),
            _offset(sent_at, came_at, http_date(answer.headers.get("Date", ""))),
        )


def _offset(sent_at: datetime, came_at: datetime, other: datetime | None) -> timedelta | None:
    """How far this clock is ahead: by nothing, where the other's second lies between asking and answer."""
    if other is None:
        return None
    if other + CLOCK_STEP > sent_at and other <= came_at:
        return timedelta(0)
    return sent_at - other - CLOCK_STEP if other + CLOCK_STEP <= sent_at else came_at - other


# What an answer of the service means for the readings of a batch.
#
# - 201: they are there.
# - 400 and 422 that name readings: those with the code `taken` are there, unless the code `differs` says that
#   they are there with other values; these and the others that are named are refused, and the rest is sent
#   again at once.
# - 400 and 422 that name none, and 413: they are sent again in halves; one alone is refused.
# - 401, 403 and 404: they are sent again later, for the token or the project is wrong, not they.
# - none, and every other one: they are sent again later.


CREATED: Final = 201
TOO_LARGE: Final = 413
REFUSALS: Final = frozenset({400, 413, 422})
TAKEN: Final = "taken"
DIFFERS: Final = "differs"
SHOWN_MAX: Final = 300
"""Characters of an answer that is none of the service's which a message shows."""

_EVENT: Final = re.compile(r"events\[(\d+)\]")


class Next(Enum):
    """What the sender does then."""

    GO_ON = "go on"
    HALVE = "send fewer"
    WAIT = "wait and send the same again"


class AnswerProblem(msgspec.Struct, frozen=True):
    """One thing that the service says is wrong."""

    message: str
    field: str | None = None
    code: str | None = None


class _Body(msgspec.Struct, frozen=True):
    errors: list[AnswerProblem]


@dataclass(frozen=True, slots=True)
class Meaning:
    """Which readings of the batch, by their places, are there or refused, and what to do next."""

    next: Next
    there: Sequence[int] = ()
    refused: Mapping[int, str] = field(default_factory=dict)
    reason: str = ""


def meaning_of(status: int, body: bytes, count: int) -> Meaning:
    """What an answer to a batch of so many readings means."""
    if status == CREATED:
        return Meaning(Next.GO_ON, range(count))
    problems = _problems(body)
    message = " ".join(problem.message for problem in problems[:3]) or body[:SHOWN_MAX].decode(
        errors="replace"
    )
    if status not in REFUSALS or (not problems and status != TOO_LARGE):
        return Meaning(Next.WAIT, reason=f"The service answers {status}: {message}")
    existing, reasons = _group_by_event(problems, count)
    if existing or reasons:
        return Meaning(Next.GO_ON, sorted(existing), reasons, message)
    if count == 1:
        return Meaning(Next.GO_ON, (), {0: message}, message)
    return Meaning(Next.HALVE, reason=message)


def _group_by_event(problems: Sequence[AnswerProblem], count: int) -> tuple[set[int], dict[int, str]]:
    """The places of readings that the project has, and the reasons of those that are refused."""
    taken_places: set[int] = set()
    differing: set[int] = set()
    reasons: dict[int, list[str]] = {}
    for problem in problems:
        matched = _EVENT.match(problem.field or "")
        if matched is None or int(matched[1]) >= count:
            continue
        place = int(matched[1])
        if problem.code == TAKEN and (problem.field or "").endswith(".client_reference"):
            taken_places.add(place)
        else:
            reasons.setdefault(place, []).append(problem.message)
            if problem.code == DIFFERS:
                differing.add(place)
    existing = taken_places - differing
    return existing, {place: " ".join(message) for place, message in reasons.items() if place not in existing}


def _problems(body: bytes) -> list[AnswerProblem]:
    try:
        return msgspec.json.decode(body, type=_Body).errors
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []


# The sender: takes the oldest readings of the spool, sends them, and lets go what the service has.
#
# Invariants: a reading leaves the spool only by an answer that says so; no reading holds up another.


IDLE_SECONDS: Final = 1.0
SERVICE_FACT: Final = "service"
log: Final = logging.getLogger("weighbridge.agent")


class Sender:
    """Sends what the spool holds, for as long as it runs."""

    def __init__(self, configuration: AgentConfiguration, spool: Spool, connection: AgentConnection) -> None:
        self._most = self._most_now = configuration.service.batch_size
        self._longest = float(configuration.retry_seconds_max)
        self._spool = spool
        self._connection = connection
        self._failures = 0
        self.clock_offset: timedelta | None = None
        """How far this machine's clock is ahead of the service's; None before the first answer."""

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            self._spool.arrived.clear()
            batch = await self._spool.oldest(self._most_now)
            if not batch:
                with suppress(TimeoutError):
                    async with asyncio.timeout(IDLE_SECONDS):
                        await self._spool.arrived.wait()
                continue
            await self._send(batch)

    async def _send(self, batch: list[SpooledReading]) -> None:
        try:
            answer = await self._connection.post_events([reading.event for reading in batch])
        except UnansweredError as error:
            await self._wait(f"The service does not answer: {error}", None)
            return
        if answer.clock_offset is not None:
            self.clock_offset = answer.clock_offset
        meaning = meaning_of(answer.status, answer.body, len(batch))
        if meaning.next is Next.WAIT:
            await self._wait(meaning.reason, answer.retry_after)
            return
        if meaning.next is Next.HALVE:
            self._most_now = max(len(batch) // 2, 1)
            return
        try:
            await self._settle(batch, meaning)
        except SpoolFullError:
            # Sent again later, the service says that it has them.
            await self._wait("The disk of the spool is full.", None)

    async def _settle(self, batch: list[SpooledReading], meaning: Meaning) -> None:
        refused_reasons = {batch[place].id: reason for place, reason in meaning.refused.items()}
        await self._spool.settle([batch[place].id for place in meaning.there], refused_reasons)
        for place, reason in [*meaning.refused.items()][:1]:
            message = "%d readings are refused and set apart, first %s: %s"
            log.warning(message, len(refused_reasons), batch[place].reference, reason)
        self._most_now = min(self._most_now * 2, self._most)
        if self._failures:
            log.info("The service takes readings again.")
        self._failures = 0
        offset = None if self.clock_offset is None else self.clock_offset.total_seconds()
        await self._spool.note(SERVICE_FACT, {"state": "sending", "clock_offset_seconds": offset})

    async def _wait(self, reason: str, retry_after: float | None) -> None:
        self._failures += 1
        seconds = pause_seconds(self._failures, self._longest, retry_after, random)
        if self._failures == 1:
            log.warning("%s Readings wait in the spool.", reason)
        await self._spool.note(
            SERVICE_FACT, {"state": "waiting", "error": reason, "failures": self._failures}
        )
        await asyncio.sleep(seconds)


# How long to wait after a failure: ever longer, with chance, and never less than the other side asks for.


FIRST_SECONDS: Final = 0.5
DOUBLINGS_MAX: Final = 16


def pause_seconds(
    failures: int, longest: float, retry_after: float | None, chance: Callable[[], float]
) -> float:
    """Seconds to wait after so many failures in a row; `chance` gives a number from 0 up to 1.

    Half of the pause is left to chance, so that agents that were cut off together do not return together.
    """
    longest_pause: float = min(FIRST_SECONDS * 2 ** min(failures - 1, DOUBLINGS_MAX), longest)
    return max(longest_pause * (0.5 + chance() / 2), retry_after or 0.0)


def retry_after_seconds(header: str | None, now: datetime) -> float | None:
    """What a header Retry-After asks for, a number of seconds or a date; None where it asks for nothing."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdecimal():
        return float(text[:9])
    moment = http_date(text)
    return None if moment is None else max((moment - now).total_seconds(), 0.0)


def http_date(text: str) -> datetime | None:
    """A date as HTTP writes it; None where it is none."""
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
