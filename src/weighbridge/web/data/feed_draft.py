"""A data feed while it is typed: what its form shows, and what the interface is sent of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from weighbridge.core.problem import Problem
from weighbridge.exchange.data_feeds.records import DataFeed, FeedColumn, SuggestedColumns
from weighbridge.exchange.feeding.sampling import FileSample, time_format_of
from weighbridge.exchange.tabular.columns import LEFT_OUT
from weighbridge.web.data.feed_words import DELIMITERS
from weighbridge.web.visit import Visit

LINES_FREE: Final = 4
"""Lines for further columns that the form has."""

CELLS_SHOWN: Final = 3
"""Cells of a column that stand beside it, the first of the sample."""

CELL_LENGTH_SHOWN: Final = 24

_TEXTS: Final = (
    "name",
    "encoding",
    "bad_rows",
    "on_difference",
    "client_reference",
    "other_columns",
    "decimal_mark",
    "formulas",
)
_OR_NULL: Final = ("time_zone", "time_format", "duration", "sheet", "watch", "feedstock_id", "asset_id")
_TAB: Final = "tab"
"""How a tab is typed, which a field would not keep."""

_CELLS_APART: Final = " · "


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """A line of the form: what a column of a file gives."""

    column: str = ""
    field: str = ""
    unit: str = ""
    sample: str = ""
    """The first cells of the column, where a sample came."""
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class FeedDraft:
    """All that the form shows."""

    texts: dict[str, str] = field(default_factory=dict)
    lines: list[ColumnLine] = field(default_factory=list)
    locations: list[str] = field(default_factory=list)
    in_order: bool = False
    has_units: bool = False
    """Whether a line of units stands below the header."""

    def text(self, name: str, usual: str = "") -> str:
        """What stands in a field."""
        return self.texts.get(name, usual)


def drawn_up(name: str = "", zone: str = "") -> FeedDraft:
    """A feed of which nothing is known yet."""
    return FeedDraft({"name": name, "time_zone": zone}, [ColumnLine()] * LINES_FREE)


def of_feed(feed: DataFeed) -> FeedDraft:
    """A feed as it is."""
    texts = {one: getattr(feed, one) or "" for one in (*_TEXTS, *_OR_NULL)}
    texts |= {
        "delimiter": _TAB if feed.delimiter == "\t" else feed.delimiter,
        "header_line": str(feed.header_line),
        "missing": ", ".join(feed.missing),
    }
    lines = [ColumnLine(one.column, one.field, one.unit or "") for one in feed.columns]
    all_lines = [*lines, *[ColumnLine()] * LINES_FREE]
    return FeedDraft(texts, all_lines, feed.location_ids, feed.rows_in_order, feed.units_line)


def of_sample(sample: FileSample, suggested: SuggestedColumns, zone: str) -> FeedDraft:
    """A feed as a sample of its files suggests it; columns about which nothing is known are left out."""
    time_format, has_offsets = time_format_of(sample, suggested)
    known = {one.column: one for one in suggested.columns}
    lines = [
        _line(known.get(name, FeedColumn(name, LEFT_OUT)), sample.column(index))
        for index, name in enumerate(sample.header)
    ]
    texts = {
        "name": sample.name.rpartition(".")[0] or sample.name, "encoding": sample.encoding,
        "delimiter": _TAB if sample.delimiter == "\t" else sample.delimiter,
        "header_line": str(sample.header_line), "decimal_mark": sample.decimal_mark,
        "time_format": time_format or "", "time_zone": "" if has_offsets else zone,
    }  # fmt: skip
    return FeedDraft(texts, lines, has_units=sample.has_units_line)


def of_typed(visit: Visit) -> FeedDraft:
    """A feed as it was typed, with what is wrong beside the lines of its columns."""
    texts = {name: visit.text(name) for name in visit.typed}
    lines = list(_typed_lines(visit))
    sent = [at for at, one in enumerate(lines) if _is_sent(one)]
    wrong: dict[int, str] = {}
    for problem in visit.problems:
        at = _place_of(problem)
        if at is not None and at < len(sent):
            wrong[sent[at]] = f"{wrong.get(sent[at], '')} {problem.message}".strip()
    shown = [
        ColumnLine(one.column, one.field, one.unit, one.sample, wrong.get(at, ""))
        for at, one in enumerate(lines)
    ]
    locations = [one for one in visit.texts("location_ids") if one]
    return FeedDraft(texts, shown, locations, "rows_in_order" in texts, "units_line" in texts)


def body_of(visit: Visit) -> dict[str, Any]:
    """What was typed, as the interface takes it."""
    body: dict[str, Any] = {name: visit.text(name) for name in _TEXTS}
    body |= {name: visit.text(name) or None for name in _OR_NULL}
    line, delimiter = visit.text("header_line"), visit.text("delimiter")
    columns = [
        {"column": one.column, "field": one.field, "unit": one.unit or None}
        for one in _typed_lines(visit)
        if _is_sent(one)
    ]
    return body | {
        "columns": columns,
        "delimiter": "\t" if delimiter == _TAB else delimiter,
        "header_line": int(line) if line.isascii() and line.isdigit() and len(line) < 9 else line,
        "missing": [one.strip() for one in visit.text("missing").split(",") if one.strip()],
        "location_ids": [one for one in visit.texts("location_ids") if one],
        "rows_in_order": visit.text("rows_in_order") == "yes",
        "units_line": visit.text("units_line") == "yes",
    }


def delimiters(draft: FeedDraft) -> list[tuple[str, str]]:
    """The delimiters that the form offers, with the one that is set."""
    offered = [(_TAB if one == "\t" else one, words) for one, words in DELIMITERS.items()]
    own = draft.text("delimiter")
    return offered if not own or own in {one for one, _ in offered} else [*offered, (own, own)]


def _line(column: FeedColumn, cells: Sequence[str]) -> ColumnLine:
    shown = [
        cell if len(cell) <= CELL_LENGTH_SHOWN else f"{cell[:CELL_LENGTH_SHOWN]}…"
        for cell in cells[:CELLS_SHOWN]
    ]
    return ColumnLine(column.column, column.field, column.unit or "", _CELLS_APART.join(shown))


def _typed_lines(visit: Visit) -> Iterator[ColumnLine]:
    columns, fields, units, samples = (visit.texts(name) for name in ("column", "field", "unit", "sample"))
    for at, column in enumerate(columns):
        rest = (one[at].strip() if at < len(one) else "" for one in (fields, units, samples))
        yield ColumnLine(column.strip(), *rest)


def _is_sent(line: ColumnLine) -> bool:
    """Whether a line says anything: without a field the column gives what its name says."""
    return bool(line.field)


def _place_of(problem: Problem) -> int | None:
    """Which of the columns a problem is about; None where it is about none."""
    _, bracket, rest = (problem.field or "").partition("columns[")
    number = rest.partition("]")[0]
    return int(number) if bracket and number.isdigit() else None
