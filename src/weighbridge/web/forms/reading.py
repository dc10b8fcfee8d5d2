"""What was typed into a form as the body that the interface takes, and its problems back at their fields."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import NumberError, limited, shorten
from weighbridge.web.forms.field import FormField
from weighbridge.web.forms.texts import LINES_MAX, Texts, is_beyond_lines, lines_of
from weighbridge.web.showing.moments import Moments

GONE: Final = "gone"
"""The box of a row that is to go."""

_INDEX: Final = re.compile(r"\[(\d+)\]")
_BLANK_KINDS: Final = frozenset({"choice", "truth"})
"""Kinds of fields that say something in a row that nobody typed into."""


@dataclass(frozen=True, slots=True)
class FormBody:
    """A body in the making."""

    when: Moments
    problems: list[Problem] = field(default_factory=list)
    """What cannot be read, at its field."""

    def new(self, fields: Sequence[FormField], texts: Texts) -> dict[str, Any]:
        """All that was typed, for a record that is to be made."""
        found = {one.name: self._read(one, texts, one.name) for one in fields}
        return {name: value for name, value in found.items() if value is not None}

    def changed(self, fields: Sequence[FormField], texts: Texts, before: Texts) -> dict[str, Any]:
        """What was typed anew for a record that has the texts before; null where it was taken away."""
        body: dict[str, Any] = {}
        for one in fields:
            if one.is_fixed:
                continue
            if one.is_merged:
                within = [part for part in one.fields if _differs(f"{one.name}.{part.name}", texts, before)]
                merged = {part.name: self._read(part, texts, f"{one.name}.{part.name}") for part in within}
                body |= {one.name: merged} if merged else {}
            elif _differs(one.name, texts, before):
                body[one.name] = self._read(one, texts, one.name)
        return body

    def _read(self, one: FormField, texts: Texts, path: str) -> Any:
        if one.kind == "rows":
            if is_beyond_lines(texts, path):
                said = f"{one.label} has more than {LINES_MAX:,} rows, which is more than a form takes."
                self.problems.append(Problem(said, path, "too_many"))
            return [self._record(one.fields, texts, f"{path}[{at}].") for at in rows_typed(one, texts, path)]
        if one.kind == "group":
            if not is_typed(one.fields, texts, f"{path}."):
                return None
            return self._record(one.fields, texts, f"{path}.")
        text = texts.get(path, "")
        if one.kind == "truth":
            return text == "yes"
        if not text:
            return (
                "" if one.is_required and one.kind in {"line", "text", "choice"} else self._missing(one, path)
            )
        return self._value(one, text, path)

    def _record(self, fields: Sequence[FormField], texts: Texts, within: str) -> dict[str, Any]:
        return {one.name: self._read(one, texts, within + one.name) for one in fields}

    def _value(self, one: FormField, text: str, path: str) -> Any:
        if one.kind == "answer":
            return text == "yes"
        if one.kind == "moment":
            moment = self.when.typed(text)
            if moment is None:
                return self._wrong(one, path, f"{shorten(text)!r}, which is no date and time")
            if self.when.is_skipped(text):
                return self._wrong(one, path, f"{text!r}, which the clocks of {self.when.zone} pass over")
            return moment.text
        if one.kind in {"number", "whole"}:
            return self._number(one, text, path)
        return text

    def _number(self, one: FormField, text: str, path: str) -> Any:
        try:
            number = Decimal(text.replace("\N{MINUS SIGN}", "-").replace("_", "no digit"))
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite():
            said = "no number; decimals stand behind a point, and nothing between thousands"
            return self._wrong(one, path, f"{shorten(text)!r}, which is {said}")
        if one.kind == "number":
            return number
        try:
            whole = int(limited(number))  # in this order, for 1e999999999 has as many digits
        except NumberError as error:
            return self._wrong(one, path, f"{shorten(text)!r}, and {error}".removesuffix("."))
        return whole if whole == number else self._wrong(one, path, f"{shorten(text)}, no whole number")

    def _missing(self, one: FormField, path: str) -> None:
        if one.is_required:
            self.problems.append(Problem(f"{one.label} is missing.", path, "required"))

    def _wrong(self, one: FormField, path: str, said: str) -> None:
        self.problems.append(Problem(f"{one.label} is {said}.", path, "invalid"))


def rows_typed(one: FormField, texts: Texts, path: str) -> list[int]:
    """The rows in which something was typed, and that are not to go."""
    return [
        at
        for at in range(lines_of(texts, path))
        if texts.get(f"{path}[{at}].{GONE}") != "yes" and is_typed(one.fields, texts, f"{path}[{at}].")
    ]


def is_typed(fields: Sequence[FormField], texts: Texts, within: str) -> bool:
    """Whether anything was typed into some fields; what a choice begins with was not."""
    for one in fields:
        path = within + one.name
        if one.kind == "rows":
            if rows_typed(one, texts, path):
                return True
        elif one.kind == "group":
            if is_typed(one.fields, texts, f"{path}."):
                return True
        elif one.kind not in _BLANK_KINDS and texts.get(path):
            return True
    return False


def at_fields(
    problems: Iterable[Problem], noun: str, fields: Sequence[FormField], texts: Texts
) -> tuple[Problem, ...]:
    """Problems of the interface at the fields of the form; rows are counted as they were typed."""
    rows = dict(_rows(fields, texts, ""))
    return tuple(
        Problem(one.message, _field(one.field or "", noun, rows), one.code, one.records) for one in problems
    )


def messages_at(problems: Iterable[Problem]) -> dict[str, str]:
    """What is wrong with each field, by its name; a form of a thousand rows asks for each of theirs."""
    found: dict[str, str] = {}
    for one in problems:
        name = one.field or ""
        found[name] = f"{found[name]} {one.message}" if name in found else one.message
    return found


def _field(path: str, noun: str, rows: Mapping[str, Sequence[int]]) -> str:
    path = path.removeprefix("$.").removeprefix(f"{noun}.")
    for name, typed in rows.items():
        match = _INDEX.match(path, len(name)) if path.startswith(name) else None
        if match is not None and int(match[1]) < len(typed):
            return f"{name}[{typed[int(match[1])]}]{path[match.end() :]}"
    return path


def _rows(fields: Sequence[FormField], texts: Texts, within: str) -> Iterator[tuple[str, list[int]]]:
    for one in fields:
        if one.kind == "rows":
            yield within + one.name, rows_typed(one, texts, within + one.name)
        elif one.kind == "group":
            yield from _rows(one.fields, texts, f"{within}{one.name}.")


def _within(path: str, texts: Iterable[str]) -> list[str]:
    return [name for name in texts if name == path or name.startswith((f"{path}.", f"{path}["))]


def _differs(path: str, texts: Texts, before: Texts) -> bool:
    names = {*_within(path, texts), *_within(path, before)}
    return any(texts.get(name, "") != before.get(name, "") for name in names)
