"""Names for people and slugs for programs, and the characters that neither may have.

A name has 1 to 255 visible characters, apart from spaces; a slug has small letters and digits in words
joined by hyphens or underscores. Invisible characters are refused, because two names that look alike
would differ.
"""

import re
import unicodedata
from typing import Final

from weighbridge.core.problem import Problem

# Characters that nobody sees: with them two names look alike and are two, or one reads as what it is not.
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
    """Whether a joiner stands between two letters that it can join."""
    around = text[max(0, index - 1) : index], text[index + 1 : index + 2]
    return text[index] in _JOINERS and all(one and unicodedata.category(one) in _JOINED for one in around)


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
    """Make a slug of a name; empty when no letter or digit of the name can stand in one."""
    if is_slug(name):
        return name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower().replace("_", "-")
    return _BETWEEN_WORDS.sub("-", plain).strip("-")[:SLUG_LENGTH_MAX].strip("-")
