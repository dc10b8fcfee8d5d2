"""Search: records by their ID, a reference or the words of their names, and what can be done with them.

Each typed word is a part of a name; a name in which every word begins one comes first.
"""

import re
from dataclasses import dataclass
from typing import Final, LiteralString

from weighbridge.core import identity
from weighbridge.web.framework.page import page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.records import find_record_url


@dataclass(frozen=True, slots=True)
class Found:
    """What a search finds: a record, or something to do, which has no ID."""

    kind: str
    name: str
    address: str
    id: str = ""


def _found(kind: str, name: str, record_id: str) -> Found:
    return Found(kind, name, f"/open/{record_id}", record_id)


_BETWEEN_WORDS: Final = " -_/.,:()"
"""Characters after which a word of a name begins."""


def count_inner(name: str, words: str) -> int:
    """Return how many of the typed words begin no word of a name."""
    spaced = f" {name.lower()}"
    return sum(
        not re.search(rf"[{re.escape(_BETWEEN_WORDS)}]{re.escape(word)}", spaced)
        for word in words.lower().split()
    )


_HAS_WORDS: Final[LiteralString] = """
    NOT EXISTS (SELECT FROM unnest(%(parts)s::text[]) AS part WHERE strpos(lower({name}), part) = 0)
"""
"""Whether each typed word is a part of a name."""

_INNER_WORDS: Final[LiteralString] = f"""
    (SELECT count(*) FROM unnest(%(parts)s::text[]) AS part
      WHERE strpos(' ' || lower({{name}}), ' ' || part) = 0
        AND strpos(translate(' ' || lower({{name}}), '{_BETWEEN_WORDS}', '         '), ' ' || part) = 0)
"""
"""How many of the typed words begin no word of a name: as `count_inner`, for the first of many."""

FOUND_MAX: Final = 20
"""Records of a kind that are shown."""

WORDS_LENGTH_MAX: Final = 200
"""Characters of what is looked for."""

_NAMED: Final = (
    ("event_type", "event_types", "data_collection:read"),
    ("asset", "assets", "data_collection:read"),
    ("calibration", "calibrations", "data_collection:read"),
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
"""Each half uses an index of its own."""

BEGINNING_LENGTH_MIN: Final = 2
"""Characters of the beginning of a tracking id by which its events are found."""

_EVENTS_BEGINNING: Final = """
    WITH RECURSIVE beginning AS (
        SELECT DISTINCT project, words FROM unnest(%(projects)s::integer[]) AS project,
               unnest(ARRAY[%(words)s, upper(%(words)s)]::text[]) AS words
    ), named AS (
        SELECT project, words, words AS tracking_id FROM beginning
        UNION ALL
        SELECT project, words, (
               SELECT e.tracking_id FROM events e
                WHERE e.project_id = named.project AND e.tracking_id > named.tracking_id
                  AND e.tracking_id < named.words || U&'\\+10FFFF' AND starts_with(e.tracking_id, named.words)
                ORDER BY e.tracking_id LIMIT 1)
          FROM named WHERE tracking_id IS NOT NULL
    )
    SELECT e.project_id, e.id, t.name, e.tracking_id
      FROM (SELECT * FROM named WHERE tracking_id <> %(words)s LIMIT %(most)s) AS one
     CROSS JOIN LATERAL (
           SELECT project_id, id, event_type_id, tracking_id FROM events
            WHERE project_id = one.project AND tracking_id = one.tracking_id AND voided_at IS NULL
            ORDER BY start_time DESC LIMIT 1) AS e
      JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
     ORDER BY e.tracking_id
"""
"""The newest event of each tracking id that begins so; from each the index is entered at the next."""

_BATCHES: Final = """
    SELECT b.project_id, b.id, l.name, b.tracking_id
      FROM batches b JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
     WHERE b.project_id = ANY (%(projects)s) AND b.tracking_id = %(words)s
     ORDER BY b.start_time DESC LIMIT %(most)s
"""


@page("/find", everywhere=True)
async def find(visit: Visit) -> View | Redirect:
    """Show the results of a search; an ID redirects to its record, unless a script asks."""
    words = visit.asked("q").strip()[:WORDS_LENGTH_MAX]
    project = visit.frame.project
    if place := find_record_url(words, project.id if project else ""):
        if not visit.is_partial:
            return Redirect(place)
        matches = [_found(identity.kind_of(words) or "record", words, words)]
    elif words and "\x00" not in words:
        matches = [
            *await _search_by_reference(visit, words, "event", _EVENTS, "data_collection:read"),
            *await _search_by_beginning(visit, words),
            *await _search_by_reference(visit, words, "batch", _BATCHES, "production_accounting:read"),
            *await _search_by_name(visit, words),
            *await _search_models(visit, words),
            *await _search_actions(visit, words),
        ]
        matches.sort(key=lambda match: count_inner(match.name, words))
    else:
        matches = []
    return view("records/found.html", "Search", words=words, found=matches)


async def _search_by_reference(
    visit: Visit, words: str, kind: str, statement: LiteralString, permission: str
) -> list[Found]:
    values = _values(visit, words, permission)
    rows = await visit.tx.tuples(statement, values) if values["projects"] else []
    return [
        _found(kind, f"{name}, {reference}", identity.of(kind, of, number))
        for of, number, name, reference in rows
    ]


async def _search_by_beginning(visit: Visit, words: str) -> list[Found]:
    if len(words) < BEGINNING_LENGTH_MIN:
        return []
    return await _search_by_reference(visit, words, "event", _EVENTS_BEGINNING, "data_collection:read")


async def _search_models(visit: Visit, words: str) -> list[Found]:
    permission = "production_accounting:read"
    if visit.actor.find_projects(permission) == frozenset():
        return []
    rows = await visit.tx.tuples(
        f"""
        SELECT m.id, m.name FROM model_families f JOIN models m ON m.id = f.active_model_id
         WHERE f.account_id = %(account)s AND (f.project_id IS NULL OR f.project_id = ANY (%(projects)s))
           AND {_HAS_WORDS.format(name="m.name")}
         ORDER BY {_INNER_WORDS.format(name="m.name")}, m.name, m.id LIMIT %(most)s
        """,
        _values(visit, words, permission),
    )
    return [_found("model", name, identity.of("model", 0, number)) for number, name in rows]


async def _search_by_name(visit: Visit, words: str) -> list[Found]:
    matches: list[Found] = []
    for kind, table, permission in _NAMED:
        values = _values(visit, words, permission)
        if not values["projects"]:
            continue
        rows = await visit.tx.tuples(
            f"""
            SELECT project_id, id, name FROM {table}
             WHERE project_id = ANY (%(projects)s)
               AND {_HAS_WORDS.format(name="name")}
             ORDER BY {_INNER_WORDS.format(name="name")}, name LIMIT %(most)s
            """,
            values,
        )
        matches += [_found(kind, name, identity.of(kind, of, number)) for of, number, name in rows]
    return matches


_LEDGERS_WITH_MODELS: Final = """
    SELECT id, name FROM ledgers WHERE project_id = ANY (%(projects)s) AND family_id IS NOT NULL
     ORDER BY name, id LIMIT %(most)s
"""
_FEEDS: Final = """
    SELECT id, name FROM data_feeds WHERE project_id = ANY (%(projects)s) ORDER BY name, id LIMIT %(most)s
"""


async def _search_actions(visit: Visit, words: str) -> list[Found]:
    """Return what can be done with records of the current project; every word begins one of the action."""
    if visit.frame.project is None:
        return []
    home, actions = visit.frame.home, list[Found]()
    permission = "production_accounting:write"
    if visit.may(permission):
        for number, name in await visit.tx.tuples(_LEDGERS_WITH_MODELS, _values(visit, words, permission)):
            ledger = identity.of("ledger", visit.frame.project.number, number)
            actions.append(
                Found("action", f"Generate batches: {name}", f"{home}/ledgers/{ledger}/generations")
            )
    permission = "data_collection:write"
    if visit.may(permission):
        for number, name in await visit.tx.tuples(_FEEDS, _values(visit, words, permission)):
            actions.append(Found("action", f"Upload a file: {name}", f"{home}/data_feeds/{number}"))
    return [action for action in actions if not count_inner(action.name, words)]


def _values(visit: Visit, words: str, permission: str) -> dict[str, object]:
    """Return the values of a search in the current project, or in all, where the person may read."""
    frame, held = visit.frame, visit.actor.find_projects(permission)
    shown = [frame.project] if frame.project else frame.projects
    projects = [project for project in shown if held is None or project.number in held]
    return {
        "account": visit.actor.account_id,
        "projects": [project.number for project in projects],
        "words": words,
        "parts": words.lower().split(),
        "most": FOUND_MAX,
    }


PAGES = [*find]
