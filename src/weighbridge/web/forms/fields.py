"""Fields of a form, made from the type that the interface takes: shown as texts, and read back as a body.

Read `fields_of`, then `texts_of` (a record as texts), then `FormBody` (texts as a body).

Invariants: a form knows no rule of a record; each problem is shown at its field; of a change only what
was typed anew is sent.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final, cast

import msgspec
from msgspec import inspect

from weighbridge.collection.named_records.noun import NamedNoun
from weighbridge.core.number import NumberError, limit_number, plain, shorten
from weighbridge.core.problem import Problem
from weighbridge.db.statements import canonical
from weighbridge.http.openapi.schemas import meaning_of
from weighbridge.http.text import Text
from weighbridge.web.display.figures import TimeFormat, humanize, to_instant

# Fields of a form: how each is shown, read, and what it may take, by the type that the interface takes.
#
# Words come from the table of the form, or else from what the interface says of the field, so that a form
# and the description of the interface say the same.


LONG_FROM: Final = 1_000
"""Characters that a text may have from which on it has a field of several lines."""

ANSWERS: Final = (("yes", "yes"), ("no", "no"))
"""What a value that is true or false is typed as, where it may also be missing."""

NEW: Final = "new"
"""Below the name of a field that chooses a record, the fields of a new one."""

_CODE: Final = re.compile(r"`([^`]*)`")


@dataclass(frozen=True, slots=True)
class FormField:
    """One field, or the fields of a record inside the record."""

    name: str
    label: str
    kind: str
    """line, text, code, number, whole, date, moment, choice, case, answer, truth, record, group or rows."""
    help: str = ""
    is_required: bool = False
    choices: Sequence[tuple[str, str]] = ()
    """What may be chosen, with its words."""
    usual: str = ""
    """The text of the field for a new record."""
    of: str = ""
    """The kind of records that it names one of, or the slug of one."""
    fields: Sequence["FormField"] = ()
    """The fields of a group, of each row, or of a new record that can be made in place of a choice."""
    new: str = ""
    """What a new record is called, where the person may make one in place of a choice."""
    is_made_first: bool = False
    """Whether such a record takes a form of its own, to which the person goes first."""
    is_conditional: bool = False
    """Whether it is required only if its record is typed at all."""
    unit: str = ""
    is_fixed: bool = False
    """Whether it is said when the record is made and never again."""
    is_merged: bool = False
    """Whether a group takes changes one by one, rather than as a whole."""
    lines: int = 3
    """Free rows that are offered."""
    tag: str = ""
    """The field inside, of the kind `case`, whose choice decides which of the others there are."""
    cases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By the choice of the tag, the fields that only some choices have; a choice not in it has all."""
    words: Sequence[str] = ()
    """Choices of the tag that stand for the group: the word is sent in its place."""
    is_sparse: bool = False
    """Whether what is empty inside is left out of the body, rather than sent as null."""
    blank: str = "\N{EN DASH}"
    """The words of the empty choice."""
    offered: str = ""
    """The list of the page that it suggests texts of."""
    convert: "Callable[[Texts], tuple[dict[str, str], list[Problem]]] | None" = None
    """Writes what was typed into a group the way that its tag says now; the names are those inside it."""
    is_open: bool = False
    """Whether a group shows its fields though nothing was typed into them."""


@dataclass(frozen=True, slots=True)
class FieldDeclaration:
    """What the table of a form says of a field; the rest follows from its type."""

    name: str
    label: str = ""
    help: str | None = None
    kind: str = ""
    of: str = ""
    choices: Mapping[str, str] | None = None
    """Words for what may be chosen."""
    fields: Sequence["FieldDeclaration"] = ()
    is_fixed: bool = False
    lines: int = 3
    usual: str | None = None
    """What a new record begins with in the form, where that is not what the interface takes it for."""
    is_open: bool = False
    """Whether a group shows its fields though nothing was typed into them."""


def fields_of(
    record: type[msgspec.Struct], declarations: Sequence[FieldDeclaration]
) -> tuple[FormField, ...]:
    """The fields of a form over the type of a record as the interface takes it, in the order of the table."""
    types = {
        declaration.encode_name: declaration
        for declaration in cast("inspect.StructType", inspect.type_info(record)).fields
    }
    return tuple(_form_field(record, types[declaration.name], declaration) for declaration in declarations)


def declared_fields(noun: NamedNoun[Any], **parts: Sequence[FieldDeclaration]) -> tuple[FormField, ...]:
    """The fields of a form over a record that declares them; `parts` are the fields inside a field."""
    table_fields = noun.table.fields
    declarations = [
        FieldDeclaration(
            name,
            table_field.label,
            table_field.help,
            "text" if table_field.kind is Text else "",
            fields=parts.get(name, ()),
        )
        for name, table_field in table_fields.items()
    ]
    return tuple(
        replace(field, is_merged=table_fields[field.name].is_merged)
        for field in fields_of(noun.bodies.new, declarations)
    )


def _form_field(
    record: type[msgspec.Struct], struct_field: inspect.Field, declaration: FieldDeclaration
) -> FormField:
    inner, choices, is_optional = _peeled(struct_field.type)
    kind = declaration.kind or ("record" if declaration.of else _kind(inner, choices))
    struct = inner.item_type if isinstance(inner, inspect.ListType) else inner
    inner_fields = (
        fields_of(struct.cls, declaration.fields)
        if isinstance(struct, inspect.StructType) and declaration.fields
        else ()
    )
    usual = struct_field.default if declaration.usual is None else declaration.usual
    words = declaration.choices or {}
    return FormField(
        declaration.name,
        declaration.label or humanize(declaration.name).capitalize(),
        kind,
        help=_help(record, declaration),
        is_required=struct_field.required and not is_optional and kind not in {"truth", "group", "rows"},
        choices=[(choice, words.get(choice, humanize(choice))) for choice in choices or words],
        usual=usual if isinstance(usual, str) else "yes" if usual is True else "",
        of=declaration.of,
        fields=inner_fields,
        is_fixed=declaration.is_fixed,
        lines=declaration.lines,
        is_open=declaration.is_open,
    )


def _peeled(kind: Any) -> tuple[Any, Sequence[str], bool]:
    """A type without what is around it, the words that it allows, and whether it may be null."""
    is_optional = False
    choices: Sequence[str] = ()
    while True:
        if isinstance(kind, inspect.UnionType):
            is_optional = True
            [kind] = [type_ for type_ in kind.types if not isinstance(type_, inspect.NoneType)]
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
        (inspect.DictType, "group"),
        (inspect.ListType, "rows"),
    )
    for of, kind in kinds:
        if isinstance(inner, of):
            return kind
    return "text" if (getattr(inner, "max_length", None) or 0) >= LONG_FROM else "line"


def _help(record: type[msgspec.Struct], declaration: FieldDeclaration) -> str:
    if declaration.help is not None:
        return declaration.help
    return plain_words(meaning_of(record, declaration.name, None) or "")


def plain_words(meaning: str) -> str:
    """What the interface says of a field, as a form says it."""
    said = _CODE.sub(r"\1", meaning)
    return said.replace("; null when not said", "").replace("; null says nothing", "")


# A record as the texts of its form's fields, by the names of the fields.
#
# A field inside a record is named by its path, `address.city`, and one of a row by its line,
# `data_point_types[0].name`: as the interface names what a problem is about.


Texts = Mapping[str, str]


def fields_taken(form_field: FormField, texts: Texts, prefix: str) -> Sequence[FormField]:
    """The fields inside a field that there are where its tag says what it says."""
    if not form_field.tag:
        return form_field.fields
    chosen = texts.get(prefix + form_field.tag, "")
    if chosen in form_field.words:
        return [one for one in form_field.fields if one.name == form_field.tag]
    if chosen not in form_field.cases:
        return form_field.fields
    left_out = {name for names in form_field.cases.values() for name in names} - {*form_field.cases[chosen]}
    return [one for one in form_field.fields if one.name not in left_out]


def names_shown(fields: Sequence[FormField], texts: Texts, prefix: str = "") -> Iterator[str]:
    """The names of the texts that a form with these texts shows."""
    for form_field in fields:
        path = prefix + form_field.name
        if form_field.kind == "rows":
            for at in range(lines_of(texts, path)):
                yield f"{path}[{at}].{GONE}"
                yield from names_shown(
                    fields_taken(form_field, texts, f"{path}[{at}]."), texts, f"{path}[{at}]."
                )
        elif form_field.kind == "group":
            yield from names_shown(fields_taken(form_field, texts, f"{path}."), texts, f"{path}.")
        else:
            yield path
            if form_field.of:
                yield from (name for name in texts if name.startswith(f"{path}.{NEW}."))


LINES_MAX: Final = 1_000
"""Rows of a form that are read, at most."""

_LINE: Final = re.compile(r"\[(\d+)\]\.")
_DIGITS_READ: Final = 9
"""Digits of a row's number that are read; a longer number is beyond any form."""


def texts_of(fields: Sequence[FormField], record: Any, when: TimeFormat, prefix: str = "") -> dict[str, str]:
    """The texts of a record; those of what it does not have are left out."""
    texts: dict[str, str] = {}
    for form_field in fields:
        value, path = _value(record, form_field.name), prefix + form_field.name
        if value is None:
            continue
        if form_field.kind == "group":
            if value in form_field.words:
                texts[f"{path}.{form_field.tag}"] = str(value)
            texts |= texts_of(form_field.fields, value, when, f"{path}.")
        elif form_field.kind == "rows":
            for at, row in enumerate(value if isinstance(value, list) else ()):
                texts |= texts_of(form_field.fields, row, when, f"{path}[{at}].")
        else:
            texts[path] = _text(form_field, value, when)
    return texts


def usual_texts(fields: Sequence[FormField]) -> dict[str, str]:
    """Return the texts of the fields of a new record."""
    return {
        form_field.name: form_field.usual
        for form_field in fields
        if form_field.usual and not form_field.fields
    }


def lines_of(texts: Iterable[str], path: str) -> int:
    """How many rows there are of a path, blank ones among them."""
    return min(max(_lines(texts, path), default=-1) + 1, LINES_MAX)


def count_fields(texts: Iterable[str]) -> int:
    """About how many fields a form with these has, which shows the rows before the last one as well."""
    names = [*texts]
    rows = [_number(digits) for name in names for digits in _LINE.findall(name)]
    return max([len(names), *(min(row + 1, LINES_MAX) for row in rows)])


def is_beyond_lines(texts: Texts, path: str) -> bool:
    """Whether something was typed into a row that is not read."""
    return any(line >= LINES_MAX for line in _lines((name for name, text in texts.items() if text), path))


def _lines(texts: Iterable[str], path: str) -> Iterator[int]:
    for name in texts:
        if name.startswith(path) and (match := _LINE.match(name, len(path))) is not None:
            yield _number(match[1])


def _number(digits: str) -> int:
    return int(digits.lstrip("0")[:_DIGITS_READ] or "0")


def _value(record: Any, name: str) -> Any:
    value = record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)
    return None if value is msgspec.UNSET else value


def _text(form_field: FormField, value: Any, when: TimeFormat) -> str:
    if form_field.kind == "truth":
        return "yes" if value else ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal | int):
        return plain(Decimal(value))
    if form_field.kind == "moment" and isinstance(value, datetime | str):
        return _clock(when, value)
    if form_field.kind == "json":
        return canonical(value).decode()
    return str(value)


def _clock(when: TimeFormat, value: datetime | str) -> str:
    """A moment by the clock of the project, with seconds where it has any."""
    local = when.local(to_instant(value))
    if local.microsecond:
        return f"{local:%Y-%m-%dT%H:%M:%S}.{local.microsecond // 1000:03d}"
    return f"{local:%Y-%m-%dT%H:%M:%S}" if local.second else f"{local:%Y-%m-%dT%H:%M}"


# What was typed into a form as the body that the interface takes, and its problems back at their fields.


_DOCUMENTS: Final = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal)

GONE: Final = "gone"
"""The box of a row that is to go."""

_INDEX: Final = re.compile(r"\[(\d+)\]")
_BLANK_KINDS: Final = frozenset({"choice", "truth"})
"""Kinds of fields that say something in a row that nobody typed into."""


@dataclass(frozen=True, slots=True)
class FormBody:
    """A body in the making."""

    when: TimeFormat
    problems: list[Problem] = field(default_factory=list)
    """What cannot be read, at its field."""

    def new(self, fields: Sequence[FormField], texts: Texts) -> dict[str, Any]:
        """All that was typed, for a record that is to be made."""
        values = {form_field.name: self._read(form_field, texts, form_field.name) for form_field in fields}
        return {name: value for name, value in values.items() if value is not None}

    def changed(self, fields: Sequence[FormField], texts: Texts, before: Texts) -> dict[str, Any]:
        """What was typed anew for a record that has the texts before; null where it was taken away."""
        body: dict[str, Any] = {}
        for form_field in fields:
            if form_field.is_fixed:
                continue
            if form_field.is_merged:
                changed_parts = [
                    part
                    for part in form_field.fields
                    if _differs(f"{form_field.name}.{part.name}", texts, before)
                ]
                merged_values = {
                    part.name: self._read(part, texts, f"{form_field.name}.{part.name}")
                    for part in changed_parts
                }
                body |= {form_field.name: merged_values} if merged_values else {}
            elif _differs(form_field.name, texts, before):
                body[form_field.name] = self._read(form_field, texts, form_field.name)
        return body

    def _read(self, form_field: FormField, texts: Texts, path: str) -> Any:
        if form_field.kind == "rows":
            if is_beyond_lines(texts, path):
                message = f"{form_field.label} must have at most {LINES_MAX:,} rows."
                self.problems.append(Problem(message, path, "too_many"))
            return [
                self._record(form_field, texts, f"{path}[{at}].")
                for at in rows_typed(form_field, texts, path)
            ]
        if form_field.kind == "group":
            return self._group(form_field, texts, path)
        text = texts.get(path, "")
        if form_field.kind == "truth":
            return text == "yes"
        if not text:
            return (
                ""
                if form_field.is_required and form_field.kind in {"line", "text", "code", "choice"}
                else self._missing(form_field, path)
            )
        return self._value(form_field, text, path)

    def _group(self, form_field: FormField, texts: Texts, path: str) -> Any:
        if (word := texts.get(f"{path}.{form_field.tag}", "")) in form_field.words:
            return word
        if not is_typed(fields_taken(form_field, texts, f"{path}."), texts, f"{path}."):
            return None
        return self._record(form_field, texts, f"{path}.")

    def _record(self, form_field: FormField, texts: Texts, prefix: str) -> dict[str, Any]:
        record = {
            part.name: self._read(part, texts, prefix + part.name)
            for part in fields_taken(form_field, texts, prefix)
        }
        if not form_field.is_sparse:
            return record
        return {name: value for name, value in record.items() if value not in (None, "", [])}

    def _value(self, form_field: FormField, text: str, path: str) -> Any:
        if form_field.kind == "answer":
            return text == "yes"
        if form_field.kind == "moment":
            moment = self.when.typed(text)
            if moment is None:
                return self._wrong(form_field, path, "must be a date and time", f"{shorten(text)!r}")
            if self.when.is_skipped(text):
                must = f"must be a time that exists in {self.when.zone}; the clocks are set forward over it"
                return self._wrong(form_field, path, must, f"{text!r}")
            return moment.text
        readers = {"number": self._number, "whole": self._number, "json": self._document}
        read = readers.get(form_field.kind)
        return text if read is None else read(form_field, text, path)

    def _document(self, form_field: FormField, text: str, path: str) -> Any:
        try:
            document = _DOCUMENTS.decode(text)
        except (msgspec.DecodeError, InvalidOperation, RecursionError) as error:
            return self._wrong(form_field, path, f"must be a JSON object: {error}".removesuffix("."))
        return document

    def _number(self, form_field: FormField, text: str, path: str) -> Any:
        try:
            number = Decimal(text.replace("\N{MINUS SIGN}", "-").replace("_", "no digit"))
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite():
            must = "must be a number with a decimal point and without thousands separators"
            return self._wrong(form_field, path, must, f"{shorten(text)!r}")
        if form_field.kind == "number":
            return number
        try:
            whole_number = int(limit_number(number))  # in this order, for 1e999999999 has as many digits
        except NumberError as error:
            return self._wrong(form_field, path, f"is {shorten(text)!r}, and {error}".removesuffix("."))
        return (
            whole_number
            if whole_number == number
            else self._wrong(form_field, path, "must be a whole number", shorten(text))
        )

    def _missing(self, form_field: FormField, path: str) -> None:
        if form_field.is_required:
            self.problems.append(Problem(f"{form_field.label} must not be empty.", path, "required"))

    def _wrong(self, form_field: FormField, path: str, must: str, actual: str = "") -> None:
        but = f", but is {actual}" if actual else ""
        self.problems.append(Problem(f"{form_field.label} {must}{but}.", path, "invalid"))


def rows_typed(form_field: FormField, texts: Texts, path: str) -> list[int]:
    """The rows in which something was typed, and that are not to go."""
    return [
        at
        for at in range(lines_of(texts, path))
        if texts.get(f"{path}[{at}].{GONE}") != "yes"
        and is_typed(fields_taken(form_field, texts, f"{path}[{at}]."), texts, f"{path}[{at}].")
    ]


def is_typed(fields: Sequence[FormField], texts: Texts, prefix: str) -> bool:
    """Whether anything was typed into some fields; what a choice begins with was not."""
    for form_field in fields:
        path = prefix + form_field.name
        if form_field.kind == "rows":
            if rows_typed(form_field, texts, path):
                return True
        elif form_field.kind == "group":
            if is_typed(fields_taken(form_field, texts, f"{path}."), texts, f"{path}."):
                return True
        elif (form_field.kind not in _BLANK_KINDS and texts.get(path)) or (
            form_field.of and is_typed(form_field.fields, texts, f"{path}.{NEW}.")
        ):
            return True
    return False


def at_fields(
    problems: Iterable[Problem], noun: str, fields: Sequence[FormField], texts: Texts
) -> tuple[Problem, ...]:
    """Problems of the interface at the fields of the form; rows are counted as they were typed."""
    rows = dict(_rows(fields, texts, ""))
    return tuple(
        Problem(problem.message, _field_at(problem.field or "", noun, rows), problem.code, problem.records)
        for problem in problems
    )


def messages_at(problems: Iterable[Problem]) -> dict[str, str]:
    """What is wrong with each field, by its name; a form of a thousand rows asks for each of theirs."""
    messages: dict[str, str] = {}
    for problem in problems:
        name = problem.field or ""
        messages[name] = f"{messages[name]} {problem.message}" if name in messages else problem.message
    return messages


def _field_at(path: str, noun: str, rows: Mapping[str, Sequence[int]]) -> str:
    path = path.removeprefix("$.").removeprefix(f"{noun}.")
    if f".{NEW}." in path:
        return path  # it was found while the form was read, and counts its rows
    for name, typed in rows.items():
        match = _INDEX.match(path, len(name)) if path.startswith(name) else None
        if match is not None and int(match[1]) < len(typed):
            path = f"{name}[{typed[int(match[1])]}]{path[match.end() :]}"
    return path


def _rows(fields: Sequence[FormField], texts: Texts, prefix: str) -> Iterator[tuple[str, list[int]]]:
    for form_field in fields:
        path = prefix + form_field.name
        if form_field.kind == "rows":
            lines = rows_typed(form_field, texts, path)
            yield path, lines
            for at in lines:
                yield from _rows(form_field.fields, texts, f"{path}[{at}].")
        elif form_field.kind == "group":
            yield from _rows(form_field.fields, texts, f"{path}.")


def names_within(path: str, texts: Iterable[str]) -> list[str]:
    """The names of texts of a field, or of what is inside it."""
    return [name for name in texts if name == path or name.startswith((f"{path}.", f"{path}["))]


def _differs(path: str, texts: Texts, before: Texts) -> bool:
    names = {*names_within(path, texts), *names_within(path, before)}
    return any(texts.get(name, "") != before.get(name, "") for name in names)
