"""Compare a bundle with its own proved rows of the audit log, record by record and correction by
correction.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from itertools import chain
from typing import Any, Final
from zoneinfo import ZoneInfo

from weighbridge.core import identity
from weighbridge.core.bundle.archive import Faults
from weighbridge.core.bundle.contents import (
    KEYS,
    MANIFEST,
    REPORT,
    ROWS,
    RULE_FOLDER,
    STATING,
    BundleContents,
    BundledReport,
    KeyHistory,
    TrustResult,
)
from weighbridge.core.bundle.rows import BatchRow, CorrectionRow, EvidenceRow
from weighbridge.core.bundle.tables import (
    BATCHES,
    CORRECTIONS,
    EVENT_TYPES,
    EVIDENCE,
    LEDGERS,
    MODELS,
    NODE_VALUES,
    STATIC_INPUTS,
)
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.key_history import KEY_ACTIONS
from weighbridge.core.ledger.instrument import AMOUNT, FIGURES
from weighbridge.core.time.calendar import find_slot, label_slot

# The proved rows of the audit log by their record, and the comparison of a record with a row.
#
# Invariant: rows are in the order of the log, so the last of a record is its newest state.


Row = Mapping[str, Any]
Wrong = tuple[str, str]
"""A part, and a sentence that says what is wrong in it."""


class LogRows:
    """Rows by their record and by their action."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._of: dict[str, list[Row]] = {}
        self._doing: dict[str, list[Row]] = {}
        for row in rows:
            self._of.setdefault(row["object"], []).append(row)
            self._doing.setdefault(row["action"], []).append(row)

    def of(self, name: str, noun: str) -> list[Row]:
        """What was done to a record of a kind, in order."""
        return [row for row in self._of.get(name, ()) if row["action"].partition(".")[0] == noun]

    def doing(self, action: str) -> list[Row]:
        """The rows of one action, in order."""
        return self._doing.get(action, [])

    def rows_of(self, noun: str) -> list[Row]:
        """What was done to records of a kind, in order."""
        return [row for row in self._rows if row["action"].partition(".")[0] == noun]

    def at(self, moment: str) -> list[Row]:
        """What was done in one transaction, or at the same millisecond."""
        return [row for row in self._rows if row["at"] == moment]

    def compare(self, part: str, name: str, noun: str, message: Mapping[str, object]) -> Iterator[Wrong]:
        """Where a record is another than its newest row says; it has to have one."""
        rows = [row for row in self.of(name, noun) if isinstance(row["after"], Mapping)]
        if not rows:
            yield part, f"The audit log has no row for the {noun} {name}."
            return
        for field in list_differing_fields(message, rows[-1]["after"]):
            yield part, f"The {field} of the {noun} {name} is another than the log says."


def list_differing_fields(message: Mapping[str, object], logged: Mapping[str, Any]) -> Iterator[str]:
    """The fields that a row says otherwise; what it leaves out is nothing."""
    for name, value in message.items():
        if not _are_equal(value, logged.get(name)):
            yield name


def _are_equal(value: object, logged: Any) -> bool:
    if isinstance(value, Decimal):
        try:
            return value == Decimal(str(logged))
        except InvalidOperation:
            return False
    return type(value) is type(logged) and value == logged


# Whether the parts of a bundle agree with its own proved rows of the audit log about the same records.
#
# A row of the log shows a record as it was written. So the newest proved row of the report, its evidence, the
# generations of its batches, their models and every other record in the log is compared field by field.
#
# Invariant: what a part states and a proved row states otherwise is a fault; where a row has to be there
# and is not, that is one too.


_ATTACHED: Final = "evidence.create"
_STARTED: Final = ("batch_generation.start", "batch.update_inputs")
_FINISHED: Final = "batch_generation.finish"
_DELETED: Final = "batch_deletion.finish"
_STATED: Final = (
    "project_id", "name", "report_type", "methodology_id", "ledger_id", "start_time", "end_time",
    "effective_at", "supersedes",
)  # fmt: skip
_OF_EVIDENCE: Final = ("type", "name", "content_type", "size", "sha256")


def compare_with_log(contents: BundleContents, vouched: TrustResult, faults: Faults) -> None:
    """Compare the parts with the proved rows of the log."""
    log = LogRows(vouched.rows)
    deviations = chain(
        _check_report(contents, log), _check_evidence(contents, log), _check_models(contents, log)
    )
    if contents.has_whole_stories:
        deviations = chain(
            deviations,
            _check_generations(contents, log),
            _check_deletions(contents, log),
            _check_records(contents, log),
            _check_instruments(contents, log),
            check_corrections(contents, log),
            check_rules(contents, log),
        )
    if contents.key_history is not None:
        deviations = chain(deviations, _check_keys(contents.key_history, vouched.rows))
    for part, sentence in deviations:
        faults.add(part, sentence)


def _check_keys(history: KeyHistory, rows: Sequence[Row]) -> Iterator[Wrong]:
    """What is said of keys is what the log says, statement by statement."""
    logged = [row["after"] for row in rows if row["action"] in KEY_ACTIONS.values()]
    if [asdict(statement) for statement in history.statements] != logged:
        yield KEYS, "Its statements are others than those of the audit log."


def _check_report(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    report = contents.report
    rows = [row for row in log.of(report.id, "report") if "inclusions" in (row["after"] or {})]
    if not rows:
        yield ROWS, f"The audit log has no row for the report {report.id}."
        return
    number, after = rows[-1]["number"], rows[-1]["after"]
    try:
        logged = {
            inclusion["batch_id"]: _select_inclusion_fields(inclusion) for inclusion in after["inclusions"]
        }
        amount = Decimal(str(after["amount"]))
    except (KeyError, TypeError, InvalidOperation):
        yield ROWS, f"Row {number} does not say what the report {report.id} takes."
        return
    stated = {
        inclusion.batch_id: (
            Decimal(inclusion.amount),
            inclusion.unit,
            inclusion.tracking_id,
            inclusion.start_time,
            inclusion.end_time,
        )
        for inclusion in report.inclusions
    }
    if (logged, amount) != (stated, Decimal(report.amount)):
        yield REPORT, f"The report takes something else than row {number} of the log says."
    owed = after.get("liability")
    logged_liability = None if owed is None else Decimal(str(owed)), after.get("liability_reason")
    liability = None if report.liability is None else Decimal(report.liability)
    if (liability, report.liability_reason) != logged_liability:
        yield REPORT, f"It owes something else than row {number} of the log says."
    if _list_ledgers(report) != _select_ledger_fields(after):
        yield REPORT, f"Its ledgers are others than row {number} of the log says."
    if (report.predecessors or []) != after.get("predecessors", []):
        yield REPORT, f"It takes the place of others than row {number} of the log says."
    for name in list_differing_fields({name: getattr(report, name) for name in _STATED}, after):
        yield REPORT, f"Its {name} is another than row {number} of the log says."


def _list_ledgers(report: BundledReport) -> list[tuple[object, ...]]:
    return [
        (one.role, one.ledger_id, one.sign, one.unit, Decimal(one.amount), Decimal(one.counted))
        for one in report.ledgers or ()
    ]


def _select_ledger_fields(logged: Mapping[str, Any]) -> list[tuple[object, ...]]:
    """The ledgers of a report of several, as its row of the log says; older rows say none."""
    return [
        (
            one["role"], one["ledger_id"], one["sign"], one["unit"], Decimal(str(one["amount"])),
            Decimal(str(one["counted"])),
        )
        for one in logged.get("ledgers", ())
    ]  # fmt: skip


def _select_inclusion_fields(inclusion: Mapping[str, Any]) -> tuple[object, ...]:
    return (
        Decimal(str(inclusion["amount"])),
        inclusion["unit"],
        inclusion["tracking_id"],
        inclusion["start_time"],
        inclusion["end_time"],
    )


def _check_evidence(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    project = contents.manifest.project_number
    attached = {
        f"evidence {row.evidence} of {identity.of('event', project, row.event)}": row
        for row in contents.evidence
    }
    for name, row in attached.items():
        rows = [one for one in log.of(name, "evidence") if one["action"] == _ATTACHED]
        if len(rows) != 1:
            yield EVIDENCE.part, f"The audit log has no row for attaching {row.name!r}."
            continue
        for field in _compare_evidence(row, rows[0]):
            yield EVIDENCE.part, f"The {field} of {row.name!r} is another than the log says."
    logged = {row["object"] for row in log.doing(_ATTACHED)}
    for name in sorted(logged - attached.keys())[:5]:
        yield EVIDENCE.part, f"The audit log has {name}, but the bundle does not."


def _compare_evidence(row: EvidenceRow, logged: Row) -> Iterator[str]:
    yield from list_differing_fields({name: getattr(row, name) for name in _OF_EVIDENCE}, logged["after"])
    if row.url != (None if row.type == "file" else logged["after"]["url"]):
        yield "url"
    if row.created_at.text != logged["at"]:
        yield "created_at"


def _check_models(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    for model in contents.models.values():
        rows = [row for row in log.of(model.model_id, "model") if "sha256" in (row["after"] or {})]
        if not rows:
            yield MODELS.part, f"The audit log has no row for the model {model.model_id}."
            continue
        message = {"sha256": model.sha256, "version": model.version, "name": model.name}
        for name in list_differing_fields(message, rows[-1]["after"]):
            yield MODELS.part, f"The {name} of model {model.model_id} is another than the log says."


def _check_generations(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    """Check that the log has the start and the end of the generation that each batch names."""
    starts = {row["after"]["id"]: row for action in _STARTED for row in log.doing(action)}
    ends: dict[str, Row] = {name: row for row in log.doing(_FINISHED) for name in row["after"]["batches"]}
    generations: dict[int, int] = {}
    for batch in contents.batches.values():
        if batch.generation is None:
            continue
        start, finish = starts.get(batch.generation), ends.get(batch.batch_id)
        if start is None or finish is None:
            phase = "start" if start is None else "end"
            yield ROWS, f"The audit log has no row for the {phase} of the generation of {batch.batch_id}."
        elif generations.setdefault(finish["number"], batch.generation) != batch.generation:
            yield BATCHES.part, f"The audit log names another generation for batch {batch.batch_id}."
        elif finish["at"] != batch.created_at.text or not _are_of_one_generation(start, finish):
            yield BATCHES.part, f"The audit log has another time for batch {batch.batch_id}."


def _are_of_one_generation(start: Row, finish: Row) -> bool:
    """Whether two rows are of one generation: of one request, the start before the end."""
    is_of_one: bool = start["request_id"] == finish["request_id"]
    return is_of_one and bool(start["number"] < finish["number"])


def _check_deletions(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    """Batches are deleted that the log says were, by when the report was sent off."""
    deletions = {name: row for row in log.doing(_DELETED) for name in row["after"]["deleted"]}
    submissions = [row["number"] for row in log.of(contents.report.id, "report") if row["action"] in STATING]
    for batch in contents.batches.values():
        row = deletions.get(batch.batch_id)
        if (
            batch.deleted_at is None
            and row is not None
            and not (submissions and submissions[0] < row["number"])
        ):
            yield BATCHES.part, f"Batch {batch.batch_id} is deleted in the audit log, but not in the bundle."
        if batch.deleted_at is not None and (row is None or row["at"] > batch.deleted_at.text):
            yield BATCHES.part, f"Batch {batch.batch_id} is deleted in the bundle, but not in the audit log."


def _check_records(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    manifest = contents.manifest
    message: dict[str, object] = {"name": manifest.project_name, "time_zone": manifest.time_zone}
    yield from log.compare(MANIFEST, manifest.project_id, "project", message)
    for ledger in contents.ledgers.values():
        message = {
            "name": ledger.name, "unit": ledger.unit or "dimensionless", "scale": ledger.scale,
            "rounding": ledger.rounding, "output": ledger.output,
        }  # fmt: skip
        if ledger.ledger_id != identity.of("ledger", manifest.project_number, ledger.ledger):
            yield LEDGERS.part, f"Ledger {ledger.ledger} of the project has another id."
        yield from log.compare(LEDGERS.part, ledger.ledger_id, "ledger", message)
    for static in contents.statics.values():
        message = {
            "slug": static.slug, "value": static.value, "unit": static.unit or None,
            "effective_from": static.effective_from.text,
        }  # fmt: skip
        yield from log.compare(STATIC_INPUTS.part, str(static.static_input), "static_input", message)
    yield from _check_event_types(contents, log)


def _check_event_types(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    newest = {
        row["after"]["slug"]: row["after"] for row in log.rows_of("event_type") if row["after"] is not None
    }
    for event_type, points in contents.points.items():
        if event_type not in newest:
            yield EVENT_TYPES.part, f"The audit log has no row for the event type {event_type!r}."
            continue
        logged = {row["slug"]: row for row in newest[event_type]["data_point_types"]}
        if logged.keys() != {point.data_point for point in points}:
            yield EVENT_TYPES.part, f"{event_type!r} has other data points than the log says."
            continue
        in_order: dict[str, list[str]] = {}
        for point in sorted(points, key=lambda point: point.position):
            in_order.setdefault(point.value_type, []).append(point.data_point)
            logged_point = logged[point.data_point]
            for name in list_differing_fields(
                {"unit": point.unit, "value_type": point.value_type}, logged_point
            ):
                yield EVENT_TYPES.part, f"The {name} of {event_type}.{point.data_point} is not the log's."


def _check_instruments(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    """An instrument has the figures that were entered: nothing computes them again."""
    for batch in contents.batches.values():
        if batch.model is not None:
            continue
        rows = log.of(batch.batch_id, "instrument")
        if not rows:
            yield ROWS, f"The audit log has no row for the instrument {batch.batch_id}."
            continue
        after = rows[0]["after"]
        yield from _compare_instrument(contents, batch, after, rows[0]["at"])


def _compare_instrument(
    contents: BundleContents, batch: BatchRow, after: Mapping[str, Any], at: str
) -> Iterator[Wrong]:
    ledger = contents.ledgers[batch.ledger]
    amount = Decimal(str(after["amount"]))
    if (batch.total, batch.credited, ledger.ledger_id) != (amount, amount, after["ledger_id"]):
        yield BATCHES.part, f"Instrument {batch.batch_id} has another amount or ledger than the log says."
    if batch.created_at.text != at or batch.tracking_id not in {after["external_id"], after["name"]}:
        yield BATCHES.part, f"Instrument {batch.batch_id} has another name or time than the log says."
    day = after["issued_on"] or batch.created_at.astimezone(ZoneInfo(contents.manifest.time_zone)).date()
    slot = find_slot("daily", batch.start_time, ZoneInfo(contents.manifest.time_zone))
    message = (
        batch.start_time,
        batch.end_time,
        label_slot("daily", slot, ZoneInfo(contents.manifest.time_zone)),
    )
    tags = (batch.by_event, batch.event, batch.run_tracking_id, batch.feedstock, batch.asset)
    if message != (slot.start, slot.end, str(day)) or any(tags) or batch.share_places:
        yield BATCHES.part, f"Instrument {batch.batch_id} counts for another day or partition than it does."
    for value in contents.values.get(batch.batch, {}).values():
        logged = after.get(value.node)
        figure = FIGURES.get(value.node)
        unit = after["unit"] if figure is None else figure.unit
        other_fields = {value.whole, value.elements_sha256, value.element_count}
        is_array = value.elements is not None or value.contributions is not None or other_fields != {None}
        if logged is None or (value.value, value.unit) != (Decimal(str(logged)), unit) or is_array:
            yield NODE_VALUES.part, f"{value.node!r} of instrument {batch.batch_id} is not what the log says."
        elif (value.is_output, value.is_primary) != (True, value.node == AMOUNT):
            yield (
                NODE_VALUES.part,
                f"{value.node!r} of instrument {batch.batch_id} serves something else.",
            )


# Whether corrections, and the rules that made some, are those in the proved rows of the log.
#
# People correct one value, one event or many events at once; each leaves a row of the moment of the
# correction. What a rule corrects follows from its version alone.
#
# Invariant: the author, time, value and reason of a manual correction are those in the log.


CORRECTING: Final = (
    "data_point.correct", "event.update", "event.update_many", "event.complete_many", "event.create",
    "event.create_many",
)  # fmt: skip
"""What people correct values by, each of which leaves a row of the same moment as its corrections."""

_ID_FIELDS: Final = {"feedstock_id": "feedstock", "asset_id": "asset"}
_OF_RULE: Final = (
    "expression", "target", "data_point", "purpose", "severity", "priority", "requires_approval",
    "window_member_scope", "window_meters", "correction", "tables",
)  # fmt: skip


def check_corrections(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    """List where manual corrections differ from the log, in either direction."""
    by_time: dict[str, list[CorrectionRow]] = {}
    for row in contents.corrections.values():
        by_time.setdefault(row.created_at.text, []).append(row)
        if row.origin == CorrectionOrigin.MANUAL and not _is_logged(contents, log, row):
            yield CORRECTIONS.part, f"Correction {row.correction} is not in the audit log."
    for logged in log.doing("data_point.correct"):
        event = logged["after"]["data_point"]["event"]["id"]
        named = {
            identity.of("event", contents.manifest.project_number, version.event)
            for version in by_time.get(logged["at"], ())
        }
        if _has(contents, event) and event not in named:
            yield CORRECTIONS.part, f"The correction in row {logged['number']} of the log is missing."


def _has(contents: BundleContents, event: str) -> bool:
    return contents.has_event(identity.number("event", event, contents.manifest.project_number))


def _is_logged(contents: BundleContents, log: LogRows, row: CorrectionRow) -> bool:
    return any(
        logged_row["action"] in CORRECTING
        and logged_row["user_id"] == row.user
        and _matches_logged(contents, logged_row, row)
        for logged_row in log.at(row.created_at.text)
    )


def _matches_logged(contents: BundleContents, logged: Row, row: CorrectionRow) -> bool:
    event = identity.of("event", contents.manifest.project_number, row.event)
    before, after = logged["before"], logged["after"]
    match logged["action"]:
        case "data_point.correct":
            point = after["data_point"]
            return (
                point["event"]["id"] == event
                and point["slug"] == row.data_point
                and _is(point["value"], row.to_value)
                and _is(before["value"], row.from_value)
                and after["reason"] == row.reason
            )
        case "event.update":
            return (
                logged["object"] == event
                and _is(_read_held_value(after, row.data_point), row.to_value)
                and _is(_read_held_value(before, row.data_point), row.from_value)
            )
    return True


def _read_held_value(event: Mapping[str, Any], name: str) -> Any:
    """What an event shows of a field or data point."""
    if name in _ID_FIELDS:
        referenced = event[_ID_FIELDS[name]]
        return None if referenced is None else referenced["name"]
    if name in event:
        return event[name]
    return next((point["value"] for point in event["data_points"] if point["slug"] == name), None)


def _is(logged: Any, text: str | None) -> bool:
    """Whether a value of the log is one as it is written here."""
    if logged is None or text is None:
        return logged is None and text is None
    if isinstance(logged, bool):
        return text == ("true" if logged else "false")
    try:
        return str(logged) == text or Decimal(str(logged)) == Decimal(text)
    except InvalidOperation:
        return False


def check_rules(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    """List where a rule version differs from the log."""
    for number, version in sorted(contents.rule_versions):
        part = f"{RULE_FOLDER}{number}-{version}.json"
        content = contents.parts.get(part)
        if content is None:
            continue
        document = json.loads(bytes(content))
        name = identity.of("rule", contents.manifest.project_number, number)
        rows = [row for row in log.of(name, "rule") if (row["after"] or {}).get("version") == version]
        if not rows:
            yield part, f"The audit log has no row for version {version} of the rule {name}."
            continue
        message = {field: document[field] for field in _OF_RULE if field in document}
        for field in list_differing_fields(message, rows[0]["after"]):
            yield part, f"The {field} of the rule is another than the log says."
        watched = document["event_type_id"], document.get("asset_id")
        if (document["user_id"], document["name"]) != (rows[0]["user_id"], _find_rule_name(log, name)):
            yield part, "It is called otherwise, or of another user than the log says."
        if watched != tuple(
            _find_watched_number(contents, rows[0]["after"], noun) for noun in ("event_type", "asset")
        ):
            yield part, "It watches another event type or asset than the log says."
        if document["project_id"] != contents.manifest.project_number:
            yield part, "It is of another project."
        if (document["rule_id"], document["version"]) != (number, version):
            yield part, "It is another version or rule than its name says."


def _find_rule_name(log: LogRows, rule: str) -> Any:
    """What a rule is called by now."""
    return [row["after"]["name"] for row in log.of(rule, "rule") if "name" in (row["after"] or {})][-1]


def _find_watched_number(contents: BundleContents, after: Mapping[str, Any], noun: str) -> int | None:
    """The number of the event type or asset that a rule watches; rows of 1.0.0 know no asset."""
    name = after.get(f"{noun}_id")
    return None if name is None else identity.number(noun, name, contents.manifest.project_number)
