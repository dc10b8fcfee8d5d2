"""Which record of a project a part is, and what that record says now."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, LiteralString

from weighbridge.accounting.ledgers_queries import find_ledger
from weighbridge.collection.event_types import read_event_type
from weighbridge.core import identity
from weighbridge.core.model import Model
from weighbridge.core.model.canonical import compare_versions
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.errors import NotFound
from weighbridge.modelling.documents import StoredModel, find_owned_model, find_stored_model, read_model
from weighbridge.modelling.models import read_model_version
from weighbridge.modelling.models_simulation import list_plain_changes
from weighbridge.modelling.static_inputs import STATIC_INPUTS
from weighbridge.packages.installing.parts import (
    Form,
    PackagedPart,
    build_event_type_form,
    build_ledger_form,
    build_methodology_form,
    build_model_form,
    build_rule_form,
    build_static_input_form,
    compute_digest,
    list_form_differences,
    restrict_form,
)
from weighbridge.packages.records import PartDifference, PartKind
from weighbridge.quality.rules import read_rule
from weighbridge.reporting.methodologies import read_methodology


@dataclass(frozen=True, slots=True)
class CurrentRecord:
    """A record as it is now."""

    id: str
    form: Form
    document: str = ""
    """The document of the active version, for a model."""

    @property
    def digest(self) -> bytes:
        """The digest of what it says."""
        return compute_digest(self.form)


_NEWEST_VALUE: Final[LiteralString] = """
     WHERE project_id = %s AND slug = {} AND asset_id IS NULL AND feedstock_id IS NULL AND location_id IS NULL
     ORDER BY effective_from DESC, id DESC LIMIT 1
"""

_BY_NAME: Final[Mapping[PartKind, LiteralString]] = {
    PartKind.EVENT_TYPE: "SELECT id FROM event_types WHERE project_id = %s AND slug = %s",
    PartKind.STATIC_INPUT: "SELECT id FROM static_inputs" + _NEWEST_VALUE.format("%s"),
    PartKind.MODEL: """
        SELECT m.id FROM model_families f JOIN models m ON m.id = f.active_model_id
         WHERE f.project_id = %s AND m.name = %s ORDER BY m.id LIMIT 1
    """,
    PartKind.LEDGER: "SELECT id FROM ledgers WHERE project_id = %s AND name = %s",
    PartKind.RULE: "SELECT id FROM rules WHERE project_id = %s AND name = %s AND deleted_at IS NULL",
}
"""The record of a project that is called as a part of it would be, by kind."""


_METHODOLOGY: Final[LiteralString] = """
    SELECT m.id FROM methodologies m
     WHERE m.account_id = %s AND m.name = %s AND m.version = ANY (%s)
       AND NOT EXISTS (SELECT FROM methodology_models i JOIN models v ON v.id = i.model_id
                         JOIN model_families f ON f.id = v.family_id
                        WHERE i.methodology_id = m.id AND f.project_id IS DISTINCT FROM %s)
     ORDER BY m.id LIMIT 1
"""
"""A methodology whose models, if it names any, are of the project."""


def list_methodology_versions(part: PackagedPart, project: int) -> tuple[str, str]:
    """The version of a methodology, and the one that it has where another project came first."""
    version = part.form["version"]
    return version, f"{version} {identity.of('project', project)}"


def write_record_id(kind: PartKind, project: int, number: int) -> str:
    """The id of a record as the interface names it."""
    if kind in {PartKind.STATIC_INPUT, PartKind.METHODOLOGY}:
        return str(number)
    return identity.of(kind, 0 if kind is PartKind.MODEL else project, number)


async def find_by_name(tx: Read, actor: Actor, project: int, part: PackagedPart) -> CurrentRecord | None:
    """The record that is called as a part would be; None where there is none."""
    if part.kind is PartKind.METHODOLOGY:
        versions = list_methodology_versions(part, project)
        number = await tx.value(_METHODOLOGY, (actor.account_id, part.form["name"], [*versions], project))
    else:
        name = part.model.title if part.kind is PartKind.MODEL and part.model else part.key
        number = await tx.value(_BY_NAME[part.kind], (project, name))
    if number is None:
        return None
    return await read_current(tx, actor, project, part.kind, write_record_id(part.kind, project, number))


async def read_current(
    tx: Read, actor: Actor, project: int, kind: PartKind, record: str
) -> CurrentRecord | None:
    """What a record says now: of a model its active version, of a static input its newest value."""
    try:
        current: CurrentRecord = await _READERS[kind](tx, actor, project, record)
    except NotFound:
        return None
    return current


async def _read_event_type(tx: Read, _: Actor, project: int, record: str) -> CurrentRecord:
    return CurrentRecord(record, build_event_type_form(await read_event_type(tx, project, record)))


async def _read_static_input(tx: Read, _: Actor, project: int, record: str) -> CurrentRecord:
    of_slug = "(SELECT s.slug FROM static_inputs s WHERE s.project_id = %s AND s.id = %s)"
    newest = "SELECT id FROM static_inputs" + _NEWEST_VALUE.format(of_slug)
    number = await tx.value(newest, (project, project, int(record)))
    if number is None:
        raise NotFound("static_input", record)
    value = await STATIC_INPUTS.read(tx, project, str(number))
    return CurrentRecord(str(number), build_static_input_form(value))


async def _read_model(tx: Read, actor: Actor, _: int, record: str) -> CurrentRecord:
    version = await find_owned_model(tx, actor, record)
    active = await find_active_version(tx, version.family)
    shown = await read_model_version(tx, actor, identity.of("model", 0, active.id))
    return CurrentRecord(shown.id, build_model_form(shown.name, shown.sha256), active.document)


async def find_active_version(tx: Read, family: int) -> StoredModel:
    """The version of a model that ledgers run."""
    active: int = await tx.value("SELECT active_model_id FROM model_families WHERE id = %s", (family,))
    return await find_stored_model(tx, active)


async def _read_ledger(tx: Read, actor: Actor, _: int, record: str) -> CurrentRecord:
    return CurrentRecord(record, build_ledger_form(await find_ledger(tx, actor, record)))


async def _read_rule(tx: Read, _: Actor, project: int, record: str) -> CurrentRecord:
    rule = await read_rule(tx, project, identity.number("rule", record, project))
    return CurrentRecord(record, build_rule_form(rule))


async def _read_methodology(tx: Read, actor: Actor, _: int, record: str) -> CurrentRecord:
    return CurrentRecord(record, build_methodology_form(await read_methodology(tx, actor, record)))


_READERS: Final[Mapping[PartKind, Any]] = {
    PartKind.EVENT_TYPE: _read_event_type,
    PartKind.STATIC_INPUT: _read_static_input,
    PartKind.MODEL: _read_model,
    PartKind.LEDGER: _read_ledger,
    PartKind.RULE: _read_rule,
    PartKind.METHODOLOGY: _read_methodology,
}


_MATCHED: Final[Mapping[PartKind, tuple[str, ...]]] = {PartKind.METHODOLOGY: ("version",)}
"""Fields that were looked at when the record was found, by kind."""


async def compare_part(tx: Read, part: PackagedPart, current: CurrentRecord) -> list[PartDifference]:
    """In what a record differs from a part, as far as the part says it; of a model, node by node."""
    written = {name: value for name, value in part.form.items() if name not in _MATCHED.get(part.kind, ())}
    differences = list_form_differences(restrict_form(current.form, written), written)
    if part.kind is not PartKind.MODEL or part.model is None:
        return differences
    named = [one for one in differences if one.field != "sha256"]
    if len(named) == len(differences):
        return named
    return [*named, *await tx.in_thread(partial(compare_documents, current.document, part.model.document))]


_CASES: Final = "cases"
"""What proves a model, and is no part of what it computes."""


def compare_documents(before: str, after: str) -> list[PartDifference]:
    """In what two documents of a model differ: nodes that one lacks, and keys of nodes and settings."""
    models: tuple[Model, Model] = (read_model(before), read_model(after))
    difference = compare_versions(*models)
    return [
        *(PartDifference(f"nodes.{slug}", None, "added") for slug in difference.added),
        *(PartDifference(f"nodes.{slug}", "removed", None) for slug in difference.removed),
        *(
            PartDifference(f"nodes.{slug}.{change.key}", change.before, change.after)
            for slug, changes in difference.changed.items()
            for change in list_plain_changes(changes)
        ),
        *(
            PartDifference(change.key, change.before, change.after)
            for change in list_plain_changes(difference.settings)
            if change.key != _CASES
        ),
    ]
