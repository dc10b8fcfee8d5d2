"""The identity of a model run: `mr_` and what it was made for, a batch or itself.

Invariants: a batch has exactly one run, whose id follows from the batch's; no run of its own has that id.
"""

from dataclasses import dataclass

from weighbridge.core.identity import ids
from weighbridge.core.identity.ids import Owner


@dataclass(frozen=True, slots=True)
class ModelRunKey:
    """Where a run stands: its own row, or that of the batch that it is behind."""

    owner: Owner
    project: int
    number: int


def model_run_id(key: ModelRunKey) -> str:
    """The friendly id of a run."""
    return ids.of("model_run", key.project, key.number, owner=key.owner)


def run_behind(project: int, batch: int) -> str:
    """The friendly id of the run behind a batch."""
    return model_run_id(ModelRunKey(Owner.BATCH, project, batch))


def read_model_run_id(friendly: str) -> ModelRunKey | None:
    """The run that a friendly id names; None when no run can have it."""
    key = ids.parse("model_run", friendly)
    if key is None or key.owner is Owner.EVENT or key.position:
        return None
    return ModelRunKey(key.owner, key.project, key.key)
