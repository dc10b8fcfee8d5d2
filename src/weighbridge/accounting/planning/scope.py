"""Check what a generation covers, before any data are read: ledgers, model versions, slots and source
ledgers.

Slots that were generated before keep their version, so one request may run several versions. Resolving
source ledgers reports every node that cannot be served at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.accounting.books.allocation import DrawingVersion
from weighbridge.accounting.books.balances import find_ledger_key, parse_ledger
from weighbridge.accounting.planning.explicit_inputs import (
    NO_INPUTS,
    SlotInputs,
    VersionSlots,
    resolve_explicit_inputs,
)
from weighbridge.accounting.planning.slots import (
    AssignedSlots,
    BooksOfModel,
    RequestedRange,
    assign_generated,
    assign_slots,
)
from weighbridge.accounting.records.model_runs import NewGeneration
from weighbridge.core import identity
from weighbridge.core.engine.slot_computation import SourceLedgerView
from weighbridge.core.ledger.allocation import LedgerRounding
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.model import Available, Model, Node, Upstream
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import EVENT, Instant, Interval, Selection
from weighbridge.core.time.slot_versions import Assignment, Version
from weighbridge.core.unit import Unit, are_compatible, parse_unit
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.modelling.documents import (
    StoredModel,
    check_circle,
    find_active_model,
    find_stored_model,
    read_crediting_models,
    read_model,
)

# The source ledgers of a model: which ledgers of the project its nodes draw from or look at.
#
# Resolving finds each by its name and checks that it can be drawn from; every node that cannot be served is
# named at once.


DrawingNode = tuple[Node, Upstream | Available]


class _LedgerRow(msgspec.Struct, frozen=True):
    number: int
    name: str
    unit: str
    scale: int
    rounding: LedgerRounding
    family: int | None
    system_type: str | None
    document: str | None


async def resolve_source_ledgers(
    tx: Read, project: int, family: int, model: Model
) -> dict[str, SourceLedgerView]:
    """The source ledgers of a model's nodes, by node; raise Invalid naming each node that has none."""
    drawing = [(node, node.body) for node in model.nodes if isinstance(node.body, Upstream | Available)]
    if not drawing:
        return {}
    rows = await tx.rows(
        _LedgerRow,
        """
        SELECT l.id, l.name, l.unit, l.scale, l.rounding, l.family_id, l.system_ledger_type, m.document
          FROM ledgers l
          LEFT JOIN model_families f ON f.id = l.family_id
          LEFT JOIN models m ON m.id = f.active_model_id
         WHERE l.project_id = %s AND l.name = ANY (%s)
        """,
        (project, sorted({body.ledger for _, body in drawing})),
    )
    ledgers = {row.name: row for row in rows}
    outputs = await tx.in_thread(lambda: {row.name: _read_outputs(row) for row in rows})
    problems = [
        problem
        for drawing_ledgers in drawing
        for problem in _check_drawing(drawing_ledgers, family, ledgers, outputs)
    ]
    if not problems:
        problems = check_circle(family, await read_crediting_models(tx, project), "ledger_id")
    if problems:
        raise Invalid(problems)
    return {
        node.slug: _build_source_ledger(body, ledgers[body.ledger], outputs[body.ledger])
        for node, body in drawing
    }


def _read_outputs(ledger: _LedgerRow) -> dict[str, Unit]:
    """The units of what a ledger's batches come to, by its preset or its active model."""
    if ledger.system_type is not None:
        return PRESETS[ledger.system_type].attributes
    if ledger.document is None:
        return {}
    return {node.slug: node.unit for node in read_model(ledger.document).outputs}


def _build_source_ledger(
    body: Upstream | Available, ledger: _LedgerRow, outputs: Mapping[str, Unit]
) -> SourceLedgerView:
    attributes = body.attributes if isinstance(body, Upstream) else {}
    return SourceLedgerView(
        ledger=ledger.number,
        name=ledger.name,
        unit=parse_unit(ledger.unit),
        scale=ledger.scale,
        attributes={slug: unit or outputs[slug] for slug, unit in attributes.items()},
        rounding=ledger.rounding,
    )


def _check_drawing(
    drawing: DrawingNode,
    family: int,
    ledgers: Mapping[str, _LedgerRow],
    outputs: Mapping[str, Mapping[str, Unit]],
) -> Iterator[Problem]:
    """Why a node cannot draw from the ledger that it names."""
    node, body = drawing
    if (ledger := ledgers.get(body.ledger)) is None:
        yield _build_problem(
            node, f"draws from {body.ledger!r}, which is no ledger of the project", "unknown_ledger"
        )
        return
    if ledger.family == family:
        yield _build_problem(node, f"draws from {body.ledger!r}, which its own model credits", "own_ledger")
    unit = parse_unit(ledger.unit)
    if not are_compatible(unit, node.unit):
        yield _build_problem(node, f"is in {node.unit}, and {body.ledger!r} is kept in {unit}", "unit")
    for slug, attribute in body.attributes.items() if isinstance(body, Upstream) else ():
        output = outputs[ledger.name].get(slug)
        if output is None:
            have = ", ".join(outputs[ledger.name]) or "none"
            yield _build_problem(
                node,
                f"brings along {slug!r}, and the outputs of {body.ledger!r} are {have}",
                "unknown_output",
            )
        elif attribute is not None and not are_compatible(output, attribute):
            yield _build_problem(
                node, f"brings along {slug!r} in {attribute}, and {body.ledger!r} has it in {output}", "unit"
            )


def _build_problem(node: Node, sentence: str, code: str) -> Problem:
    return Problem(f"Node {node.slug!r} {sentence}.", "ledger_id", code)


# The scope of a generation: its ledgers, model versions and slots, checked before any data are read.
#
# Slots that were generated before keep the version that made them, so one request may run several.


class CreditedLedger(msgspec.Struct, frozen=True):
    """A ledger that a generation credits, and the output of the model that it keeps."""

    number: int
    name: str
    unit: str
    scale: int
    rounding: LedgerRounding
    output: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Everything that one version of a model is to compute: what a plan is made for."""

    project: int
    family: int
    model_id: int
    model_sha256: bytes
    model: Model
    ledgers: tuple[CreditedLedger, ...]
    zone: ZoneInfo
    requested: Interval
    """The range of the request."""
    cadence: str
    """The scope of the active version, which cuts the slots that are not computed."""
    selection: Selection
    source_ledgers: Mapping[str, SourceLedgerView]
    """The ledgers that its nodes draw from, by node."""
    of_other_cadence: tuple[Interval, ...] = ()
    """Slots of the range that are not computed, because generated slots of another cadence are there."""
    replaced: tuple[Interval, ...] = ()
    """Generated slots of other bounds that this version replaces."""
    elsewhere: tuple[Interval, ...] = ()
    """Slots in force around its own that other versions compute, or that are not computed now."""
    open_time: tuple[Interval, ...] = ()
    """Of the last scope: time of the range that no slot in force has, nor can have."""
    is_last: bool = False
    """Whether it says what the generation of all versions does without."""
    included: frozenset[Interval] = frozenset()
    """Those of its slots that the request does not name: what was named for them before stays."""
    keeps_runs: bool = False
    """Whether its plan keeps every run, those included that are what they were."""
    inputs: SlotInputs = NO_INPUTS
    """What the caller named for its slots, and the types that were skipped."""

    @property
    def slots(self) -> tuple[Interval, ...]:
        """The slots that it computes."""
        return self.selection.selected

    @property
    def drawing(self) -> DrawingVersion:
        """The version as it draws."""
        return DrawingVersion(
            project=self.project,
            family=self.family,
            model_id=self.model_id,
            model=self.model,
            source_ledgers=self.source_ledgers,
            zone=self.zone,
            slots=self.slots,
            replaced=self.replaced,
            included=self.included,
        )

    @property
    def hull(self) -> Interval:
        """The time over which data are looked for: the slots, open time, and of events also the range."""
        slots = [*self.slots, *self.open_time]
        if self.model.cadence == EVENT:
            slots.append(self.requested)
        return Interval(min(slot.start for slot in slots), max(slot.end for slot in slots))


@dataclass(frozen=True, slots=True)
class _VersionPart:
    """The part of a range that one version computes; the cadence of the active one cuts the range."""

    requested: Interval
    cadence: str
    slots: tuple[Interval, ...]
    included: frozenset[Interval]


class _LinkedLedger(CreditedLedger, frozen=True):
    family: int
    time_zone: str


async def build_scopes(
    tx: Read,
    actor: Actor,
    ledger: str,
    request: NewGeneration,
    *,
    only: Sequence[Interval] = (),
    trial_version: int | None = None,
) -> tuple[Scope, ...]:
    """What each version of the model is to compute of a range, or of generated slots; the active one last.

    A version on trial is computed as if it were the active one, in the ledgers that it can credit. The last
    scope also has the slots that are not computed. What was named and skipped in the slots is to be read with
    `add_inputs`. Raises Invalid when there is nothing that could be generated.
    """
    key = parse_ledger(ledger)
    _, linked_ledgers, stored_model = await tx.together(
        find_ledger_key(tx, actor, ledger),
        _read_linked_ledgers(tx, key),
        _find_computed_model(tx, key, trial_version),
    )
    frame = linked_ledgers[0]
    active = await tx.in_thread(read_model, stored_model.document)
    zone, requested = ZoneInfo(frame.time_zone), _read_range(request)
    books = BooksOfModel((key.project, frame.family), active, zone)
    version = Version(stored_model.id, active.cadence)
    if not only:
        of_request = RequestedRange(requested, is_replacing=request.model_version == "latest")
        assigned = await assign_slots(tx, books, version, of_request)
    else:
        assigned = await assign_generated(tx, books, version, only)
    credited = [
        linked_ledger
        for linked_ledger in linked_ledgers
        if request.generate_concurrent_ledgers
        or linked_ledger.number == key.key
        or linked_ledger.number in assigned.ledgers
    ]
    scopes = await _build_version_scopes(
        tx, key.project, credited, stored_model, assigned, requested=requested, cadence=active.cadence
    )
    if trial_version is not None:
        scopes = [_widen_for_trial(scope) for scope in scopes]
    return tuple(_share_with_last(scopes, assigned.assignment))


async def _build_version_scopes(
    tx: Read,
    project: int,
    ledgers: Sequence[_LinkedLedger],
    active: StoredModel,
    assigned: AssignedSlots,
    *,
    requested: Interval,
    cadence: str,
) -> list[Scope]:
    """What each version computes of the slots that are assigned to it; the active one last."""
    slots = assigned.assignment.slots
    older = await tx.together(*(find_stored_model(tx, number) for number in slots if number != active.id))
    newest = [active] if active.id in slots else []

    def part(own_slots: tuple[Interval, ...]) -> _VersionPart:
        return _VersionPart(requested, cadence, own_slots, assigned.included)

    return await tx.together(
        *(_build_scope(tx, project, ledgers, model, part(slots[model.id])) for model in older + newest)
    )


def _share_with_last(scopes: Sequence[Scope], assignment: Assignment) -> list[Scope]:
    """Return scopes with the slots of the others; the last scope has the slots that are not computed."""
    computed_slots = {slot for scope in scopes for slot in scope.slots}
    knowing = [
        replace(scope_, elsewhere=(*assignment.standing, *computed_slots.difference(scope_.slots)))
        for scope_ in scopes
    ]
    last = replace(
        knowing[-1],
        selection=Selection(knowing[-1].slots, assignment.touched),
        of_other_cadence=assignment.of_other_cadence,
        replaced=assignment.replaced,
        open_time=assignment.open_time,
        is_last=True,
    )
    return [*knowing[:-1], last]


async def _find_computed_model(tx: Read, key: identity.Key, trial_version: int | None) -> StoredModel:
    """Return the version that is computed as the active one; None for a ledger without a model."""
    if trial_version is not None:
        return await find_stored_model(tx, trial_version)
    active_model = await find_active_model(tx, key.project, key.key)
    if active_model is None:
        raise _build_no_model_error()
    return active_model


def _build_no_model_error() -> Invalid:
    return Invalid([Problem("The ledger has no model, so there is nothing to run.", "ledger_id", "no_model")])


async def _read_linked_ledgers(tx: Read, key: identity.Key) -> list[_LinkedLedger]:
    """The ledgers that the model of one credits in the project, all of them."""
    linked_ledgers = await tx.rows(
        _LinkedLedger,
        """
        SELECT other.id, other.name, other.unit, other.scale, other.rounding, other.output,
               named.family_id, p.time_zone
          FROM ledgers named
          JOIN ledgers other ON other.project_id = named.project_id AND other.family_id = named.family_id
          JOIN projects p ON p.id = named.project_id
         WHERE named.project_id = %s AND named.id = %s
         ORDER BY other.id
        """,
        (key.project, key.key),
    )
    if not linked_ledgers:
        raise _build_no_model_error()
    return linked_ledgers


def _widen_for_trial(scope: Scope) -> Scope:
    """The scope with the ledgers that its version can credit, of which all runs are wanted."""
    units = {node.slug: node.unit for node in scope.model.outputs}
    credited = tuple(
        ledger
        for ledger in scope.ledgers
        if ledger.output in units and are_compatible(parse_unit(ledger.unit), units[ledger.output])
    )
    return replace(scope, ledgers=credited, keeps_runs=True)


async def add_inputs(tx: Read, scopes: Sequence[Scope], request: NewGeneration) -> tuple[Scope, ...]:
    """The scopes with what is named and skipped in their slots."""
    versions = [VersionSlots(scope.model, scope.slots, scope.included) for scope in scopes]
    inputs = await resolve_explicit_inputs(tx, scopes[0].project, scopes[0].family, versions, request)
    return tuple(
        replace(scope, inputs=slot_inputs) for scope, slot_inputs in zip(scopes, inputs, strict=True)
    )


async def _build_scope(
    tx: Read,
    project: int,
    linked_ledgers: Sequence[_LinkedLedger],
    stored_model: StoredModel,
    part: _VersionPart,
) -> Scope:
    """The part of a generation that one version of the model computes."""
    frame = linked_ledgers[0]
    model = await tx.in_thread(read_model, stored_model.document)
    return Scope(
        project=project,
        family=frame.family,
        model_id=stored_model.id,
        model_sha256=stored_model.sha256,
        model=model,
        ledgers=tuple(
            CreditedLedger(
                linked_ledger.number,
                linked_ledger.name,
                linked_ledger.unit,
                linked_ledger.scale,
                linked_ledger.rounding,
                linked_ledger.output,
            )
            for linked_ledger in linked_ledgers
        ),
        zone=ZoneInfo(frame.time_zone),
        requested=part.requested,
        cadence=part.cadence,
        selection=Selection(part.slots, ()),
        included=part.included.intersection(part.slots),
        source_ledgers=await resolve_source_ledgers(tx, project, frame.family, model),
    )


def _read_range(request: NewGeneration) -> Interval:
    if request.end_time <= request.start_time:
        raise Invalid([Problem("end_time is not after start_time.", "end_time", "invalid")])
    return Interval(Instant.of(request.start_time), Instant.of(request.end_time))
