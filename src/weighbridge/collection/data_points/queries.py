"""Read data points across the events of a project."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.sql import SQL, Composable, Literal

from weighbridge.collection.data_points.records import DataPoint, DataPointEvent
from weighbridge.collection.events.queries import Value, event_row
from weighbridge.collection.measurements.corrected import NOTHING, Standing, standing_on
from weighbridge.collection.measurements.findings import HAS_RESULTS, DataPointResult, results_of_events
from weighbridge.collection.measurements.value import BOOLEANS, NUMBERS, TEXTS
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import BOUNDS, MOMENT, Filter, Listing, Page, Wanted, page_of, read_moment
from weighbridge.errors import NotFound

NUMBER: Final = f"({NUMBERS})[t.position]"
TEXT: Final = f"({TEXTS})[t.position]"
BOOLEAN: Final = f"({BOOLEANS})[t.position]"

DATA_POINTS: Final = Listing(
    sorts={
        "id": "e.id",
        "start_time": "e.start_time",
        "created_at": "e.created_at",
        "updated_at": "e.updated_at",
        "value": f"coalesce({NUMBER}, 0)",
    },
    default_sort="start_time",
    key=("e.id", "t.position"),
    filters={
        "slug": Filter("t.slug", str, "the slug of a data point type"),
        "start_time": Filter("e.start_time", read_moment, MOMENT, BOUNDS),
        "end_time": Filter("e.end_time", read_moment, MOMENT, BOUNDS),
    },
    plain={"slug": ("slug", "eq"), "start_time": ("start_time", "geq"), "end_time": ("end_time", "leq")},
)

EVENT_DATA_POINTS: Final = Listing(
    sorts={"id": "t.position", "slug": "t.slug"},
    default_sort="id",
    key=("t.position",),
    filters={"slug": Filter("t.slug", str, "the slug of a data point type")},
)

_SOURCE: Final = """
    events e
    JOIN event_types et ON (et.project_id, et.id) = (e.project_id, e.event_type_id)
    JOIN data_point_types t ON (t.project_id, t.event_type_id) = (e.project_id, e.event_type_id)
"""
_PRESENT: Final = """
    e.voided_at IS NULL
    AND CASE t.value_type WHEN 'number' THEN e.numbers[t.position] IS NOT NULL
                          WHEN 'string' THEN e.texts[t.position] IS NOT NULL
                          ELSE e.booleans[t.position] IS NOT NULL END
"""
_COLUMNS: Final = f"""
    e.project_id, e.id, t.position, t.slug, t.name, t.value_type, t.unit,
    {NUMBER}, {TEXT}, {BOOLEAN}, e.numbers[t.position], e.texts[t.position], e.booleans[t.position],
    e.is_revised, e.is_imputed,
    et.slug, e.tracking_id, e.start_time, e.end_time, e.created_at, e.updated_at, {HAS_RESULTS}
"""


class DataPointRow(msgspec.Struct, frozen=True):
    """A position of an event with what stands there now and what was captured."""

    project: int
    event: int
    position: int
    slug: str
    name: str
    value_type: str
    unit: str | None
    number: Decimal | None
    text: str | None
    boolean: bool | None
    captured_number: Decimal | None
    captured_text: str | None
    captured_boolean: bool | None
    is_revised: bool
    is_imputed: bool
    event_slug: str
    tracking_id: str | None
    start_time: Instant
    end_time: Instant
    created_at: Instant
    updated_at: Instant
    has_results: bool

    @property
    def value(self) -> Value:
        found = _first(self.number, self.text, self.boolean)
        assert found is not None  # noqa: S101 - lists leave out positions without a value
        return found

    @property
    def raw_value(self) -> Value | None:
        """As captured; an imputed event was not."""
        if self.is_imputed:
            return None
        return _first(self.captured_number, self.captured_text, self.captured_boolean)


async def list_data_points(tx: Read, project: int, wanted: Wanted) -> Page[DataPoint]:
    """The data points of a project's events that are not voided."""
    here = SQL("e.project_id = {} AND {}").format(Literal(project), SQL(_PRESENT))
    return await _page(tx, project, DATA_POINTS, wanted, here)


async def list_event_data_points(tx: Read, project: int, event: str, wanted: Wanted) -> Page[DataPoint]:
    """The data points of one event, in the order of their types."""
    row = await event_row(tx, project, event)
    here = SQL("e.project_id = {} AND e.id = {} AND {}").format(
        Literal(project), Literal(row.number), SQL(_PRESENT)
    )
    return await _page(tx, project, EVENT_DATA_POINTS, wanted, here)


async def get_data_point(tx: Read, project: int, friendly: str) -> DataPoint:
    """One data point of a project's events."""
    return (await _with_standing(tx, project, [await data_point_row(tx, project, friendly)]))[0]


async def data_point_row(tx: Read, project: int, friendly: str) -> DataPointRow:
    """The position of one data point of a project's events, and what stands there."""
    key = ids.parse("data_point", friendly)
    if key is None or key.project != project or key.owner is not ids.Owner.EVENT:
        raise NotFound
    found = await tx.row(
        DataPointRow,
        f"""
        SELECT {_COLUMNS} FROM {_SOURCE}
         WHERE e.project_id = %s AND e.id = %s AND t.position = %s AND {_PRESENT}
        """,
        (project, key.key, key.position),
    )
    if found is None:
        raise NotFound
    return found


async def get_event_data_point(tx: Read, project: int, event: str, friendly: str) -> DataPoint:
    """One data point of one event; another event's is not found here."""
    found = await get_data_point(tx, project, friendly)
    if found.event.id != event:
        raise NotFound
    return found


async def _page(
    tx: Read, project: int, listing: Listing, wanted: Wanted, where: Composable
) -> Page[DataPoint]:
    page = await page_of(tx, DataPointRow, listing, wanted, columns=_COLUMNS, source=_SOURCE, where=[where])
    return Page(await _with_standing(tx, project, page.data), page.info)


async def _with_standing(tx: Read, project: int, rows: Sequence[DataPointRow]) -> list[DataPoint]:
    standing = await standing_on(tx, project, {row.event for row in rows if row.is_revised})
    found = sorted({row.event for row in rows if row.has_results})
    results = await results_of_events(tx, project, found)
    return [
        _data_point(
            row,
            standing.get((row.event, row.position), NOTHING),
            results.get((row.event, row.position), []),
        )
        for row in rows
    ]


def _data_point(row: DataPointRow, standing: Standing, results: list[DataPointResult]) -> DataPoint:
    return DataPoint(
        id=ids.of("data_point", row.project, row.event, row.position),
        slug=row.slug,
        data_point_type=row.name,
        value_type=row.value_type,
        value=row.value,
        raw_value=row.raw_value,
        unit=row.unit,
        status="complete",
        substituted=standing.substitution is not None,
        imputed=row.is_imputed,
        substitution=standing.substitution,
        corrections_count=standing.corrections_count,
        rule_results=results,
        event=DataPointEvent(
            ids.of("project", row.project),
            ids.of("event", row.project, row.event),
            row.event_slug,
            row.tracking_id,
            row.start_time,
            row.end_time,
        ),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _first(number: Decimal | None, text: str | None, boolean: bool | None) -> Value | None:  # noqa: FBT001
    return number if number is not None else text if text is not None else boolean
