"""Find a record by its id, its tracking id, its client reference or the beginning of its name."""

from typing import Final, LiteralString

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

_EVENTS: Final = """
    SELECT e.project_id, e.id, t.name, coalesce(e.tracking_id, e.client_reference)
      FROM (SELECT * FROM (SELECT project_id, id, event_type_id, tracking_id, client_reference, start_time
                             FROM events WHERE project_id = ANY (%(projects)s) AND tracking_id = %(words)s
                              AND voided_at IS NULL ORDER BY start_time DESC LIMIT %(most)s) tracked
            UNION
            SELECT project_id, id, event_type_id, tracking_id, client_reference, start_time FROM events
             WHERE project_id = ANY (%(projects)s) AND client_reference = %(words)s
               AND voided_at IS NULL) e
      JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
     ORDER BY e.start_time DESC LIMIT %(most)s
"""
"""Each half by an index of its own."""

_BATCHES: Final = """
    SELECT b.project_id, b.id, l.name, b.tracking_id
      FROM batches b JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
     WHERE b.project_id = ANY (%(projects)s) AND b.tracking_id = %(words)s
     ORDER BY b.start_time DESC LIMIT %(most)s
"""


@page("/find", everywhere=True)
async def find(visit: Visit) -> View | Moved:
    """What was found; an id leads to its record at once, or is what is found where a script asks."""
    words = visit.asked("q").strip()[:WORDS_LENGTH_MAX]
    project = visit.frame.project
    if place := place_of(words, project.id if project else ""):
        if not visit.is_partial:
            return Moved(place)
        found = [(ids.kind_of(words) or "record", words, words)]
    elif words and "\x00" not in words:
        found = [
            *await _tracked(visit, words, "event", _EVENTS, "data_collection:read"),
            *await _tracked(visit, words, "batch", _BATCHES, "production_accounting:read"),
            *await _named(visit, words),
            *await _models(visit, words),
        ]
    else:
        found = []
    return view("records/found.html", "Find", words=words, found=found)


async def _tracked(
    visit: Visit, words: str, kind: str, statement: LiteralString, permission: str
) -> list[tuple[str, str, str]]:
    if not visit.may(permission):
        return []
    rows = await visit.tx.tuples(statement, _values(visit, words))
    return [(kind, f"{name}, {known}", ids.of(kind, of, number)) for of, number, name, known in rows]


async def _models(visit: Visit, words: str) -> list[tuple[str, str, str]]:
    if not visit.may("production_accounting:read"):
        return []
    rows = await visit.tx.tuples(
        """
        SELECT m.id, m.name FROM model_families f JOIN models m ON m.id = f.active_model_id
         WHERE f.account_id = %(account)s AND (f.project_id IS NULL OR f.project_id = ANY (%(projects)s))
           AND strpos(lower(m.name), lower(%(words)s)) > 0
         ORDER BY m.name, m.id LIMIT %(most)s
        """,
        _values(visit, words),
    )
    return [("model", name, ids.of("model", 0, number)) for number, name in rows]


async def _named(visit: Visit, words: str) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for kind, table, permission in _NAMED:
        if not visit.may(permission):
            continue
        rows = await visit.tx.tuples(
            f"""
            SELECT project_id, id, name FROM {table}
             WHERE project_id = ANY (%(projects)s)
               AND strpos(lower(name), lower(%(words)s)) > 0
             ORDER BY name LIMIT %(most)s
            """,
            _values(visit, words),
        )
        found += [(kind, name, ids.of(kind, of, number)) for of, number, name in rows]
    return found


def _values(visit: Visit, words: str) -> dict[str, object]:
    """What is looked for, in the project that one is in or else in all of them."""
    frame = visit.frame
    projects = [frame.project] if frame.project else frame.projects
    return {
        "account": visit.actor.account_id,
        "projects": [one.number for one in projects],
        "words": words,
        "most": FOUND_MAX,
    }


PAGES: Final[list[HTTPRouteHandler]] = [*find]
