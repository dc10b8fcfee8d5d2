"""How many examples a search makes up: some, always the same, in every run, and all in `make fuzz`."""

from typing import Final

from hypothesis import settings

PART: Final = 10
EXAMPLES_MIN: Final = 3


def examples(whole: int) -> int:
    """So many examples, or a part of them in a run that is not for searching."""
    return whole if settings.get_current_profile_name() == "fuzz" else max(EXAMPLES_MIN, whole // PART)
