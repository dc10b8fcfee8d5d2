"""Pages of the common forms: create a record, change it, remove it.

A project has them at `new` below the list, and `edit` below the record. `rows.py` changes a record in the
row of its list by the same steps.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.errors import Conflict, Invalid
from weighbridge.http.messages.operation import Endpoint
from weighbridge.web.forms.choices import (
    MAKE_FIRST,
    build_return,
    fields_in,
    find_return,
    kept_texts,
    leave_to_make,
    make_new_records,
    offer_new_records,
    offered_for,
)
from weighbridge.web.forms.fields import (
    NEW,
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
from weighbridge.web.forms.meanwhile import BEGUN, Begun
from weighbridge.web.forms.record_forms import RECORD_FORMS, RecordForm
from weighbridge.web.forms.reporting_forms import list_places
from weighbridge.web.framework.page import IN_PROJECT, PageFunction, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, is_local, view

# Pages of the common forms: make a record, change it, remove it.
#
# A project has them at `new` below the list, and `edit` below the record. What is refused is shown again
# with what was typed; nothing is sent of a change but what differs.


_NAME: Final = re.compile(r"[.\[]")

MORE: Final = "more_lines"
"""The button that asks for further rows, and the path of these."""

NEXT: Final = "next"
"""The parameter and the field with the address to which somebody returns from a form."""

BY_LIST: Final[Mapping[str, RecordForm]] = {
    f"{'' if record_form.is_of_account else IN_PROJECT}/{record_form.folder}": record_form
    for record_form in RECORD_FORMS
}
"""The form of the records of a list, by the path of the list."""


def typed_texts(visit: Visit) -> dict[str, str]:
    """What was typed, by the names of the fields."""
    return {name: visit.text(name) for name in visit.typed}


async def form_view(
    visit: Visit, fields: Sequence[FormField], texts: Mapping[str, str], noun: str, title: str, **context: Any
) -> View:
    """A form with the texts in its fields, or what was typed; `context` is what else the page is made of."""
    shown = await build_form_context(visit, fields, texts, noun)
    template = context.pop("template", "forms/form.html")
    return view(template, title, field_count=count_fields(shown["texts"]), **{**shown, **context})


async def build_form_context(
    visit: Visit, fields: Sequence[FormField], texts: Mapping[str, str], noun: str
) -> dict[str, Any]:
    """What a template shows fields from: what was typed, what the address says, or else the texts."""
    fields = await offer_new_records(visit, fields)
    visit = convert_groups(visit, fields)
    own_names = {field.name for field in fields}
    is_typed_over = any(_NAME.split(name, maxsplit=1)[0] in own_names for name in visit.typed)
    typed, begun = typed_texts(visit), Begun.read(visit.text(BEGUN))
    shown_texts, begins = (
        begun.again(fields, typed, texts, visit.problems)
        if is_typed_over
        else ({**texts, **kept_texts(visit, fields)}, Begun.of(fields, texts))
    )
    problems = at_fields(visit.problems, noun, fields, shown_texts)
    return {
        "fields": fields,
        "texts": shown_texts,
        "lines_of": lines_of,
        "fields_taken": fields_taken,
        "holds": is_typed,
        "is_typed_over": is_typed_over,
        "offered": await offered_for(visit, fields),
        "more": visit.text(MORE),
        "more_button": MORE,
        "begun_field": BEGUN,
        "begun": begins.text,
        "new_word": NEW,
        "first_button": MAKE_FIRST,
        "returning": find_return(visit),
        "suggested": {"places": list_places(_find_schema(shown_texts))},
        "problems": problems,
        "wrong": messages_at(problems),
    }


def convert_groups(visit: Visit, fields: Sequence[FormField], prefix: str = "") -> Visit:
    """The visit with what was typed into a group written the way that was chosen for it just now."""
    for field in fields:
        path = prefix + field.name
        if field.convert is not None and visit.text(MORE) == f"{path}.{field.tag}":
            within = f"{path}."
            texts = {
                name.removeprefix(within): visit.text(name) for name in visit.typed if name.startswith(within)
            }
            converted, problems = field.convert(texts)
            others = {name: texts for name, texts in visit.typed.items() if not name.startswith(within)}
            typed = others | {within + name: (text,) for name, text in converted.items()}
            at_group = tuple(replace(one, field=f"{prefix}{one.field}") for one in problems)
            return replace(visit, typed=typed, problems=(*visit.problems, *at_group))
        if field.of and field.fields:
            visit = convert_groups(visit, field.fields, f"{path}.{NEW}.")
    return visit


def _find_schema(texts: Mapping[str, str]) -> str:
    """The schema of a mapping that was typed."""
    return next((text for name, text in texts.items() if name.endswith("mapping.schema")), "")


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
    if record_form.file is not None:
        routes += form(
            f"{path_of_new}/file",
            permission=permission,
            error_page=new,
            upload_form=record_form.file.upload_form,
        )(_make(record_form, new, " with a file"))
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
        path = find_home(visit, record_form)
        return await form_view(
            visit,
            fields,
            usual_texts(fields),
            record_form.noun,
            f"New {record_form.words}",
            call=_call_of(visit, record_form),
            method="POST",
            crumbs=((record_form.title, path),),
            form=record_form,
            action=f"{path}/new",
            back=path,
            next="",
            is_new=True,
        )

    return name_function(new, f"new_{record_form.noun}", f"A {record_form.words} that is to be made.")


def _make(record_form: RecordForm, new: PageFunction, way: str = "") -> PageFunction:
    async def make(visit: Visit) -> Any:
        if visit.text(MORE):
            return await new(visit)
        fields = await fields_in(visit, record_form)
        if leaving := leave_to_make(visit, fields):
            return leaving
        visit = await make_new_records(visit, fields)
        reading = FormBody(visit.moments)
        body = reading.new(fields, typed_texts(visit))
        if reading.problems:
            raise Invalid(reading.problems)
        if visit.file is not None and record_form.file is not None:
            body = await record_form.file.attach(visit, body)
        stored_record = await visit.do(record_form.create, {record_form.noun: record_form.build(body)})
        place = (
            f"{find_home(visit, record_form)}/{stored_record.id}"
            if record_form.get
            else find_home(visit, record_form)
        )
        notice = f"{record_form.words.capitalize()} created."
        return build_return(visit, stored_record, notice) or Redirect(place, notice)

    name = f"make_{record_form.noun}{way.replace(' ', '_')}"
    return name_function(make, name, f"Make a {record_form.words}{way}.")


def _edit(record_form: RecordForm) -> PageFunction:
    async def edit(visit: Visit) -> View:
        record, fields = await read_record(visit, record_form)
        home, record_url = find_home(visit, record_form), f"{find_home(visit, record_form)}/{record.id}"
        name = str(getattr(record, "name", "") or f"{record_form.words} {record.id}")
        return await form_view(
            visit,
            fields,
            texts_of(fields, record_form.show(record), visit.moments),
            record_form.noun,
            "Edit",
            call=f"{_call_of(visit, record_form)}/{record.id}",
            method="PATCH",
            crumbs=((record_form.title, home), (name, record_url)),
            form=record_form,
            action=f"{record_url}/edit",
            back=find_next(visit) or record_url,
            next=find_next(visit),
            is_new=False,
            name=name,
            remove=f"{record_url}/delete" if record_form.delete else "",
        )

    return name_function(edit, f"edit_{record_form.noun}", f"A {record_form.words} that is to be changed.")


def _change(record_form: RecordForm, edit: PageFunction) -> PageFunction:
    async def change(visit: Visit) -> Any:
        if visit.text(MORE):
            return await edit(visit)
        record, fields = await read_record(visit, record_form)
        if leaving := leave_to_make(visit, fields):
            return leaving
        visit = await make_new_records(visit, fields)
        place = find_next(visit) or f"{find_home(visit, record_form)}/{record.id}"
        is_changed = await change_record(visit, record_form, record, fields)
        said = f"{record_form.words.capitalize()} saved." if is_changed else "No changes to save."
        return Redirect(place, said)

    return name_function(change, f"change_{record_form.noun}", f"Change a {record_form.words}.")


async def change_record(
    visit: Visit, record_form: RecordForm, record: Any, fields: Sequence[FormField]
) -> bool:
    """Change a record by what was typed anew into fields; whether there was anything.

    Conflict if somebody else has changed such a field since the form was opened.
    """
    assert record_form.update is not None, "it is changed by an operation"  # noqa: S101
    typed = typed_texts(visit)
    current = texts_of(fields, record_form.show(record), visit.moments)
    begun = Begun.read(visit.text(BEGUN))
    if changed_meanwhile := begun.changed_meanwhile(fields, typed, current):
        raise Conflict(changed_meanwhile)
    reading = FormBody(visit.moments)
    body = reading.changed(begun.typed_anew(fields, typed), typed, current)
    if reading.problems:
        raise Invalid(reading.problems)
    if body:
        await visit.do(record_form.update, {record_form.noun: record_form.build(body)})
    return bool(body)


def find_next(visit: Visit) -> str:
    """The address to which somebody returns from a form; empty where none of this service is named."""
    wanted = visit.text(NEXT) or visit.asked(NEXT)
    return wanted if is_local(wanted) else ""


def _remove(record_form: RecordForm) -> PageFunction:
    async def remove(visit: Visit) -> Redirect:
        assert record_form.delete is not None, "it is removed by an operation"  # noqa: S101
        await visit.do(record_form.delete)
        return Redirect(find_home(visit, record_form), f"{record_form.words.capitalize()} deleted.")

    return name_function(remove, f"remove_{record_form.noun}", f"Remove a {record_form.words}.")


async def read_record(visit: Visit, record_form: RecordForm) -> tuple[Any, Sequence[FormField]]:
    """The record that the path names, and the fields of its form."""
    assert record_form.get is not None, "what is changed is read"  # noqa: S101
    return await visit.ask(record_form.get), await fields_in(visit, record_form)


def name_function(function: Any, name: str, summary: str) -> PageFunction:
    """The function of a page under a name and with a summary of its own."""
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


def find_home(visit: Visit, record_form: RecordForm) -> str:
    """The address of the list of the records of a form."""
    return visit.url(record_form.folder)


PAGES: Final = pages()
