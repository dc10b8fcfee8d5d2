"""What a data feed may be told: how bad rows are met, what names a row, and what formulas come to."""

from enum import StrEnum
from typing import Final

HEADER_LINE_MAX: Final = 1_000
"""The last line on which a file may name its columns."""

COLUMNS_MAX: Final = 16_384
"""Columns of one file, as many as a sheet of XLSX has."""

COLUMN_NAME_LENGTH_MAX: Final = 1_000
"""Characters of the name of a column that a suggestion is asked for."""

COLUMNS_OF_FEED_MAX: Final = 1_000
"""Columns that a feed says something about."""

FILE_BYTES_MAX: Final = 1_073_741_824
"""The largest file that a feed takes, in bytes: 1 GB; what a request may bring is less by default."""

CONTENT_BYTES_MAX: Final = 4_294_967_296
"""How long the content of a gzipped file may be, in bytes: 4 GB."""

PROBLEMS_SHOWN: Final = 20
"""Bad rows that an upload shows; all are in its file of bad rows."""

NAME_OF_FILE_MAX: Final = 255
"""The longest name of a file, in characters."""


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
    """The event stays as it is, and the row is told of as one that differs."""
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
    """What stands before the decimals of a number."""

    POINT = "."
    COMMA = ","
