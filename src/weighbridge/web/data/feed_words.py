"""What a data feed says, as sentences: how its files are read, and what becomes of their rows."""

from collections.abc import Mapping, Sequence
from typing import Final

from weighbridge.collection.event_types.records import EventType
from weighbridge.core.collection.data_feed import (
    BadRows,
    DecimalMark,
    Formulas,
    OnDifference,
    OtherColumns,
    ReferenceRule,
)
from weighbridge.exchange.data_feeds.records import DataFeed, FeedColumn
from weighbridge.exchange.tabular.clock import DURATION, STEPS
from weighbridge.exchange.tabular.columns import LEFT_OUT, LOCATION_FIELD
from weighbridge.web.showing.words import plural

DELIMITERS: Final[Mapping[str, str]] = {",": "comma", ";": "semicolon", "\t": "tab", "|": "upright line"}
"""What cells of CSV files are parted by, in words."""

FIELDS: Final[Mapping[str, str]] = {
    "start_time": "when it begins",
    "end_time": "when it ends",
    "tracking_id": "tracking id",
    LOCATION_FIELD: "location, by its name or id",
    "feedstock": "feedstock, by its name or id",
    "asset": "asset, by its name or id",
    "client_reference": "client reference",
    "notes": "notes",
}
"""What a column may give of the event itself."""

REFERENCES: Final[Mapping[str, str]] = {
    ReferenceRule.ROW: "by the content of the file and the line: the same file adds nothing twice",
    ReferenceRule.TIME: "by what it is of and when it begins: files may overlap, grow and be mended",
    ReferenceRule.COLUMN: "by the column that gives the client reference",
}
BAD_ROWS: Final[Mapping[str, str]] = {
    BadRows.REFUSE_FILE: "one bad row refuses the whole file",
    BadRows.SKIP: "a bad row is left out and reported, the others are stored",
}
DIFFERENCES: Final[Mapping[str, str]] = {
    OnDifference.REPORT: "they stay as they are, and the row is reported",
    OnDifference.CORRECT: "they are corrected to what the file says",
}
OTHERS: Final[Mapping[str, str]] = {
    OtherColumns.REFUSE: "a column about which nothing is said refuses the file",
    OtherColumns.LEAVE_OUT: "a column about which nothing is said is left out",
}
FORMULAS: Final[Mapping[str, str]] = {
    Formulas.REFUSE: "a cell with a formula makes its row bad",
    Formulas.TAKE_STORED: "of a formula the value that was saved with it is taken",
}
MARKS: Final[Mapping[str, str]] = {DecimalMark.POINT: "a point", DecimalMark.COMMA: "a comma"}


def said_of(feed: DataFeed) -> list[tuple[str, str]]:
    """What the feed does, a term and a sentence each."""
    texts = ", ".join(feed.missing)
    return [
        ("Files", _files(feed)),
        ("Times", _times(feed)),
        ("Length", _length(feed)),
        ("Numbers", f"{MARKS[feed.decimal_mark]} stands before the decimals"),
        ("No value", f"an empty cell, {texts}" if texts else "an empty cell"),
        ("Told apart", REFERENCES[feed.client_reference]),
        ("Bad rows", BAD_ROWS[feed.bad_rows]),
        ("Other values", f"of events that are there: {DIFFERENCES[feed.on_difference]}"),
        ("Other columns", OTHERS[feed.other_columns]),
        ("Formulas", FORMULAS[feed.formulas]),
    ]


def meaning_of(column: FeedColumn, event_type: EventType) -> str:
    """What a column gives, in words."""
    if column.field == LEFT_OUT:
        return "nothing, it is left out"
    point = next((one for one in event_type.data_point_types if one.slug == column.field), None)
    if point is None:
        return FIELDS.get(column.field, column.field)
    return point.name


def unit_of(column: FeedColumn, event_type: EventType) -> str:
    """The unit in which the numbers of a column are written, and into which they are converted."""
    own = next((one.unit for one in event_type.data_point_types if one.slug == column.field), None) or ""
    written = column.unit or own
    return written if written == own or not own else f"{written}, converted to {own}"


def fields_of(event_type: EventType) -> Sequence[tuple[str, Sequence[tuple[str, str]]]]:
    """What a column may give, in groups: of the values, of the event."""
    points = [
        (one.slug, f"{one.name} ({one.unit})" if one.unit else one.name)
        for one in event_type.data_point_types
    ]
    taken = {slug for slug, _ in points}
    of_event = [(field, words) for field, words in FIELDS.items() if field not in taken]
    return (("Values", points), ("Of the event", of_event))


def _files(feed: DataFeed) -> str:
    parted = DELIMITERS.get(feed.delimiter, repr(feed.delimiter))
    sheet = f"the sheet {feed.sheet}" if feed.sheet else "the first sheet"
    units = ", and the next one their units" if feed.units_line else ""
    return (
        f"CSV in {feed.encoding} with a {parted} between cells, or a workbook, of which {sheet} is read; "
        f"line {feed.header_line} names the columns{units}"
    )


def _times(feed: DataFeed) -> str:
    form = f"written as {feed.time_format}" if feed.time_format else "in ISO 8601"
    zone = f"on the clock of {feed.time_zone}" if feed.time_zone else "with an offset, or the row is bad"
    order = "; each row is later than the one before it" if feed.rows_in_order else ""
    return f"{form}, {zone}{order}"


def _length(feed: DataFeed) -> str:
    if feed.duration is None:
        return "a moment, unless a column says when it ends"
    match = DURATION.fullmatch(feed.duration)
    if match is None:
        return feed.duration
    return f"{plural(int(match[1]), STEPS[match[2]].removesuffix('s'))} from when it begins"
