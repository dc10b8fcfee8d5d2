"""The scope of a generation: its ledgers, model versions and slots, checked before any data are read.

Slots that were generated before keep the version that made them, so one request may run several.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.accounting.batch_generations.records import NewGeneration
from weighbridge.accounting.drawing.source_ledgers import resolve_outlets
from weighbridge.accounting.ledgers.queries import get_ledger
from weighbridge.accounting.planning.explicit_inputs import Part, explicit_inputs
from weighbridge.accounting.planning.kept_inputs import NO_INPUTS, SlotInputs
from weighbridge.accounting.planning.plan import Target
from weighbridge.accounting.planning.slots import Asked, assign_slot, assign_slots
from weighbridge.core.engine.source_ledger import Outlet
from weighbridge.core.identity import ids
from weighbridge.core.model import Model
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.cadence import EVENT, Selection
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.core.time.slot import Version
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.modelling.document.reading import read_model
from weighbridge.modelling.versions.stored import stored_model


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
    wanted: Interval
    """The range that was asked for."""
    cadence: str
    """That of the active version, by which the range touches and passes over slots."""
    selection: Selection
    outlets: Mapping[str, Outlet]
    """The ledgers that its nodes draw from, by node."""
    passed_over: tuple[Interval, ...] = ()
    """Slots that are left to generated slots of another cadence."""
    replaced: tuple[Interval, ...] = ()
    """Generated slots of other bounds that this version replaces."""
    included: frozenset[Interval] = frozenset()
    """Those of its slots that nobody asked for: what was named for them before stays."""
    inputs: SlotInputs = NO_INPUTS
    """What the caller named and set aside in its slots."""

    @property
    def hull(self) -> Interval:
        """The time over which data are looked for: the slots, and of events also the range."""
        slots = [*self.selection.selected]
        if self.model.cadence == EVENT:
            slots.append(self.wanted)
        return Interval(min(slot.start for slot in slots), max(slot.end for slot in slots))


@dataclass(frozen=True, slots=True)
class _Share:
    """What one version is to compute of a range, which the cadence of the active one selects."""

    wanted: Interval
    cadence: str
    slots: tuple[Interval, ...]
    included: frozenset[Interval]


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


async def scopes_of(
    tx: Read, actor: Actor, ledger: str, asked: NewGeneration, only: Interval | None = None
) -> tuple[Scope, ...]:
    """What each version of the model is to compute of a range, or of one generated slot; the active one last.

    The last scope also says which slots nobody computes. Raises Invalid when there is nothing that could
    be generated.
    """
    await get_ledger(tx, actor, ledger)
    key = ids.parse("ledger", ledger)
    assert key is not None  # noqa: S101 - the ledger was found by it
    linked = await _linked(tx, key, is_concurrent=asked.generate_concurrent_ledgers)
    frame = linked[0]
    stored = await stored_model(tx, frame.active_model)
    active = read_model(stored.document)
    zone, wanted = ZoneInfo(frame.time_zone), _wanted(asked)
    family = (key.project, frame.family)
    if only is None:
        version = Version(stored.id, active.cadence)
        range_asked = Asked(wanted, zone, is_replacing=asked.model_version == "latest")
        found = await assign_slots(tx, family, version, active, range_asked)
    else:
        found = await assign_slot(tx, family, active, only, zone)
    included = frozenset(found.included)
    older = [number for number in found.slots if number != stored.id]
    newest = [stored.id] if stored.id in found.slots else []
    scopes = [
        await _scope(
            tx, key.project, linked, number, _Share(wanted, active.cadence, found.slots[number], included)
        )
        for number in older + newest
    ]
    reported = replace(
        scopes[-1],
        selection=Selection(scopes[-1].selection.selected, found.touched),
        passed_over=found.passed_over,
        replaced=found.replaced,
    )
    return await _with_inputs(tx, [*scopes[:-1], reported], asked)


async def _linked(tx: Read, key: ids.Key, *, is_concurrent: bool) -> list[_Linked]:
    """The ledger, or all that its model credits in the project."""
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
        (key.project, key.key, is_concurrent),
    )
    if not linked:
        raise Invalid(
            [Problem("The ledger has no model, so there is nothing to run.", "ledger_id", "no_model")]
        )
    return linked


async def _with_inputs(tx: Read, scopes: Sequence[Scope], asked: NewGeneration) -> tuple[Scope, ...]:
    """The scopes with what is named and set aside in their slots."""
    parts = [Part(scope.model, scope.selection.selected, scope.included) for scope in scopes]
    inputs = await explicit_inputs(tx, scopes[0].project, scopes[0].family, parts, asked)
    return tuple(replace(scope, inputs=of_part) for scope, of_part in zip(scopes, inputs, strict=True))


async def _scope(tx: Read, project: int, linked: Sequence[_Linked], number: int, share: _Share) -> Scope:
    """The part of a generation that one version of the model computes."""
    frame = linked[0]
    stored = await stored_model(tx, number)
    model = read_model(stored.document)
    return Scope(
        project=project,
        family=frame.family,
        model_id=stored.id,
        model_sha256=stored.sha256,
        model=model,
        targets=tuple(Target(one.number, one.name, one.unit, one.scale, one.output) for one in linked),
        share_scale=frame.share_scale,
        zone=ZoneInfo(frame.time_zone),
        wanted=share.wanted,
        cadence=share.cadence,
        selection=Selection(share.slots, ()),
        included=share.included.intersection(share.slots),
        outlets=await resolve_outlets(tx, project, frame.family, model),
    )


def _wanted(asked: NewGeneration) -> Interval:
    if asked.end_time <= asked.start_time:
        raise Invalid([Problem("end_time is not after start_time.", "end_time", "invalid")])
    return Interval(Instant.of(asked.start_time), Instant.of(asked.end_time))
