"""Whether corrections, and the rules that made some, are those that the proved rows of the log tell of.

People correct one value, one event or many events at once; each leaves a row of the moment of the correction.
What a rule corrects is told by its version alone.

Invariant: whoever corrected a value by hand, when, to what and why, is what the log says.
"""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from weighbridge.core.bundle.contents import RULE_FOLDER, BundleContents
from weighbridge.core.bundle.form.rows import CorrectionRow
from weighbridge.core.bundle.form.tables import CORRECTIONS
from weighbridge.core.bundle.log.rows import LogRows, Row, Wrong, unlike
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.identity import ids

CORRECTING: Final = (
    "data_point.correct", "event.update", "event.update_many", "event.complete_many", "event.create",
    "event.create_many",
)  # fmt: skip
"""What people correct values by, each of which leaves a row of the same moment as its corrections."""

_ID_FIELDS: Final = {"feedstock_id": "feedstock", "asset_id": "asset"}
_OF_RULE: Final = (
    "expression", "target", "data_point", "purpose", "priority", "requires_approval", "window_member_scope",
    "window_meters", "correction",
)  # fmt: skip


def wrong_corrections(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    """Where corrections by hand are others than the log tells, and where it tells of others."""
    by_time: dict[str, list[CorrectionRow]] = {}
    for row in contents.corrections.values():
        by_time.setdefault(row.created_at.text, []).append(row)
        if row.origin == CorrectionOrigin.MANUAL and not _is_logged(contents, log, row):
            yield CORRECTIONS.part, f"Correction {row.correction} is not one that the log tells of."
    for logged in log.doing("data_point.correct"):
        event = logged["after"]["data_point"]["event"]["id"]
        named = {
            ids.of("event", contents.manifest.project_number, one.event)
            for one in by_time.get(logged["at"], ())
        }
        if _has(contents, event) and event not in named:
            yield CORRECTIONS.part, f"Row {logged['number']} of the log tells of one that is not there."


def _has(contents: BundleContents, event: str) -> bool:
    number = ids.number("event", event, contents.manifest.project_number)
    return any(file.has(number) for file in contents.events.values())


def _is_logged(contents: BundleContents, log: LogRows, row: CorrectionRow) -> bool:
    return any(
        one["action"] in CORRECTING and one["user_id"] == row.user and _tells_of(contents, one, row)
        for one in log.at(row.created_at.text)
    )


def _tells_of(contents: BundleContents, logged: Row, row: CorrectionRow) -> bool:
    event = ids.of("event", contents.manifest.project_number, row.event)
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
                and _is(_held(after, row.data_point), row.to_value)
                and _is(_held(before, row.data_point), row.from_value)
            )
    return True


def _held(event: Mapping[str, Any], name: str) -> Any:
    """What an event shows of a field or data point."""
    if name in _ID_FIELDS:
        named = event[_ID_FIELDS[name]]
        return None if named is None else named["name"]
    if name in event:
        return event[name]
    return next((one["value"] for one in event["data_points"] if one["slug"] == name), None)


def _is(logged: Any, written: str | None) -> bool:
    """Whether a value of the log is one as it is written here."""
    if logged is None or written is None:
        return logged is None and written is None
    if isinstance(logged, bool):
        return written == ("true" if logged else "false")
    try:
        return str(logged) == written or Decimal(str(logged)) == Decimal(written)
    except InvalidOperation:
        return False


def wrong_rules(contents: BundleContents, log: LogRows) -> Iterator[Wrong]:
    """Where a rule version is another than the log tells."""
    versions = {(row.rule, row.rule_version) for row in contents.corrections.values() if row.rule is not None}
    for number, version in sorted(versions, key=str):
        part = f"{RULE_FOLDER}{number}-{version}.json"
        content = contents.parts.get(part)
        if content is None:
            continue
        document = json.loads(bytes(content))
        name = ids.of("rule", contents.manifest.project_number, number or 0)
        rows = [row for row in log.of(name, "rule") if (row["after"] or {}).get("version") == version]
        if not rows:
            yield part, f"No row of the audit log tells of version {version} of the rule {name}."
            continue
        said = {field: document[field] for field in _OF_RULE if field in document}
        for field in unlike(said, rows[0]["after"]):
            yield part, f"The {field} of the rule is another than the log says."
        watched = document["event_type_id"], document.get("asset_id")
        if (document["user_id"], document["name"]) != (rows[0]["user_id"], _named(log, name)):
            yield part, "It is called otherwise, or of another user than the log says."
        if watched != tuple(_number(contents, rows[0]["after"], noun) for noun in ("event_type", "asset")):
            yield part, "It watches another event type or asset than the log says."
        if document["project_id"] != contents.manifest.project_number:
            yield part, "It is of another project."
        if (document["rule_id"], document["version"]) != (number, version):
            yield part, "It is another version or rule than its name says."


def _named(log: LogRows, rule: str) -> Any:
    """What a rule is called by now."""
    return [row["after"]["name"] for row in log.of(rule, "rule") if "name" in (row["after"] or {})][-1]


def _number(contents: BundleContents, after: Mapping[str, Any], noun: str) -> int | None:
    """The number of the event type or asset that a rule watches; rows of 1.0.0 know no asset."""
    name = after.get(f"{noun}_id")
    return None if name is None else ids.number(noun, name, contents.manifest.project_number)
