"""The events of one type: found by their numbers in the file where they lie, some at a time.

A line is read by one pattern for the whole table, and a value becomes a number only when a node asks for it,
so that a million of them pass quickly; what is kept of each is where it stands.

Invariants: every line is looked at as a whole when it is read; which ones were ever read is known at the end.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from weighbridge.core.bundle.form.fault import UnreadableError
from weighbridge.core.bundle.form.tables import VALUES_FROM, BundleTable, lines_of
from weighbridge.core.bundle.form.text_form import PATTERNS, fields_of
from weighbridge.core.identity.ids import KEY_MAX

VERSION_BITS: Final = 12
_VERSION_MAX: Final = (1 << VERSION_BITS) - 1

Texts = Sequence[str | None]
"""The fields of an event, as texts."""


class EventFile:
    """The table of the events of one type, over its content."""

    def __init__(self, table: BundleTable, content: memoryview) -> None:
        """Find where each event stands; UnreadableError when they are not in order."""
        self.table = table
        self.value_of = {
            column.name[1:]: index for index, column in enumerate(table.columns) if index >= VALUES_FROM
        }
        """By slug of a data point the index of its field."""
        self._content = content
        self._keys, self._places = array("q"), array("q")
        self._pattern = re.compile(
            ",".join(
                f"({PATTERNS[column.kind]}){'?' if column.is_optional else ''}" for column in table.columns
            )
        )
        self._index()
        self._read = bytearray(len(self._keys))

    def _index(self) -> None:
        place, last = 0, -1
        for number, line in enumerate(lines_of(self._content, self.table.part)):
            if number:
                last = self._add(line, place, last)
            elif line + "\n" != self.table.header:
                raise UnreadableError(
                    f"The first line of {self.table.part} is {line[:100]!r}, not its columns."
                )
            place += len(line.encode() if not line.isascii() else line) + 1
        self._places.append(place)

    def _add(self, line: str, place: int, last: int) -> int:
        event, version = [*line.split(",", 2), "", ""][:2]
        if not (event.isdecimal() and version.isdecimal()) or not (
            int(event) <= KEY_MAX and int(version) <= _VERSION_MAX
        ):
            raise UnreadableError(f"A row of {self.table.part} does not begin with an event: {line[:60]!r}.")
        key = int(event) << VERSION_BITS | int(version)
        if key <= last:
            raise UnreadableError(f"Rows of {self.table.part} are sorted, each once; event {event} is not.")
        self._keys.append(key)
        self._places.append(place)
        return key

    def __len__(self) -> int:
        return len(self._keys)

    def rows(self, keys: Sequence[int]) -> Iterator[Texts]:
        """The fields of events by ascending keys, made of number and version; UnreadableError for one that is
        not there.
        """
        index = 0
        while index < len(keys):
            at = bisect_left(self._keys, keys[index])
            count = 0
            while (
                index + count < len(keys)
                and at + count < len(self._keys)
                and self._keys[at + count] == keys[index + count]
            ):
                count += 1
            if not count:
                raise UnreadableError(f"Event {keys[index] >> VERSION_BITS} is not in {self.table.part}.")
            self._read[at : at + count] = b"\x01" * count
            yield from self._lines(at, count)
            index += count

    def _lines(self, at: int, count: int) -> Iterator[Texts]:
        block = self._content[self._places[at] : self._places[at + count]]
        match = self._pattern.fullmatch
        for line in lines_of(block, self.table.part):
            found = match(line)
            if found is not None:
                yield found.groups()
                continue
            self.table.values_of(line)
            yield fields_of(line)

    def has(self, event: int) -> bool:
        """Whether an event is there, in any state."""
        at = bisect_left(self._keys, event << VERSION_BITS)
        return at < len(self._keys) and self._keys[at] >> VERSION_BITS == event

    @property
    def unread(self) -> list[int]:
        """The first events that were never read."""
        missing: list[int] = []
        place = self._read.find(0)
        while place >= 0 and len(missing) < 5:
            missing.append(self._keys[place] >> VERSION_BITS)
            place = self._read.find(0, place + 1)
        return missing
