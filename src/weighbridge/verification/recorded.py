"""Compare the stored records with the audit log: the database has what the rows of the log say.

Invariant: a column is compared only where every operation that changes it leaves a row with the record.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, LiteralString

from psycopg.sql import SQL, Composable, Composed

from weighbridge.accounting.posting.posting_run import WRITTEN, match_tasks, select_digest
from weighbridge.core import identity
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal, canonical
from weighbridge.verification.recorded_forms import (
    APPROVES,
    PARTS_OF_INSTALLATION,
    PARTS_OF_METHODOLOGY,
    REPORT_COLUMNS,
    LoggedRecord,
    moment,
    shape_event_type,
    shape_installation,
    shape_methodology,
    shape_report,
    shape_token,
)

# The nouns whose records are in the log: by which actions, and which column has which field.


@dataclass(frozen=True, slots=True)
class RecordedNoun:
    """One kind of records, where they are stored, and their form in the log."""

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
    shape: Callable[[LoggedRecord], LoggedRecord] = dict
    """What of the record is compared, where that is not its fields as they are."""
    is_of_project: bool = True
    """Whether the table's row is found by its project too."""
    key: str = "id"
    """The field of the record that says which it is, where its `object` does not."""
    part: str | None = None
    """The field that distinguishes records of one object, such as the version."""
    part_column: LiteralString = "version"
    kind: str | None = None
    """What the object is, where it is not of the noun's own kind."""


def _select_columns(*names: LiteralString) -> dict[str, LiteralString]:
    return {name: f"t.{name}" for name in names}


def _select_times(*names: LiteralString) -> dict[str, LiteralString]:
    return {name: moment(f"t.{name}") for name in names}


_MADE: Final = _select_times("created_at")
_OF_AGENT: Final = _select_columns("name", "description", "quiet_after_seconds") | _MADE
_OF_RULE_VERSION: Final[Sequence[LiteralString]] = (
    "target", "expression", "data_point", "window_member_scope", "purpose", "priority", "requires_approval",
    "event_type_id",
)  # fmt: skip

# An upgrade from 1.0.0 granted it to every token that could write rules, without a row of the log for each.
_PERMISSIONS: Final[LiteralString] = f"""
    CASE WHEN 'data_rules:write' = ANY (t.permissions) THEN array_remove(t.permissions, '{APPROVES}')
         ELSE t.permissions END
"""


NOUNS: Final = (
    RecordedNoun(
        "project",
        "projects",
        ("project.create", "project.update"),
        _select_columns("name", "description", "time_zone", "status") | _MADE,
        is_of_project=False,
    ),
    RecordedNoun(
        "event_type",
        "event_types",
        ("event_type.create", "event_type.update"),
        _select_columns(
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
                                                'required', p.required, 'value_type', p.value_type,
                                                'uncertainty', p.uncertainty)
                             ORDER BY p.id)
              FROM data_point_types p WHERE (p.project_id, p.event_type_id) = (t.project_id, t.id)), '[]')"""
        },
        gone=("event_type.delete",),
        shape=shape_event_type,
    ),
    RecordedNoun(
        "location",
        "locations",
        ("location.create", "location.update"),
        _select_columns("name", "lat", "long", "address")
        | _select_times("in_service_from", "in_service_until")
        | _MADE,
        gone=("location.delete",),
    ),
    RecordedNoun(
        "feedstock",
        "feedstocks",
        ("feedstock.create", "feedstock.update"),
        _select_columns("name", "description") | _MADE,
        gone=("feedstock.delete",),
    ),
    RecordedNoun(
        "asset",
        "assets",
        ("asset.create", "asset.update"),
        _select_columns("name", "asset_type", "serial_number", "description")
        | _select_times("in_service_from", "in_service_until")
        | _MADE,
        gone=("asset.delete",),
        unsettled_by=("asset.import",),
    ),
    RecordedNoun(
        "asset_custom_field",
        "asset_custom_fields",
        ("asset_custom_field.create",),
        _select_columns("label", "value_type") | _MADE,
        gone=("asset_custom_field.delete",),
    ),
    RecordedNoun(
        "outage",
        "outages",
        ("outage.create", "outage.update"),
        _select_columns("reason", "asset_id", "location_id", "evidence_url")
        | _select_times("start_time", "end_time")
        | _MADE,
        gone=("outage.delete",),
        friendly={"asset_id": "asset", "location_id": "location"},
    ),
    RecordedNoun("agent", "agents", ("agent.register", "agent.update"), _OF_AGENT, gone=("agent.delete",)),
    RecordedNoun(
        "agent_mapping",
        "(SELECT m.*, m.agent_id AS id FROM agent_mappings m)",
        ("agent.map",),
        _select_columns("variables", "digest", "created_by") | _MADE,
        gone=("agent.delete",),
        part="version",
    ),
    RecordedNoun(
        "calibration",
        "calibrations",
        ("calibration.create", "calibration.update"),
        _select_columns(
            "name",
            "asset_id",
            "event_type_id",
            "data_point_type",
            "uncertainty",
            "evidence_id",
            "notes",
            "as_found",
            "as_left",
            "error_unit",
        )
        | _select_times("valid_from", "valid_until")
        | _MADE,
        gone=("calibration.delete",),
        friendly={"asset_id": "asset", "event_type_id": "event_type"},
    ),
    RecordedNoun(
        "static_input",
        "static_inputs",
        ("static_input.create",),
        _select_columns("slug", "unit", "asset_id", "feedstock_id", "location_id", "uncertainty")
        | {"value": "t.value::text"}
        | _select_times("effective_from")
        | _MADE,
        friendly={"asset_id": "asset", "feedstock_id": "feedstock", "location_id": "location"},
        shape=lambda told: {**told, "value": str(told["value"])},
    ),
    RecordedNoun(
        "ledger",
        "ledgers",
        ("ledger.create", "ledger.update"),
        _select_columns("name", "unit", "scale", "output", "rounding", "system_ledger_type", "asset_category")
        | _MADE,
        gone=("ledger.delete",),
    ),
    RecordedNoun(
        "model",
        "models",
        ("model.create", "model.create_version", "model.update", "model.set_version_label"),
        _select_columns("name", "version", "cadence", "partition_type", "description", "version_label")
        | {"order": "t.sort_order", "sha256": "encode(t.sha256, 'hex')"}
        | _MADE,
        is_of_project=False,
    ),
    RecordedNoun(
        "instrument",
        "instruments",
        ("instrument.create",),
        _select_columns("name", "geography", "generation_tech", "issued_on", "purchased_on"),
    ),
    RecordedNoun(
        "rule",
        "rules",
        ("rule.create", "rule.update"),
        _select_columns("name", "message", "evaluation")
        | {"version": "t.latest_version"}
        | _select_times("effective_from", "effective_to")
        | _MADE,
        gone=("rule.delete",),
    ),
    RecordedNoun(
        "rule",
        "(SELECT v.*, v.rule_id AS id FROM rule_versions v)",
        ("rule.create", "rule.update"),
        _select_columns(*_OF_RULE_VERSION)
        | {
            "window": "t.rule_window",
            "correction": "t.correction",
            "tables": "t.tables",
            "severity": "coalesce(t.severity, 'fail')",
        },
        friendly={"event_type_id": "event_type"},
        part="version",
    ),
    RecordedNoun(
        "methodology",
        "methodologies",
        ("methodology.create",),
        _select_columns(
            "name", "version", "report_type", "mapping", "registry_id", "measured_share_min", "other_versions"
        )
        | {
            "submission_requirements": "to_jsonb(t.submission_requirements)",
            **PARTS_OF_METHODOLOGY,
        }
        | _MADE,
        is_of_project=False,
        shape=shape_methodology,
    ),
    RecordedNoun(
        "methodology_package",
        "methodology_packages",
        ("methodology_package.create",),
        _select_columns(
            "name",
            "version",
            "title",
            "about",
            "licence",
            "publisher",
            "engine_revision",
            "requires",
            "size_bytes",
            "user_id",
        )
        | {"sha256": "encode(t.file_sha256, 'hex')"}
        | _MADE,
        gone=("methodology_package.delete",),
        is_of_project=False,
    ),
    RecordedNoun(
        "package_installation",
        "package_installations",
        ("package_installation.create", "package_installation.upgrade"),
        _select_columns("package_id", "name", "user_id")
        | _select_times("updated_at")
        | {"parts": PARTS_OF_INSTALLATION}
        | _MADE,
        gone=("package_installation.delete",),
        shape=shape_installation,
    ),
    RecordedNoun(
        "registry",
        "registries",
        ("registry.create", "registry.update"),
        _select_columns("name", "adapter", "address", "timeout_seconds", "tries", "poll_seconds") | _MADE,
        is_of_project=False,
    ),
    RecordedNoun(
        "registry_mapping",
        "registry_mappings",
        ("registry_mapping.create", "registry_mapping.update"),
        _select_columns("registry_id", "ledger_id", "contents") | _select_times("updated_at") | _MADE,
        friendly={"ledger_id": "ledger"},
        gone=("registry_mapping.delete",),
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
            "report.withdraw",
            "report.merge",
            "report.split",
        ),
        _select_columns("name", "report_type", "methodology_id", "liability", "liability_reason")
        | _select_times("effective_at")
        | _MADE
        | REPORT_COLUMNS,
        gone=("report.delete",),
        shape=shape_report,
    ),
    RecordedNoun(
        "report_link",
        "report_links",
        ("report_link.create", "report_link.revoke"),
        _select_columns("name", "is_of_verifier") | _select_times("expires_at", "revoked_at") | _MADE,
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
        _select_columns("type", "name", "url", "event_id"),
        friendly={"event_id": "event"},
        # The address of a file is made of its id.
        shape=lambda told: {**told, "url": told["url"] if told["type"] == "url" else None},
    ),
    RecordedNoun(
        "data_feed",
        "data_feeds",
        ("data_feed.create", "data_feed.update"),
        _select_columns(
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
            "files_in_order",
            "thousands_separator",
            "below_limit",
            "above_limit",
            "archive_files",
            "tag_column",
            "value_column",
            "asset_id",
            "feedstock_id",
        )
        | {"missing": "to_jsonb(t.missing)", "skip_rows": "to_jsonb(t.skip_rows)"}
        | _MADE,
        gone=("data_feed.delete",),
        friendly={"asset_id": "asset", "feedstock_id": "feedstock"},
    ),
    RecordedNoun(
        "data_feed_upload",
        "data_feed_uploads",
        ("data_feed_upload.create",),
        _select_columns("file_name", "dry_run")
        | {"sha256": "encode(t.sha256, 'hex')", "file_size_bytes": "t.size_bytes"}
        | _MADE,
    ),
    RecordedNoun(
        "webhook",
        "webhooks",
        ("webhook.create", "webhook.update", "webhook.disable"),
        _select_columns("url", "description") | {"change_types": "to_jsonb(t.change_types)"} | _MADE,
        gone=("webhook.delete",),
        is_of_project=False,
    ),
    RecordedNoun(
        "api_token",
        "api_tokens",
        ("api_token.create",),
        _select_columns("name") | {"permissions": f"to_jsonb({_PERMISSIONS})"},
        is_of_project=False,
        unsettled_by=("user.erase",),
        shape=shape_token,
    ),
    RecordedNoun("account", "accounts", ("account.create",), _select_columns("name"), is_of_project=False),
)
"""Every noun, in the order of the report."""


# Each record as in the newest row of the audit log: no operation changed a field that differs.
#
# Rows of the log are read noun by noun, and compared in sets by PostgreSQL.


COMPARED_AT_ONCE: Final = 2_000
"""Records whose rows of the log are held in memory at a time."""

_EVIDENCE: Final = re.compile(r"evidence (\d+) of (evt_\w+)\Z")


@dataclass(frozen=True, slots=True)
class RecordedState:
    """The content of a record in the newest row of the log: None if it was deleted."""

    object: str
    project: int
    key: int
    part: str | None
    told: LoggedRecord | None


async def check_records(tx: Read, nouns: Sequence[RecordedNoun] = NOUNS) -> list[str]:
    """Compare each logged record with its row; return a sentence for each that differs or is missing."""
    complaints: list[str] = []
    for noun in nouns:
        after = 0
        while rows := await tx.tuples(_NEWEST, _build_query(noun, after)):
            after = rows[-1][0]
            complaints += await _find_differing(tx, noun, [*_read_states(noun, rows)])
    return complaints


def _build_query(noun: RecordedNoun, after: int) -> dict[str, Any]:
    return {
        "actions": [*noun.actions, *noun.gone],
        "gone": [*noun.gone],
        "unsettling": [*noun.unsettled_by],
        "part": noun.part or "",
        "after": after,
        "limit": COMPARED_AT_ONCE,
    }


def _read_states(noun: RecordedNoun, rows: Sequence[Sequence[Any]]) -> Iterator[RecordedState]:
    for _, project, name, recorded, is_gone in rows:
        key = _parse_key(noun, name, recorded or {})
        if key is None or (recorded is None and not is_gone):
            continue
        number = project or key.project
        part = None if noun.part is None or recorded is None else str(recorded[noun.part]).lower()
        yield RecordedState(name, number, key.key or key.project, part, None if is_gone else recorded)


def _parse_key(noun: RecordedNoun, name: str, recorded: Mapping[str, Any]) -> identity.Key | None:
    if noun.name == "evidence" and (matched := _EVIDENCE.match(name)):
        return identity.Key(0, int(matched[1]))
    if isinstance(recorded.get("id"), int):
        return identity.Key(0, recorded["id"])
    if name.isdigit():
        return identity.Key(0, int(name))
    kind = noun.kind or ("batch" if noun.name == "instrument" else noun.name)
    return identity.parse(kind, name.rpartition(" ")[2]) if kind in identity.PREFIXES else None


def _write_expected(noun: RecordedNoun, state: RecordedState) -> str | None:
    """The fields that are compared, as JSON; ids are numbers."""
    if state.told is None:
        return None
    recorded = dict(state.told)
    if noun.name == "evidence" and (of := _EVIDENCE.match(state.object)):
        recorded["event_id"] = of[2]
    recorded = dict(noun.shape(recorded))
    for name, kind in noun.friendly.items():
        if recorded.get(name) is not None:
            key = identity.parse(kind, recorded[name])
            recorded[name] = None if key is None else key.key
    return canonical({name: recorded[name] for name in noun.columns if name in recorded}).decode()


async def _find_differing(tx: Read, noun: RecordedNoun, states: Sequence[RecordedState]) -> list[str]:
    if not states:
        return []
    rows = await tx.tuples(
        _build_comparison(noun),
        {
            "projects": [state.project for state in states],
            "keys": [state.key for state in states],
            "parts": [state.part for state in states],
            "told": [_write_expected(noun, state) for state in states],
        },
    )
    sentences = []
    for number, is_there, fields in rows:
        state = states[number - 1]
        name = f"{noun.name} {state.object}" + (f" {noun.part} {state.part}" if noun.part else "")
        if not is_there:
            sentences.append(f"{name}: the log has it, but the database does not")
        elif state.told is None:
            sentences.append(f"{name}: the log says that it was removed, and it is there")
        else:
            sentences.append(f"{name}: {', '.join(fields)} differ from what the log says was written")
    return sentences


def _build_comparison(noun: RecordedNoun) -> Composed:
    """Build the statement that finds records that differ from the log, with the differing fields."""
    columns = SQL(", ").join(
        SQL("{}, {}").format(Literal(name), SQL(expression)) for name, expression in noun.columns.items()
    )
    table = SQL(noun.table if noun.table.startswith("(") else f"(SELECT * FROM {noun.table})")
    conditions: list[Composable] = [
        SQL("t.{} = told.key").format(SQL("batch_id" if noun.name == "instrument" else "id"))
    ]
    if noun.is_of_project:
        conditions.append(SQL("t.project_id = told.project"))
    if noun.part is not None:
        conditions.append(SQL("t.{}::text = told.part").format(SQL(noun.part_column)))
    return _COMPARE.format(columns=columns, table=table, matching=SQL(" AND ").join(conditions))


# Erasing a person, or importing a table of assets, changes many records by one row of the log.
_NEWEST: Final = """
    SELECT a.id, a.project_id, a.object, a.after, a.action = ANY (%(gone)s)
      FROM audit_log a
     WHERE a.action = ANY (%(actions)s) AND a.id > %(after)s
       AND NOT EXISTS (
            SELECT FROM audit_log later
             WHERE later.account_id = a.account_id AND later.object = a.object AND later.id > a.id
               AND later.action = ANY (%(actions)s)
               AND (later.after IS NULL OR %(part)s = ''
                    OR later.after -> %(part)s IS NOT DISTINCT FROM a.after -> %(part)s)
               AND (later.after -> 'id' IS NOT DISTINCT FROM a.after -> 'id' OR later.after IS NULL))
       AND NOT EXISTS (
            SELECT FROM audit_log import
             WHERE import.account_id = a.account_id AND import.action = ANY (%(unsettling)s)
               AND import.id > a.id)
     ORDER BY a.id LIMIT %(limit)s
"""
_COMPARE: Final = SQL("""
    SELECT told.number, t.record IS NOT NULL, differing.fields
      FROM unnest(%(projects)s::integer[], %(keys)s::bigint[], %(parts)s::text[], %(told)s::text[])
           WITH ORDINALITY AS told (project, key, part, fields, number)
      LEFT JOIN LATERAL (
        SELECT jsonb_build_object({columns}) AS record FROM {table} AS t WHERE {matching}) AS t ON true
     CROSS JOIN LATERAL (
        SELECT array_agg(each.key ORDER BY each.key) AS fields
          FROM jsonb_each(told.fields::jsonb) AS each
         WHERE t.record -> each.key IS DISTINCT FROM each.value) AS differing
     WHERE CASE WHEN told.fields IS NULL THEN t.record IS NOT NULL
                ELSE t.record IS NULL OR differing.fields IS NOT NULL END
     ORDER BY told.number
""")


# Corrections against the audit log: whose they are, why, and what a rule run did.
#
# A correction was recorded in the transaction of a row of the log, which has its reason if a person
# gave one, and the rule run where a rule did.


ROWS_AT_ONCE: Final = 2_000


async def check_corrections(tx: Read) -> list[str]:
    """Return a sentence for each correction that differs from the log or is not in it."""
    complaints = [
        f"correction {number} of {identity.of('event', project, event)}: the log has another, or none"
        for project, number, event in await tx.tuples(_OTHERS)
    ]
    after = 0
    while rows := await tx.tuples(_TOLD_OF_CORRECTIONS, (after, ROWS_AT_ONCE)):
        after = rows[-1][0]
        keys = [identity.parse("data_point", row[2]) for row in rows]
        values = {
            "projects": [row[1] for row in rows],
            "events": [key.key if key else None for key in keys],
            "positions": [key.position if key else None for key in keys],
            "moments": [row[3] for row in rows],
            "reasons": [row[4] for row in rows],
        }
        complaints += [
            f"data point {rows[number - 1][2]}: the log has a correction that the database has not"
            for (number,) in await tx.tuples(_NOT_THERE, values)
        ]
    return complaints


# A row of the same moment names the user and the token. The row of a rule's run lists its corrections;
# what was approved later is of a run of that rule.
_OTHERS: Final = """
    SELECT c.project_id, c.id, c.event_id FROM corrections c
     WHERE NOT EXISTS (
        SELECT FROM audit_log a
         WHERE a.at = c.created_at AND a.project_id = c.project_id
           AND a.user_id IS NOT DISTINCT FROM c.user_id AND a.token_id IS NOT DISTINCT FROM c.token_id
           AND (c.rule_run_id IS NULL OR (a.after ->> 'rule_run_id')::bigint = c.rule_run_id
                OR a.action IN ('rule_result.approve', 'rule_result.bulk_approve')
                   AND EXISTS (SELECT FROM rule_runs r
                                WHERE r.project_id = c.project_id AND r.id = c.rule_run_id
                                  AND r.rule_id = c.rule_id AND r.created_at <= c.created_at)))
     ORDER BY c.project_id, c.id LIMIT 100
"""
_TOLD_OF_CORRECTIONS: Final = """
    SELECT id, project_id, object, at, after ->> 'reason' FROM audit_log
     WHERE action = 'data_point.correct' AND id > %s ORDER BY id LIMIT %s
"""
_NOT_THERE: Final = """
    SELECT told.number
      FROM unnest(%(projects)s::integer[], %(events)s::bigint[], %(positions)s::integer[],
                  %(moments)s::timestamptz[], %(reasons)s::text[])
           WITH ORDINALITY AS told (project_id, event_id, position, at, reason, number)
     WHERE NOT EXISTS (
        SELECT FROM corrections c
         WHERE (c.project_id, c.event_id, c.position) = (told.project_id, told.event_id, told.position)
           AND c.created_at = told.at AND c.reason IS NOT DISTINCT FROM told.reason)
     ORDER BY told.number
"""


# The books against the audit log: the entries of each generation match the digests in its row.


Digests = dict[int, list[Any]]
"""By task, how many rows there are, and the SHA-256 over them."""


async def check_written(tx: Read) -> tuple[int, list[str]]:
    """Return the number of generations without digests, and a sentence for each table that was changed."""
    rows = await tx.tuples(_TOLD)
    recorded_digests = [written for (written,) in rows if written is not None]
    complaints: list[str] = []
    for table in WRITTEN:
        statement = SQL(_STORED).format(
            digest=select_digest(table),
            table=SQL(table.name),
            batch=SQL(table.batch),
            task=match_tasks(table),
        )
        stored_digests: Digests = {
            task: [count, digest] for task, count, digest in await tx.tuples(statement)
        }
        for recorded in recorded_digests:
            name = f"{table.name} of task {recorded['task']}"
            was, now = (
                recorded["tables"].get(table.name, [0, ""]),
                stored_digests.get(recorded["task"], [0, ""]),
            )
            if was[0] != now[0]:
                complaints.append(f"{name}: there are {now[0]:,} rows, and {was[0]:,} were written")
            elif was != now:
                complaints.append(f"{name}: they differ from what was written")
    return len(rows) - len(recorded_digests), complaints


_TOLD: Final = "SELECT after -> 'written' FROM audit_log WHERE action = 'batch_generation.finish' ORDER BY id"
_STORED: Final[LiteralString] = """
    SELECT b.async_task_id, {digest} FROM {table} w
      JOIN batches b ON b.project_id = w.project_id AND b.id = {batch} AND {task}
     WHERE b.async_task_id IS NOT NULL
     GROUP BY b.async_task_id
"""
