"""A permission is an area of the service and a level in it, written `data_collection:write`.

Invariants: write includes read, and so do approve and verify, which write does not include; an actor acts for
one user of one account, or for nobody who is known, by a link.
"""

import hashlib
import re
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

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


def list_including(permission: str) -> tuple[str, ...]:
    """The other permissions that include this one."""
    area, _, level = permission.partition(":")
    special = (permission for permission in _SPECIAL if permission.startswith(f"{area}:"))
    return (f"{area}:write", *special) if level == "read" else ()


NOBODY: Final = 0
"""The number of no user: of an actor who is known by a link alone."""


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
        return permission in self.permissions or not self.permissions.isdisjoint(list_including(permission))

    def beyond(self, permissions: Iterable[str]) -> list[str]:
        """Those of some permissions that the actor does not hold."""
        return [permission for permission in permissions if not self.may(permission)]


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


def find_role(name: str) -> Role | None:
    """The role of a name, if there is one."""
    return next((role for role in ROLES if role.name == name), None)


def reduce_permissions(permissions: Collection[str]) -> tuple[str, ...]:
    """The same permissions without those that others include, in their order."""
    return tuple(
        all_permission
        for all_permission in ALL_PERMISSIONS
        if all_permission in permissions and {*permissions}.isdisjoint(list_including(all_permission))
    )


def name_permissions(permissions: Collection[str]) -> str:
    """What people call these permissions: the title of a role, or else how many areas they reach."""
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
