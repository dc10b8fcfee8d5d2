"""A role is a set of permissions with a name that people know; what counts is the permissions.

Invariants: the administrator has every permission; a role's permissions are written the shortest way, since
write includes read.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from weighbridge.core.platform.permission import ALL_PERMISSIONS, APPROVE, AREAS, including


@dataclass(frozen=True, slots=True)
class Role:
    """One role that a user may be given."""

    name: str
    title: str
    meaning: str
    permissions: tuple[str, ...]


ROLES: Final = (
    Role(
        "administrator",
        "Administrator",
        "Everything, with users, tokens and the audit log.",
        (*(f"{area}:write" for area in AREAS), APPROVE),
    ),
    Role(
        "member",
        "Member",
        "Collects data, keeps ledgers and rules, approves what rules propose, writes reports.",
        ("data_collection:write", "data_rules:write", APPROVE, "production_accounting:write"),
    ),
    Role(
        "collector",
        "Data collector",
        "Sends and corrects measurements; sees neither ledgers nor rules.",
        ("data_collection:write",),
    ),
    Role(
        "reader",
        "Reader",
        "Reads data, ledgers, rules and reports, and changes nothing.",
        ("data_collection:read", "data_rules:read", "production_accounting:read"),
    ),
)
"""The roles that are offered, the one with most first."""

ROLE_NAMES: Final = tuple(role.name for role in ROLES)


def role_named(name: str) -> Role | None:
    """The role of a name, if there is one."""
    return next((role for role in ROLES if role.name == name), None)


def shortest(permissions: Collection[str]) -> tuple[str, ...]:
    """The same permissions without those that others include, in their order."""
    return tuple(
        one for one in ALL_PERMISSIONS if one in permissions and {*permissions}.isdisjoint(including(one))
    )


def title_of(permissions: Collection[str]) -> str:
    """What people call these permissions: the title of a role, or else how many areas they reach."""
    for role in ROLES:
        if {*role.permissions} == {*shortest(permissions)}:
            return role.title
    return f"{len({one.partition(':')[0] for one in permissions})} of {len(AREAS)} areas"
