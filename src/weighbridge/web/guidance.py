"""What helps with a page: the operation that does the same for a program, and the guide to read on in.

Both follow from the call that the page shows; only a page that the interface has no call for names its guide.

Invariants: a link to the guide leads to a page that is there, built or not; a call of a page is one that the
interface has.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import msgspec

from weighbridge.contents import SLICES
from weighbridge.core.identity.link import API_PREFIX
from weighbridge.http.openapi import site
from weighbridge.http.openapi.guides import INDEX, OF_TAG, tag_of
from weighbridge.http.openapi.page import operation_shown
from weighbridge.http.operation import Operation

_PARAMETER: Final = re.compile(r"\\{\w+\\}")


@dataclass(frozen=True, slots=True)
class Guidance:
    """What helps with the records that a call is about."""

    operation: str
    """Where the interface describes the call."""
    guide: str
    """Where the guide is; empty where there is none."""
    title: str
    body: str
    """A body as the call takes it, as a line of shell has it; empty where none is known."""


def guide_start() -> str:
    """Where the guide begins; empty where it is not there."""
    return site.page_address(INDEX)


def guidance_of(method: str, call: str, guide: str) -> Guidance | None:
    """What helps with a call, by its method and its path below the prefix of the interface.

    A page without a call names its guide, by its path below `docs/`.
    """
    if guide:
        return Guidance("", site.page_address(guide), dict(OF_TAG.values())[guide], "")
    path = call.partition("?")[0]
    found = next(
        (one for pattern, one in _patterns() if one.method == method and pattern.fullmatch(path)), None
    )
    if found is None:
        return None
    tag = tag_of(found.module.rpartition(".")[0])
    guide, title = OF_TAG.get(tag, ("", ""))
    return Guidance(
        operation_shown(tag, method, API_PREFIX + found.path),
        site.page_address(guide) if guide else "",
        title,
        quoted(found.example) if isinstance(found.example, dict) else "",
    )


def quoted(body: Any) -> str:
    """A body as JSON that stands between single quotes of a shell."""
    return msgspec.json.encode(body).decode().replace("'", "'\\''")


@cache
def _patterns() -> Sequence[tuple[re.Pattern[str], Operation]]:
    """Every operation with what its paths look like; those without parameters first, for they are closer."""
    every = [handler.opt["operation"] for routes in SLICES for handler in routes]
    every.sort(key=lambda one: one.path.count("{"))
    return [(re.compile(_PARAMETER.sub("[^/]+", re.escape(one.path))), one) for one in every]
