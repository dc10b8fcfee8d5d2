"""Fields of a form: how each is shown, read, and what it may take, by the type that the interface takes.

Words come from the table of the form, or else from what the interface says of the field, so that a form and
the description of the interface say the same.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import msgspec
from msgspec import inspect

from weighbridge.http.openapi.meanings import meaning_of
from weighbridge.web.showing.words import spoken

LONG_FROM: Final = 1_000
"""Characters that a text may have from which on it has a field of several lines."""

ANSWERS: Final = (("yes", "yes"), ("no", "no"))
"""What a value that is true or false is typed as, where it may also be missing."""

_CODE: Final = re.compile(r"`([^`]*)`")


@dataclass(frozen=True, slots=True)
class FormField:
    """One field, or the fields of a record inside the record."""

    name: str
    label: str
    kind: str
    """line, text, number, whole, date, moment, choice, answer, truth, record, group or rows."""
    help: str = ""
    is_required: bool = False
    choices: Sequence[tuple[str, str]] = ()
    """What may be chosen, with its words."""
    usual: str = ""
    """What stands in the field of a new record."""
    of: str = ""
    """The kind of records that it names one of, or the slug of one."""
    fields: Sequence["FormField"] = ()
    """The fields of a group, or of each row."""
    unit: str = ""
    is_fixed: bool = False
    """Whether it is said when the record is made and never again."""
    is_merged: bool = False
    """Whether a group takes changes one by one, rather than as a whole."""
    lines: int = 3
    """Free rows that are offered."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the table of a form says of a field; the rest follows from its type."""

    name: str
    label: str = ""
    help: str | None = None
    kind: str = ""
    of: str = ""
    choices: Mapping[str, str] | None = None
    """Words for what may be chosen."""
    fields: Sequence["Said"] = ()
    is_fixed: bool = False
    lines: int = 3


def fields_of(record: type[msgspec.Struct], said: Sequence[Said]) -> tuple[FormField, ...]:
    """The fields of a form over the type of a record as the interface takes it, in the order of the table."""
    types = {one.encode_name: one for one in cast("inspect.StructType", inspect.type_info(record)).fields}
    return tuple(_field(record, types[one.name], one) for one in said)


def _field(record: type[msgspec.Struct], found: inspect.Field, said: Said) -> FormField:
    inner, choices, is_optional = _peeled(found.type)
    kind = said.kind or ("record" if said.of else _kind(inner, choices))
    struct = inner.item_type if isinstance(inner, inspect.ListType) else inner
    within = (
        fields_of(struct.cls, said.fields) if isinstance(struct, inspect.StructType) and said.fields else ()
    )
    usual = found.default
    words = said.choices or {}
    return FormField(
        said.name,
        said.label or spoken(said.name).capitalize(),
        kind,
        help=_help(record, said),
        is_required=found.required and not is_optional and kind not in {"truth", "group", "rows"},
        choices=[(one, words.get(one, spoken(one))) for one in choices],
        usual=usual if isinstance(usual, str) else "yes" if usual is True else "",
        of=said.of,
        fields=within,
        is_fixed=said.is_fixed,
        lines=said.lines,
    )


def _peeled(kind: Any) -> tuple[Any, Sequence[str], bool]:
    """A type without what is around it, the words that it allows, and whether it may be null."""
    is_optional = False
    choices: Sequence[str] = ()
    while True:
        if isinstance(kind, inspect.UnionType):
            is_optional = True
            [kind] = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
        elif isinstance(kind, inspect.Metadata):
            choices = (kind.extra_json_schema or {}).get("enum", choices)
            kind = kind.type
        else:
            return kind, choices, is_optional


def _kind(inner: Any, choices: Sequence[str]) -> str:
    if choices:
        return "choice"
    kinds: Sequence[tuple[type, str]] = (
        (inspect.BoolType, "truth"),
        (inspect.IntType, "whole"),
        (inspect.DecimalType, "number"),
        (inspect.CustomType, "number"),
        (inspect.DateTimeType, "moment"),
        (inspect.StructType, "group"),
        (inspect.ListType, "rows"),
    )
    for of, kind in kinds:
        if isinstance(inner, of):
            return kind
    return "text" if (getattr(inner, "max_length", None) or 0) >= LONG_FROM else "line"


def _help(record: type[msgspec.Struct], said: Said) -> str:
    if said.help is not None:
        return said.help
    meaning = meaning_of(record, said.name, None) or ""
    return _CODE.sub(r"\1", meaning).replace("; null when not said", "").replace("; null says nothing", "")
