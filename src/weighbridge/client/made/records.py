"""The records of the interface, as answers hold them.

Made by `make docs` from the OpenAPI document; change the service, not this file.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

import msgspec

from weighbridge.client.calls import Value


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """A postal address; every part is optional."""

    name: str | None = None
    street_address_1: str | None = None
    street_address_2: str | None = None
    city: str | None = None
    state: str | None = None
    postal_code: str | None = None
    country: str | None = None


class Adjustment(msgspec.Struct, frozen=True, kw_only=True):
    """A calibration of a value: a correction by a rule of the kind adjustment."""

    data_point: str
    rule: str
    version: int
    before: str | None
    after: str


class AgentMapping(msgspec.Struct, frozen=True, kw_only=True):
    """One version of the mapping of an agent: the variables that it reads beside those of its file."""

    version: int
    variables: list[MappedVariable]
    digest: str
    created_by: int
    created_at: datetime


class AgentMappingVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One version of the mapping of an agent, without its variables."""

    version: int
    variable_count: int
    digest: str
    created_by: int
    user_name: str
    created_at: datetime


class AllocatedReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report that holds something of a batch."""

    id: str
    name: str
    report_type: str
    status: Literal[
        "draft", "submitting", "submitted", "complete", "rejected", "failed", "superseded", "withdrawn"
    ]


class AllocatedTotal(msgspec.Struct, frozen=True, kw_only=True):
    """What a report holds of all its batches."""

    id: int
    amount: Decimal
    unit: str


class AllocationGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The name under which batch_amounts reach a node that draws what the caller names."""

    name: str
    node: str


class AmountUncertainty(msgspec.Struct, frozen=True, kw_only=True):
    """How uncertain an amount is, to first order, in its unit."""

    standard_uncertainty: Decimal
    degrees_of_freedom: Decimal | None
    degrees_of_freedom_reason: Literal["infinite", "correlated"] | None
    coverage_probability: Decimal
    coverage_factor: Decimal
    expanded_uncertainty: Decimal
    low: Decimal
    high: Decimal
    amount: Decimal
    discount: Decimal
    relative_standard_uncertainty: Decimal | None


class ApiToken(msgspec.Struct, frozen=True, kw_only=True):
    """One token of the account; `last_used_at` is exact to the hour."""

    id: int
    name: str
    permissions: list[str]
    user: TokenUser
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class Asset(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of equipment; its custom fields by label, those without a value left out. As a meter it is
    expected to measure from `in_service_from` until `in_service_until`; null says nothing.
    """

    id: str
    project_id: str
    name: str
    asset_type: str | None
    serial_number: str | None
    description: str | None
    custom_fields: dict[str, Value]
    in_service_from: datetime | None
    in_service_until: datetime | None
    created_at: datetime
    updated_at: datetime


class AssetCustomField(msgspec.Struct, frozen=True, kw_only=True):
    """One column that a project adds to its assets."""

    id: int
    project_id: str
    label: str
    value_type: Literal["text", "number", "boolean", "date"]
    created_at: datetime


class AssetImport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the lines of a spreadsheet."""

    created: int
    updated: int
    unchanged: int


class AsyncTask(msgspec.Struct, frozen=True, kw_only=True):
    """One task that a caller polls."""

    id: int
    type: Literal[
        "batch_generation",
        "batch_deletion",
        "uncertainty_run",
        "rule_run",
        "export",
        "data_feed_upload",
        "report_submission",
        "report_bundle",
        "report_notice",
        "registry_catalogue",
    ]
    state: Literal["pending", "running", "complete", "failed"]
    progress: int
    progress_description: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error_message: str | None
    result: Any
    args: dict[str, Any]


class AttemptMade(msgspec.Struct, frozen=True, kw_only=True):
    """One request that was sent, or could not be."""

    at: datetime
    status: int | None
    milliseconds: int
    error: str | None
    answer: str | None


class AuditKey(msgspec.Struct, frozen=True, kw_only=True):
    """The public key of the service, in the forms in which programs take it."""

    origin: str
    verifier_key: str
    ssh_public_key: str


class AuditKeyStatement(msgspec.Struct, frozen=True, kw_only=True):
    """What was said of a key of the audit log, and who signed it (SSHSIG, for `weighbridge-audit-key`)."""

    text: str
    key_signature: str | None
    successor_signature: str


class AuditKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of the account's log, from the first one to the one that signs now."""

    origin: str
    verifier_key: str
    statements: list[AuditKeyStatement]


class AuditRow(msgspec.Struct, frozen=True, kw_only=True):
    """One write: who did what to which object, and what the object was before and after. `number` and `hash`
    are null until the row is sealed, which takes seconds. The hash is that of the row's leaf in the account's
    tree: the SHA-256 of a zero byte and the canonical JSON of all other fields but `user_name`.
    """

    id: int
    number: int | None
    at: datetime
    project_id: str | None
    user_id: int | None
    user_name: str | None
    token_id: int | None
    request_id: str
    action: str
    object: str
    before: Any
    after: Any
    hash: str | None


class AuditWitness(msgspec.Struct, frozen=True, kw_only=True):
    """A witness of the audit log, and how it fares with the log of the account."""

    name: str
    verifier_key: str
    size: int
    asked_at: datetime | None
    failure: str | None
    failing_since: datetime | None


class AuditWitnesses(msgspec.Struct, frozen=True, kw_only=True):
    """The witnesses of the audit log."""

    witnesses: list[AuditWitness]


class BalanceAtRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a ledger held and was short of, as known at a row of the audit log."""

    number: int
    known_at: datetime | None
    balance: Decimal
    deficit: Decimal


class BalanceStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step by which the balance of a ledger moved, or one that led to such a step."""

    number: int
    known_at: datetime
    kind: Literal[
        "delivered",
        "delivered_late",
        "corrected",
        "approved",
        "voided",
        "inputs_changed",
        "generated",
        "regenerated",
        "deleted",
        "entered",
        "withdrawn",
        "returned",
        "reserved",
        "released",
        "reported",
        "restated",
    ]
    action: str | None
    object: str | None
    user_name: str | None
    record_count: int
    record_ids: list[str]
    amount: Decimal
    deficit_amount: Decimal
    balance: Decimal
    deficit: Decimal


class BalanceSteps(msgspec.Struct, frozen=True, kw_only=True):
    """The steps from what was known of a ledger at one row of the audit log to what was known at another."""

    ledger: str
    unit: str
    opening: BalanceAtRow
    closing: BalanceAtRow
    data: list[BalanceStep]


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """One batch."""

    id: str
    numeric_id: int
    project_id: str
    ledger_id: str
    tracking_id: str
    start_time: datetime
    end_time: datetime
    state: Literal["complete", "processing"]
    error_message: str | None
    adjusts: str | None
    adjusted_by: list[str]
    feedstocks: list[str]
    assets: list[str]
    primary_output: PrimaryOutput
    ledger_balance: Decimal
    run_total: Decimal
    measured_share: Decimal | None
    value_source_shares: ValueSourceShares | None
    uncertainty: BatchUncertainty | None
    model: BatchModel | None
    engine_revision: int | None
    model_run: BatchModelRun | None
    allocations: list[BatchAllocation]
    downstream_batch_allocations: list[BatchAllocation]
    report_allocations: list[BatchReportAllocation]
    input_data: list[InputRow]
    input_data_count: int
    input_data_is_complete: bool
    input_data_next: str | None
    has_rule_alerts: bool
    has_rule_warnings: bool
    is_stale: bool
    stale_reasons: list[StaleReason]
    waiting_event_count: int
    pending_proposal_count: int
    conditions: list[Literal["stale", "not_counted_yet", "waiting_for_approval", "up_to_date", "reported"]]
    created_at: datetime
    updated_at: datetime
    ui_url: str


class BatchAllocation(msgspec.Struct, frozen=True, kw_only=True):
    """So much of a batch was drawn for another, in the unit of the ledger that it was drawn from."""

    amount: Decimal
    unit: str
    batch_id: str
    ledger_id: str
    tracking_id: str


class BatchCredit(msgspec.Struct, frozen=True, kw_only=True):
    """What the ledger is credited with: what was computed, less a discount for its uncertainty. In the
    ledger's unit; `credited_amount` is `run_total`.
    """

    computed_amount: Decimal
    discount: Decimal
    credited_amount: Decimal
    standard_deviations: Decimal | None
    percentile: Decimal | None
    factor: Decimal


class BatchMadeStale(msgspec.Struct, frozen=True, kw_only=True):
    """A batch that the change would leave stale until its slot is generated again."""

    batch_id: str
    ledger_id: str
    reasons: list[StaleReason]
    tracking_id: str
    ledger_name: str


class BatchModel(msgspec.Struct, frozen=True, kw_only=True):
    """The model version that made a batch, by id and by the digest of its document."""

    id: str
    name: str
    version: int
    sha256: str


class BatchModelRun(msgspec.Struct, frozen=True, kw_only=True):
    """The run that made a batch; its own path gives the values of all nodes."""

    id: str
    state: Literal["complete"]


class BatchReportAllocation(msgspec.Struct, frozen=True, kw_only=True):
    """So much of a batch is held by a report, reserved or posted."""

    allocation: AllocatedTotal
    amount: Decimal
    unit: str
    report: AllocatedReport


class BatchUncertainty(msgspec.Struct, frozen=True, kw_only=True):
    """How uncertain the computed amount is, to first order, in the ledger's unit. That is `run_total`, if the
    model has no discount.
    """

    standard_uncertainty: Decimal
    degrees_of_freedom: Decimal | None
    degrees_of_freedom_reason: Literal["infinite", "correlated"] | None
    coverage_probability: Decimal
    coverage_factor: Decimal
    expanded_uncertainty: Decimal
    low: Decimal
    high: Decimal
    budget: list[UncertaintyLine]
    budget_count: int
    credit: BatchCredit | None


class BrowsedNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node of a server's address space."""

    node: str
    name: str
    is_variable: bool
    data_type: str | None = None
    value: str | None = None


class Browsing(msgspec.Struct, frozen=True, kw_only=True):
    """A question about the address space of a server, and its answer."""

    number: int
    source: str
    node: str
    asked_at: datetime
    answer: BrowsingAnswer | None


class BrowsingAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent found below a node."""

    number: int
    error: str | None = None
    children: list[BrowsedNode] | None = None
    is_cut: bool | None = None


class BulkInfo(msgspec.Struct, frozen=True, kw_only=True):
    """How many events a bulk request stored."""

    items: int


class BundleResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a finished bundle, and what the audit log says of it."""

    report: str
    sha256: str
    file_size_bytes: int
    batch_count: int
    redacted: bool
    time_stamped: bool


class Calculation(msgspec.Struct, frozen=True, kw_only=True):
    """What a node came to: a number, a list for an array, or null for an optional node without data."""

    id: int
    name: str
    slug: str
    value: Any
    unit: str
    ghg: str | None
    lca_role: str | None
    category: str | None


class CalendarWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The members of periods of the project's calendar, the last of which holds the record."""

    kind: Literal["calendar"]
    unit: Literal["day", "week", "month", "quarter", "year"]
    value: int | None = None
    extent: Literal["to_date", "whole_period"] | None = None
    where: str | None = None
    same: str | None = None


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """How well the readings of a meter are known from one moment to another, as its certificate says."""

    id: str
    project_id: str
    name: str
    asset_id: str | None
    event_type_id: str
    data_point_type: str
    valid_from: datetime
    valid_until: datetime | None
    uncertainty: StatedUncertainty
    as_found: Decimal | None
    as_left: Decimal | None
    error_unit: str | None
    evidence_id: int | None
    evidence: EventEvidence | None
    notes: str | None
    created_at: datetime
    updated_at: datetime


class CaptureFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How many slots of the cadence were expected, and what became of them."""

    expected: int
    received: int
    valid: int
    substituted: int
    missing: int
    imputed: int
    capture_rate: Decimal | None
    seconds_expected: Decimal | None
    seconds_valid: Decimal | None
    capture_rate_by_time: Decimal | None


class CaptureRate(msgspec.Struct, frozen=True, kw_only=True):
    """The capture rate of an event type over a range of time, in total, by meter and by period."""

    event_type_id: str
    period: Literal["day", "month", "quarter"]
    start_time: datetime
    end_time: datetime
    total: CaptureFigures
    meters: list[MeterCapture]
    data: list[PeriodCapture]


class CatalogueRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record of a registry that a mapping may name."""

    kind: Literal[
        "project",
        "removal_template",
        "component_blueprint",
        "feedstock_type",
        "storage_location",
        "facility",
        "monitoring_requirement",
    ]
    record_id: str
    parent: str
    name: str
    contents: dict[str, Any]
    read_at: datetime


class CatalogueResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a finished reading."""

    registry_id: int
    records: int


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One key whose value differs; null where it is not there."""

    key: str
    before: Any
    after: Any


class ChangePage(msgspec.Struct, frozen=True, kw_only=True):
    """Changes in the order of the feed."""

    data: list[FeedChange]
    cursor: str
    has_more: bool


class ChangedNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node that both versions have, and what about it differs."""

    slug: str
    changes: list[Change]


class CheckedFootprint(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a footprint that was sent to be checked."""

    findings: list[FootprintFinding]


class ComparedBatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a run comes to on one ledger by either version."""

    ledger_id: str
    primary_output_before: Decimal | None
    primary_output_after: Decimal | None
    unit: str


class ComparedLedger(msgspec.Struct, frozen=True, kw_only=True):
    """What all runs of the period come to on one ledger by either version."""

    ledger_id: str
    name: str
    batch_count: int
    primary_output_before: Decimal | None
    primary_output_after: Decimal
    unit: str


class ComparedNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node of a run that comes to something else, has another unit, or is in one version only."""

    slug: str
    name: str
    value_before: Any
    value_after: Any
    unit_before: str | None
    unit_after: str | None


class ComparedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A slot and partition that the versions do not agree on."""

    project_id: str
    partition: str | None
    start_time: datetime
    end_time: datetime
    batches: list[ComparedBatch]
    nodes: list[ComparedNode]


class ComparedVersions(msgspec.Struct, frozen=True, kw_only=True):
    """What a version would have come to over a period, against another one, on the data as they are now."""

    model: ModelName
    against: ModelName
    start_time: datetime
    end_time: datetime
    ledgers: list[ComparedLedger]
    runs: list[ComparedRun]
    problems_before: list[str]
    problems_after: list[str]
    impact: GenerationImpact


class Complaint(msgspec.Struct, frozen=True, kw_only=True):
    """One thing about a document: a sentence, where it stands, the node it is about and its kind."""

    message: str
    line: int
    column: int
    node: str | None
    code: str


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """One correction: of a data point, or of a field of the event itself. `source` is manual, adjustment or
    substitution; `state` is in_force, superseded or reverted. Either a person reverted it, or the run of its
    rule that found it to apply no more.
    """

    id: int
    event_id: str
    data_point_id: str | None
    field: str | None
    from_value: Any
    to_value: Any
    source: Literal["manual", "adjustment", "substitution"]
    state: Literal["in_force", "superseded", "reverted"]
    reason: str | None
    rule_id: str | None
    rule_version: int | None
    rule_run_id: int | None
    corrected_by: str
    token: str | None
    created_at: datetime
    reverted_at: datetime | None
    reverted_by: str | None
    reverted_by_rule_run_id: int | None


class DataFeed(msgspec.Struct, frozen=True, kw_only=True):
    """How the files of one source are read."""

    id: int
    project_id: str
    name: str
    event_type_id: str
    columns: list[FeedColumn]
    other_columns: Literal["refuse", "leave_out"]
    time_zone: str | None
    time_format: str | None
    rows_in_order: bool
    files_in_order: bool
    duration: str | None
    decimal_mark: Literal[".", ","]
    thousands_separator: Literal["none", ".", ",", "space", "'"]
    below_limit: Literal["refuse", "limit", "half", "zero"]
    above_limit: Literal["refuse", "limit"]
    encoding: str
    delimiter: str
    header_line: int
    units_line: bool
    sheet: str | None
    archive_files: str | None
    skip_rows: list[str]
    tag_column: str | None
    value_column: str | None
    missing: list[str]
    formulas: Literal["refuse", "take_stored"]
    location_ids: list[str]
    feedstock_id: str | None
    asset_id: str | None
    client_reference: Literal["row", "time", "column"]
    bad_rows: Literal["refuse_file", "skip"]
    on_difference: Literal["report", "correct"]
    watch: str | None
    watch_problem: str | None
    created_at: datetime
    updated_at: datetime


class DataFeedUpload(msgspec.Struct, frozen=True, kw_only=True):
    """A file that came to a data feed, and what became of it."""

    id: int
    project_id: str
    data_feed_id: int
    state: Literal["pending", "running", "complete", "failed"]
    async_task_id: int
    progress: int
    error_message: str | None
    file_name: str
    file_size_bytes: int
    sha256: str
    place: str | None
    dry_run: bool
    on_difference: Literal["report", "correct"] | None
    corrects: int | None
    same_as: int | None
    mapping: dict[str, str] | None
    rows: int | None
    stored: int | None
    already_there: int | None
    differing: int | None
    corrected: int | None
    incomplete: int | None
    bad_rows: int | None
    formulas: int | None
    first_start: datetime | None
    last_end: datetime | None
    problems: list[UploadProblem] | None
    created_at: datetime
    finished_at: datetime | None


class DataPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One measured value; `raw_value` is as captured and never changes, `value` is as corrected."""

    id: str
    slug: str
    data_point_type: str
    value_type: Literal["number", "string", "boolean"]
    value: Value
    raw_value: Value
    unit: str | None
    status: Literal["complete"]
    substituted: bool
    imputed: bool
    substitution: Substitution | None
    value_source: Literal["captured", "manual", "adjusted", "substituted", "imputed"]
    corrections_count: int
    corrections_total: int
    rule_results: list[DataPointResult]
    event: DataPointEvent
    created_at: datetime
    updated_at: datetime
    uncertainty: StatedUncertainty | None = None


class DataPointEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The event that carries a data point."""

    project_id: str
    id: str
    slug: str
    tracking_id: str | None
    start_time: datetime
    end_time: datetime


class DataPointResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a version of a rule found in one data point."""

    id: str
    status: Literal["fail", "error", "dismissed", "pass"]
    entered_value: str | None
    error_message: str | None
    rule_id: str
    rule_version: int
    rule_name: str
    severity: Literal["warn", "fail"]
    message: str | None
    event_id: str | None
    data_point_id: str | None
    data_point_slug: str
    evaluated_at: datetime
    created_at: datetime
    superseded_by_version: int | None
    dismissed_at: datetime | None
    dismissed_by: str | None
    dismissal_reason: str | None
    approval_state: Literal["pending", "approved", "rejected", "withdrawn", "superseded"] | None
    proposed_correction: ProposedCorrection | None
    rejected_at: datetime | None
    rejected_by: str | None
    rejection_reason: str | None
    proposed_event: ProposedEvent | None = None
    approved_at: datetime | None = None
    approved_by: str | None = None
    approval_comment: str | None = None


class DataPointResultOrModelRunResult(msgspec.Struct, frozen=True, kw_only=True):
    """DataPointResult or ModelRunResult; a field that only one of them has is None on the other."""

    id: str
    status: Literal["fail", "error", "dismissed", "pass"]
    entered_value: str | None = None
    error_message: str | None
    rule_id: str
    rule_version: int
    rule_name: str
    severity: Literal["warn", "fail"]
    message: str | None
    event_id: str | None = None
    data_point_id: str | None = None
    data_point_slug: str | None = None
    evaluated_at: datetime
    created_at: datetime
    superseded_by_version: int | None
    dismissed_at: datetime | None
    dismissed_by: str | None
    dismissal_reason: str | None
    approval_state: Literal["pending", "approved", "rejected", "withdrawn", "superseded"] | None = None
    proposed_correction: ProposedCorrection | None = None
    rejected_at: datetime | None = None
    rejected_by: str | None = None
    rejection_reason: str | None = None
    proposed_event: ProposedEvent | None = None
    approved_at: datetime | None = None
    approved_by: str | None = None
    approval_comment: str | None = None
    checked_value: str | None = None
    node_ids: list[str] | None = None
    model_run_id: str | None = None
    batch_id: str | None = None


class DataPointType(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of value that events of the type carry."""

    id: int
    slug: str
    name: str
    value_type: Literal["number", "string", "boolean"]
    unit: str | None
    required: bool
    uncertainty: StatedUncertainty | None
    is_static: bool
    nexus_event_type_id: int
    created_at: datetime
    updated_at: datetime


class DecidedResults(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a bulk approval or rejection, each once, in the order in which they were named."""

    data: list[DataPointResultOrModelRunResult]


class Deficits(msgspec.Struct, frozen=True, kw_only=True):
    """The answer: not a page, for what is short is meant to be put right."""

    data: list[PartitionDeficit]


class DeletionBlocker(msgspec.Struct, frozen=True, kw_only=True):
    """One reason why a run stays, and the records that are in the way."""

    code: Literal["batch"]
    message: str
    records: list[str]


class DeletionResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a finished deletion."""

    deleted: list[str]
    ended_inputs: list[EndedInput]
    stands_above: list[StandsAbove]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between two versions: nodes by their slugs, and everything that stands outside nodes."""

    before: str
    after: str
    added: list[str]
    removed: list[str]
    changed: list[ChangedNode]
    settings: list[Change]


class Dismissed(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a bulk dismissal, each once, in the order in which they were named."""

    data: list[DataPointResultOrModelRunResult]


class DrawnIn(msgspec.Struct, frozen=True, kw_only=True):
    """What the runs of a partition drew from another ledger, less what they gave back."""

    ledger: str
    name: str
    unit: str
    amount: Decimal


class EndedInput(msgspec.Struct, frozen=True, kw_only=True):
    """What was named or skipped for a slot whose last batch is gone: from now on it discovers its data."""

    slot: str
    data_point_type_id: int
    data_point_type: str
    skipped: bool
    named: bool


class Engagement(msgspec.Struct, frozen=True, kw_only=True):
    """One engagement of a verifier on a report."""

    id: int
    report_id: str
    state: Literal["open", "concluded", "withdrawn"]
    verifier: str
    scope: str
    criteria: str
    assurance: Literal["reasonable", "limited"]
    materiality_percent: Decimal | None
    materiality_amount: Decimal | None
    strata: list[SampleStratum]
    population_count: int
    population_sha256: str
    log_rows: int
    log_root: str
    seed_text: str | None
    seed: str | None
    sample_count: int
    drawn_at: datetime | None
    effect: FindingsEffect
    findings: list[VerifierFinding]
    opinion: Opinion | None
    created_by: str
    created_at: datetime
    ended_at: datetime | None


class Engagements(msgspec.Struct, frozen=True, kw_only=True):
    """The engagements on a report, the oldest first."""

    data: list[Engagement]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One event with its data points, locations and evidence."""

    id: str
    slug: str
    event_type: str
    event_type_id: str
    project_id: str
    tracking_id: str | None
    client_reference: str | None
    notes: str | None
    start_time: datetime
    end_time: datetime
    status: Literal["complete", "incomplete"]
    missing: list[str]
    feedstock: EventFeedstock | None
    asset: EventAsset | None
    data_points: list[EventDataPoint]
    locations: list[Location]
    evidences: list[EventEvidence]
    rolled_up_from: EventReadings | None
    has_rule_alerts: bool
    has_rule_warnings: bool
    created_at: datetime
    updated_at: datetime
    ui_url: str


class EventAsset(msgspec.Struct, frozen=True, kw_only=True):
    """The asset that an event is tagged with."""

    id: str
    name: str


class EventDataPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A measured value inside its event; `raw_value` is as captured and never changes."""

    id: str
    slug: str
    data_point_type: str
    value: Value
    raw_value: Value
    unit: str | None
    status: Literal["complete"]
    substituted: bool
    imputed: bool
    substitution: Substitution | None
    value_source: Literal["captured", "manual", "adjusted", "substituted", "imputed"]
    corrections_count: int
    corrections_total: int
    rule_results: list[DataPointResult]
    uncertainty: StatedUncertainty | None = None


class EventEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """A file or link inside its event."""

    id: int
    type: Literal["file", "url"]
    url: str
    name: str


class EventFeedstock(msgspec.Struct, frozen=True, kw_only=True):
    """The feedstock that an event is tagged with."""

    id: str
    name: str


class EventReadings(msgspec.Struct, frozen=True, kw_only=True):
    """The readings that a rolled-up event is made of: those of its source that begin in its time and have its
    tags; list them with the filter `rolled_up_event_id`.
    """

    event_type_id: str
    event_type: str
    start_time: datetime
    end_time: datetime
    readings: int
    valid_readings: int
    expected_readings: int | None
    valid_share: Decimal | None


class EventReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """What a bulk request gets back for each event, in the order sent."""

    id: str
    status: Literal["complete", "incomplete"]
    missing: list[str] | None = None


class EventReceipts(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a bulk request."""

    data: list[EventReceipt]
    info: BulkInfo


class EventType(msgspec.Struct, frozen=True, kw_only=True):
    """One event type with its data point types, in their order."""

    id: str
    slug: str
    name: str
    description: str | None
    cadence_amount: int | None
    cadence_unit: Literal["minute", "hour", "day", "week", "month"] | None
    valid_when: str | None
    reusable_in_batches: bool
    expected_locations: Literal["none", "one", "two"]
    requires_tracking_id: bool
    is_static: bool
    data_point_types: list[DataPointType]
    rolled_up_from: RollUp | None
    created_at: datetime
    updated_at: datetime
    ui_url: str


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One file or link of an event; size in bytes, content type and SHA-256 are those of a file."""

    id: int
    type: Literal["file", "url"]
    url: str
    name: str
    size: int | None = None
    content_type: str | None = None
    sha256: str | None = None


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """A list as a file."""

    id: str
    status: Literal["pending", "completed", "failed", "expired"]
    format: Literal["csv", "json", "jsonl", "parquet", "xlsx"]
    download_url: str | None
    file_size_bytes: int | None
    rows: int | None
    sha256: str | None
    expires_at: datetime | None
    async_task_id: int
    created_at: datetime


class ExportResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the task of an export says it came to."""

    export_id: str
    rows: int


class FeatureFlags(msgspec.Struct, frozen=True, kw_only=True):
    """Every flag that affects the interface; false for those that are off."""

    rules_engine: bool
    data_capture_rate: bool
    approval_of_own: bool | None = None
    footprint_exchange: bool | None = None


class FeedChange(msgspec.Struct, frozen=True, kw_only=True):
    """One record was changed; how it is now says the record itself."""

    cursor: str
    kind: Literal[
        "event", "correction", "batch", "async_task", "rule_result", "report", "ledger", "footprint"
    ]
    action: Literal["create", "update", "delete", "void", "restore", "revert", "start", "complete", "fail"]
    id: str
    project_id: str | None
    at: datetime


class FeedColumn(msgspec.Struct, frozen=True, kw_only=True):
    """What one column of a file gives."""

    column: str
    field: str
    unit: str | None = None
    flag: str | None = None


class Feedstock(msgspec.Struct, frozen=True, kw_only=True):
    """One raw material of a project."""

    id: str
    project_id: str
    name: str
    description: str | None
    created_at: datetime
    updated_at: datetime


class FilledSlot(msgspec.Struct, frozen=True, kw_only=True):
    """An event that a rule made for a slot of the gap, or a value of which a rule substituted."""

    event_id: str
    start_time: datetime
    value_source: Literal["imputed", "substituted"]
    values: dict[str, Value]
    substitutions: dict[str, Substitution]


class FilledValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that a rule put into a gap, and how it was found."""

    id: int
    event_id: str
    data_point_id: str
    slug: str
    asset_id: str | None
    location_id: str | None
    name: str | None
    start_time: datetime
    slot_start_time: datetime
    slot_end_time: datetime
    value_source: Literal["substituted", "imputed"]
    value: Decimal
    captured_value: Decimal | None
    rule_id: str
    rule_version: int
    rule_run_id: int | None
    method: Literal[
        "constant",
        "previous",
        "next",
        "mean_before_after",
        "linear",
        "mean",
        "median",
        "minimum",
        "maximum",
        "percentile",
        "mean_plus_sd",
        "confidence_limit",
        "greater_of",
        "lesser_of",
        "expression",
    ]
    found_by: Literal[
        "constant",
        "previous",
        "next",
        "mean_before_after",
        "linear",
        "mean",
        "median",
        "minimum",
        "maximum",
        "percentile",
        "mean_plus_sd",
        "confidence_limit",
        "greater_of",
        "lesser_of",
        "expression",
    ]
    tier: int
    code: str | None
    window: dict[str, Any] | None
    members_used: int
    availability: Decimal | None
    gap_slots: int
    created_at: datetime


class FillingCalendarWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The values of periods of the project's calendar, the last of which holds the slot."""

    kind: Literal["calendar"]
    unit: Literal["day", "week", "month", "quarter", "year"]
    value: int | None = None
    extent: Literal["to_date", "whole_period"] | None = None
    where: str | None = None
    same: str | None = None


class FillingMethod(msgspec.Struct, frozen=True, kw_only=True):
    """How the value of a slot is found that needs one; each method takes some of these fields."""

    method: Literal[
        "constant",
        "previous",
        "next",
        "mean_before_after",
        "linear",
        "mean",
        "median",
        "minimum",
        "maximum",
        "percentile",
        "mean_plus_sd",
        "confidence_limit",
        "greater_of",
        "lesser_of",
        "expression",
    ]
    value: Decimal | None = None
    expression: str | None = None
    window: Any = None
    p: Decimal | None = None
    definition: Literal["nearest_rank", "naaqs", "eu_97_101", "inclusive", "linear", "exclusive"] | None = (
        None
    )
    factor: Decimal | None = None
    deviation: Literal["sample", "population"] | None = None
    confidence: Decimal | None = None
    methods: list[FillingMethod] | None = None
    without_after: Any = None
    without_before: Any = None
    after_within: Literal["day", "week", "month", "quarter", "year"] | None = None
    without_members: FillingMethod | None = None


class FillingOperation(msgspec.Struct, frozen=True, kw_only=True):
    """Events of another type that say whether the meter was operating while they lasted."""

    event_type: str
    where: str


class FillingRounding(msgspec.Struct, frozen=True, kw_only=True):
    """To how many places values are rounded, and which way."""

    places: int
    mode: Literal["half_up", "half_even"]


class FillingTier(msgspec.Struct, frozen=True, kw_only=True):
    """A method, when it is taken, and the code by which a regime knows it."""

    method: Literal[
        "constant",
        "previous",
        "next",
        "mean_before_after",
        "linear",
        "mean",
        "median",
        "minimum",
        "maximum",
        "percentile",
        "mean_plus_sd",
        "confidence_limit",
        "greater_of",
        "lesser_of",
        "expression",
    ]
    value: Decimal | None = None
    expression: str | None = None
    window: Any = None
    p: Decimal | None = None
    definition: Literal["nearest_rank", "naaqs", "eu_97_101", "inclusive", "linear", "exclusive"] | None = (
        None
    )
    factor: Decimal | None = None
    deviation: Literal["sample", "population"] | None = None
    confidence: Decimal | None = None
    methods: list[FillingMethod] | None = None
    without_after: Any = None
    without_before: Any = None
    after_within: Literal["day", "week", "month", "quarter", "year"] | None = None
    without_members: FillingMethod | None = None
    when: str | None = None
    code: str | None = None
    uncertainty: StatedUncertainty | None = None


class FillingWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The values before a slot: those of a stretch of clock time, the last so many, or both."""

    kind: Literal["rolling", "trailing"]
    duration: WindowDuration | None = None
    members: int | None = None
    where: str | None = None
    same: str | None = None


class FindingsEffect(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of open findings on the total of the report."""

    signed: Decimal
    absolute: Decimal
    threshold: Decimal
    is_material: bool
    total: Decimal
    unit: str
    open_requests: int


class FirstOrderResult(msgspec.Struct, frozen=True, kw_only=True):
    """The same by the law of propagation (JCGM 100), in the `unit` of the run."""

    estimate: Decimal
    standard_uncertainty: Decimal
    coverage_factor: Decimal
    expanded_uncertainty: Decimal
    low: Decimal
    high: Decimal


class FollowingRule(msgspec.Struct, frozen=True, kw_only=True):
    """An automatic rule that corrects unasked, and that would evaluate what the change touches."""

    rule_id: str
    name: str
    purpose: Literal["alert", "adjust", "substitute", "impute"]


class Footprint(msgspec.Struct, frozen=True, kw_only=True):
    """A footprint of a product, as it was made; nothing of it changes but its status."""

    id: str
    product_id: int
    project_id: str
    batch_id: str | None
    report_id: str | None
    status: Literal["Active", "Deprecated"]
    preceding_ids: list[str]
    content: dict[str, Any]
    primary_data_share_reason: str | None
    findings: list[FootprintFinding]
    valid_from: datetime
    valid_until: datetime
    created_at: datetime
    deprecated_at: datetime | None
    deprecated_reason: str | None


class FootprintCall(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent to a partner or read from it, and how far it came."""

    id: int
    partner_id: int
    kind: Literal["published", "request_created", "request_fulfilled", "request_rejected", "read"]
    content: dict[str, Any]
    state: Literal["pending", "delivered", "failed"]
    attempt_count: int
    next_attempt_at: datetime | None
    last_error: str | None
    created_at: datetime
    ended_at: datetime | None


class FootprintClient(msgspec.Struct, frozen=True, kw_only=True):
    """A client that may read the footprints of the account and send events to it."""

    id: int
    name: str
    client_id: str
    partner_id: int | None
    created_at: datetime
    revoked_at: datetime | None


class FootprintEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event that a client sent, as it came."""

    id: int
    client_id: int
    type: str
    source: str
    event_id: str
    content: dict[str, Any]
    received_at: datetime


class FootprintFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a footprint, or does not add up."""

    code: Literal["missing", "form", "sum", "order", "range", "conflict"]
    field: str
    message: str
    difference: Decimal | None


class FootprintPartner(msgspec.Struct, frozen=True, kw_only=True):
    """The host of a partner, from which footprints are read and to which events are sent."""

    id: int
    name: str
    address: str
    token_address: str
    client_id: str
    is_notified: bool
    created_at: datetime
    updated_at: datetime


class FootprintProduct(msgspec.Struct, frozen=True, kw_only=True):
    """A product of which footprints are made, and how these follow from what was produced."""

    id: int
    name: str
    company_name: str
    company_ids: list[str]
    product_ids: list[str]
    product_classifications: list[str]
    description: str
    comment: str | None
    declared_unit: Literal[
        "liter",
        "kilogram",
        "cubic meter",
        "kilowatt hour",
        "megajoule",
        "ton kilometer",
        "square meter",
        "piece",
        "hour",
        "megabit second",
    ]
    declared_amount: Decimal
    mass_per_declared_unit: Decimal
    geography: str | None
    quantity: str
    amounts: dict[str, str]
    properties: dict[str, Any]
    exempted_percent: Decimal
    states_primary_data_share: bool
    valid_months: int
    created_at: datetime
    updated_at: datetime


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """Expected slots of one meter, one after another, without a valid value."""

    asset_id: str | None
    location_id: str | None
    name: str | None
    start_time: datetime
    end_time: datetime
    slots: int
    missing: int
    imputed: int
    substituted: int
    before: GapBorder | None
    after: GapBorder | None
    filled: list[FilledSlot]
    pending_count: int
    proposed: list[ProposedSlot]


class GapBorder(msgspec.Struct, frozen=True, kw_only=True):
    """The valid event that stands beside a gap."""

    event_id: str
    start_time: datetime
    values: dict[str, Value]


class GapCorrection(msgspec.Struct, frozen=True, kw_only=True):
    """How a rule fills gaps that substitutes or imputes: by one method, or by ordered tiers."""

    value: Decimal | None = None
    expression: str | None = None
    window: Any = None
    p: Decimal | None = None
    definition: Literal["nearest_rank", "naaqs", "eu_97_101", "inclusive", "linear", "exclusive"] | None = (
        None
    )
    factor: Decimal | None = None
    deviation: Literal["sample", "population"] | None = None
    confidence: Decimal | None = None
    methods: list[FillingMethod] | None = None
    without_after: Any = None
    without_before: Any = None
    after_within: Literal["day", "week", "month", "quarter", "year"] | None = None
    without_members: FillingMethod | None = None
    method: (
        Literal[
            "constant",
            "previous",
            "next",
            "mean_before_after",
            "linear",
            "mean",
            "median",
            "minimum",
            "maximum",
            "percentile",
            "mean_plus_sd",
            "confidence_limit",
            "greater_of",
            "lesser_of",
            "expression",
        ]
        | None
    ) = None
    code: str | None = None
    uncertainty: StatedUncertainty | None = None
    tiers: list[FillingTier] | None = None
    border_where: str | None = None
    operating_where: str | None = None
    operating_from: FillingOperation | None = None
    fill_to_end: bool | None = None
    fill_lacking: bool | None = None
    availability_slots: int | None = None
    round: FillingRounding | None = None
    conservative: Literal["high", "low"] | None = None


class GapSide(msgspec.Struct, frozen=True, kw_only=True):
    """The values on one side of a gap: of a stretch of clock time, the nearest so many, or both."""

    duration: WindowDuration | None = None
    members: int | None = None


class GapWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The values around a gap, which are the same for each of its slots."""

    kind: Literal["around_gap"]
    before: GapSide | None = None
    after: GapSide | None = None
    where: str | None = None
    same: str | None = None


class Gaps(msgspec.Struct, frozen=True, kw_only=True):
    """The gaps of an event type in a range of time."""

    event_type_id: str
    start_time: datetime
    end_time: datetime
    data: list[Gap]


class GenerationImpact(msgspec.Struct, frozen=True, kw_only=True):
    """What generations would change, ledger after ledger down to the last that draws from them."""

    batches: list[ImpactOnBatch]
    ledgers: list[ImpactOnLedger]
    reports: list[ImpactOnReport]
    deficits: list[PartitionDeficit]
    problems: list[str]
    not_followed: list[str]


class GenerationResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a finished generation task."""

    batches: list[str]
    created: int
    adjusted: int
    unchanged: int
    passed_over_slots: list[str]
    not_counted: list[NotCounted]
    pending_proposals: list[PendingProposals]
    pending_evaluations: list[PendingEvaluations]
    pending_roll_ups: list[PendingRollUps]
    left_out: list[LeftOut]
    rounded_away: list[RoundedAwayDraw]
    deficits: list[PartitionDeficit]
    stale_sources: list[StaleSource]
    passed_over_with_data: list[str] | None = None


class GroupRole(msgspec.Struct, frozen=True, kw_only=True):
    """The role of the people in a group of the identity provider."""

    group: str
    role: Literal["administrator", "member", "collector", "reader", "verifier"]
    project_id: str | None = None


class IdentityProvider(msgspec.Struct, frozen=True, kw_only=True):
    """An identity provider by which people of the account sign in (OpenID Connect)."""

    id: int
    name: str
    issuer: str
    client_id: str
    domains: list[str]
    roles: list[GroupRole]
    groups_claim: str
    is_required: bool
    redirect_uri: str
    logout_uri: str
    sign_in_url: str
    failure: str | None
    failing_since: datetime | None
    created_at: datetime
    updated_at: datetime


class Impact(msgspec.Struct, frozen=True, kw_only=True):
    """What would change if a change were made and what it touches generated again."""

    batches: list[ImpactOnBatch]
    ledgers: list[ImpactOnLedger]
    reports: list[ImpactOnReport]
    deficits: list[PartitionDeficit]
    problems: list[str]
    not_followed: list[str]
    stale_batches: list[BatchMadeStale]
    following_rules: list[FollowingRule]


class ImpactOfProposal(msgspec.Struct, frozen=True, kw_only=True):
    """What would change if a proposal were approved and what it touches generated again."""

    batches: list[ImpactOnBatch]
    ledgers: list[ImpactOnLedger]
    reports: list[ImpactOnReport]
    deficits: list[PartitionDeficit]
    problems: list[str]
    not_followed: list[str]
    stale_batches: list[BatchMadeStale]
    following_rules: list[FollowingRule]
    id: str
    approval_state: Literal["pending", "approved", "rejected", "withdrawn", "superseded"] | None


class ImpactOfProposals(msgspec.Struct, frozen=True, kw_only=True):
    """What would change if many proposals were approved together and what they touch generated again."""

    batches: list[ImpactOnBatch]
    ledgers: list[ImpactOnLedger]
    reports: list[ImpactOnReport]
    deficits: list[PartitionDeficit]
    problems: list[str]
    not_followed: list[str]
    stale_batches: list[BatchMadeStale]
    following_rules: list[FollowingRule]
    results: list[ProposalToApprove]


class ImpactOnBatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a run would come to on one ledger if the change were made and the slot generated."""

    batch_id: str | None
    ledger_id: str
    partition: str | None
    start_time: datetime
    end_time: datetime
    primary_output_before: Decimal
    primary_output_after: Decimal
    unit: str


class ImpactOnLedger(msgspec.Struct, frozen=True, kw_only=True):
    """What the changes of a ledger's batches would come to together."""

    ledger_id: str
    name: str
    batch_count: int
    change: Decimal
    unit: str
    primary_output_before: Decimal
    primary_output_after: Decimal


class ImpactOnReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report that includes amounts of runs which would come to something else."""

    report_id: str
    name: str
    status: Literal[
        "draft", "submitting", "submitted", "complete", "rejected", "failed", "superseded", "withdrawn"
    ]
    ledger_id: str
    batch_ids: list[str]
    included: Decimal
    primary_output_before: Decimal
    primary_output_after: Decimal
    uncovered: Decimal
    unit: str
    role: str | None
    sign: int


class Inclusion(msgspec.Struct, frozen=True, kw_only=True):
    """What a report takes from one batch."""

    batch_id: str
    ledger_id: str
    tracking_id: str
    start_time: datetime
    end_time: datetime
    amount: Decimal
    unit: str
    accepted_amount: Decimal | None


class Info(msgspec.Struct, frozen=True, kw_only=True):
    """Where a page stands in its list."""

    items: int
    page_size: int
    total_items: int
    total_is_estimate: bool
    current_page: int | None
    next_page: int | None
    previous_page: int | None
    total_pages: int
    sort: list[str]
    filter: list[str]
    next_cursor: str | None = None


class InputDataPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a batch's input data."""

    data: list[InputRow]
    info: Info


class InputDataPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A value that a batch was made of; of a type that was set aside, a zero without an id."""

    id: str | None
    slug: str
    unit: str | None
    value: Value
    raw_value: Value
    substituted: bool
    imputed: bool
    substitution: Substitution | None
    skipped_input: bool | None = None


class InputEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The event that carries it; its full record is read from its own path."""

    project_id: str
    id: str | None


class InputRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a batch's input data."""

    data_point: InputDataPoint
    event: InputEvent


class InstallationPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What the installation of a package would come to; nothing is stored."""

    name: str
    version: str
    signature: PackageSignature
    lock: list[LockedPackage]
    parts: list[PackagePart]
    problems: list[str]


class InstalledPart(msgspec.Struct, frozen=True, kw_only=True):
    """A record that came with an installed package."""

    kind: Literal["event_type", "static_input", "model", "ledger", "rule", "methodology"]
    key: str
    record_id: str
    origin: Literal["made", "present", "kept"]
    sha256: str
    is_there: bool
    is_changed_here: bool


class Instrument(msgspec.Struct, frozen=True, kw_only=True):
    """One instrument, and what is left of it; its id is that of its batch."""

    id: str
    project_id: str
    ledger_id: str
    external_id: str
    name: str | None
    amount: Decimal
    unit: str
    balance: Decimal
    geography: str | None
    generation_tech: Literal["wind", "solar", "other"] | None
    issued_on: str | None
    purchased_on: str | None
    mass: Decimal | None
    energy_intensity: Decimal | None
    lower_heating_value: Decimal | None
    start_time: datetime
    end_time: datetime
    created_at: datetime
    updated_at: datetime


class InvalidRow(msgspec.Struct, frozen=True, kw_only=True):
    """A bad row as it stands in the file."""

    row: int
    cells: list[str]
    problems: list[UploadProblem]


class InvalidRows(msgspec.Struct, frozen=True, kw_only=True):
    """The first bad rows of an upload, with their cells."""

    header: list[str]
    rows: list[InvalidRow]
    omitted: int


class IssuedApiToken(msgspec.Struct, frozen=True, kw_only=True):
    """A new token with its text, which is shown this once."""

    id: int
    name: str
    permissions: list[str]
    user: TokenUser
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    token: str | None = None


class IssuedFootprintClient(msgspec.Struct, frozen=True, kw_only=True):
    """A new client with its secret, which is shown this once."""

    id: int
    name: str
    client_id: str
    partner_id: int | None
    created_at: datetime
    revoked_at: datetime | None
    client_secret: str | None = None


class IssuedReportLink(msgspec.Struct, frozen=True, kw_only=True):
    """A new link with its address, which is shown this once."""

    id: int
    report_id: str
    name: str
    is_of_verifier: bool
    status: Literal["open", "expired", "revoked"]
    use_count: int
    last_used_at: datetime | None
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    revoked_by: str | None
    user: TokenUser
    url: str | None = None


class IssuedTicket(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket for the stream of changes."""

    ticket: str
    expires_at: datetime


class IssuedWebhook(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook with its new secret, which is shown this once."""

    id: str
    project_id: str | None
    url: str
    description: str
    change_types: list[
        Literal[
            "event",
            "correction",
            "batch",
            "async_task",
            "rule_result",
            "report",
            "ledger",
            "footprint",
            "event.create",
            "event.update",
            "event.void",
            "event.restore",
            "correction.create",
            "correction.update",
            "correction.revert",
            "batch.create",
            "batch.update",
            "batch.delete",
            "async_task.create",
            "async_task.update",
            "async_task.start",
            "async_task.complete",
            "async_task.fail",
            "rule_result.create",
            "rule_result.update",
            "report.create",
            "report.update",
            "report.delete",
            "ledger.update",
            "footprint.create",
            "footprint.update",
        ]
    ]
    is_enabled: bool
    disabled_at: datetime | None
    disabled_reason: str | None
    failing_since: datetime | None
    cursor: str
    lost_entries: int
    pending_deliveries: int
    old_secrets_until: datetime | None
    created_at: datetime
    updated_at: datetime
    secret: str | None = None


class LastValue(msgspec.Struct, frozen=True, kw_only=True):
    """The last value that an agent had of a variable since it began."""

    variable: str
    time: datetime
    value: str


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """One ledger."""

    id: str
    numeric_id: int
    project_id: str
    name: str
    unit: str
    scale: int
    rounding: Literal["half_even", "down"]
    balance: Decimal
    deficit: Decimal
    open_liability: Decimal
    system_ledger_type: Literal["renewable_energy_credits", "renewable_fuel", "embodied_emissions"] | None
    partition_type: (
        Literal[
            "time", "feedstock", "tracking_id", "asset", "tracking_id_and_feedstock", "tracking_id_and_asset"
        ]
        | None
    )
    cadence: Literal["event", "hourly", "daily", "weekly", "monthly", "quarterly", "annual"] | None
    latest_model: LedgerModel | None
    output: str | None
    asset_category: str | None
    display_places: int | None
    not_counted_yet: NotCountedYet | None
    stale_batch_count: int
    pending_proposal_count: int
    conditions: list[Literal["stale", "not_counted_yet", "waiting_for_approval", "up_to_date", "no_batches"]]
    warnings: list[str]
    created_at: datetime
    updated_at: datetime
    ui_url: str


class LedgerModel(msgspec.Struct, frozen=True, kw_only=True):
    """The active version of the model that a ledger runs."""

    id: str
    name: str


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is not made because nobody named a source for nodes of it that draw by hand."""

    slot: str
    partition: str | None
    nodes: list[str]


class LibraryPackage(msgspec.Struct, frozen=True, kw_only=True):
    """A package that ships with the service."""

    name: str
    version: str
    title: str
    about: str
    licence: str
    documents: list[str]
    measures: list[str]
    sha256: str
    package_id: int | None


class LibraryPackages(msgspec.Struct, frozen=True, kw_only=True):
    """The packages that ship with the service, by name; not a page, for they are few."""

    data: list[LibraryPackage]


class Lineage(msgspec.Struct, frozen=True, kw_only=True):
    """How a batch came about: its model, its nodes, and the measurements behind them."""

    batch: Batch
    nodes: list[LineageNode]


class LineageAttribute(msgspec.Struct, frozen=True, kw_only=True):
    """What a source came to, by one of its outputs."""

    slug: str
    value: Decimal
    unit: str


class LineageDraw(msgspec.Struct, frozen=True, kw_only=True):
    """What a node drew from a batch of another ledger, and what travelled along."""

    batch_id: str
    ledger_id: str
    tracking_id: str
    amount: Decimal
    unit: str
    attributes: list[LineageAttribute]


class LineageInput(msgspec.Struct, frozen=True, kw_only=True):
    """What an input node read, how it was aggregated, and the first of its measurements."""

    event_type: str
    data_point: str
    unit: str | None
    aggregate: Literal[
        "sum", "average", "time_weighted", "min", "max", "count", "first", "last", "median", "delta", "values"
    ]
    weight: str | None
    event_count: int
    rows: list[LineageRow]


class LineageNode(msgspec.Struct, frozen=True, kw_only=True):
    """One node of the model with its value in the batch, and what it was computed from. A node that is an
    array has no value and a number of elements, and shows the elements while they are few.
    """

    slug: str
    name: str
    unit: str
    value: Decimal | None
    whole: Decimal | None
    element_count: int | None
    elements: list[Decimal] | None
    is_output: bool
    is_primary: bool
    equation: str | None
    reads: list[str]
    source: str | None
    input: LineageInput | None
    static_inputs: list[LineageStaticInput]
    draws: list[LineageDraw]
    skipped_input: bool


class LineageRow(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement that a node read, and the event that carries it."""

    data_point_id: str
    value: Value
    weight: Decimal | None
    event_id: str
    tracking_id: str | None
    start_time: datetime
    end_time: datetime


class LineageStaticInput(msgspec.Struct, frozen=True, kw_only=True):
    """A value of the project that a node read."""

    id: int
    value: Decimal
    unit: str | None
    effective_from: datetime


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """One place. Latitude and longitude are degrees, as text so that no digit is lost. As a meter, of events
    without an asset, it is expected to measure from `in_service_from` until `in_service_until`; null says
    nothing.
    """

    id: str
    project_id: str
    name: str
    lat: str | None
    long: str | None
    address: Address | None
    in_service_from: datetime | None
    in_service_until: datetime | None
    created_at: datetime
    updated_at: datetime


class LockedPackage(msgspec.Struct, frozen=True, kw_only=True):
    """A package as it was resolved for an installation."""

    package_id: int
    name: str
    version: str
    sha256: str


class MappedVariable(msgspec.Struct, frozen=True, kw_only=True):
    """A variable of a plant's server, and where its values belong."""

    source: str
    node: str
    event_type: str
    data_point: str
    quality: str
    status: str | None = None
    arrived_at: str | None = None
    asset_id: str | None = None
    feedstock_id: str | None = None
    locations: list[str] | None = None
    tracking_id: str | None = None


class MappingOffer(msgspec.Struct, frozen=True, kw_only=True):
    """The version of its mapping that an agent is to read by."""

    version: int
    digest: str


class MappingState(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent deals with the mapping of its variables from the web app."""

    sources: list[str]
    version: int | None = None
    digest: str | None = None
    refused_version: int | None = None
    problems: list[str] | None = None


class MaterialEffect(msgspec.Struct, frozen=True, kw_only=True):
    """How far one effect moves an amount."""

    effect: str
    owner: str | None
    name: str
    inputs: list[str]
    reach: Decimal
    is_material: bool


class MeterCapture(msgspec.Struct, frozen=True, kw_only=True):
    """What was captured of one meter: an asset, else a location, else the event type itself."""

    asset_id: str | None
    location_id: str | None
    name: str | None
    figures: CaptureFigures


class Methodology(msgspec.Struct, frozen=True, kw_only=True):
    """The rules that reports of one kind follow, in one version."""

    id: int
    name: str
    version: str
    report_type: str
    models: list[MethodologyModel]
    other_versions: Literal["refuse", "note"]
    ledgers: list[MethodologyLedger]
    submission_requirements: list[Literal["no_open_alerts", "evidence"]]
    measured_share_min: Decimal | None
    registry_id: int | None
    mapping: dict[str, Any] | None
    created_at: datetime


class MethodologyLedger(msgspec.Struct, frozen=True, kw_only=True):
    """A role that a ledger plays in the reports of a methodology."""

    role: str
    sign: int
    unit: str


class MethodologyModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that implements a methodology: the versions that it names, or any."""

    id: str
    name: str
    version: int
    versions: list[int]
    version_ids: list[str]


class MethodologyPackage(msgspec.Struct, frozen=True, kw_only=True):
    """A methodology as one file: what is measured, how it is computed, and where every number is from."""

    id: int
    name: str
    version: str
    title: str
    about: str
    licence: str
    publisher: str
    engine_revision: int
    requires: dict[str, str]
    sha256: str
    size_bytes: int
    documents: list[str]
    measures: list[str]
    signature: PackageSignature
    installation_count: int
    user_id: int
    created_at: datetime
    contents: PackageContents | None
    ui_url: str


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a model."""

    id: str
    project_id: str | None
    name: str
    version: int
    version_label: str | None
    description: str | None
    is_latest: bool
    is_active: bool
    cadence: Literal["event", "hourly", "daily", "weekly", "monthly", "quarterly", "annual"]
    partition_type: Literal[
        "time", "feedstock", "tracking_id", "asset", "tracking_id_and_feedstock", "tracking_id_and_asset"
    ]
    order: int
    sha256: str
    created_at: datetime
    updated_at: datetime
    ui_url: str | None


class ModelName(msgspec.Struct, frozen=True, kw_only=True):
    """Which version an answer is about."""

    id: str
    name: str
    version: int


class ModelRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a version; `batch_id` is null for one that stands alone."""

    id: str
    project_id: str
    model_id: str
    batch_id: str | None
    start_time: datetime
    end_time: datetime
    state: Literal["complete", "failed", "processing"]
    error_message: str | None
    calculations: list[Calculation]
    output_data_points: list[OutputDataPoint]
    is_deletable: bool
    deletion_blockers: list[DeletionBlocker]
    created_at: datetime
    updated_at: datetime


class ModelRunResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a version of a rule found in one model run."""

    id: str
    status: Literal["fail", "error", "dismissed", "pass"]
    checked_value: str | None
    error_message: str | None
    rule_id: str
    rule_version: int
    rule_name: str
    severity: Literal["warn", "fail"]
    message: str | None
    node_ids: list[str]
    model_run_id: str
    batch_id: str | None
    evaluated_at: datetime
    created_at: datetime
    superseded_by_version: int | None
    dismissed_at: datetime | None
    dismissed_by: str | None
    dismissal_reason: str | None
    approval_state: Literal["pending", "approved", "rejected", "withdrawn", "superseded"] | None = None
    proposed_correction: ProposedCorrection | None = None
    rejected_at: datetime | None = None
    rejected_by: str | None = None
    rejection_reason: str | None = None
    proposed_event: ProposedEvent | None = None
    approved_at: datetime | None = None
    approved_by: str | None = None
    approval_comment: str | None = None


class NodeUncertainty(msgspec.Struct, frozen=True, kw_only=True):
    """How uncertain an output is, to first order, in its unit."""

    standard_uncertainty: Decimal
    degrees_of_freedom: Decimal | None
    coverage_probability: Decimal
    low: Decimal
    high: Decimal
    credited_amount: Decimal | None


class NodeValue(msgspec.Struct, frozen=True, kw_only=True):
    """What a node came to; a formula stands as it is written and with its values filled in."""

    slug: str
    name: str
    kind: Literal["input", "static_input", "constant", "upstream", "available", "formula"]
    unit: str
    value: Any
    equation: str | None
    filled: str | None
    result: str
    is_output: bool
    uncertainty: NodeUncertainty | None


class NotCounted(msgspec.Struct, frozen=True, kw_only=True):
    """Data in the range that no run uses, and why."""

    reason: str
    event_type: str
    event_count: int
    events: list[str]


class NotCountedYet(msgspec.Struct, frozen=True, kw_only=True):
    """Events in the time of a ledger that no generation has looked at since they were stored or changed."""

    event_count: int
    is_more: bool
    start_time: datetime
    end_time: datetime


class NoticeResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of telling a registry what became of a claim."""

    report_id: str
    reference: str | None
    is_known: bool


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """The signed opinion of a verifier."""

    conclusion: Literal["unmodified", "modified", "adverse", "disclaimer"]
    reasons: str
    statement: str
    signature: str
    public_key: str
    bundle_sha256: str


class Outage(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of time in which nothing is expected of a meter."""

    id: int
    project_id: str
    reason: str
    asset_id: str | None
    location_id: str | None
    event_type_id: str | None
    start_time: datetime
    end_time: datetime | None
    evidence_url: str | None
    created_at: datetime
    updated_at: datetime


class OutputDataPoint(msgspec.Struct, frozen=True, kw_only=True):
    """The value of an output node as a data point; `incomplete` when the node came to nothing."""

    id: str
    slug: str
    data_point_type: str
    value: Any
    unit: str
    status: Literal["complete", "incomplete"]


class OutputDataPointOfRun(msgspec.Struct, frozen=True, kw_only=True):
    """What an output of a model run came to, with the fields of a measured value; it belongs to no event.
    `value` is a list where the node is an array, and null where an optional node had no data. It is computed:
    nothing was captured, and it is never corrected. `batch_id` is null for a run that stands alone.
    """

    id: str
    slug: str
    data_point_type: str
    value_type: Literal["number"]
    value: Any
    raw_value: None
    unit: str
    status: Literal["complete", "incomplete"]
    substituted: bool
    imputed: bool
    substitution: None
    value_source: None
    corrections_count: int
    corrections_total: int
    rule_results: list[DataPointResult]
    event: None
    model_run_id: str
    batch_id: str | None
    start_time: datetime
    end_time: datetime
    created_at: datetime
    updated_at: datetime


class PackageCase(msgspec.Struct, frozen=True, kw_only=True):
    """A worked example of a source, as it was computed when the package was uploaded."""

    name: str
    source: str | None
    values: list[PackageCaseValue]


class PackageCaseValue(msgspec.Struct, frozen=True, kw_only=True):
    """What a case expects of a node."""

    node: str
    expected: str
    actual: str


class PackageContents(msgspec.Struct, frozen=True, kw_only=True):
    """What a package brings, part by part."""

    sources: list[PackageSource]
    event_types: list[PackageEntry]
    static_inputs: list[PackageEntry]
    models: list[PackageModel]
    ledgers: list[PackageEntry]
    rules: list[PackageEntry]
    methodologies: list[PackageEntry]
    samples: list[str]
    page: str


class PackageEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A record that a package brings."""

    key: str
    record: dict[str, Any]
    model: str | None
    source: str | None


class PackageInstallation(msgspec.Struct, frozen=True, kw_only=True):
    """A package that was installed in a project."""

    id: str
    project_id: str
    package_id: int
    name: str
    version: str
    title: str
    lock: list[LockedPackage]
    parts: list[InstalledPart]
    user_id: int
    created_at: datetime
    updated_at: datetime
    ui_url: str


class PackageModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that a package brings."""

    name: str
    title: str
    primary_output: str
    draws_from: list[str]
    sha256: str
    document: str
    cases: list[PackageCase]


class PackagePart(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of a record that a package brings, or brought."""

    package: str
    kind: Literal["event_type", "static_input", "model", "ledger", "rule", "methodology"]
    key: str
    record_id: str | None
    state: Literal["made", "present", "differs", "unchanged", "changed", "changed_here", "removed", "stays"]
    reason: str | None
    differences: list[PartDifference]


class PackageRemoval(msgspec.Struct, frozen=True, kw_only=True):
    """What was removed with an installation, and what stays and why."""

    parts: list[PackagePart]


class PackageSection(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken from a document."""

    section: str
    what: str
    tables: list[str]


class PackageSignature(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of who signed a package."""

    state: Literal["shipped", "known", "unknown", "unsigned"]
    fingerprint: str | None
    publisher: str | None
    sentence: str


class PackageSource(msgspec.Struct, frozen=True, kw_only=True):
    """A document that a package was written from."""

    key: str
    title: str
    edition: str
    url: str
    taken: list[PackageSection]


class PackageUpgrade(msgspec.Struct, frozen=True, kw_only=True):
    """An installation that was brought to another version, and what became of its records."""

    package_installation: PackageInstallation
    parts: list[PackagePart]


class PartDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A field in which a record differs from what a package says."""

    field: str
    before: Any
    after: Any


class PartitionDeficit(msgspec.Struct, frozen=True, kw_only=True):
    """What was drawn from a partition of a ledger beyond what it had produced, until it is settled."""

    ledger: str
    partition: str | None
    start_time: datetime | None
    end_time: datetime
    settled_at: datetime | None
    amount: Decimal


class PartitionStatement(msgspec.Struct, frozen=True, kw_only=True):
    """One partition: opening, plus produced, less drawn out, is closing, deficits counted below zero."""

    partition: str | None
    opening: StandingAt
    produced: Decimal
    of_which_fallen: Decimal
    drawn_in: list[DrawnIn]
    drawn_out: Decimal
    of_which_reported: Decimal
    closing: StandingAt


class PendingEvaluations(msgspec.Struct, frozen=True, kw_only=True):
    """Data in the range that changed, and that a rule which corrects has not looked at yet. A generation has
    such evaluations done before it begins.
    """

    rule_id: str
    rule: str
    event_type: str
    start_time: datetime | None
    end_time: datetime | None


class PendingProposals(msgspec.Struct, frozen=True, kw_only=True):
    """Corrections of data in the range that wait for approval; until then runs use the values as they are."""

    rule_id: str
    rule: str
    event_type: str
    proposal_count: int
    data_points: list[str]
    slots: list[datetime] | None = None


class PendingRollUps(msgspec.Struct, frozen=True, kw_only=True):
    """Rolled-up data in the range that do not follow their readings yet; a generation has that done first."""

    event_type: str
    source: str
    start_time: datetime | None
    end_time: datetime | None


class PeriodCapture(msgspec.Struct, frozen=True, kw_only=True):
    """What was captured in one period, in total and by meter."""

    slot: str
    start_time: datetime
    end_time: datetime
    total: CaptureFigures
    meters: list[MeterCapture]


class PlantAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent at a plant, and what it reported last."""

    id: int
    project_id: str
    name: str
    description: str | None
    quiet_after_seconds: int
    is_quiet: bool
    reported_at: datetime
    version: str
    state: StateOfAgent
    browsing: Browsing | None
    mapping: MappingOffer | None
    created_at: datetime
    updated_at: datetime


class PopulationChanges(msgspec.Struct, frozen=True, kw_only=True):
    """How the population differs from what it was when the engagement began, by the ids of its records."""

    added: list[str]
    removed: list[str]
    changed: list[str]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """One entry for each ledger that the model runs on."""

    data: list[PreviewEntry]


class PreviewEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What generation would do on one ledger."""

    id: str
    name: str
    count: int
    adjustments: int
    slots: list[str]
    touched_slots: list[str]
    passed_over_slots: list[str]
    not_counted: list[NotCounted]
    pending_proposals: list[PendingProposals]
    pending_evaluations: list[PendingEvaluations]
    pending_roll_ups: list[PendingRollUps]
    left_out: list[LeftOut]
    rounded_away: list[RoundedAwayDraw]
    measured_share: Decimal | None
    value_source_shares: ValueSourceShares | None
    deficits: list[PartitionDeficit]
    warnings: list[str]
    stale_sources: list[StaleSource]
    problems: list[str]
    passed_over_with_data: list[str] | None = None


class PreviewProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that keeps a report from being sent by a mapping."""

    message: str
    field: str | None


class PrimaryOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch adds to its run, in its ledger's unit. Of an adjusting batch it is the signed difference
    that it makes: those of a run's batches add up to what the run comes to, and those of a ledger to what it
    produced.
    """

    id: int
    name: str
    unit: str
    value: Decimal


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """One project."""

    id: str
    numeric_id: int
    name: str
    description: str | None
    time_zone: str
    status: Literal["active", "archived"]
    created_at: datetime
    updated_at: datetime
    ui_url: str


class ProposalToApprove(msgspec.Struct, frozen=True, kw_only=True):
    """A rule result that an impact of many names, and what an approval of it would find."""

    id: str
    approval_state: Literal["pending", "approved", "rejected", "withdrawn", "superseded"]


class ProposedCorrection(msgspec.Struct, frozen=True, kw_only=True):
    """The correction that a rule proposes for a value."""

    from_value: Value
    to_value: Value
    substitution: dict[str, Any] | None = None


class ProposedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The event that a rule makes for a slot of a meter in which none came, once someone approves it."""

    event_type_id: str
    slot_start: datetime
    slot_end: datetime
    end_time: datetime
    asset_id: str | None
    location_ids: list[str]
    feedstock_id: str | None
    tracking_id: str | None


class ProposedSlot(msgspec.Struct, frozen=True, kw_only=True):
    """A value that a rule proposes for a slot of the gap, and that waits for approval."""

    rule_result_id: str
    rule_id: str
    event_id: str | None
    start_time: datetime
    data_point_slug: str
    to_value: Value


class ReceivedFootprint(msgspec.Struct, frozen=True, kw_only=True):
    """A footprint of somebody else, as it came; it never changes."""

    id: int
    footprint_id: str
    partner_id: int | None
    client_id: int | None
    content: dict[str, Any]
    sha256: str
    findings: list[FootprintFinding]
    received_at: datetime


class RecordChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a record since the engagement began."""

    what: str
    before: str | None
    after: str | None
    at: datetime
    by: str
    reason: str | None


class Registry(msgspec.Struct, frozen=True, kw_only=True):
    """Where reports go."""

    id: int
    name: str
    adapter: Literal["file", "http", "isometric_certify"]
    address: str | None
    status_address: str | None
    secret_headers: list[str]
    timeout_seconds: int
    tries: int
    poll_seconds: int | None
    created_at: datetime
    updated_at: datetime


class RegistryCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a registry on behalf of a report, and what came back."""

    id: int
    report_id: str
    async_task_id: int | None
    reference: str | None
    method: str
    path: str
    body: str | None
    sent_at: datetime
    answered_at: datetime | None
    http_status: int | None
    answer: str | None


class RegistryFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A number that the registry has otherwise than it was sent."""

    reference: str
    field: str
    sent: str
    received: str | None
    found_at: datetime


class RegistryMapping(msgspec.Struct, frozen=True, kw_only=True):
    """Which records of a registry those of a project become, for the reports of a ledger."""

    id: int
    project_id: str
    registry_id: int
    ledger_id: str
    contents: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class RegistryState(msgspec.Struct, frozen=True, kw_only=True):
    """A state of a statement, as it was first read."""

    status: str
    said_at: datetime


class RegistryStatement(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a report at Isometric Certify."""

    report_id: str
    registry_id: int | None
    statement_id: str | None
    status: str | None
    history: list[RegistryState]
    record_counts: dict[str, int]
    findings: list[RegistryFinding]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One report."""

    id: str
    numeric_id: int
    project_id: str
    name: str
    report_type: str
    status: Literal[
        "draft", "submitting", "submitted", "complete", "rejected", "failed", "superseded", "withdrawn"
    ]
    methodology_id: int | None
    ledger_id: str | None
    ledgers: list[ReportLedger]
    start_time: datetime | None
    end_time: datetime | None
    inclusions: list[Inclusion]
    inclusion_count: int
    amount: Decimal
    liability: Decimal | None
    liability_reason: str | None
    accepted_amount: Decimal | None
    allocation: ReportAllocation | None
    effective_at: datetime | None
    supersedes: str | None
    superseded_by: str | None
    predecessors: list[str]
    successors: list[str]
    summary_of_changes: ReportChanges | None
    history: list[ReportMove]
    alerted_batch_count: int
    warned_batch_count: int
    stale_batch_count: int
    waiting_batch_count: int
    pending_proposal_count: int
    other_version_batch_count: int
    created_at: datetime
    updated_at: datetime
    ui_url: str


class ReportAllocation(msgspec.Struct, frozen=True, kw_only=True):
    """What a report holds of its ledger, reserved or posted."""

    id: int
    amount: Decimal
    unit: str
    created_at: datetime


class ReportChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What a report says otherwise than an earlier one of its chain."""

    compared_with: str
    change: Decimal
    liability_change: Decimal
    data: list[RunRestated]


class ReportLedger(msgspec.Struct, frozen=True, kw_only=True):
    """A ledger that a report of several takes of: it counts toward what is claimed, or is deducted."""

    role: str
    ledger_id: str
    sign: int
    unit: str
    amount: Decimal
    accepted_amount: Decimal | None
    counted: Decimal
    accepted_counted: Decimal | None


class ReportLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link that opens a report to whoever has its address."""

    id: int
    report_id: str
    name: str
    is_of_verifier: bool
    status: Literal["open", "expired", "revoked"]
    use_count: int
    last_used_at: datetime | None
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    revoked_by: str | None
    user: TokenUser


class ReportMateriality(msgspec.Struct, frozen=True, kw_only=True):
    """Which effects can move what a report states by as much as a threshold, in its ledger's unit."""

    report_id: str
    unit: str | None
    stated: AmountUncertainty | None
    threshold: Decimal
    effects: list[MaterialEffect]
    effect_count: int
    together: list[MaterialEffect]
    together_count: int
    together_reach: Decimal | None
    is_fewest: bool


class ReportMove(msgspec.Struct, frozen=True, kw_only=True):
    """Who or what said that a report is in a state, and when."""

    status: Literal[
        "draft", "submitting", "submitted", "complete", "rejected", "failed", "superseded", "withdrawn"
    ]
    said_at: datetime
    said_by: str
    adapter: str | None
    reason: str | None
    reference: str | None
    amount: Decimal | None


class ReportPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a report would be sent as."""

    report_id: str
    media_type: str | None
    size_bytes: int | None
    text: str | None
    is_cut: bool
    problems: list[PreviewProblem]
    roundings: list[RoundedNumber]
    rounding_count: int


class ReportUncertainty(msgspec.Struct, frozen=True, kw_only=True):
    """How uncertain what a report states is, with what its batches share, in its ledger's unit."""

    report_id: str
    unit: str | None
    stated: AmountUncertainty | None
    accepted: AmountUncertainty | None
    compared_with: str | None
    before: AmountUncertainty | None
    is_coverage_probability_shared: bool | None
    unknown_batch_count: int
    unknown_batches: list[str]
    budget: list[UncertaintyLine]
    budget_count: int


class RequiredInput(msgspec.Struct, frozen=True, kw_only=True):
    """One input that a ledger's model needs: data points of events, a static input, or draws of a ledger."""

    id: int
    name: str
    slug: str
    unit: str
    value_type: Literal["number"]
    category: Literal["event", "static_input", "ledger"]
    subcategory: str
    is_manual_select: bool
    allocation_groups: list[AllocationGroup]
    output_of_ledgers: list[SourceLedger]


class RequiredInputs(msgspec.Struct, frozen=True, kw_only=True):
    """The answer: not a page, for a model has few inputs."""

    data: list[RequiredInput]


class RollUp(msgspec.Struct, frozen=True, kw_only=True):
    """From which readings the events of a type are made, slot by slot of its cadence."""

    event_type: str
    data_points: list[RolledUpValue]
    valid_share_min: Decimal | None = None


class RolledUpValue(msgspec.Struct, frozen=True, kw_only=True):
    """What one value of a rolled-up event is made of."""

    data_point: str
    aggregate: Literal["sum", "average", "min", "max", "median", "first", "last", "count"]
    source: str | None = None


class RollingWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The members before a record: those of a stretch of clock time, or the last so many."""

    kind: Literal["rolling", "trailing"]
    duration: WindowDuration | None = None
    members: int | None = None
    include_current: bool | None = None
    where: str | None = None
    same: str | None = None


class RoundedAwayDraw(msgspec.Struct, frozen=True, kw_only=True):
    """A draw of nothing where something was needed: it rounds to zero at the scale of the ledger."""

    slot: str
    partition: str | None
    node: str
    ledger: str
    needed: Decimal


class RoundedNumber(msgspec.Struct, frozen=True, kw_only=True):
    """A number that is written with fewer digits than it has."""

    place: str
    field: str
    exact: Decimal
    written: Decimal
    difference: Decimal


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One data rule, as its newest version has it."""

    id: str
    project_id: str
    name: str
    version: int
    status: Literal["scheduled", "active", "ended"]
    target: Literal["data_point", "model_run"]
    expression: str
    data_point: str | None
    event_type: str | None
    event_type_id: str | None
    asset: str | None
    asset_id: str | None
    model: str | None
    model_id: str | None
    message: str | None
    evaluation: Literal["automatic", "on_demand"]
    window: Any
    window_member_scope: Literal["event", "location", "event_type", "project"]
    window_meters: Literal["own", "all"]
    purpose: Literal["alert", "adjust", "substitute", "impute"]
    severity: Literal["warn", "fail"]
    correction: Any
    tables: dict[str, RuleTable] | None
    priority: int
    requires_approval: bool
    pending_count: int
    effective_from: datetime
    effective_to: datetime | None
    created_at: datetime
    updated_at: datetime
    ui_url: str


class RuleCorrection(msgspec.Struct, frozen=True, kw_only=True):
    """How a rule corrects a value."""

    method: Literal["expression"]
    expression: str


class RulePreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule would come to over a period: how many records, how many alerts, and the first of them.
    `corrections` counts the values that it would correct; with approval these are `proposals`.
    """

    evaluated: int
    alerts: int
    corrections: int
    proposals: int
    data: list[RulePreviewAlert]


class RulePreviewAlert(msgspec.Struct, frozen=True, kw_only=True):
    """A record that a rule would alert on: an event's data point, or a model run. Where the rule would
    correct the value, or propose it, `to_value` is what it would be.
    """

    event_id: str | None
    data_point_id: str | None
    model_run_id: str | None
    batch_id: str | None
    start_time: datetime
    value: str | None
    error_message: str | None
    from_value: Value
    to_value: Value


class RuleResultPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a list of rule results, of both kinds."""

    data: list[DataPointResultOrModelRunResult]
    info: Info


class RuleRun(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation of a version of a rule over a period; without a bound it has none on that side.
    `corrections` counts those that it wrote, `withdrawn` those of its rule that it took back.
    """

    id: int
    rule_id: str
    rule_version: int
    rule_name: str
    kind: Literal["automatic", "backfill", "re_evaluation"]
    state: Literal["pending", "running", "complete", "failed", "reversed"]
    start_time: datetime | None
    end_time: datetime | None
    evaluated: int
    alerts: int
    corrections: int
    withdrawn: int
    proposals: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    duration_seconds: Decimal | None
    reversed_at: datetime | None
    error_message: str | None
    async_task_id: int | None


class RuleTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table that the expressions of a rule look limits up in."""

    columns: list[str]
    rows: list[list[Value]]


class RuleVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a rule: all that decides a result."""

    version: int
    expression: str
    data_point: str | None
    event_type: str | None
    event_type_id: str | None
    asset: str | None
    asset_id: str | None
    model: str | None
    model_id: str | None
    window: Any
    window_member_scope: Literal["event", "location", "event_type", "project"]
    window_meters: Literal["own", "all"]
    purpose: Literal["alert", "adjust", "substitute", "impute"]
    severity: Literal["warn", "fail"]
    correction: Any
    tables: dict[str, RuleTable] | None
    priority: int
    requires_approval: bool
    created_at: datetime


class RunRestated(msgspec.Struct, frozen=True, kw_only=True):
    """What two reports take differently of the batches of one run."""

    batch_ids: list[str]
    before: Decimal
    after: Decimal
    change: Decimal
    causes: list[Literal["new_version", "correction", "late_data", "other_inputs", "selection"]]
    ledger_id: str


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule run came to: as its task ends with it, and as the audit log keeps it."""

    rule_run_id: int
    evaluated: int
    alerts: int
    corrections: int
    withdrawn: int
    proposals: int


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """The sample of an engagement."""

    data: list[SampledRecord]
    population_changes: PopulationChanges


class SampleStratum(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the population that is drawn in one way: the records of an event type."""

    event_type: str
    size: int
    method: Literal["random", "monetary_unit"] | None = None
    data_point: str | None = None


class SampledRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record of a sample, with what a verifier looks at."""

    stratum: int
    amount: Decimal | None
    is_certain: bool
    event: Event
    serial_number: str | None
    calibration: list[Adjustment]
    missing: list[str]
    recorded_by: str | None
    recorded_at: datetime
    changes: list[RecordChange]


class SavedRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that was just made or changed, and whether its evaluation was queued."""

    id: str
    project_id: str
    name: str
    version: int
    status: Literal["scheduled", "active", "ended"]
    target: Literal["data_point", "model_run"]
    expression: str
    data_point: str | None
    event_type: str | None
    event_type_id: str | None
    asset: str | None
    asset_id: str | None
    model: str | None
    model_id: str | None
    message: str | None
    evaluation: Literal["automatic", "on_demand"]
    window: Any
    window_member_scope: Literal["event", "location", "event_type", "project"]
    window_meters: Literal["own", "all"]
    purpose: Literal["alert", "adjust", "substitute", "impute"]
    severity: Literal["warn", "fail"]
    correction: Any
    tables: dict[str, RuleTable] | None
    priority: int
    requires_approval: bool
    pending_count: int
    effective_from: datetime
    effective_to: datetime | None
    created_at: datetime
    updated_at: datetime
    ui_url: str
    backfill_enqueued: bool
    rule_run_id: int | None


class SavedView(msgspec.Struct, frozen=True, kw_only=True):
    """One view of a list, which a user has saved for themselves."""

    id: int
    list_name: Literal[
        "events",
        "data_points",
        "event_types",
        "assets",
        "locations",
        "feedstocks",
        "outages",
        "static_inputs",
        "batches",
        "rules",
        "reports",
    ]
    name: str
    query: str
    is_default: bool
    created_at: datetime
    updated_at: datetime


class Schema(msgspec.Struct, frozen=True, kw_only=True):
    """What a model takes and gives, and an example of a simulation."""

    model: ModelName
    required_inputs: list[SchemaInput]
    outputs: list[SchemaOutput]
    operators: list[str]
    functions: list[str]
    example_simulation: Simulation


class SchemaInput(msgspec.Struct, frozen=True, kw_only=True):
    """One value that a model takes from outside."""

    slug: str
    node: str
    name: str
    type: Literal["numeric"]
    unit: str
    description: str | None
    kind: Literal["input", "static_input", "upstream", "available"]
    event_type: str | None
    aggregate: (
        Literal[
            "sum",
            "average",
            "time_weighted",
            "min",
            "max",
            "count",
            "first",
            "last",
            "median",
            "delta",
            "values",
        ]
        | None
    )
    is_array: bool
    is_required: bool
    default: Decimal | None


class SchemaOutput(msgspec.Struct, frozen=True, kw_only=True):
    """One value that a model gives; `id` is its place among the outputs, from 1."""

    id: int
    slug: str
    name: str
    unit: str
    ghg: str | None
    lca_role: str | None
    category: str | None
    is_primary: bool


class Simulated(msgspec.Struct, frozen=True, kw_only=True):
    """What a simulation came to; nothing of it is stored."""

    model: ModelName
    start_time: datetime
    end_time: datetime
    primary_output: NodeValue
    nodes: list[NodeValue]


class Simulation(msgspec.Struct, frozen=True, kw_only=True):
    """Values to compute a model with. `inputs` are numbers or lists of numbers by the slug of a node or of
    its data point type, in the unit of the node. `partition` and `durations` (hours of each event, by node)
    are for formulas that ask for them.
    """

    inputs: dict[str, Any]
    start_time: datetime
    end_time: datetime
    partition: dict[str, str] | None = None
    durations: dict[str, Any] | None = None
    uncertainties: dict[str, StatedUncertainty] | None = None


class SourceLedger(msgspec.Struct, frozen=True, kw_only=True):
    """A ledger that an input comes from."""

    id: str
    name: str
    unit: str


class SourceState(msgspec.Struct, frozen=True, kw_only=True):
    """How a source of an agent fares."""

    name: str
    type: str
    state: str
    error: str | None = None
    clock_offset_seconds: Decimal | None = None
    problems: dict[str, str] | None = None


class SplitReports(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a split: the reports that took the place of the one that was split."""

    parts: list[Report]


class StaleReason(msgspec.Struct, frozen=True, kw_only=True):
    """Why a batch no longer stands on the data as they are, and the id of what changed."""

    reason: Literal[
        "data_point_corrected",
        "event_corrected",
        "event_withdrawn",
        "static_input_added",
        "service_changed",
        "uncertainty_changed",
        "calibration_changed",
        "batch_deleted",
        "source_adjusted",
        "inputs_replaced",
        "engine_changed",
        "upstream_stale",
    ]
    record: str


class StaleSource(msgspec.Struct, frozen=True, kw_only=True):
    """A batch that runs draw from, though its run no longer stands on the data as they are."""

    batch_id: str
    ledger_id: str
    tracking_id: str
    reasons: list[StaleReason]


class StandingAt(msgspec.Struct, frozen=True, kw_only=True):
    """How a partition stands at a moment: one of the two is zero."""

    balance: Decimal
    deficit: Decimal


class StandsAbove(msgspec.Struct, frozen=True, kw_only=True):
    """So much more stands on a ledger for a run than it came to last: the batch of its fall is gone."""

    ledger_id: str
    batch_id: str
    tracking_id: str
    computed: Decimal
    stands: Decimal
    above: Decimal


class StartedBundle(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a bundle that was asked for: it is being made."""

    id: str
    async_task_id: int
    async_task: AsyncTask


class StartedCatalogue(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a reading that was asked for: it is under way."""

    registry_id: int
    async_task_id: int
    async_task: AsyncTask


class StartedUncertaintyRun(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to an uncertainty run that was asked for: its trials are queued."""

    uncertainty_run: UncertaintyRun
    async_task: AsyncTask


class StateOfAgent(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent says of itself."""

    waiting: int
    oldest_arrived_at: datetime | None
    lag_seconds: Decimal
    refused: int
    spool_bytes: int
    spool_bytes_max: int
    clock_offset_seconds: Decimal | None
    sources: list[SourceState]
    last_values: list[LastValue]
    mapping: MappingState | None = None


class StatedPercentiles(msgspec.Struct, frozen=True, kw_only=True):
    """Two values between which a quantity lies with a probability, with equal tails outside."""

    low: Decimal
    high: Decimal
    probability: Decimal


class StatedUncertainty(msgspec.Struct, frozen=True, kw_only=True):
    """How well a value is known: its size in exactly one of the first six fields; others are left out. A
    relative size is a part of the value: 0.005 is half a percent.
    """

    standard: Decimal | None = None
    relative_standard: Decimal | None = None
    half_width: Decimal | None = None
    relative_half_width: Decimal | None = None
    percentiles: StatedPercentiles | None = None
    relative_percentiles: StatedPercentiles | None = None
    distribution: Literal["normal", "rectangular", "triangular", "arcsine", "lognormal"] | None = None
    coverage_factor: Decimal | None = None
    degrees_of_freedom: Decimal | None = None
    unit: str | None = None
    effect: str | None = None
    source: str | None = None


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A ledger's statement over a period, which has what counts after its start and up to its end."""

    ledger: str
    unit: str
    start_time: datetime
    end_time: datetime
    as_of: datetime | None
    data: list[PartitionStatement]


class StatementToSign(msgspec.Struct, frozen=True, kw_only=True):
    """The statement of an opinion, to be signed byte for byte."""

    statement: str
    namespace: str


class StaticInput(msgspec.Struct, frozen=True, kw_only=True):
    """A value that holds from a moment on, for the project or for what it names."""

    id: int
    project_id: str
    slug: str
    value: Decimal
    unit: str | None
    effective_from: datetime
    asset_id: str | None
    feedstock_id: str | None
    location_id: str | None
    uncertainty: StatedUncertainty | None
    created_at: datetime


class StoredSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a report's submission, and how far it came."""

    report_id: str
    adapter: Literal["file", "http", "isometric_certify"] | None
    registry_id: int | None
    key: str | None
    media_type: str | None
    size_bytes: int | None
    sha256: str | None
    may_have_been_received: bool
    steps: list[SubmissionStep]


class SubmissionResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a finished submission."""

    report: str
    reference: str
    sha256: str


class SubmissionStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of handing a report on, or what came of it."""

    step: Literal["sending", "received", "refused", "not_sent", "unanswered", "absent"]
    said_at: datetime
    http_status: int | None
    detail: str | None


class SubmittedReport(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a submission: the report is on its way."""

    id: str
    status: Literal[
        "draft", "submitting", "submitted", "complete", "rejected", "failed", "superseded", "withdrawn"
    ]
    async_task_id: int
    async_task: AsyncTask


class Substitution(msgspec.Struct, frozen=True, kw_only=True):
    """The correction that put another value in the place of a captured one."""

    id: int
    replaced_value: Any
    rule_id: str | None
    rule_version: int | None
    rule_run_id: int | None
    reason: str | None
    created_at: datetime
    method: (
        Literal[
            "constant",
            "previous",
            "next",
            "mean_before_after",
            "linear",
            "mean",
            "median",
            "minimum",
            "maximum",
            "percentile",
            "mean_plus_sd",
            "confidence_limit",
            "greater_of",
            "lesser_of",
            "expression",
        ]
        | None
    ) = None
    found_by: (
        Literal[
            "constant",
            "previous",
            "next",
            "mean_before_after",
            "linear",
            "mean",
            "median",
            "minimum",
            "maximum",
            "percentile",
            "mean_plus_sd",
            "confidence_limit",
            "greater_of",
            "lesser_of",
            "expression",
        ]
        | None
    ) = None
    tier: int | None = None
    code: str | None = None
    window: dict[str, Any] | None = None
    members_used: int | None = None
    availability: Decimal | None = None
    gap_slots: int | None = None


class SuggestedColumns(msgspec.Struct, frozen=True, kw_only=True):
    """What the columns of a header may give, to be looked through and sent back as `columns` of a feed."""

    columns: list[FeedColumn]
    unclear: list[str]
    lacking: list[str]


class TokenUser(msgspec.Struct, frozen=True, kw_only=True):
    """The user whom a token acts for."""

    id: int
    name: str
    email: str
    disabled_at: datetime | None


class TrialDifferences(msgspec.Struct, frozen=True, kw_only=True):
    """How far trials are from first order, and what JCGM 101 tolerates, in `unit`."""

    mean: Decimal
    standard_uncertainty: Decimal
    low: Decimal
    high: Decimal
    tolerance: Decimal
    sampling_error: Decimal | None = None


class TrialHistogram(msgspec.Struct, frozen=True, kw_only=True):
    """How many trials fell into each of some columns of equal width."""

    edges: list[Decimal]
    counts: list[int]


class TrialInterval(msgspec.Struct, frozen=True, kw_only=True):
    """An interval that has the coverage probability."""

    low: Decimal
    high: Decimal


class TrialResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a finished task of trials."""

    uncertainty_run_id: str
    trials: int
    is_first_order_valid: bool | None


class UncertaintyLine(msgspec.Struct, frozen=True, kw_only=True):
    """What one input contributes to the uncertainty by one effect."""

    input: str
    effect: str
    owner: str | None
    name: str
    contribution: Decimal
    share: Decimal


class UncertaintyRun(msgspec.Struct, frozen=True, kw_only=True):
    """Monte Carlo trials of the run of a batch, or of what a report holds (JCGM 101)."""

    id: str
    project_id: str
    batch_id: str | None
    report_id: str | None
    state: Literal["pending", "running", "complete", "failed"]
    error_message: str | None
    trials: int
    trials_done: int
    seed: int
    coverage_probability: Decimal
    inputs_sha256: str | None
    is_current: bool
    unit: str
    estimate: Decimal
    mean: Decimal | None
    standard_uncertainty: Decimal | None
    symmetric_interval: TrialInterval | None
    shortest_interval: TrialInterval | None
    first_order: FirstOrderResult | None
    differences: TrialDifferences | None
    is_first_order_valid: bool | None
    trials_without_result: int | None
    histogram: TrialHistogram | None
    significant_digits: int
    arithmetic: str
    async_task_id: int
    created_at: datetime
    finished_at: datetime | None


class UncertaintySaving(msgspec.Struct, frozen=True, kw_only=True):
    """What it would be worth to know the values of one effect exactly."""

    effect: str
    owner: str | None
    name: str
    inputs: list[str]
    without: AmountUncertainty
    saving: Decimal
    saved_credit: Decimal | None


class UncertaintySavings(msgspec.Struct, frozen=True, kw_only=True):
    """What better instruments would make of how uncertain a batch is, in its ledger's unit."""

    batch_id: str
    unit: str
    current: AmountUncertainty | None
    savings: list[UncertaintySaving]
    effect_count: int
    halving: list[WeighedEffect]
    halving_count: int
    halved: AmountUncertainty | None
    is_fewest: bool


class UndoneCorrections(msgspec.Struct, frozen=True, kw_only=True):
    """How many corrections of a rule were reverted, and how many values changed by that."""

    corrections: int
    changed_values: int


class UpdatedBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch that is about to be computed with other inputs."""

    id: str
    tracking_id: str
    start_time: datetime
    end_time: datetime
    state: Literal["complete", "processing"]
    error_message: str | None
    primary_output: PrimaryOutput
    has_rule_alerts: bool
    has_rule_warnings: bool
    created_at: datetime
    updated_at: datetime


class UpgradePreview(msgspec.Struct, frozen=True, kw_only=True):
    """What an upgrade would come to; nothing is stored."""

    name: str
    version_before: str
    version_after: str
    signature: PackageSignature
    lock: list[LockedPackage]
    parts: list[PackagePart]
    impact: GenerationImpact
    problems: list[str]


class UploadProblem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a row."""

    row: int
    column: str | None
    value: str | None
    reason: str
    stored: str | None = None
    field: str | None = None
    event_id: str | None = None


class UploadResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the task of an upload says it came to."""

    upload_id: int
    rows: int
    stored: int
    already_there: int
    bad_rows: int
    same_as: int | None = None
    differing: int | None = None
    corrected: int | None = None


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """What a look at a document found; it could be saved when it is valid."""

    valid: bool
    errors: list[Complaint]
    warnings: list[Complaint]


class ValueSourceShares(msgspec.Struct, frozen=True, kw_only=True):
    """How much of what a run comes to rests on values of each source: parts of 1 that add up to it. A value
    counts by |x * df/dx|: its size times the rate at which the output changes with it.
    """

    captured: Decimal
    manual: Decimal
    adjusted: Decimal
    substituted: Decimal
    imputed: Decimal


class VerifierFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One finding of a verifier."""

    number: int
    kind: Literal["error", "omission", "request"]
    state: Literal["open", "answered", "resolved", "withdrawn"]
    event_id: str | None
    text: str
    amount: Decimal | None
    recorded_by: str
    recorded_at: datetime
    answer: str | None
    answered_by: str | None
    answered_at: datetime | None
    decision: str | None
    decided_at: datetime | None


class Webhook(msgspec.Struct, frozen=True, kw_only=True):
    """An address that is told what changes."""

    id: str
    project_id: str | None
    url: str
    description: str
    change_types: list[
        Literal[
            "event",
            "correction",
            "batch",
            "async_task",
            "rule_result",
            "report",
            "ledger",
            "footprint",
            "event.create",
            "event.update",
            "event.void",
            "event.restore",
            "correction.create",
            "correction.update",
            "correction.revert",
            "batch.create",
            "batch.update",
            "batch.delete",
            "async_task.create",
            "async_task.update",
            "async_task.start",
            "async_task.complete",
            "async_task.fail",
            "rule_result.create",
            "rule_result.update",
            "report.create",
            "report.update",
            "report.delete",
            "ledger.update",
            "footprint.create",
            "footprint.update",
        ]
    ]
    is_enabled: bool
    disabled_at: datetime | None
    disabled_reason: str | None
    failing_since: datetime | None
    cursor: str
    lost_entries: int
    pending_deliveries: int
    old_secrets_until: datetime | None
    created_at: datetime
    updated_at: datetime


class WebhookDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """One message to a webhook, and what became of it."""

    id: str
    webhook_id: str
    type: str
    kind: Literal[
        "event",
        "correction",
        "batch",
        "async_task",
        "rule_result",
        "report",
        "ledger",
        "footprint",
        "webhook",
    ]
    action: Literal[
        "create", "update", "delete", "void", "restore", "revert", "start", "complete", "fail", "test"
    ]
    project_id: str | None
    records: int
    cursor: str | None
    state: Literal["pending", "delivered", "failed"]
    attempt_count: int
    next_attempt_at: datetime | None
    attempts: list[AttemptMade]
    created_at: datetime
    ended_at: datetime | None


class WeighedEffect(msgspec.Struct, frozen=True, kw_only=True):
    """An effect by which values are uncertain, and what people call it."""

    effect: str
    owner: str | None
    name: str
    inputs: list[str]


class WindowDuration(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of clock time, up to 3,660 days."""

    value: int
    unit: Literal["minute", "hour", "day", "week"]
