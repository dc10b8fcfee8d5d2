"""Explaining: which change that the service knows of made an event differ from its archived row, if any did.

A field may only differ by what moves it: the value of a data point by a correction of that very value, a time
or tag by one of that field, other fields by a write that the audit log has. What was captured never changes.
What nothing explains was altered behind the service's back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from weighbridge.archive.differences import Row, RowDifference
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read

_BY_CORRECTION: Final = frozenset({"start_time", "end_time", "tracking_id", "feedstock_id", "asset_id"})
"""Fields that corrections of an event move."""

_FOLLOWING: Final = frozenset({"updated_at", "is_revised", "captured_fields", "is_complete"})
"""Fields that move with others, or with a write that names many events at once."""

_ROLLED_UP: Final = frozenset(
    {"readings", "valid_readings", "covered_readings", "expected_readings", "data_points", "voided_at"}
)
"""What rolling up anew moves."""

_BEHIND: Final = "altered behind the service's back"

_CORRECTIONS: Final = """
    SELECT c.event_id, c.position, c.field, c.id, c.source, c.state, coalesce(c.reverted_at, c.created_at)
      FROM corrections c WHERE c.project_id = %s AND c.event_id = ANY (%s)
       AND greatest(c.created_at, c.reverted_at) >= date_trunc('milliseconds', %s::timestamptz) ORDER BY c.id
"""
_AUDIT_ROWS: Final = """
    SELECT object, id, action, at FROM audit_log
     WHERE account_id = (SELECT account_id FROM projects WHERE id = %s) AND object = ANY (%s)
       AND at >= date_trunc('milliseconds', %s::timestamptz) ORDER BY id
"""
_STILL_THERE: Final = "SELECT id FROM events WHERE project_id = %s AND id = ANY (%s)"


@dataclass
class _Known:
    """What the service knows that happened to an event since."""

    by_field: dict[str, str] = field(default_factory=dict)
    by_position: dict[int, str] = field(default_factory=dict)
    written: str | None = None
    is_there: bool = False

    @property
    def anything(self) -> str | None:
        return next(iter([*self.by_position.values(), *self.by_field.values()]), self.written)


@dataclass(frozen=True, slots=True)
class Explained:
    """What is told of a difference, and whether a change that the service knows of explains all of it."""

    sentence: str
    is_explained: bool


async def explained(
    tx: Read, project: int, since: datetime, found: Sequence[RowDifference]
) -> list[Explained]:
    """A sentence for each difference, with what changed since a moment."""
    known = {_number(one): _Known() for one in found}
    for number, position, name, correction, source, state, at in await tx.tuples(
        _CORRECTIONS, (project, [*known], since)
    ):
        said = f"correction {correction} ({source}, {state.replace('_', ' ')}) of {_at(at)}"
        if position:
            known[number].by_position[position] = said
        else:
            known[number].by_field[name] = said
    names = {ids.of("event", project, number): number for number in known}
    for name, row, action, at in await tx.tuples(_AUDIT_ROWS, (project, [*names], since)):
        known[names[name]].written = f"{action} of {_at(at)}, audit row {row}"
    for (number,) in await tx.tuples(_STILL_THERE, (project, [*known])):
        known[number].is_there = True
    return [_explained(project, since, one, known[_number(one)]) for one in found]


def _explained(project: int, since: datetime, one: RowDifference, known: _Known) -> Explained:
    name = f"event {ids.of('event', project, _number(one))}"
    if one.archived is None:
        assert one.stored is not None, "one side has the row"  # noqa: S101
        return _came(name, since, one.stored, known)
    if one.stored is None:
        return _went(name, known)
    causes: list[str] = []
    strange: list[str] = []
    for field_name in sorted({*one.archived} - _FOLLOWING):
        if one.archived[field_name] != one.stored[field_name]:
            for said, cause in _of_field(field_name, one.archived, one.stored, known, since):
                (strange if cause is None else causes).append(said if cause is None else cause)
    if strange:
        return Explained(f"{name}: {', '.join(strange)}: {_BEHIND}", is_explained=False)
    if cause := ", ".join(dict.fromkeys(causes)) or known.anything:
        return Explained(f"{name} changed since: {cause}", is_explained=True)
    return _followed(name, one.archived, one.stored)


def _followed(name: str, was: Row, now: Row) -> Explained:
    """What is said where only such fields differ as otherwise move with others."""
    moved = [one for one in sorted(_FOLLOWING) if was[one] != now[one]]
    if now["is_complete"] and not was["is_complete"]:
        return Explained(f"{name} is complete since {_at(now['updated_at'])}", is_explained=True)
    return Explained(f"{name}: {', '.join(moved)} differ: {_BEHIND}", is_explained=False)


def _came(name: str, since: datetime, stored: Row, known: _Known) -> Explained:
    """What is said of an event that the archive has not at its time."""
    if moved := known.by_field.get("start_time"):
        return Explained(
            f"{name} started at another time when it was archived, until {moved}", is_explained=True
        )
    if stored["created_at"] >= since.replace(microsecond=since.microsecond // 1000 * 1000):
        return Explained(f"{name} came later, at {_at(stored['created_at'])}", is_explained=True)
    return Explained(f"{name} is not in the archive: {_BEHIND}", is_explained=False)


def _went(name: str, known: _Known) -> Explained:
    """What is said of an event that the database has not at its archived time."""
    if (moved := known.by_field.get("start_time")) and known.is_there:
        return Explained(f"{name} starts at another time, by {moved}", is_explained=True)
    said = "starts at another time, by no correction" if known.is_there else "is not in the database"
    return Explained(f"{name} {said}: {_BEHIND}", is_explained=False)


def _of_field(
    name: str, was: Row, now: Row, known: _Known, since: datetime
) -> Iterator[tuple[str, str | None]]:
    """What is said of a field that differs, and what explains it; of data points, of each that does."""
    if now["readings"] is not None and name in _ROLLED_UP and now["updated_at"] >= since:
        yield name, f"rolled up anew at {_at(now['updated_at'])}"
    elif name == "data_points":
        yield from _of_points(was, now, known)
    elif name == "evidence":
        held = {one["number"]: one for one in was["evidence"]}
        is_kept = all(held.get(one["number"], one) == one for one in now["evidence"])
        has_all = {one["number"] for one in now["evidence"]} >= set(held)
        yield "its evidence differs", "evidence attached since" if is_kept and has_all else None
    elif name in _BY_CORRECTION:
        yield _said(name, was[name], now[name]), known.by_field.get(name)
    elif name == "voided_at" and now["is_imputed"] and now["updated_at"] >= since:
        yield name, f"withdrawn at {_at(now['updated_at'])}"
    else:
        yield _said(name, was[name], now[name]), known.written


def _of_points(was: Row, now: Row, known: _Known) -> Iterator[tuple[str, str | None]]:
    before, after = _by_position(was), _by_position(now)
    for position in sorted({*before, *after}):
        one, other = before.get(position), after.get(position)
        if one == other:
            continue
        slug = (one or other or {})["slug"]
        captured = (_captured(was, one), _captured(now, other))
        if captured[0] is not None and captured[0] != captured[1]:
            yield f"what was captured of {slug} was {captured[0]!r} and is {captured[1]!r}", None
        elif (one and _shown(one)) != (other and _shown(other)):
            values = one and one["value"], other and other["value"]
            yield _said(str(slug), *values), known.by_position.get(position)


def _captured(row: Row, point: Mapping[str, Any] | None) -> str | None:
    """What was captured of a data point."""
    return None if point is None else point["captured" if row["is_revised"] else "value"]


def _shown(point: Mapping[str, Any]) -> tuple[Any, ...]:
    """What is in force on a data point, and by what."""
    return point["value"], point["value_type"], point["correction_source"], point["correction"]


def _by_position(row: Row) -> dict[int, Mapping[str, Any]]:
    return {point["position"]: point for point in row["data_points"]}


def _number(one: RowDifference) -> int:
    row = one.archived or one.stored
    assert row is not None, "one side has the row"  # noqa: S101
    return int(row["number"])


def _said(name: str, was: object, now: object) -> str:
    return f"{name} was {_written(was)} and is {_written(now)}"


def _written(value: object) -> str:
    return _at(value) if isinstance(value, datetime) else "nothing" if value is None else repr(value)


def _at(moment: datetime) -> str:
    return Instant.of(moment).text
