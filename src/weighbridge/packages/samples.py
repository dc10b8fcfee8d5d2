"""Whether the samples of a package are what its event types take: each is read as a data feed would read it.

A sample is named by the slug of its event type. Its columns name fields of the event and data points, its
times have an offset, and its numbers are in the units of the data points.

Invariants: rows are read by the code that reads uploaded files; every flaw has the line and the column of the
file, where the cell begins that it is about.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import structs

from weighbridge.collection.records.data_points import EXPECTED_LOCATIONS, EventType
from weighbridge.core.identity import make_slug
from weighbridge.core.number import shorten
from weighbridge.errors import Invalid
from weighbridge.exchange.records.data_feeds import DATA_FEED_BODIES, DataFeed
from weighbridge.exchange.tables.cell import MissingMarks
from weighbridge.exchange.tables.columns import LOCATION_FIELD, Columns, build_clock, map_columns
from weighbridge.exchange.tables.rows import NumberedEvent, RowMapping, read_rows
from weighbridge.exchange.tables.table import BadRow, FileRow
from weighbridge.packages.contents import SAMPLES_FOLDER
from weighbridge.packages.reading import PackageFlaw

_FEED: Final[DataFeed] = DATA_FEED_BODIES.unstored(name="Sample", event_type_id="", columns=[])
"""The settings of a feed that says nothing beside its event type, as the one of a sample does."""

FLAWS_SHOWN: Final = 20
"""Flaws of one sample that are named; a file of other columns has one in every row."""

_QUOTE: Final = '"'


class _AnyName(dict[str, str]):
    """Any name is that of a record: the project that a sample is imported to has to have it."""

    def get(self, name: str, _: object = None) -> str:
        return name


class _Sample:
    """The rows of a sample as a table, and where their cells begin."""

    bytes_read = 0
    formulas = 0

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._lines = io.StringIO(text, newline="").readlines()
        reader = csv.reader(self._lines)
        numbered: list[FileRow] = []
        first = 1
        for cells in reader:
            numbered.append(FileRow(first, cells))
            first = reader.line_num + 1
        self.header: Sequence[str] = [name.strip() for name in numbered[0].cells] if numbered else []
        self.data = numbered[1:]
        self.rows: Iterator[FileRow] = iter(self.data)

    def refusal(self, _: FileRow) -> None:
        """A text has nothing but its cells."""

    def flaw(self, message: str, line: int = 1, name: str | None = None) -> PackageFlaw:
        """A flaw of a cell, by its line and the name of its column, or of a whole line."""
        index = self.header.index(name) if name in self.header else 0
        cells = _list_columns(self._lines[line - 1]) if line <= len(self._lines) else [1]
        return PackageFlaw(self.file, line, cells[index] if index < len(cells) else 1, message)


def check_samples(samples: Mapping[str, str], event_types: Sequence[EventType]) -> Iterator[PackageFlaw]:
    """Find the flaws of all samples, by the names of their files without folder and ending."""
    named = {completed.slug: completed for completed in map(complete_slugs, event_types)}
    for name, text in samples.items():
        file = f"{SAMPLES_FOLDER}/{name}.csv"
        if name not in named:
            allowed = ", ".join(named) or "none"
            sentence = f"A sample is named by the slug of its event type, one of {allowed}; here is {name}."
            yield PackageFlaw(file, 1, 1, sentence)
            continue
        try:
            sample = _Sample(file, text)
        except csv.Error as error:
            yield PackageFlaw(file, 1, 1, f"The file is no CSV: {error}.")
            continue
        found = _check_sample(sample, named[name])
        yield from islice(found, FLAWS_SHOWN)
        if next(found, None) is not None:
            yield sample.flaw(f"The sample has more flaws than the {FLAWS_SHOWN} that are named.")


def complete_slugs(event_type: EventType) -> EventType:
    """The event type of a package with the slugs that the service makes of names where none is given."""
    points = [
        structs.replace(point, slug=point.slug or make_slug(point.name))
        for point in event_type.data_point_types
    ]
    slug = event_type.slug or make_slug(event_type.name)
    return structs.replace(event_type, slug=slug, data_point_types=points)


def _check_sample(sample: _Sample, event_type: EventType) -> Iterator[PackageFlaw]:
    try:
        columns = map_columns(sample.header, _FEED, event_type)
    except Invalid as refusal:
        for problem in refusal.problems:
            name = next((name for name in sample.header if repr(shorten(name)) in problem.message), None)
            yield sample.flaw(problem.message, 1, name)
        return
    required = {point.slug: point.name for point in event_type.data_point_types if point.required}
    yield from _check_header(sample, columns, event_type, required)
    if not sample.data:
        yield sample.flaw("The sample has no row below its header.")
    mapping = RowMapping(
        columns=columns,
        clock=build_clock(_FEED),
        event_type=event_type.slug,
        locations=[],
        feedstocks=_AnyName(),
        assets=_AnyName(),
        reference=None,
        places=_AnyName(),
        missing=MissingMarks.of([]),
    )
    given = {point.slug: sample.header[point.index] for point in columns.points if point.slug in required}
    for outcome in read_rows(sample, mapping):
        yield from _check_row(sample, outcome, given)


def _check_header(
    sample: _Sample, columns: Columns, event_type: EventType, required: Mapping[str, str]
) -> Iterator[PackageFlaw]:
    """Columns that events of the type cannot do without."""
    given = {point.slug for point in columns.points} | columns.fields.keys()
    lacking = [slug for slug in required if slug not in given]
    if event_type.requires_tracking_id and "tracking_id" not in given:
        lacking.append("tracking_id")
    if EXPECTED_LOCATIONS[event_type.expected_locations] and LOCATION_FIELD not in given:
        lacking.append(LOCATION_FIELD)
    for name in ("start_time", *lacking):
        if name not in given:
            yield sample.flaw(f"The sample lacks the column {name}, which events of {event_type.slug} need.")


def _check_row(
    sample: _Sample, outcome: NumberedEvent | BadRow, given: Mapping[str, str]
) -> Iterator[PackageFlaw]:
    if isinstance(outcome, BadRow):
        for problem in outcome.problems:
            name = problem.column or problem.reason.partition(":")[0]
            yield sample.flaw(f"A feed would refuse the row: {problem}.", outcome.line, name)
        return
    values = {point.slug for point in outcome.event.data_points if point.value is not None}
    for slug, name in given.items():
        if slug not in values:
            yield sample.flaw(f"The event lacks {slug}, which its type requires.", outcome.line, name)
    end = outcome.event.end_time
    if end is not None and end < outcome.event.start_time:
        yield sample.flaw("The event ends before it begins.", outcome.line, "end_time")


def _list_columns(line: str) -> list[int]:
    """Where the cells of a line begin, counted from 1; commas within quotes begin none."""
    begins, is_quoted = [1], False
    for at, character in enumerate(line, 1):
        is_quoted ^= character == _QUOTE
        if character == "," and not is_quoted:
            begins.append(at + 1)
    return begins
