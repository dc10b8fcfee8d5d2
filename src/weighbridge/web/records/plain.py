"""Plain pages: of every record and every list of the interface that has no page of its own.

They are made from the table of operations, so that nothing answers 404 that has an address. What the
interface has below a project stands at the same path; what it has outside stands below each project too.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.permission import LINK
from weighbridge.db.listing import Page
from weighbridge.http.operation import Operation, framework_path
from weighbridge.modelling.static_inputs.routes import list_static_inputs
from weighbridge.web.forms.named import RecordForm
from weighbridge.web.forms.pages import BY_LIST
from weighbridge.web.guidance import quoted
from weighbridge.web.listing import ListView, asked_for
from weighbridge.web.page import IN_PROJECT, page
from weighbridge.web.records.shown import ShownRows, rows_of, shown_record
from weighbridge.web.showing.words import spoken
from weighbridge.web.visit import Moved, View, Visit, view

VALUES_SHOWN: Final = "20"
"""Static inputs that stand on the page of what they hold for, the newest."""


def pages(slices: Sequence[Sequence[HTTPRouteHandler]], taken: AbstractSet[str]) -> list[HTTPRouteHandler]:
    """A plain page of each operation that reads, at the paths that are not taken."""
    made: list[HTTPRouteHandler] = []
    known = {*taken}
    making = _making(slices)
    opened = {one.opt["operation"].path.rpartition("/{")[0] for one in _reading(slices)}
    for handler in _reading(slices):
        for path in _paths(handler.opt["operation"].path):
            if framework_path(path) not in known:
                routes = _page(handler, path, making.get(handler.opt["operation"].path, ""), opened)
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
    """The example of a body that makes a record, by the path of the list in which it then stands."""
    operations: list[Operation] = [handler.opt["operation"] for routes in slices for handler in routes]
    return {
        one.path: quoted(one.example)
        for one in operations
        if one.method == "POST" and isinstance(one.example, dict)
    }


def _paths(path: str) -> tuple[str, ...]:
    return (path,) if path.startswith("/projects") else (f"{IN_PROJECT}{path}", path)


def _page(
    handler: HTTPRouteHandler, path: str, example: str, opened: AbstractSet[str]
) -> list[HTTPRouteHandler]:
    operation: Operation = handler.opt["operation"]
    opens = operation.path in opened
    is_listing = operation.listing is not None

    async def plain(visit: Visit) -> View | Moved:
        query = asked_for(_of_project(visit, operation)) if is_listing else visit.query
        found = await visit.ask(handler, query)
        call = _filled(operation.path, visit)
        if is_listing and isinstance(found, Page):
            return view(
                "records/list.html", _title(operation), call=call, has_csv=True,
                rows=rows_of(found.data, visit.request.url.path if opens else ""),
                list=ListView(visit.request.url.path, visit.query, found.info),
                making={"call": call if example else "", "body": example}, form=_form_of(visit, operation),
                new=f"{visit.request.url.path}/new",
            )  # fmt: skip
        if elsewhere := own_project(visit, found):
            return Moved(elsewhere)
        name = str(getattr(found, "name", "") or _title(operation))
        return view(
            "records/record.html", name, call=call,
            record=shown_record(found), id=str(getattr(found, "id", "")), kind=_title(operation),
            form=_form_of(visit, operation), own=visit.request.url.path, crumbs=_crumbs(visit, operation),
            values=await _values_of(visit, operation, found),
        )  # fmt: skip

    plain.__name__ = f"plain_{operation.name}"
    plain.__doc__ = operation.summary
    return page(path, permission=operation.permission, of=handler)(plain)


def _form_of(visit: Visit, operation: Operation) -> RecordForm | None:
    """The forms of the records of a list or of one record, for whoever may type into them."""
    path = operation.path
    made = BY_LIST.get(path.rpartition("/")[0] if path.endswith("}") else path)
    return made if made is not None and visit.may(made.writes) else None


async def _values_of(visit: Visit, operation: Operation, found: Any) -> tuple[str, ShownRows] | None:
    """The static inputs of a record, the newest first, with where all of them are; None where it has none."""
    made = BY_LIST.get(operation.path.rpartition("/")[0])
    if made is None or not made.values_by:
        return None
    query = ((f"filter[{made.values_by}]", found.id), ("sort", "-effective_from"))
    listed = await visit.ask(list_static_inputs, (*query, ("page_size", VALUES_SHOWN)))
    path = f"{visit.frame.home}/static_inputs"
    return f"{path}?{urlencode(query)}", rows_of(listed.data, path)


def _crumbs(visit: Visit, operation: Operation) -> tuple[tuple[str, str], ...]:
    """The list that a record of a project stands in."""
    made = BY_LIST.get(operation.path.rpartition("/")[0])
    return ((made.title, f"{visit.frame.home}/{made.folder}"),) if made is not None else ()


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
