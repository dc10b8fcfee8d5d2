"""The sources of values, from measured to estimated.

Contributions are stored in this order, so a new source goes to the end.
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
