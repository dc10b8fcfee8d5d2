"""On the page of a record, and in lists: the package that a record came with."""

from collections.abc import Mapping, Sequence
from typing import Any

from weighbridge.packages.origins import RecordOrigin, read_origins
from weighbridge.packages.records import PartKind
from weighbridge.web.framework.visit import Visit

Origins = Mapping[str, Sequence[RecordOrigin]]
"""The packages of records by their ids; records of no package are left out."""


async def list_origins(visit: Visit, kind: PartKind, record: str) -> Sequence[RecordOrigin]:
    """The packages of the project that a record is a part of; none for whoever may not see packages."""
    return (await _read(visit, kind, [record])).get(record, ())


async def map_origins(visit: Visit, kind: PartKind, records: Sequence[Any]) -> Origins:
    """The packages of the project that the records of a list are parts of."""
    return await _read(visit, kind, [str(one.id) for one in records])


async def _read(visit: Visit, kind: PartKind, records: Sequence[str]) -> Origins:
    project = visit.frame.project
    if project is None or not records or not visit.may("production_accounting:read"):
        return {}
    return await read_origins(visit.reading, visit.actor, project.number, kind, records)
