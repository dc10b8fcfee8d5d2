"""Calibrations: how well a meter measures, as its certificate says, from one moment to another.

A calibration is about the readings of one data point type that a meter takes: those of the events that name
the asset, or that name none. What it states is one effect: an error that these readings share as long as the
calibration holds, and that is another one after the next calibration. Of one meter, data point type and
moment at most one calibration holds. Each may be changed and removed, and the audit log keeps what it said.
Permission: data collection.

Invariants: a calibration changes only while no generation runs, and marks the batches that were made of
readings that it is about, or was about before.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from msgspec import Struct

from weighbridge.collection.evidence import EVIDENCE_OF_CALIBRATION
from weighbridge.collection.named_records.noun import ProjectNoun
from weighbridge.collection.records.calibrations import CALIBRATION_BODIES, Calibration
from weighbridge.collection.records.uncertainty import find_problems, find_unit
from weighbridge.core import identity
from weighbridge.core.identity import problem_of_name
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import MOMENT, Filter, Page, read_moment
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import LookingBack, ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes, staleness
from weighbridge.platform.tenancy import project_of

CALIBRATIONS: Final = ProjectNoun(
    CALIBRATION_BODIES,
    "calibrations",
    filters={"in_force_at": Filter("tstzrange(valid_from, valid_until)", read_moment, MOMENT, is_range=True)},
    own=(EVIDENCE_OF_CALIBRATION,),
)

# What a calibration must be like.


class _Named(NamedTuple):
    """The records that a calibration names, as far as the project has them."""

    has_asset: bool | None
    has_event_type: bool | None
    point: int | None
    """The number of the data point type."""
    value_type: str | None
    unit: str | None
    has_evidence: bool | None


async def _check(tx: Read, project: int, wanted: Calibration) -> int:
    """The number of the data point type; raises Invalid with everything that is wrong with a calibration."""
    [row] = await tx.tuples(
        _NAMED,
        {
            "project": project,
            "asset": identity.number("asset", wanted.asset_id or "", project),
            "event_type": identity.number("event_type", wanted.event_type_id, project),
            "slug": wanted.data_point_type,
            "evidence": wanted.evidence_id,
        },
    )
    named = _Named(*row)
    values = CALIBRATIONS.table.values_of(wanted)
    unit = find_unit(named.unit) if named.value_type == "number" else None
    problems = [
        *([wrong] if (wrong := problem_of_name(wanted.name, "A calibration", "calibration.name")) else []),
        *CALIBRATIONS.table.find_problems({**values, "name": None}, "calibration"),
        *_find_unknown(wanted, named),
        *_find_wrong_times(wanted),
        *find_problems(wanted.uncertainty, "calibration.uncertainty", unit),
    ]
    if problems or named.point is None:
        raise Invalid(problems)
    return named.point


def _find_unknown(wanted: Calibration, named: _Named) -> Iterator[Problem]:
    """Records that are named and that the project does not have, or that no meter measures."""
    if wanted.asset_id is not None and not named.has_asset:
        message = f"calibration.asset_id is {wanted.asset_id!r}, which is not an asset of the project."
        yield Problem(message, "calibration.asset_id", "unknown")
    field = "calibration.data_point_type"
    if not named.has_event_type:
        message = f"is {wanted.event_type_id!r}, which is not an event type of the project."
        yield Problem(f"calibration.event_type_id {message}", "calibration.event_type_id", "unknown")
    elif named.point is None:
        message = f"{field} is {wanted.data_point_type!r}, which the event type does not have."
        yield Problem(message, field, "unknown")
    elif named.value_type != "number":
        message = f"{field} is {wanted.data_point_type!r}, which is no number; a meter measures numbers."
        yield Problem(message, field, "invalid")
    if wanted.evidence_id is not None and not named.has_evidence:
        message = f"is {wanted.evidence_id}, which is no file or link of an event of the project."
        yield Problem(f"calibration.evidence_id {message}", "calibration.evidence_id", "unknown")


def _find_wrong_times(wanted: Calibration) -> Iterator[Problem]:
    start, end = wanted.valid_from, wanted.valid_until
    if isinstance(start, Instant) and isinstance(end, Instant) and end <= start:
        message = f"calibration.valid_until is {end.text}, which is not after valid_from, {start.text}."
        yield Problem(message, "calibration.valid_until", "invalid")


async def _check_alone(tx: Write, project: int, wanted: Calibration, point: int, number: int = 0) -> None:
    """Raise Invalid when another calibration holds for the same readings; keeps others from coming."""
    await tx.execute(*locks.hold(locks.calibrations(project)))
    others = await tx.tuples(
        _OVERLAPPING,
        {
            "project": project,
            "number": number,
            "point": point,
            "asset": _asset_of(wanted, project),
            "start": wanted.valid_from,
            "end": wanted.valid_until,
        },
    )
    if not others:
        return
    [(other, name, start, end)] = others
    record = identity.of("calibration", project, other)
    until = "" if end is None else f" until {Instant.of(end).text}"
    message = (
        f"The calibration {name!r}, {record}, holds for these readings from {Instant.of(start).text}{until};"
        " of one meter and data point type only one holds at a time."
    )
    raise Invalid([Problem(message, "calibration.valid_from", "taken", (record,))])


def _asset_of(calibration: Calibration, project: int) -> int | None:
    asset = calibration.asset_id
    return None if asset is None else identity.number("asset", asset, project)


_NAMED: Final = """
    SELECT (SELECT true FROM assets WHERE project_id = %(project)s AND id = %(asset)s),
           (SELECT true FROM event_types WHERE project_id = %(project)s AND id = %(event_type)s),
           t.id, t.value_type, t.unit,
           (SELECT true FROM evidence WHERE project_id = %(project)s AND id = %(evidence)s)
      FROM (SELECT) AS one
      LEFT JOIN data_point_types t
        ON (t.project_id, t.event_type_id, t.slug) = (%(project)s, %(event_type)s, %(slug)s)
"""
_OVERLAPPING: Final = """
    SELECT id, name, valid_from, valid_until FROM calibrations
     WHERE project_id = %(project)s AND id <> %(number)s AND data_point_type_id = %(point)s
       AND asset_id IS NOT DISTINCT FROM %(asset)s::integer
       AND tstzrange(valid_from, valid_until) && tstzrange(%(start)s, %(end)s)
     ORDER BY valid_from LIMIT 1
"""


# Enter calibrations, change and remove them.


_ABOUT: Final = (
    "asset_id", "event_type_id", "data_point_type", "valid_from", "valid_until", "uncertainty",
)  # fmt: skip
"""The fields on which depends how well readings are known."""

_ERRORS: Final = ("as_found", "as_left", "error_unit")
"""The fields that rules look at and no uncertainty rests on."""


def _trace(
    held: staleness.GenerationsHeldOff, *calibrations: Calibration, is_known_otherwise: bool = True
) -> changes.ChangedCalibration:
    """What a calibration leaves that is, or was, about these readings."""
    stretches = {
        staleness.CalibratedStretch(
            identity.number("event_type", one.event_type_id, held.project),
            one.data_point_type,
            _asset_of(one, held.project),
            one.valid_from,
            one.valid_until,
        )
        for one in calibrations
    }
    return changes.ChangedCalibration(held, calibrations[0].id, [*stretches], is_known_otherwise)


def _differs(before: Calibration, after: Calibration, names: Sequence[str]) -> bool:
    return any(getattr(before, name) != getattr(after, name) for name in names)


_PATH: Final = "/projects/{project_id}/calibrations"
_ONE: Final = _PATH + "/{calibration_id}"

_EXAMPLE: Final[dict[str, Any]] = {
    "calibration": {
        "name": "D-K-15204-01",
        "event_type_id": "et_0123456789abcdef01234567",
        "data_point_type": "wet_mass",
        "valid_from": "2025-01-15T00:00:00Z",
        "valid_until": "2027-01-15T00:00:00Z",
        "uncertainty": {"half_width": Decimal(40), "coverage_factor": Decimal(2), "unit": "kg"},
    }
}


@get(
    _PATH,
    permission="data_collection:read",
    returns=Page[Calibration],
    listing=CALIBRATIONS.listing,
    looks_back=LookingBack.ASKED,
)
async def list_calibrations(call: ReadCall) -> Page[Calibration]:
    """List a project's calibrations: how well its meters measure, from when until when."""
    return await CALIBRATIONS.list_of_project(call)


@post(
    _PATH,
    permission="data_collection:write",
    body=CALIBRATION_BODIES.new_body,
    returns=Calibration,
    example=_EXAMPLE,
)
async def create_calibration(call: WriteCall, body: Struct) -> Calibration:
    """Enter the calibration of a meter: how well its readings are known while the certificate holds.

    Readings belong to it by their asset, data point type and start. Its uncertainty is one effect, shared by
    all of them. Batches that were made of such readings become stale. 422 when another calibration of the
    same meter and data point type holds at some moment of that time.
    """
    tx, project, new = call.tx, await project_of(call), CALIBRATION_BODIES.created(body)
    point = await _check(tx, project, new)
    await _check_alone(tx, project, new, point)
    held = await staleness.hold_off_generations(tx, project)
    made = await CALIBRATIONS.insert(tx, project, new, {"data_point_type_id": point})
    changes.record(
        tx, call.actor, held, _trace(held, made), action="calibration.create", target=made.id,
        project_id=project, after=made,
    )  # fmt: skip
    return made


@get(_ONE, permission="data_collection:read", returns=Calibration, looks_back=LookingBack.ASKED)
async def get_calibration(call: ReadCall) -> Calibration:
    """Read one calibration."""
    return await CALIBRATIONS.get(call)


@patch(_ONE, permission="data_collection:write", body=CALIBRATION_BODIES.change_body, returns=Calibration)
async def update_calibration(call: WriteCall, body: Struct) -> Calibration:
    """Change a calibration, for example until when it holds; `uncertainty` is replaced as a whole.

    Batches that were made of readings that it is about, or was about before, become stale.
    """
    tx, project, named = call.tx, await project_of(call), call.path["calibration_id"]
    before = await CALIBRATIONS.read(tx, project, named, locks=True)
    wanted = CALIBRATION_BODIES.changed(before, body)
    point = await _check(tx, project, wanted)
    if wanted == before:
        return before
    number = CALIBRATIONS.number(named, project)
    traces: list[changes.Trace] = []
    if _differs(before, wanted, _ABOUT):
        await _check_alone(tx, project, wanted, point, number)
        held = await staleness.hold_off_generations(tx, project)
        traces += [held, _trace(held, before, wanted)]
    elif _differs(before, wanted, _ERRORS):
        held = await staleness.hold_off_generations(tx, project)
        traces += [held, _trace(held, wanted, is_known_otherwise=False)]
    after = await CALIBRATIONS.replace(tx, project, number, wanted, {"data_point_type_id": point})
    changes.record(
        tx, call.actor, *traces, action="calibration.update", target=named, project_id=project, before=before,
        after=after,
    )  # fmt: skip
    return after


@delete(_ONE, permission="data_collection:write")
async def delete_calibration(call: WriteCall) -> None:
    """Remove a calibration that was entered by mistake; batches made of its readings become stale."""
    tx, project, named = call.tx, await project_of(call), call.path["calibration_id"]
    before = await CALIBRATIONS.read(tx, project, named, locks=True)
    held = await staleness.hold_off_generations(tx, project)
    await tx.execute(
        "DELETE FROM calibrations WHERE project_id = %s AND id = %s",
        (project, CALIBRATIONS.number(named, project)),
    )
    changes.record(
        tx, call.actor, held, _trace(held, before), action="calibration.delete", target=named,
        project_id=project, before=before,
    )  # fmt: skip


ROUTES = [list_calibrations, create_calibration, get_calibration, update_calibration, delete_calibration]
