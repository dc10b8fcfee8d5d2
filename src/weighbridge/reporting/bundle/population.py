"""The population of an engagement, and what of engagements goes into a bundle.

The population are the events of a bundle that would be made at this moment: every record that the report's
total rests on, each with its amount in the newest state that a batch read.

Invariant: the population of an engagement is that of its beginning; later bundles contain it as it was.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from weighbridge.core import identity
from weighbridge.core.bundle.engagements import (
    ENGAGEMENTS,
    name_opinion_part,
    name_population_part,
    read_population,
)
from weighbridge.core.bundle.rows import EventTypeRow
from weighbridge.core.bundle.tables import VALUES_FROM
from weighbridge.core.engagement.sampling import (
    POPULATION_MAX,
    SAMPLE_SIZE_MAX,
    PopulationRecord,
    SamplingMethod,
    Stratum,
    count_drawable,
)
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.signing import write_canonical_json
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.reporting.bundle import rows
from weighbridge.reporting.bundle.basis import find_basis, read_submission_time
from weighbridge.reporting.engagement.storage import (
    StoredEngagement,
    name_engagement,
    name_finding,
    read_engagements,
    read_population_text,
    record_engagement,
    record_finding,
)
from weighbridge.reporting.records.reports import Report

_STRATA = "engagement.strata"


class _Basis(NamedTuple):
    batches: Sequence[int]
    points: Mapping[str, list[EventTypeRow]]


async def freeze_population(
    tx: Read, report: identity.Key, record: Report, strata: Sequence[Stratum]
) -> list[list[PopulationRecord]]:
    """The population of strata at this moment; Invalid where they are not such that a sample can be drawn."""
    basis = await _read_basis(tx, report, record)
    if problems := _check_strata(basis, strata):
        raise Invalid(problems)
    population = await _read_records(tx, report.project, basis, strata)
    if problems := _check_population(strata, population):
        raise Invalid(problems)
    return population


async def read_present_population(
    tx: Read, report: identity.Key, record: Report, strata: Sequence[Stratum]
) -> list[list[PopulationRecord]]:
    """The population of strata as it is now; empty where the report rests on no such records any more."""
    return await _read_records(tx, report.project, await _read_basis(tx, report, record), strata)


async def _read_basis(tx: Read, report: identity.Key, record: Report) -> _Basis:
    project = report.project
    reported = {identity.number("batch", inclusion.batch_id, project) for inclusion in record.inclusions}
    stated = await read_submission_time(tx, project, report.key)
    batches, _ = await find_basis(tx, project, reported, stated) if reported else ([], [])
    points: dict[str, list[EventTypeRow]] = {}
    for point in await rows.read_event_types(tx, project, batches):
        points.setdefault(point.event_type, []).append(point)
    return _Basis(batches, points)


def _check_strata(basis: _Basis, strata: Sequence[Stratum]) -> list[Problem]:
    problems = []
    for index, stratum in enumerate(strata):
        field = f"{_STRATA}[{index}]"
        points = basis.points.get(stratum.event_type)
        if points is None:
            known = ", ".join(sorted(basis.points)) or "none"
            message = (
                f"event_type is {shorten(stratum.event_type)!r}, but the report rests on events of: {known}."
            )
            problems.append(Problem(message, f"{field}.event_type", "unknown"))
            continue
        numbers = sorted(point.data_point for point in points if point.value_type == "number")
        if stratum.data_point is None and stratum.method is SamplingMethod.MONETARY_UNIT:
            message = f"data_point is missing; monetary_unit needs an amount, one of: {', '.join(numbers)}."
            problems.append(Problem(message, f"{field}.data_point", "required"))
        if stratum.data_point is not None and stratum.data_point not in numbers:
            message = (
                f"data_point is {shorten(stratum.data_point)!r}; the numbers of this type are:"
                f" {', '.join(numbers)}."
            )
            problems.append(Problem(message, f"{field}.data_point", "unknown"))
    types = [stratum.event_type for stratum in strata]
    if len(set(types)) < len(types):
        problems.append(Problem("strata name an event type twice; name each once.", _STRATA, "taken"))
    if (total := sum(stratum.size for stratum in strata)) > SAMPLE_SIZE_MAX:
        message = f"strata have {total} records in all; at most {SAMPLE_SIZE_MAX} are drawn."
        problems.append(Problem(message, _STRATA, "too_many"))
    if not strata:
        problems.append(Problem("strata is empty; name at least one.", _STRATA, "required"))
    return problems


def _check_population(
    strata: Sequence[Stratum], population: Sequence[Sequence[PopulationRecord]]
) -> list[Problem]:
    if (count := sum(map(len, population))) > POPULATION_MAX:
        message = f"The population has {count:,} records; at most {POPULATION_MAX:,} can be sampled at once."
        return [Problem(message, _STRATA, "too_many")]
    return [
        Problem(
            f"data_point is {stratum.data_point!r}, but no record of {stratum.event_type!r} has an amount in"
            " it.",
            f"{_STRATA}[{index}].data_point",
            "invalid",
        )
        for index, (stratum, records) in enumerate(zip(strata, population, strict=True))
        if not count_drawable(stratum.method, records)
    ]


async def _read_records(
    tx: Read, project: int, basis: _Basis, strata: Sequence[Stratum]
) -> list[list[PopulationRecord]]:
    corrected = await rows.CorrectedEvents.read(tx, project, basis.batches)
    population = []
    for stratum in strata:
        of_type = basis.points.get(stratum.event_type, [])
        slugs = [point.data_point for point in of_type]
        place = VALUES_FROM + slugs.index(stratum.data_point) if stratum.data_point in slugs else None
        amounts: dict[int, Any] = {}
        if of_type:
            async for portion in rows.read_events(tx, project, basis.batches, of_type, corrected):
                amounts |= {line[0]: None if place is None else line[place] for line in portion}
        population.append([PopulationRecord(record, amounts[record]) for record in sorted(amounts)])
    return population


class BundledParts(NamedTuple):
    """The parts of a bundle about engagements, and what the log calls these and their findings."""

    parts: Mapping[str, bytes]
    objects: Sequence[str]


async def build_engagement_parts(tx: Read, report: identity.Key) -> BundledParts:
    """What a bundle contains of the engagements on its report; nothing for a report without any."""
    engagements = await read_engagements(tx, report)
    if not engagements:
        return BundledParts({}, [])
    parts: dict[str, bytes] = {}
    records, objects = [], list[str]()
    for stored in engagements:
        findings = [record_finding(finding) for finding in stored.findings]
        records.append(record_engagement(stored) | {"findings": findings})
        objects += [name_engagement(stored), *(name_finding(stored, one.number) for one in stored.findings)]
        number = stored.row.number
        parts[name_population_part(number)] = await read_population_text(tx, report.project, number)
        if stored.row.statement is not None and stored.row.signature is not None:
            parts[name_opinion_part(number)] = stored.row.statement.encode()
            parts[f"{name_opinion_part(number)}.sig"] = stored.row.signature.encode()
    parts[ENGAGEMENTS] = write_canonical_json({"engagements": records}) + b"\n"
    return BundledParts(parts, objects)


async def read_frozen_population(tx: Read, stored: StoredEngagement) -> list[list[PopulationRecord]]:
    """The population of an engagement as it was when it began, by strata."""
    content = await read_population_text(tx, stored.project, stored.row.number)
    part = name_population_part(stored.row.number)
    return read_population(memoryview(content), part, len(stored.row.strata))
