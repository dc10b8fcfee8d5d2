"""One data point: its value, what it was captured as, who corrected it and why, and which batches used it.

A correction is looked at before it is made: the page of its impact carries it out, says what would come of
it and undoes it. Only from there it is made.
"""

from decimal import Decimal, InvalidOperation
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.data_points.records import DataPoint, OutputDataPointOfRun
from weighbridge.collection.data_points.routes import (
    correct_data_point,
    get_data_point,
    list_corrections,
    revert_data_point,
)
from weighbridge.core.identity import ids
from weighbridge.errors import Conflict, Invalid, Malformed
from weighbridge.quality.impact.dry_runs import DRY_RUNS
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/data_points/{data_point_id}"

CORRECTIONS_SHOWN: Final = (("page_size", "100"), ("sort", "-id"))
"""Corrections that the history shows, the newest."""

BATCHES_SHOWN_MAX: Final = 50
"""Batches that a data point names as made of it, the newest."""

_TRUTHS: Final = {"yes": True, "true": True, "no": False, "false": False}

_USED_BY: Final = """
    SELECT DISTINCT ON (b.start_time, b.id) b.id, l.id, l.name, b.start_time, b.end_time
      FROM batch_inputs i
      JOIN batch_input_sets s ON (s.project_id, s.batch_id, s.set_number)
                               = (i.project_id, i.batch_id, i.set_number)
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
     WHERE i.project_id = %(project)s AND b.deleted_at IS NULL
       AND int8range(i.first_event, i.last_event, '[]') @> %(event)s::bigint
       AND %(event)s = ANY (i.event_ids) AND %(position)s = ANY (s.positions)
     ORDER BY b.start_time DESC, b.id DESC LIMIT %(limit)s
"""


async def data_point(visit: Visit) -> View:
    """A data point with the history of its corrections."""
    return await _shown(visit, None)


@page(f"{PATH}/correct", permission="data_collection:write", of=get_data_point, computes=True, tries=True)
async def correction_impact(visit: Visit) -> View:
    """What a correction would change; it is carried out, looked at and undone."""
    body = await _body(visit, visit.asked("value"), visit.asked("reason"))
    try:
        impact = await visit.attempt(correct_data_point, DRY_RUNS["correct_data_point"], body)
    except (Invalid, Malformed, Conflict) as refusal:
        return await _shown(visit.refused(refusal.problems), None)
    return await _shown(visit, impact)


@form(f"{PATH}/correct", permission="data_collection:write", again=data_point)
async def make_correction(visit: Visit) -> Moved:
    """Correct the data point: the new value counts from now on, the captured one stays beside it."""
    body = await _body(visit, visit.text("value"), visit.text("reason"))
    await visit.do(correct_data_point, body)
    return Moved(_path(visit), "Corrected. Batches that were made of the old value are stale.")


@form(f"{PATH}/revert", permission="data_collection:write", again=data_point)
async def revert_correction(visit: Visit) -> Moved:
    """Restore the captured value; the corrections stay in the history."""
    await visit.do(revert_data_point, {})
    return Moved(_path(visit), "The captured value is in force again; the history stays.")


async def _shown(visit: Visit, impact: Any) -> View:
    found = await visit.ask(get_data_point)
    path = _path(visit)
    project = f"/projects/{visit.path['project_id']}"
    if isinstance(found, OutputDataPointOfRun):
        return view(
            "data/output.html", found.data_point_type, call=path, point=found, project=project,
        )  # fmt: skip
    history = await visit.ask(list_corrections, CORRECTIONS_SHOWN)
    return view(
        "data/point.html", found.data_point_type,
        call=path, crumbs=(
            (found.event.slug, f"{project}/events?filter[slug]={found.event.slug}"),
            ("Event", f"{project}/events/{found.event.id}"),
        ),
        point=found, history=history.data, path=path, project=project, impact=impact, visit=visit,
        used=await _used_by(visit, found) if visit.may("production_accounting:read") else None,
        value=visit.text("value") or visit.asked("value"),
        reason=visit.text("reason") or visit.asked("reason"),
    )  # fmt: skip


async def _body(visit: Visit, value: str, reason: str) -> dict[str, Any]:
    """What was typed as the interface takes it: of the type of the value, where it can be read as one."""
    found = await visit.ask(get_data_point)
    return {"data_point": {"value": _read(found, value.strip()), "reason": reason.strip() or None}}


def _read(found: DataPoint | OutputDataPointOfRun, text: str) -> Decimal | str | bool:
    """The value that a text says; where it says none the text itself, which is refused in words."""
    if found.value_type == "number":
        try:
            number = Decimal(text)
        except InvalidOperation:
            return text
        return number if number.is_finite() else text
    return _TRUTHS.get(text.lower(), text) if found.value_type == "boolean" else text


async def _used_by(visit: Visit, found: DataPoint) -> list[dict[str, Any]]:
    key = ids.parse("data_point", found.id)
    if key is None:
        return []
    values = {
        "project": key.project, "event": key.key, "position": key.position, "limit": BATCHES_SHOWN_MAX,
    }  # fmt: skip
    return [
        {
            "id": ids.of("batch", key.project, batch), "ledger_id": ids.of("ledger", key.project, ledger),
            "ledger": name, "start": start, "end": end,
        }
        for batch, ledger, name, start, end in await visit.reading.tuples(_USED_BY, values)
    ]  # fmt: skip


def _path(visit: Visit) -> str:
    return f"/projects/{visit.path['project_id']}/data_points/{visit.path['data_point_id']}"


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="data_collection:read", of=get_data_point)(data_point),
    *correction_impact,
    *make_correction,
    *revert_correction,
]
