"""Response modes: a list answers page by page, as a summary, or as a summary while its rows go into a file.

A summary has the count, some samples and no pages. It is asked for with `response_mode`, beside any filters
and sort of the list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, Generic, Protocol, TypeVar

import msgspec

from weighbridge.core.identity.link import ResourceAddress
from weighbridge.core.platform.export_format import ExportFormat, ExportStatus, ResponseMode
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import Malformed
from weighbridge.http.operation import Operation
from weighbridge.http.text import one_of

Record = TypeVar("Record")
Query = Sequence[tuple[str, str]]
Word = TypeVar("Word", bound=StrEnum)

MODE: Final = "response_mode"
FORMAT: Final = "export_format"
MARKS: Final = (MODE.encode(), FORMAT.encode())
"""What stands in the query string of a list that is asked for otherwise than by page."""

SAMPLES: Final = 10
"""Records that a summary shows."""

_PAGING: Final = ("page", "page_size", "cursor")


class StartedExport(msgspec.Struct, frozen=True):
    """The file that is being made of a list."""

    id: str
    """The friendly id of the export: exp_ and 24 hexadecimal digits."""
    status: Annotated[str, one_of(ExportStatus)]
    """Where it stands: `pending`, because a worker makes the file."""
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
    """Which list is to be written to a file: its operation, what stands in its path and query, the format."""

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


def asked(query: Query, *, is_exported: bool) -> AskedMode:
    """Read how a list is to answer; raise Malformed with every problem."""
    problems: list[Problem] = []
    mode = _word(MODE, query, ResponseMode, ResponseMode.DEFAULT, problems)
    export_format = _word(FORMAT, query, ExportFormat, ExportFormat.CSV, problems)
    rest = tuple(pair for pair in query if pair[0] not in {MODE, FORMAT})
    if mode is not ResponseMode.SUMMARY_WITH_EXPORT and any(name == FORMAT for name, _ in query):
        said = f"{FORMAT} goes with {MODE}={ResponseMode.SUMMARY_WITH_EXPORT}."
        problems.append(Problem(said, FORMAT, "conflict"))
    if mode is not ResponseMode.DEFAULT:
        problems += [
            Problem(f"{name} does not go with {MODE}={mode}: a summary has no pages.", name, "conflict")
            for name in _PAGING
            if any(given == name for given, _ in query)
        ]
    if mode not in (taken := modes(is_exported=is_exported)):
        said = f"{MODE} is '{mode}'; this list is not written to files, it takes {' and '.join(taken)}."
        problems.append(Problem(said, MODE, "unsupported"))
    if problems:
        raise Malformed(problems)
    return AskedMode(mode, export_format, rest)


def _word(name: str, query: Query, words: type[Word], default: Word, problems: list[Problem]) -> Word:
    given = [value for key, value in query if key == name]
    if not given:
        return default
    if len(given) == 1 and given[0] in set(words):
        return words(given[0])
    said = " and ".join(repr(one[:50]) for one in given)
    problems.append(Problem(f"{name} is {said}; it takes one of {', '.join(words)}.", name, "invalid"))
    return default
