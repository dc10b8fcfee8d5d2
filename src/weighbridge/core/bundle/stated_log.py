"""Compare what batches were made by of statements and certificates with the proved rows of the log.

Statements of types and certificates change only while no generation runs. So what held for a batch is what
the newest row before the end of its generation says; where the log has no row yet, nothing is compared.

Invariant: a statement that a batch names and the log had otherwise then is a fault, and so is one that the
log had and no version names for the batch.
"""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, Final

from weighbridge.core import identity
from weighbridge.core.bundle.contents import BundleContents
from weighbridge.core.bundle.log import LogRows, Row, Wrong
from weighbridge.core.bundle.rows import CalibrationRow
from weighbridge.core.bundle.tables import CALIBRATIONS, STATEMENTS, parse_ranges
from weighbridge.core.bundle.uncertainty import OF_STATIC_INPUT, OF_TYPE, read_statement
from weighbridge.core.uncertainty.statement import UncertaintyStatement, build_statement, read_fields

_FINISHED: Final = "batch_generation.finish"


def compare_statements(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    """List what the log says otherwise of statements and certificates than the bundle."""
    if not contents.is_uncertain:
        return
    ends = {name: row["number"] for row in log.doing(_FINISHED) for name in row["after"]["batches"]}
    asking = {
        batch: ends[contents.batches[batch].batch_id]
        for batch in contents.uncertainties
        if batch in contents.batches and contents.batches[batch].batch_id in ends
    }
    yield from _compare_types(contents, log, asking)
    yield from _compare_static_inputs(contents, log)
    yield from _compare_calibrations(contents, log, asking)


def _compare_types(contents: BundleContents, log: LogRows, asking: Mapping[int, int]) -> Iterator[Wrong]:
    of_type: dict[str, list[Row]] = {}
    for row in log.rows_of("event_type"):
        if isinstance(row["after"], Mapping):
            of_type.setdefault(row["after"]["slug"], []).append(row)
    for event_type, points in contents.points.items():
        for batch, end in asking.items():
            newest = _find_newest(of_type.get(event_type, ()), end)
            logged = {} if newest is None else {row["slug"]: row for row in newest["data_point_types"]}
            for point in points:
                if point.data_point not in logged:
                    continue
                then = _read_logged(logged[point.data_point].get("uncertainty"))
                stated = contents.stated.find(OF_TYPE, event_type, point.data_point, batch)
                if (stated[0] if stated else None) != then:
                    name = f"{event_type}.{point.data_point}"
                    yield STATEMENTS.part, f"What {name} states for batch {batch} is not what the log says."


def _compare_static_inputs(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    for number, row in contents.statics.items():
        rows = [one["after"] for one in log.of(str(number), "static_input") if one["after"]]
        if not rows:
            continue
        stated = contents.stated.find(OF_STATIC_INPUT, str(number), row.slug)
        # Batches of models that do not ask name no statement.
        if stated is not None and stated[0] != _read_logged(rows[-1].get("uncertainty")):
            yield STATEMENTS.part, f"What static input {number} states is not what the log says."


def _compare_calibrations(
    contents: BundleContents, log: LogRows, asking: Mapping[int, int]
) -> Iterator[Wrong]:
    named: dict[str, dict[int, CalibrationRow]] = {}
    for row in contents.calibrations:
        named.setdefault(row.calibration_id, {}).update(dict.fromkeys(parse_ranges(row.batches), row))
    logged = {row["object"]: log.of(row["object"], "calibration") for row in log.rows_of("calibration")}
    for name in sorted(logged.keys() | named.keys()):
        rows, of_batch = logged.get(name, []), named.get(name, {})
        if not rows:
            yield CALIBRATIONS.part, f"The audit log has no row for the calibration {name}."
            continue
        for batch, end in asking.items():
            then, stated = _find_newest(rows, end), of_batch.get(batch)
            if (then is None) != (stated is None):
                yield CALIBRATIONS.part, f"Calibration {name} was entered for batch {batch}, or was not."
            elif then is not None and stated is not None:
                for field in _list_differing(contents, stated, then):
                    yield CALIBRATIONS.part, f"The {field} of calibration {name} is not what the log says."


def _list_differing(
    contents: BundleContents, row: CalibrationRow, logged: Mapping[str, Any]
) -> Iterator[str]:
    """The fields of a certificate that the log had otherwise."""
    project = contents.manifest.project_number
    asset, event_type = (
        contents.names.get((kind, identity.number(kind, logged[key], project))) if logged[key] else None
        for key, kind in (("asset_id", "asset"), ("event_type_id", "event_type"))
    )
    fields = {
        "name": (row.name, logged["name"]),
        "data_point": (row.data_point, logged["data_point_type"]),
        "valid_from": (row.valid_from.text, logged["valid_from"]),
        "valid_until": (None if row.valid_until is None else row.valid_until.text, logged["valid_until"]),
        "statement": (read_statement(row.statement), _read_logged(logged["uncertainty"])),
        # A meter whose events are not in the bundle has no name there.
        "asset": (row.asset, row.asset if asset is None and logged["asset_id"] else asset),
        "event_type": (row.event_type, event_type or row.event_type),
    }
    yield from (name for name, (stated, then) in fields.items() if stated != then)


def _find_newest(rows: Any, end: int) -> Mapping[str, Any] | None:
    """What the newest of some rows says before the row with a number; None if nothing."""
    before = list(takewhile(lambda row: row["number"] < end, rows))
    after = before[-1]["after"] if before else None
    return after if isinstance(after, Mapping) else None


def _read_logged(fields: Mapping[str, Any] | None) -> UncertaintyStatement | None:
    """The statement that a row of the log has, with its numbers as texts."""
    if fields is None:
        return None
    given = {name: value for name, value in fields.items() if value is not None}
    statement, problems = build_statement(read_fields(given))
    if statement is None:
        raise ValueError(f"a row of the log states an uncertainty that is none: {problems[0].message}")
    return statement
