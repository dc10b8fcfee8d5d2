"""Read data points across the events of a project."""

from decimal import Decimal
from typing import Final

from psycopg.sql import SQL, Literal

from weighbridge.core import ids
from weighbridge.core.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, Wanted, page_of
from weighbridge.errors import NotFound
from weighbridge.resources.data_points.records import DataPoint, DataPointEvent
from weighbridge.resources.events.queries import event_id, event_row, read_moment
from weighbridge.resources.projects.queries import project_id as friendly_project

_BOUNDS: Final = ("geq", "leq")

DATA_POINTS: Final = Listing(
    sorts={
        "id": "e.id",
        "start_time": "e.start_time",
        "created_at": "e.created_at",
        "updated_at": "e.updated_at",
        "value": "coalesce(e.numbers[t.position], 0)",
    },
    default_sort="start_time",
    key=("e.id", "t.position"),
    filters={
        "slug": Filter("t.slug", str, "the slug of a data point type"),
        "start_time": Filter("e.start_time", read_moment, "a time with an offset", _BOUNDS),
        "end_time": Filter("e.end_time", read_moment, "a time with an offset", _BOUNDS),
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
_COLUMNS: Final = """
    e.project_id, e.id, t.position, t.slug, t.name, t.value_type, t.unit,
    e.numbers[t.position], e.texts[t.position], e.booleans[t.position],
    et.slug, e.tracking_id, e.start_time, e.end_time, e.created_at, e.updated_at
"""


async def list_data_points(tx: Read, project: int, wanted: Wanted) -> Page[DataPoint]:
    """The data points of a project's events that are not voided."""
    here = SQL("e.project_id = {} AND {}").format(Literal(project), SQL(_PRESENT))
    return await page_of(tx, _data_point, DATA_POINTS, wanted, columns=_COLUMNS, source=_SOURCE, where=[here])


async def list_event_data_points(tx: Read, project: int, event: str, wanted: Wanted) -> Page[DataPoint]:
    """The data points of one event, in the order of their types."""
    row = await event_row(tx, project, event)
    here = SQL("e.project_id = {} AND e.id = {} AND {}").format(
        Literal(project), Literal(row.number), SQL(_PRESENT)
    )
    return await page_of(
        tx, _data_point, EVENT_DATA_POINTS, wanted, columns=_COLUMNS, source=_SOURCE, where=[here]
    )


async def get_data_point(tx: Read, project: int, friendly: str) -> DataPoint:
    """One data point of a project's events."""
    key = ids.parse(ids.PREFIXES["data_point"], friendly)
    if key is None or key.project != project or key.owner is not ids.Owner.EVENT:
        raise NotFound
    found = await tx.row(
        _data_point,
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


def data_point_id(project: int, event: int, position: int) -> str:
    """The friendly id of an event's data point."""
    return ids.make(ids.PREFIXES["data_point"], ids.Key(project, event, position))


def _data_point(
    project: int, event: int, position: int, slug: str, name: str, value_type: str, unit: str | None,
    number: Decimal | None, text: str | None, boolean: bool | None,  # noqa: FBT001 - a row by position
    event_slug: str, tracking_id: str | None, start: Instant, end: Instant,
    created: Instant, updated: Instant,
) -> DataPoint:  # fmt: skip
    value = number if number is not None else text if text is not None else boolean
    assert value is not None  # noqa: S101 - the list leaves out positions without a value
    return DataPoint(
        id=data_point_id(project, event, position),
        slug=slug,
        data_point_type=name,
        value_type=value_type,
        value=value,
        raw_value=value,
        unit=unit,
        status="complete",
        substituted=False,
        imputed=False,
        substitution=None,
        rule_results=[],
        event=DataPointEvent(
            friendly_project(project), event_id(project, event), event_slug, tracking_id, start, end
        ),
        created_at=created,
        updated_at=updated,
    )
