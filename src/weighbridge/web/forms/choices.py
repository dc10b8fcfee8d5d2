"""Records that a field of a form chooses among, and those that are made in place with what needs them.

A choice offers the records that there are. Where the person may create such a record, it also offers the
fields of a new one, below `new` of its own name: `locations[0].id.new.name`. They follow from the form of
that record. What takes a form of many steps, a model, is made first, and the form that needed it goes on
with what was typed.

Invariants: a new record and what needed it are stored in one transaction; nothing that was typed is lost.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Final
from urllib.parse import urlencode

from weighbridge.accounting.ledgers import list_project_ledgers
from weighbridge.collection.assets import list_assets_of_project
from weighbridge.collection.event_types import list_event_types
from weighbridge.collection.feedstocks import list_feedstocks_of_project
from weighbridge.collection.locations import list_locations
from weighbridge.collection.records.data_points import EventType
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, Malformed
from weighbridge.http.messages.operation import Endpoint
from weighbridge.modelling.models import list_models, list_project_models
from weighbridge.reporting.methodologies import list_methodologies
from weighbridge.reporting.registries import list_registries
from weighbridge.web.forms.fields import (
    NEW,
    FormBody,
    FormField,
    Texts,
    at_fields,
    fields_taken,
    is_typed,
    lines_of,
)
from weighbridge.web.forms.record_forms import RECORD_FORMS, RecordForm
from weighbridge.web.framework.visit import LOCAL_URL_LENGTH_MAX, Redirect, Visit, is_local

# What each kind of choice offers.


OFFERED_MAX: Final = 200
"""Records that a field offers by their names; where there are more, the id of one is typed."""


@dataclass(frozen=True, slots=True)
class RecordChoice:
    """What a field offers that names a record of a kind."""

    list: Endpoint
    sent: str = "id"
    """What of the record is sent: its ID, or the slug by which models and events know it."""
    noun: str = ""
    """The form by which one is made in place; empty where it takes a form of many steps."""
    words: str = ""
    """What one is called, where it is made first."""
    writes: str = ""
    """The permission to make one first."""
    folder: str = ""
    """Where one is made first, below the project."""
    has_only_active: bool = False
    """Whether it offers only the versions that ledgers can run."""
    offers_data_points: bool = False
    """Whether it offers the slugs of the data points of the records, whose new ones may be typed, too."""


_MODEL: Final = RecordChoice(
    list_project_models, words="model", writes="production_accounting:write", folder="models/new"
)

_CHOICES: Final[Mapping[str, RecordChoice]] = {
    "asset": RecordChoice(list_assets_of_project, noun="asset"),
    "location": RecordChoice(list_locations, noun="location"),
    "feedstock": RecordChoice(list_feedstocks_of_project, noun="feedstock"),
    "event_type": RecordChoice(list_event_types, noun="event_type"),
    "event_type_slug": RecordChoice(list_event_types, "slug", noun="event_type"),
    "data_point": RecordChoice(list_event_types, offers_data_points=True),
    "registry": RecordChoice(list_registries, noun="registry"),
    "methodology": RecordChoice(list_methodologies, noun="methodology"),
    "ledger": RecordChoice(list_project_ledgers, noun="ledger"),
    "model": _MODEL,
    "active_model": replace(_MODEL, has_only_active=True),
    "account_model": replace(_MODEL, list=list_models),
}
"""By the kind of a field."""

_FORMS: Final = {record_form.noun: record_form for record_form in RECORD_FORMS}

Offered = dict[str, Sequence[tuple[str, str]] | None]


async def offered_for(visit: Visit, fields: Sequence[FormField]) -> Offered:
    """What the fields choose among, by kind: what is sent and the name; None where there are too many."""
    offered: Offered = {}
    for kind in {*_kinds(fields)}:
        choice = _CHOICES[kind]
        if not visit.may(choice.list.operation.permission):
            offered[kind] = None
            continue
        records = await visit.ask(choice.list, (("page_size", str(OFFERED_MAX)), ("sort", "name")))
        if choice.offers_data_points:
            choices = _list_data_points(records.data)
        else:
            choices = [
                (str(getattr(record, choice.sent)), _name_record(record))
                for record in records.data
                if not choice.has_only_active or record.is_active
            ]
        offered[kind] = None if records.info.next_cursor is not None else choices
    return offered


def _list_data_points(event_types: Sequence[EventType]) -> list[tuple[str, str]]:
    """List the slugs of numbers, each with what it is called and the event types that have it."""
    names: dict[str, list[str]] = {}
    for event_type in event_types:
        for point in event_type.data_point_types:
            if point.value_type == "number":
                names.setdefault(point.slug, []).append(f"{event_type.name}: {point.name}")
    return sorted(((slug, ", ".join(words)) for slug, words in names.items()), key=itemgetter(1))


def _name_record(record: Any) -> str:
    """What a choice calls a record; one of several versions with its version."""
    version = getattr(record, "version", None)
    return record.name if version is None else f"{record.name}, version {version}"


def _kinds(fields: Sequence[FormField]) -> Iterator[str]:
    for field in fields:
        if field.of:
            yield field.of
        yield from _kinds(field.fields)


async def fields_in(visit: Visit, record_form: RecordForm) -> Sequence[FormField]:
    """The fields of a form in the project of the visit."""
    return (
        await record_form.extended(visit, record_form.fields) if record_form.extended else record_form.fields
    )


# The fields of new records.


async def offer_new_records(
    visit: Visit, fields: Sequence[FormField], *, is_row: bool = False
) -> list[FormField]:
    """The fields, each choice with what makes a new record, if the person may make one.

    In a row of a table these are only the fields that are required.
    """
    offered = []
    for field in fields:
        if field.of:
            offered.append(await _offer_new(visit, field, is_row=is_row))
        elif field.fields:
            is_table = field.kind == "rows" and not field.tag
            inner = await offer_new_records(visit, field.fields, is_row=is_table)
            offered.append(replace(field, fields=inner))
        else:
            offered.append(field)
    return offered


async def _offer_new(visit: Visit, field: FormField, *, is_row: bool) -> FormField:
    choice = _CHOICES[field.of]
    if choice.offers_data_points:
        return field
    if choice.folder:
        is_offered = visit.may(choice.writes) and "project_id" in visit.path
        return replace(field, new=choice.words, is_made_first=True) if is_offered else field
    record_form = _FORMS[choice.noun]
    if not visit.may(record_form.writes) or not (record_form.is_of_account or "project_id" in visit.path):
        return field
    own = await fields_in(visit, record_form)
    fields = [replace(one, is_conditional=True) for one in own if one.is_required or not is_row]
    return replace(field, new=record_form.words, fields=fields)


# Making them.


async def make_new_records(visit: Visit, fields: Sequence[FormField]) -> Visit:
    """Make each record that was typed into a choice; return the visit with the choice naming it.

    Raises Invalid, at the field of the new record, for what cannot be one.
    """
    typed = dict(visit.typed)
    texts = {name: visit.text(name) for name in typed}
    for path, field in [*_find_choices(fields, texts)]:
        prefix = f"{path}.{NEW}."
        of_new = {name.removeprefix(prefix): text for name, text in texts.items() if name.startswith(prefix)}
        for name in of_new:
            del typed[prefix + name]
        choice = _CHOICES[field.of]
        if choice.noun and (record_form := _FORMS[choice.noun]):
            own = await fields_in(visit, record_form)
            if not is_typed(own, of_new, ""):
                continue
            if texts.get(path):
                message = f"{field.label} must be chosen or created, not both."
                raise Invalid([Problem(message, path, "invalid")])
            record = await _make(visit, record_form, own, of_new, prefix)
            typed[path] = (str(getattr(record, choice.sent)),)
    return replace(visit, typed=typed)


def find_typed_new_record(fields: Sequence[FormField], texts: Texts) -> tuple[str, str] | None:
    """The first choice into which a new record was typed, and what such a record is called."""
    for path, field in _find_choices(fields, texts):
        choice = _CHOICES[field.of]
        if choice.noun and is_typed(_FORMS[choice.noun].fields, texts, f"{path}.{NEW}."):
            return path, _FORMS[choice.noun].words
    return None


async def _make(
    visit: Visit, record_form: RecordForm, fields: Sequence[FormField], texts: Texts, prefix: str
) -> Any:
    reading = FormBody(visit.moments)
    body = reading.new(fields, texts)
    problems: Sequence[Problem] = reading.problems
    if not problems:
        try:
            return await visit.do(record_form.create, {record_form.noun: record_form.build(body)})
        except (Invalid, Malformed) as refused:
            problems = at_fields(refused.problems, record_form.noun, fields, texts)
    raise Invalid(
        [Problem(one.message, prefix + (one.field or ""), one.code, one.records) for one in problems]
    )


def _find_choices(
    fields: Sequence[FormField], texts: Texts, prefix: str = ""
) -> Iterator[tuple[str, FormField]]:
    """The fields that choose a record, each with its path; of rows those of each row."""
    for field in fields:
        path = prefix + field.name
        if field.of:
            yield path, field
        elif field.kind == "group":
            yield from _find_choices(fields_taken(field, texts, f"{path}."), texts, f"{path}.")
        elif field.kind == "rows" and any(one.of or one.fields for one in field.fields):
            for at in range(lines_of(texts, path)):
                row = f"{path}[{at}]."
                yield from _find_choices(fields_taken(field, texts, row), texts, row)


# What is made first, by a form of its own: the address of the form that needs it keeps what was typed.


MAKE_FIRST: Final = "make_first"
"""The button that leaves a form to make a record that it needs; its value is the field of the record."""

RETURN: Final = "return"
"""The address to go on at after a record was made."""

RETURN_AS: Final = "return_as"
"""The field of that address that names the record."""

_APART: Final = frozenset({MAKE_FIRST, "csrf_token"})


def leave_to_make(visit: Visit, fields: Sequence[FormField]) -> Redirect | None:
    """Where a record is made first that the button names; None without the button.

    Raises Invalid where an address has no room for what was typed.
    """
    wanted = visit.text(MAKE_FIRST)
    texts = {name: visit.text(name) for name in visit.typed}
    found = {path: field for path, field in _find_choices(fields, texts) if _CHOICES[field.of].folder}
    if wanted not in found:
        return None
    choice = _CHOICES[found[wanted].of]
    kept = [(name, text) for name, text in texts.items() if name not in _APART]
    back = f"{visit.request.url.path}?{urlencode(kept)}"
    if len(back) > LOCAL_URL_LENGTH_MAX:
        message = (
            f"What was typed is too long to be kept while a {choice.words} is created. "
            f"Create the {choice.words} in another window, and choose it here."
        )
        raise Invalid([Problem(message, wanted, "too_long")])
    return Redirect(f"{visit.url(choice.folder)}?{urlencode({RETURN: back, RETURN_AS: wanted})}")


def build_way_to_make(visit: Visit, noun: str, field: str) -> str:
    """The address of a record's form after which this page goes on; empty if the person may make none."""
    record_form = _FORMS[noun]
    query = urlencode({RETURN: visit.request.url.path, RETURN_AS: field})
    return f"{visit.url(record_form.folder)}/new?{query}" if visit.may(record_form.writes) else ""


def find_return(visit: Visit) -> dict[str, str]:
    """Where a form goes on after its record was made, as its hidden fields; empty without an address."""
    address = visit.text(RETURN) or visit.asked(RETURN)
    if not is_local(address):
        return {}
    return {RETURN: address, RETURN_AS: visit.text(RETURN_AS) or visit.asked(RETURN_AS)}


def build_return(visit: Visit, record: Any, notice: str) -> Redirect | None:
    """Go on with the form that needed a record, which names it now; None if no form did."""
    kept = find_return(visit)
    if not kept:
        return None
    address = kept[RETURN]
    joint = "&" if "?" in address else "?"
    return Redirect(f"{address}{joint}{urlencode({kept[RETURN_AS]: record.id})}", notice)


def kept_texts(visit: Visit, fields: Sequence[FormField]) -> dict[str, str]:
    """What the address of a form says of its fields, which it begins with."""
    heads = {field.name for field in fields}
    return {name: text for name, text in visit.query if name.partition(".")[0].partition("[")[0] in heads}
