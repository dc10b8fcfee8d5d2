"""Behaviour: what a rehearsal registry does with a report, by flags or by what is written in the report.

A report may say for itself what becomes of it, anywhere in its texts:

>>> behaviour_for(b'{"name": "First quarter [rehearse: lose 2, delay 1.5, reject]"}', RegistryBehaviour())
RegistryBehaviour(drop=0, fail=0, lose=2, fail_after=0, delay_seconds=1.5, refuse=None, decision='rejected', \
decide_after_seconds=0.0, reason=None)

Invariants: a report that says nothing is treated as the flags say; one that asks for what is not known is
refused with the words that are, so that nobody waits for what a slip of the pen will never bring.
"""

import re
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

ACCEPTED: Final = "accepted"
REJECTED: Final = "rejected"

DELAY_SECONDS_MAX: Final = 600
"""Seconds that a report may have its answer delayed for."""

_DECISIONS: Final = {"accept": ACCEPTED, "reject": REJECTED, "review": None}
_COUNTS: Final = {"drop": "drop", "fail": "fail", "lose": "lose", "fail-after": "fail_after"}
_TIMES: Final = {"delay": "delay_seconds", "decide-after": "decide_after_seconds"}

_KNOWN: Final = ", ".join(
    (*(f"{word} N" for word in _COUNTS), *(f"{word} S" for word in _TIMES), "refuse TEXT", *_DECISIONS)
)
_SAID: Final = re.compile(r"\[rehearse:([^\]]{1,500})\]")
_WORD: Final = re.compile(r"\s*([a-z-]+)(?:\s+(.{1,200}?))?\s*")
_TEXTS: Final = "xl/sharedStrings.xml"
_TEXTS_BYTES: Final = 1_048_576


@dataclass(frozen=True, slots=True)
class RegistryBehaviour:
    """What becomes of each report; the counts are of its first requests, in this order."""

    drop: int = 0
    """So many of its requests are lost before they are read: nothing is kept, nothing answered."""
    fail: int = 0
    """So many are answered 500, and nothing is kept."""
    lose: int = 0
    """Of so many it is kept, and the answer is lost."""
    fail_after: int = 0
    """Of so many it is kept, and the answer is 500."""
    delay_seconds: float = 0.0
    """How long each answer to it takes, once it is kept."""
    refuse: str | None = None
    """Why it is not taken: answered 422, and nothing is kept."""
    decision: str | None = None
    """What is decided of it, `accepted` or `rejected`; None leaves it for somebody to decide."""
    decide_after_seconds: float = 0.0
    """How long it is under review before that is decided."""
    reason: str | None = None
    """What is said of the decision."""


def behaviour_for(content: bytes, usual: RegistryBehaviour) -> RegistryBehaviour:
    """What becomes of one report."""
    said = _SAID.search(_text(content))
    behaviour = usual
    for part in said.group(1).split(",") if said else ():
        word = _WORD.fullmatch(part)
        changed = _change(word.group(1), word.group(2)) if word else {}
        if not changed:
            why = f"It asks to rehearse {part.strip()!r}, and what can be asked for is {_KNOWN}."
            return replace(usual, refuse=why)
        behaviour = replace(behaviour, **changed)
    return behaviour


def _change(word: str, said: str | None) -> dict[str, Any]:
    """What one word of a report changes of a behaviour; nothing when it cannot be read."""
    number = _number(said)
    if word in _DECISIONS:
        return {"decision": _DECISIONS[word], "reason": said}
    if word == "refuse":
        return {"refuse": said or "It is refused, as it asks for itself."}
    if word in _COUNTS and number is not None:
        return {_COUNTS[word]: int(number)}
    if word in _TIMES and number is not None:
        return {_TIMES[word]: number}
    return {}


def _number(said: str | None) -> float | None:
    if not said or not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", said):
        return None
    return min(float(said), float(DELAY_SECONDS_MAX))


def _text(content: bytes) -> str:
    """The texts of a report; those of a spreadsheet stand in a part of their own."""
    if content.startswith(b"PK"):
        try:
            with ZipFile(BytesIO(content)) as book, book.open(_TEXTS) as texts:
                content = texts.read(_TEXTS_BYTES)
        except (BadZipFile, KeyError, OSError):
            return ""
    return content.decode(errors="replace")
