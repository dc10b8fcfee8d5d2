"""What came of a recomputation: how many batches, and a sentence for each that is not what it says."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from weighbridge.core.engine.revision import ENGINE_REVISION, unreleased
from weighbridge.core.identity import ids
from weighbridge.verification.event_sources import MissingEvents
from weighbridge.verification.recomputing.portions import ComputedSlot


@dataclass
class Recomputed:
    """What was found, sentence by sentence; the tasks of the generations keep the sentences in order."""

    batches: int = 0
    violations: list[tuple[int, str]] = field(default_factory=list)
    older: int = 0
    """Batches that an older released revision of the engine computed, each by that revision."""
    outside: int = 0
    """Batches none of whose events the source has; see `event_sources`."""
    uncovered: list[tuple[int, str]] = field(default_factory=list)
    """Those that it has in part, or in another state than they saw; none where the database is the source."""

    def leave_out(self, unit: ComputedSlot, batch: int, missing: MissingEvents | None) -> None:
        """Take down a batch that cannot be computed of what the source has of its slot."""
        if missing is not None and missing.missing == missing.events:
            self.outside += 1
            return
        lacks = (
            "events of another batch of its slot are"
            if missing is None
            else (f"{missing.missing:,} of its {missing.events:,} events are")
        )
        name = ids.of("batch", unit.project, batch)
        self.uncovered.append((unit.task, f"batch {name}: {lacks} not there"))

    def outdate(self, unit: ComputedSlot, batch: int) -> None:
        """Take down a batch that saw its events in a later state than the source has."""
        name = ids.of("batch", unit.project, batch)
        self.uncovered.append((unit.task, f"batch {name}: it saw events as they were changed later"))

    def add(self, unit: ComputedSlot, batch: int, revision: int, complaints: Sequence[str]) -> None:
        """Count a batch of a revision of the engine, and take down what was found of it."""
        self.batches += 1
        name = ids.of("batch", unit.project, batch)
        unknown = unreleased(revision)
        self.older += unknown is None and revision < ENGINE_REVISION
        said = complaints if unknown is None else [unknown, *complaints]
        self.violations += [(unit.task, f"batch {name}: {complaint}") for complaint in said]


def sentences(violations: Sequence[tuple[int, str]]) -> list[str]:
    """What was found, generation by generation."""
    return [sentence for _, sentence in sorted(violations, key=itemgetter(0))]
