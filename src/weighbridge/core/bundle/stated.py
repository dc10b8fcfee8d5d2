"""Whether what a bundle says of uncertainty hangs together, and follows from its statements.

Invariants: a batch has an uncertainty exactly if its model asks; nothing that a draw took along is believed;
what single values state is what was captured, or a later row of the log has its leaf.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import combinations
from typing import Final

from weighbridge.core import identity
from weighbridge.core.bundle.archive import Faults
from weighbridge.core.bundle.contents import RULE_FOLDER, BundleContents
from weighbridge.core.bundle.rows import BatchRow, CalibrationRow, CorrectionRow, SourceRow, StatementRow
from weighbridge.core.bundle.tables import (
    CALIBRATIONS,
    SOURCES,
    STATEMENTS,
    VERSION_BITS,
    DrawRead,
    parse_ranges,
)
from weighbridge.core.bundle.uncertainty import (
    OF_TYPE,
    OF_VALUE,
    UNCERTAINTIES,
    BundledUncertainty,
    OutputUncertainty,
    list_asking,
    read_drawn,
    read_statement,
    write_drawn,
    write_output,
)
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.engine import PartitionRun
from weighbridge.core.model import Model
from weighbridge.core.number import EXACT, exact_total
from weighbridge.core.uncertainty.effects import CERTAIN, Uncertainty
from weighbridge.core.unit import find_slope, parse_unit

_START, _ASSET = 2, 6
"""The places of the start and the asset in a row of events."""

_AT_ONCE: Final = 5
"""How many rows that do not belong are named."""


def check_stated(contents: BundleContents, faults: Faults) -> None:
    """Check that statements, calibrations and uncertainties are of batches and records that are there."""
    if not contents.is_uncertain:
        return
    asking = set(list_asking(contents.documents))
    computed = {number for number, batch in contents.batches.items() if batch.model in asking}
    for number in sorted(contents.uncertainties.keys() ^ computed)[:_AT_ONCE]:
        what = "has a line, and its model does not ask" if number not in computed else "has no line"
        faults.add(UNCERTAINTIES, f"Batch {number} {what} for uncertainty.")
    for sentence in _list_unnamed(contents):
        faults.add(STATEMENTS.part, sentence)
    statements: dict[tuple[object, ...], str] = {
        (row.kind, row.name, row.data_point, row.version): row.batches for row in contents.statements
    }
    for sentence in _list_misnumbered(contents, statements):
        faults.add(STATEMENTS.part, sentence)
    certificates: dict[tuple[object, ...], str] = {
        (row.calibration, row.version): row.batches for row in contents.calibrations
    }
    for sentence in _list_misnumbered(contents, certificates):
        faults.add(CALIBRATIONS.part, sentence)
    for row in contents.calibrations:
        if row.calibration_id != identity.of(
            "calibration", contents.manifest.project_number, row.calibration
        ):
            faults.add(CALIBRATIONS.part, f"Calibration {row.calibration} has another id.")
    for sentence in _list_overlapping(contents.calibrations):
        faults.add(CALIBRATIONS.part, sentence)
    sources: dict[tuple[object, ...], str] = {
        (row.correction, row.event, row.version): row.batches for row in contents.sources
    }
    for sentence in (*_list_misnumbered(contents, sources), *list_source_faults(contents)):
        faults.add(SOURCES.part, sentence)


def _list_unnamed(contents: BundleContents) -> Iterator[str]:
    """Statements of what is not in the bundle."""
    for row in contents.statements:
        match row.kind:
            case "type" | "value":
                types = [row.name] if row.kind == OF_TYPE else [*contents.points]
                points = {point.data_point for slug in types for point in contents.points.get(slug, ())}
                is_there = row.data_point in points
                if row.kind == OF_VALUE:
                    is_there = is_there and row.name.isdecimal() and contents.has_event(int(row.name))
            case "static_input":
                static = contents.statics.get(int(row.name)) if row.name.isdecimal() else None
                is_there = static is not None and static.slug == row.data_point
            case "correction":
                correction = contents.corrections.get(int(row.name)) if row.name.isdecimal() else None
                is_there = _is_by_rule(correction, row.data_point)
            case _:
                is_there = False
        if not is_there:
            yield f"{row.kind} {row.name} {row.data_point} is not in the bundle."


def _list_misnumbered(contents: BundleContents, batches: Mapping[tuple[object, ...], str]) -> Iterator[str]:
    """Versions that are not counted from 0, name no batch, or one that another version names."""
    named: dict[tuple[object, ...], set[int]] = {}
    for (*key, version), ranges in batches.items():
        before = named.setdefault(tuple(key), set())
        numbers = set(parse_ranges(ranges))
        what = " ".join(map(str, key))
        if version and (*key, int(str(version)) - 1) not in batches:
            yield f"Versions of {what} are counted from 0, and {version} follows none."
        if not numbers or not numbers <= contents.batches.keys():
            yield f"Version {version} of {what} names a batch that is not there, or none."
        if before & numbers:
            yield f"Two versions of {what} name batch {min(before & numbers)}."
        before |= numbers


def _list_overlapping(calibrations: Sequence[CalibrationRow]) -> Iterator[str]:
    """Calibrations of one meter and data point that hold at once for readings of a batch."""
    by_meter: dict[tuple[str, str, str | None], list[CalibrationRow]] = {}
    for row in calibrations:
        by_meter.setdefault((row.event_type, row.data_point, row.asset), []).append(row)
    for one, other in (pair for rows in by_meter.values() for pair in combinations(rows, 2)):
        is_before = one.valid_until is not None and one.valid_until <= other.valid_from
        is_after = other.valid_until is not None and other.valid_until <= one.valid_from
        if is_before or is_after or one.calibration == other.calibration:
            continue
        if set(parse_ranges(one.batches)) & set(parse_ranges(other.batches)):
            yield f"Calibrations {one.calibration} and {other.calibration} of one meter hold at once."


def _is_by_rule(correction: CorrectionRow | None, data_point: str) -> bool:
    """Whether a rule put in the value of a data point for another one, or for none."""
    return (
        correction is not None
        and correction.origin == CorrectionOrigin.SUBSTITUTION
        and correction.data_point == data_point
    )


# The readings that values rest on which rules put in.
#
# A reading that the batch read too is one: its time, meter and statement are the same in both.


def list_source_faults(contents: BundleContents) -> Iterator[str]:
    """Sources that are of no value that a rule put in, incomplete, or not as their batches read them."""
    by_batch: dict[int, dict[int, list[SourceRow]]] = {}
    for row in contents.sources:
        correction = contents.corrections.get(row.correction)
        if correction is None or not _is_by_rule(correction, correction.data_point):
            yield f"Correction {row.correction} is not in the bundle, or not by a rule that fills values."
            continue
        for batch in parse_ranges(row.batches):
            by_batch.setdefault(batch, {}).setdefault(row.correction, []).append(row)
    named: dict[int, set[int]] = {}
    summed: dict[int, list[SourceRow]] = {}
    for batch, sources in by_batch.items():
        line = contents.lineage.get(batch)
        used = set() if line is None else set(parse_ranges(line.corrections))
        for number, some in sources.items():
            named.setdefault(number, {row.event for row in some})
            if number not in used:
                yield f"Batch {batch} has not used correction {number}, whose sources name it."
            if named[number] != {row.event for row in some}:
                yield f"Correction {number} has other sources in batch {batch} than in others."
            summed.setdefault(number, some)
        yield from _list_otherwise_read(contents, batch, [row for some in sources.values() for row in some])
    for number, some in sorted(summed.items()):
        yield from _list_otherwise_weighed(contents, contents.corrections[number], some)


def _list_otherwise_weighed(
    contents: BundleContents, correction: CorrectionRow, sources: Sequence[SourceRow]
) -> Iterator[str]:
    """Sources of which a value cannot have been made, by any method that has sources.

    By any method the value is as many times greater, and greater by as much, as all of its readings are
    (a mean, a line, a rank, a mean and a part of the deviation). So the weights add up to 1, and the readings
    times their weights to the value, before it is rounded (Euler's theorem on homogeneous functions).
    """
    weights = exact_total(row.weight for row in sources)
    whole = exact_total(row.weight.copy_abs() for row in sources)
    if EXACT.subtract(weights, Decimal(1)).copy_abs() > EXACT.multiply(_ROUNDING_OF_SOURCES, whole):
        yield f"The weights of the sources of correction {correction.correction} do not add up to 1."
    filled = _read_number(correction.to_value)
    if filled is None:
        return
    parts = [EXACT.multiply(row.weight, row.value) for row in sources]
    size = exact_total(part.copy_abs() for part in (*parts, filled))
    allowed = EXACT.add(EXACT.multiply(_ROUNDING_OF_SOURCES, size), _read_quantum(contents, correction))
    if EXACT.subtract(exact_total(parts), filled).copy_abs() > allowed:
        yield (
            f"The sources of correction {correction.correction} come to another value than"
            f" {correction.to_value}."
        )


_ROUNDING_OF_SOURCES: Final = Decimal("1e-12")
"""The part by which the roundings of a deviation and its weights may be off."""


def _read_quantum(contents: BundleContents, correction: CorrectionRow) -> Decimal:
    """The last place to which a rule rounds its values; zero where it does not."""
    part = contents.parts.get(f"{RULE_FOLDER}{correction.rule}-{correction.rule_version}.json")
    document = json.loads(bytes(part)) if part is not None else {}
    rounded = (document.get("correction") or {}).get("round")
    return Decimal(1).scaleb(-int(rounded["places"])) if rounded else Decimal(0)


def _read_number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _list_otherwise_read(contents: BundleContents, batch: int, sources: Iterable[SourceRow]) -> Iterator[str]:
    """Sources that the same batch read otherwise."""
    read = _list_read(contents, batch)
    for row in sources:
        if row.event not in read:
            continue
        event_type, version = read[row.event]
        [fields] = contents.events[event_type].rows([row.event << VERSION_BITS | version])
        start = None if row.start_time is None else row.start_time.text
        point = contents.corrections[row.correction].data_point
        stated = contents.stated.find(OF_VALUE, str(row.event), point, batch)
        own = None if row.statement is None else (read_statement(row.statement),)
        if (fields[_START], fields[_ASSET], stated) != (start, row.asset, own):
            yield f"Source {row.event} of correction {row.correction} is not as batch {batch} read it."


def _list_read(contents: BundleContents, batch: int) -> dict[int, tuple[str, int]]:
    """The events that a batch read, with their types and versions."""
    line = contents.lineage.get(batch)
    return {
        event: (read.event_type, read.versions.get(str(event), 0))
        for read in (() if line is None else line.inputs)
        for event in parse_ranges(read.events)
    }


def _read_output(output: OutputUncertainty) -> Uncertainty:
    return read_drawn(BundledUncertainty(output.components, output.correlations))


def list_uncertainty_faults(
    contents: BundleContents, model: Model, batch: BatchRow, run: PartitionRun | None
) -> Iterator[str]:
    """Where the uncertainty of a batch is not what is computed again of what was stated."""
    line = contents.uncertainties.get(batch.batch)
    if not contents.is_uncertain or model.uncertainty is None or line is None:
        return
    found = (run.uncertainties if run is not None else None) or {}
    probability = model.uncertainty.coverage_probability
    for slug in sorted(found.keys() | line.outputs.keys()):
        anew = write_output(found[slug], probability) if slug in found else None
        if line.outputs.get(slug) != anew:
            yield f"The uncertainty of {slug!r} is another than when computed again."
    if len(line.draws) != len(contents.lineage[batch.batch].draws):
        yield "It says the uncertainty of another number of draws than it has."


def list_drawn_faults(
    contents: BundleContents, model: Model, batch: BatchRow, placed: tuple[int, DrawRead], source: BatchRow
) -> Iterator[str]:
    """Where what a draw took of uncertainty is not that part of what its source batch carried."""
    place, draw = placed
    line = contents.uncertainties.get(batch.batch)
    node = model.by_slug.get(draw.node)
    if line is None or place >= len(line.draws) or node is None:
        return
    primary = _find_primary(contents, source)
    amount, unit = _read_carried(contents, source, primary)
    taken = amount.take(Decimal(draw.amount), source.total) if source.total and source.run else CERTAIN
    expected = [taken if unit is None else taken.scale(find_slope(parse_unit(unit), node.unit))]
    attributes = getattr(node.body, "attributes", {})
    for slug, unit_here in zip(attributes, draw.units, strict=False):
        carried, its_unit = _read_carried(contents, source, slug)
        slope = None if its_unit is None else find_slope(parse_unit(its_unit), parse_unit(unit_here))
        expected.append(carried if slope is None else carried.scale(slope))
    if line.draws[place] != [write_drawn(one) for one in expected]:
        yield "what it took of the uncertainty is not that part of what the source carries."


def _find_primary(contents: BundleContents, source: BatchRow) -> str | None:
    values = contents.values.get(source.batch, {})
    return next((slug for slug, value in values.items() if value.is_primary), None)


def _read_carried(
    contents: BundleContents, source: BatchRow, slug: str | None
) -> tuple[Uncertainty, str | None]:
    """What a batch carries of an output, and its unit; certain where its model does not ask."""
    line = contents.uncertainties.get(source.batch)
    value = contents.values.get(source.batch, {}).get(slug or "")
    if line is None or value is None or slug not in line.outputs:
        return CERTAIN, None
    return _read_output(line.outputs[slug]), value.unit or "1"


# What is stated of single values, as the lines of their events have it.


def list_states(contents: BundleContents, events: Iterable[int]) -> dict[int, list[dict[str, str]]]:
    """By event that a batch read what its values stated then, by position: each state once."""
    wanted = set(events)
    rows: dict[int, list[StatementRow]] = {}
    for row in contents.statements:
        if row.kind == OF_VALUE and row.name.isdecimal():
            rows.setdefault(int(row.name), []).append(row)
    states: dict[int, list[dict[str, str]]] = {}
    for line in contents.lineage.values():
        for read in line.inputs:
            positions = {point.data_point: point.position for point in contents.points[read.event_type]}
            for event in wanted.intersection(parse_ranges(read.events)):
                state = {
                    str(positions.get(row.data_point, 0)): row.statement
                    for row in rows.get(event, ())
                    if line.batch in parse_ranges(row.batches)
                }
                known = states.setdefault(event, [])
                if state not in known:
                    known.append(state)
    return states
