"""How records are named: friendly ids and links for programs, names and slugs for people, and what was meant.

A friendly id names a record in text: a type prefix and 24 hexadecimal digits, `evt_3f…`. The digits are the
record's key (project, key and, for data points and model runs, position and kind of owner) packed into 96
bits and stirred, so that an id leads straight to a primary key, needs no column of its own and no round trip
to make, and does not show how many records there are. A name has 1 to 255 visible characters,
a slug small letters and digits in words. A suggestion is the known name that an unknown one most resembles.

Invariants: `parse(kind, make(kind, key)) == key` for every key in range, and `parse` answers None for any
other text; stirring is not secrecy, for what a caller may see is decided by the account. Invisible characters
are refused, because two names that look alike would differ. Nothing is suggested that is not among the known
names, and the work for it is bounded, however long the name is and however many are known.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from heapq import nsmallest
from itertools import islice
from typing import Final

from weighbridge.core.problem import Problem

PREFIXES: Final = {
    "project": "prj",
    "event_type": "et",
    "event": "evt",
    "location": "loc",
    "feedstock": "fs",
    "asset": "ast",
    "calibration": "cal",
    "data_point": "in",
    "model": "mod",
    "model_run": "mr",
    "ledger": "lgr",
    "package_installation": "pki",
    "batch": "bat",
    "uncertainty_run": "unr",
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
    """The place of a record: its project, its key there and, for a data point, its place in the owner.

    The key of a data point or a model run is that of its owner.
    """

    project: int
    key: int = 0
    position: int = 0
    owner: Owner = Owner.EVENT


def of(kind: str, project: int, key: int = 0, position: int = 0, owner: Owner = Owner.EVENT) -> str:
    """Write the id of a record of a kind: `of("event", 7, 4711)`. Models are outside projects, in 0.

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
    """Return the kind that an id's prefix names, with anything after it; None for any other text."""
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


# Invisible characters: with them two names look alike and are two, or one reads as what it is not.
#
# A name, a label, a reference or a tracking id holds none of them: no control or format character of
# Unicode (categories Cc and Cf, which has the marks that turn the direction of writing and the spaces
# without width), no line or paragraph separator, nothing unassigned or private, and no letter that is drawn
# as nothing. Two format characters are allowed between what they can join, which are letters of scripts
# without capitals and pictures: without the joiners Persian and the languages of India cannot be written.


UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories of characters that are not drawn, or turn how others are."""

_DRAWN_AS_NOTHING: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0]"
)
_JOINERS: Final = frozenset("\u200c\u200d")
_JOINED: Final = frozenset({"Lo", "Mn", "Mc", "So", "Sk"})


def find_unseen_character(text: str) -> str | None:
    """The first character of the text that is not seen, by its code such as `U+200B`; None without any."""
    if text.isprintable() and not _DRAWN_AS_NOTHING.search(text):
        return None
    for index, character in enumerate(text):
        is_unseen = unicodedata.category(character) in UNSEEN_CATEGORIES
        if (is_unseen and not _is_joining(text, index)) or _DRAWN_AS_NOTHING.match(character):
            return f"U+{ord(character):04X}"
    return None


def explain_unseen(text: str) -> str | None:
    """What a refusal says of a text with such a character, to go on from the field's name."""
    unseen = find_unseen_character(text)
    return None if unseen is None else f"holds {unseen}, a character that is not seen; leave it out"


def problem_of_unseen(text: str, field: str) -> Problem | None:
    """What is wrong with a text that is to be seen whole, if anything is."""
    message = explain_unseen(text)
    return None if message is None else Problem(f"{field} {message}.", field, "invalid")


def _is_joining(text: str, index: int) -> bool:
    """Whether a joiner is between two letters that it can join."""
    neighbours = text[max(0, index - 1) : index], text[index + 1 : index + 2]
    return text[index] in _JOINERS and all(
        neighbour and unicodedata.category(neighbour) in _JOINED for neighbour in neighbours
    )


# A name is what people call a record: 1 to 255 characters that are seen, apart from spaces around it.


NAME_LENGTH_MAX: Final = 255


def problem_of_name(name: str, noun: str, field: str) -> Problem | None:
    """What is wrong with the name of a noun, such as `A location`, if anything is."""
    length = len(name.strip())
    if not length:
        return Problem(f"{noun} needs a name.", field, "required")
    if length > NAME_LENGTH_MAX:
        return Problem(
            f"{field} has {length} characters; a name has at most {NAME_LENGTH_MAX}.", field, "invalid"
        )
    return problem_of_unseen(name.strip(), field)


# A slug is a name for programs: small letters and digits in words joined by hyphens or underscores.
#
# Invariants: `make_slug` gives a slug or the empty text, and leaves a slug as it is.


SLUG_LENGTH_MAX: Final = 100

NODE_SLUG_LENGTH_MAX: Final = 64
"""The longest slug of a node of a model, in characters."""

SLUG_PATTERN: Final = "[a-z0-9]+(?:[-_][a-z0-9]+)*"
_SLUG: Final = re.compile(SLUG_PATTERN)
_BETWEEN_WORDS: Final = re.compile(r"[^a-z0-9_]+")

SLUG_RULE: Final = (
    "small letters and digits in words joined by single hyphens or underscores, "
    f"at most {SLUG_LENGTH_MAX} characters"
)
"""What a slug is, for messages."""


def is_slug(text: str) -> bool:
    """Whether the text is a slug."""
    return len(text) <= SLUG_LENGTH_MAX and _SLUG.fullmatch(text) is not None


def make_slug(name: str) -> str:
    """Make a slug of a name; empty if the name has no letter or digit that a slug may have."""
    if is_slug(name):
        return name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower().replace("_", "-")
    return _BETWEEN_WORDS.sub("-", plain).strip("-")[:SLUG_LENGTH_MAX].strip("-")


# A suggestion: the known name that an unknown one most resembles, which is what was meant, most likely.


NAME_LENGTH_READ_MAX: Final = 40
"""Characters of an unknown name for which a known one is looked for."""

NAMES_READ_MAX: Final = 1_000
"""Known names that are looked at; those of the most similar length are compared."""

NAMES_COMPARED_MAX: Final = 100
"""Known names that an unknown one is compared with."""

SUGGESTIONS_MAX: Final = 10
"""Unknown names of one answer after which no known names are looked for any more."""

NAMES_SHOWN_MAX: Final = 8
"""Known names that a message lists before it counts the others."""

_RESEMBLANCE: Final = 3 / 4
"""The least part that two names have in common: one slip in a name of four letters."""


@dataclass(slots=True)
class _Allowance:
    """How many unknown names of an answer may still be compared."""

    left: int = SUGGESTIONS_MAX


_allowance: ContextVar[_Allowance | None] = ContextVar("suggestions", default=None)


@contextmanager
def few_suggestions() -> Iterator[None]:
    """Within, all that is asked for belongs to one answer; what is within another belongs to that one."""
    if _allowance.get() is not None:
        yield
        return
    token = _allowance.set(_Allowance())
    try:
        yield
    finally:
        _allowance.reset(token)


def find_nearest(name: str, known_names: Iterable[str]) -> str | None:
    """The known name that is nearest, None when none is near; `startTime` is `start_time` after all."""
    if len(name) > NAME_LENGTH_READ_MAX:
        return None
    if (allowance := _allowance.get()) is not None:
        if not allowance.left:
            return None
        allowance.left -= 1
    others = (candidate for candidate in islice(known_names, NAMES_READ_MAX) if candidate != name)
    closest_lengths = nsmallest(
        NAMES_COMPARED_MAX, others, key=lambda candidate: abs(len(candidate) - len(name))
    )
    plain = {_simplify(candidate): candidate for candidate in closest_lengths}
    close = get_close_matches(_simplify(name), plain, 1, _RESEMBLANCE)
    return plain[close[0]] if close else None


def did_you_mean(name: str, known_names: Iterable[str], problems_before: int = 0) -> str:
    """What a message says behind an unknown name; nothing when none is near, or after many problems."""
    suggestion = find_nearest(name, known_names) if problems_before < SUGGESTIONS_MAX else None
    return f" (did you mean {suggestion}?)" if suggestion else ""


def list_briefly(names: Collection[str]) -> str:
    """Names one after the other, as many as a message lists, and how many there are besides."""
    shown_names = ", ".join(islice(names, NAMES_SHOWN_MAX))
    remaining = len(names) - NAMES_SHOWN_MAX
    return f"{shown_names} and {remaining:,} more" if remaining > 0 else shown_names


def _simplify(name: str) -> str:
    """The name without case, hyphens and underscores, of a length that is quickly compared."""
    return name[:NAME_LENGTH_READ_MAX].lower().replace("_", "").replace("-", "")


# What a key may be called in signed notes (C2SP signed-note).


def is_key_name(name: str) -> bool:
    """Whether a key may be called so: something, and neither spaces nor a plus in it."""
    return (
        bool(name)
        and "+" not in name
        and not any(character.isspace() or not character.isprintable() for character in name)
    )
