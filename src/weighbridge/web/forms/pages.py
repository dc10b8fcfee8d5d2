"""Pages of the common forms: create a record, change it, remove it; and the records that a field offers.

A project has them at `new` below the list, and `edit` below the record.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.assets import list_assets_of_project
from weighbridge.collection.event_types import list_event_types
from weighbridge.collection.feedstocks import list_feedstocks_of_project
from weighbridge.collection.locations import list_locations
from weighbridge.errors import Invalid
from weighbridge.http.messages.operation import Operation
from weighbridge.web.forms.fields import (
    FormBody,
    FormField,
    at_fields,
    count_fields,
    is_typed,
    lines_of,
    messages_at,
    texts_of,
    usual_texts,
)
from weighbridge.web.forms.record_forms import RECORD_FORMS, RecordForm
from weighbridge.web.framework.page import IN_PROJECT, PageFunction, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

# Records that a field chooses among: their ids, or the slug by which models and events know them.


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


# Pages of the common forms: make a record, change it, remove it.
#
# A project has them at `new` below the list, and `edit` below the record. What is refused is shown again
# with what was typed; nothing is sent of a change but what differs.


_NAME: Final = re.compile(r"[.\[]")

MORE: Final = "more_lines"
"""The button that asks for further rows, and the path of these."""

BY_LIST: Final[Mapping[str, RecordForm]] = {f"{IN_PROJECT}/{one.folder}": one for one in RECORD_FORMS}
"""The form of the records of a list, by the path of the list."""


def typed_texts(visit: Visit) -> dict[str, str]:
    """What was typed, by the names of the fields."""
    return {name: visit.text(name) for name in visit.typed}


async def fields_in(visit: Visit, made: RecordForm) -> Sequence[FormField]:
    """The fields of a form in the project of the visit."""
    return await made.extended(visit, made.fields) if made.extended else made.fields


async def form_view(
    visit: Visit, fields: Sequence[FormField], texts: Mapping[str, str], noun: str, title: str, **context: Any
) -> View:
    """A form with the texts in its fields, or what was typed; `context` is what else the page is made of."""
    own = {one.name for one in fields}
    is_typed_over = any(_NAME.split(name, maxsplit=1)[0] in own for name in visit.typed)
    shown = typed_texts(visit) if is_typed_over else texts
    problems = at_fields(visit.problems, noun, fields, shown)
    return view(
        context.pop("template", "forms/form.html"), title, fields=fields, texts=shown, lines_of=lines_of,
        holds=is_typed, is_typed_over=is_typed_over,
        offered=await offered_for(visit, fields), more=visit.text(MORE), more_button=MORE,
        problems=problems, wrong=messages_at(problems), field_count=count_fields(shown), **context,
    )  # fmt: skip


def pages() -> list[HTTPRouteHandler]:
    """The pages of every form of the table."""
    return [handler for made in RECORD_FORMS for handler in _pages(made)]


def _pages(made: RecordForm) -> list[HTTPRouteHandler]:
    new = _new(made)
    routes = [
        *page(f"{_list_of(made)}/new", permission=made.writes)(new),
        *form(f"{_list_of(made)}/new", permission=made.writes, again=new)(_make(made, new)),
    ]
    if made.update is not None:
        path, edit = _path_of(made.update), _edit(made)
        routes += page(f"{path}/edit", permission=made.writes)(edit)
        routes += form(f"{path}/edit", permission=made.writes, again=edit)(_change(made, edit))
        if made.delete is not None:
            routes += form(f"{path}/delete", permission=made.writes, again=edit)(_remove(made))
    return routes


def _new(made: RecordForm) -> PageFunction:
    async def new(visit: Visit) -> View:
        fields = await fields_in(visit, made)
        path = _home(visit, made)
        given = {name: value for name, value in visit.query if any(one.name == name for one in fields)}
        return await form_view(
            visit, fields, {**usual_texts(fields), **given}, made.noun, f"New {made.words}",
            call=path, method="POST", crumbs=((made.title, path),), form=made, action=f"{path}/new",
            back=path, is_new=True,
        )  # fmt: skip

    return _name_function(new, f"new_{made.noun}", f"A {made.words} that is to be made.")


def _make(made: RecordForm, new: PageFunction) -> PageFunction:
    async def make(visit: Visit) -> Any:
        if visit.text(MORE):
            return await new(visit)
        fields = await fields_in(visit, made)
        reading = FormBody(visit.moments)
        body = reading.new(fields, typed_texts(visit))
        if reading.problems:
            raise Invalid(reading.problems)
        kept = await visit.do(made.create, {made.noun: body})
        place = f"{_home(visit, made)}/{kept.id}" if made.get else _home(visit, made)
        return Redirect(place, f"{made.words.capitalize()} created.")

    return _name_function(make, f"make_{made.noun}", f"Make a {made.words}.")


def _edit(made: RecordForm) -> PageFunction:
    async def edit(visit: Visit) -> View:
        found, fields = await _read_record(visit, made)
        home, own = _home(visit, made), f"{_home(visit, made)}/{found.id}"
        name = str(getattr(found, "name", "") or f"{made.words} {found.id}")
        return await form_view(
            visit, fields, texts_of(fields, found, visit.moments), made.noun, "Edit",
            call=own, method="PATCH", crumbs=((made.title, home), (name, own)), form=made,
            action=f"{own}/edit", back=own, is_new=False, name=name,
            remove=f"{own}/delete" if made.delete else "",
        )  # fmt: skip

    return _name_function(edit, f"edit_{made.noun}", f"A {made.words} that is to be changed.")


def _change(made: RecordForm, edit: PageFunction) -> PageFunction:
    async def change(visit: Visit) -> Any:
        if visit.text(MORE):
            return await edit(visit)
        found, fields = await _read_record(visit, made)
        reading = FormBody(visit.moments)
        before = texts_of(fields, found, visit.moments)
        body = reading.changed(fields, typed_texts(visit), before)
        if reading.problems:
            raise Invalid(reading.problems)
        own = f"{_home(visit, made)}/{found.id}"
        if not body:
            return Redirect(own, "No changes to save.")
        assert made.update is not None, "it is changed by an operation"  # noqa: S101
        await visit.do(made.update, {made.noun: body})
        return Redirect(own, f"{made.words.capitalize()} saved.")

    return _name_function(change, f"change_{made.noun}", f"Change a {made.words}.")


def _remove(made: RecordForm) -> PageFunction:
    async def remove(visit: Visit) -> Redirect:
        assert made.delete is not None, "it is removed by an operation"  # noqa: S101
        await visit.do(made.delete)
        return Redirect(_home(visit, made), f"{made.words.capitalize()} deleted.")

    return _name_function(remove, f"remove_{made.noun}", f"Remove a {made.words}.")


async def _read_record(visit: Visit, made: RecordForm) -> tuple[Any, Sequence[FormField]]:
    assert made.get is not None, "what is changed is read"  # noqa: S101
    return await visit.ask(made.get), await fields_in(visit, made)


def _name_function(function: Any, name: str, told: str) -> PageFunction:
    function.__name__, function.__doc__ = name, told
    result: PageFunction = function
    return result


def _path_of(handler: HTTPRouteHandler) -> str:
    operation: Operation = handler.opt["operation"]
    return operation.path


def _list_of(made: RecordForm) -> str:
    return f"{IN_PROJECT}/{made.folder}"


def _home(visit: Visit, made: RecordForm) -> str:
    return f"/projects/{visit.path['project_id']}/{made.folder}"


PAGES: Final = pages()
