"""A permission is an area of the service and a level in it, written `data_collection:write`.

Invariants: write includes read; an actor acts for exactly one user of one account.
"""

from dataclasses import dataclass
from typing import Final

AREAS: Final = ("production_accounting", "data_collection", "data_rules", "administration")
"""The areas of permission."""

LEVELS: Final = ("read", "write")
"""The levels within an area; write includes read."""

ALL_PERMISSIONS: Final = tuple(f"{area}:{level}" for area in AREAS for level in LEVELS)
"""Every permission there is."""

ANY: Final = "any"
"""What an operation needs that every token may ask for; what it then shows may depend on the token."""

LINK: Final = "link"
"""What an operation needs that takes no token: its address names a secret that it was given with."""


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
        area, _, level = permission.partition(":")
        return permission in self.permissions or (level == "read" and f"{area}:write" in self.permissions)
