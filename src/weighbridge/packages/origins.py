"""From which package a record came, and whether it was changed in its project since.

Of a model, and of a static input, a package brought one version or value; those that came later are of the
same origin, and changed.
"""

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
    SELECT other.id FROM models m JOIN models other ON other.family_id = m.family_id WHERE m.id = %s
"""
_VALUES: Final[LiteralString] = """
    SELECT other.id FROM static_inputs s
      JOIN static_inputs other ON (other.project_id, other.slug) = (s.project_id, s.slug)
     WHERE s.project_id = %s AND s.id = %s
       AND s.asset_id IS NULL AND s.feedstock_id IS NULL AND s.location_id IS NULL
"""


async def read_origins(
    tx: Read, actor: Actor, project: int, kind: PartKind, record: str
) -> list[RecordOrigin]:
    """The installed packages that a record is a part of, in the order in which they were installed."""
    names = await _list_names(tx, project, kind, record)
    rows = await tx.tuples(_ORIGINS, (project, kind, names))
    return [
        RecordOrigin(
            identity.of("package_installation", project, number),
            name,
            version,
            await _is_changed(tx, actor, (project, kind, part), digest),
        )
        for number, name, version, part, digest in rows
    ]


async def _list_names(tx: Read, project: int, kind: PartKind, record: str) -> list[str]:
    """The ids by which installations may know a record."""
    match kind:
        case PartKind.MODEL:
            rows = await tx.tuples(_VERSIONS, (identity.number("model", record),))
        case PartKind.STATIC_INPUT:
            rows = await tx.tuples(_VALUES, (project, int(record)))
        case _:
            return [record]
    return [write_record_id(kind, project, number) for (number,) in rows]


async def _is_changed(tx: Read, actor: Actor, part: tuple[int, PartKind, str], digest: bytes) -> bool:
    project, kind, record = part
    current = await read_current(tx, actor, project, kind, record)
    return current is not None and current.digest != digest
