"""The revision of the engine: which arithmetic computed a batch, where later code does it differently.

Invariants: a change after which the same data and model version come to other digits, or to another division
of the same whole, is a new revision with a sentence of what it changed; nothing else is. Revisions only rise.
"""

from typing import Final

REVISIONS: Final = {
    1: "the first",
    2: "shares are cut at the places that the model names, leftover units to the largest remainders; a meter"
    " is the asset, else the first location, else the event type; period_days counts calendar days; a"
    " condition is decided for every event; partitions of two dimensions are"
    " ordered by values that are told apart",
}
"""What each revision changed."""

ENGINE_REVISION: Final = max(REVISIONS)
"""The revision of this code, which every batch that it computes records."""
