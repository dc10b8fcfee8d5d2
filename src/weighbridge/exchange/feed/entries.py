"""Entries of the feed: one transaction's changes of one kind by one action, however many records they are."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from weighbridge.core.identity import ids
from weighbridge.core.platform.change import ChangeKind

_STORED: Final[Mapping[ChangeKind, Sequence[str]]] = {
    ChangeKind.RULE_RESULT: ("data_point_result", "model_run_result")
}
"""The kinds of records of which a kind consists, where it is not one of that name."""

SHOWN_KINDS: Final = {stored: kind for kind in ChangeKind for stored in _STORED.get(kind, (kind.value,))}
"""The kind as which records of a stored kind are told."""


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """One transaction's changes of one kind by one action; the keys from each start to before its end."""

    number: int
    kind: str
    action: str
    project: int | None
    at: datetime
    starts: Sequence[int]
    ends: Sequence[int]

    @property
    def size(self) -> int:
        """How many records it tells of."""
        return sum(self.ends) - sum(self.starts)

    def ranges(self, left_out: int) -> Iterator[range]:
        """The keys behind so many of them."""
        for start, end in zip(self.starts, self.ends, strict=True):
            yield range(min(start + left_out, end), end)
            left_out = max(0, left_out - (end - start))


def stored_kinds(kinds: Iterable[ChangeKind]) -> list[str]:
    """The kinds of records of which these kinds consist."""
    return [stored for kind in kinds for stored in _STORED.get(kind, (kind.value,))]


def id_of_changed(kind: str, project: int | None, key: int) -> str:
    """The id by which a change of a stored kind names its record."""
    if kind == ChangeKind.ASYNC_TASK:
        return str(key)
    assert project is not None, "only tasks may have no project"  # noqa: S101
    if kind != ChangeKind.CORRECTION:
        return ids.of(kind, project, key)
    event, position = key >> ids.POSITION_BITS, key & ids.POSITION_MAX
    return ids.of("data_point", project, event, position) if position else ids.of("event", project, event)
