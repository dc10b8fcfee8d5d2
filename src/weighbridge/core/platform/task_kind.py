"""A kind of task has an area of permission: whoever may start the one may read it, and cancel it.

Invariant: every kind that can be queued has an area, or says that it is of all.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from weighbridge.core.platform.permission import ANY, Actor

AREA_OF_KIND: Final[Mapping[str, str]] = MappingProxyType(
    {
        "batch_generation": "production_accounting",
        "batch_deletion": "production_accounting",
        "rule_run": "data_rules",
        "export": ANY,
        "data_feed_upload": "data_collection",
        "report_submission": "production_accounting",
        "report_bundle": "production_accounting",
    }
)
"""The area in which the permission to write starts a task of each kind.

Whoever may read a list may have it as a file, so any token may start an export; its task tells nothing of the
list but how many rows it has.
"""


def permission_to_read(kind: str) -> str:
    """The permission that shows a task of a kind."""
    return _in_area(kind, "read")


def permission_to_cancel(kind: str) -> str:
    """The permission that ends a task of a kind before its time: the one that starts it."""
    return _in_area(kind, "write")


def readable_kinds(actor: Actor) -> list[str]:
    """The kinds of task that an actor may read."""
    return [kind for kind in AREA_OF_KIND if actor.may(permission_to_read(kind))]


def _in_area(kind: str, level: str) -> str:
    area = AREA_OF_KIND[kind]
    return ANY if area == ANY else f"{area}:{level}"
