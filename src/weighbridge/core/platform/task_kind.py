"""A kind of task has an area of permission: whoever may start the one may read it, and cancel it.

Invariant: every kind that can be queued has an area.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from weighbridge.core.platform.permission import Actor

AREA_OF_KIND: Final[Mapping[str, str]] = MappingProxyType(
    {
        "batch_generation": "production_accounting",
        "batch_deletion": "production_accounting",
        "rule_run": "data_rules",
        "report_submission": "production_accounting",
    }
)
"""The area in which the permission to write starts a task of each kind."""


def permission_to_read(kind: str) -> str:
    """The permission that shows a task of a kind."""
    return f"{AREA_OF_KIND[kind]}:read"


def permission_to_cancel(kind: str) -> str:
    """The permission that ends a task of a kind before its time: the one that starts it."""
    return f"{AREA_OF_KIND[kind]}:write"


def readable_kinds(actor: Actor) -> list[str]:
    """The kinds of task that an actor may read."""
    return [kind for kind in AREA_OF_KIND if actor.may(permission_to_read(kind))]
