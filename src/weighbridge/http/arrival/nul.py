"""NUL: the character that no text may hold, since the database cannot, found in JSON where it is escaped.

Invariant: the work is in proportion to the body, however deep it is nested and wherever the character stands.
"""

import re
from typing import Any, Final

import msgspec

from weighbridge.core.problem import Problem
from weighbridge.errors import Malformed

DEPTH_NAMED_MAX: Final = 16
"""Objects and lists around a text that its path names; the rest of a longer path is left out."""

_ESCAPED: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST: Final = msgspec.json.Decoder(list[msgspec.Raw])


def refuse_nul(body: bytes) -> None:
    """Raise Malformed when a text of valid JSON holds a NUL character, naming where it stands."""
    if b"\\" not in body or rb"\u0000" not in body or not _ESCAPED.search(body):
        return
    path = _path_in(body)
    raise Malformed(
        [Problem(f"{path or 'The body'} holds a NUL character, which no text may.", path or None, "invalid")]
    )


def _path_in(body: bytes) -> str:
    """The path of the first text with the character, or of the object that has it in a key."""
    path, around = "", body
    for _ in range(DEPTH_NAMED_MAX):
        inside = _inside(around)
        step = next((step for step, raw in inside if _ESCAPED.search(raw)), None)
        if step is None:
            break
        path = f"{path}[{step}]" if isinstance(step, int) else f"{path}.{step}" if path else step
        around = next(raw for name, raw in inside if name == step)
    return path


def _inside(value: bytes) -> list[tuple[Any, bytes]]:
    match value.lstrip()[:1]:
        case b"{":
            return [(name, bytes(raw)) for name, raw in _OBJECT.decode(value).items()]
        case b"[":
            return [(index, bytes(raw)) for index, raw in enumerate(_LIST.decode(value))]
        case _:
            return []
