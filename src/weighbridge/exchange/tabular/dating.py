"""The outcomes of a file's rows, each with its times: events, and rows that are bad.

Where rows are in order, a local time that a zone has twice is decided by the rows around it. Between the rows
of one night every choice is tried that leaves each row later than the one before it: what all choices agree
on is so, and a row about which they differ is refused. An hour of which no row comes a second time is left
open, for nothing tells whether the first or the second one was lost.

Invariants: no time is guessed; rows come out in the order of the file; at most `NIGHT_ROWS_MAX` rows wait for
the rows behind them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from weighbridge.core.quantity.number import shorten
from weighbridge.exchange.tabular.cell import CellError, Clock, Moments, add_length, possible_times
from weighbridge.exchange.tabular.row import (
    NumberedEvent,
    RowMapping,
    RowTimes,
    check_form,
    is_passed_over,
    read_cell,
    read_row,
)
from weighbridge.exchange.tabular.table import BadRow, FileRow, RowTable

NIGHT_ROWS_MAX: Final = 20_000
"""Rows that wait for the ones behind them; two hours of readings of every second are 7,200."""

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
    for one in _decide_rows(rows, mapping.clock) if mapping.clock.is_in_order else rows:
        if one.bad is not None:
            yield one.bad
        else:
            yield read_row(mapping, one.row, _times(one, mapping.clock))


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
            start, end = (
                read_cell(mapping, row.cells, "start_time"),
                read_cell(mapping, row.cells, "end_time"),
            )
            try:
                starts, ends = possible_times(mapping.clock, index, start, end)
                yield _DatedRow(row, None, starts, ends, start, end)
            except CellError as error:
                yield _DatedRow(row, error=str(error))
        index += 1


def _times(one: _DatedRow, clock: Clock) -> RowTimes:
    if one.error is not None:
        return RowTimes(error=one.error)
    begin = one.starts[0]
    try:
        return RowTimes(begin, one.ends[0] if one.ends else add_length(clock, begin))
    except CellError as error:
        return RowTimes(error=str(error))


def _decide_rows(rows: Iterable[_DatedRow], clock: Clock) -> Iterator[_DatedRow]:
    """The rows, each with one begin and one end at most, or with an error."""
    decision = _Decision(clock)
    night: list[_DatedRow] = []
    for one in rows:
        if not night and not one.is_open:
            decision.follow(one)
            yield one
            continue
        night.append(one)
        is_over = len(one.starts) == 1 and not one.is_open
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
        self._last: datetime | None = None
        """The start of the last row that has one."""
        self._length: timedelta | None = None
        """How long the last row is."""

    def follow(self, one: _DatedRow) -> None:
        """Take in a row whose times are decided; it is refused unless it is later than the one before it."""
        if len(one.starts) != 1 or one.error is not None:
            return
        if self._last is not None and one.starts[0] <= self._last:
            one.error = f"start_time: {shorten(one.start)!r} is not later than the row before it"
            return
        self._last = one.starts[0]
        self._length = one.ends[0] - one.starts[0] if one.ends else None

    def settle(self, night: Sequence[_DatedRow]) -> None:
        """Decide the rows of a night, in their order."""
        self._decide_starts([one for one in night if one.starts])
        for place, one in enumerate(night):
            if one.error is None and len(one.ends) > 1:
                self._decide_end(one, night[place + 1] if place + 1 < len(night) else None)
            self.follow(one)

    def _decide_starts(self, dated: Sequence[_DatedRow]) -> None:
        low, place = self._last, 0
        while place < len(dated):
            end = _end_of_group(dated, place)
            high = dated[end].starts[-1] if end < len(dated) else None
            if len(dated[place].starts) > 1:
                self._decide_group(dated[place:end], low, high)
            low, place = dated[end - 1].starts[0], end

    def _decide_group(self, group: Sequence[_DatedRow], low: datetime | None, high: datetime | None) -> None:
        """Decide times that come twice in one night: first come rows of the one hour, then of the other."""
        least, most = _rows_of_first_hour(group, low, high)
        if least > most:  # a row behind that is not later is the one that is wrong
            least, most = _rows_of_first_hour(group, low, None)
        for place, one in enumerate(group):
            if least > most:
                one.error = self._undecided("start_time", one.start, "are not in the order of their times")
            elif place < least:
                one.starts = one.starts[:1]
            elif place >= most:
                one.starts = one.starts[1:]
            else:
                one.error = self._undecided("start_time", one.start, "do not decide which it is")

    def _decide_end(self, one: _DatedRow, following: _DatedRow | None) -> None:
        """Decide an end that comes twice: by the row behind, or by the row before, which is as long."""
        begin = one.starts[0]
        possible = [end for end in one.ends if end >= begin] or [one.ends[-1]]
        if following is not None and following.error is None and len(following.starts) == 1:
            behind = following.starts[0]
            possible = [end for end in possible if end <= behind] or possible
            possible = [end for end in possible if end == behind] or possible
        if len(possible) > 1 and self._length is not None:
            possible = [end for end in possible if end - begin == self._length] or possible
        if len(possible) == 1:
            one.ends = (possible[0],)
        else:
            one.error = self._undecided("end_time", one.end, "do not decide which it is")

    def _undecided(self, field: str, text: str, why: str) -> str:
        return (
            f"{field}: {shorten(text)!r} comes twice in {self._zone}, where the clocks go back then, and the "
            f"rows around it {why}; give its offset"
        )


def _end_of_group(dated: Sequence[_DatedRow], begin: int) -> int:
    """Where the rows end that are decided together: the times that come twice of one night, or one row."""
    end = begin + 1
    if len(dated[begin].starts) > 1:
        until = dated[begin].starts[0] + _NIGHT
        while end < len(dated) and len(dated[end].starts) > 1 and dated[end].starts[0] < until:
            end += 1
    return end


def _rows_of_first_hour(
    group: Sequence[_DatedRow], low: datetime | None, high: datetime | None
) -> tuple[int, int]:
    """How many rows are of the first of the two hours, at least and at most; least > most where none fits."""
    first, second = [one.starts[0] for one in group], [one.starts[1] for one in group]
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
