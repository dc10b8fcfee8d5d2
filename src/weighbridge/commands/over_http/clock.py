"""The clock of the machine at which a person says `yesterday`."""

from datetime import datetime


def here() -> datetime:
    """The time on this machine, in its zone."""
    return datetime.now().astimezone()
