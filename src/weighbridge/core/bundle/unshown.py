"""What a bundle of an older format cannot show, sentence by sentence.

Invariant: a bundle that holds is told with all that its format leaves open.
"""

from typing import Final

from weighbridge.core.bundle.contents import BundleContents

_FORMAT_1: Final = (
    "Format 1 has no batch that came after those that the report takes of, nor what was corrected by then.",
    "Format 1 has no entries of the ledgers, so what falls, draws and other reports took is not in it.",
    "Format 1 lacks newer batches of what was drawn from, so attributes that travelled along are as written.",
)


def unshown(contents: BundleContents) -> tuple[str, ...]:
    """What its format cannot show; nothing for the present one."""
    return () if contents.has_whole_stories else _FORMAT_1
