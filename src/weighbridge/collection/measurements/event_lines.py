"""Stored events as the lines of their leaves: what was captured of them, whatever was corrected since."""

from collections.abc import Collection, Sequence
from typing import Any, Final, LiteralString

from weighbridge.core.collection.event_leaf import ESCAPES, NULL, event_leaf, field_of, texts_of, utc_text
from weighbridge.db.engine import Read

_CAPTURED: Final[LiteralString] = """
    CASE WHEN e.captured ? '{0}' THEN (e.captured ->> '{0}')::{1} ELSE e.{0} END"""
LINE_COLUMNS: Final = ", ".join(
    [
        "e.project_id, e.id, e.event_type_id",
        _CAPTURED.format("start_time", "timestamptz"),
        _CAPTURED.format("end_time", "timestamptz"),
        _CAPTURED.format("tracking_id", "text"),
        _CAPTURED.format("feedstock_id", "integer"),
        _CAPTURED.format("asset_id", "integer"),
        "e.client_reference, e.notes, e.location_ids::text, e.numbers::text, e.texts, e.booleans::text",
    ]
)
"""The columns of an event `e` that its line is made of, in their order."""


def leaf_of_columns(columns: Sequence[Any]) -> bytes:
    """The leaf of an event, by its line's columns."""
    project, number, kind, start, end, tracking_id, feedstock, asset, reference, notes, *arrays = columns
    locations, numbers, texts, booleans = arrays
    fields = (
        str(project), str(number), str(kind), utc_text(start), utc_text(end), field_of(tracking_id),
        NULL if feedstock is None else str(feedstock), NULL if asset is None else str(asset),
        field_of(reference), field_of(notes), locations, numbers,
        texts_of(texts).translate(ESCAPES) if texts else "{}", booleans,
    )  # fmt: skip
    return event_leaf("\t".join(fields))


async def stored_leaves(tx: Read, project: int, numbers: Collection[int]) -> dict[int, str]:
    """The leaves of events of a project, as hexadecimal digits."""
    rows = await tx.tuples(
        f"SELECT {LINE_COLUMNS} FROM events e WHERE e.project_id = %s AND e.id = ANY (%s)",
        (project, sorted(numbers)),
    )
    return {row[1]: leaf_of_columns(row).hex() for row in rows}
