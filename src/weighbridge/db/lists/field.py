"""Declare a field of a record once: `Sent`, as metadata of the field's type.

    class Feedstock(msgspec.Struct, frozen=True):
        name: Annotated[str, Sent(Name, is_sorted=True)]
        description: Annotated[str | None, Sent(Description)]

`RequestBodies` derives the bodies of requests from the declaration, `declared.py` the columns, the list and
the statements, and `web/forms` the form. A field without `Sent` is one that the service gives.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, LiteralString, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType, structs

from weighbridge.core import identity
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import BeyondCalendarError
from weighbridge.db.lists.table import Filter
from weighbridge.db.statements import jsonb, numbers

Check = Callable[[Any, str], Iterable[Problem]]
"""Finds what is wrong with a value that was sent, given the path of its field."""


@dataclass(frozen=True, slots=True, eq=False)
class Sent:
    """How requests give a field and the database stores it.

    A field whose type allows null may be left out of a new record, and null clears it.
    """

    kind: Any
    """The type that a request gives it as."""
    change: Any = None
    """The type that a change gives it as, null included, where it is another."""
    default: Any = msgspec.NODEFAULT
    """The value of a new record when a request leaves the field out; by default null, or else required."""
    meaning: str = ""
    """The sentence of the interface about it in a new record, where that of the record does not fit."""
    change_meaning: str = ""
    """The sentence about it in a change, where that of the record does not fit."""
    is_fixed: bool = False
    """Whether only a new record is given it, and no change."""
    is_later: bool = False
    """Whether only a change gives it, and no new record."""
    of: str = ""
    """The kind of record whose friendly id, or ids, it is; its column has the number, or numbers."""
    check: Check | None = None
    column: LiteralString | None = None
    """Its column, unless that has the field's name."""
    write: Callable[[Any], Any] | None = None
    """Makes the stored value of a sent one that is not null."""
    read: Callable[[Any], Any] | None = None
    """Makes the field of a stored value that is not null."""
    is_json: bool = False
    """Whether its column is of type jsonb."""
    filter: Filter | None = None
    is_sorted: bool = False
    is_merged: bool = False
    """Whether a change gives an object's members one by one; null removes a member."""
    label: str = ""
    """What the form calls it, unless that is the field's name in words."""
    help: str | None = None
    """What the form adds, unless that is the sentence of the interface."""

    def written(self, value: Any) -> Any:
        """The value of the record for one that was sent.

        A moment outside of the calendar stays as it is, for whoever checks it to refuse it.
        """
        try:
            return self.write(value) if self.write and value is not None else value
        except BeyondCalendarError:
            return value

    def stored(self, value: Any, project: int) -> Any:
        """The value of the column for one that was sent to a project."""
        if value is None:
            return None
        if self.of and isinstance(value, str):
            return identity.number(self.of, value, project)
        if self.of:
            return numbers([identity.number(self.of, friendly, project) for friendly in value])
        written = self.write(value) if self.write else value
        return jsonb(written) if self.is_json else written


# What requests send of a declared record.


Record = TypeVar("Record", bound=msgspec.Struct)

Values = Mapping[str, Any]
"""Values by the names of the fields, as a request gives them."""

_Fields = Sequence[tuple[str, Any, Any]]
"""Names, types and defaults of the fields of a Struct."""


def sent_fields(record: type[msgspec.Struct]) -> dict[str, Sent]:
    """The fields of a record that requests send, in its order."""
    return {
        name: note
        for name, hint in get_type_hints(record, include_extras=True).items()
        for note in getattr(hint, "__metadata__", ())
        if isinstance(note, Sent)
    }


class RequestBodies(Generic[Record]):
    """The bodies by which a record is created and changed; each has the record below the name of its noun."""

    def __init__(
        self,
        record: type[Record],
        noun: str,
        path: str,
        *,
        record_path: str = "",
        leading: Sequence[str] = (),
        leading_in_change: Sequence[str] | None = None,
        extra: Mapping[str, Sent] | None = None,
        about_new: str = "",
        about_change: str = "",
    ) -> None:
        """Derive the bodies of POST to `path` and of PATCH to `record_path`, which is by default below it.

        `leading` fields come before the others, as all required ones do; a change may have others,
        `leading_in_change`. `extra` are fields of requests that the record does not have. `about_new` and
        `about_change` describe in the interface what is sent.
        """
        self.record = record
        self.noun = noun
        self.fields = sent_fields(record)
        self._path = path
        self._record_path = record_path or f"{path}/{{{noun}_id}}"
        sent = {**self.fields, **(extra or {})}
        self._ordered = {name: sent[name] for name in (*leading, *sent)}
        self._change_ordered = {name: sent[name] for name in (*(leading_in_change or leading), *sent)}
        hints = get_type_hints(record)
        self._optional = {name for name in self.fields if takes_null(hints[name])}
        a_noun = f"{'an' if noun[0] in 'aeiou' else 'a'} {noun.replace('_', ' ')}"
        self._about_new = about_new or f"What a caller sends to create {a_noun}."
        self._about_change = (
            about_change or f"What a caller sends to change {a_noun}; what is left out stays as it is."
        )

    @cached_property
    def new(self) -> type[msgspec.Struct]:
        """The record in the body that creates one."""
        fields = [
            (name, *self._new_field(name, sent)) for name, sent in self._ordered.items() if not sent.is_later
        ]
        return self._define(f"New{self.record.__name__}", self._about_new, fields)

    @cached_property
    def new_body(self) -> type[msgspec.Struct]:
        name, meaning = f"New{self.record.__name__}Body", f"The body of POST {self._path}."
        return self._define(name, meaning, [(self.noun, self.new, NODEFAULT)])

    @cached_property
    def change(self) -> type[msgspec.Struct]:
        """The record in the body that changes one."""
        fields = [
            (name, *self._changed_field(name, sent))
            for name, sent in self._change_ordered.items()
            if not sent.is_fixed
        ]
        return self._define(f"{self.record.__name__}Change", self._about_change, fields)

    @cached_property
    def change_body(self) -> type[msgspec.Struct]:
        name, meaning = f"{self.record.__name__}ChangeBody", f"The body of PATCH {self._record_path}."
        return self._define(name, meaning, [(self.noun, self.change, NODEFAULT)])

    def sent(self, body: msgspec.Struct) -> dict[str, Any]:
        """What a body gives, by field."""
        given = structs.asdict(getattr(body, self.noun))
        return {name: value for name, value in given.items() if value is not UNSET}

    def written(self, body: msgspec.Struct) -> dict[str, Any]:
        """What a body gives of the record's fields, as the record has them."""
        return self._written(self.sent(body))

    def created(self, body: msgspec.Struct) -> Record:
        """The record that a body creates, as far as that gives it; what the service gives is UNSET."""
        return self._unstored(getattr(body, self.noun))

    def changed(self, before: Record, body: msgspec.Struct) -> Record:
        """The record as a body wants it."""
        return structs.replace(before, **self.written(body))

    def unstored(self, **values: Any) -> Record:
        """The record that a body with these values would create."""
        return self._unstored(self.new(**values))

    def _unstored(self, new: msgspec.Struct) -> Record:
        values = self._written(structs.asdict(new))
        return self.record(**(dict.fromkeys(self.record.__struct_fields__, UNSET) | values))

    def _written(self, values: Values) -> dict[str, Any]:
        return {
            name: self.fields[name].written(value) for name, value in values.items() if name in self.fields
        }

    def _new_field(self, name: str, sent: Sent) -> tuple[Any, Any]:
        """The type and the default of a field of a new record."""
        kind = sent.kind | None if name in self._optional or sent.default is None else sent.kind
        default = None if name in self._optional and sent.default is NODEFAULT else sent.default
        return _meant(kind | UnsetType if default is UNSET else kind, sent.meaning), default

    def _changed_field(self, name: str, sent: Sent) -> tuple[Any, Any]:
        """The type and the default of a field of a change."""
        if sent.is_merged:
            return self._new_field(name, sent)
        kind = sent.kind | None if name in self._optional else sent.kind
        return _meant((sent.change or kind) | UnsetType, sent.change_meaning), UNSET

    def _define(self, name: str, meaning: str, fields: _Fields) -> type[msgspec.Struct]:
        return msgspec.defstruct(
            name,
            [
                (field, kind) if default is NODEFAULT else (field, kind, default)
                for field, kind, default in fields
            ],
            module=self.record.__module__,
            namespace={"__doc__": meaning},
            frozen=True,
            forbid_unknown_fields=True,
        )


def _meant(kind: Any, sentence: str) -> Any:
    """The type of a request's field with the sentence of the interface about it."""
    return Annotated[kind, msgspec.Meta(extra={"meaning": sentence})] if sentence else kind


def takes_null(hint: Any) -> bool:
    """Whether a field of a type may be null."""
    return type(None) in get_args(hint)
