"""The fingerprint of a run: a digest of everything that its result depends on.

Two runs of the same fingerprint come to the same; a batch whose run has another one is made anew. What an
event says is told by its id and the corrections in force on it, for a captured value never changes.

A run of which no data is left has a fingerprint of its own: its data have left it, or other slots have taken
its time, and its batch brings it to zero. A run counts something while its newest batch on a ledger has
another one.

Invariants: neither the order of events nor the way they were grouped shows; another value, time, weight,
static input or draw does, also where the totals stay equal.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, LiteralString

from weighbridge.core.engine import PartitionRun
from weighbridge.core.engine.source_ledger import Drawn
from weighbridge.core.model import Available, Model
from weighbridge.core.quantity.digits import digits
from weighbridge.core.quantity.number import EXACT, ZERO, plain

NO_DATA: Final = hashlib.sha256(b"no data").digest()
"""The fingerprint of a batch that was made of nothing."""

COUNTS: Final[LiteralString] = "(b.fingerprint <> sha256('no data'))"
"""Whether a batch `b` was made of data; those of instruments have no fingerprint, and no run."""


def fingerprint(
    model_sha256: bytes,
    computed: PartitionRun,
    names: Mapping[int, Sequence[str]] | None = None,
    unread: Collection[str] = (),
) -> bytes:
    """Digest a run; `names` are the nodes that read each source, which do not depend on its number.

    Nodes that only see what another ledger holds stay unread and count by what is made of them: what runs
    have drawn since is no reason to make a batch anew.
    """
    digest = hashlib.sha256(model_sha256)
    for line in sorted(_lines_of_data(computed, names or {})):
        digest.update(f"{line}\n".encode())
    for line in draw_lines(computed.draws):
        digest.update(line.encode())
    for slug, reading in computed.readings.items():
        if slug in unread:
            continue
        digest.update(f"{slug} {digits(reading.amount)} {digits(reading.whole)}\n".encode())
    return digest.digest()


def _lines_of_data(computed: PartitionRun, names: Mapping[int, Sequence[str]]) -> Iterator[str]:
    counts: dict[int, int] = {}
    hashes: dict[int, Decimal] = {}
    for group in computed.groups:
        counts[group.source] = counts.get(group.source, 0) + group.event_count
        hashes[group.source] = EXACT.add(hashes.get(group.source, ZERO), group.digest)
    for source, elements in computed.used.items():
        counts[source] = len(elements)
        hashes[source] = Decimal(sum(element.digest for element in elements))
    for source, count in counts.items():
        yield f"{','.join(names.get(source, [str(source)]))} {count} {plain(hashes[source])}"
    for slug, numbers in computed.statics.items():
        yield f"{slug} {sorted(numbers)}"
    for slug in computed.skipped:
        yield f"{slug} set aside"


def seen_only(model: Model) -> list[str]:
    """The nodes that only see what another ledger holds."""
    return [node.slug for node in model.nodes if isinstance(node.body, Available)]


def draw_lines(draws: Iterable[Drawn]) -> Iterator[str]:
    """What a run's result owes to its draws, line by line."""
    for draw in draws:
        along = [f"{plain(value)} {unit}" for value, unit in zip(draw.attributes, draw.units, strict=True)]
        yield " ".join([draw.node, str(draw.source.number), plain(draw.amount), *along]) + "\n"
