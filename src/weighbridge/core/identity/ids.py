"""A friendly id names a record in text: a type prefix and 24 hexadecimal digits, `evt_3f…`.

The digits are the record's key (project, key and, for data points and model runs, position and kind of owner)
packed into 96 bits and stirred, so that an id leads straight to a primary key, needs no column of
its own and no round trip to make, and tells a reader nothing about how many records there are.

Invariants: `parse(kind, make(kind, key)) == key` for every key in range, and `parse` answers
None for any other text. Stirring is not secrecy: what a caller may see is decided by the account.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

PREFIXES: Final = {
    "project": "prj",
    "event_type": "et",
    "event": "evt",
    "location": "loc",
    "feedstock": "fs",
    "asset": "ast",
    "data_point": "in",
    "model": "mod",
    "model_run": "mr",
    "ledger": "lgr",
    "batch": "bat",
    "rule": "rule",
    "data_point_result": "dpres",
    "model_run_result": "mrres",
    "report": "rpt",
    "export": "exp",
    "webhook": "whk",
    "delivery": "dlv",
}
"""The prefix of each kind of record that has a friendly id."""

_KINDS: Final = {prefix: kind for kind, prefix in PREFIXES.items()}

PROJECT_BITS: Final = 31
KEY_BITS: Final = 48
POSITION_BITS: Final = 12
OWNER_BITS: Final = 2
POSITION_MAX: Final = 2**POSITION_BITS - 1
KEY_MAX: Final = 2**KEY_BITS - 1

_WIDTH: Final = 96
_MASK: Final = 2**_WIDTH - 1
_DIGITS: Final = _WIDTH // 4
_BYTES: Final = _WIDTH // 8
_HALF: Final = _WIDTH // 2
_OWNER_SHIFT: Final = PROJECT_BITS + KEY_BITS + POSITION_BITS
STIR: Final = 0x9E3779B97F4A7C15F39CC061
_UNSTIR: Final = pow(STIR, -1, 2**_WIDTH)
_LOWER_HEX: Final = frozenset("0123456789abcdef")


class Owner(IntEnum):
    """What a data point belongs to, and what a model run was made for: a batch, or itself."""

    EVENT = 0
    BATCH = 1
    MODEL_RUN = 2


_OWNERS: Final = frozenset(Owner)


@dataclass(frozen=True, slots=True)
class Key:
    """Where a record stands: its project, its key there and, for a data point, its place in the owner.

    The key of a data point or a model run is that of its owner.
    """

    project: int
    key: int = 0
    position: int = 0
    owner: Owner = Owner.EVENT


def of(kind: str, project: int, key: int = 0, position: int = 0, owner: Owner = Owner.EVENT) -> str:
    """Write the id of a record of a kind: `of("event", 7, 4711)`. Models stand outside projects, in 0.

    A page has hundreds of them, so this is `make_packed(PREFIXES[kind], packed(...))` in one function.
    """
    value = (position << KEY_BITS | key) << PROJECT_BITS | project
    if owner:
        value |= owner << _OWNER_SHIFT
    stirred = value * STIR & _MASK
    return f"{PREFIXES[kind]}_{(stirred ^ stirred >> _HALF).to_bytes(_BYTES).hex()}"


def id_pattern(kind: str) -> str:
    """The form of the ids of a kind, as a regular expression that is anchored nowhere."""
    return f"{PREFIXES[kind]}_[0-9a-f]{{{_DIGITS}}}"


def make(kind: str, key: Key) -> str:
    """Write the id of the record of a kind that has this key."""
    return of(kind, key.project, key.key, key.position, key.owner)


def number(kind: str, text: str, project: int | None = None) -> int:
    """The number of a record in an id of its kind, and of its project where one is named; else 0.

    No record has the number 0, so a statement that looks for it finds nothing.
    """
    key = parse(kind, text)
    return key.key if key and project in {None, key.project} else 0


def packed(project: int, key: int, position: int = 0, owner: int = Owner.EVENT) -> int:
    """Pack a key into one integer; ids of neighbouring records differ by adding to it."""
    return (((owner << POSITION_BITS | position) << KEY_BITS) | key) << PROJECT_BITS | project


def make_packed(prefix: str, value: int) -> str:
    """Write the id of a packed key: the quick way for thousands of ids of one prefix."""
    stirred = value * STIR & _MASK
    return f"{prefix}_{stirred ^ stirred >> _HALF:024x}"


def kind_of(text: str) -> str | None:
    """The kind that the prefix of an id names, whatever follows it; None for any other text."""
    return _KINDS.get(text.partition("_")[0])


def parse(kind: str, text: str) -> Key | None:
    """Read an id of a kind; None when the text is not such an id."""
    head, separator, digits = text.partition("_")
    if head != PREFIXES[kind] or not separator or len(digits) != _DIGITS or not _LOWER_HEX.issuperset(digits):
        return None
    folded = int(digits, 16)
    value = (folded ^ folded >> _HALF) * _UNSTIR & _MASK
    if value >> (PROJECT_BITS + KEY_BITS + POSITION_BITS + OWNER_BITS):
        return None
    project = value & (2**PROJECT_BITS - 1)
    value >>= PROJECT_BITS
    key = value & KEY_MAX
    value >>= KEY_BITS
    if value >> POSITION_BITS not in _OWNERS:
        return None
    return Key(project, key, value & POSITION_MAX, Owner(value >> POSITION_BITS))


# A link is where a record opens in the web app; an address is where something else is found.
#
# A link is a path until the edge puts the service's address before it. An address may lead elsewhere.


API_PREFIX: Final = "/api/v1"
"""What the path of every operation begins with; it carries the version of the interface."""


class Link:
    """The path of a page, beginning with a slash. No dataclass, for those have a JSON form of their own."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def below(self, base_url: str) -> str:
        """The whole link, when the service answers at this address."""
        return base_url + self.path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Link) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)


class ResourceAddress(Link):
    """A path of the service, or the whole address of something outside of it."""

    __slots__ = ()

    def below(self, base_url: str) -> str:
        return super().below(base_url) if self.path.startswith("/") else self.path
