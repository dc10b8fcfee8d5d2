"""One connection to the service: requests with the token, certificates verified, and what its clock says."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote, urlsplit

import httpx2

from weighbridge import __version__
from weighbridge.agent.clock import now
from weighbridge.agent.configuration.certificates import trusting
from weighbridge.agent.configuration.credentials import token_of
from weighbridge.agent.configuration.records import AgentService
from weighbridge.agent.sending.pause import http_date, retry_after_seconds
from weighbridge.core.identity.link import API_PREFIX

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
                "Authorization": f"Bearer {token_of(service)}",
                "Accept": "application/json",
                "User-Agent": f"weighbridge-agent/{__version__}",
            },
            verify=trusting(service.ca_file, "service.ca_file"),
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
