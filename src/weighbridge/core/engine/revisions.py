"""The revision of the engine: which arithmetic computed a batch, where later code does it differently.

Invariants: a change after which the same data and model version give other digits, or another
division of the same whole, is a new revision with a sentence of what it changed; nothing else is.
Revisions only rise.
"""

from typing import Final

REVISIONS: Final = {
    1: "the first",
    2: "shares are cut at the places that the model names, leftover units to the largest remainders; a meter"
    " is the asset, else the first location, else the event type; period_days counts calendar days; a"
    " condition is decided for every event; partitions of two dimensions are"
    " ordered by values that can be distinguished",
}
"""What each revision changed."""

ENGINE_REVISION: Final = max(REVISIONS)
"""The revision of this code, which every batch that it computes records."""

REVISION_OF_1_0_0: Final = 2
"""The revision of the first release: no batch of a release has an older one, however old its books are."""


def check_revision(revision: int) -> str | None:
    """What is wrong with a batch that says it was computed by a revision that no release up to this one has.

    Any difference in a batch of a released revision is an error, because each stays computable.
    """
    if REVISION_OF_1_0_0 <= revision <= ENGINE_REVISION:
        return None
    supported = f"revisions {REVISION_OF_1_0_0} to {ENGINE_REVISION}"
    if REVISION_OF_1_0_0 == ENGINE_REVISION:
        supported = f"revision {ENGINE_REVISION}"
    return f"it says that revision {revision} of the engine computed it, and releases compute by {supported}"
