"""Where a record opens: the one table of kinds and places, and `/open/{id}`, which goes there."""

from collections.abc import Mapping
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.identity import ids
from weighbridge.errors import NotFound
from weighbridge.web.page import page
from weighbridge.web.visit import Moved, Visit

PLACES: Final[Mapping[str, str]] = {
    "event_type": "event_types",
    "event": "events",
    "location": "locations",
    "feedstock": "feedstocks",
    "asset": "assets",
    "data_point": "data_points",
    "model": "models",
    "model_run": "model_runs",
    "ledger": "ledgers",
    "batch": "batches",
    "rule": "rules",
    "data_point_result": "rule_results",
    "model_run_result": "rule_results",
    "report": "reports",
    "export": "exports",
}
"""Below which folder of its project a record of a kind opens."""

_IN_NO_PROJECT: Final = ("model", "export")
"""Kinds whose ids name no project."""


def place_of(text: str, project: str = "") -> str:
    """Where the record of an id opens, in the project where it names none; empty for a text that is no id."""
    kind = ids.kind_of(text)
    key = ids.parse(kind, text) if kind else None
    if kind is None or key is None:
        return ""
    home = f"/projects/{project}" if project else ""
    if kind not in _IN_NO_PROJECT:
        home = f"/projects/{ids.of('project', key.project)}"
    return home if kind == "project" else f"{home}/{PLACES[kind]}/{text}"


@page("/open/{record_id}", everywhere=True)
async def open_record(visit: Visit) -> Any:
    """Go to the page of a record that is known by its id alone."""
    named = visit.path["record_id"].strip()
    project = visit.frame.project.id if visit.frame.project else ""
    place = place_of(named, project)
    if not place:
        raise NotFound("record", named)
    return Moved(place)


PAGES: Final[list[HTTPRouteHandler]] = [*open_record]
