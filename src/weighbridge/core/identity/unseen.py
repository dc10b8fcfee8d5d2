"""Characters that nobody sees: with them two names look alike and are two, or one reads as what it is not.

A name, a label, a reference or a tracking id holds none of them: no control or format character of Unicode
(categories Cc and Cf, which has the marks that turn the direction of writing and the spaces without width),
no line or paragraph separator, nothing unassigned or private, and no letter that is drawn as nothing.
Two format characters are allowed between what they can join, which are letters of scripts without capitals
and pictures: without the joiners Persian and the languages of India cannot be written.
"""

import re
import unicodedata
from typing import Final

from weighbridge.core.problem import Problem

UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories of characters that are not drawn, or turn how others are."""

_DRAWN_AS_NOTHING: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0]"
)
_JOINERS: Final = frozenset("\u200c\u200d")
_JOINED: Final = frozenset({"Lo", "Mn", "Mc", "So", "Sk"})


def unseen_character(text: str) -> str | None:
    """The first character of the text that is not seen, by its code such as `U+200B`; None without any."""
    if text.isprintable() and not _DRAWN_AS_NOTHING.search(text):
        return None
    for index, character in enumerate(text):
        is_unseen = unicodedata.category(character) in UNSEEN_CATEGORIES
        if (is_unseen and not _joins(text, index)) or _DRAWN_AS_NOTHING.match(character):
            return f"U+{ord(character):04X}"
    return None


def said_of_unseen(text: str) -> str | None:
    """What a refusal says of a text with such a character, to go on from the field's name."""
    unseen = unseen_character(text)
    return None if unseen is None else f"holds {unseen}, a character that is not seen; leave it out"


def problem_of_unseen(text: str, field: str) -> Problem | None:
    """What is wrong with a text that is to be seen whole, if anything is."""
    said = said_of_unseen(text)
    return None if said is None else Problem(f"{field} {said}.", field, "invalid")


def _joins(text: str, index: int) -> bool:
    """Whether a joiner stands between two letters that it can join."""
    around = text[max(0, index - 1) : index], text[index + 1 : index + 2]
    return text[index] in _JOINERS and all(one and unicodedata.category(one) in _JOINED for one in around)
