"""The scope of a generation: its ledgers, model versions and slots, checked before any data are read.

Slots that were generated before keep the version that made them, so one request may run several.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.core import ids
from weighbridge.core.cadence import CADENCES, Selection
from weighbridge.core.instant import Instant, Interval
from weighbridge.core.model import Model, required_features
from weighbridge.core.partition import DIMENSIONS
from weighbridge.core.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.slot import Version
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.resources.batch_generations.aggregates import AGGREGATES
from weighbridge.resources.batch_generations.plan import Target
from weighbridge.resources.batch_generations.records import NewGeneration
from weighbridge.resources.batch_generations.slots import assign_slots
from weighbridge.resources.ledgers.queries import get_ledger
from weighbridge.resources.models.document import read_model
from weighbridge.resources.models.queries import stored_model

RUNNABLE = frozenset(
    {f"aggregate:{name}" for name in AGGREGATES}
    | {f"cadence:{cadence}" for cadence in CADENCES if cadence != "event"}
    | {f"partition_type:{kind}" for kind in DIMENSIONS}
    | {"share:even", "share:by", "share:repeat", "where", "weight", "optional", "partition_name"}
)
"""The parts of the model language that generation computes; a model that needs others is refused by name."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Everything that a plan is made for."""

    project: int
    family: int
    model_id: int
    model_sha256: bytes
    model: Model
    targets: tuple[Target, ...]
    share_scale: int
    """Decimals of the finest ledger of the model in the project, generated or not."""
    zone: ZoneInfo
    selection: Selection
    passed_over: tuple[Interval, ...] = ()
    """Slots that are left to generated slots of another cadence."""
    replaced: tuple[Interval, ...] = ()
    """Generated slots of other bounds that this version replaces."""


class _Linked(msgspec.Struct, frozen=True):
    number: int
    name: str
    unit: str
    scale: int
    output: str
    family: int
    active_model: int
    time_zone: str
    share_scale: int


async def scopes_of(tx: Read, actor: Actor, ledger: str, asked: NewGeneration) -> tuple[Scope, ...]:
    """What each version of the model is to compute, the active one last.

    The last scope also says which slots nobody computes. Raises Invalid when there is nothing that could
    be generated.
    """
    await get_ledger(tx, actor, ledger)
    key = ids.parse(ids.PREFIXES["ledger"], ledger)
    assert key is not None  # noqa: S101 - the ledger was found by it
    linked = await tx.rows(
        _Linked,
        """
        SELECT other.id, other.name, other.unit, other.scale, other.output, f.id, f.active_model_id,
               p.time_zone, (SELECT max(scale) FROM ledgers l
                 WHERE (l.project_id, l.family_id) = (asked.project_id, asked.family_id))
          FROM ledgers asked
          JOIN ledgers other ON other.project_id = asked.project_id AND other.family_id = asked.family_id
          JOIN model_families f ON f.id = asked.family_id
          JOIN projects p ON p.id = asked.project_id
         WHERE asked.project_id = %s AND asked.id = %s AND (other.id = asked.id OR %s)
         ORDER BY other.id
        """,
        (key.project, key.key, asked.generate_concurrent_ledgers),
    )
    if not linked:
        raise Invalid(
            [Problem("The ledger has no model, so there is nothing to run.", "ledger_id", "no_model")]
        )
    frame = linked[0]
    stored = await stored_model(tx, frame.active_model)
    active = read_model(stored.document)
    _refuse_what_does_not_run(active)
    zone = ZoneInfo(frame.time_zone)
    found = await assign_slots(
        tx,
        (key.project, frame.family),
        Version(stored.id, active.cadence),
        _wanted(asked),
        zone=zone,
        is_replacing=asked.model_version == "latest",
    )
    older = [number for number in found.slots if number != stored.id]
    newest = [stored.id] if stored.id in found.slots else []
    scopes = [await _scope(tx, key.project, linked, number, found.slots[number]) for number in older + newest]
    reported = replace(
        scopes[-1],
        selection=Selection(scopes[-1].selection.selected, found.touched),
        passed_over=found.passed_over,
        replaced=found.replaced,
    )
    return (*scopes[:-1], reported)


async def _scope(
    tx: Read, project: int, linked: Sequence[_Linked], number: int, slots: tuple[Interval, ...]
) -> Scope:
    """The part of a generation that one version of the model computes."""
    frame = linked[0]
    stored = await stored_model(tx, number)
    model = read_model(stored.document)
    _refuse_what_does_not_run(model)
    return Scope(
        project=project,
        family=frame.family,
        model_id=stored.id,
        model_sha256=stored.sha256,
        model=model,
        targets=tuple(Target(one.number, one.name, one.unit, one.scale, one.output) for one in linked),
        share_scale=frame.share_scale,
        zone=ZoneInfo(frame.time_zone),
        selection=Selection(slots, ()),
    )


def not_runnable(model: Model) -> list[str]:
    """The parts of the model language that a model makes use of and generation does not compute."""
    cut = {f"cadence:{model.cadence}", f"partition_type:{model.partition_type}"}
    return sorted((required_features(model) | cut) - RUNNABLE)


def _refuse_what_does_not_run(model: Model) -> None:
    if missing := not_runnable(model):
        parts = ", ".join(missing)
        raise Invalid(
            [
                Problem(
                    f"This version of the service cannot generate with {parts}.", "ledger_id", "not_runnable"
                )
            ]
        )


def _wanted(asked: NewGeneration) -> Interval:
    if asked.end_time <= asked.start_time:
        raise Invalid([Problem("end_time is not after start_time.", "end_time", "invalid")])
    return Interval(Instant.of(asked.start_time), Instant.of(asked.end_time))
