"""Fields of a document: a window, a correction or another object that a record carries as a whole.

They are made of the declared types that the interface shows for it: a record inside becomes a group, a list
of records becomes rows, and of several records that a field may be, the choice of the one comes first. So
what is declared anew is in the form without a word about it here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from weighbridge.core.number import JsonNumber
from weighbridge.http.openapi.schemas import meaning_of
from weighbridge.web.display.figures import humanize
from weighbridge.web.forms.fields import LONG_FROM, FormField, plain_words

Cases = Mapping[str, Sequence[str]]

_KINDS: Final[Mapping[type, str]] = {
    bool: "truth",
    int: "whole",
    Decimal: "number",
    str: "line",
    JsonNumber: "number",
}


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """What a table says of the fields of documents; the rest follows from their types."""

    labels: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    """Words for what may be chosen."""
    helps: Mapping[str, str] = field(default_factory=dict)
    blanks: Mapping[str, str] = field(default_factory=dict)
    """Words of the empty choice, by the field."""
    tags: Mapping[type, tuple[str, Cases]] = field(default_factory=dict)
    """By a record, the field that decides which of the others there are, and which these are."""
    levels: Mapping[type, int] = field(default_factory=dict)
    """How many of a record may be inside one another."""
    left_out: frozenset[str] = frozenset()
    """Choices that are another spelling of one that is offered."""


@dataclass(frozen=True, slots=True)
class _Declared:
    """What a field of a record is declared to be."""

    words: tuple[str, ...] = ()
    records: tuple[type[msgspec.Struct], ...] = ()
    is_list: bool = False
    plain: type = str
    length_max: int = 0


@dataclass(frozen=True, slots=True)
class DocumentFields:
    """Makes the fields of documents by a table."""

    table: DocumentTable
    levels: Mapping[type, int] = field(default_factory=dict)
    """How many of each record may still be inside."""

    def group(self, name: str, annotation: Any) -> FormField:
        """The group of a document's fields; `annotation` is the record that it is, or a union of such."""
        kind = _declared(annotation)
        start = replace(self, levels=dict(self.table.levels))
        return start.make_group(name, kind, "")

    def _fields(self, record: type[msgspec.Struct]) -> Iterator[FormField]:
        for name, annotation in get_type_hints(record, include_extras=True).items():
            meaning = plain_words(meaning_of(record, name, None) or "")
            made = self._field(name, _declared(annotation), self.table.helps.get(name, meaning))
            if made is not None:
                yield made

    def _field(self, name: str, kind: _Declared, help_text: str) -> FormField | None:
        records = tuple(one for one in kind.records if self.levels.get(one, 1) > 0)
        if kind.records and not records and not kind.words:
            return None
        if kind.is_list:
            return self._rows(name, records[0], help_text)
        if records:
            return self.make_group(name, replace(kind, records=records), help_text)
        is_long = kind.plain is str and kind.length_max >= LONG_FROM
        return FormField(
            name,
            self._label(name),
            "choice" if kind.words else "code" if is_long else _KINDS[kind.plain],
            help=help_text,
            choices=self._choices(kind.words),
            is_sparse=True,
        )

    def _rows(self, name: str, record: type[msgspec.Struct], help_text: str) -> FormField:
        inside = self._inside(record)
        tag, cases = self.table.tags.get(record, ("", {}))
        return FormField(
            name, self._label(name), "rows", help=help_text, fields=inside.tagged_fields(record, tag, ()),
            tag=tag, cases=cases, lines=1, is_sparse=True,
        )  # fmt: skip

    def make_group(self, name: str, kind: _Declared, help_text: str) -> FormField:
        """The group of a field that is one record, or one of several."""
        if len(kind.records) == 1:
            [record] = kind.records
            tag, cases = self.table.tags.get(record, ("", {}))
            fields = self._inside(record).tagged_fields(record, tag, kind.words)
        else:
            tag, cases, fields = self._one_of(kind.records)
        blank = self.table.blanks.get(name)
        if blank:
            fields = tuple(replace(one, blank=blank) if one.name == tag else one for one in fields)
        return FormField(
            name, self._label(name), "group", help=help_text, fields=fields, tag=tag, cases=cases,
            words=kind.words, is_sparse=True,
        )  # fmt: skip

    def _one_of(self, records: Sequence[type[msgspec.Struct]]) -> tuple[str, Cases, tuple[FormField, ...]]:
        """The fields of all these records, each once, with the choice that says which record it is."""
        fields: dict[str, FormField] = {}
        cases: dict[str, tuple[str, ...]] = {"": ()}
        tag = ""
        for record in records:
            own = [*self._fields(record)]
            tag = next(one.name for one in own if one.kind == "choice")
            [choice] = [one for one in own if one.name == tag]
            words = _declared(get_type_hints(record, include_extras=True)[tag]).words
            cases |= dict.fromkeys(words, tuple(one.name for one in own if one.name != tag))
            offered = [*(fields[tag].choices if tag in fields else ()), *choice.choices]
            fields[tag] = replace(choice, kind="case", choices=offered)
            fields |= {one.name: one for one in own if one.name not in fields}
        return tag, cases, tuple(fields.values())

    def _inside(self, record: type[msgspec.Struct]) -> "DocumentFields":
        levels = {one: count - (one is record) for one, count in self.levels.items()}
        return replace(self, levels=levels)

    def tagged_fields(
        self, record: type[msgspec.Struct], tag: str, words: Sequence[str]
    ) -> tuple[FormField, ...]:
        """The fields of a record, the tag first; words that stand for the record are choices of its tag."""
        fields = [*self._fields(record)]
        tagged = [
            replace(one, kind="case", choices=[*self._choices(words), *one.choices], help="")
            for one in fields
            if one.name == tag
        ]
        return (*tagged, *(one for one in fields if one.name != tag))

    def _choices(self, words: Sequence[str]) -> list[tuple[str, str]]:
        return [
            (word, self.table.choices.get(word, humanize(word)))
            for word in words
            if word not in self.table.left_out
        ]

    def _label(self, name: str) -> str:
        return self.table.labels.get(name, humanize(name).capitalize())


def _declared(annotation: Any) -> _Declared:
    kind = _Declared()
    for option, notes in _options(annotation):
        words = [word for note in notes for word in (note.extra_json_schema or {}).get("enum", ())]
        length = max((note.max_length or 0 for note in notes), default=0)
        kind = replace(kind, words=(*kind.words, *words), length_max=max(kind.length_max, length))
        if get_origin(option) is list:
            [item] = get_args(option)
            kind = replace(kind, is_list=True, records=(item,))
        elif issubclass(option, msgspec.Struct):
            kind = replace(kind, records=(*kind.records, option))
        else:
            kind = replace(kind, plain=option)
    return kind


def _options(annotation: Any) -> Iterator[tuple[Any, Sequence[msgspec.Meta]]]:
    """What a field may be, null left out, each with what is noted of it."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *notes = get_args(annotation)
        for option, others in _options(inner):
            yield option, [*notes, *others]
    elif origin in {Union, UnionType}:
        for one in get_args(annotation):
            yield from _options(one)
    elif annotation is not NoneType:
        yield annotation, ()
