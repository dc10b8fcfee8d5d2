"""A record is changed in the row of its list: a form with the plain fields of the row takes its place.

`row` below a record is that row: as the list shows it or, with `edit`, as the form, which is sent there too.
A script puts it into the list. Where none runs, the control of the row is a link to the record's own form,
which returns to the list.
"""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.web.display.record import describe_rows, list_fields
from weighbridge.web.forms.fields import FormField, texts_of
from weighbridge.web.forms.pages import (
    NEXT,
    change_record,
    find_home,
    find_next,
    form_view,
    name_function,
    read_record,
)
from weighbridge.web.forms.record_forms import RECORD_FORMS, RecordForm
from weighbridge.web.framework.columns import COLUMNS, read_names
from weighbridge.web.framework.page import PageFunction, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

EDIT: Final = "edit"
"""The parameter that asks for a row as a form."""

_PLAIN_KINDS: Final = frozenset(
    {"line", "number", "whole", "date", "moment", "choice", "answer", "truth", "record"}
)
"""Kinds of fields that fit in a row."""


def find_row_fields(fields: Sequence[FormField], columns: Sequence[str]) -> list[FormField]:
    """The fields of a form that a row with these columns changes."""
    return [
        field
        for field in fields
        if field.name in columns and field.kind in _PLAIN_KINDS and not field.is_fixed
    ]


def row_query(columns: Sequence[str], list_url: str) -> str:
    """The query of a row with these columns, in the list at this URL."""
    return urlencode(((COLUMNS, ",".join(columns)), (NEXT, list_url)), safe=",")


def pages() -> list[HTTPRouteHandler]:
    """The rows of every kind of record that can be changed."""
    return [handler for record_form in RECORD_FORMS if record_form.update for handler in _pages(record_form)]


def _pages(record_form: RecordForm) -> list[HTTPRouteHandler]:
    assert record_form.update is not None, "it is changed by an operation"  # noqa: S101
    path = f"{record_form.update.operation.path}/row"
    permission, everywhere = record_form.writes, record_form.is_of_account
    row, row_form = _row(record_form), _row_form(record_form)

    async def shown(visit: Visit) -> View:
        return await (row_form(visit) if visit.asked(EDIT) else row(visit))  # type: ignore[return-value]

    async def change(visit: Visit) -> Redirect:
        record, fields = await read_record(visit, record_form)
        columns = _columns_of(visit, find_home(visit, record_form), record)
        await change_record(visit, record_form, record, find_row_fields(fields, columns))
        place = f"{find_home(visit, record_form)}/{record.id}/row"
        return Redirect(f"{place}?{row_query(columns, find_next(visit))}")

    noun, words = record_form.noun, record_form.words
    reads = name_function(shown, f"row_of_{noun}", f"A {words} as a row of its list.")
    changes = name_function(change, f"change_row_of_{noun}", f"Change a {words} in a row of its list.")
    return [
        *page(path, permission=permission, everywhere=everywhere)(reads),
        *form(path, permission=permission, error_page=row_form, everywhere=everywhere)(changes),
    ]


def _row(record_form: RecordForm) -> PageFunction:
    async def row(visit: Visit) -> View:
        record, _ = await read_record(visit, record_form)
        home = find_home(visit, record_form)
        columns = _columns_of(visit, home, record)
        return view(
            "records/row.html",
            _name_of(record_form, record),
            crumbs=((record_form.title, home),),
            is_form=False,
            rows=describe_rows([record], home, columns),
            row_query=row_query(columns, find_next(visit)),
            list_url=find_next(visit),
        )

    return row


def _row_form(record_form: RecordForm) -> PageFunction:
    async def row_form(visit: Visit) -> View:
        record, fields = await read_record(visit, record_form)
        home = find_home(visit, record_form)
        columns = _columns_of(visit, home, record)
        row_fields = find_row_fields(fields, columns)
        query = row_query(columns, find_next(visit))
        return await form_view(
            visit,
            row_fields,
            texts_of(row_fields, record, visit.moments),
            record_form.noun,
            _name_of(record_form, record),
            template="records/row.html",
            crumbs=((record_form.title, home),),
            is_form=True,
            is_new=False,
            rows=describe_rows([record], home, columns),
            record_id=str(record.id),
            has_focus=True,
            id_prefix=f"row-{record.id}-",
            action=f"{home}/{record.id}/row?{query}",
            whole=f"{home}/{record.id}/edit?{urlencode({NEXT: find_next(visit)})}",
            back=find_next(visit) or home,
        )

    return row_form


def _columns_of(visit: Visit, home: str, record: Any) -> list[str]:
    """The columns that the query names and the record has; without any, the usual ones."""
    offered = list_fields([record], home)
    named = [name for name in read_names(visit.query) if any(one.name == name for one in offered)]
    return named or [one.name for one in offered if one.is_usual]


def _name_of(record_form: RecordForm, record: Any) -> str:
    return str(getattr(record, "name", "") or f"{record_form.words} {record.id}")


PAGES: Final = pages()
