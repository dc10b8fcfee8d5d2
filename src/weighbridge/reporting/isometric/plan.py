"""The plan of a report's way to Isometric Certify: every record that is made there, in order.

A step names records that earlier steps make by their references, as `{"$made": reference}`; the sender puts
the registry's ids in their place. A reference follows from an id of ours and from a digest of what the step
says. So the same is sent once, also for another report, and what has changed is another record.

Invariants: equal facts give equal plans, byte for byte; a step names only steps before it; a reference is
at most 100 characters long and never names two things.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

import msgspec

from weighbridge.core.number import plain, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.core.unit import UnitError, convert, find_slope, parse_unit
from weighbridge.reporting.isometric.mapping import CertifyMapping, MappedInput, MappedValue, ValueOrigin
from weighbridge.reporting.isometric.plan_facts import (
    EventFact,
    KnownQuantity,
    PlanFacts,
    ProductionFact,
    RunFact,
)

FORMAT: Final = "weighbridge-certify-plan-1"

MADE: Final = "$made"
"""The key of an object that stands for the registry's id of what an earlier step makes."""

NAME_MAX: Final = 100
"""Characters of what a record of the registry is called."""

SERIES_ROWS_MAX: Final = 100_000
"""Rows of one time series; more are rolled up before."""

_DIGEST_DIGITS: Final = 24


class StepKind(StrEnum):
    """What a step makes there."""

    SOURCE = "source"
    SENSOR = "sensor"
    FEEDSTOCK_BATCH = "feedstock_batch"
    PRODUCTION_BATCH = "production_batch"
    SAMPLE = "measurement_sample"
    DATAPOINT = "datapoint"
    REMOVAL = "removal"
    SERIES = "time_series"


class PlanStep(msgspec.Struct, frozen=True):
    """One record that is made there."""

    kind: StepKind
    reference: str
    of: str
    """What of ours it is."""
    body: dict[str, Any]
    evidence: int | None = None
    """The number of the evidence whose file is uploaded."""
    rows: list[list[Any]] = []
    """Of a time series: its rows, a moment first."""


class CertifyPlan(msgspec.Struct, frozen=True):
    """Everything that is sent of a report."""

    format: str
    report_id: str
    project: str
    """The registry's id of the project."""
    end_on: str
    summary_of_changes: str | None
    steps: list[PlanStep]

    @property
    def removals(self) -> list[str]:
        """The references of its removals."""
        return [step.reference for step in self.steps if step.kind is StepKind.REMOVAL]


_encode: Final = msgspec.json.Encoder(decimal_format="number", order="sorted").encode
_decode: Final = msgspec.json.Decoder(CertifyPlan, float_hook=Decimal).decode


def write_plan(plan: CertifyPlan) -> bytes:
    """The bytes of a plan: equal plans give equal bytes."""
    return msgspec.json.format(_encode(plan), indent=2) + b"\n"


def read_plan(content: bytes) -> CertifyPlan:
    """The plan that was written so."""
    return _decode(content)


def build_plan(mapping: CertifyMapping, facts: PlanFacts) -> tuple[CertifyPlan, list[Problem]]:
    """Build what is sent of a report by a mapping, and say everything that keeps it from being sent."""
    builder = _PlanBuilder(mapping, facts)
    builder.add_all()
    plan = CertifyPlan(
        FORMAT,
        facts.report_id,
        mapping.project.id,
        facts.end_on.isoformat(),
        facts.summary_of_changes,
        builder.steps,
    )
    return plan, builder.problems


class _PlanBuilder:
    """Makes the steps of a plan, one after the other; what is made already is named again."""

    def __init__(self, mapping: CertifyMapping, facts: PlanFacts) -> None:
        self.mapping = mapping
        self.facts = facts
        self.steps: list[PlanStep] = []
        self.problems: list[Problem] = []
        self._made: set[str] = set()
        self._types = {one.feedstock_id: one.feedstock_type.id for one in mapping.feedstocks}
        self._places = {one.location_id: one.storage_location.id for one in mapping.locations}
        self._productions: list[tuple[ProductionFact, str]] = []

    def add_all(self) -> None:
        """Make all steps, in the order in which they are taken."""
        for sensor in self.mapping.sensors:
            body = {
                "measurement_property": _write_property(sensor.value),
                "units": sensor.value.unit,
                "facility_id": sensor.facility and sensor.facility.id,
                "storage_location_id": sensor.storage_location and sensor.storage_location.id,
            }
            of = f"{self.facts.project_id}.{sensor.event_type}.{sensor.value.data_point}"
            self._add(StepKind.SENSOR, of, body, key="reference")
        for event in self.facts.events:
            self._add_feedstock_batch(event)
        for production in self.facts.productions:
            self._add_production_batch(production)
        for event in self.facts.events:
            self._add_sample(event)
        for run in self.facts.runs:
            self._add_removal(run)
        self._add_series()

    def _add(
        self,
        kind: StepKind,
        of: str,
        body: Mapping[str, Any],
        *,
        key: str | None = "supplier_reference_id",
        **more: Any,
    ) -> dict[str, str]:
        """Add a step unless it is there; gives what stands for its id."""
        said = hashlib.sha256(_encode([kind, of, body, more])).hexdigest()[:_DIGEST_DIGITS]
        reference = (
            f"wb.{kind}.{of if len(of) <= 45 else hashlib.sha256(of.encode()).hexdigest()[:24]}.{said}"
        )
        if reference not in self._made:
            self._made.add(reference)
            own = {} if key is None else {key: reference}
            self.steps.append(PlanStep(kind, reference, of, {**body, **own}, **more))
        return {MADE: reference}

    def _report(self, message: str, code: str = "mapping") -> None:
        self.problems.append(Problem(message, "registry_mapping", code))

    def _write_quantity(
        self, quantity: KnownQuantity, unit: str, own_unit: str | None, of: str
    ) -> dict[str, Any]:
        """A quantity in a unit of the registry."""
        value, known = quantity.value, quantity.standard_uncertainty
        if own_unit:
            try:
                there, here = parse_unit(quantity.unit), parse_unit(own_unit)
                value = convert(value, there, here)
                known = None if known is None else known * find_slope(there, here)
            except UnitError as error:
                self._report(f"{of} cannot be sent in {own_unit}: {error}")
        return {
            "magnitude": value,
            "unit": unit,
            "standard_deviation": None if known is None else known.copy_abs(),
        }

    # Evidence, feedstock, production and samples.

    def _add_sources(self, numbers: Sequence[int]) -> list[dict[str, str]]:
        """The sources of some evidence; evidence that is a link is none, for the registry takes files."""
        made = []
        for number in dict.fromkeys(numbers):
            if (file := self.facts.evidence.get(number)) is None:
                continue
            body = {
                "__typename": "CreateDocumentSourceRequest",
                "project_id": self.mapping.project.id,
                "display_name": shorten_name(file.name),
                "file_name": file.name,
                "content_type": file.content_type,
                "content_length": file.size,
                "published_at": file.day.isoformat(),
                "is_public": False,
            }
            of = f"{self.facts.project_id}.{number}"
            made.append(self._add(StepKind.SOURCE, of, body, evidence=number))
        return made

    def _find_type(self, feedstock: str | None) -> str | None:
        if feedstock is not None and feedstock in self._types:
            return self._types[feedstock]
        usual = self.mapping.feedstock_type
        return None if usual is None else usual.id

    def _add_feedstock_batch(self, event: EventFact) -> None:
        mapped = self.mapping.feedstock_batches
        if mapped is None or event.event_type != mapped.event_type or mapped.mass not in event.values:
            return
        if (kind := self._find_type(event.feedstock_id)) is None:
            self._report(f"The feedstock of event {event.event_id} has no feedstock type of the registry.")
            return
        body = {
            "display_name": f"{event.day.isoformat()} {event.event_id}",
            "delivery_date": event.day.isoformat(),
            "feedstock_type_id": kind,
            "mass": self._write_quantity(
                event.values[mapped.mass], mapped.unit, mapped.own_unit, event.event_id
            ),
        }
        self._add(StepKind.FEEDSTOCK_BATCH, event.event_id, body)

    def _add_production_batch(self, run: ProductionFact) -> None:
        mapped = self.mapping.production_batches
        if mapped is None:
            return
        kind = self._find_type(run.feedstock_id)
        body = {
            "display_name": shorten_name(run.tracking_id),
            "facility_id": mapped.facility.id,
            "kind": "biochar",
            "started_at": run.start_time.text,
            "ended_at": run.end_time.text,
            "feedstock_type_ids": [] if kind is None else [kind],
            "mass": self._write_quantity(run.total, mapped.unit, mapped.own_unit, run.batch_id),
        }
        self._productions.append((run, self._add(StepKind.PRODUCTION_BATCH, run.batch_id, body)[MADE]))

    def _add_sample(self, event: EventFact) -> None:
        for mapped in self.mapping.samples:
            if mapped.event_type != event.event_type:
                continue
            body = {
                "project_id": self.mapping.project.id,
                "measured_at": event.start_time.text,
                "measurement_type": mapped.measurement_type,
                "measurement_location_id": None,
                "feedstock_batch_id": None,
                "production_batch_id": self._find_production(event),
                "storage_location_id": self._places.get(event.location_id or ""),
                "values": [
                    {
                        "measurement_property": _write_property(one),
                        "value": self._write_quantity(
                            event.values[one.data_point], one.unit, one.own_unit, event.event_id
                        ),
                    }
                    for one in mapped.values
                    if one.data_point in event.values
                ],
            }
            if body["values"]:
                self._add(StepKind.SAMPLE, event.event_id, body)

    def _find_production(self, event: EventFact) -> dict[str, str] | None:
        """The one production batch of the same feedstock in whose time a sample was taken."""
        found = [
            reference
            for run, reference in self._productions
            if run.feedstock_id == event.feedstock_id and run.start_time <= event.start_time < run.end_time
        ]
        return {MADE: found[0]} if len(found) == 1 else None

    # Data points and removals.

    def _add_removal(self, run: RunFact) -> None:
        if run.taken != run.total:
            self._report(
                f"The report takes {plain(run.taken)} of {run.tracking_id}, which came to {plain(run.total)};"
                " Isometric Certify takes runs whole."
            )
        components = [
            {
                "removal_template_component_id": component.id,
                "inputs": [one for mapped in component.inputs for one in self._add_input(run, mapped)],
            }
            for component in self.mapping.components
        ]
        body: dict[str, Any] = {
            "project_id": self.mapping.project.id,
            "started_on": run.started_on.isoformat(),
            "completed_on": run.completed_on.isoformat(),
            "removal_template_id": self.mapping.removal_template.id,
            "removal_template_components": components,
        }
        if (kind := self._find_type(run.feedstock_id)) is not None:
            body["feedstock_type_id"] = kind
        self._add(StepKind.REMOVAL, run.batch_id, body)

    def _add_input(self, run: RunFact, mapped: MappedInput) -> Iterator[dict[str, Any]]:
        made = [*self._add_datapoints(run, mapped)]
        if mapped.is_list:
            yield {
                "__typename": "CreateComponentListInput",
                "input_key": mapped.input_key,
                "datapoint_ids": made,
            }
        elif len(made) == 1:
            yield {
                "__typename": "CreateComponentScalarInput",
                "input_key": mapped.input_key,
                "datapoint_id": made[0],
            }
        elif made:
            self._report(
                f"{run.tracking_id} read {len(made)} values of static input {mapped.slug}; input"
                f" {mapped.input_key} takes one."
            )

    def _add_datapoints(self, run: RunFact, mapped: MappedInput) -> Iterator[dict[str, str]]:
        """The data points of an input; those of a static input are in common with other runs that read it."""
        sources = self._add_sources(mapped.evidence_ids)
        if mapped.source is ValueOrigin.STATIC_INPUT:
            found = run.static_inputs.get(mapped.slug, ())
            if not found:
                self._report(f"{run.tracking_id} read no static input {mapped.slug}.")
            for one in found:
                of = f"{self.facts.project_id}.static.{one.number}"
                about = f"Static input {one.slug}, value {one.number}"
                yield self._add_datapoint(of, mapped, one.slug, about, one.quantity, sources)
            return
        sources = [*sources, *(one for one in self._add_sources(run.evidence) if one not in sources)]
        if mapped.source is ValueOrigin.AMOUNT:
            about = f"What the report takes of {run.tracking_id} ({run.batch_id})"
            yield self._add_datapoint(run.batch_id, mapped, "amount", about, run.amount, sources)
            return
        node = run.nodes.get(mapped.slug)
        if node is None or node.quantity is None:
            what = "is an array" if node else "is none of its nodes"
            self._report(f"{mapped.slug} {what} in {run.tracking_id} ({run.batch_id}).")
            return
        about = f"{node.name} of {run.tracking_id} ({run.batch_id}, node {mapped.slug})"
        yield self._add_datapoint(run.batch_id, mapped, node.name, about, node.quantity, sources)

    def _add_datapoint(
        self,
        of: str,
        mapped: MappedInput,
        name: str,
        about: str,
        quantity: KnownQuantity,
        sources: Sequence[dict[str, str]],
    ) -> dict[str, str]:
        body = {
            "project_id": self.mapping.project.id,
            "display_name": shorten_name(mapped.name or name),
            "description": about,
            "type": mapped.type,
            "quantity": self._write_quantity(quantity, mapped.unit, mapped.own_unit, about),
            "source_ids": sources,
        }
        if quantity.standard_uncertainty is None:
            body["uncertainty_justification"] = "No uncertainty is stated of this value."
        return self._add(StepKind.DATAPOINT, of, body)

    # Time series.

    def _add_series(self) -> None:
        for mapped, series in zip(self.mapping.series, self.facts.series, strict=True):
            if not series.is_whole:
                self._report(
                    f"{series.event_type} has more than {SERIES_ROWS_MAX:,} readings in the period of the"
                    " report; roll them up, and map that event type."
                )
                continue
            if not series.rows:
                continue
            body = {
                "columns": [mapped.time_column, *(one.column for one in mapped.columns)],
                "submission_type": mapped.submission_type,
                "facility_id": mapped.facility and mapped.facility.id,
                "storage_location_id": mapped.storage_location and mapped.storage_location.id,
            }
            rows = [[_write_cell(cell) for cell in row] for row in series.rows]
            of = f"{self.facts.report_id}.{series.event_type}"
            self._add(StepKind.SERIES, of, body, key=None, rows=rows)


def shorten_name(text: str) -> str:
    """What a record of the registry is called, of a name of ours."""
    return shorten(text, NAME_MAX)


def _write_property(mapped: MappedValue) -> dict[str, str | None]:
    return {"quantity_kind": mapped.quantity_kind, "qualifier": mapped.qualifier}


def _write_cell(cell: Instant | Decimal | date | None) -> Any:
    return cell.text if isinstance(cell, Instant) else cell
