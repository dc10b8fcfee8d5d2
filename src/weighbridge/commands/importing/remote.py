"""An import through a running service, reached by the Python client with a token.

Invariant: a request whose answer was lost is sent again with its idempotency key, so that a file is uploaded
once.
"""

import gzip
import io
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

import msgspec

from weighbridge.client import Client, Failed, NotFound, Refused, Unreachable, WeighbridgeError
from weighbridge.client.calls import PREFIX, Call, is_address
from weighbridge.client.flows import FIRST_SECONDS, GROWTH, build_form
from weighbridge.client.made import operations
from weighbridge.client.made.records import DataFeedUpload
from weighbridge.client.pages import Listing
from weighbridge.client.walking import Pages
from weighbridge.commands.importing.run import ProgressReport, Target, check_feed, choose_target
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, Refusal, Unavailable
from weighbridge.exchange.records.data_feeds import DataFeed
from weighbridge.exchange.tables.table import GZIP_MAGIC, ZIP_MAGIC

PLAIN_BYTES_MAX: Final = 1_048_576
"""How long a file may be that is sent as it is; a longer one is gzipped on the way, unless it is packed."""

LOOK_SECONDS_MAX: Final = 1
"""The longest pause between two looks at an upload, in seconds: whoever waits at a terminal sees its end."""

PENDING_SECONDS: Final = 30
"""How long an upload may wait for a worker until the command says so."""

T = TypeVar("T")


class RemoteService:
    """A service behind its address; a context manager, for it keeps a connection."""

    def __init__(self, url: str, token: str, pause: Callable[[float], None] = time.sleep) -> None:
        self._url = _check(url)
        self._client = Client(url, token=token, pause=pause)
        self._project = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def find_target(self, project: str, event_type: str) -> Target:
        try:
            self._project = self._client.projects.get(project).id
        except NotFound as error:
            raise Refusal(f"The account of the token has no project {project!r}.") from error
        except WeighbridgeError as error:
            raise self._refusal(error) from error
        types = self._list(operations.event_types_list(self._project))
        places = self._list(operations.locations_list(self._project))
        return choose_target(
            self._project,
            types,
            event_type,
            places,
        )

    def find_feed(self, wanted: DataFeed) -> int:
        made = operations.data_feeds_create(self._project, **msgspec.to_builtins(wanted))
        for _ in range(2):  # another import may make it meanwhile
            found = self._list(operations.data_feeds_list(self._project, name=wanted.name))
            if found:
                check_feed(found[0], wanted)
                return found[0].id
            try:
                return self._client.carry(made).id
            except WeighbridgeError as error:
                refusal = self._refusal(error)
                if any(problem.code != "taken" for problem in refusal.problems):
                    raise refusal from error
        raise refusal

    def upload(self, feed: int, file: Path, *, is_dry_run: bool, report: ProgressReport) -> DataFeedUpload:
        content = _pack(file)
        report("Sending", 0, len(content))
        path = f"{PREFIX}/projects/{self._project}/data_feeds/{feed}/uploads"
        texts = {"dry_run": "true" if is_dry_run else "false"}
        upload = self._carry(build_form(path, DataFeedUpload, file.name, content, texts=texts))
        report("Sending", len(content), len(content))
        try:
            return self._follow(feed, upload, report)
        except KeyboardInterrupt:
            self._carry(operations.async_tasks_cancel(upload.async_task_id))
            raise

    def read_upload(self, feed: int, number: int) -> DataFeedUpload:
        return self._carry(operations.data_feed_uploads_get_upload(self._project, str(feed), str(number)))

    def count_corrections(self, upload: DataFeedUpload) -> int:
        return int(self._carry(operations.async_tasks_get(upload.async_task_id)).result["corrected"])

    def list_missing(self, upload: DataFeedUpload, event_type: str) -> list[str]:
        found = self._list(
            operations.events_list(
                self._project, slug=event_type, status="incomplete", updated_at_geq=upload.created_at
            )
        )
        return [slug for event in found for slug in event.missing]

    def _follow(self, feed: int, upload: DataFeedUpload, report: ProgressReport) -> DataFeedUpload:
        """Ask for the upload until its task has ended, ever more seldom."""
        pause, begun, is_told = FIRST_SECONDS, time.monotonic(), False
        while upload.finished_at is None:
            report("Storing", upload.progress, 100)
            if upload.state == "pending" and not is_told and time.monotonic() - begun > PENDING_SECONDS:
                is_told = True
                sys.stderr.write("The service has not begun to store the file; are its workers running?\n")
            time.sleep(pause)
            pause = min(pause * GROWTH, LOOK_SECONDS_MAX)
            upload = self.read_upload(feed, upload.id)
        report("Storing", 100, 100)
        return upload

    def _carry(self, call: Call[T]) -> T:
        try:
            return self._client.carry(call)
        except WeighbridgeError as error:
            raise self._refusal(error) from error

    def _list(self, listing: Listing[T]) -> list[T]:
        try:
            return list(Pages(self._client.run, listing))
        except WeighbridgeError as error:
            raise self._refusal(error) from error

    def _refusal(self, error: WeighbridgeError) -> Refusal:
        """What the service said, in its own sentences; what another program said is shown as it is."""
        if isinstance(error, Unreachable):
            return Unavailable(f"The service at {self._url} cannot be reached. {error}")
        if isinstance(error, Failed):
            return Unavailable(f"The service at {self._url} is busy or broken: it answers {error}")
        if isinstance(error, Refused):
            found = [Problem(each.message, each.field, each.code) for each in error.errors]
            return Refusal(found)
        return Refusal(f"What answers at {self._url} is no Weighbridge. {error}")


def _pack(file: Path) -> bytes:
    """The content of a file as it is sent."""
    with file.open("rb") as content:
        head = content.read(len(ZIP_MAGIC))
        content.seek(0)
        is_packed = head == ZIP_MAGIC or head.startswith(GZIP_MAGIC)
        if is_packed or file.stat().st_size <= PLAIN_BYTES_MAX:
            return content.read()
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1, mtime=0) as target:
            shutil.copyfileobj(content, target, PLAIN_BYTES_MAX)
        return packed.getvalue()


def _check(url: str) -> str:
    """The address, when it is one; raises Invalid."""
    if not is_address(url):
        raise Invalid(f"--url is {url!r}; it takes the address of a service, such as http://127.0.0.1:8080.")
    return url
