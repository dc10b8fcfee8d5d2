"""The nouns whose records the audit log tells: by which actions, and which column has which field.

Invariant: a column is compared only where every operation that changes it leaves a row with the record.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, LiteralString

Told = Mapping[str, Any]
"""A record as a row of the audit log tells it."""


@dataclass(frozen=True, slots=True)
class RecordedNoun:
    """One kind of records, where they are stored, and how the log tells them."""

    name: str
    table: LiteralString
    actions: tuple[str, ...]
    """Those whose rows have the whole record as it is afterwards."""
    columns: Mapping[str, LiteralString]
    """By field, what the table's row `t` says of it, as an expression of any type."""
    gone: tuple[str, ...] = ()
    """Those after which there is no row."""
    unsettled_by: tuple[str, ...] = ()
    """Those that change records of a project without telling each of them."""
    friendly: Mapping[str, str] = field(default_factory=dict)
    """Fields that are friendly ids, and of which kind; the column has the number."""
    shape: Callable[[Told], Told] = dict
    """What of the record is compared, where that is not its fields as they are."""
    is_of_project: bool = True
    """Whether the table's row is found by its project too."""
    key: str = "id"
    """The field of the record that says which it is, where its `object` does not."""
    part: str | None = None
    """The field that tells records of one object apart, such as the version."""
    part_column: LiteralString = "version"
    kind: str | None = None
    """What the object is, where it is not of the noun's own kind."""


def moment(column: LiteralString) -> LiteralString:
    """A time as the interface writes it, to the millisecond."""
    return f"""to_char({column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""


def _same(*names: LiteralString) -> dict[str, LiteralString]:
    return {name: f"t.{name}" for name in names}


def _times(*names: LiteralString) -> dict[str, LiteralString]:
    return {name: moment(f"t.{name}") for name in names}


_MADE: Final = _times("created_at")
_POINT_FIELDS: Final = ("id", "slug", "name", "unit", "required", "value_type")
_MOVE_FIELDS: Final = ("status", "adapter", "reason", "reference", "said_at")


def _event_type(told: Told) -> Told:
    points = [{name: point[name] for name in _POINT_FIELDS} for point in told["data_point_types"]]
    return {**told, "data_point_types": sorted(points, key=lambda point: point["id"])}


def _report(told: Told) -> Told:
    moves = [{name: move[name] for name in _MOVE_FIELDS} for move in told["history"]]
    return {**told, "history": moves, "amounts": sorted(one["amount"] for one in told["inclusions"])}


# That a report was superseded the row of the one that took its place tells, and an invariant of reports
# holds that one did. Status and moves agree on it.
_STATUS_OF_REPORT: Final[LiteralString] = """
    (SELECT CASE WHEN (t.status = 'superseded') <> bool_or(m.status = 'superseded') THEN 'superseded'
                 WHEN t.status = 'superseded'
                 THEN (array_agg(m.status ORDER BY m.id DESC) FILTER (WHERE m.status <> 'superseded'))[1]
                 ELSE t.status END
       FROM report_moves m WHERE (m.project_id, m.report_id) = (t.project_id, t.id))
"""

_APPROVES: Final = "data_rules:approve"

# An upgrade from 1.0.0 gave it to whatever might write rules, which the log does not tell of each.
_PERMISSIONS: Final[LiteralString] = f"""
    CASE WHEN 'data_rules:write' = ANY (t.permissions) THEN array_remove(t.permissions, '{_APPROVES}')
         ELSE t.permissions END
"""


def _token(told: Told) -> Told:
    permissions = told["permissions"]
    if "data_rules:write" in permissions:
        permissions = [one for one in permissions if one != _APPROVES]
    return {**told, "permissions": permissions}


NOUNS: Final = (
    RecordedNoun(
        "project",
        "projects",
        ("project.create", "project.update"),
        _same("name", "description", "time_zone", "status") | _MADE,
        is_of_project=False,
    ),
    RecordedNoun(
        "event_type",
        "event_types",
        ("event_type.create", "event_type.update"),
        _same(
            "slug",
            "name",
            "description",
            "cadence_amount",
            "cadence_unit",
            "reusable_in_batches",
            "expected_locations",
            "requires_tracking_id",
            "valid_when",
        )
        | _MADE
        | {
            "data_point_types": """coalesce((
            SELECT jsonb_agg(jsonb_build_object('id', p.id, 'slug', p.slug, 'name', p.name, 'unit', p.unit,
                                                'required', p.required, 'value_type', p.value_type)
                             ORDER BY p.id)
              FROM data_point_types p WHERE (p.project_id, p.event_type_id) = (t.project_id, t.id)), '[]')"""
        },
        gone=("event_type.delete",),
        shape=_event_type,
    ),
    RecordedNoun(
        "location",
        "locations",
        ("location.create", "location.update"),
        _same("name", "lat", "long", "address") | _times("in_service_from", "in_service_until") | _MADE,
        gone=("location.delete",),
    ),
    RecordedNoun(
        "feedstock",
        "feedstocks",
        ("feedstock.create", "feedstock.update"),
        _same("name", "description") | _MADE,
        gone=("feedstock.delete",),
    ),
    RecordedNoun(
        "asset",
        "assets",
        ("asset.create", "asset.update"),
        _same("name", "asset_type", "serial_number", "description")
        | _times("in_service_from", "in_service_until")
        | _MADE,
        gone=("asset.delete",),
        unsettled_by=("asset.import",),
    ),
    RecordedNoun(
        "asset_custom_field",
        "asset_custom_fields",
        ("asset_custom_field.create",),
        _same("label", "value_type") | _MADE,
        gone=("asset_custom_field.delete",),
    ),
    RecordedNoun(
        "outage",
        "outages",
        ("outage.create", "outage.update"),
        _same("reason", "asset_id", "location_id", "evidence_url") | _times("start_time", "end_time") | _MADE,
        gone=("outage.delete",),
        friendly={"asset_id": "asset", "location_id": "location"},
    ),
    RecordedNoun(
        "static_input",
        "static_inputs",
        ("static_input.create",),
        _same("slug", "unit", "asset_id", "feedstock_id", "location_id")
        | {"value": "t.value::text"}
        | _times("effective_from")
        | _MADE,
        friendly={"asset_id": "asset", "feedstock_id": "feedstock", "location_id": "location"},
        shape=lambda told: {**told, "value": str(told["value"])},
    ),
    RecordedNoun(
        "ledger",
        "ledgers",
        ("ledger.create", "ledger.update"),
        _same("name", "unit", "scale", "output", "rounding", "system_ledger_type", "asset_category") | _MADE,
        gone=("ledger.delete",),
    ),
    RecordedNoun(
        "model",
        "models",
        ("model.create", "model.create_version", "model.update", "model.set_version_label"),
        _same("name", "version", "cadence", "partition_type", "description", "version_label")
        | {"order": "t.sort_order", "sha256": "encode(t.sha256, 'hex')"}
        | _MADE,
        is_of_project=False,
    ),
    RecordedNoun(
        "instrument",
        "instruments",
        ("instrument.create",),
        _same("name", "geography", "generation_tech", "issued_on", "purchased_on"),
    ),
    RecordedNoun(
        "rule",
        "rules",
        ("rule.create", "rule.update"),
        _same("name", "message", "evaluation")
        | {"version": "t.latest_version"}
        | _times("effective_from", "effective_to")
        | _MADE,
        gone=("rule.delete",),
    ),
    RecordedNoun(
        "rule",
        "(SELECT v.*, v.rule_id AS id FROM rule_versions v)",
        ("rule.create", "rule.update"),
        _same(
            "target",
            "expression",
            "data_point",
            "window_member_scope",
            "purpose",
            "priority",
            "requires_approval",
            "event_type_id",
        )
        | {"window": "t.rule_window", "correction": "t.correction"},
        friendly={"event_type_id": "event_type"},
        part="version",
    ),
    RecordedNoun(
        "methodology",
        "methodologies",
        ("methodology.create",),
        _same("name", "version", "report_type", "mapping", "registry_id", "measured_share_min")
        | {"submission_requirements": "to_jsonb(t.submission_requirements)"}
        | _MADE,
        is_of_project=False,
    ),
    RecordedNoun(
        "registry",
        "registries",
        ("registry.create", "registry.update"),
        _same("name", "adapter", "address", "timeout_seconds", "tries", "poll_seconds") | _MADE,
        is_of_project=False,
    ),
    RecordedNoun(
        "report",
        "reports",
        (
            "report.create",
            "report.update",
            "report.submit",
            "report.deliver",
            "report.accept",
            "report.reject",
        ),
        _same("name", "report_type", "methodology_id")
        | _times("effective_at")
        | _MADE
        | {
            "status": _STATUS_OF_REPORT,
            "amounts": """coalesce((SELECT jsonb_agg(i.amount ORDER BY i.amount) FROM report_batches i
                           WHERE (i.project_id, i.report_id) = (t.project_id, t.id)), '[]')""",
            "history": f"""coalesce((
                SELECT jsonb_agg(jsonb_build_object(
                           'status', m.status, 'adapter', m.adapter, 'reason', m.reason,
                           'reference', m.reference, 'said_at', {moment("m.said_at")}) ORDER BY m.id)
                  FROM report_moves m
                 WHERE (m.project_id, m.report_id) = (t.project_id, t.id)
                   AND m.status <> 'superseded'), '[]')""",
        },
        gone=("report.delete",),
        shape=_report,
    ),
    RecordedNoun(
        "report_link",
        "report_links",
        ("report_link.create", "report_link.revoke"),
        _same("name") | _times("expires_at", "revoked_at") | _MADE,
        is_of_project=False,
    ),
    RecordedNoun(
        "bundle",
        "(SELECT b.*, b.report_id AS id FROM report_bundles b)",
        ("report.keep_bundle",),
        {
            "sha256": "encode(t.sha256, 'hex')",
            "file_size_bytes": "t.size_bytes",
            "batch_count": "t.batch_count",
            "time_stamped": "t.time_stamp IS NOT NULL",
        },
        key="report",
        part="redacted",
        part_column="is_redacted",
        kind="report",
    ),
    RecordedNoun(
        "evidence",
        "evidence",
        ("evidence.create",),
        _same("type", "name", "url", "event_id"),
        friendly={"event_id": "event"},
        # The address of a file is made of its id.
        shape=lambda told: {**told, "url": told["url"] if told["type"] == "url" else None},
    ),
    RecordedNoun(
        "data_feed",
        "data_feeds",
        ("data_feed.create", "data_feed.update"),
        _same(
            "name",
            "columns",
            "other_columns",
            "time_zone",
            "time_format",
            "duration",
            "decimal_mark",
            "encoding",
            "delimiter",
            "header_line",
            "sheet",
            "formulas",
            "bad_rows",
            "on_difference",
            "units_line",
            "rows_in_order",
            "asset_id",
            "feedstock_id",
        )
        | {"missing": "to_jsonb(t.missing)"}
        | _MADE,
        gone=("data_feed.delete",),
        friendly={"asset_id": "asset", "feedstock_id": "feedstock"},
    ),
    RecordedNoun(
        "data_feed_upload",
        "data_feed_uploads",
        ("data_feed_upload.create",),
        _same("file_name", "dry_run")
        | {"sha256": "encode(t.sha256, 'hex')", "file_size_bytes": "t.size_bytes"}
        | _MADE,
    ),
    RecordedNoun(
        "webhook",
        "webhooks",
        ("webhook.create", "webhook.update", "webhook.disable"),
        _same("url", "description") | {"change_types": "to_jsonb(t.change_types)"} | _MADE,
        gone=("webhook.delete",),
        is_of_project=False,
    ),
    RecordedNoun(
        "api_token",
        "api_tokens",
        ("api_token.create",),
        _same("name") | {"permissions": f"to_jsonb({_PERMISSIONS})"},
        is_of_project=False,
        unsettled_by=("user.erase",),
        shape=_token,
    ),
    RecordedNoun("account", "accounts", ("account.create",), _same("name"), is_of_project=False),
)
"""Every noun, in the order of the report."""
