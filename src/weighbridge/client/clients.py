"""The two clients, for programs that wait for each answer and for programs that await it; each operation
is a method.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2 as http

from weighbridge.client.calls import (
    TIMEOUT_SECONDS,
    Call,
    Flow,
    Pause,
    Send,
    build_request,
    execute_call,
    no_answer,
    read_answer,
    settings,
)
from weighbridge.client.flows import (
    BATCH,
    AsyncTaskHandle,
    File,
    TaskHandle,
    attach_call,
    batches,
    download_call,
    event_of,
    rows_of,
    store_call,
)
from weighbridge.client.made.groups import AsyncGroups, Groups
from weighbridge.client.made.operations import changes_list
from weighbridge.client.made.records import AsyncTask, EventReceipt, Evidence, FeedChange
from weighbridge.client.pages import Listing
from weighbridge.client.walking import AsyncPages, Pages

# The client for programs that wait for each answer.


T = TypeVar("T")


class Client(Groups):
    """The service at an address, with a token; both come from the environment when they are left out.

    ```python
    with Client("https://plant.example", token="…") as weighbridge:
        for event in weighbridge.events.list("prj_…", start_time_geq="2026-01-01T00:00:00Z"):
            print(event.start_time, event.data_points)
    ```
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        token: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        transport: http.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
        tell_retry: Callable[[float], None] | None = None,
    ) -> None:
        """Know where the service is; `pause` lets so many seconds pass between two attempts.

        `tell_retry` is told the seconds before a call that failed is sent again, and not when a task is
        looked at again.
        """
        self._pause, self._tell_retry = pause, tell_retry
        self._http = http.Client(**settings(address, token, timeout), transport=transport)
        super().__init__(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def carry(self, call: Call[T]) -> T:
        """Execute a call and give its result; raises Refused and Unreachable."""
        return self.run(execute_call(call))

    def download(self, call: Call[Any]) -> File:
        """Execute a call that sends a file, such as `operations.reports_download_bundle(…)`."""
        return self.run(download_call(call))

    def run(self, flow: Flow[T]) -> T:
        """Go through a flow, waiting for each thing that it asks for."""
        answer = None
        while True:
            try:
                step = flow.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            answer = self._done(step)

    def _done(self, step: Send | Pause) -> Any:
        if isinstance(step, Pause):
            if step.is_retry and self._tell_retry is not None:
                self._tell_retry(step.seconds)
            return self._pause(step.seconds)
        try:
            return read_answer(self._http.request(**build_request(step.call)))
        except http.TransportError as error:
            return no_answer(error)

    def list_pages(self, listing: Listing[T]) -> Pages[T]:
        """A list, page by page."""
        return Pages(self.run, listing)

    def task(self, task: AsyncTask | int) -> TaskHandle:
        """A task that can be waited for."""
        return TaskHandle(self.run, task)

    def start(self, call: Call[AsyncTask]) -> TaskHandle:
        """Start a task that can be waited for."""
        return self.task(self.carry(call))

    def store(
        self, project_id: str, events: Iterable[Mapping[str, Any]], *, batch_size: int = BATCH
    ) -> Iterator[EventReceipt]:
        """Store events, however many, and give the receipt of each in their order as batches are stored.

        Each event is an object as the interface takes it. Nothing is sent until receipts are gone through.
        """
        for batch in batches(events, batch_size):
            yield from self.carry(store_call(project_id, batch)).data

    def store_rows(
        self,
        project_id: str,
        event_type: str,
        rows: Any,
        *,
        location_ids: Sequence[str] = (),
        batch_size: int = BATCH,
    ) -> int:
        """Store the rows of a data frame, or flat mappings, as events of one type; give their number."""
        events = (event_of(row, event_type, location_ids) for row in rows_of(rows))
        return sum(1 for _ in self.store(project_id, events, batch_size=batch_size))

    def attach_file(
        self, event_id: str, name: str, content: bytes, *, idempotency_key: str | None = None
    ) -> Evidence:
        """Attach a file to an event."""
        return self.carry(attach_call(event_id, name, content, idempotency_key))

    def follow(
        self, *, after: str | None = None, kind: str | None = None, project_id: str | None = None
    ) -> Iterator[FeedChange]:
        """Every change from a cursor on, as it comes, without end; keep `change.cursor` to go on later."""
        while True:
            page = self.carry(
                changes_list(after=after, kind=kind, project_id=project_id, wait="30", page_size="1000")
            )
            yield from page.data
            after = page.cursor


# The client for programs that await each answer.


class AsyncClient(AsyncGroups):
    """As `Client`, for programs that await: `async with AsyncClient() as weighbridge`."""

    def __init__(
        self,
        address: str | None = None,
        *,
        token: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        transport: http.AsyncBaseTransport | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Know where the service is; `pause` lets so many seconds pass between two attempts."""
        self._pause = pause
        self._http = http.AsyncClient(**settings(address, token, timeout), transport=transport)
        super().__init__(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def carry(self, call: Call[T]) -> T:
        """Execute a call and give its result; raises Refused and Unreachable."""
        return await self.run(execute_call(call))

    async def download(self, call: Call[Any]) -> File:
        """Execute a call that sends a file, such as `operations.reports_download_bundle(…)`."""
        return await self.run(download_call(call))

    async def run(self, flow: Flow[T]) -> T:
        """Go through a flow, awaiting each thing that it asks for."""
        answer = None
        while True:
            try:
                step = flow.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            answer = await self._done(step)

    async def _done(self, step: Send | Pause) -> Any:
        if isinstance(step, Pause):
            return await self._pause(step.seconds)
        try:
            return read_answer(await self._http.request(**build_request(step.call)))
        except http.TransportError as error:
            return no_answer(error)

    def list_pages(self, listing: Listing[T]) -> AsyncPages[T]:
        """A list, page by page."""
        return AsyncPages(self.run, listing)

    def task(self, task: AsyncTask | int) -> AsyncTaskHandle:
        """A task that can be awaited."""
        return AsyncTaskHandle(self.run, task)

    async def start(self, call: Call[AsyncTask]) -> AsyncTaskHandle:
        """Start a task that can be awaited."""
        record: AsyncTask = await self.carry(call)
        return self.task(record)

    async def store(
        self, project_id: str, events: Iterable[Mapping[str, Any]], *, batch_size: int = BATCH
    ) -> AsyncIterator[EventReceipt]:
        """Store events, however many, and give the receipt of each in their order as batches are stored."""
        for batch in batches(events, batch_size):
            for receipt in (await self.carry(store_call(project_id, batch))).data:
                yield receipt

    async def store_rows(
        self,
        project_id: str,
        event_type: str,
        rows: Any,
        *,
        location_ids: Sequence[str] = (),
        batch_size: int = BATCH,
    ) -> int:
        """Store the rows of a data frame, or flat mappings, as events of one type; give their number."""
        events = (event_of(row, event_type, location_ids) for row in rows_of(rows))
        return len([receipt async for receipt in self.store(project_id, events, batch_size=batch_size)])

    async def attach_file(
        self, event_id: str, name: str, content: bytes, *, idempotency_key: str | None = None
    ) -> Evidence:
        """Attach a file to an event."""
        return await self.carry(attach_call(event_id, name, content, idempotency_key))

    async def follow(
        self, *, after: str | None = None, kind: str | None = None, project_id: str | None = None
    ) -> AsyncIterator[FeedChange]:
        """Every change from a cursor on, as it comes, without end; keep `change.cursor` to go on later."""
        while True:
            page = await self.carry(
                changes_list(after=after, kind=kind, project_id=project_id, wait="30", page_size="1000")
            )
            for change in page.data:
                yield change
            after = page.cursor
