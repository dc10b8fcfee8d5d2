"""The options of a data feed: how it treats bad rows, names rows and reads formulas."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem

HEADER_LINE_MAX: Final = 1_000
"""The last line on which a file may name its columns."""

HEADER_SEARCHED: Final = 0
"""In place of the line: the header is looked for by the names of its columns."""

COLUMNS_MAX: Final = 16_384
"""Columns of one file, as many as a sheet of XLSX has."""

COLUMN_NAME_LENGTH_MAX: Final = 1_000
"""Characters of the name of a column that a suggestion is asked for."""

COLUMNS_OF_FEED_MAX: Final = 1_000
"""Columns that a feed says something about."""

LOCATIONS_OF_FEED_MAX: Final = 2
"""Locations that a feed names in a list of their own."""

FILE_BYTES_MAX: Final = 1_073_741_824
"""The largest file that a feed takes, in bytes: 1 GB; what a request may bring is less by default."""

CONTENT_BYTES_MAX: Final = 4_294_967_296
"""How long the content of a gzipped file may be, in bytes: 4 GB."""

PROBLEMS_SHOWN: Final = 20
"""Bad rows that an upload shows; all are in its file of bad rows."""

ROWS_EDITED_MAX: Final = 100
"""Invalid rows of an upload that are given with their cells, and that one request corrects."""

ROWS_CORRECTED_MAX: Final = 10_000
"""Corrected rows of one file, after any number of requests."""

CELLS_EDITED_MAX: Final = 3_000
"""Cells of the invalid rows that are given at once, all together."""

CELL_CHARACTERS_EDITED_MAX: Final = 200_000
"""Characters of these cells, all together."""

FILES_TAKEN: Final = (
    "A file of CSV, plain or gzipped, JSON Lines or Parquet, a workbook (XLSX or ODS), or a ZIP archive of "
    "CSV or JSON Lines."
)
"""What files feeds take, in a sentence."""

NAME_OF_FILE_MAX: Final = 255
"""The longest name of a file, in characters."""


VALUE_MARK: Final = "="
"""How a column of a feed begins that no file has: what follows it is a value of every row."""

VALUE_FIELDS: Final = ("start_time", "end_time", "client_reference", "location")
"""What such a value may give."""

CONTENT_MARK: Final = "{content}"
"""Within a client reference: the first digits of the SHA-256 of the file's content."""


def is_value(column: str, field: str) -> bool:
    """Whether a feed's column is a value of every row, and no column of its files."""
    return column.startswith(VALUE_MARK) and field in VALUE_FIELDS


class OtherColumns(StrEnum):
    """What becomes of columns that a feed does not name and whose names say nothing."""

    REFUSE = "refuse"
    LEAVE_OUT = "leave_out"


class BadRows(StrEnum):
    """What becomes of a file with bad rows."""

    REFUSE_FILE = "refuse_file"
    """Nothing of it is stored."""
    SKIP = "skip"
    """Its good rows are stored, the bad ones are reported."""


class OnDifference(StrEnum):
    """What becomes of a row whose event the project has already, with other values."""

    REPORT = "report"
    """The event stays as it is, and the row is reported as differing."""
    CORRECT = "correct"
    """The event is corrected to what the row says."""


class ReferenceRule(StrEnum):
    """What the client reference of an event is made of."""

    ROW = "row"
    """The content of the file and the line: the same file adds nothing twice."""
    TIME = "time"
    """What the event is of and when it starts: files may overlap."""
    COLUMN = "column"
    """A column says it."""


class Formulas(StrEnum):
    """What becomes of cells of a workbook that hold a formula, which is never computed."""

    REFUSE = "refuse"
    """Their rows are bad."""
    TAKE_STORED = "take_stored"
    """The value that was saved with the formula is taken, and the cells are counted."""


class DecimalMark(StrEnum):
    """The separator before the decimals of a number."""

    POINT = "."
    COMMA = ","


class ThousandsSeparator(StrEnum):
    """What stands between the groups of digits of a number."""

    NONE = "none"
    POINT = "."
    COMMA = ","
    SPACE = "space"
    """Any space: plain, no-break, thin or narrow."""
    APOSTROPHE = "'"
    """Straight or typographic, as in Switzerland."""


class BelowLimit(StrEnum):
    """What a value below a detection limit is, such as `<0.05`."""

    REFUSE = "refuse"
    """Its row is bad."""
    LIMIT = "limit"
    """The limit."""
    HALF = "half"
    """Half of the limit."""
    ZERO = "zero"


class AboveLimit(StrEnum):
    """What a value above the range of an instrument is, such as `>1000`."""

    REFUSE = "refuse"
    """Its row is bad."""
    LIMIT = "limit"
    """The limit."""


EPOCHS: Final = {"epoch_seconds": 0, "epoch_milliseconds": 3, "epoch_microseconds": 6, "epoch_nanoseconds": 9}
"""Forms of times that count from 1970 in UTC, with the places of a second that a whole number has."""

SERIALS: Final = {"excel_serial": False, "excel_serial_1904": True}
"""Forms of times that are days since the end of 1899 or since 1904, as spreadsheets store them."""

COUNTED_FORMATS: Final = (*EPOCHS, *SERIALS)
"""Words that a time format takes in place of a form with percent signs."""

HEADER_SEARCHED_MAX: Final = 50
"""Lines among which a header is looked for."""

LONG_VALUES_MAX: Final = 1_000_000
"""Rows of a long file that are brought together in memory."""

PATTERN_MARK: Final = "*"
"""What stands for any characters in a pattern of rows, sheets or files."""


def fits_pattern(text: str, pattern: str) -> bool:
    """Whether a text fits a pattern in which `*` stands for any characters; upper and lower case are equal.

    It takes a time that grows with the length of the text, whatever the pattern is.
    """
    first, *others = pattern.casefold().split(PATTERN_MARK)
    rest = text.casefold()
    if not others:
        return rest == first
    if not rest.startswith(first):
        return False
    rest = rest[len(first) :]
    *middle, last = others
    for part in middle:
        at = rest.find(part)
        if at < 0:
            return False
        rest = rest[at + len(part) :]
    return rest.endswith(last)


# A watched place is a folder or a prefix of an object store in which files are looked for.
#
# An operator says below which roots such places may lie, for all accounts or for one: `/srv/drop`,
# `plant=/srv/drop/plant`, `s3://bucket/plant`.
#
# Invariants: a place is written in one way only, so two feeds cannot watch the same one; no part of it
# leads upward; it lies at a root or below it, part by part.


CLOUDS: Final = ("s3", "gs", "az")
PLACE_LENGTH_MAX: Final = 1_000
"""The longest name of a place, in characters."""

DONE: Final = "done"
FAILED: Final = "failed"
MOVED_TO: Final = (DONE, FAILED)
"""The folders in a place to which files are moved."""

_CLOUD: Final = re.compile(rf"({'|'.join(CLOUDS)})://([A-Za-z0-9][A-Za-z0-9._-]*)((?:/[^/]+)*)")
_ACCOUNT: Final = re.compile(r"(?:(?P<account>[^=/]+)=)?(?P<root>.+)")


@dataclass(frozen=True, slots=True)
class WatchedRoot:
    """What an operator allows: a place, and the account that it is for; None is for all."""

    place: str
    account: str | None


def is_place(text: str) -> bool:
    """Whether a text is a place, written as it is always written."""
    if not text.isprintable() or len(text) > PLACE_LENGTH_MAX:
        return False
    if text.startswith("/"):
        path = text
    elif match := _CLOUD.fullmatch(text):
        path = match[3]
    else:
        return False
    parts = path.split("/")[1:] if path else []
    return all(part not in {"", ".", ".."} and part == part.strip() for part in parts)


def is_root(text: str) -> bool:
    """Whether a text says what an operator allows."""
    return is_place(parse_root(text).place)


def parse_root(text: str) -> WatchedRoot:
    """What a text allows."""
    match = _ACCOUNT.fullmatch(text)
    return WatchedRoot("", None) if match is None else WatchedRoot(match["root"], match["account"])


def find_root(place: str, roots: Sequence[str], account: str) -> str | None:
    """The root at or above a place that an account may watch."""
    for root in map(parse_root, roots):
        is_within = place == root.place or place.startswith(f"{root.place}/")
        if is_within and root.account in {None, account}:
            return root.place
    return None


def check_watch(place: str, roots: Sequence[str], account: str) -> Iterator[Problem]:
    """What is wrong with a place that a data feed is to watch."""
    field = "data_feed.watch"
    if not is_place(place):
        text = (
            f"{field} is {shorten(place)!r}; it takes an absolute folder or a URL of s3, gs or az, "
            "without a slash at the end, . or .. in it."
        )
        yield Problem(text, field, "invalid")
    elif place.rpartition("/")[2] in MOVED_TO:
        text = f"{field} is {shorten(place)!r}; files are moved to folders of that name, not taken there."
        yield Problem(text, field, "invalid")
    elif find_root(place, roots, account) is None:
        text = (
            f"{field} is {shorten(place)!r}, which lies below no folder that this account may watch; "
            "the operator permits them with WEIGHBRIDGE_WATCHED_ROOTS."
        )
        yield Problem(text, field, "invalid")
