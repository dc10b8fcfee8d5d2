"""How each kind of record is made at the registry, found by its reference, and read back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.reporting.isometric.calls import CertifyClient
from weighbridge.reporting.isometric.plan import PlanStep, StepKind


@dataclass(frozen=True, slots=True)
class ResourceWay:
    """The paths of one kind of record."""

    path: str
    """Where one is made, and most are listed and read."""
    is_found_by_filter: bool
    """Whether its list takes the reference; else all of it is read, once for an attempt."""
    is_read_by_id: bool = True
    field: str = "supplier_reference_id"
    """The field that has the reference."""
    made_at: str = ""
    """Where one is made, if it is not where it is listed."""


WAYS: Final = {
    StepKind.SOURCE: ResourceWay("/sources", is_found_by_filter=True),
    StepKind.SENSOR: ResourceWay("/sensors", is_found_by_filter=True, field="reference"),
    StepKind.FEEDSTOCK_BATCH: ResourceWay("/feedstock_batches", is_found_by_filter=False),
    StepKind.PRODUCTION_BATCH: ResourceWay("/production_batches", is_found_by_filter=False),
    StepKind.SAMPLE: ResourceWay("/measurement_samples", is_found_by_filter=False, is_read_by_id=False),
    StepKind.DATAPOINT: ResourceWay("/datapoints", is_found_by_filter=True),
    StepKind.PROJECT_COMPONENT: ResourceWay(
        "/components", is_found_by_filter=True, made_at="/project_components"
    ),
    StepKind.APPLICATION: ResourceWay("/biochar_applications", is_found_by_filter=False),
    StepKind.REMOVAL: ResourceWay("/removals", is_found_by_filter=True),
}


class RecordFinder:
    """Finds records by their references; other lists are read once, and again after a lost answer."""

    def __init__(self, client: CertifyClient) -> None:
        self._client = client
        self._listed: dict[str, dict[str, Any]] = {}

    async def find(self, step: PlanStep) -> Mapping[str, Any] | None:
        """The record of a step; None while there is none."""
        way = WAYS[step.kind]
        if way.is_found_by_filter:
            async for node in self._client.list(way.path, {way.field: step.reference}):
                if node.get(way.field) == step.reference:
                    return dict(node)
            return None
        path = _path_of_list(step)
        if path not in self._listed:
            self._listed[path] = await self._list(path, way)
        return self._listed[path].get(step.reference)

    def forget(self) -> None:
        """Read lists anew: something may have been made since."""
        self._listed.clear()

    async def read_back(self, step: PlanStep, made: Mapping[str, Any]) -> Mapping[str, Any]:
        """A record as the registry has it, after it was made."""
        way = WAYS[step.kind]
        if not way.is_read_by_id:
            self._listed.pop(_path_of_list(step), None)
            return await self.find(step) or made
        return await self._client.read(f"{way.path}/{made['id']}") or {}

    async def _list(self, path: str, way: ResourceWay) -> dict[str, Any]:
        # The list of samples is described without parameters, and its answers with pages.
        nodes = self._client.list(path, names_size=way.is_read_by_id)
        return {node[way.field]: node async for node in nodes if node.get(way.field)}


def _path_of_list(step: PlanStep) -> str:
    """Where records like that of a step are listed."""
    if step.kind is StepKind.FEEDSTOCK_BATCH:
        return f"/feedstock_types/{step.body['feedstock_type_id']}/feedstock_batches"
    return WAYS[step.kind].path
