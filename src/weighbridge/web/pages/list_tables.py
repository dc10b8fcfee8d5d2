"""The tables of lists: which columns each list has, and by what its rows are grouped.

A template shows a column by its name; what is offered, its words and its order are said here and nowhere
else. Plain lists have the fields of their records (`display/record.py`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weighbridge.collection.records.data_points import EventType
from weighbridge.collection.records.events import Event
from weighbridge.web.display.figures import TimeFormat, format_day, format_month, humanize, to_instant
from weighbridge.web.framework.columns import Grouping, ListColumn

EVENT_COLUMNS: Final = (
    ListColumn("event", "Event"),
    ListColumn("time", "Time", sort="start_time"),
    ListColumn("values", "Values"),
    ListColumn("place", "Asset or location"),
    ListColumn("state", "State"),
    ListColumn("tracking_id", "Tracking ID", is_usual=False, sort="tracking_id"),
    ListColumn("client_reference", "Client reference", is_usual=False),
    ListColumn("feedstock", "Feedstock", is_usual=False),
    ListColumn("asset", "Asset", is_usual=False),
    ListColumn("locations", "Locations", is_usual=False),
    ListColumn("notes", "Notes", is_usual=False),
    ListColumn("evidence", "Evidence", is_numeric=True, is_usual=False),
    ListColumn("created", "Created", is_usual=False, sort="created_at"),
    ListColumn("updated", "Updated", is_usual=False, sort="updated_at"),
)

POINT: Final = "point"
"""The kind of a column with the values of one data point of an event type."""


def point_columns(event_type: EventType | None) -> list[ListColumn]:
    """Return a column for each data point of the event type that a list is filtered by."""
    if event_type is None:
        return []
    return [
        ListColumn(
            f"{POINT}.{point.slug}",
            point.name,
            is_numeric=point.value_type == "number",
            is_usual=False,
            unit=point.unit or "",
            kind=POINT,
        )
        for point in event_type.data_point_types
    ]


def _day(record: Any, moments: TimeFormat) -> str:
    return format_day(moments.local(record.start_time))


def _month(record: Any, moments: TimeFormat) -> str:
    return format_month(to_instant(record.start_time), moments.zone)


def _asset(event: Event, _moments: TimeFormat) -> str:
    return event.asset.name if event.asset else ""


EVENT_GROUPINGS: Final = (
    Grouping("type", "event type", lambda event, _: event.event_type),
    Grouping("day", "day", _day, sort="start_time"),
    Grouping("asset", "asset", _asset, without="No asset"),
)

BATCH_COLUMNS: Final = (
    ListColumn("batch", "Batch"),
    ListColumn("ledger", "Ledger"),
    ListColumn("period", "Period", sort="start_time"),
    ListColumn("credited", "Credited", is_numeric=True),
    ListColumn("remaining", "Remaining", is_numeric=True),
    ListColumn("unit", "Unit"),
    ListColumn("primary_data", "Primary data", is_numeric=True),
    ListColumn("state", "State"),
    ListColumn("feedstocks", "Feedstocks", is_usual=False),
    ListColumn("assets", "Assets", is_usual=False),
    ListColumn("run_total", "Total of the calculation", is_numeric=True, is_usual=False),
    ListColumn("model", "Model", is_usual=False),
    ListColumn("created", "Created", is_usual=False, sort="created_at"),
)


def batch_groupings(ledger_names: Mapping[str, str]) -> Sequence[Grouping]:
    """Return how batches are grouped, with the names of their ledgers."""
    return (
        Grouping("ledger", "ledger", lambda batch, _: ledger_names.get(batch.ledger_id, batch.ledger_id)),
        Grouping("month", "month of the period", _month, sort="start_time"),
    )


REPORT_COLUMNS: Final = (
    ListColumn("report", "Report", sort="name"),
    ListColumn("type", "Type"),
    ListColumn("period", "Period"),
    ListColumn("amount", "Amount", is_numeric=True),
    ListColumn("unit", "Unit"),
    ListColumn("batches", "Batches", is_numeric=True),
    ListColumn("state", "State"),
    ListColumn("accepted", "Accepted", is_numeric=True, is_usual=False),
    ListColumn("created", "Created", is_usual=False, sort="created_at"),
    ListColumn("updated", "Updated", is_usual=False, sort="updated_at"),
)

REPORT_GROUPINGS: Final = (
    Grouping("status", "state", lambda report, _: humanize(report.status), sort="status"),
)

RULE_COLUMNS: Final = (
    ListColumn("rule", "Rule", sort="name"),
    ListColumn("purpose", "Purpose"),
    ListColumn("fails_when", "Fails when"),
    ListColumn("applies_to", "Applies to"),
    ListColumn("pending", "Pending", is_numeric=True),
    ListColumn("state", "State"),
    ListColumn("updated", "Updated", sort="updated_at"),
    ListColumn("effective", "Effective", is_usual=False),
)

RULE_GROUPINGS: Final = (Grouping("purpose", "purpose", lambda rule, _: humanize(rule.purpose)),)

VALUE_COLUMNS: Final = (
    ListColumn("time", "Time", sort="start_time"),
    ListColumn("value", "Value", is_numeric=True),
    ListColumn("unit", "Unit"),
    ListColumn("captured", "Captured", is_numeric=True),
    ListColumn("source", "Source"),
    ListColumn("event", "Event"),
    ListColumn("updated", "Updated", is_usual=False),
)

VALUE_GROUPINGS: Final = (
    Grouping("day", "day", lambda point, moments: format_day(moments.local(point.event.start_time))),
)
