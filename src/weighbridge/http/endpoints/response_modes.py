"""Response modes: a list answers page by page, as a summary, or as a summary while its rows go into a file.

A summary has the count, some samples and no pages. It is asked for with `response_mode`, in addition to
the filters and the order of the list.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final, Generic, Protocol, TypeVar, cast

import msgspec

from weighbridge.core.identity import ResourceAddress
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.tasks import ExportFormat, ExportStatus, ResponseMode
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Malformed
from weighbridge.http.caller import WebRequest, database, shares
from weighbridge.http.messages.operation import Operation, ReadCall, build_call, read_query
from weighbridge.http.text import one_of

# Response modes: a list answers page by page, as a summary, or as a summary while its rows go into a file.
#
# A summary has the count, some samples and no pages. It is requested with `response_mode`, with any
# filters and sort of the list.


Record = TypeVar("Record")
Query = Sequence[tuple[str, str]]
Word = TypeVar("Word", bound=StrEnum)

MODE: Final = "response_mode"
FORMAT: Final = "export_format"
MARKS: Final = (MODE.encode(), FORMAT.encode())
"""Parameters of a list that is requested in another mode than by page."""

SAMPLES: Final = 10
"""Records that a summary shows."""

_PAGING: Final = ("page", "page_size", "cursor")


class StartedExport(msgspec.Struct, frozen=True):
    """The file that is being made of a list."""

    id: str
    """The friendly id of the export: exp_ and 24 hexadecimal digits."""
    status: Annotated[str, one_of(ExportStatus)]
    """The state: `pending`, because a worker makes the file."""
    status_url: ResourceAddress
    """Where to ask whether the file is there."""


class ListSummary(msgspec.Struct, Generic[Record], frozen=True, omit_defaults=True):
    """What a list comes to, without its pages."""

    count: int
    """How many records there are."""
    count_is_estimate: bool
    """Whether the count is what the database thinks, as of long lists with filters."""
    samples: list[Record]
    """The first records of the list, up to 10."""
    response_mode: Annotated[str, one_of(ResponseMode)]
    """How the list was asked for."""
    export: StartedExport | None = None
    """The file that is being made, where one was asked for."""


@dataclass(frozen=True, slots=True)
class AskedFile:
    """Which list is to be written to a file: its operation, path, query and format."""

    operation: Operation
    path: Mapping[str, str]
    query: Query
    export_format: ExportFormat


class StartExport(Protocol):
    """Queues the making of a file; the application is made with one."""

    async def __call__(self, tx: Write, actor: Actor, file: AskedFile) -> StartedExport:
        """The export as its caller sees it."""


@dataclass(frozen=True, slots=True)
class AskedMode:
    """How a list is asked for, and the query without that."""

    mode: ResponseMode
    export_format: ExportFormat
    query: tuple[tuple[str, str], ...]


def modes(*, is_exported: bool) -> tuple[ResponseMode, ...]:
    """How a list may be asked for; for one that is written to no file, without that."""
    return tuple(mode for mode in ResponseMode if is_exported or mode is not ResponseMode.SUMMARY_WITH_EXPORT)


def read_mode(query: Query, *, is_exported: bool) -> AskedMode:
    """Read how a list is to answer; raise Malformed with every problem."""
    problems: list[Problem] = []
    mode = _word(MODE, query, ResponseMode, ResponseMode.DEFAULT, problems)
    export_format = _word(FORMAT, query, ExportFormat, ExportFormat.CSV, problems)
    other_pairs = tuple(pair for pair in query if pair[0] not in {MODE, FORMAT})
    if mode is not ResponseMode.SUMMARY_WITH_EXPORT and any(name == FORMAT for name, _ in query):
        message = f"{FORMAT} goes with {MODE}={ResponseMode.SUMMARY_WITH_EXPORT}."
        problems.append(Problem(message, FORMAT, "conflict"))
    if mode is not ResponseMode.DEFAULT:
        problems += [
            Problem(f"{name} does not go with {MODE}={mode}: a summary has no pages.", name, "conflict")
            for name in _PAGING
            if any(pair_name == name for pair_name, _ in query)
        ]
    if mode not in (allowed_modes := modes(is_exported=is_exported)):
        message = (
            f"{MODE} is '{mode}'; this list is not written to files, it takes {' and '.join(allowed_modes)}."
        )
        problems.append(Problem(message, MODE, "unsupported"))
    if problems:
        raise Malformed(problems)
    return AskedMode(mode, export_format, other_pairs)


def _word(name: str, query: Query, words: type[Word], default: Word, problems: list[Problem]) -> Word:
    values = [value for key, value in query if key == name]
    if not values:
        return default
    if len(values) == 1 and values[0] in set(words):
        return words(values[0])
    message = " and ".join(repr(text[:50]) for text in values)
    problems.append(Problem(f"{name} is {message}; it takes one of {', '.join(words)}.", name, "invalid"))
    return default


# A list in another mode than by page: its count and samples, and a file of its rows if that is asked for.


class Answering(Protocol):
    """Executes a read for the actor of the request's token."""

    async def __call__(
        self, read_function: Callable[[Read, Actor], Awaitable[Any]], *, computes: bool
    ) -> Any:
        """What was read."""


async def summarise_list(
    request: WebRequest, function: Callable[[ReadCall], Awaitable[Any]], answering: Answering
) -> Any:
    """A list in the mode that the query names: a page of it, or a summary, whose rows may go into a file."""
    operation: Operation = request.route_handler.opt["operation"]
    way = read_mode(read_query(request), is_exported=operation.listing.is_exported)
    of_samples = () if way.mode is ResponseMode.DEFAULT else (("page_size", str(SAMPLES)),)
    asking: list[Actor] = []

    async def read(tx: Read, actor: Actor) -> Any:
        asking.append(actor)
        return await function(replace(build_call(request, tx, actor), query=(*way.query, *of_samples)))

    page = await answering(read, computes=False)
    if way.mode is ResponseMode.DEFAULT:
        return page
    summary = ListSummary(page.info.total_items, page.info.total_is_estimate, page.data, way.mode)
    if way.mode is ResponseMode.SUMMARY:
        return summary
    [actor] = asking
    start: StartExport = request.app.state.start_export
    async with shares(request).turn(actor.account_id), database(request).write() as tx:
        path = cast("Mapping[str, str]", request.path_params)
        export = await start(tx, actor, AskedFile(operation, path, way.query, way.export_format))
    return msgspec.structs.replace(summary, export=export)
