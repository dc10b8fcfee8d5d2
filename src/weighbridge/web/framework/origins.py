"""On the page of a record: the package that it came with."""

from weighbridge.packages.origins import RecordOrigin, read_origins
from weighbridge.packages.records import PartKind
from weighbridge.web.framework.visit import Visit


async def list_origins(visit: Visit, kind: PartKind, record: str) -> list[RecordOrigin]:
    """The packages of the project that a record is a part of; none for whoever may not see packages."""
    project = visit.frame.project
    if project is None or not visit.may("production_accounting:read"):
        return []
    return await read_origins(visit.reading, visit.actor, project.number, kind, record)
