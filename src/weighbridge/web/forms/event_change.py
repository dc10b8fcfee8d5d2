"""Correcting an event: times, tags, and first or other values; what would come of it is shown first."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.event_types.records import EventType
from weighbridge.collection.event_types.routes import get_event_type
from weighbridge.collection.events.records import Event
from weighbridge.collection.events.routes import get_event, update_event
from weighbridge.core.problem import Problem
from weighbridge.errors import Conflict, Invalid, Malformed
from weighbridge.quality.impact.dry_runs import DRY_RUNS
from weighbridge.web.data.event import PATH as ONE
from weighbridge.web.forms.field import FormField
from weighbridge.web.forms.new_event import VALUES, at_values, event_fields, points_of
from weighbridge.web.forms.pages import MORE, form_view, typed_texts
from weighbridge.web.forms.reading import FormBody
from weighbridge.web.forms.texts import texts_of
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit

_WRITE: Final = "data_collection:write"
_REASON: Final = FormField("reason", "Why", "line", help="stands with every correction that this makes")


async def edit_event(visit: Visit) -> View:
    """An event as it is, to be typed over."""
    return await _shown(visit, None)


@page(f"{ONE}/impact", permission=_WRITE, computes=True, tries=True)
async def event_impact(visit: Visit) -> View:
    """What a correction would change; it is carried out, looked at and undone."""
    asked = replace(visit, typed={name: (value,) for name, value in visit.query})
    if asked.text(MORE):
        return await _shown(asked, None)
    try:
        impact = await asked.attempt(update_event, DRY_RUNS["update_event"], {"event": await _body(asked)})
    except (Invalid, Malformed, Conflict) as refusal:
        return await _shown(asked.refused(refusal.problems), None)
    return await _shown(asked, impact)


@form(f"{ONE}/edit", permission=_WRITE, again=edit_event)
async def correct_event(visit: Visit) -> Any:
    """Correct the event: what is typed counts from now on, and what was captured stays beside it."""
    if visit.text(MORE):
        return await _shown(visit, None)
    await visit.do(update_event, {"event": await _body(visit)})
    return Moved(_own(visit), "Corrected. Batches that were made of what it was are stale.")


async def _shown(visit: Visit, impact: Any) -> View:
    found, kind, fields = await _found(visit)
    own, events = _own(visit), f"{visit.frame.home}/events"
    before, sent = _before(visit, found, fields), typed_texts(visit)
    names = {one.slug: f"{VALUES}.{one.slug}" for one in kind.data_point_types}
    typed = [slug for slug, name in names.items() if sent.get(name) and sent[name] != before.get(name)]
    return await form_view(
        visit.refused(at_values(visit.problems, typed)), fields, before, "event", "Correct",
        template="data/event_change.html", call=own, method="PATCH",
        crumbs=(("Events", events), (found.event_type, own)), event=found, action=f"{own}/edit", back=own,
        is_new=True, impact=impact, previews=visit.may(DRY_RUNS["update_event"].permission),
        impact_path=f"{own}/impact",
    )  # fmt: skip


async def _body(visit: Visit) -> dict[str, Any]:
    """What was typed anew; Invalid where that is nothing, or takes away what was captured."""
    found, kind, fields = await _found(visit)
    reading, texts = FormBody(visit.moments), typed_texts(visit)
    body = reading.changed(fields, texts, _before(visit, found, fields))
    values: Mapping[str, Any] = body.pop(VALUES, {})
    names = {one.slug: one.name for one in kind.data_point_types}
    reading.problems.extend(
        Problem(
            f"{names[slug]} has a value, which can be corrected and not taken away.",
            f"{VALUES}.{slug}",
            "invalid",
        )
        for slug, value in values.items()
        if value is None and not texts.get(f"{VALUES}.{slug}")
    )
    reason = body.pop("reason", None)
    if not body and not values and not reading.problems:
        reading.problems.append(
            Problem("Nothing was typed anew, so there is nothing to correct.", None, "required")
        )
    if reading.problems:
        raise Invalid(reading.problems)
    return body | {"reason": reason} | ({"data_points": points_of(values)} if values else {})


async def _found(visit: Visit) -> tuple[Event, EventType, list[FormField]]:
    found: Event = await visit.ask(get_event)
    kind: EventType = await visit.ask(get_event_type, event_type_id=found.event_type_id)
    fields = [replace(one, is_merged=one.name == VALUES) for one in event_fields(kind) if one.name != "notes"]
    return found, kind, [*fields, _REASON]


def _before(visit: Visit, found: Event, fields: list[FormField]) -> dict[str, str]:
    """The event as the texts of its fields; one without a length has no end, as it was sent."""
    record = {
        "start_time": found.start_time,
        "end_time": found.end_time if found.end_time != found.start_time else None,
        VALUES: {one.slug: one.value for one in found.data_points},
        "asset_id": found.asset.id if found.asset else None,
        "feedstock_id": found.feedstock.id if found.feedstock else None,
        "locations": found.locations,
        "tracking_id": found.tracking_id,
    }
    return texts_of(fields, record, visit.moments)


def _own(visit: Visit) -> str:
    return f"{visit.frame.home}/events/{visit.path['event_id']}"


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(f"{ONE}/edit", permission=_WRITE)(edit_event),
    *event_impact,
    *correct_event,
]
