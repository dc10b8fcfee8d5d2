"""An export is a list as a file: in which formats, and for how long it can be had.

Invariants: a number is written with every digit that it has; a text never becomes a formula in the program
that opens the file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

LASTS: Final = timedelta(hours=24)
"""How long a file can be downloaded once it is made."""


class ExportFormat(StrEnum):
    """What a file of exported rows is written as."""

    CSV = "csv"
    JSON = "json"
    JSON_LINES = "jsonl"
    PARQUET = "parquet"
    XLSX = "xlsx"


class ExportStatus(StrEnum):
    """Where an export stands."""

    PENDING = "pending"
    """Its file is being made."""
    COMPLETED = "completed"
    """Its file can be downloaded."""
    FAILED = "failed"
    """Its file could not be made; its task says why."""
    EXPIRED = "expired"
    """Its file was there, and is no more."""


class ResponseMode(StrEnum):
    """How a list answers."""

    DEFAULT = "default"
    SUMMARY = "summary"
    SUMMARY_WITH_EXPORT = "summary_with_export"


MEDIA_TYPES: Final[Mapping[ExportFormat, str]] = MappingProxyType(
    {
        ExportFormat.CSV: "text/csv",
        ExportFormat.JSON: "application/json",
        ExportFormat.JSON_LINES: "application/jsonl",
        ExportFormat.PARQUET: "application/vnd.apache.parquet",
        ExportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    }
)


XLSX_ROWS_MAX: Final = 1_048_575
"""How many rows a file of XLSX holds, below its header."""

ROWS_OF_FORMAT: Final[Mapping[ExportFormat, int]] = MappingProxyType({ExportFormat.XLSX: XLSX_ROWS_MAX})
"""How many rows a file of a format holds; those that are not here hold any number."""


class ColumnKind(StrEnum):
    """What the values of a column of an export are."""

    TEXT = "text"
    """What people and meters write."""
    WORD = "word"
    """A text of the service's own, such as an id or a state; it never begins as a formula does."""
    NUMBER = "number"
    TRUTH = "truth"
    MOMENT = "moment"


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """One column of an export."""

    name: str
    kind: ColumnKind = ColumnKind.TEXT


FORMULA_LEADS: Final = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""What a cell begins with that a spreadsheet takes for a formula (CWE-1236; OWASP ASVS 1.2.10)."""


def guarded(text: str) -> str:
    """A text as a cell that no spreadsheet computes: an apostrophe stands before a formula."""
    return f"'{text}" if text[:1] and text[0] in FORMULA_LEADS else text
