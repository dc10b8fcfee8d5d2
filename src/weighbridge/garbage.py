"""How often a process looks for objects that hold each other in a circle.

Everything else goes as soon as nothing refers to it. Python looks for circles each time that 700 objects
more were made than went, and now and then at every object of the process. An answer is thousands of objects
and none of them in a circle, so that took a third of the time of a page of events. To load what a command
needs makes hundreds of thousands that stay: looks at them took a sixth to a fourth of its time.

What a process holds when it begins to serve stays for its life: it is looked at no more, and not while the
process starts.
"""

import gc
from typing import Final

NEW_OBJECTS: Final = 20_000
"""So many objects more must have been made than went, before the young ones are looked at."""

LOOKS_AT_YOUNGER: Final = 20
"""So many looks at younger objects come before one at older ones."""


def look_when_started() -> None:
    """Look at nothing until `look_rarely`."""
    gc.disable()


def look_rarely() -> None:
    """Leave out of every look what is here now, and look at the rest rarely."""
    gc.collect()
    gc.enable()
    gc.freeze()
    look_after_many()


def look_after_many() -> None:
    """Look after many new objects, in a process that has just begun."""
    gc.set_threshold(NEW_OBJECTS, LOOKS_AT_YOUNGER, LOOKS_AT_YOUNGER)
