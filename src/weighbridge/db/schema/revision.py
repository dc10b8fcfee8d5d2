"""The newest step of the migration history, which a database must be at for this version.

It is read from the names of the steps: whoever only asks needs none of what migrates.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Final

_STEP: Final = re.compile(r"(\d{4})_\w+\.py")


@cache
def newest_revision() -> str:
    """Name the last step of the history."""
    steps = files("weighbridge.db").joinpath("migrations", "versions").iterdir()
    return max(step[1] for entry in steps if (step := _STEP.fullmatch(entry.name)))
