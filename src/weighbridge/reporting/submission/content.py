"""What of a report is handed on: what it states, as canonical JSON with decimals as strings."""

import json
from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge.core.quantity.number import plain
from weighbridge.core.time.instant import Instant
from weighbridge.reporting.reports.records import Report

STATED: Final = (
    "id",
    "project_id",
    "name",
    "report_type",
    "methodology_id",
    "ledger_id",
    "start_time",
    "end_time",
    "amount",
    "inclusions",
    "effective_at",
    "supersedes",
)
"""The fields that are handed on: those that no longer change once a report is submitted."""


def content_of(report: Report) -> bytes:
    """The bytes that are handed on: equal reports give equal bytes."""
    stated = {name: getattr(report, name) for name in STATED}
    return json.dumps(_plain(stated), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    match value:
        case Decimal():
            return plain(value)
        case Instant():
            return value.text
        case msgspec.Struct():
            return {name: _plain(field) for name, field in msgspec.structs.asdict(value).items()}
        case dict():
            return {name: _plain(field) for name, field in value.items()}
        case list():
            return [_plain(one) for one in value]
        case _:
            return value
