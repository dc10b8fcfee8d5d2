"""Read data points across the events of a project, one by one, with their corrections and rule results."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, LiteralString

import msgspec
from msgspec import UNSET
from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.annotations import (
    HAS_RESULTS,
    UNCORRECTED,
    CorrectionSummary,
    correction_summaries,
    corrections_of_data_point,
    corrections_of_event,
    results_of_events,
)
from weighbridge.collection.measurements.event_records import BY_METER, DataPointValue, event_row, implied_by
from weighbridge.collection.measurements.values import BOOLEANS, NUMBERS, TEXTS
from weighbridge.collection.records.data_points import (
    Correction,
    DataPoint,
    DataPointEvent,
    OutputDataPointOfRun,
)
from weighbridge.collection.records.events import DataPointResult
from weighbridge.collection.records.uncertainty import StatedUncertainty, read_stated
from weighbridge.core import identity
from weighbridge.core.collection.correction import determine_value_source
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import read_moment
from weighbridge.db.lists.page import COUNT_MAX, Page, read_page
from weighbridge.db.lists.table import BOUNDS, MOMENT, Filter, Index, Listing, ListRequest, Source
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.db.statements import Literal
from weighbridge.errors import NotFound

NUMBER: Final = f"({NUMBERS})[t.position]"
TEXT: Final = f"({TEXTS})[t.position]"
BOOLEAN: Final = f"({BOOLEANS})[t.position]"
_OTHER_ORDERS: Final = (Index("id"), Index("updated_at"))

DATA_POINTS: Final = Listing(
    sorts={
        "id": "e.id",
        "start_time": "e.start_time",
        "created_at": "e.created_at",
        "updated_at": "e.updated_at",
        "value": f"coalesce(({NUMBERS})[v.position], 0)",
    },
    default_sort="start_time",
    key=("e.id", "v.position"),
    filters={
        "slug": Filter("t.slug", str, "the slug of a data point type"),
        **BY_METER,
        "start_time": Filter("e.start_time", read_moment, MOMENT, BOUNDS),
        "end_time": Filter("e.end_time", read_moment, MOMENT, BOUNDS),
    },
    plain={"slug": ("slug", "eq"), "start_time": ("start_time", "geq"), "end_time": ("end_time", "leq")},
    indexes=(*(Index("start_time", one) for one in (*BY_METER, "slug", None)), *_OTHER_ORDERS),
    needs={"value": (("[slug][eq]",), ("[start_time][geq]",), ("[start_time][leq]", "[end_time][leq]"))},
    is_exported=True,
)

EVENT_DATA_POINTS: Final = Listing(
    sorts={"id": "t.position", "slug": "t.slug"},
    default_sort="id",
    key=("t.position",),
    filters={"slug": Filter("t.slug", str, "the slug of a data point type")},
)

_EXPANDED: Final = f"""
    events e CROSS JOIN LATERAL unnest({NUMBERS}, {TEXTS}, {BOOLEANS})
      WITH ORDINALITY AS v (number, text, boolean, position)
"""
"""Every position of events in the order of the events, so that a page ends where it is full."""

_NAMED: Final = """
    JOIN event_types et ON (et.project_id, et.id) = (e.project_id, e.event_type_id)
    JOIN data_point_types t
      ON (t.project_id, t.event_type_id, t.position) = (e.project_id, e.event_type_id, e.position)
"""
_HELD: Final = "e.voided_at IS NULL AND NOT (v.number IS NULL AND v.text IS NULL AND v.boolean IS NULL)"

_SOURCE: Final = """
    events e
    JOIN event_types et ON (et.project_id, et.id) = (e.project_id, e.event_type_id)
    JOIN data_point_types t
      ON (t.project_id, t.event_type_id) = (e.project_id, e.event_type_id)
"""
_PRESENT: Final = f"""
    e.voided_at IS NULL
    AND CASE t.value_type WHEN 'number' THEN {NUMBER} IS NOT NULL
                          WHEN 'string' THEN {TEXT} IS NOT NULL
                          ELSE {BOOLEAN} IS NOT NULL END
"""


_OUTPUTS: Final[Mapping[identity.Owner, LiteralString]] = {
    identity.Owner.MODEL_RUN: """
        SELECT c.slug, c.name, c.unit, c.value, c.elements,
               r.start_time, r.end_time, r.created_at, r.updated_at
          FROM model_run_calculations c
          JOIN model_runs r ON (r.project_id, r.id) = (c.project_id, c.model_run_id) AND r.deleted_at IS NULL
         WHERE c.project_id = %s AND c.model_run_id = %s AND c.position = %s AND c.is_output
        """,
    identity.Owner.BATCH: """
        SELECT c.slug, c.name, c.unit, c.value, NULL::numeric[] AS elements,
               b.start_time, b.end_time, b.created_at, b.updated_at
          FROM batch_calculations c
          JOIN batches b ON (b.project_id, b.id) = (c.project_id, c.batch_id)
                        AND b.deleted_at IS NULL AND b.model_id IS NOT NULL
         WHERE c.project_id = %s AND c.batch_id = %s AND c.position = %s AND (c.is_output OR c.is_primary)
        """,
}
"""The outputs of runs that stand alone, and of those behind batches."""


class _OutputRow(msgspec.Struct, frozen=True):
    slug: str
    name: str
    unit: str
    value: Decimal | None
    elements: list[Decimal] | None
    start_time: Instant
    end_time: Instant
    created_at: Instant
    updated_at: Instant


class DataPointRow(msgspec.Struct, frozen=True):
    """A position of an event with what is in force there and what was captured."""

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
    uncertainty: StatedUncertainty | None

    @property
    def value(self) -> DataPointValue:
        value = _first(self.number, self.text, self.boolean)
        assert value is not None  # noqa: S101 - lists leave out positions without a value
        return value

    @property
    def raw_value(self) -> DataPointValue | None:
        """As captured; an imputed event was not."""
        if self.is_imputed:
            return None
        return _first(self.captured_number, self.captured_text, self.captured_boolean)


DATA_POINT_ROW: Final = row_of(
    DataPointRow,
    Column("project", "e.project_id"),
    Column("event", "e.id"),
    Column("position", "t.position"),
    Column("slug", "t.slug"),
    Column("name", "t.name"),
    Column("value_type", "t.value_type"),
    Column("unit", "t.unit"),
    Column("number", NUMBER),
    Column("text", TEXT),
    Column("boolean", BOOLEAN),
    Column("captured_number", "e.numbers[t.position]"),
    Column("captured_text", "e.texts[t.position]"),
    Column("captured_boolean", "e.booleans[t.position]"),
    Column("is_revised", "e.is_revised"),
    Column("is_imputed", "e.is_imputed"),
    Column("event_slug", "et.slug"),
    Column("tracking_id", "e.tracking_id"),
    Column("start_time", "e.start_time"),
    Column("end_time", "e.end_time"),
    Column("created_at", "e.created_at"),
    Column("updated_at", "e.updated_at"),
    Column("has_results", HAS_RESULTS),
    Column("uncertainty", "e.uncertainties -> t.position::text", unless_null(read_stated)),
)


async def list_data_points(tx: Read, project: int, request: ListRequest) -> Page[DataPoint]:
    """The data points of a project's events that are not voided."""
    slug = next((value for name, _, value in request.conditions if name == "slug"), None)
    types = await tx.tuples(
        "SELECT event_type_id, position FROM data_point_types WHERE project_id = %s AND slug = %s"
        " ORDER BY event_type_id, position",
        (project, slug),
    ) if slug is not None else []  # fmt: skip
    of_types = [
        SQL("e.event_type_id = {} AND v.position = {}").format(Literal(kind), Literal(position))
        for kind, position in types
    ]
    branches = tuple(of_types) or (SQL("true" if slug is None else "false"),)
    is_kept = all(name == "slug" for name, *_ in request.conditions)
    source = Source(
        _EXPANDED, "e.*, v.position", _NAMED, branches, "slug", is_expanded=True,
        implied=implied_by(project, request),
        kept=SQL(_KEPT).format(project=Literal(project), slug=Literal(slug)) if is_kept else None,
    )  # fmt: skip
    here = SQL("e.project_id = {} AND {}").format(Literal(project), SQL(_HELD))
    return await _page(tx, project, DATA_POINTS, request, here, source)


# Short lists are counted; of long ones is known how many events there are, and what each may hold.
_KEPT: Final = f"""
    WITH kept AS (
        SELECT t.event_type_id, t.positions,
               cardinality(t.positions) * (SELECT coalesce(sum(c.events), 0) FROM event_counts c
                                            WHERE c.project_id = {{project}}
                                              AND c.event_type_id = t.event_type_id) AS points
          FROM (SELECT event_type_id, array_agg(position) AS positions FROM data_point_types
                 WHERE project_id = {{project}} AND ({{slug}}::text IS NULL OR slug = {{slug}}::text)
                 GROUP BY event_type_id) AS t
    ), summed AS (SELECT coalesce(sum(points), 0)::bigint AS points FROM kept)
    SELECT CASE WHEN points > {COUNT_MAX} THEN points
                ELSE (SELECT count(*) FROM kept
                        JOIN events e ON e.project_id = {{project}} AND e.event_type_id = kept.event_type_id
                       CROSS JOIN LATERAL unnest({NUMBERS}, {TEXTS}, {BOOLEANS})
                         WITH ORDINALITY AS v (number, text, boolean, position)
                       WHERE {_HELD} AND v.position = ANY (kept.positions)) END,
           points <= {COUNT_MAX}
      FROM summed
"""


async def list_event_data_points(tx: Read, project: int, event: str, request: ListRequest) -> Page[DataPoint]:
    """The data points of one event, in the order of their types."""
    row = await event_row(tx, project, event)
    here = SQL("e.project_id = {} AND e.id = {} AND {}").format(
        Literal(project), Literal(row.number), SQL(_PRESENT)
    )
    return await _page(tx, project, EVENT_DATA_POINTS, request, here)


async def get_data_point(tx: Read, project: int, friendly: str) -> DataPoint:
    """One data point of a project's events."""
    return (await _complete(tx, project, [await data_point_row(tx, project, friendly)]))[0]


async def data_point_row(tx: Read, project: int, friendly: str) -> DataPointRow:
    """The position of one data point of a project's events, and what is in force there."""
    key = identity.parse("data_point", friendly)
    if key is None or key.project != project or key.owner is not identity.Owner.EVENT:
        raise NotFound
    row = await tx.row(
        DATA_POINT_ROW.make,
        f"""
        SELECT {DATA_POINT_ROW.columns} FROM {_SOURCE}
         WHERE e.project_id = %s AND e.id = %s AND t.position = %s AND {_PRESENT}
        """,
        (project, key.key, key.position),
    )
    if row is None:
        raise NotFound
    return row


def is_output(friendly: str) -> bool:
    """Whether the id of a data point is that of an output of a model run."""
    key = identity.parse("data_point", friendly)
    return key is not None and key.owner is not identity.Owner.EVENT


async def get_output(tx: Read, project: int, friendly: str) -> OutputDataPointOfRun:
    """One output of a model run of the project: of one that stands alone, or behind a batch."""
    key = identity.parse("data_point", friendly)
    if key is None or key.project != project or key.owner is identity.Owner.EVENT:
        raise NotFound
    output = await tx.row(_OutputRow, _OUTPUTS[key.owner], (project, key.key, key.position))
    if output is None:
        raise NotFound
    value = output.value if output.elements is None else output.elements
    return OutputDataPointOfRun(
        id=friendly,
        slug=output.slug,
        data_point_type=output.name,
        value_type="number",
        value=value,
        raw_value=None,
        unit=output.unit,
        status="incomplete" if value is None else "complete",
        substituted=False,
        imputed=False,
        substitution=None,
        value_source=None,
        corrections_count=0,
        corrections_total=0,
        rule_results=[],
        event=None,
        model_run_id=identity.of("model_run", project, key.key, owner=key.owner),
        batch_id=identity.of("batch", project, key.key) if key.owner is identity.Owner.BATCH else None,
        start_time=output.start_time,
        end_time=output.end_time,
        created_at=output.created_at,
        updated_at=output.updated_at,
    )


async def get_event_data_point(tx: Read, project: int, event: str, friendly: str) -> DataPoint:
    """One data point of one event; another event's is not found here."""
    await event_row(tx, project, event)
    point = await get_data_point(tx, project, friendly)
    if point.event.id != event:
        raise NotFound("data_point", friendly)
    return point


async def list_corrections(tx: Read, project: int, friendly: str, request: ListRequest) -> Page[Correction]:
    """The corrections of one data point."""
    row = await data_point_row(tx, project, friendly)
    return await corrections_of_data_point(tx, project, row.event, row.position, request)


async def list_event_corrections(
    tx: Read, project: int, friendly: str, request: ListRequest
) -> Page[Correction]:
    """The corrections of one event: its data points, and its own times and tags."""
    row = await event_row(tx, project, friendly)
    return await corrections_of_event(tx, project, row.number, request)


async def _page(
    tx: Read,
    project: int,
    listing: Listing,
    request: ListRequest,
    where: Composable,
    source: LiteralString | Source = _SOURCE,
) -> Page[DataPoint]:
    page = await read_page(tx, DATA_POINT_ROW, listing, request, source=source, where=[where])
    return Page(await _complete(tx, project, page.data), page.info)


async def _complete(tx: Read, project: int, rows: Sequence[DataPointRow]) -> list[DataPoint]:
    corrections = await correction_summaries(tx, project, {row.event for row in rows if row.is_revised})
    with_findings = sorted({row.event for row in rows if row.has_results})
    results = await results_of_events(tx, project, with_findings)
    return [
        _data_point(
            row,
            corrections.get((row.event, row.position), UNCORRECTED),
            results.get((row.event, row.position), []),
        )
        for row in rows
    ]


def _data_point(
    row: DataPointRow, corrections: CorrectionSummary, results: list[DataPointResult]
) -> DataPoint:
    return DataPoint(
        id=identity.of("data_point", row.project, row.event, row.position),
        slug=row.slug,
        data_point_type=row.name,
        value_type=row.value_type,
        value=row.value,
        raw_value=row.raw_value,
        unit=row.unit,
        status="complete",
        substituted=corrections.substitution is not None and not row.is_imputed,
        imputed=row.is_imputed,
        substitution=corrections.substitution,
        value_source=determine_value_source(corrections.origin, is_imputed=row.is_imputed),
        corrections_count=corrections.corrections_count,
        corrections_total=corrections.corrections_total,
        rule_results=results,
        event=DataPointEvent(
            identity.of("project", row.project),
            identity.of("event", row.project, row.event),
            row.event_slug,
            row.tracking_id,
            row.start_time,
            row.end_time,
        ),
        created_at=row.created_at,
        updated_at=row.updated_at,
        uncertainty=row.uncertainty or UNSET,
    )


def _first(number: Decimal | None, text: str | None, boolean: bool | None) -> DataPointValue | None:  # noqa: FBT001
    return number if number is not None else text if text is not None else boolean
