"""A slug is a name for programs: small letters and digits in words joined by hyphens or underscores.

Invariants: `slug_of` gives a slug or the empty text, and leaves a slug as it is.
"""

import re
import unicodedata
from typing import Final

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


def slug_of(name: str) -> str:
    """Make a slug of a name; empty when no letter or digit of the name can stand in one."""
    if is_slug(name):
        return name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower().replace("_", "-")
    return _BETWEEN_WORDS.sub("-", plain).strip("-")[:SLUG_LENGTH_MAX].strip("-")
