r"""The leaf of an event in the tree of the write that stored it: a line of text, the same for ever.

The root over the leaves of a bulk write, in the order of its request, stands in the write's row of the audit
log (RFC 6962, as in `core/proof`). So each event can prove later that it is as it was sent, with its line and
a path of hashes, and nobody has to be shown the others.

The line has what was captured, parted by tabs: project, number, event type, start, end, tracking id,
feedstock, asset, client reference, notes, locations, numbers, texts, booleans. Times are UTC by RFC 3339,
with six decimals where there are any; what is missing is `\N`; values are arrays as PostgreSQL writes them,
each text in quotation marks; backslash, tab and line breaks of texts are escaped as COPY does. Whether
required values are there is not part of it, nor is what came after: corrections, and that it was voided.

Invariant: the form never changes, or no root that was kept would vouch for an event any more.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from weighbridge.core.proof.merkle import leaf_hash

ESCAPES: Final = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
"""What stands for characters that part lines and fields."""

NULL: Final = "\\N"
ENDING: Final = 3
"""Characters of a row of COPY behind the line: a tab, whether required values are there, a line break."""


def event_leaf(line: str) -> bytes:
    """The hash of an event's line."""
    return leaf_hash(line.encode())


def leaves_of_rows(rows: Iterable[str]) -> list[bytes]:
    """The hashes of events by their rows for COPY; the hot path of a bulk write."""
    sha256 = hashlib.sha256
    return [sha256(b"\x00" + row[:-ENDING].encode()).digest() for row in rows]


def utc_text(moment: datetime) -> str:
    """A time in a line; what is shorter than a millisecond is not kept."""
    at = moment.astimezone(UTC)
    return datetime.isoformat(at.replace(microsecond=at.microsecond // 1000 * 1000))[:-6] + "Z"


def texts_of(values: Sequence[str | None]) -> str:
    """Texts as an array; escaped where they are part of a line."""
    quoted = (
        "NULL" if value is None else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        for value in values
    )
    return "{" + ",".join(quoted) + "}"


def field_of(value: str | int | None) -> str:
    """A field that may be missing."""
    return NULL if value is None else str(value).translate(ESCAPES)
