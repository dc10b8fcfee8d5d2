"""What travelled along with what was drawn, made again from the source batches.

A batch that draws says of each source what its run came to: attributes with their units, and what these rest
on. They are what the newest batch of the source's run said when the drawing batch was made. Of a source whose
run fell, what it no longer covers keeps the attributes of when it was drawn, so those that the drawer's own
earlier batch had are right too.

Invariants: a node draws of slots that began before its own ended, and of the partitions that it matches;
nothing that travelled along is believed.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from weighbridge.core.bundle.books import newest_of, stories_of
from weighbridge.core.bundle.contents import BundleContents
from weighbridge.core.bundle.form.fault import Faults
from weighbridge.core.bundle.form.lineage import LINEAGE, DrawRead
from weighbridge.core.bundle.form.rows import BatchRow, NodeValueRow
from weighbridge.core.ledger.posting import EntryKind
from weighbridge.core.model import Upstream
from weighbridge.core.quantity.number import plain
from weighbridge.core.quantity.unit import UnitError, convert, parse_unit
from weighbridge.core.quantity.value_source import ValueSource

_NOTHING: Final = ["0"] * len(ValueSource)
"""What an output rests on that rests on no value."""


def check_drawn(contents: BundleContents, faults: Faults) -> None:
    """Make again what travelled along with each draw; format 1 lacks the newest batches of sources."""
    if not contents.has_whole_stories:
        return
    sources = _Sources(contents)
    for number, line in contents.lineage.items():
        batch = contents.batches[number]
        for read in line.draws:
            for sentence in sources.wrong(batch, read):
                faults.add(LINEAGE, f"Batch {batch.batch_id} drew of batch {read.source}: {sentence}")


class _Sources:
    """The batches that are drawn from, by their runs."""

    def __init__(self, contents: BundleContents) -> None:
        self._contents = contents
        self._stories = stories_of(contents)
        self._of_run: dict[int, list[BatchRow]] = {}
        for (_, run), story in self._stories.items():
            self._of_run.setdefault(run, []).extend(story)
        self._fell = {
            (entry.ledger, entry.run) for entry in contents.entries if entry.kind == EntryKind.FALL
        } | {(deficit.ledger, deficit.run) for deficit in contents.deficits}

    def wrong(self, batch: BatchRow, read: DrawRead) -> Iterator[str]:
        """What a batch says otherwise of a draw than its source."""
        model = self._contents.documents.get(batch.model or 0)
        node = None if model is None else model.by_slug.get(read.node)
        body = None if node is None else node.body
        if not isinstance(body, Upstream):
            yield f"{read.node!r} is no node that draws."
            return
        source = self._contents.batches[read.source]
        yield from self._of_place(batch, source, body)
        if len(read.attributes) != len(body.attributes) or len(read.units) != len(body.attributes):
            yield f"{len(read.attributes)} values travelled along, and its node names {len(body.attributes)}."
            return
        standing = self._standing(source, batch)
        now = self._attributes(standing, read, list(body.attributes))
        if read.attributes != now and not self._were_so(batch, read, source):
            yield f"{', '.join(read.attributes)} travelled along, and the source has {', '.join(now)}."
        expected = self._rests_on(standing, source, list(body.attributes))
        if (read.contributions or []) != expected:
            yield "what it rests on is not what the source rests on."

    def _of_place(self, batch: BatchRow, source: BatchRow, body: Upstream) -> Iterator[str]:
        if source.batch >= batch.batch:
            yield "the source was made after it."
        if body.is_manual:
            return
        if source.start_time >= batch.end_time and not batch.by_event:
            yield "the source's slot begins after its own has ended."
        own = {"tracking_id": batch.run_tracking_id, "feedstock": batch.feedstock, "asset": batch.asset}
        theirs = {"tracking_id": source.run_tracking_id, "feedstock": source.feedstock, "asset": source.asset}
        for dimension in body.match:
            if own[dimension] != theirs[dimension]:
                yield f"its {dimension} is {own[dimension]!r}, and that of the source {theirs[dimension]!r}."

    def _standing(self, source: BatchRow, batch: BatchRow) -> BatchRow:
        """The batch that said what the source's run came to when another was made."""
        if source.run is None:
            return source
        story = [one for one in self._stories[source.ledger, source.run] if one.batch < batch.batch]
        return newest_of(_as_of(story, batch)) or source

    def _attributes(self, standing: BatchRow, read: DrawRead, slugs: Sequence[str]) -> list[str]:
        """What the source came to, in the units that travelled along; empty where it has no such output."""
        values = self._contents.values.get(standing.batch, {})
        return [_in_unit(values.get(slug), unit) for slug, unit in zip(slugs, read.units, strict=True)]

    def _were_so(self, batch: BatchRow, read: DrawRead, source: BatchRow) -> bool:
        """Whether an earlier batch of the run drew with the same, and the source's run has fallen since."""
        if (source.ledger, source.run) not in self._fell:
            return False
        earlier = [one for one in self._of_run.get(batch.run or 0, ()) if one.batch < batch.batch]
        for one in sorted(_as_of(earlier, batch), key=lambda row: -row.batch):
            draws = [
                drawn
                for drawn in self._contents.lineage[one.batch].draws
                if (drawn.node, drawn.source) == (read.node, read.source)
            ]
            if draws:
                return (draws[-1].attributes, draws[-1].units) == (read.attributes, read.units)
        return False

    def _rests_on(self, standing: BatchRow, source: BatchRow, slugs: Sequence[str]) -> list[str | None]:
        """What the amount drawn rests on, then each attribute; an instrument rests on no value."""
        values = {} if source.run is None else self._contents.values.get(standing.batch, {})
        primary = next((one for one in values.values() if one.is_primary), None)
        found: list[str | None] = []
        for value in (primary, *(values.get(slug) for slug in slugs)):
            is_known = value is None or not value.is_output or value.contributions is not None
            rests_on = value.contributions if value is not None and value.is_output else None
            found += (rests_on or _NOTHING) if is_known else [None] * len(ValueSource)
        return found


def _as_of(story: Sequence[BatchRow], batch: BatchRow) -> list[BatchRow]:
    """Those batches that were not deleted yet when another was made, as they stood then."""
    return [
        one._replace(deleted_at=None)
        for one in story
        if one.deleted_at is None or one.deleted_at > batch.created_at
    ]


def _in_unit(value: NodeValueRow | None, unit: str) -> str:
    if value is None or not value.is_output or value.value is None:
        return ""
    try:
        return plain(convert(Decimal(value.value), parse_unit(value.unit or "1"), parse_unit(unit)))
    except UnitError:
        return ""
