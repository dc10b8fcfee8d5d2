"""What a bundle has besides the batches: names, outages, dismissed findings, events that do not count yet.

Each is compared with the newest proved row of the log about it, as the records are that batches rest on.

Invariant: what the parts say of a record is what the log says; what no row tells is named by
`list_untold`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from weighbridge.core import identity
from weighbridge.core.bundle.captured import BoundEvents, LineReader
from weighbridge.core.bundle.contents import BundleContents
from weighbridge.core.bundle.log import LogRows, Wrong, list_differing_fields
from weighbridge.core.bundle.methodology import MAKING, METHODOLOGY, BundledMethodology, build_methodology
from weighbridge.core.bundle.rows import (
    DismissedFindingRow,
    LateEventRow,
    MeterRow,
    OutageRow,
    StaticInputRow,
)
from weighbridge.core.bundle.tables import FINDINGS, METERS, NAMES, OUTAGES, STATIC_INPUTS
from weighbridge.core.report import OtherVersions

IMPORTED: Final = "asset.import"
"""The action of a spreadsheet of assets, whose row has no names."""

_DISMISSED_ONE: Final = "rule_result.dismiss"
_DISMISSED_MANY: Final = "rule_result.bulk_dismiss"


def check_closure(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    """List where names, meters, outages and findings differ from the log."""
    yield from _check_names(contents, log)
    for meter in contents.meters.values():
        yield from _check_meter(log, meter)
    for static in contents.statics.values():
        yield from _check_static_input(contents, log, static)
    for outage in contents.outages.values():
        yield from _check_outage(contents, log, outage)
    for finding in contents.findings.values():
        yield from _check_finding(contents, log, finding)
    yield from _list_left_out(contents, log)
    if contents.methodology is not None:
        yield from _check_methodology(contents, contents.methodology, log)


def _list_left_out(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    """List what rows of the log tell of that the bundle leaves out: service, outages, dismissed findings."""
    for kind in ("asset", "location"):
        for after in _read_newest(log, kind).values():
            in_service = after.get("in_service_from"), after.get("in_service_until")
            is_there = (kind, after.get("name")) in contents.meters
            if any(in_service) and not is_there and not _is_untold(log, kind):
                yield (
                    METERS.part,
                    f"The audit log has when {after['name']!r} is in service, but the bundle does not.",
                )
    outages = {str(number) for number in contents.outages}
    for name in sorted(_read_newest(log, "outage").keys() - outages):
        yield OUTAGES.part, f"The audit log has outage {name}, but the bundle does not."
    findings = {finding.finding_id for finding in contents.findings.values()}
    for row in log.doing(_DISMISSED_ONE):
        if row["object"] not in findings:
            yield (
                FINDINGS.part,
                f"The audit log has that {row['object']} was dismissed, but the bundle does not.",
            )


def _read_newest(log: LogRows, noun: str) -> dict[str, Mapping[str, Any]]:
    """Records of a kind by what the log calls them, each as its newest row has it."""
    newest = {row["object"]: row["after"] for row in log.rows_of(noun)}
    return {name: after for name, after in newest.items() if isinstance(after, Mapping)}


def _check_methodology(contents: BundleContents, stated: BundledMethodology, log: LogRows) -> Iterator[Wrong]:
    """List where the methodology, or the batches of versions that it does not name, differ from the log."""
    made = [row["after"] for row in log.doing(MAKING) if row["object"] == str(contents.report.methodology_id)]
    if not made:
        yield METHODOLOGY, f"The audit log has no row for the methodology {contents.report.methodology_id}."
    elif stated != build_methodology(made[-1], stated.other_batches):
        yield METHODOLOGY, f"The methodology {stated.id} is another than the log says."
    by_id = {batch.batch_id: batch for batch in contents.batches.values()}
    reported = {name: by_id[name].model for name in contents.reported if name in by_id}
    named = {
        name
        for name, model in reported.items()
        if model is not None and contents.models[model].model_id in stated.version_ids
    }
    others = set(stated.other_batches)
    for name in sorted(others - (reported.keys() - named)):
        yield (
            METHODOLOGY,
            f"Batch {name} is not one that the report takes, made by a version that it does not name.",
        )
    for name in sorted(reported.keys() - named - others) if stated.names_all_versions else ():
        yield (
            METHODOLOGY,
            f"Batch {name} was made by a version that it does not name, and is not among the others.",
        )
    rows = [row for row in log.of(contents.report.id, "report") if "inclusions" in (row["after"] or {})]
    count = rows[-1]["after"].get("other_version_batch_count", 0) if rows else 0
    if (len(others), sorted(others)) != (count, stated.other_batches):
        yield METHODOLOGY, f"It has {len(others)} batches of other versions, and the log says {count}."
    is_submitted = any(row["action"] == "report.submit" for row in rows)
    if others and is_submitted and stated.other_versions == OtherVersions.REFUSE:
        yield METHODOLOGY, "The report was sent off with batches of versions that are refused."


def _check_names(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    project = contents.manifest.project_number
    for (kind, number), name in contents.names.items():
        if not _is_untold(log, kind):
            field = "slug" if kind == "event_type" else "name"
            yield from log.compare(NAMES.part, identity.of(kind, project, number), kind, {field: name})


def _is_untold(log: LogRows, kind: str) -> bool:
    """Whether the log does not tell of each record of a kind: a spreadsheet may have named it."""
    return kind == "asset" and bool(log.doing(IMPORTED))


def list_untold(contents: BundleContents, log: LogRows) -> list[str]:
    """What no row of the log tells, in sentences."""
    is_there = any(kind == "asset" for kind, _ in contents.names) or any(
        kind == "asset" for kind, _ in contents.meters
    )
    if not (is_there and _is_untold(log, "asset")):
        return []
    return ["Assets were imported from a spreadsheet: the log tells neither their names nor their service."]


def _check_meter(log: LogRows, meter: MeterRow) -> Iterator[Wrong]:
    if _is_untold(log, meter.kind):
        return
    logged = [after for after in _read_newest(log, meter.kind).values() if after.get("name") == meter.name]
    if len(logged) != 1:
        yield METERS.part, f"The audit log has no row for the {meter.kind} {meter.name!r}."
        return
    times = meter.in_service_from, meter.in_service_until
    message: dict[str, object] = {
        name: None if time is None else time.text
        for name, time in zip(("in_service_from", "in_service_until"), times, strict=True)
    }
    for field in list_differing_fields(message, logged[0]):
        yield METERS.part, f"The {field} of {meter.name!r} is another than the log says."


def _check_static_input(contents: BundleContents, log: LogRows, static: StaticInputRow) -> Iterator[Wrong]:
    """A value holds for the asset, feedstock and location that the log says."""
    for row in log.of(str(static.static_input), "static_input")[-1:]:
        for kind in ("asset", "feedstock", "location"):
            if getattr(static, kind) != _find_name(contents, kind, (row["after"] or {}).get(f"{kind}_id")):
                yield (
                    STATIC_INPUTS.part,
                    f"Static input {static.static_input} is of another {kind} than the log says.",
                )


def _find_name(contents: BundleContents, kind: str, name: str | None) -> str | None:
    """What a record is called by its id."""
    if name is None:
        return None
    return contents.names.get((kind, identity.number(kind, name, contents.manifest.project_number)))


def _check_outage(contents: BundleContents, log: LogRows, outage: OutageRow) -> Iterator[Wrong]:
    rows = log.of(str(outage.outage), "outage")
    after = rows[-1]["after"] if rows else None
    if not isinstance(after, Mapping):
        yield OUTAGES.part, f"The audit log has no row for outage {outage.outage}, or one that removed it."
        return
    message: dict[str, object] = {
        "reason": outage.reason,
        "start_time": outage.start_time.text,
        "end_time": None if outage.end_time is None else outage.end_time.text,
        "evidence_url": outage.evidence_url,
    }
    differing = list(list_differing_fields(message, after))
    differing += [
        kind
        for kind in ("event_type", "asset", "location")
        if getattr(outage, kind) != _find_name(contents, kind, after.get(f"{kind}_id"))
    ]
    for field in differing:
        yield OUTAGES.part, f"The {field} of outage {outage.outage} is another than the log says."
    spans = [(batch.start_time, batch.end_time) for batch in contents.batches.values()]
    if not any(
        outage.start_time < end and (outage.end_time is None or start < outage.end_time)
        for start, end in spans
    ):
        yield OUTAGES.part, f"Outage {outage.outage} is in no slot of a batch."


def _check_finding(contents: BundleContents, log: LogRows, finding: DismissedFindingRow) -> Iterator[Wrong]:
    project = contents.manifest.project_number
    if finding.finding_id != identity.of("data_point_result", project, finding.finding):
        yield FINDINGS.part, f"Finding {finding.finding} has another id."
    found = {
        "event_id": identity.of("event", project, finding.event),
        "data_point_slug": finding.data_point,
        "rule_id": identity.of("rule", project, finding.rule),
    }
    if not any(_is_dismissal(row, finding, found) for row in log.at(finding.dismissed_at.text)):
        yield FINDINGS.part, f"The audit log has no row that dismissed finding {finding.finding} so."
    if not contents.has_event(finding.event):
        yield FINDINGS.part, f"Finding {finding.finding} is of event {finding.event}, which is not there."


def _is_dismissal(row: Mapping[str, Any], finding: DismissedFindingRow, found: Mapping[str, str]) -> bool:
    """Whether a row dismissed a finding, by this user and for this reason; `found` is where it was found."""
    after = row["after"] or {}
    if row["user_id"] != finding.dismissed_by:
        return False
    if row["action"] == _DISMISSED_MANY:
        return finding.finding_id in after["result_ids"] and after["reason"] == finding.reason
    return (
        row["action"] == _DISMISSED_ONE
        and row["object"] == finding.finding_id
        and after["dismissal_reason"] == finding.reason
        and (after["rule_version"], after["entered_value"]) == (finding.rule_version, finding.entered_value)
        and all(after.get(field) in {None, value} for field, value in found.items())
    )


def check_late(contents: BundleContents, bound: BoundEvents) -> Iterator[str]:
    """List late events that are others than their lines and writes say, or that are not late."""
    for late in contents.late_events.values():
        at = bound.lines.find(late.event)
        if at is None:
            yield f"Event {late.event} has no line."
            continue
        start, end = LineReader(contents, late.event_type).read(bound.lines.line(at))[:2]
        if (start, end) != (late.start_time.text, late.end_time.text) and not _was_moved(contents, late):
            yield f"Event {late.event} has other times than were captured."
        write = bound.find_write(late.event)
        if write is not None and write["at"] != late.created_at.text:
            yield f"Event {late.event} was stored at another time by the log."
        if any(file.has(late.event) for file in contents.events.values()):
            yield f"Event {late.event} is late, and a batch read it."
        if not _is_late(contents, late):
            yield f"Event {late.event} is of no slot of a batch, or was there when this was made."


def _was_moved(contents: BundleContents, late: LateEventRow) -> bool:
    """Whether a correction in the bundle moved an event in time."""
    moved = {row.data_point for row in contents.corrections.values() if row.event == late.event}
    return not moved.isdisjoint({"start_time", "end_time"})


def _is_late(contents: BundleContents, late: LateEventRow) -> bool:
    return any(
        batch.start_time <= late.start_time < batch.end_time and batch.created_at < late.created_at
        for batch in contents.batches.values()
        if batch.model is not None
    )
