"""Any record: where it opens, how it is found, and a plain page for what has no page of its own.

Plain pages are made from the table of operations, so nothing that has an address answers 404.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, LiteralString
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.core import identity
from weighbridge.core.platform.permission import LINK
from weighbridge.db.lists.listing import Page
from weighbridge.errors import NotFound
from weighbridge.http.messages.operation import Endpoint, Operation, framework_path
from weighbridge.modelling.static_inputs import list_static_inputs
from weighbridge.web.display.figures import humanize
from weighbridge.web.display.record import DisplayRows, describe_record, describe_rows, list_fields
from weighbridge.web.forms.pages import BY_LIST
from weighbridge.web.forms.record_forms import RecordForm
from weighbridge.web.framework.columns import ListColumn, build_tools
from weighbridge.web.framework.listing import ListView, build_query
from weighbridge.web.framework.page import IN_PROJECT, page
from weighbridge.web.framework.rendering import quote_body
from weighbridge.web.framework.visit import Redirect, View, Visit, view

# The page of each kind of record, and `/open/{id}`, which redirects to it.


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
"""The folder of a record's page in its project, by kind."""

_IN_NO_PROJECT: Final = ("model", "export")
"""Kinds whose IDs do not contain the project."""


def find_record_url(text: str, project: str = "") -> str:
    """Return the URL of a record by its ID, in a project if the ID has none; empty for other texts."""
    kind = identity.kind_of(text)
    key = identity.parse(kind, text) if kind else None
    if kind is None or key is None:
        return ""
    home = f"/projects/{project}" if project else ""
    if kind not in _IN_NO_PROJECT:
        home = f"/projects/{identity.of('project', key.project)}"
    return home if kind == "project" else f"{home}/{PLACES[kind]}/{text}"


@page("/open/{record_id}", everywhere=True)
async def open_record(visit: Visit) -> Any:
    """Redirect to the page of a record by its ID."""
    record_name = visit.path["record_id"].strip()
    project = visit.frame.project.id if visit.frame.project else ""
    place = find_record_url(record_name, project)
    if not place:
        raise NotFound("record", record_name)
    return Redirect(place)


# Search records by ID, tracking ID, client reference or part of the name.


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
        matches = [(identity.kind_of(words) or "record", words, words)]
    elif words and "\x00" not in words:
        matches = [
            *await _search_by_reference(visit, words, "event", _EVENTS, "data_collection:read"),
            *await _search_by_beginning(visit, words),
            *await _search_by_reference(visit, words, "batch", _BATCHES, "production_accounting:read"),
            *await _search_by_name(visit, words),
            *await _search_models(visit, words),
        ]
    else:
        matches = []
    return view("records/found.html", "Search", words=words, found=matches)


async def _search_by_reference(
    visit: Visit, words: str, kind: str, statement: LiteralString, permission: str
) -> list[tuple[str, str, str]]:
    if not visit.may(permission):
        return []
    rows = await visit.tx.tuples(statement, _values(visit, words))
    return [
        (kind, f"{name}, {reference}", identity.of(kind, of, number)) for of, number, name, reference in rows
    ]


async def _search_by_beginning(visit: Visit, words: str) -> list[tuple[str, str, str]]:
    if len(words) < BEGINNING_LENGTH_MIN:
        return []
    return await _search_by_reference(visit, words, "event", _EVENTS_BEGINNING, "data_collection:read")


async def _search_models(visit: Visit, words: str) -> list[tuple[str, str, str]]:
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
    return [("model", name, identity.of("model", 0, number)) for number, name in rows]


async def _search_by_name(visit: Visit, words: str) -> list[tuple[str, str, str]]:
    matches: list[tuple[str, str, str]] = []
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
        matches += [(kind, name, identity.of(kind, of, number)) for of, number, name in rows]
    return matches


def _values(visit: Visit, words: str) -> dict[str, object]:
    """Return the values of a search in the current project, or in all projects."""
    frame = visit.frame
    projects = [frame.project] if frame.project else frame.projects
    return {
        "account": visit.actor.account_id,
        "projects": [project.number for project in projects],
        "words": words,
        "most": FOUND_MAX,
    }


# Plain pages for every record and list of the interface without a page of its own, made from the table of
# operations. They have the path of the operation; those outside of projects exist below each project, too.


VALUES_SHOWN: Final = "20"
"""Static inputs on the page of the record they apply to, the newest."""


def pages(slices: Sequence[Sequence[Endpoint]], taken_paths: AbstractSet[str]) -> list[HTTPRouteHandler]:
    """Return a plain page for each operation that reads, at the paths that are not taken."""
    handlers: list[HTTPRouteHandler] = []
    known_paths = {*taken_paths}
    making = _creation_examples(slices)
    opened_paths = {endpoint.operation.path.rpartition("/{")[0] for endpoint in _read_operations(slices)}
    for endpoint in _read_operations(slices):
        for path in _paths(endpoint.operation.path):
            if framework_path(path) not in known_paths:
                routes = _page(endpoint, path, making.get(endpoint.operation.path, ""), opened_paths)
                known_paths |= {route_path for route in routes for route_path in route.paths}
                handlers += routes
    return handlers


def _read_operations(slices: Sequence[Sequence[Endpoint]]) -> Iterator[Endpoint]:
    """Yield the operations that a plain page can show; those below a project first, for their paths."""
    endpoints = [endpoint for routes in slices for endpoint in routes]
    for endpoint in sorted(endpoints, key=lambda one: not one.operation.path.startswith(IN_PROJECT)):
        operation = endpoint.operation
        is_shown = operation.method == "GET" and not operation.sends and not operation.query
        is_open = operation.permission == LINK or operation.streams
        if is_shown and not is_open and not operation.computes:
            yield endpoint


def _creation_examples(slices: Sequence[Sequence[Endpoint]]) -> dict[str, str]:
    """Return the example of a body that creates a record, by the path of its list."""
    operations = [endpoint.operation for routes in slices for endpoint in routes]
    return {
        operation.path: quote_body(operation.example)
        for operation in operations
        if operation.method == "POST" and isinstance(operation.example, dict)
    }


def _paths(path: str) -> tuple[str, ...]:
    return (path,) if path.startswith("/projects") else (f"{IN_PROJECT}{path}", path)


def _page(
    endpoint: Endpoint, path: str, example: str, opened_paths: AbstractSet[str]
) -> list[HTTPRouteHandler]:
    operation = endpoint.operation
    opens = operation.path in opened_paths
    is_listing = operation.listing is not None

    async def plain(visit: Visit) -> View | Redirect:
        query = build_query(_of_project(visit, operation)) if is_listing else visit.query
        answer = await visit.ask(endpoint, query)
        call = _fill_path(operation.path, visit)
        if is_listing and isinstance(answer, Page):
            own_url = visit.request.url.path if opens else ""
            columns = _columns_of(answer.data, own_url, operation)
            tools = build_tools(visit.query, columns, (), answer.data, visit.moments)
            return view(
                "records/list.html", _title(operation), call=call, has_csv=True, tools=tools,
                rows=describe_rows(answer.data, own_url, tools.columns.names),
                list=ListView(visit.request.url.path, visit.query, answer.info),
                creation={"call": call if example else "", "body": example}, form=_form_of(visit, operation),
                new=f"{visit.request.url.path}/new",
            )  # fmt: skip
        if elsewhere := find_own_project_url(visit, answer):
            return Redirect(elsewhere)
        name = str(getattr(answer, "name", "") or _title(operation))
        return view(
            "records/record.html", name, call=call,
            record=describe_record(answer), id=str(getattr(answer, "id", "")), kind=_title(operation),
            form=_form_of(visit, operation), own=visit.request.url.path, crumbs=_crumbs(visit, operation),
            values=await _values_of(visit, operation, answer),
        )  # fmt: skip

    plain.__name__ = f"plain_{operation.name}"
    plain.__doc__ = operation.summary
    return page(path, permission=operation.permission, of=endpoint)(plain)


def _columns_of(records: Sequence[Any], own_url: str, operation: Operation) -> list[ListColumn]:
    """Return the columns of a plain list: the fields of its records, sorted by where the interface does."""
    sorts = operation.listing.sorts
    return [
        ListColumn(one.name, one.title, one.is_numeric, one.is_usual, one.name if one.name in sorts else "")
        for one in list_fields(records, own_url)
    ]


def _form_of(visit: Visit, operation: Operation) -> RecordForm | None:
    """Return the form of a list or a record, if the person has its permission."""
    path = operation.path
    record_form = BY_LIST.get(path.rpartition("/")[0] if path.endswith("}") else path)
    return record_form if record_form is not None and visit.may(record_form.writes) else None


async def _values_of(visit: Visit, operation: Operation, record: Any) -> tuple[str, DisplayRows] | None:
    """Return the newest static inputs of a record with the URL of all; None for records without any."""
    record_form = BY_LIST.get(operation.path.rpartition("/")[0])
    if record_form is None or not record_form.values_by:
        return None
    query = ((f"filter[{record_form.values_by}]", record.id), ("sort", "-effective_from"))
    listed_inputs = await visit.ask(list_static_inputs, (*query, ("page_size", VALUES_SHOWN)))
    path = visit.url("static_inputs")
    return f"{path}?{urlencode(query)}", describe_rows(listed_inputs.data, path)


def _crumbs(visit: Visit, operation: Operation) -> tuple[tuple[str, str], ...]:
    """Return the breadcrumb of a record: its list."""
    record_form = BY_LIST.get(operation.path.rpartition("/")[0])
    return (
        ((record_form.title, f"{visit.frame.home}/{record_form.folder}"),) if record_form is not None else ()
    )


def _of_project(visit: Visit, operation: Operation) -> tuple[tuple[str, str], ...]:
    """Return the query, limited to the current project if the list has that filter."""
    project = visit.frame.project
    filters = operation.listing.filters
    if project is None or "project_id" not in filters or "{project_id}" in operation.path:
        return visit.query
    return (*visit.query, ("filter[project_id]", project.id))


def find_own_project_url(visit: Visit, record: Any) -> str:
    """Return the URL of a record's page in its own project; empty if this is it."""
    project, project_id = visit.frame.project, getattr(record, "project_id", None)
    if project is None or not isinstance(project_id, str) or project_id == project.id:
        return ""
    return visit.request.url.path.replace(project.id, project_id, 1)


def _fill_path(path: str, visit: Visit) -> str:
    for name, value in visit.path.items():
        path = path.replace(f"{{{name}}}", value)
    return path


_VERBS: Final = ("list_project_", "list_ledger_", "list_", "get_")


def _title(operation: Operation) -> str:
    name = operation.name.removesuffix("_of_project").removesuffix("_of_account")
    for verb in _VERBS:
        if name.startswith(verb):
            name = name.removeprefix(verb)
            break
    return humanize(name).capitalize()


PAGES = [*open_record, *find]
