"""A watched place is a folder or a prefix of an object store in which files are looked for.

An operator says below which roots such places may lie, for all accounts or for one: `/srv/drop`,
`plant=/srv/drop/plant`, `s3://bucket/plant`.

Invariants: a place is written in one way only, so two feeds cannot watch the same one; no part of it leads
upward; it lies at a root or below it, part by part.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten

CLOUDS: Final = ("s3", "gs", "az")
PLACE_LENGTH_MAX: Final = 1_000
"""The longest name of a place, in characters."""

DONE: Final = "done"
FAILED: Final = "failed"
MOVED_TO: Final = (DONE, FAILED)
"""The folders in a place to which files are moved."""

_CLOUD: Final = re.compile(rf"({'|'.join(CLOUDS)})://([A-Za-z0-9][A-Za-z0-9._-]*)((?:/[^/]+)*)")
_ACCOUNT: Final = re.compile(r"(?:(?P<account>[^=/]+)=)?(?P<root>.+)")


@dataclass(frozen=True, slots=True)
class WatchedRoot:
    """What an operator allows: a place, and the account that it is for; None is for all."""

    place: str
    account: str | None


def is_place(text: str) -> bool:
    """Whether a text is a place, written as it is always written."""
    if not text.isprintable() or len(text) > PLACE_LENGTH_MAX:
        return False
    if text.startswith("/"):
        path = text
    elif match := _CLOUD.fullmatch(text):
        path = match[3]
    else:
        return False
    parts = path.split("/")[1:] if path else []
    return all(part not in {"", ".", ".."} and part == part.strip() for part in parts)


def is_root(text: str) -> bool:
    """Whether a text says what an operator allows."""
    return is_place(root_of(text).place)


def root_of(text: str) -> WatchedRoot:
    """What a text allows."""
    match = _ACCOUNT.fullmatch(text)
    return WatchedRoot("", None) if match is None else WatchedRoot(match["root"], match["account"])


def root_above(place: str, roots: Sequence[str], account: str) -> str | None:
    """The root at or above a place that an account may watch."""
    for root in map(root_of, roots):
        is_within = place == root.place or place.startswith(f"{root.place}/")
        if is_within and root.account in {None, account}:
            return root.place
    return None


def problems_of_watch(place: str, roots: Sequence[str], account: str) -> Iterator[Problem]:
    """What is wrong with a place that a data feed is to watch."""
    field = "data_feed.watch"
    if not is_place(place):
        text = (
            f"{field} is {shorten(place)!r}; it takes an absolute folder or a URL of s3, gs or az, "
            "without a slash at the end, . or .. in it."
        )
        yield Problem(text, field, "invalid")
    elif place.rpartition("/")[2] in MOVED_TO:
        text = f"{field} is {shorten(place)!r}; files are moved to folders of that name, not taken there."
        yield Problem(text, field, "invalid")
    elif root_above(place, roots, account) is None:
        text = (
            f"{field} is {shorten(place)!r}, which lies below no folder that this account may watch; "
            "whoever runs the service allows them by WEIGHBRIDGE_WATCHED_ROOTS."
        )
        yield Problem(text, field, "invalid")
