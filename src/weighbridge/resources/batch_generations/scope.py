"""The scope of a generation: its ledgers, model version and slots, checked before any data are read."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.core import ids
from weighbridge.core.cadence import CADENCES, Selection, select
from weighbridge.core.instant import Instant, Interval
from weighbridge.core.model import Model, required_features
from weighbridge.core.partition import DIMENSIONS
from weighbridge.core.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.resources.batch_generations.aggregates import AGGREGATES
from weighbridge.resources.batch_generations.plan import Target
from weighbridge.resources.batch_generations.records import NewGeneration
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


async def scope_of(tx: Read, actor: Actor, ledger: str, asked: NewGeneration) -> Scope:
    """Find what a request is about; raise Invalid when there is nothing that could be generated."""
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
    stored = await stored_model(tx, linked[0].active_model)
    model = read_model(stored.document)
    _refuse_what_does_not_run(model)
    zone = ZoneInfo(linked[0].time_zone)
    return Scope(
        key.project,
        linked[0].family,
        stored.id,
        stored.sha256,
        model,
        tuple(Target(one.number, one.name, one.unit, one.scale, one.output) for one in linked),
        linked[0].share_scale,
        zone,
        _selection(model, asked, zone),
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


def _selection(model: Model, asked: NewGeneration, zone: ZoneInfo) -> Selection:
    if asked.end_time <= asked.start_time:
        raise Invalid([Problem("end_time is not after start_time.", "end_time", "invalid")])
    try:
        wanted = Interval(Instant.of(asked.start_time), Instant.of(asked.end_time))
        selection = select(model.cadence, wanted, zone)
    except ValueError as error:
        raise Invalid([Problem(f"Too long: {error}.", "end_time", "too_long")]) from None
    except OverflowError:
        message = "The range reaches over the ends of the calendar, the years 1 and 9999."
        raise Invalid([Problem(message, "start_time", "invalid")]) from None
    if not selection.selected:
        raise Invalid(
            [
                Problem(
                    f"The range selects no {model.cadence} slot: less than half of each slot lies in it.",
                    "start_time",
                    "no_slot",
                )
            ]
        )
    return selection
