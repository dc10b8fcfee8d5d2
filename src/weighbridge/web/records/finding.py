"""Find a record by its id, its tracking id, its client reference or the beginning of its name."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.identity import ids
from weighbridge.web.page import page
from weighbridge.web.records.opening import place_of
from weighbridge.web.visit import Moved, View, Visit, view

FOUND_MAX: Final = 20
"""Records of a kind that are shown."""

WORDS_LENGTH_MAX: Final = 200
"""Characters of what is looked for."""

_NAMED: Final = (
    ("event_type", "event_types", "data_collection:read"),
    ("asset", "assets", "data_collection:read"),
    ("location", "locations", "data_collection:read"),
    ("feedstock", "feedstocks", "data_collection:read"),
    ("ledger", "ledgers", "production_accounting:read"),
    ("rule", "rules", "data_rules:read"),
    ("report", "reports", "production_accounting:read"),
)
"""Kinds of records that are found by their names: kind, table, and the permission to see them."""


@page("/find", everywhere=True)
async def find(visit: Visit) -> View | Moved:
    """What was found; an id leads to its record at once."""
    words = visit.asked("q").strip()[:WORDS_LENGTH_MAX]
    project = visit.frame.project
    if place := place_of(words, project.id if project else ""):
        return Moved(place)
    found = await _events(visit, words) + await _named(visit, words) if words and "\x00" not in words else []
    return view("records/found.html", "Find", words=words, found=found)


async def _events(visit: Visit, words: str) -> list[tuple[str, str, str]]:
    if not visit.may("data_collection:read"):
        return []
    rows = await visit.tx.tuples(
        """
        SELECT e.project_id, e.id, t.name, coalesce(e.tracking_id, e.client_reference)
          FROM events e JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
         WHERE e.project_id IN (SELECT id FROM projects WHERE account_id = %(account)s
                                   AND (%(project)s = 0 OR id = %(project)s))
           AND e.voided_at IS NULL AND %(words)s IN (e.tracking_id, e.client_reference)
         ORDER BY e.start_time DESC LIMIT %(most)s
        """,
        _values(visit, words),
    )
    return [("event", f"{name}, {known}", ids.of("event", of, number)) for of, number, name, known in rows]


async def _named(visit: Visit, words: str) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for kind, table, permission in _NAMED:
        if not visit.may(permission):
            continue
        rows = await visit.tx.tuples(
            f"""
            SELECT project_id, id, name FROM {table}
             WHERE project_id IN (SELECT id FROM projects WHERE account_id = %(account)s
                                     AND (%(project)s = 0 OR id = %(project)s))
               AND strpos(lower(name), lower(%(words)s)) > 0
             ORDER BY name LIMIT %(most)s
            """,
            _values(visit, words),
        )
        found += [(kind, name, ids.of(kind, of, number)) for of, number, name in rows]
    return found


def _values(visit: Visit, words: str) -> dict[str, object]:
    project = visit.frame.project.number if visit.frame.project else 0
    return {"account": visit.actor.account_id, "project": project, "words": words, "most": FOUND_MAX}


PAGES: Final[list[HTTPRouteHandler]] = [*find]
