"""What a row of the table of forgeries is."""

from typing import Final, NamedTuple

from tests.given.forgeries.changes import Change


class Forgery(NamedTuple):
    """What somebody with the true key changed of a bundle, and what finds it."""

    name: str
    base: str
    """The bundle that he began with."""
    change: Change
    part: str
    """The part with the fault; one of those below if no part contradicts another."""
    found: str
    """Words of the sentence that finds it; of the page about the format if there is none."""


LISTED: Final = "what a checker names"
"""In place of a part: no fault, but both checkers name it to whoever reads what they found."""
SEALED: Final = "What only the seal finds"
"""The part of the page about what an operator could have written otherwise when the bundle was made."""
UNFOUND: Final = "What no check finds"
"""The part of the page about what is not in the file."""
