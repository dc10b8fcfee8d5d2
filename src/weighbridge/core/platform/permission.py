"""A permission is an area of the service and a level in it, written `data_collection:write`.

Invariants: write includes read, and so does approve, which write does not include; an actor acts for one
user of one account.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

AREAS: Final = ("production_accounting", "data_collection", "data_rules", "administration")
"""The areas of permission."""

LEVELS: Final = ("read", "write")
"""The levels within an area; write includes read."""

APPROVE: Final = "data_rules:approve"
"""The permission to decide on what rules propose, apart from writing rules."""

ALL_PERMISSIONS: Final = tuple(
    permission
    for area in AREAS
    for permission in (*(f"{area}:{level}" for level in LEVELS), APPROVE)
    if permission.startswith(f"{area}:")
)
"""Every permission there is."""

ANY: Final = "any"
"""What an operation needs that every token may ask for; what it then shows may depend on the token."""

LINK: Final = "link"
"""What an operation needs that takes no token: its address names a secret that it was given with."""


def including(permission: str) -> tuple[str, ...]:
    """The other permissions that include this one."""
    area, _, level = permission.partition(":")
    higher = (f"{area}:write", APPROVE) if APPROVE.startswith(f"{area}:") else (f"{area}:write",)
    return higher if level == "read" else ()


@dataclass(frozen=True, slots=True)
class Actor:
    """Who is behind a request or a command: account, user, token, and what the token may do."""

    account_id: int
    user_id: int
    token_id: int | None
    permissions: frozenset[str]
    request_id: str

    def may(self, permission: str) -> bool:
        """Whether the actor holds the permission, itself or by a higher level of its area."""
        if permission == ANY:
            return True
        return permission in self.permissions or not self.permissions.isdisjoint(including(permission))

    def beyond(self, permissions: Iterable[str]) -> list[str]:
        """Those of some permissions that the actor does not hold."""
        return [one for one in permissions if not self.may(one)]
