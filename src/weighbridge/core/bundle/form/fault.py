"""Faults: what does not hold of a bundle, each a full sentence with the part that it is about."""

from dataclasses import dataclass, field
from typing import Final

FAULTS_MAX: Final = 100
"""Faults that are told; of more only the number is."""


class UnreadableError(Exception):
    """A part, a row or the whole file cannot be read as what it should be; a sentence says why."""


@dataclass(frozen=True, slots=True)
class BundleFault:
    """One thing that does not hold."""

    part: str
    """The name of the part, such as `batches.csv`; empty where it is the file as a whole."""
    sentence: str

    @property
    def text(self) -> str:
        """The fault in one line."""
        return f"{self.part}: {self.sentence}" if self.part else self.sentence


@dataclass(slots=True)
class Faults:
    """All that was found, in the order in which it was looked for."""

    told: list[BundleFault] = field(default_factory=list)
    count: int = 0

    def add(self, part: str, sentence: str) -> None:
        """Take down a fault; beyond the limit it is only counted."""
        self.count += 1
        if len(self.told) < FAULTS_MAX:
            self.told.append(BundleFault(part, sentence))

    def __bool__(self) -> bool:
        return bool(self.count)
