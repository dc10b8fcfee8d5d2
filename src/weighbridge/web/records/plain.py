"""Plain pages: of every record and every list of the interface that has no page of its own.

They are made from the table of operations, so that nothing answers 404 that has an address. What the
interface has below a project stands at the same path; what it has outside stands below each project too.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

import msgspec
from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.permission import LINK
from weighbridge.db.listing import Page
from weighbridge.http.operation import Operation, framework_path
from weighbridge.web.listing import ListView, asked_for
from weighbridge.web.page import IN_PROJECT, page
from weighbridge.web.records.shown import rows_of, shown_record
from weighbridge.web.showing.words import spoken
from weighbridge.web.visit import Moved, View, Visit, view


def pages(slices: Sequence[Sequence[HTTPRouteHandler]], taken: AbstractSet[str]) -> list[HTTPRouteHandler]:
    """A plain page of each operation that reads, at the paths that are not taken."""
    made: list[HTTPRouteHandler] = []
    known = {*taken}
    making = _making(slices)
    for handler in _reading(slices):
        for path in _paths(handler.opt["operation"].path):
            if framework_path(path) not in known:
                routes = _page(handler, path, making.get(handler.opt["operation"].path, ""))
                known |= {one for route in routes for one in route.paths}
                made += routes
    return made


def _reading(slices: Sequence[Sequence[HTTPRouteHandler]]) -> Iterator[HTTPRouteHandler]:
    """Operations whose answer a plain page can show; first those below a project, for the path is theirs."""
    every = [handler for routes in slices for handler in routes]
    for handler in sorted(every, key=lambda one: not one.opt["operation"].path.startswith(IN_PROJECT)):
        operation: Operation = handler.opt["operation"]
        is_shown = operation.method == "GET" and not operation.sends and not operation.query
        is_open = operation.permission == LINK or operation.streams
        if is_shown and not is_open and not operation.computes:
            yield handler


def _making(slices: Sequence[Sequence[HTTPRouteHandler]]) -> dict[str, str]:
    """The example of a body that makes a record, by the path of the list in which it then stands.

    It is shown between single quotes of a shell.
    """
    operations: list[Operation] = [handler.opt["operation"] for routes in slices for handler in routes]
    return {
        one.path: msgspec.json.encode(one.example).decode().replace("'", "'\\''")
        for one in operations
        if one.method == "POST" and isinstance(one.example, dict)
    }


def _paths(path: str) -> tuple[str, ...]:
    return (path,) if path.startswith("/projects") else (f"{IN_PROJECT}{path}", path)


def _page(handler: HTTPRouteHandler, path: str, example: str) -> list[HTTPRouteHandler]:
    operation: Operation = handler.opt["operation"]
    is_listing = operation.listing is not None

    async def plain(visit: Visit) -> View | Moved:
        query = asked_for(_of_project(visit, operation)) if is_listing else visit.query
        found = await visit.ask(handler, query)
        call = _filled(operation.path, visit)
        if is_listing and isinstance(found, Page):
            return view(
                "records/list.html", _title(operation), call=call, has_csv=True, rows=rows_of(found.data),
                list=ListView(visit.request.url.path, visit.query, found.info),
                making={"call": call if example else "", "body": example},
            )  # fmt: skip
        if elsewhere := own_project(visit, found):
            return Moved(elsewhere)
        name = str(getattr(found, "name", "") or _title(operation))
        return view(
            "records/record.html", name, call=call,
            record=shown_record(found), id=str(getattr(found, "id", "")), kind=_title(operation),
        )  # fmt: skip

    plain.__name__ = f"plain_{operation.name}"
    plain.__doc__ = operation.summary
    return page(path, permission=operation.permission, of=handler)(plain)


def _of_project(visit: Visit, operation: Operation) -> tuple[tuple[str, str], ...]:
    """The query, which below a project asks for that project's records alone where the list can."""
    project = visit.frame.project
    filters = operation.listing.filters
    if project is None or "project_id" not in filters or "{project_id}" in operation.path:
        return visit.query
    return (*visit.query, ("filter[project_id]", project.id))


def own_project(visit: Visit, found: Any) -> str:
    """Where a record of another project has its page; empty when it is in its own."""
    project, own = visit.frame.project, getattr(found, "project_id", None)
    if project is None or not isinstance(own, str) or own == project.id:
        return ""
    return visit.request.url.path.replace(project.id, own, 1)


def _filled(path: str, visit: Visit) -> str:
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
    return spoken(name).capitalize()
