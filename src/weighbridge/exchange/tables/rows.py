"""Rows: each becomes an event, or is bad for reasons that are all named; and how it differs from its event.

Where rows are in order, a local time that a zone has twice is decided by the rows around it. Between the rows
of one night every choice is tried that leaves each row later than the one before it: what all choices agree
on is so, and a row about which they differ is refused. An hour of which no row comes a second time is left
open, for nothing tells whether the first or the second one was lost.

Invariants: an empty cell is a value that is missing, never a zero; the rules of events are those of the
intake that every event goes through. A field about which neither a column nor the mapping says anything is in
no row's power: it is not compared, and never corrected. No time is guessed; rows come out in the order of the
file; at most `NIGHT_ROWS_MAX` rows wait for the rows behind them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.collection.intake.client_references import NOT_CORRECTED, Discrepancy, FieldKey
from weighbridge.collection.records.events import EventChange, LocationRef, NewDataPoint, NewEvent
from weighbridge.core.number import NumberError, limit_number, shorten
from weighbridge.core.unit import Conversion, convert_by
from weighbridge.exchange.tables.cell import (
    POINTS,
    CellError,
    Clock,
    LimitRule,
    MissingMarks,
    Moments,
    NumberForm,
    ReadyCell,
    add_length,
    is_limit,
    list_times,
    read_boolean,
    read_limit,
    read_number,
)
from weighbridge.exchange.tables.columns import LOCATION_FIELD, Columns, Point
from weighbridge.exchange.tables.table import BadRow, FileRow, RowProblem, RowTable

NAMES_SHOWN: Final = 10
"""Feedstocks or assets that a message names as allowed, at most."""

_BLANK_LINE: Final = "the line is blank, yet every row is counted for its time"


@dataclass(frozen=True, slots=True)
class RowMapping:
    """How the rows of one file become events."""

    columns: Columns
    clock: Clock
    event_type: str
    locations: list[LocationRef]
    feedstocks: Mapping[str, str]
    assets: Mapping[str, str]
    reference: str | None
    """The prefix of client references, before the line; None gives events no generated ones."""
    is_known_by_time: bool = False
    """Whether references go on with what an event is of and when it starts, and not with its line."""
    places: Mapping[str, str] = field(default_factory=dict)
    """The locations that a column may name: ids by name, and by themselves."""
    feedstock: str | None = None
    """The feedstock of rows that name none."""
    asset: str | None = None
    """The asset of rows that name none."""
    numbers: NumberForm = POINTS
    limits: LimitRule = LimitRule()  # noqa: RUF009 - a frozen value
    missing: MissingMarks = MissingMarks()  # noqa: RUF009 - a frozen value


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event with the line that it came from."""

    line: int
    event: NewEvent
    is_known_by_line: bool = False
    """Whether its client reference was made of the line, and not brought by a column."""


class RowTimes(NamedTuple):
    """When a row begins and ends, or why that is not known."""

    begin: datetime | None = None
    end: datetime | None = None
    error: str | None = None


def check_form(mapping: RowMapping, row: FileRow) -> BadRow | None:
    """Why a row is bad by its form alone: a line that is blank, or has other cells than the header."""
    if not row.cells:
        return BadRow(row.line, (RowProblem(_BLANK_LINE),))
    width = len(mapping.columns.header)
    # Delimiters at the end of a line are no cells.
    further = () if mapping.columns.leaves_unnamed else row.cells[width:]
    if len(row.cells) < width or any(map(str.strip, further)):
        reason = f"it has {len(row.cells)} cells, but the header has {width}"
        return BadRow(row.line, (RowProblem(reason),))
    return None


def is_passed_over(mapping: RowMapping, row: FileRow) -> bool:
    """Whether a row harms nothing: a blank line, or one of empty cells as spreadsheets write below a table.

    Where rows are counted for their times, it is a row without values.
    """
    return mapping.clock.start is None and not any(map(str.strip, row.cells))


def read_row(mapping: RowMapping, row: FileRow, times: RowTimes) -> NumberedEvent | BadRow:
    """Make the event of a row of the right form."""
    problems: list[RowProblem] = []
    begin, end = _check_times(mapping, row, times, problems)
    points = _read_points(mapping, row.cells, problems)
    fields = mapping.columns.fields
    feedstock, asset, locations = mapping.feedstock, mapping.asset, mapping.locations
    if "feedstock" in fields:
        feedstock = _find_named(mapping, row.cells, "feedstock", mapping.feedstocks, problems) or feedstock
    if "asset" in fields:
        asset = _find_named(mapping, row.cells, "asset", mapping.assets, problems) or asset
    if LOCATION_FIELD in fields and (
        place := _find_named(mapping, row.cells, LOCATION_FIELD, mapping.places, problems)
    ):
        locations = [*locations, LocationRef(place)]
    if problems or begin is None:
        return BadRow(row.line, tuple(problems))
    event = NewEvent(
        event_type=mapping.event_type,
        start_time=begin,
        end_time=end,
        tracking_id=(read_cell(mapping, row.cells, "tracking_id") or None)
        if "tracking_id" in fields
        else None,
        feedstock_id=feedstock,
        asset_id=asset,
        client_reference=_build_reference(
            mapping, row, begin, (asset, feedstock, *locations[len(mapping.locations) :])
        ),
        notes=(read_cell(mapping, row.cells, "notes") or None) if "notes" in fields else None,
        locations=locations,
        data_points=points,
    )
    is_known_by_line = not mapping.is_known_by_time and not mapping.columns.has_references
    return NumberedEvent(row.line, event, is_known_by_line=is_known_by_line)


def _check_times(
    mapping: RowMapping, row: FileRow, times: RowTimes, problems: list[RowProblem]
) -> tuple[datetime | None, datetime | None]:
    if times.error is None:
        return times.begin, times.end
    name = "end_time" if times.error.startswith("end_time") else "start_time"
    problems.append(RowProblem(times.error, None, read_cell(mapping, row.cells, name) or None, name))
    return None, None


def _read_points(mapping: RowMapping, cells: list[str], problems: list[RowProblem]) -> list[NewDataPoint]:
    points: list[NewDataPoint] = []
    missing = mapping.missing.texts
    for point in mapping.columns.points:
        cell = cells[point.index]
        text = cell if type(cell) is ReadyCell else cell.strip()
        if text in missing or (mapping.missing.has_nan and mapping.missing.includes(text)):
            continue
        try:
            if point.value_type == "number":
                _read_number_cell(mapping, point, text, points)
            else:
                value = read_boolean(text) if point.value_type == "boolean" else str(cell)
                points.append(NewDataPoint(point.slug, value))
        except CellError as error:
            problems.append(RowProblem(str(error), mapping.columns.header[point.index], cell))
    return points


def _read_number_cell(mapping: RowMapping, point: Point, text: str, points: list[NewDataPoint]) -> None:
    """Add the value of a number, and the flag of one that is only bounded; nothing where none is there."""
    flag: NewDataPoint | None = None
    if is_limit(text):
        number = read_limit(text, mapping.numbers, mapping.limits)
        if point.flag is None:
            raise CellError(f"{shorten(text)!r} is a detection limit; give its column a flag that keeps it")
        flag = NewDataPoint(point.flag, text)
    else:
        number = read_number(text, mapping.numbers)
        if mapping.missing.numbers and number in mapping.missing.numbers:
            return
    if point.conversion is not None:
        number = _convert(number, point.conversion)
    points.append(NewDataPoint(point.slug, number))
    if flag is not None:
        points.append(flag)


def _convert(value: Decimal, conversion: Conversion) -> Decimal:
    """The number in the unit of its data point, by exact rationals and rounded once at most."""
    try:
        return limit_number(convert_by(value, *conversion))
    except NumberError as error:
        raise CellError(f"converted to the unit of the data point, {str(error).rstrip('.')}") from None


def _find_named(
    mapping: RowMapping,
    cells: list[str],
    noun: str,
    ids_by_name: Mapping[str, str],
    problems: list[RowProblem],
) -> str | None:
    """The id of the feedstock, asset or location that a cell names."""
    text = read_cell(mapping, cells, noun)
    if not text:
        return None
    friendly = ids_by_name.get(text)
    if friendly is None:
        names = sorted(name for name, other_id in ids_by_name.items() if name != other_id)
        more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        allowed = ", ".join(map(repr, names[:NAMES_SHOWN])) or "none"
        reason = f"{shorten(text)!r} is no {noun} of the project, which has {allowed}{more}"
        problems.append(RowProblem(reason, None, text, noun))
    return friendly


def _build_reference(
    mapping: RowMapping, row: FileRow, begin: datetime, of: tuple[str | LocationRef | None, ...]
) -> str | None:
    if mapping.columns.has_references:
        return read_cell(mapping, row.cells, "client_reference") or None
    if mapping.is_known_by_time:
        ids = [part.id if isinstance(part, LocationRef) else part for part in of if part is not None]
        return ":".join([mapping.reference or "", begin.isoformat(), *ids])
    return None if mapping.reference is None else f"{mapping.reference}:{row.line}"


def read_cell(mapping: RowMapping, cells: list[str], name: str) -> str:
    """The text of an event's field; empty when no column gives it or a cell says that it is missing."""
    indexes = mapping.columns.fields.get(name)
    if not indexes:
        return ""
    if len(indexes) == 1:
        cell = cells[indexes[0]]
        text = cell if type(cell) is ReadyCell else cell.strip()
        return "" if mapping.missing.includes(text) else text
    texts = [cells[index].strip() for index in indexes]
    if mapping.missing.texts.intersection(texts):
        return ""
    joined = " ".join(texts)
    return ReadyCell(joined) if texts and all(type(cells[at]) is ReadyCell for at in indexes) else joined


_FIELDS: Final = {"feedstock": "feedstock_id", "asset": "asset_id", LOCATION_FIELD: "locations"}
"""The names of event fields, where columns use another word."""


_TAKING_AWAY: Final = (
    "a file takes no value away and replaces no notes or locations; mend it, or change the event {event}"
)
_CORRECTED: Final = "the event {event} is corrected to what the file says"
_WOULD_BE_CORRECTED: Final = "the event {event} would be corrected to what the file says"

GivenFields = Mapping[FieldKey, str | None]
"""What rows give, each with its column; what is said of every row has none."""


def list_given_fields(mapping: RowMapping) -> GivenFields:
    """The fields of events and the data points that rows give."""
    columns, clock = mapping.columns, mapping.clock
    of_every_row = {
        "start_time": clock.start, "end_time": clock.every, "feedstock": mapping.feedstock,
        "asset": mapping.asset, LOCATION_FIELD: mapping.locations or None,
    }  # fmt: skip
    columns_by_field: dict[str, str | None] = {
        name: None for name, value in of_every_row.items() if value is not None
    }
    for name, indexes in columns.fields.items():
        if name == "utc_offset":
            continue
        columns_by_field[name] = ", ".join(columns.header[index] for index in indexes)
    values = {(point.slug, True): columns.header[point.index] for point in columns.points}
    for point in columns.points:
        if point.flag is not None:
            values.setdefault((point.flag, True), columns.header[point.index])
    return {(_FIELDS.get(name, name), False): column for name, column in columns_by_field.items()} | values


def build_differing_row(
    line: int, event: str, discrepancies: Sequence[Discrepancy], given: GivenFields, outcome: str
) -> BadRow:
    """Build the report of a row whose event has other values; `outcome` is the action taken."""
    return BadRow(
        line,
        tuple(
            RowProblem(
                f"{discrepancy.describe('the file')}; {outcome}",
                given.get(discrepancy.key),
                discrepancy.sent,
                discrepancy.field,
                discrepancy.stored,
                event,
            )
            for discrepancy in discrepancies
        ),
    )


def describe_outcome(
    event: str, stays: str, *, is_correcting: bool, is_correctable: bool, is_dry_run: bool = False
) -> str:
    """The outcome for an event that a row differs from, as the end of a sentence.

    `stays` is what to do where events are not corrected, with the place {event}.
    """
    if not is_correcting:
        return stays.format(event=event)
    if not is_correctable:
        return _TAKING_AWAY.format(event=event)
    return (_WOULD_BE_CORRECTED if is_dry_run else _CORRECTED).format(event=event)


def is_correctable(discrepancies: Sequence[Discrepancy]) -> bool:
    """Whether all that differs can be corrected: nothing is taken away, nothing replaced without a trace."""
    return all(
        discrepancy.sent is not None and (discrepancy.is_value or discrepancy.field not in NOT_CORRECTED)
        for discrepancy in discrepancies
    )


def build_change(event: NewEvent, discrepancies: Sequence[Discrepancy], reason: str) -> EventChange:
    """The change that makes an event equal its row; raises nothing, for the row was checked before."""
    field_names = {discrepancy.field for discrepancy in discrepancies if not discrepancy.is_value}
    slugs = {discrepancy.field for discrepancy in discrepancies if discrepancy.is_value}
    fields: dict[str, Any] = {name: getattr(event, name) for name in field_names}
    if "end_time" in fields and event.end_time is None:
        fields["end_time"] = event.start_time
    points = [point for point in event.data_points if point.slug in slugs]
    return EventChange(**fields, data_points=points, reason=reason)


# The times of rows.


NIGHT_ROWS_MAX: Final = 20_000
"""Rows that wait for the ones after them; two hours of readings of every second are 7,200."""

_NIGHT: Final = timedelta(days=1)
"""Times that come twice and lie farther apart belong to two nights."""


@dataclass(slots=True)
class _DatedRow:
    """A row with the times that it may have."""

    row: FileRow
    bad: BadRow | None = None
    starts: Moments = ()
    ends: Moments = ()
    start: str = ""
    end: str = ""
    error: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether rows around it have to decide when it begins or ends."""
        return len(self.starts) > 1 or len(self.ends) > 1


def read_rows(table: RowTable, mapping: RowMapping) -> Iterator[NumberedEvent | BadRow]:
    """Read the rows of a table; blank ones that harm nothing are passed over."""
    rows = _date_rows(table, mapping)
    for dated_row in _decide_rows(rows, mapping.clock) if mapping.clock.is_in_order else rows:
        if dated_row.bad is not None:
            yield dated_row.bad
        else:
            yield read_row(mapping, dated_row.row, _find_times(dated_row, mapping.clock))


_TIME_CELLS: Final = ("start_time", "end_time", "utc_offset")


def _date_rows(table: RowTable, mapping: RowMapping) -> Iterator[_DatedRow]:
    index = 0
    for row in table.rows:
        bad = table.refusal(row)
        if bad is None and is_passed_over(mapping, row):
            continue
        bad = bad or check_form(mapping, row)
        if bad is not None:
            yield _DatedRow(row, bad)
        else:
            start, end, offset = (read_cell(mapping, row.cells, name) for name in _TIME_CELLS)
            try:
                starts, ends = list_times(mapping.clock, index, start, end, offset)
                yield _DatedRow(row, None, starts, ends, start, end)
            except CellError as error:
                yield _DatedRow(row, error=str(error))
        index += 1


def _find_times(dated_row: _DatedRow, clock: Clock) -> RowTimes:
    if dated_row.error is not None:
        return RowTimes(error=dated_row.error)
    begin = dated_row.starts[0]
    try:
        return RowTimes(begin, dated_row.ends[0] if dated_row.ends else add_length(clock, begin))
    except CellError as error:
        return RowTimes(error=str(error))


def _decide_rows(rows: Iterable[_DatedRow], clock: Clock) -> Iterator[_DatedRow]:
    """The rows, each with one begin and one end at most, or with an error."""
    decision = _Decision(clock)
    night: list[_DatedRow] = []
    for row in rows:
        if not night and not row.is_open:
            decision.follow(row)
            yield row
            continue
        night.append(row)
        is_over = len(row.starts) == 1 and not row.is_open
        if is_over or len(night) >= NIGHT_ROWS_MAX:
            decision.settle(night)
            yield from night
            night = []
    decision.settle(night)
    yield from night


class _Decision:
    """Decides rows, with what is known of those before them."""

    def __init__(self, clock: Clock) -> None:
        self._zone = "its zone" if clock.zone is None else clock.zone.key
        self._last: datetime | None = clock.after
        """The start of the last row that has one, perhaps of the file before."""
        self._after = clock.after
        self._is_first = True
        self._length: timedelta | None = None
        """How long the last row is."""

    def follow(self, dated_row: _DatedRow) -> None:
        """Take in a row whose times are decided; it is refused unless it is later than the one before it."""
        if len(dated_row.starts) != 1 or dated_row.error is not None:
            return
        if self._last is not None and dated_row.starts[0] <= self._last:
            before = "the files before it" if self._is_first and self._after else "the row before it"
            dated_row.error = f"start_time: {shorten(dated_row.start)!r} is not later than {before}"
            return
        self._is_first = False
        self._last = dated_row.starts[0]
        self._length = dated_row.ends[0] - dated_row.starts[0] if dated_row.ends else None

    def settle(self, night: Sequence[_DatedRow]) -> None:
        """Decide the rows of a night, in their order."""
        self._decide_starts([dated_row for dated_row in night if dated_row.starts])
        for place, dated_row in enumerate(night):
            if dated_row.error is None and len(dated_row.ends) > 1:
                self._decide_end(dated_row, night[place + 1] if place + 1 < len(night) else None)
            self.follow(dated_row)

    def _decide_starts(self, dated: Sequence[_DatedRow]) -> None:
        low, place = self._last, 0
        while place < len(dated):
            end = _find_group_end(dated, place)
            high = dated[end].starts[-1] if end < len(dated) else None
            if len(dated[place].starts) > 1:
                self._decide_group(dated[place:end], low, high)
            low, place = dated[end - 1].starts[0], end

    def _decide_group(self, group: Sequence[_DatedRow], low: datetime | None, high: datetime | None) -> None:
        """Decide times that come twice in one night: first come rows of the one hour, then of the other."""
        least, most = _count_first_hour(group, low, high)
        if least > most:  # a following row that is not later is the wrong one
            least, most = _count_first_hour(group, low, None)
        for place, dated_row in enumerate(group):
            if least > most:
                dated_row.error = self._build_error(
                    "start_time", dated_row.start, "are not in the order of their times"
                )
            elif place < least:
                dated_row.starts = dated_row.starts[:1]
            elif place >= most:
                dated_row.starts = dated_row.starts[1:]
            else:
                dated_row.error = self._build_error(
                    "start_time", dated_row.start, "do not decide which it is"
                )

    def _decide_end(self, dated_row: _DatedRow, following: _DatedRow | None) -> None:
        """Decide an end that comes twice: by the row behind, or by the row before, which is as long."""
        begin = dated_row.starts[0]
        possible = [end for end in dated_row.ends if end >= begin] or [dated_row.ends[-1]]
        if following is not None and following.error is None and len(following.starts) == 1:
            behind = following.starts[0]
            possible = [end for end in possible if end <= behind] or possible
            possible = [end for end in possible if end == behind] or possible
        if len(possible) > 1 and self._length is not None:
            possible = [end for end in possible if end - begin == self._length] or possible
        if len(possible) == 1:
            dated_row.ends = (possible[0],)
        else:
            dated_row.error = self._build_error("end_time", dated_row.end, "do not decide which it is")

    def _build_error(self, field: str, text: str, why: str) -> str:
        return (
            f"{field}: {shorten(text)!r} comes twice in {self._zone}, where the clocks go back then, and the "
            f"rows around it {why}; give its offset"
        )


def _find_group_end(dated: Sequence[_DatedRow], begin: int) -> int:
    """Where the rows end that are decided together: the times that come twice of one night, or one row."""
    end = begin + 1
    if len(dated[begin].starts) > 1:
        until = dated[begin].starts[0] + _NIGHT
        while end < len(dated) and len(dated[end].starts) > 1 and dated[end].starts[0] < until:
            end += 1
    return end


def _count_first_hour(
    group: Sequence[_DatedRow], low: datetime | None, high: datetime | None
) -> tuple[int, int]:
    """How many rows are of the first of the two hours, at least and at most; least > most where none fits."""
    first, second = [dated_row.starts[0] for dated_row in group], [dated_row.starts[1] for dated_row in group]
    size, most, least = len(group), 0, len(group)
    while most < size and _is_after(first[most], first[most - 1] if most else low):
        most += 1
    while least and _is_after(second[least] if least < size else high, second[least - 1]):
        least -= 1
    if not _is_after(second[0], low):
        least = max(least, 1)
    if not _is_after(high, first[-1]):
        most = min(most, size - 1)
    return least, most


def _is_after(later: datetime | None, earlier: datetime | None) -> bool:
    """Whether a row may follow another; a row that is not there forbids nothing."""
    return later is None or earlier is None or later > earlier
