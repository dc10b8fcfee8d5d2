"""Where a value comes from, and the later of several: the source of what is made of them together.

The order runs from what was measured to what was made up. It is also that in which contributions are kept, so
a new source goes to the end.
"""

from enum import StrEnum


class ValueSource(StrEnum):
    """Where the value in force comes from."""

    CAPTURED = "captured"
    """It stands as it came, a missing one that was given later included."""
    MANUAL = "manual"
    """A person put it in the place of another."""
    ADJUSTED = "adjusted"
    """A rule put it in the place of a captured one, by a calibration."""
    SUBSTITUTED = "substituted"
    """A rule put it in the place of a captured one that is not to count."""
    IMPUTED = "imputed"
    """A rule put it where nothing was captured."""


_RANKS = {source: rank for rank, source in enumerate(ValueSource)}


def least_measured(one: ValueSource, other: ValueSource) -> ValueSource:
    """The source of what two values make together: the later of theirs."""
    return max(one, other, key=_RANKS.__getitem__)
