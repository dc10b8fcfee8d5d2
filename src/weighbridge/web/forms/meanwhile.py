"""What somebody else changed while a form was open: found by what the form began with.

A form of a record carries a digest of each field's texts (`BEGUN`). What still has its digest was not typed
anew: it is not sent, and the form shows what the record has by now. What was typed anew over a value that
changed meanwhile is refused once, at its field; whoever saves again replaces it.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.web.forms.fields import FormField, Texts, names_within, rows_typed

BEGUN: Final = "begun"
"""The hidden field with the digests of the texts that a form began with."""

CHANGED_MEANWHILE: Final = "conflict"
"""The code of a problem of a field that somebody else has changed."""

_DIGITS: Final = 16
_LINE: Final = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Begun:
    """What a form began with, by the names of its fields; a form that does not say it has none."""

    digests: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, fields: Sequence[FormField], texts: Texts) -> "Begun":
        """The digests of a form that begins with these texts."""
        return cls({form_field.name: _digest(form_field, texts) for form_field in fields})

    @classmethod
    def read(cls, text: str) -> "Begun":
        """The digests in the hidden field of a form."""
        return cls({name: digest for name, _, digest in (pair.partition(":") for pair in text.split())})

    @property
    def text(self) -> str:
        """What the hidden field of the form has."""
        return " ".join(f"{name}:{digest}" for name, digest in self.digests.items())

    def typed_anew(self, fields: Sequence[FormField], typed: Texts) -> list[FormField]:
        """The fields whose texts are not those that the form began with."""
        return [
            form_field
            for form_field in fields
            if self.digests.get(form_field.name) != _digest(form_field, typed)
        ]

    def changed_meanwhile(self, fields: Sequence[FormField], typed: Texts, current: Texts) -> list[Problem]:
        """A problem at each field that was typed anew over what somebody else has changed."""
        problems: list[Problem] = []
        for form_field in self.typed_anew(fields, typed):
            begun, now = self.digests.get(form_field.name), _digest(form_field, current)
            if begun is not None and now not in (begun, _digest(form_field, typed)):
                problems.append(Problem(_say(form_field, current), form_field.name, CHANGED_MEANWHILE))
        return problems

    def again(
        self, fields: Sequence[FormField], typed: Texts, current: Texts, told: Sequence[Problem]
    ) -> tuple[dict[str, str], "Begun"]:
        """The texts of a form that is shown again, and what it then began with.

        What was typed anew is kept; a change that the person was told of is part of the beginning.
        """
        if not self.digests:
            return {**typed}, self
        anew = {form_field.name for form_field in self.typed_anew(fields, typed)}
        known = {problem.field for problem in told if problem.code == CHANGED_MEANWHILE}
        texts: dict[str, str] = {}
        digests: dict[str, str] = {}
        for form_field in fields:
            name = form_field.name
            source = typed if name in anew else current
            texts |= {inner: source[inner] for inner in names_within(name, source)}
            keeps = name in anew and name not in known and name in self.digests
            digests[name] = self.digests[name] if keeps else _digest(form_field, current)
        return texts, Begun(digests)


def _digest(form_field: FormField, texts: Texts) -> str:
    """A digest of the texts of a field; rows without anything typed, and empty texts, are none."""
    names = names_within(form_field.name, texts)
    if form_field.kind == "rows":
        lines = {*rows_typed(form_field, texts, form_field.name)}
        start = len(form_field.name)
        names = [name for name in names if (at := _LINE.match(name, start)) and int(at[1]) in lines]
    said = "\0".join(f"{name}={texts[name]}" for name in sorted(names) if texts[name])
    return hashlib.sha256(said.encode()).hexdigest()[:_DIGITS]


def _say(form_field: FormField, current: Texts) -> str:
    now = current.get(form_field.name, "")
    to = "" if form_field.fields else f" to {shorten(now)!r}" if now else " and is empty now"
    return f"{form_field.label} was changed{to} after this form was opened. Save again to replace it."
