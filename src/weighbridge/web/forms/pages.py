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
from weighbridge.http.messages.operation import Endpoint
from weighbridge.modelling.models import list_models, list_project_models
from weighbridge.reporting.registries import list_registries
from weighbridge.web.forms.fields import (
    FormBody,
    FormField,
    at_fields,
    count_fields,
    fields_taken,
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

_LISTS: Final[Mapping[str, tuple[Endpoint, str]]] = {
    "asset": (list_assets_of_project, "id"),
    "location": (list_locations, "id"),
    "feedstock": (list_feedstocks_of_project, "id"),
    "event_type": (list_event_types, "id"),
    "event_type_slug": (list_event_types, "slug"),
    "account_model": (list_models, "id"),
    "registry": (list_registries, "id"),
    "model": (list_project_models, "id"),
}
"""By kind, the operation that lists them, and what of each is sent."""


async def offered_for(
    visit: Visit, fields: Sequence[FormField]
) -> dict[str, Sequence[tuple[str, str]] | None]:
    """What the fields choose among, by kind: what is sent and the name; None where there are too many."""
    offered: dict[str, Sequence[tuple[str, str]] | None] = {}
    for kind in {*_kinds(fields)}:
        handler, id_attribute = _LISTS[kind]
        if not visit.may(handler.operation.permission):
            offered[kind] = None
            continue
        records = await visit.ask(handler, (("page_size", str(OFFERED_MAX)), ("sort", "name")))
        choices = [(str(getattr(record, id_attribute)), record.name) for record in records.data]
        offered[kind] = None if records.info.next_cursor is not None else choices
    return offered


def _kinds(fields: Sequence[FormField]) -> Iterator[str]:
    for field in fields:
        if field.of:
            yield field.of
        yield from _kinds(field.fields)


# Pages of the common forms: make a record, change it, remove it.
#
# A project has them at `new` below the list, and `edit` below the record. What is refused is shown again
# with what was typed; nothing is sent of a change but what differs.


_NAME: Final = re.compile(r"[.\[]")

MORE: Final = "more_lines"
"""The button that asks for further rows, and the path of these."""

BY_LIST: Final[Mapping[str, RecordForm]] = {
    f"{'' if record_form.is_of_account else IN_PROJECT}/{record_form.folder}": record_form
    for record_form in RECORD_FORMS
}
"""The form of the records of a list, by the path of the list."""


def typed_texts(visit: Visit) -> dict[str, str]:
    """What was typed, by the names of the fields."""
    return {name: visit.text(name) for name in visit.typed}


async def fields_in(visit: Visit, record_form: RecordForm) -> Sequence[FormField]:
    """The fields of a form in the project of the visit."""
    return (
        await record_form.extended(visit, record_form.fields) if record_form.extended else record_form.fields
    )


async def form_view(
    visit: Visit, fields: Sequence[FormField], texts: Mapping[str, str], noun: str, title: str, **context: Any
) -> View:
    """A form with the texts in its fields, or what was typed; `context` is what else the page is made of."""
    own_names = {field.name for field in fields}
    is_typed_over = any(_NAME.split(name, maxsplit=1)[0] in own_names for name in visit.typed)
    shown_texts = typed_texts(visit) if is_typed_over else texts
    problems = at_fields(visit.problems, noun, fields, shown_texts)
    return view(
        context.pop("template", "forms/form.html"),
        title,
        fields=fields,
        texts=shown_texts,
        lines_of=lines_of,
        fields_taken=fields_taken,
        holds=is_typed,
        is_typed_over=is_typed_over,
        offered=await offered_for(visit, fields),
        more=visit.text(MORE),
        more_button=MORE,
        problems=problems,
        wrong=messages_at(problems),
        field_count=count_fields(shown_texts),
        **context,
    )


def pages() -> list[HTTPRouteHandler]:
    """The pages of every form of the table."""
    return [handler for record_form in RECORD_FORMS for handler in _pages(record_form)]


def _pages(record_form: RecordForm) -> list[HTTPRouteHandler]:
    new = _new(record_form)
    permission, everywhere = record_form.writes, record_form.is_of_account
    path_of_new = f"{_list_of(record_form)}/new"
    routes = [
        *page(path_of_new, permission=permission, everywhere=everywhere)(new),
        *form(path_of_new, permission=permission, error_page=new, everywhere=everywhere)(
            _make(record_form, new)
        ),
    ]
    if record_form.update is not None:
        path, edit = _path_of(record_form.update), _edit(record_form)
        routes += page(f"{path}/edit", permission=permission, everywhere=everywhere)(edit)
        routes += form(f"{path}/edit", permission=permission, error_page=edit, everywhere=everywhere)(
            _change(record_form, edit)
        )
        if record_form.delete is not None:
            routes += form(f"{path}/delete", permission=record_form.writes, error_page=edit)(
                _remove(record_form)
            )
    return routes


def _new(record_form: RecordForm) -> PageFunction:
    async def new(visit: Visit) -> View:
        fields = await fields_in(visit, record_form)
        path = _home(visit, record_form)
        prefilled = {
            name: value for name, value in visit.query if any(field.name == name for field in fields)
        }
        return await form_view(
            visit,
            fields,
            {**usual_texts(fields), **prefilled},
            record_form.noun,
            f"New {record_form.words}",
            call=_call_of(visit, record_form),
            method="POST",
            crumbs=((record_form.title, path),),
            form=record_form,
            action=f"{path}/new",
            back=path,
            is_new=True,
        )

    return _name_function(new, f"new_{record_form.noun}", f"A {record_form.words} that is to be made.")


def _make(record_form: RecordForm, new: PageFunction) -> PageFunction:
    async def make(visit: Visit) -> Any:
        if visit.text(MORE):
            return await new(visit)
        fields = await fields_in(visit, record_form)
        reading = FormBody(visit.moments)
        body = reading.new(fields, typed_texts(visit))
        if reading.problems:
            raise Invalid(reading.problems)
        stored_record = await visit.do(record_form.create, {record_form.noun: record_form.build(body)})
        place = (
            f"{_home(visit, record_form)}/{stored_record.id}"
            if record_form.get
            else _home(visit, record_form)
        )
        return Redirect(place, f"{record_form.words.capitalize()} created.")

    return _name_function(make, f"make_{record_form.noun}", f"Make a {record_form.words}.")


def _edit(record_form: RecordForm) -> PageFunction:
    async def edit(visit: Visit) -> View:
        record, fields = await _read_record(visit, record_form)
        home, record_url = _home(visit, record_form), f"{_home(visit, record_form)}/{record.id}"
        name = str(getattr(record, "name", "") or f"{record_form.words} {record.id}")
        return await form_view(
            visit,
            fields,
            texts_of(fields, record, visit.moments),
            record_form.noun,
            "Edit",
            call=f"{_call_of(visit, record_form)}/{record.id}",
            method="PATCH",
            crumbs=((record_form.title, home), (name, record_url)),
            form=record_form,
            action=f"{record_url}/edit",
            back=record_url,
            is_new=False,
            name=name,
            remove=f"{record_url}/delete" if record_form.delete else "",
        )

    return _name_function(edit, f"edit_{record_form.noun}", f"A {record_form.words} that is to be changed.")


def _change(record_form: RecordForm, edit: PageFunction) -> PageFunction:
    async def change(visit: Visit) -> Any:
        if visit.text(MORE):
            return await edit(visit)
        record, fields = await _read_record(visit, record_form)
        reading = FormBody(visit.moments)
        before = texts_of(fields, record, visit.moments)
        body = reading.changed(fields, typed_texts(visit), before)
        if reading.problems:
            raise Invalid(reading.problems)
        record_url = f"{_home(visit, record_form)}/{record.id}"
        if not body:
            return Redirect(record_url, "No changes to save.")
        assert record_form.update is not None, "it is changed by an operation"  # noqa: S101
        await visit.do(record_form.update, {record_form.noun: record_form.build(body)})
        return Redirect(record_url, f"{record_form.words.capitalize()} saved.")

    return _name_function(change, f"change_{record_form.noun}", f"Change a {record_form.words}.")


def _remove(record_form: RecordForm) -> PageFunction:
    async def remove(visit: Visit) -> Redirect:
        assert record_form.delete is not None, "it is removed by an operation"  # noqa: S101
        await visit.do(record_form.delete)
        return Redirect(_home(visit, record_form), f"{record_form.words.capitalize()} deleted.")

    return _name_function(remove, f"remove_{record_form.noun}", f"Remove a {record_form.words}.")


async def _read_record(visit: Visit, record_form: RecordForm) -> tuple[Any, Sequence[FormField]]:
    assert record_form.get is not None, "what is changed is read"  # noqa: S101
    return await visit.ask(record_form.get), await fields_in(visit, record_form)


def _name_function(function: Any, name: str, summary: str) -> PageFunction:
    function.__name__, function.__doc__ = name, summary
    result: PageFunction = function
    return result


def _path_of(endpoint: Endpoint) -> str:
    return endpoint.operation.path


def _list_of(record_form: RecordForm) -> str:
    return f"/{record_form.folder}" if record_form.is_of_account else f"{IN_PROJECT}/{record_form.folder}"


def _call_of(visit: Visit, record_form: RecordForm) -> str:
    """The path of their list in the interface."""
    return _list_of(record_form).format_map(visit.path)


def _home(visit: Visit, record_form: RecordForm) -> str:
    return visit.url(record_form.folder)


PAGES: Final = pages()
