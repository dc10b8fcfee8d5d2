"""A running service as a store, reached over HTTP with a token.

Invariants: decimals travel as JSON numbers with every digit; a request is sent again only where doing so
stores nothing twice: for a reading request, or when every event has a client reference.
"""

import http.client
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Final, Literal, Self, TypeVar
from urllib.parse import SplitResult, quote, urlencode, urlsplit

import msgspec

from weighbridge.collection.events.records import NewEventsBody
from weighbridge.core.identity.link import API_PREFIX
from weighbridge.core.problem import Problem
from weighbridge.db.json import written
from weighbridge.errors import Invalid, Refusal, Unavailable
from weighbridge.exchange.importing.kept_connection import reopened
from weighbridge.exchange.importing.store import (
    Destination,
    IdAndName,
    StoredBatch,
    TypeFacts,
    destination_of,
    other_time,
    other_type,
    told_by_line,
)
from weighbridge.exchange.tabular.row import NumberedEvent

TIMEOUT_SECONDS: Final = 120
ATTEMPTS_MAX: Final = 8
PAUSE_SECONDS_MAX: Final = 60.0
SHOWN_MAX: Final = 200
"""Characters of an answer in another form than ours that a message shows."""

OK: Final = 200
CREATED: Final = 201
NOT_FOUND: Final = 404
BUSY: Final = frozenset({408, 409, 429, 502, 503, 504})
"""Answers after which the same request may succeed later; at 409 another one stored the same events."""

_encode = msgspec.json.Encoder(enc_hook=written, decimal_format="number").encode
Result = TypeVar("Result")


class _Info(msgspec.Struct):
    next_page: int | None


class _BulkInfo(msgspec.Struct):
    items: int


class _Receipts(msgspec.Struct):
    info: _BulkInfo


class _ErrorItem(msgspec.Struct):
    message: str
    field: str | None = None
    code: str | None = None
    records: tuple[str, ...] = ()


class _ErrorBody(msgspec.Struct):
    errors: list[_ErrorItem]


class _StoredEvent(msgspec.Struct):
    id: str
    slug: str
    start_time: datetime


class _Correction(msgspec.Struct):
    id: int


class _Project(msgspec.Struct):
    id: str


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """What came back for a request."""

    status: int
    body: bytes
    retry_after: str | None

    @property
    def pause_seconds(self) -> float:
        text = self.retry_after or ""
        return float(text) if text.isascii() and text.isdecimal() else 0.0


class Remote:
    """A store behind the address of a service; a context manager, for it keeps a connection."""

    def __init__(self, url: str, token: str, pause: Callable[[float], None] = time.sleep) -> None:
        self._url = url.rstrip("/")
        self._address = _address(url)
        self._token = token
        self._pause = pause
        self._connection: http.client.HTTPConnection | None = None
        self._project_path = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._disconnect()

    def destination(self, project: str, event_type: str) -> Destination:
        self._project_path = f"/projects/{quote(project, safe='')}"
        answer = self._ask("GET", self._project_path)
        if answer.status == NOT_FOUND:
            raise Refusal(f"The account of the token has no project {project!r}.")
        friendly = _decoded(answer, _Project).id
        return destination_of(
            friendly,
            self._all("/event_types", TypeFacts),
            event_type,
            locations=self._all("/locations", IdAndName),
            feedstocks=self._all("/feedstocks", IdAndName),
            assets=self._all("/assets", IdAndName),
        )

    def keep(self, batch: Sequence[NumberedEvent]) -> StoredBatch:
        """Store a batch; where the service has some of its events, halve it until they stand apart."""
        has_references = all(one.event.client_reference for one in batch)
        body = _encode(NewEventsBody(events=[one.event for one in batch]))
        answer = self._ask("POST", f"{self._project_path}/events", body, may_repeat=has_references)
        if answer.status == CREATED:
            return StoredBatch(_decoded(answer, _Receipts).info.items, 0)
        refusal = _refusal(answer)
        # What the project has already is named by its records; a reference twice in the batch has none.
        if any(problem.code != "taken" or not problem.records for problem in refusal.problems):
            raise told_by_line(refusal, batch)
        taken = sum(len(problem.records) for problem in refusal.problems)
        if taken == len(batch):
            self._check_same(batch[0])
            return StoredBatch(0, taken)
        middle = len(batch) // 2
        first, second = self.keep(batch[:middle]), self.keep(batch[middle:])
        return StoredBatch(first.stored + second.stored, first.already_there + second.already_there)

    def _check_same(self, numbered: NumberedEvent) -> None:
        """Refuse when the event that has the reference is of another type or time: it is not this row."""
        reference = numbered.event.client_reference or ""
        slug = numbered.event.event_type
        for stored in self._all("/events", _StoredEvent, {"filter[client_reference][eq]": reference}):
            if stored.slug != slug:
                raise other_type(numbered.line, reference, stored.slug, slug)
            refusal = other_time(numbered, stored.start_time)
            if refusal and not self._all(f"/events/{stored.id}/corrections", _Correction):
                raise refusal

    def _all(self, path: str, facts: type[Result], query: dict[str, str] | None = None) -> list[Result]:
        """Walk a list of the project to its end."""
        records: list[Result] = []
        number: int | None = 1
        while number is not None:
            query_text = urlencode({"page": number, "page_size": 200, **(query or {})})
            answer = self._ask("GET", f"{self._project_path}{path}?{query_text}")
            page = _decoded(answer, dict[str, msgspec.Raw])
            records += msgspec.json.decode(page["data"], type=list[facts])  # type: ignore[valid-type]
            number = msgspec.json.decode(page["info"], type=_Info).next_page
        return records

    def _ask(
        self, method: Literal["GET", "POST"], path: str, body: bytes | None = None, *, may_repeat: bool = True
    ) -> ServiceAnswer:
        """Send a request; while the service is away or busy, again after ever longer pauses."""
        attempts = ATTEMPTS_MAX if may_repeat else 1
        reason = ""
        for attempt in range(attempts):
            pause = 0.5 * 2**attempt
            try:
                answer = self._send(method, path, body)
            except (OSError, http.client.HTTPException) as error:
                self._disconnect()
                reason = f"cannot be reached: {error or type(error).__name__}"
            else:
                if answer.status not in BUSY:
                    return answer
                reason = f"is busy: it answers {answer.status}"
                pause = max(pause, answer.pause_seconds)
            if attempt + 1 < attempts:
                self._pause(min(pause, PAUSE_SECONDS_MAX))
        raise Unavailable(f"The service at {self._url} {reason}.")

    def _send(self, method: str, path: str, body: bytes | None) -> ServiceAnswer:
        if self._connection is None:
            self._connection = _connection(self._address)
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        base = self._address.path.rstrip("/").removesuffix(API_PREFIX) + API_PREFIX
        reopened(self._connection).request(method, base + path, body, headers)
        response = self._connection.getresponse()
        return ServiceAnswer(response.status, response.read(), response.headers.get("Retry-After"))

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _address(url: str) -> SplitResult:
    address = urlsplit(url)
    try:
        is_complete = address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0
    except ValueError:
        is_complete = False
    if not is_complete:
        raise Invalid(f"--url is {url!r}; it takes the address of a service, such as http://127.0.0.1:8080.")
    return address


def _connection(address: SplitResult) -> http.client.HTTPConnection:
    secure = address.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    return kind(address.hostname or "", address.port, timeout=TIMEOUT_SECONDS)


def _decoded(answer: ServiceAnswer, kind: type[Result]) -> Result:
    if answer.status not in {OK, CREATED}:
        raise _refusal(answer)
    try:
        return msgspec.json.decode(answer.body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise _refusal(answer) from None


def _refusal(answer: ServiceAnswer) -> Refusal:
    """What the service said, in its own sentences; what another program said is shown as it is."""
    try:
        errors = msgspec.json.decode(answer.body, type=_ErrorBody).errors
    except (msgspec.DecodeError, UnicodeDecodeError):
        errors = []
    if errors:
        return Refusal([Problem(one.message, one.field, one.code, one.records) for one in errors])
    shown = json.dumps(answer.body[:SHOWN_MAX].decode(errors="replace"))
    return Refusal(f"The address answers {answer.status} with {shown}, which is no answer of Weighbridge.")
