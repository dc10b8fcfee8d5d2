"""What a code is, and the statuses that codes come with."""

from typing import Final, NamedTuple


class ErrorCode(NamedTuple):
    """What a code says: the statuses it comes with, its meaning, and what the caller can do."""

    statuses: tuple[int, ...]
    meaning: str
    remedy: str


SHAPE: Final = (400,)
RULE: Final = (422,)
BOTH: Final = (400, 422)
OF_MODEL: Final = (200, 422)
"""A flaw of a model document: creating it is refused, validating it names the flaw in an answer."""
