"""Adapters by their names, how a report gets to its receiver; and the formats that it is written in."""

from enum import StrEnum
from typing import Final


class AdapterName(StrEnum):
    """How a report gets to its receiver."""

    FILE = "file"
    """It is kept for people, who fetch it and hand it on."""

    HTTP = "http"
    """It is posted to the address of a registry."""


class ReportFormat(StrEnum):
    """What a report is written as."""

    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    XML = "xml"


MEDIA_TYPES: Final = {
    ReportFormat.JSON: "application/json",
    ReportFormat.CSV: "text/csv; charset=utf-8",
    ReportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ReportFormat.XML: "application/xml",
}
"""What each format is called on its way."""
