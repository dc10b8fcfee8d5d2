"""Declare a field of a record once: `Sent`, as metadata of the field's type.

    class Feedstock(msgspec.Struct, frozen=True):
        name: Annotated[str, Sent(Name, is_sorted=True)]
        description: Annotated[str | None, Sent(Description)]

`collection/named_records/nouns.py` derives the request bodies, the columns, the list and the statements from
the declaration, and `web/forms` the form. A field without `Sent` is one that the service gives.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, LiteralString

import msgspec

from weighbridge.core.problem import Problem
from weighbridge.db.lists.table import Filter
from weighbridge.db.statements import jsonb

Check = Callable[[Any, str], Iterable[Problem]]
"""Finds what is wrong with a value that was sent, given the path of its field."""


@dataclass(frozen=True, slots=True, eq=False)
class Sent:
    """How requests give a field and the database stores it.

    A field whose type allows null may be left out of a new record, and null clears it.
    """

    kind: Any
    """The type that a request gives it as."""
    default: Any = msgspec.NODEFAULT
    """The value of a new record when a request leaves the field out; by default null, or else required."""
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

    def stored(self, value: Any) -> Any:
        """The value of the column for one that was sent."""
        written = self.write(value) if self.write else value
        return jsonb(written) if self.is_json else written
