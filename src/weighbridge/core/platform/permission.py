"""A permission is an area of the service and a level in it, written `data_collection:write`.

It holds in every project of the account, or in the one that stands behind it: `data_collection:write@prj_…`.
So a list of permissions says all that somebody may do, wherever it is stored, compared or handed on.

Invariants: write includes read, and so do approve and verify, which write does not include; a permission of
one project says nothing of another, nor of what belongs to the account; an actor acts for one user of one
account, or for nobody who is known, by a link.
"""

import hashlib
import re
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Self

from weighbridge.core import identity

AREAS: Final = ("production_accounting", "data_collection", "data_rules", "administration")
"""The areas of permission."""

LEVELS: Final = ("read", "write")
"""The levels within an area; write includes read."""

APPROVE: Final = "data_rules:approve"
"""The permission to decide on what rules propose, apart from writing rules."""

VERIFY: Final = "production_accounting:verify"
"""The permission to act as the verifier of reports, apart from writing them."""

_SPECIAL: Final = (APPROVE, VERIFY)

ALL_PERMISSIONS: Final = tuple(
    permission
    for area in AREAS
    for permission in (*(f"{area}:{level}" for level in LEVELS), *_SPECIAL)
    if permission.startswith(f"{area}:")
)
"""Every permission there is."""

ANY: Final = "any"
"""What an operation needs that every token may ask for; what it then shows may depend on the token."""

LINK: Final = "link"
"""What an operation needs that takes no token: its address names a secret that it was given with."""


PROJECT_PERMISSIONS: Final = tuple(
    permission for permission in ALL_PERMISSIONS if not permission.startswith("administration:")
)
"""The permissions that may be given for single projects: what is administered belongs to the account."""

IN_PROJECT: Final = "@"
"""What stands between a permission and the id of the project that it is limited to."""


def limit_to_project(permission: str, project: int) -> str:
    """The same permission, in one project alone."""
    return f"{permission}{IN_PROJECT}{identity.of('project', project)}"


def split_permission(permission: str) -> tuple[str, int | None]:
    """A permission without its project, and the number of that; None where it holds in every one.

    A text behind the mark that is no id of a project gives 0, which no project has.
    """
    plain, mark, friendly = permission.partition(IN_PROJECT)
    if not mark:
        return plain, None
    key = identity.parse("project", friendly)
    return plain, key.project if key else 0


def is_permission(text: str) -> bool:
    """Whether a text is a permission, of the account or of some project."""
    plain, project = split_permission(text)
    return plain in ALL_PERMISSIONS if project is None else bool(project) and plain in PROJECT_PERMISSIONS


def limit_role(role: "Role", project: int | None) -> tuple[str, ...]:
    """What a role may do: in one project alone, or everywhere where none is named.

    In a project it is without what is administered, for that belongs to the account.
    """
    if project is None:
        return role.permissions
    return tuple(limit_to_project(one, project) for one in role.permissions if one in PROJECT_PERMISSIONS)


def group_by_project(permissions: Iterable[str]) -> tuple[list[str], dict[int, list[str]]]:
    """The permissions that hold in every project, and by the number of a project those for it alone."""
    everywhere: list[str] = []
    of_projects: dict[int, list[str]] = {}
    for permission in permissions:
        plain, project = split_permission(permission)
        if project is None:
            everywhere.append(plain)
        else:
            of_projects.setdefault(project, []).append(plain)
    return everywhere, of_projects


@lru_cache(maxsize=1_000)
def _find_projects(permissions: frozenset[str], permission: str) -> frozenset[int] | None:
    """In which projects who has some permissions holds another one, which each request asks."""
    everywhere, of_projects = group_by_project(permissions)
    if everywhere if permission == ANY else _includes(frozenset(everywhere), permission):
        return None
    return frozenset(
        project
        for project, held in of_projects.items()
        if permission == ANY or _includes(frozenset(held), permission)
    )


def list_including(permission: str) -> tuple[str, ...]:
    """The other permissions that include this one, in the same project or in every one."""
    plain, mark, project = permission.partition(IN_PROJECT)
    area, _, level = plain.partition(":")
    special = (permission for permission in _SPECIAL if permission.startswith(f"{area}:"))
    above = (f"{area}:write", *special) if level == "read" else ()
    return above if not mark else (*(f"{one}{mark}{project}" for one in above), plain, *above)


def _includes(held: frozenset[str], permission: str) -> bool:
    return permission in held or not held.isdisjoint(list_including(permission))


NOBODY: Final = 0
"""The number of no user: of an actor who is known by a link alone."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who is behind a request or a command: account, user, token, and what the token may do.

    What somebody with permissions of single projects asks for is done by the actor that `enter` gives, who
    sees no project but those in which the permission for it is held.
    """

    account_id: int
    user_id: int
    token_id: int | None
    permissions: frozenset[str]
    request_id: str
    entered: frozenset[int] | None = None
    """The only projects that the actor may reach for now; None for those of any permission."""
    place: int | None = None
    """The project that it is about; None where it may be about several."""

    @property
    def is_limited(self) -> bool:
        """Whether some of the permissions are of single projects."""
        return any(IN_PROJECT in permission for permission in self.permissions)

    @property
    def projects(self) -> frozenset[int] | None:
        """The only projects that the actor sees; None for all of the account."""
        return self.find_projects(ANY) if self.entered is None else self.entered

    def may(self, permission: str) -> bool:
        """Whether the actor holds the permission, itself or by a higher level of its area.

        It is one of the account, unless the actor has entered projects: then it is enough in these.
        """
        if permission == ANY or _includes(self.permissions, permission):
            return True
        within = self.entered if self.place is None else {self.place}
        return bool(within) and all(
            _includes(self.permissions, limit_to_project(permission, project)) for project in within or ()
        )

    def may_within(self, permission: str, project: int | None) -> bool:
        """Whether the actor holds the permission in a project; None stands for what is of no project."""
        if permission == ANY or project is None:
            return self.may(permission)
        return _includes(self.permissions, limit_to_project(permission, project))

    def beyond(self, permissions: Iterable[str]) -> list[str]:
        """Those of some permissions that the actor does not hold."""
        return [permission for permission in permissions if not self.may(permission)]

    def find_projects(self, permission: str) -> frozenset[int] | None:
        """The projects in which the actor holds the permission; None where that is one of the account."""
        if not self.is_limited:
            return None if permission == ANY or _includes(self.permissions, permission) else frozenset()
        return _find_projects(self.permissions, permission)

    def enter(self, permission: str, project: int | None = None) -> Self | None:
        """The actor for work that takes the permission, in the project it is about where it is about one.

        None where the actor does not hold it: nowhere, or not in that project.
        """
        if not self.is_limited:
            return self if self.may(permission) else None
        entered = self.find_projects(permission)
        if entered is not None and (not entered or (project is not None and project not in entered)):
            return None
        return replace(self, entered=entered, place=project)

    def leave(self) -> Self:
        """The actor as before it entered anything: who sees every project in which they hold something."""
        return (
            self if self.entered is None and self.place is None else replace(self, entered=None, place=None)
        )

    def sees(self, project: int) -> bool:
        """Whether the project is there for the actor at all."""
        seen = self.find_projects(ANY)
        return seen is None or project in seen


# A role is a set of permissions with a name that people know; what counts is the permissions.
#
# Invariants: the administrator has every permission; a role's permissions are written the shortest way,
# since write includes read.


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
        (*(f"{area}:write" for area in AREAS), *_SPECIAL),
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
    Role(
        "verifier",
        "Verifier",
        "Reads and verifies reports, reads their bundles and ledgers, and takes keys, heads and proofs of the"
        " audit log.",
        (VERIFY,),
    ),
)
"""The roles that are offered, the one with most first."""

PROJECT_ROLES: Final = tuple(role for role in ROLES if {*role.permissions} <= {*PROJECT_PERMISSIONS})
"""The roles that may be given in single projects."""


def find_role(name: str) -> Role | None:
    """The role of a name, if there is one."""
    return next((role for role in ROLES if role.name == name), None)


def reduce_permissions(permissions: Collection[str]) -> tuple[str, ...]:
    """The same permissions without those that others include, in their order: those of the account first."""
    everywhere, of_projects = group_by_project(permissions)
    held = {*everywhere}
    needed = [
        one for one in ALL_PERMISSIONS if one in held and held.isdisjoint(list_including(one))
    ]  # fmt: skip
    for project, of_project in sorted(of_projects.items()):
        here = {*of_project}
        needed += [
            limit_to_project(one, project)
            for one in PROJECT_PERMISSIONS
            if one in here and (here | held).isdisjoint(list_including(one)) and one not in held
        ]
    return tuple(needed)


def name_permissions(permissions: Collection[str]) -> str:
    """What people call these permissions: the title of a role, or else how many areas they reach.

    Of somebody with permissions of single projects, in how many projects they hold something as well.
    """
    everywhere, of_projects = group_by_project(permissions)
    count = len(of_projects)
    within = (
        f"{_name_plain(next(iter(of_projects.values())))} of 1 project" if count == 1 else f"{count} projects"
    )
    if not of_projects:
        return _name_plain(everywhere)
    return f"{_name_plain(everywhere)}, {within}" if everywhere else within


def _name_plain(permissions: Collection[str]) -> str:
    for role in ROLES:
        if {*role.permissions} == {*reduce_permissions(permissions)}:
            return role.title
    return f"{len({permission.partition(':')[0] for permission in permissions})} of {len(AREAS)} areas"


# An API token is a secret text that names itself and its account: `wb_live_`, the number of the account in
# digits of the alphabet, `_`, 32 random characters, 6 of checksum. Tokens made before accounts were named
# have no number and no underscore behind it; they go on.
#
# The checksum lets a typo or a random string be refused before the database is asked, and lets secret
# scanners recognise a leaked token without false alarms.
#
# Invariants: `is_well_formed(assemble_token(account, random))` and `account_of_token` gives the account, for
# any 32 characters of the alphabet; the hash is what is stored, never the token.


PREFIX: Final = "wb_live_"
ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
RANDOM_LENGTH: Final = 32
CHECKSUM_LENGTH: Final = 6
ACCOUNT_LENGTH_MAX: Final = 6
"""Digits of an account, whose number has 31 bits."""

LIFETIMES_DAYS: Final = (30, 60, 90, 180, 365)
"""Lifetimes that a token may have; None means that it does not expire."""

LIFETIME_DAYS_DEFAULT: Final = 90

_TOKEN: Final = re.compile(
    rf"{PREFIX}(?P<body>(?:(?P<account>[1-9A-Za-z][0-9A-Za-z]{{0,{ACCOUNT_LENGTH_MAX - 1}}})_)?"
    rf"[0-9A-Za-z]{{{RANDOM_LENGTH}}})(?P<checksum>[0-9A-Za-z]{{{CHECKSUM_LENGTH}}})"
)


def assemble_token(account: int, random_part: str) -> str:
    """Make a token of an account, with 32 random characters of the alphabet."""
    if len(random_part) != RANDOM_LENGTH or not set(random_part) <= set(ALPHABET):
        raise ValueError(f"a token is made of {RANDOM_LENGTH} characters of the alphabet")
    body = f"{_write_digits(account)}_{random_part}"
    return PREFIX + body + _compute_checksum(body)


def is_well_formed(token: str) -> bool:
    """Whether the text has the form of a token and its checksum holds."""
    parts = _TOKEN.fullmatch(token)
    return parts is not None and _compute_checksum(parts["body"]) == parts["checksum"]


def account_of_token(token: str) -> int | None:
    """The account that a token names; None of one from before tokens named accounts, or of another text."""
    parts = _TOKEN.fullmatch(token)
    if parts is None or parts["account"] is None:
        return None
    number = 0
    for digit in parts["account"]:
        number = number * len(ALPHABET) + ALPHABET.index(digit)
    return number


def hash_token(token: str) -> bytes:
    """What is stored of a token. A fast hash is right for a secret of 190 random bits."""
    return hashlib.sha256(token.encode()).digest()


def _write_digits(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


def _compute_checksum(text: str) -> str:
    return _write_digits(zlib.crc32(text.encode())).rjust(CHECKSUM_LENGTH, ALPHABET[0])
