"""How lineage stands: the events of a batch in rows of so many, in the order in which they count."""

from typing import Final

CHUNK_SIZE: Final = 1000
"""Events in one row of lineage."""
