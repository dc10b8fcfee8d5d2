"""The plan of a report's way to Isometric Certify: every record that is made there, in order.

A step names records that earlier steps make by their references, as `{"$made": reference}`; the sender puts
the registry's ids in their place. A reference follows from an id of ours and from a digest of what the step
says. So the same is sent once, also for another report, and what has changed is another record.

Invariants: equal facts give equal plans, byte for byte; a step names only steps before it; a reference is
at most 100 characters long and never names two things.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from weighbridge.reporting.isometric.numbers import COMPONENT_DATA
from weighbridge.reporting.isometric.plan_facts import (
    EventFact,
    KnownQuantity,
    PlanFacts,
    ProductionFact,
    RunFact,
    StaticInputFact,
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
    APPLICATION = "biochar_application"
    DATAPOINT = "datapoint"
    PROJECT_COMPONENT = "project_component"
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
        return self.list_references(StepKind.REMOVAL)

    def list_references(self, kind: StepKind) -> list[str]:
        """The references of its steps of a kind."""
        return [step.reference for step in self.steps if step.kind is kind]


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
            self._add_application(event)
        self._add_project_components()
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
        identity: Any = None,
        **more: Any,
    ) -> dict[str, str]:
        """Add a step unless it is there; gives what stands for its id.

        The reference follows from `identity` where a record stays the same one whatever it says.
        """
        said = hashlib.sha256(_encode([kind, of, identity or body, more])).hexdigest()[:_DIGEST_DIGITS]
        reference = (
            f"wb.{kind}.{of if len(of) <= 45 else hashlib.sha256(of.encode()).hexdigest()[:24]}.{said}"
        )
        if reference not in self._made:
            self._made.add(reference)
            own: dict[str, Any] = {} if key is None else {key: reference}
            if part := body.get(COMPONENT_DATA):
                own = {COMPONENT_DATA: {**part, **own}}
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
            file = self.facts.evidence.get(number)
            if file is None or file.url is not None:
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

    def _describe_links(self, numbers: Sequence[int]) -> str:
        """The evidence that is a link, as a description has it: the registry takes no other record of one."""
        found = (self.facts.evidence.get(number) for number in dict.fromkeys(numbers))
        links = [f"{one.name} ({one.url})" for one in found if one is not None and one.url is not None]
        return f". Evidence: {', '.join(links)}" if links else ""

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
        found = [reference for _, reference in self._list_productions(event)]
        return {MADE: found[0]} if len(found) == 1 else None

    def _list_productions(
        self, event: EventFact, *, is_at_the_time: bool = True
    ) -> list[tuple[ProductionFact, str]]:
        """The production batches of an event's feedstock: those of its time, or those it was drawn from."""
        return [
            (run, reference)
            for run, reference in self._productions
            if run.feedstock_id == event.feedstock_id
            and (
                run.start_time <= event.start_time < run.end_time
                if is_at_the_time
                else run.behind & event.behind
            )
        ]

    def _add_application(self, event: EventFact) -> None:
        mapped = self.mapping.applications
        if mapped is None or event.event_type != mapped.event_type:
            return
        measures = {
            "average_application_rate": mapped.rate,
            "truck_mass_on_arrival": mapped.arrival,
            "truck_mass_on_departure": mapped.departure,
        }
        missing = [one.data_point for one in measures.values() if one.data_point not in event.values]
        quantities = {
            name: self._write_quantity(event.values[one.data_point], one.unit, one.own_unit, event.event_id)
            for name, one in measures.items()
            if one.data_point in event.values
        }
        usual = mapped.storage_location
        place = self._places.get(event.location_id or "", usual.id if usual else None)
        drawn = self._list_productions(event, is_at_the_time=False)
        if len(drawn) > 1:
            drawn = [one for one in drawn if one in self._list_productions(event)] or drawn
        if missing:
            self._report(f"Application {event.event_id} has no {' and no '.join(missing)}.")
        if place is None:
            self._report(f"Application {event.event_id} is at no storage location of the registry.")
        if len(drawn) != 1:
            names = ", ".join(run.tracking_id for run, _ in drawn) or "none"
            self._report(
                f"Application {event.event_id} takes one production batch; those that it can be of: {names}."
            )
        if missing or place is None or len(drawn) != 1:
            return
        body = {
            "project_id": self.mapping.project.id,
            "storage_site_id": place,
            "production_batch_id": {MADE: drawn[0][1]},
            "application_date": event.day.isoformat(),
            **quantities,
            "source_ids": self._add_sources(event.evidence),
        }
        self._add(StepKind.APPLICATION, event.event_id, body)

    # Components of the project.

    def _add_project_components(self) -> None:
        """Components of the project: each is one by its name, also of the next report."""
        for mapped, values in zip(self.mapping.project_components, self.facts.project_inputs, strict=True):
            inputs: list[dict[str, Any]] = []
            for one, found in zip(mapped.inputs, values, strict=True):
                given = MappedInput(
                    one.input_key, ValueOrigin.STATIC_INPUT, one.unit, one.slug, one.own_unit, one.type,
                    one.is_list,
                )  # fmt: skip
                made = [self._add_static_input(static, given, ()) for static in found]
                if not made:
                    day = mapped.activity_completed_on
                    self._report(f"No value of static input {one.slug} holds on {day}.")
                inputs += _write_inputs(given, made, self._report, f"Project component {mapped.name}")
            data = {
                "project_id": self.mapping.project.id,
                "component_blueprint_key": mapped.blueprint_key,
                "display_name": mapped.name,
                "activity_started_at": f"{mapped.activity_started_on}T00:00:00Z",
                "activity_completed_at": f"{mapped.activity_completed_on}T23:59:59Z",
                "inputs": inputs,
            }
            body = {"allocation_strategy": mapped.allocation_strategy, COMPONENT_DATA: data}
            known = [mapped.blueprint_key, mapped.name]
            self._add(StepKind.PROJECT_COMPONENT, self.facts.project_id, body, identity=known)

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
        yield from _write_inputs(mapped, made, self._report, run.tracking_id)

    def _add_datapoints(self, run: RunFact, mapped: MappedInput) -> Iterator[dict[str, str]]:
        """The data points of an input; those of a static input are in common with other runs that read it."""
        sources = self._add_sources(mapped.evidence_ids)
        if mapped.source is ValueOrigin.STATIC_INPUT:
            found = run.static_inputs.get(mapped.slug, ())
            if not found:
                self._report(f"{run.tracking_id} read no static input {mapped.slug}.")
            for one in found:
                yield self._add_static_input(one, mapped, sources)
            return
        sources = [*sources, *(one for one in self._add_sources(run.evidence) if one not in sources)]
        links = self._describe_links([*mapped.evidence_ids, *run.evidence])
        if mapped.source is ValueOrigin.AMOUNT:
            about = f"What the report takes of {run.tracking_id} ({run.batch_id})"
            yield self._add_datapoint(run.batch_id, mapped, "amount", about + links, run.amount, sources)
            return
        node = run.nodes.get(mapped.slug)
        if node is None or node.quantity is None:
            what = "is an array" if node else "is none of its nodes"
            self._report(f"{mapped.slug} {what} in {run.tracking_id} ({run.batch_id}).")
            return
        about = f"{node.name} of {run.tracking_id} ({run.batch_id}, node {mapped.slug})"
        yield self._add_datapoint(run.batch_id, mapped, node.name, about + links, node.quantity, sources)

    def _add_static_input(
        self, static: StaticInputFact, mapped: MappedInput, sources: Sequence[dict[str, str]]
    ) -> dict[str, str]:
        of = f"{self.facts.project_id}.static.{static.number}"
        about = f"Static input {static.slug}, value {static.number}"
        links = self._describe_links(mapped.evidence_ids)
        return self._add_datapoint(of, mapped, static.slug, about + links, static.quantity, sources)

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


def _write_inputs(
    mapped: MappedInput, made: Sequence[dict[str, str]], report: Callable[[str], None], of: str
) -> Iterator[dict[str, Any]]:
    """An input of a component, as it takes its data points; none where it has none, or too many."""
    if mapped.is_list:
        yield {
            "__typename": "CreateComponentListInput",
            "input_key": mapped.input_key,
            "datapoint_ids": [*made],
        }
    elif len(made) == 1:
        yield {
            "__typename": "CreateComponentScalarInput",
            "input_key": mapped.input_key,
            "datapoint_id": made[0],
        }
    elif made:
        report(
            f"{of} read {len(made)} values of static input {mapped.slug}; input {mapped.input_key} takes one."
        )


def _write_property(mapped: MappedValue) -> dict[str, str | None]:
    return {"quantity_kind": mapped.quantity_kind, "qualifier": mapped.qualifier}


def _write_cell(cell: Instant | Decimal | date | None) -> Any:
    return cell.text if isinstance(cell, Instant) else cell
