"""Records that a field chooses among: their ids, or the slug by which models and events know them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.assets.routes import list_assets_of_project
from weighbridge.collection.event_types.routes import list_event_types
from weighbridge.collection.feedstocks.routes import list_feedstocks_of_project
from weighbridge.collection.locations.routes import list_locations
from weighbridge.web.forms.field import FormField
from weighbridge.web.visit import Visit

OFFERED_MAX: Final = 200
"""Records that a field offers by their names; where there are more, the id of one is typed."""

_LISTS: Final[Mapping[str, tuple[HTTPRouteHandler, str]]] = {
    "asset": (list_assets_of_project, "id"),
    "location": (list_locations, "id"),
    "feedstock": (list_feedstocks_of_project, "id"),
    "event_type": (list_event_types, "id"),
    "event_type_slug": (list_event_types, "slug"),
}
"""By kind, the operation that lists them, and what of each is sent."""


async def offered_for(
    visit: Visit, fields: Sequence[FormField]
) -> dict[str, Sequence[tuple[str, str]] | None]:
    """What the fields choose among, by kind: what is sent and the name; None where there are too many."""
    offered: dict[str, Sequence[tuple[str, str]] | None] = {}
    for kind in {*_kinds(fields)}:
        handler, sent = _LISTS[kind]
        found = await visit.ask(handler, (("page_size", str(OFFERED_MAX)), ("sort", "name")))
        named = [(str(getattr(one, sent)), one.name) for one in found.data]
        offered[kind] = None if found.info.next_cursor is not None else named
    return offered


def _kinds(fields: Sequence[FormField]) -> Iterator[str]:
    for one in fields:
        if one.of:
            yield one.of
        yield from _kinds(one.fields)
