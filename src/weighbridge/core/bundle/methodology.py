"""The methodology of a report in its bundle: the versions of models that it names, and the batches of others.

Invariant: what is stated of the methodology is what the audit log says of its making.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from weighbridge.core.bundle.rows import ONLY_IF_STATED
from weighbridge.core.report import OtherVersions

METHODOLOGY: Final = "methodology.json"

MAKING: Final = "methodology.create"
"""The action of the row about a methodology, which never changes."""


@dataclass(frozen=True, slots=True)
class BundledMethodologyModel:
    """A model that implements the methodology: the versions that it names, or any."""

    id: str
    name: str
    version: int
    version_ids: list[str]
    """The ids of the versions, by which batches name them; empty when any version does."""
    versions: list[int]


@dataclass(frozen=True, slots=True)
class BundledMethodologyLedger:
    """A role that a ledger plays in the reports of the methodology."""

    role: str
    sign: int
    unit: str


@dataclass(frozen=True, slots=True)
class StatedLedger:
    """A ledger of a report of several: what the report takes of it, and what that counts for."""

    amount: str
    batch_ids: list[str]
    """The batches of the inclusions that are of this ledger, in their order."""
    counted: str
    """The amount with its sign, in the unit of the first ledger."""
    ledger_id: str
    role: str
    sign: int
    unit: str


@dataclass(frozen=True, slots=True)
class BundledMethodology:
    """The methodology of the report, as it was made."""

    id: int
    models: list[BundledMethodologyModel]
    name: str
    other_batches: list[str]
    """The batches that the report takes and that no named version made; none if it names no versions."""
    other_versions: str
    """What becomes of a report that takes such batches."""
    report_type: str
    version: str
    ledgers: list[BundledMethodologyLedger] | None = field(default=None, metadata={ONLY_IF_STATED: True})
    """In the part only where its reports take of several ledgers."""

    @property
    def names_versions(self) -> bool:
        """Whether it names versions of any model."""
        return any(model.versions for model in self.models)

    @property
    def names_all_versions(self) -> bool:
        """Whether it names the versions of each of its models, so that any other version is another one."""
        return bool(self.models) and all(model.versions for model in self.models)

    @property
    def version_ids(self) -> set[str]:
        """The ids of all versions that it names."""
        return {one for model in self.models for one in model.version_ids}


def build_methodology(logged: Mapping[str, Any], other_batches: Sequence[str]) -> BundledMethodology:
    """The methodology as the row of the log about its making says; rows before 1.2.0 name no versions."""
    models = [
        BundledMethodologyModel(
            model["id"], model["name"], model["version"], model.get("version_ids", []),
            model.get("versions", []),
        )
        for model in logged["models"]
    ]  # fmt: skip
    ledgers = [
        BundledMethodologyLedger(one["role"], one["sign"], one["unit"]) for one in logged.get("ledgers", ())
    ]
    return BundledMethodology(
        logged["id"], models, logged["name"], list(other_batches),
        logged.get("other_versions", OtherVersions.REFUSE.value), logged["report_type"], logged["version"],
        ledgers or None,
    )  # fmt: skip
