"""From which package a record came, and whether it was changed in its project since; and the models of the
packages that a project has.

Of a model, and of a static input, a package brought one version or value; those that came later are of the
same origin, and changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.packages.installing.matching import read_current, write_record_id
from weighbridge.packages.records import PartKind


@dataclass(frozen=True, slots=True)
class RecordOrigin:
    """The installed package that a record is a part of."""

    installation: str
    """The id of the installation."""
    name: str
    """The slug of the package."""
    version: str
    """The version that is installed now."""
    is_changed_here: bool
    """Whether the record is another than the package has it."""


_ORIGINS: Final[LiteralString] = """
    SELECT i.id, i.name, p.version, t.record, t.digest
      FROM package_parts t
      JOIN package_installations i ON (i.project_id, i.id) = (t.project_id, t.installation_id)
      JOIN methodology_packages p ON p.id = i.package_id
     WHERE t.project_id = %s AND t.kind = %s AND t.record = ANY (%s)
     ORDER BY i.id
"""
_VERSIONS: Final[LiteralString] = """
    SELECT m.id, other.id FROM models m JOIN models other ON other.family_id = m.family_id
     WHERE m.id = ANY (%s)
"""
_VALUES: Final[LiteralString] = """
    SELECT s.id, other.id FROM static_inputs s
      JOIN static_inputs other ON (other.project_id, other.slug) = (s.project_id, s.slug)
     WHERE s.project_id = %s AND s.id = ANY (%s)
       AND s.asset_id IS NULL AND s.feedstock_id IS NULL AND s.location_id IS NULL
"""


async def read_origins(
    tx: Read, actor: Actor, project: int, kind: PartKind, records: Sequence[str]
) -> Mapping[str, Sequence[RecordOrigin]]:
    """The installed packages that each record is a part of, in the order in which they were installed;
    records of no package are left out.
    """
    names = await _list_names(tx, project, kind, records)
    parts: dict[str, list[RecordOrigin]] = {}
    every = sorted({name for known in names.values() for name in known})
    for number, name, version, part, digest in await tx.tuples(_ORIGINS, (project, kind, every)):
        origin = RecordOrigin(
            identity.of("package_installation", project, number),
            name,
            version,
            await _is_changed(tx, actor, (project, kind, part), digest),
        )
        parts.setdefault(part, []).append(origin)
    origins = {
        record: [origin for part in known for origin in parts.get(part, ())]
        for record, known in names.items()
    }
    return {record: found for record, found in origins.items() if found}


async def _list_names(
    tx: Read, project: int, kind: PartKind, records: Sequence[str]
) -> Mapping[str, Sequence[str]]:
    """The ids by which installations may know each record."""
    match kind:
        case PartKind.MODEL:
            numbers = {identity.number("model", record): record for record in records}
            rows = await tx.tuples(_VERSIONS, ([*numbers],))
        case PartKind.STATIC_INPUT:
            numbers = {int(record): record for record in records}
            rows = await tx.tuples(_VALUES, (project, [*numbers]))
        case _:
            return {record: [record] for record in records}
    names: dict[str, list[str]] = {}
    for number, other in rows:
        names.setdefault(numbers[number], []).append(write_record_id(kind, project, other))
    return names


async def _is_changed(tx: Read, actor: Actor, part: tuple[int, PartKind, str], digest: bytes) -> bool:
    project, kind, record = part
    current = await read_current(tx, actor, project, kind, record)
    return current is not None and current.digest != digest


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model as a package has it that is installed in a project."""

    package: str
    """The slug of the package."""
    title: str
    """The title of the package, with its version."""
    name: str
    """The name of the model's file."""
    document: str


async def read_installed_models(tx: Read, project: int) -> list[InstalledModel]:
    """The models of the packages that a project has, in order of package and model."""
    rows = await tx.tuples(
        """
        SELECT p.name, p.title || ' ' || p.version, model ->> 'name', model ->> 'document'
          FROM package_installations i
          JOIN methodology_packages p ON p.id = i.package_id,
               jsonb_array_elements(p.contents::jsonb -> 'models') model
         WHERE i.project_id = %s ORDER BY p.name, model ->> 'name'
        """,
        (project,),
    )
    return [InstalledModel(*row) for row in rows]
