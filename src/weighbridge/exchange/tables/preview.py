"""A preview: the first rows of a sample as the events that a feed would store, before there is a feed.

Invariants: rows are read by the code that reads files; nothing is stored or looked up, so a name of a record
is given back as it is written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from weighbridge.collection.records.data_points import EXPECTED_LOCATIONS, EventType
from weighbridge.collection.records.events import NewEvent
from weighbridge.core.time.calendar import Instant
from weighbridge.exchange.records.data_feeds import DataFeed
from weighbridge.exchange.tables.cell import LimitRule, MissingMarks, NumberForm
from weighbridge.exchange.tables.columns import LOCATION_FIELD, build_clock, map_columns
from weighbridge.exchange.tables.rows import NumberedEvent, RowMapping, read_rows
from weighbridge.exchange.tables.table import BadRow, FileRow


class _EveryName(dict[str, str]):
    """Any name is that of a record: which ones there are is known when a file comes."""

    def get(self, name: str, _: object = None) -> str:
        return name


@dataclass(frozen=True, slots=True)
class PreviewedRow:
    """A row of a sample, and the event that it becomes or why it becomes none."""

    line: int
    cells: list[str]
    start: Instant | None = None
    end: Instant | None = None
    values: dict[str, object] = field(default_factory=dict)
    """The values of its data points, by their slugs, in the units of these."""
    fields: dict[str, str] = field(default_factory=dict)
    """Other fields of the event."""
    problem: str = ""


class _SampleTable:
    """The rows of a sample as a table."""

    bytes_read = 0
    formulas = 0

    def __init__(self, header: Sequence[str], rows: Sequence[FileRow]) -> None:
        self.header = header
        self.rows: Iterator[FileRow] = iter(rows)

    def refusal(self, _: FileRow) -> None:
        """A sample has only the texts of its cells."""


def preview_rows(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    feed: DataFeed,
    event_type: EventType,
    units: Sequence[str] = (),
) -> list[PreviewedRow]:
    """Read the rows of a sample as a feed would; Invalid where the columns fit no file."""
    first = feed.header_line + 1 + bool(units)
    numbered = [FileRow(first + at, [*cells]) for at, cells in enumerate(rows)]
    form = NumberForm.of(feed.decimal_mark, feed.thousands_separator)
    mapping = RowMapping(
        columns=map_columns(header, feed, event_type, _find_units_line(feed, units)),
        clock=build_clock(feed),
        event_type=event_type.slug,
        locations=[],
        feedstocks=_EveryName(),
        assets=_EveryName(),
        reference=None,
        places=_EveryName(),
        numbers=form,
        limits=LimitRule(feed.below_limit, feed.above_limit),
        missing=MissingMarks.of(feed.missing, form),
    )
    cells = {row.line: row.cells for row in numbered}
    return [
        _describe_row(outcome, cells[outcome.line])
        for outcome in read_rows(_SampleTable(header, numbered), mapping)
    ]


def list_lacking(
    header: Sequence[str],
    feed: DataFeed,
    event_type: EventType,
    units: Sequence[str] = (),
    *,
    new_locations: int = 0,
) -> list[str]:
    """Say what events of a type need and neither a column nor the feed gives, in sentences.

    Locations that are created together with the feed count as given by it.
    """
    fields = map_columns(header, feed, event_type, _find_units_line(feed, units)).fields
    given = len(feed.location_ids) + new_locations + (LOCATION_FIELD in fields)
    needed = EXPECTED_LOCATIONS[event_type.expected_locations]
    lacking = []
    if given < needed:
        count = f"{needed} location{'s' if needed > 1 else ''}"
        remedy = "Map a column to location, or set one below."
        lacking.append(f"Events of type {event_type.name} need {count}. {remedy}")
    if event_type.requires_tracking_id and "tracking_id" not in fields:
        remedy = "Map a column to tracking ID."
        lacking.append(f"Events of type {event_type.name} need a tracking ID. {remedy}")
    return lacking


def _find_units_line(feed: DataFeed, units: Sequence[str]) -> FileRow | None:
    return FileRow(feed.header_line + 1, [*units]) if units else None


def _describe_row(outcome: NumberedEvent | BadRow, cells: list[str]) -> PreviewedRow:
    if isinstance(outcome, BadRow):
        return PreviewedRow(outcome.line, cells, problem=f"{'; '.join(outcome.reasons)}.")
    event = outcome.event
    return PreviewedRow(
        outcome.line, cells, Instant.of(event.start_time), _instant_of(event.end_time),
        {point.slug: point.value for point in event.data_points}, _list_fields(event),
    )  # fmt: skip


def _instant_of(moment: datetime | None) -> Instant | None:
    return None if moment is None else Instant.of(moment)


def _list_fields(event: NewEvent) -> dict[str, str]:
    texts = {
        "tracking_id": event.tracking_id, "feedstock": event.feedstock_id, "asset": event.asset_id,
        "location": ", ".join(location.id for location in event.locations if isinstance(location.id, str)),
        "client_reference": event.client_reference, "notes": event.notes,
    }  # fmt: skip
    return {name: text for name, text in texts.items() if text}
