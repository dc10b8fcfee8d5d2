"""What a mapping is chosen from: the registry's catalogue, and what the project has.

Invariant: every id of the registry that a form sends was read from its catalogue.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.accounting.batches import get_lineage, list_ledger_batches
from weighbridge.accounting.ledgers import list_project_ledgers
from weighbridge.collection.event_types import list_event_types
from weighbridge.collection.evidence import list_newest_evidence
from weighbridge.collection.feedstocks import list_feedstocks_of_project
from weighbridge.collection.locations import list_locations
from weighbridge.core.report import AdapterName
from weighbridge.core.unit import UnitError, parse_unit
from weighbridge.modelling.static_inputs import list_static_inputs
from weighbridge.platform.tenancy import project_named
from weighbridge.reporting.isometric.mapping import ValueOrigin
from weighbridge.reporting.isometric.records import CatalogueRecord
from weighbridge.reporting.records.registries import Registry
from weighbridge.reporting.registries import list_registries
from weighbridge.reporting.registry_statements import list_registry_catalogue
from weighbridge.web.forms.record_forms import EVIDENCE_OFFERED_MAX
from weighbridge.web.framework.visit import Visit

_MOST: Final = (("page_size", "200"),)

CatalogueByKind = Mapping[str, Sequence[CatalogueRecord]]


@dataclass(frozen=True, slots=True)
class OfferedInput:
    """A value of ours that an input may take."""

    key: str
    """Its origin and slug, as the form sends them."""
    name: str


async def list_certify_registries(visit: Visit) -> list[Registry]:
    """The registries of the account with the adapter of Isometric Certify."""
    listed = await visit.ask(list_registries, (*_MOST, ("sort", "name")))
    return [one for one in listed.data if one.adapter == AdapterName.ISOMETRIC_CERTIFY]


async def read_catalogue(visit: Visit, registry: int) -> CatalogueByKind:
    """What a registry had when it was read last, by kind."""
    found: dict[str, list[CatalogueRecord]] = {}
    cursor: str | None = ""
    while cursor is not None:
        position = (("cursor", cursor),) if cursor else (("sort", "name"),)
        listed = await visit.ask(list_registry_catalogue, (*_MOST, *position), registry_id=str(registry))
        for one in listed.data:
            found.setdefault(one.kind, []).append(one)
        cursor = listed.info.next_cursor
    return found


async def list_values(visit: Visit, ledger_id: str) -> list[OfferedInput]:
    """The nodes of the newest batch of a ledger, the static inputs of the project, and the amount."""
    offered = [OfferedInput(f"{ValueOrigin.AMOUNT}:", "What the report takes of the run")]
    query = (("page_size", "1"), ("sort", "-start_time"))
    for batch in (await visit.ask(list_ledger_batches, query, ledger_id=ledger_id)).data:
        lineage = await visit.ask(get_lineage, batch_id=batch.id)
        offered += [
            OfferedInput(f"{ValueOrigin.NODE}:{node.slug}", f"{node.name}, {node.unit or 'no unit'}")
            for node in lineage.nodes
            if node.value is not None
        ]
    static = await visit.ask(list_static_inputs, (*_MOST, ("sort", "slug")))
    slugs = dict.fromkeys(one.slug for one in static.data)
    return [
        *offered,
        *(OfferedInput(f"{ValueOrigin.STATIC_INPUT}:{slug}", f"Static input {slug}") for slug in slugs),
    ]


async def list_own_records(visit: Visit) -> dict[str, Any]:
    """What else the project has that a mapping may name."""
    types = (await visit.ask(list_event_types, (*_MOST, ("sort", "name")))).data
    return {
        "ledgers": (await visit.ask(list_project_ledgers, (*_MOST, ("sort", "name")))).data,
        "feedstocks": (await visit.ask(list_feedstocks_of_project, (*_MOST, ("sort", "name")))).data,
        "locations": (await visit.ask(list_locations, (*_MOST, ("sort", "name")))).data,
        "points": [
            OfferedInput(f"{one.slug}:{point.slug}", f"{one.name}, {point.name}, {point.unit or 'no unit'}")
            for one in types
            for point in one.data_point_types
            if point.value_type == "number"
        ],
    }


async def list_evidence(visit: Visit) -> list[tuple[str, str]]:
    """The newest evidence of the project, by its numbers."""
    project = await project_named(visit.reading, visit.actor, visit.path["project_id"])
    return [
        (
            str(one.number),
            f"{one.name}, of {one.event_type} on {visit.moments.local(one.start_time):%Y-%m-%d}",
        )
        for one in await list_newest_evidence(visit.reading, project, EVIDENCE_OFFERED_MAX)
    ]


def suggest_own_unit(unit: str) -> str:
    """Suggest our unit for one of the registry's, such as kg{CO2e} for kgCO2e; empty where none is known."""
    for text in (unit, unit.replace("CO2e", "{CO2e}").replace(" ", "")):
        try:
            parse_unit(text)
        except UnitError:
            continue
        return text
    return ""
