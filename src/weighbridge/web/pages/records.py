"""Any record: where it opens, and a plain page for what has no page of its own.

Plain pages are made from the table of operations, so nothing that has an address answers 404.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.core import identity
from weighbridge.core.platform.permission import LINK
from weighbridge.db.lists.listing import Page
from weighbridge.errors import NotFound
from weighbridge.http.messages.operation import Endpoint, Operation, framework_path
from weighbridge.modelling.static_inputs import list_static_inputs
from weighbridge.packages.origins import RecordOrigin
from weighbridge.packages.records import PartKind
from weighbridge.web.display.figures import humanize
from weighbridge.web.display.record import DisplayRows, describe_record, describe_rows, list_fields
from weighbridge.web.forms.pages import BY_LIST
from weighbridge.web.forms.record_forms import RecordForm
from weighbridge.web.forms.rows import find_row_fields, row_query
from weighbridge.web.framework.columns import ColumnChoice, ListColumn, build_tools
from weighbridge.web.framework.listing import ListView, build_query
from weighbridge.web.framework.origins import Origins, list_origins, map_origins
from weighbridge.web.framework.page import IN_PROJECT, page
from weighbridge.web.framework.rendering import quote_body
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.saved_views import ask_list, open_default_view, read_views

# The page of each kind of record, and `/open/{id}`, which redirects to it.


PLACES: Final[Mapping[str, str]] = {
    "event_type": "event_types",
    "event": "events",
    "location": "locations",
    "feedstock": "feedstocks",
    "asset": "assets",
    "calibration": "calibrations",
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
        own_path = visit.request.url.path
        of_list = own_path.rpartition("/")[2] if is_listing and visit.frame.project else ""
        if default := await open_default_view(visit, of_list, own_path):
            return default
        query = build_query(_of_project(visit, operation)) if is_listing else visit.query
        answer, remarks = await ask_list(visit, endpoint, query)
        call = _fill_path(operation.path, visit)
        if is_listing and isinstance(answer, Page):
            own_url = visit.request.url.path if opens else ""
            columns = _columns_of(answer.data, own_url, operation)
            tools = build_tools(visit.query, columns, (), answer.data, visit.moments, remarks)
            record_form = _form_of(visit, operation)
            return view(
                "records/list.html", _title(operation), call=call, has_csv=True, tools=tools,
                views=await read_views(visit, of_list, own_path),
                rows=describe_rows(answer.data, own_url, tools.columns.names),
                list=ListView(visit.request.url.path, visit.query, answer.info),
                creation={"call": call if example else "", "body": example}, form=record_form,
                row_query=_row_query(visit, record_form, tools.columns), new=f"{visit.request.url.path}/new",
                origins=await _origins_of_list(visit, operation, answer.data),
            )  # fmt: skip
        if elsewhere := find_own_project_url(visit, answer):
            return Redirect(elsewhere)
        name = str(getattr(answer, "name", "") or _title(operation))
        return view(
            "records/record.html", name, call=call,
            record=describe_record(answer), id=str(getattr(answer, "id", "")), kind=_title(operation),
            form=_form_of(visit, operation), own=visit.request.url.path, crumbs=_crumbs(visit, operation),
            values=await _values_of(visit, operation, answer),
            origins=await _origins_of(visit, operation, answer),
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


def _row_query(visit: Visit, record_form: RecordForm | None, choice: ColumnChoice) -> str:
    """Return the query by which the rows of a list are changed; empty where that shows no plain field."""
    if record_form is None or record_form.update is None:
        return ""
    if not find_row_fields(record_form.fields, choice.names):
        return ""
    return row_query(choice.names, f"{visit.request.url.path}?{visit.request.url.query}".rstrip("?"))


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


_KINDS: Final[Mapping[str, PartKind]] = {
    "get_event_type": PartKind.EVENT_TYPE,
    "list_event_types": PartKind.EVENT_TYPE,
    "get_static_input": PartKind.STATIC_INPUT,
    "list_static_inputs": PartKind.STATIC_INPUT,
    "get_methodology": PartKind.METHODOLOGY,
    "list_methodologies": PartKind.METHODOLOGY,
}
"""Records with plain pages that packages bring, by the operations that read one and list them."""


async def _origins_of(visit: Visit, operation: Operation, record: Any) -> Sequence[RecordOrigin]:
    """Return the packages that a record came with."""
    kind = _KINDS.get(operation.name)
    return () if kind is None else await list_origins(visit, kind, str(record.id))


async def _origins_of_list(visit: Visit, operation: Operation, records: Sequence[Any]) -> Origins:
    """Return the packages that the records of a list came with."""
    kind = _KINDS.get(operation.name)
    return {} if kind is None else await map_origins(visit, kind, records)


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


PAGES = [*open_record]
