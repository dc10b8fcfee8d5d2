"""Many events: taken from anything that can be gone through, sent in batches of one request each.

Rows of a data frame, or any flat mapping, become events of one type: the columns that an event has itself are
its fields, all others are data points by their slugs, and empty cells are left out.

Invariants: the order is kept; each batch is stored as a whole or not at all and has a key of its own, so that
an answer that is lost on the way stores nothing twice; a number keeps the digits that its text had.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any, Final
from urllib.parse import quote

from weighbridge.client.call import PREFIX, Call
from weighbridge.client.made.records import EventReceipts
from weighbridge.client.values import written

EVENTS_MAX: Final = 10_000
"""How many events one request takes."""
BATCH: Final = 5_000
OWN_COLUMNS: Final = frozenset(
    {
        "start_time",
        "end_time",
        "tracking_id",
        "feedstock_id",
        "asset_id",
        "client_reference",
        "notes",
    }
)
"""The columns of a row that an event has itself."""


def storing(project_id: str, events: Sequence[Mapping[str, Any]]) -> Call[EventReceipts]:
    """The call that stores these events, all or none."""
    return storing_body(project_id, written({"events": events}))


def storing_body(project_id: str, body: bytes) -> Call[EventReceipts]:
    """The call that stores the events of a body that is JSON already, all or none."""
    path = f"{PREFIX}/projects/{quote(project_id, safe='')}/events"
    return Call("POST", path, EventReceipts, body=body, content_type="application/json", takes_key=True)


def batches(events: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The events in lists of `size`, the last one shorter.

    Raises ValueError for a size that no request takes.
    """
    if not 1 <= size <= EVENTS_MAX:
        message = f"batch_size is {size}; one request takes 1 to {EVENTS_MAX:,} events."
        raise ValueError(message)
    rest = iter(events)
    while batch := list(islice(rest, size)):
        yield batch


def rows_of(source: Any) -> Iterable[Mapping[str, Any]]:
    """The rows of a polars or pandas data frame as mappings; anything else is gone through as it is."""
    if hasattr(source, "iter_rows"):
        rows: Iterable[Mapping[str, Any]] = source.iter_rows(named=True)
        return rows
    if hasattr(source, "itertuples"):
        columns = [str(column) for column in source.columns]
        return (dict(zip(columns, row, strict=True)) for row in source.itertuples(index=False, name=None))
    return source  # type: ignore[no-any-return]


def event_of(row: Mapping[str, Any], event_type: str, location_ids: Sequence[str] = ()) -> dict[str, Any]:
    """The event that a flat row says."""
    event: dict[str, Any] = {"event_type": event_type}
    points = []
    for column, cell in row.items():
        if _empty(cell):
            continue
        if column in OWN_COLUMNS:
            event[column] = cell.isoformat() if isinstance(cell, datetime) else cell
        else:
            points.append({"slug": column, "value": _exact(cell)})
    event["data_points"] = points
    if location_ids:
        event["locations"] = [{"id": each} for each in location_ids]
    return event


def _empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell)) or type(cell).__name__ == "NaTType"


def _exact(cell: Any) -> Any:
    """A cell as a value: of a binary float the shortest decimal that stands for it, as it is printed."""
    if hasattr(cell, "item"):
        cell = cell.item()
    return Decimal(repr(cell)) if isinstance(cell, float) else cell
