"""A correction is a value that replaces another, with its origin and its rank.

Several may be made of one value: one of them is in force, the others wait beneath it or were reverted. Which
one is in force is a function of those that were not reverted, whatever their order of arrival or the order in
which others were reverted.

Invariants: of one value at most one correction is in force; a reverted correction stays reverted; a
completion, which gave a missing value, is never reverted and gives way to every correction.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.ledger.allocation import ValueSource
from weighbridge.core.proof import hash_leaf
from weighbridge.core.signing import write_canonical_json
from weighbridge.core.uncertainty.statement import write_fields


class CorrectionOrigin(StrEnum):
    """Where a correction comes from; the earlier in this list goes first."""

    MANUAL = "manual"
    ADJUSTMENT = "adjustment"
    SUBSTITUTION = "substitution"
    COMPLETION = "completion"


BY_RULES: Final = (CorrectionOrigin.ADJUSTMENT, CorrectionOrigin.SUBSTITUTION)
"""The origins of corrections that rules make."""


_SOURCES: Final = {
    CorrectionOrigin.MANUAL: ValueSource.MANUAL,
    CorrectionOrigin.ADJUSTMENT: ValueSource.ADJUSTED,
    CorrectionOrigin.SUBSTITUTION: ValueSource.SUBSTITUTED,
}

ORIGINS_SHOWN: Final = tuple(one for one in CorrectionOrigin if one is not CorrectionOrigin.COMPLETION)
"""The origins in the history of a value: a completion is part of what was captured."""

PRECEDENCE: Final = tuple(CorrectionOrigin)
"""Which source prevails over which: the first over all others."""

PRIORITY_OF_PEOPLE: Final = 0
"""The priority of what no rule made; a rule's own is 1 or more, and the smaller goes first."""


class CorrectionState(StrEnum):
    """Whether a correction is in force, waits beneath another, or is reverted."""

    IN_FORCE = "in_force"
    SUPERSEDED = "superseded"
    REVERTED = "reverted"


class CorrectionTrigger(StrEnum):
    """What moves a correction."""

    PREVAIL = "prevail"
    GIVE_WAY = "give_way"
    REVERT = "revert"


MOVES: Final = {
    (CorrectionState.SUPERSEDED, CorrectionTrigger.PREVAIL): CorrectionState.IN_FORCE,
    (CorrectionState.IN_FORCE, CorrectionTrigger.PREVAIL): CorrectionState.IN_FORCE,
    (CorrectionState.IN_FORCE, CorrectionTrigger.GIVE_WAY): CorrectionState.SUPERSEDED,
    (CorrectionState.SUPERSEDED, CorrectionTrigger.GIVE_WAY): CorrectionState.SUPERSEDED,
    (CorrectionState.IN_FORCE, CorrectionTrigger.REVERT): CorrectionState.REVERTED,
    (CorrectionState.SUPERSEDED, CorrectionTrigger.REVERT): CorrectionState.REVERTED,
}
"""From a state, by a trigger, to a state. A new correction is superseded until it is found to prevail."""

NOT_REVERTED: Final = tuple(state for state in CorrectionState if (state, CorrectionTrigger.REVERT) in MOVES)
"""The states of corrections that are not reverted: one of them is in force."""

FIELDS: Final = ("start_time", "end_time", "tracking_id", "feedstock_id", "asset_id")
"""The fields of an event that can be corrected; their position is 0."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What decides between the corrections of one value; numbers grow with time."""

    number: int
    source: CorrectionOrigin
    priority: int = PRIORITY_OF_PEOPLE


def determine_value_source(in_force: CorrectionOrigin | None, *, is_imputed: bool) -> ValueSource:
    """The source of a value by the origin of its correction in force, and whether a rule made its event."""
    captured_source = ValueSource.IMPUTED if is_imputed else ValueSource.CAPTURED
    if is_imputed and in_force is CorrectionOrigin.SUBSTITUTION:
        return ValueSource.IMPUTED
    return captured_source if in_force is None else _SOURCES.get(in_force, captured_source)


def advance(state: CorrectionState, trigger: CorrectionTrigger) -> CorrectionState:
    """The state after the trigger; raises ValueError for a move that the table does not list."""
    try:
        return MOVES[state, trigger]
    except KeyError:
        raise ValueError(f"a correction that is {state} does not {trigger}") from None


def states_before(trigger: CorrectionTrigger) -> list[str]:
    """The states that a trigger can move a correction from."""
    return [state.value for state, by in MOVES if by is trigger]


def find_prevailing_claim(claims: Iterable[Claim]) -> Claim | None:
    """The one in force: by source, then by priority, then the newest."""
    return min(
        claims,
        key=lambda claim: (PRECEDENCE.index(claim.source), claim.priority, -claim.number),
        default=None,
    )


# The leaf of an event in the tree of the write that stored it: a line of text, the same for ever.
#
# The root over the leaves of a bulk write, in the order of its request, is in the write's row of the
# audit log (RFC 6962, as in `core/proof`). So each event can prove later that it is as it was sent, with
# its line and a path of hashes, without the other lines.
#
# The line has what was captured, parted by tabs: project, number, event type, start, end, tracking id,
# feedstock, asset, client reference, notes, locations, numbers, texts, booleans. Times are UTC by RFC 3339,
# with six decimals where there are any; what is missing is `\N`; values are arrays as PostgreSQL writes
# them, each text in quotation marks; backslash, tab and line breaks of texts are escaped as COPY does.
# Where single values state how well they are known, that is a further field: JSON by RFC 8785, by position,
# with numbers as texts. Whether required values are there is not part of it, nor is what came after:
# corrections, and that it was voided.
#
# Invariant: the form never changes, or no root that was kept would vouch for an event any more.


ESCAPES: Final = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
"""Replacements for the characters that separate lines and fields."""

NULL: Final = "\\N"
ENDING: Final = 3
"""Characters of a row of COPY behind the line: a tab, whether required values are there, a line break."""


def hash_event_line(line: str) -> bytes:
    """The hash of an event's line."""
    return hash_leaf(line.encode())


def write_stated_field(stated: Mapping[str, Mapping[str, Any]] | None) -> str:
    """The field of a line with what single values state, behind a tab; nothing where none does."""
    if not stated:
        return ""
    return f"\t{write_canonical_json(write_fields(stated)).decode()}"


def hash_event_row(row: str, stated: Mapping[str, Mapping[str, Any]] | None) -> bytes:
    """The hash of an event by its row for COPY, with what its values state."""
    return hash_event_line(row[:-ENDING] + write_stated_field(stated))


def hash_event_rows(rows: Iterable[str]) -> list[bytes]:
    """The hashes of events by their rows for COPY, of which no value states anything; the hot path of a bulk
    write.
    """
    sha256 = hashlib.sha256
    return [sha256(b"\x00" + row[:-ENDING].encode()).digest() for row in rows]


def write_utc(moment: datetime) -> str:
    """A time in a line; what is shorter than a millisecond is not kept."""
    at = moment.astimezone(UTC)
    return datetime.isoformat(at.replace(microsecond=at.microsecond // 1000 * 1000))[:-6] + "Z"


def write_texts(values: Sequence[str | None]) -> str:
    """Texts as an array; escaped where they are part of a line."""
    quoted = (
        "NULL" if value is None else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        for value in values
    )
    return "{" + ",".join(quoted) + "}"


def write_nullable(value: str | int | None) -> str:
    """A field that may be missing."""
    return NULL if value is None else str(value).translate(ESCAPES)
