"""The record of an event: what an answer makes of its row, its positions and what belongs to it.

One function makes it, whether the event was read or has just been stored.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType

from weighbridge.collection.events.records import (
    Event,
    EventAsset,
    EventDataPoint,
    EventFeedstock,
    EventReadings,
)
from weighbridge.collection.evidence.records import EventEvidence
from weighbridge.collection.locations.records import Location
from weighbridge.collection.measurements.corrected import UNCORRECTED, CorrectionSummary
from weighbridge.collection.measurements.event_row import (
    DataPointValue,
    EventRow,
    PositionMeaning,
    captured_at,
    value_at,
)
from weighbridge.collection.measurements.findings import DataPointResult, is_alert
from weighbridge.core.collection.correction import value_source
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.quantity.number import CONTEXT
from weighbridge.core.quantity.value_source import ValueSource


def assembled(
    row: EventRow,
    meanings: Sequence[PositionMeaning],
    locations: list[Location],
    evidence: list[EventEvidence],
    *,
    corrections: Mapping[tuple[int, int], CorrectionSummary] = MappingProxyType({}),
    results: Mapping[tuple[int, int], list[DataPointResult]] = MappingProxyType({}),
) -> Event:
    """An event of its row, the meaning of its positions, and what belongs to it."""
    friendly = ids.of("event", row.project, row.number)
    project = _kept_id("project", row.project)
    if corrections or results or row.is_revised or row.is_imputed:
        points = [
            _data_point(row, meaning, value, corrections.get(key, UNCORRECTED), results.get(key, []))
            for meaning in meanings
            for key in [(row.number, meaning.position)]
            if (value := value_at(row, meaning.position)) is not None
        ]
    else:
        points = _captured(row, meanings)
    missing = [] if row.is_complete else _missing(row, meanings)
    return Event(
        id=friendly,
        slug=row.slug,
        event_type=row.name,
        event_type_id=_kept_id("event_type", row.project, row.event_type),
        project_id=project,
        tracking_id=row.tracking_id,
        client_reference=row.client_reference,
        notes=row.notes,
        start_time=row.start_time,
        end_time=row.end_time,
        status="complete" if row.is_complete else "incomplete",
        missing=missing,
        feedstock=_feedstock(row),
        asset=_asset(row),
        data_points=points,
        locations=locations,
        evidences=evidence,
        rolled_up_from=_readings(row),
        has_rule_alerts=bool(results) and _is_alerted(row, meanings, results),
        created_at=row.created_at,
        updated_at=row.updated_at,
        ui_url=Link(f"/projects/{project}/events/{friendly}"),
    )


def _readings(row: EventRow) -> EventReadings | None:
    """The readings that an event is made of."""
    if row.readings is None or row.valid_readings is None or row.source is None or row.source_slug is None:
        return None
    covered, expected = row.covered_readings, row.expected_readings
    share = None if covered is None or not expected else CONTEXT.divide(Decimal(covered), Decimal(expected))
    return EventReadings(
        ids.of("event_type", row.project, row.source),
        row.source_slug,
        row.start_time,
        row.end_time,
        row.readings,
        row.valid_readings,
        expected,
        share,
    )


def _missing(row: EventRow, meanings: Sequence[PositionMeaning]) -> list[str]:
    """The slugs of what is required and has no value."""
    return [
        meaning.slug for meaning in meanings if meaning.required and value_at(row, meaning.position) is None
    ]


def _is_alerted(
    row: EventRow,
    meanings: Sequence[PositionMeaning],
    results: Mapping[tuple[int, int], list[DataPointResult]],
) -> bool:
    return any(
        is_alert(result) for meaning in meanings for result in results.get((row.number, meaning.position), ())
    )


_kept_id = lru_cache(1024)(ids.of)
"""The ids of records that many events name."""


def _captured(row: EventRow, meanings: Sequence[PositionMeaning]) -> list[EventDataPoint]:
    """Values as they were captured, with which nobody had to do since: `_data_point` by position.

    A page of events has a hundred of them, and names take half of the time that a record takes to make.
    """
    project, event, captured = row.project, row.number, ValueSource.CAPTURED
    return [
        EventDataPoint(
            ids.of("data_point", project, event, meaning.position),
            meaning.slug, meaning.name, value, value, meaning.unit, "complete", False, False, None,  # noqa: FBT003
            captured, 0, 0, [],
        )
        for meaning in meanings
        if (value := value_at(row, meaning.position)) is not None
    ]  # fmt: skip


def _data_point(
    row: EventRow,
    meaning: PositionMeaning,
    value: DataPointValue,
    corrections: CorrectionSummary,
    results: list[DataPointResult],
) -> EventDataPoint:
    return EventDataPoint(
        id=ids.of("data_point", row.project, row.number, meaning.position),
        slug=meaning.slug,
        data_point_type=meaning.name,
        value=value,
        raw_value=captured_at(row, meaning.position) if row.is_revised or row.is_imputed else value,
        unit=meaning.unit,
        status="complete",
        substituted=corrections.substitution is not None and not row.is_imputed,
        imputed=row.is_imputed,
        substitution=corrections.substitution,
        value_source=value_source(corrections.origin, is_imputed=row.is_imputed),
        corrections_count=corrections.corrections_count,
        corrections_total=corrections.corrections_total,
        rule_results=results,
    )


def _feedstock(row: EventRow) -> EventFeedstock | None:
    if row.feedstock is None or row.feedstock_name is None:
        return None
    return EventFeedstock(_kept_id("feedstock", row.project, row.feedstock), row.feedstock_name)


def _asset(row: EventRow) -> EventAsset | None:
    if row.asset is None or row.asset_name is None:
        return None
    return EventAsset(_kept_id("asset", row.project, row.asset), row.asset_name)
