"""Read stored versions, and the things of a project that their documents name or that name them.

The surroundings of a document are event types, ledgers and their outputs. Ledgers that draw from one
another form no circle. The reach of a static input is the versions with batches that read it.

Invariants: a version of another account is not found. A version that will be changed is locked. Active
versions determine what ledgers draw from; a caller that changes one passes the new one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, LiteralString

import msgspec
from psycopg.sql import SQL

from weighbridge.core.expression import PLAIN, TEXT, TRUTH, Type, number
from weighbridge.core.identity import ids
from weighbridge.core.ledger.drawing import describe_circle, find_circle
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.model import (
    ALONE,
    Available,
    Model,
    ModelError,
    StaticInput,
    Surroundings,
    Upstream,
    parse_model,
)
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import Unit, parse_unit
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Command, Read
from weighbridge.errors import NotFound
from weighbridge.modelling.document.yaml_text import read_model, read_source
from weighbridge.platform.changes import AddedStaticInput, InputsHeld

# Read a version with its document, to run it, look into it or change it.
#
# Invariants: of another account's models there is none; a version that is going to be changed is locked.


class StoredModel(msgspec.Struct, frozen=True):
    """A version with its document, and the project and family that it belongs to."""

    id: int
    family: int
    project: int | None
    name: str
    version: int
    sha256: bytes
    document: str


_VERSIONS: Final = """
    SELECT m.id, m.family_id, f.project_id, m.name, m.version, m.sha256, m.document
      FROM models m JOIN model_families f ON f.id = m.family_id
"""


_OF_LEDGER: Final = """
     WHERE m.id = (SELECT f.active_model_id FROM ledgers l JOIN model_families f ON f.id = l.family_id
                    WHERE l.project_id = %s AND l.id = %s)
"""


async def find_owned_model(tx: Read, actor: Actor, friendly: str, *, is_changed: bool = False) -> StoredModel:
    """A version of the account's models by its public id; NotFound when the account has none."""
    statement = SQL(_VERSIONS + "WHERE f.account_id = %s AND m.id = %s {}").format(
        SQL("FOR NO KEY UPDATE OF m" if is_changed else "")
    )
    version = await tx.row(StoredModel, statement, (actor.account_id, ids.number("model", friendly)))
    if version is None:
        raise NotFound("model", friendly)
    return version


async def find_active_model(tx: Read, project: int, ledger: int) -> StoredModel | None:
    """The active version of the model that credits a ledger; None where none does."""
    return await tx.row(StoredModel, _VERSIONS + _OF_LEDGER, (project, ledger))


async def find_stored_model(tx: Read, number: int) -> StoredModel:
    """A version by its number; NotFound when there is none."""
    version = await tx.row(StoredModel, _VERSIONS + "WHERE m.id = %s", (number,))
    if version is None:
        raise NotFound("model", ids.of("model", 0, number))
    return version


# What a project knows of the things that a model document names: event types, ledgers and their outputs.
#
# Invariants: a data point type has the unit that its events carry; an output of a ledger has the unit that
# the ledger's active model, or a system ledger's preset, gives it; a model outside projects has no
# surroundings.


_PLAIN_TYPES: Final = {"number": PLAIN, "string": TEXT, "boolean": TRUTH}


async def read_surroundings(tx: Read, project: int | None, text: str, *, is_final: bool) -> Surroundings:
    """What the project knows of all that a document may name.

    Unless they are final, event types that the project lacks may come later and are no flaws.
    """
    if project is None:
        return ALONE
    rows = await tx.tuples(
        """
        SELECT et.slug, dpt.slug, dpt.value_type, dpt.unit
          FROM event_types et
          JOIN data_point_types dpt ON (dpt.project_id, dpt.event_type_id) = (et.project_id, et.id)
         WHERE et.project_id = %s ORDER BY et.id, dpt.position
        """,
        (project,),
    )
    data_points = {(event_type, slug): _build_type(kind, unit) for event_type, slug, kind, unit in rows}
    return Surroundings(data_points, is_final=is_final, attributes=await _read_attributes(tx, project, text))


async def _read_attributes(tx: Read, project: int, text: str) -> dict[tuple[str, str], Unit]:
    """The units of the outputs of the ledgers that the document draws from, by ledger and node."""
    ledgers = await tx.in_thread(_list_drawn_ledgers, text)
    if not ledgers:
        return {}
    rows = await tx.tuples(
        """
        SELECT l.name, l.system_ledger_type, m.document
          FROM ledgers l
          LEFT JOIN model_families f ON f.id = l.family_id
          LEFT JOIN models m ON m.id = f.active_model_id
         WHERE num_nonnulls(l.system_ledger_type, m.document) > 0 AND l.project_id = %s AND l.name = ANY (%s)
        """,
        (project, ledgers),
    )
    units: dict[tuple[str, str], Unit] = {}
    for ledger, system_type, document in rows:
        if system_type is not None:
            units |= {(ledger, slug): unit for slug, unit in PRESETS[system_type].attributes.items()}
            continue
        outputs = (await tx.in_thread(read_model, document)).outputs
        units |= {(ledger, node.slug): node.unit for node in outputs}
    return units


def _list_drawn_ledgers(text: str) -> list[str]:
    """The ledgers whose outputs a document names; none when it cannot be read."""
    try:
        model, _ = parse_model(read_source(text))
    except ModelError:
        return []
    bodies = () if model is None else (node.body for node in model.nodes)
    return sorted({body.ledger for body in bodies if isinstance(body, Upstream) and body.attributes})


def _build_type(value_type: str, unit: str | None) -> Type:
    return number(parse_unit(unit)) if unit else _PLAIN_TYPES[value_type]


# Which ledgers of a project draw from which, by the models that credit them, so that none make a circle.
#
# Invariant: what is asked here is answered by the active versions; whoever changes one says what it would
# be.


@dataclass(frozen=True, slots=True)
class CreditingModel:
    """The model that credits a ledger, and the ledgers that it names as sources."""

    family: int
    sources: frozenset[str]


def list_source_ledgers(model: Model) -> frozenset[str]:
    """The ledgers that a model draws from or looks at."""
    return frozenset(node.body.ledger for node in model.nodes if isinstance(node.body, Upstream | Available))


async def read_crediting_models(tx: Read, project: int) -> dict[str, CreditingModel]:
    """What credits the ledgers of a project, by their names."""
    rows = await tx.tuples(
        """
        SELECT l.name, l.family_id, m.document
          FROM ledgers l
          JOIN model_families f ON f.id = l.family_id
          JOIN models m ON m.id = f.active_model_id
         WHERE l.project_id = %s
        """,
        (project,),
    )
    return await tx.in_thread(
        lambda: {
            name: CreditingModel(family, _list_stored_sources(document)) for name, family, document in rows
        }
    )


def check_circle(family: int, ledgers: dict[str, CreditingModel], field: str) -> list[Problem]:
    """That ledgers of a model draw from each other in a circle, by way of other models.

    That a model draws from a ledger which it credits itself is refused where it is run, as `own_ledger`.
    """
    own = [name for name, model in ledgers.items() if model.family == family]
    draws = {
        name: [
            source
            for source in model.sources
            if source not in ledgers or ledgers[source].family != model.family
        ]
        for name, model in ledgers.items()
    }
    circle = find_circle(own, draws)
    if not circle:
        return []
    message = f"Ledgers would draw from each other in a circle: {describe_circle(circle)}."
    return [Problem(message, field, "cycle")]


def _list_stored_sources(document: str) -> frozenset[str]:
    """Those of a stored document; none when the language has left the document behind."""
    try:
        return list_source_ledgers(read_model(document))
    except ModelError:
        return frozenset()


# The reach of a static input: until when it counts, and which model versions with batches read its slug.
#
# In: static inputs that were added. Out: the traces that tell whose runs they make stale.


class Stretch(msgspec.Struct, frozen=True):
    """A static input that was added, and from when until when it counts."""

    number: int
    slug: str
    start: Instant
    end: Instant | None


def ask_for_stretches(project: int, condition: LiteralString, values: Mapping[str, Any]) -> Command:
    """What asks for the stretches of the static inputs `s` of a project for which a condition holds."""
    return _STRETCHES.format(condition), {"project": project, **values}


async def reach_of(tx: Read, held: InputsHeld, added: Stretch) -> AddedStaticInput:
    """The trace of a static input, by the documents of the versions whose batches the transaction sees."""
    at_slots, at_events = [], []
    for model, document in await tx.tuples(_MODELS, (held.project,)):
        readers = [
            node.body
            for node in (await tx.in_thread(read_model, document)).nodes
            if isinstance(node.body, StaticInput) and node.body.slug == added.slug
        ]
        at_slots += [model] * any(body.at is None for body in readers)
        at_events += [model] * any(body.at is not None for body in readers)
    return AddedStaticInput(held, added.number, added.start, added.end, at_slots, at_events)


_STRETCHES: Final = """
    SELECT s.id, s.slug, s.effective_from,
           (SELECT min(later.effective_from) FROM static_inputs later
             WHERE later.project_id = s.project_id AND later.slug = s.slug
               AND (later.asset_id, later.feedstock_id, later.location_id)
                   IS NOT DISTINCT FROM (s.asset_id, s.feedstock_id, s.location_id)
               AND later.effective_from > s.effective_from)
      FROM static_inputs s WHERE s.project_id = %(project)s AND {} ORDER BY s.id
"""
_MODELS: Final = """
    SELECT m.id, m.document FROM models m
     WHERE m.id IN (SELECT model_id FROM batches WHERE project_id = %s AND deleted_at IS NULL)
"""
