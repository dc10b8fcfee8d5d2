"""Events, their evidence and their data points.

`events` is the pattern of a list page, `event` that of a record page. A correction of a data point is
previewed before it is made.
"""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from weighbridge.collection.data_points import (
    correct_data_point,
    get_data_point,
    list_corrections,
    list_event_corrections,
    revert_data_point,
)
from weighbridge.collection.event_types import list_event_types
from weighbridge.collection.events import get_event, list_events, update_event
from weighbridge.collection.evidence import (
    create_evidence,
    download_evidence,
    get_evidence,
    list_event_evidence,
)
from weighbridge.collection.measurements.annotations import read_captured_by
from weighbridge.collection.records.data_points import DataPoint, EventType, OutputDataPointOfRun
from weighbridge.collection.records.events import EVENT_STATUSES
from weighbridge.core import identity
from weighbridge.core.problem import Problem
from weighbridge.errors import Conflict, Invalid, Malformed
from weighbridge.quality.review.impact import DRY_RUNS
from weighbridge.web.framework.columns import build_tools
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.page import action, form, page
from weighbridge.web.framework.responses import Sendable
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.list_tables import EVENT_COLUMNS, EVENT_GROUPINGS, point_columns

# The list of events. It is the pattern of a list page: filters in the address, one call, one template.


TYPES_OFFERED: Final = "200"
"""Event types that the filter offers."""

_DAYS: Final = {
    "from": "filter[start_time][geq]",
    "until": "filter[start_time][leq]",
}
"""Fields in which times are typed, and the filters that they are."""


_QUERY: Final = partial(list_query, sort="-start_time", times=_DAYS, groupings=EVENT_GROUPINGS)
"""The newest events first."""


@page(
    "/projects/{project_id}/events",
    permission="data_collection:read",
    of=list_events,
    query_of=_QUERY,
)
async def events(visit: Visit) -> View:
    """Events of a project, the newest first."""
    query = _QUERY(visit)
    listed_events = await visit.ask(list_events, query)
    types = await visit.ask(list_event_types, (("page_size", TYPES_OFFERED), ("sort", "name")))
    path = f"/projects/{visit.frame.project.id}/events" if visit.frame.project else ""
    chosen_type = _find_type(types.data, visit)
    is_creatable = chosen_type is not None and chosen_type.rolled_up_from is None
    columns = (*EVENT_COLUMNS, *point_columns(chosen_type))
    tools = build_tools(visit.query, columns, EVENT_GROUPINGS, listed_events.data, visit.moments)
    return view(
        "data/events.html", "Events",
        call=f"{path}?{urlencode(query)}", has_csv=True,
        events=listed_events.data, types=types.data, tools=tools,
        list=ListView(path, visit.query, listed_events.info, tools.group_sort),
        statuses=EVENT_STATUSES, of_type=chosen_type.id if chosen_type and is_creatable else "",
    )  # fmt: skip


def _find_type(types: Sequence[EventType], visit: Visit) -> EventType | None:
    """The event type that the list is filtered by; None without one."""
    slug, type_id = visit.asked("filter[slug]"), visit.asked("filter[event_type_id]")
    return next((type_ for type_ in types if type_.slug == slug or type_.id == type_id), None)


# One event. It is the pattern of a record page: what it is, what it holds, what was done to it.


EVENT_PATH: Final = "/projects/{project_id}/events/{event_id}"

PICTURES: Final = ("image/png", "image/jpeg", "image/webp", "image/gif")
"""Media types that a page shows; others are kept as a file."""

EVIDENCE_SHOWN: Final = "50"
"""Files and links on the page of their event, the newest."""


async def event(visit: Visit) -> View:
    """An event with its data points and its history."""
    event_record = await visit.ask(get_event)
    evidence = await visit.ask(list_event_evidence, (("page_size", EVIDENCE_SHOWN), ("sort", "-id")))
    history = await visit.ask(list_event_corrections, (("page_size", "50"), ("sort", "-id")))
    names = {point.id: point.data_point_type for point in event_record.data_points}
    path = f"/projects/{event_record.project_id}/events"
    captured_by = await read_captured_by(visit.reading, visit.actor.account_id, event_record.id)
    return view(
        "data/event.html", event_record.event_type,
        call=f"{path}/{event_record.id}", crumbs=(("Events", path),),
        event=event_record, history=history, names=names, evidence=evidence, pictures=PICTURES,
        captured_by=captured_by,
    )  # fmt: skip


@form(f"{EVENT_PATH}/notes", permission="data_collection:write", error_page=event)
async def write_notes(visit: Visit) -> Redirect:
    """Write notes, which are no measurement and so no correction."""
    event_record = await visit.do(update_event, {"event": {"notes": visit.text("notes") or None}})
    return Redirect(f"/projects/{event_record.project_id}/events/{event_record.id}", "Notes saved.")


# Evidence of an event: files and links that prove what was measured, put there and looked at.


EVIDENCE_PATH: Final = EVENT_PATH + "/evidences/{evidence_id}"


@form(
    f"{EVENT_PATH}/evidences", permission="data_collection:write", error_page=event,
    upload_form=create_evidence.operation.form,
)  # fmt: skip
async def attach_evidence(visit: Visit) -> Redirect:
    """Attach a file, or a link where no file came."""
    if visit.file is not None:
        created_evidence = await visit.keep(create_evidence)
    elif not visit.text("url"):
        raise Invalid([Problem("Select a file or enter a URL.", "url", "required")])
    else:
        link = {"type": "url", "url": visit.text("url"), "name": visit.text("name") or visit.text("url")}
        created_evidence = await visit.do(create_evidence, {"evidence": link})
    return Redirect(visit.url("events/{event_id}"), f"{created_evidence.name} attached.")


async def evidence(visit: Visit) -> View:
    """One file or link, with a look at it where it is a picture."""
    evidence_record = await visit.ask(get_evidence)
    path = visit.url(f"events/{{event_id}}/evidences/{evidence_record.id}")
    is_file = evidence_record.type == "file"
    return view(
        "data/evidence.html",
        evidence_record.name,
        call=path,
        crumbs=(("Event", visit.url("events/{event_id}")),),
        evidence=evidence_record,
        path=path,
        is_file=is_file,
        is_seen=is_file and evidence_record.content_type in PICTURES,
    )


@page(f"{EVIDENCE_PATH}/file", permission="data_collection:read")
async def evidence_file(visit: Visit) -> Sendable:
    """The file itself: shown where it is a picture, and else kept."""
    evidence_record = await visit.ask(get_evidence)
    file_reply = await visit.ask(download_evidence)
    with await file_reply.read() as spool:
        content = spool.read()
    headers = {
        "Content-Type": file_reply.media_type,
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
    }
    if evidence_record.content_type not in PICTURES:
        headers["Content-Disposition"] = "attachment"
    return Sendable(200, content, headers)


# One data point: its current and captured value, its corrections, and the batches that use it.
#
# The impact of a correction is shown first, in a transaction that is rolled back.


DATA_POINT_PATH: Final = "/projects/{project_id}/data_points/{data_point_id}"

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
    return await _show_data_point(visit, None)


@page(
    f"{DATA_POINT_PATH}/correct",
    permission="data_collection:write",
    of=get_data_point,
    computes=True,
    tries=True,
)
async def correction_impact(visit: Visit) -> View:
    """What a correction would change; it is carried out, looked at and undone."""
    body = await _body(visit, visit.asked("value"), visit.asked("reason"))
    try:
        impact = await visit.attempt(correct_data_point, DRY_RUNS["correct_data_point"], body)
    except (Invalid, Malformed, Conflict) as refusal:
        return await _show_data_point(visit.refused(refusal.problems), None)
    return await _show_data_point(visit, impact)


@form(f"{DATA_POINT_PATH}/correct", permission="data_collection:write", error_page=data_point)
async def make_correction(visit: Visit) -> Redirect:
    """Correct the data point; the captured value remains stored."""
    body = await _body(visit, visit.text("value"), visit.text("reason"))
    await visit.do(correct_data_point, body)
    return Redirect(
        visit.url("data_points/{data_point_id}"),
        "Value corrected. Batches that use the earlier value are out of date.",
    )


async def _show_data_point(visit: Visit, impact: Any) -> View:
    data_point_record = await visit.ask(get_data_point)
    path = visit.url("data_points/{data_point_id}")
    project = f"/projects/{visit.path['project_id']}"
    if isinstance(data_point_record, OutputDataPointOfRun):
        return view(
            "data/output.html",
            data_point_record.data_point_type,
            call=path,
            point=data_point_record,
            project=project,
        )
    history = await visit.ask(list_corrections, CORRECTIONS_SHOWN)
    return view(
        "data/point.html", data_point_record.data_point_type,
        call=path, crumbs=(
            (data_point_record.event.slug, f"{project}/events?filter[slug]={data_point_record.event.slug}"),
            ("Event", f"{project}/events/{data_point_record.event.id}"),
        ),
        point=data_point_record, history=history.data, path=path, project=project, impact=impact, visit=visit,
        used=await _used_by(visit, data_point_record) if visit.may("production_accounting:read") else None,
        value=visit.text("value") or visit.asked("value"),
        reason=visit.text("reason") or visit.asked("reason"),
    )  # fmt: skip


async def _body(visit: Visit, value: str, reason: str) -> dict[str, Any]:
    """What was typed as the interface takes it: of the type of the value, where it can be read as one."""
    data_point_record = await visit.ask(get_data_point)
    return {
        "data_point": {"value": _read(data_point_record, value.strip()), "reason": reason.strip() or None}
    }


def _read(data_point_record: DataPoint | OutputDataPointOfRun, text: str) -> Decimal | str | bool:
    """The value that a text says; where it says none the text itself, which is refused in words."""
    if data_point_record.value_type == "number":
        try:
            number = Decimal(text)
        except InvalidOperation:
            return text
        return number if number.is_finite() else text
    return _TRUTHS.get(text.lower(), text) if data_point_record.value_type == "boolean" else text


async def _used_by(visit: Visit, data_point_record: DataPoint) -> list[dict[str, Any]]:
    key = identity.parse("data_point", data_point_record.id)
    if key is None:
        return []
    values = {
        "project": key.project, "event": key.key, "position": key.position, "limit": BATCHES_SHOWN_MAX,
    }  # fmt: skip
    return [
        {
            "id": identity.of("batch", key.project, batch),
            "ledger_id": identity.of("ledger", key.project, ledger), "ledger": name,
            "start": start, "end": end,
        }
        for batch, ledger, name, start, end in await visit.reading.tuples(_USED_BY, values)
    ]  # fmt: skip


PAGES = [
    *events,
    *page(EVENT_PATH, permission="data_collection:read", of=get_event)(event),
    *write_notes,
    *attach_evidence,
    *page(EVIDENCE_PATH, permission="data_collection:read", of=get_evidence)(evidence),
    *evidence_file,
    *page(DATA_POINT_PATH, permission="data_collection:read", of=get_data_point)(data_point),
    *correction_impact,
    *make_correction,
    *action(
        f"{DATA_POINT_PATH}/revert",
        revert_data_point,
        permission="data_collection:write",
        error_page=data_point,
        back="data_points/{data_point_id}",
        notice="Captured value restored. The history remains stored.",
    ),
]
