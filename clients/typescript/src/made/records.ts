// The records of the interface, as requests and answers hold them.
// Made by `make docs` from the OpenAPI document; change the service, not this file.

import type { Decimal, Num } from "../json.js";

/** The body of POST /reports/{report_id}/accept, which may be left out. */
export interface Acceptance {
  /**
   * What the receiver says of it, such as `Issued after the audit of May`; needed where it accepts
   * less.
   */
  reason?: string | null;
  /** What the receiver calls it, such as the number of the issuance. */
  reference?: string | null;
  /**
   * How much it accepts, in the ledger's unit, where that is less than the report claims: shared over
   * the batches in proportion to what is claimed of each.
   */
  amount?: Decimal;
  /** How much it accepts of which batches, instead of `amount`; of those that are left out nothing. */
  batches?: TakenBatch[];
}

/** The body of POST /models/{model_id}/activate, which may be left out. */
export interface Activation {
}

/** A postal address; every part is optional. */
export interface Address {
  /** Who or what is found there, such as `Gate 2`. */
  name?: string | null;
  /** The street with its number. */
  street_address_1?: string | null;
  /** What the street needs besides, such as a floor. */
  street_address_2?: string | null;
  /** The town, such as `Berlin`. */
  city?: string | null;
  /** The state, province or region, such as `Brandenburg`. */
  state?: string | null;
  /** The postal code. */
  postal_code?: string | null;
  /** The country, in whatever form the project writes it. */
  country?: string | null;
}

/** A calibration of a value: a correction by a rule of the kind adjustment. */
export interface Adjustment {
  /** The slug of the data point. */
  data_point: string;
  /** What the rule is called. */
  rule: string;
  /** The version of the rule. */
  version: number;
  /** The value as captured. */
  before: string | null;
  /** The value that the calibration gives. */
  after: string;
}

/** One version of the mapping of an agent: the variables that it reads beside those of its file. */
export interface AgentMapping {
  /** The number of the version; the first is 1. */
  version: number;
  /** The variables, in the order in which they were sent. */
  variables: MappedVariable[];
  /** The SHA-256 of its variables in canonical JSON. */
  digest: string;
  /** The number of the user who saved it. */
  created_by: number;
  /** When it was saved. */
  created_at: string;
}

/** One version of the mapping of an agent, without its variables. */
export interface AgentMappingVersion {
  /** The number of the version; the first is 1. */
  version: number;
  /** How many variables it has. */
  variable_count: number;
  /** The SHA-256 of its variables in canonical JSON. */
  digest: string;
  /** The number of the user who saved it. */
  created_by: number;
  /** What that user is called now. */
  user_name: string;
  /** When it was saved. */
  created_at: string;
}

/** The body of POST /projects/{project_id}/agents. */
export interface AgentReportBody {
  /** What an agent reports. */
  agent: AgentReportOfState;
}

/** What an agent reports. */
export interface AgentReportOfState {
  /** The name of the agent in its file; the first report of a name registers it. */
  name: string;
  /** The version of the program that it runs. */
  version: string;
  /** What it says of itself. */
  state: StateOfAgent;
  /** The answer to the question that the last response had; left out without one. */
  browsed?: BrowsingAnswer | null;
}

/** A report that holds something of a batch. */
export interface AllocatedReport {
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  id: string;
  /** What people call the report, such as `First quarter of 2025`. */
  name: string;
  /** What kind of report it is, such as `quarterly`. */
  report_type: string;
  /** Where the report stands; it is `complete` once what it holds is posted, and reserved before. */
  status: "draft" | "submitting" | "submitted" | "complete" | "rejected" | "failed" | "superseded" | "withdrawn";
}

/** What a report holds of all its batches. */
export interface AllocatedTotal {
  /** The number of the allocation. */
  id: number;
  /** How much the report holds in all, in `unit`. */
  amount: Decimal;
  /** The unit of the ledger, such as `t`. */
  unit: string;
}

/** The name under which batch_amounts reach a node that draws what the caller names. */
export interface AllocationGroup {
  /** The name, as `allocation_group` takes it, such as `biomass`. */
  name: string;
  /** The slug of the node that draws by it. */
  node: string;
}

/** How uncertain an amount is, to first order, in its unit. */
export interface AmountUncertainty {
  /** The combined standard uncertainty. */
  standard_uncertainty: Decimal;
  /** By the Welch-Satterthwaite formula; null when they are infinitely many or not defined. */
  degrees_of_freedom: Decimal | null;
  /**
   * Why there are none: all effects have infinitely many, or effects of finitely many are correlated.
   */
  degrees_of_freedom_reason: "infinite" | "correlated" | null;
  /** That of the interval. */
  coverage_probability: Decimal;
  /** By what the standard uncertainty is multiplied, by Student's t or the normal distribution. */
  coverage_factor: Decimal;
  /** Half the width of the interval. */
  expanded_uncertainty: Decimal;
  /** The low end of the interval about the computed amount, before a discount. */
  low: Decimal;
  /** The high end of the interval about the computed amount, before a discount. */
  high: Decimal;
  /** The amount that it is about. */
  amount: Decimal;
  /**
   * What was taken off for its uncertainty before it was credited; zero without a discount in the
   * model.
   */
  discount: Decimal;
  /** The standard uncertainty as a part of amount and discount; null where these are zero. */
  relative_standard_uncertainty: Decimal | null;
}

/** One token of the account; `last_used_at` is exact to the hour. */
export interface ApiToken {
  /** The number of the token, by which it is revoked. */
  id: number;
  /** What the token is for, in the words of whoever made it. */
  name: string;
  /**
   * What the token may do; `write` of an area includes `read`. One that ends in `@` and the id of a
   * project holds in that project alone.
   */
  permissions: string[];
  /** The user whom a token acts for. */
  user: TokenUser;
  /** When the record was made. */
  created_at: string;
  /** When it stops working; null for one that does not expire. */
  expires_at: string | null;
  /** When it was revoked; null for one that was not. */
  revoked_at: string | null;
  /** When it was last used, written at most once an hour; null for one that never was. */
  last_used_at: string | null;
}

/** The body of an approval, which may be left out. */
export interface Approval {
  /** What there is to say about it, in a sentence; null when there is nothing. */
  comment?: string | null;
}

/**
 * One piece of equipment; its custom fields by label, those without a value left out. As a meter it is
 * expected to measure from `in_service_from` until `in_service_until`; null says nothing.
 */
export interface Asset {
  /** The friendly id of the asset: ast_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** What people call it, once in the project, such as `Plant North`. */
  name: string;
  /** What sort of equipment it is, in the project's own words, such as `scale`; null when not said. */
  asset_type: string | null;
  /** The maker's number on its plate; null when not said. */
  serial_number: string | null;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description: string | null;
  /**
   * Values by the label of the custom field, such as `{"Calibrated on": "2025-01-31"}`. A change keeps
   * those that it leaves out; null takes one away.
   */
  custom_fields: Record<string, Num | string | boolean>;
  /** From when it is expected to measure, inclusive; null says nothing. */
  in_service_from: string | null;
  /** Until when it is expected to measure, exclusive; null says nothing. */
  in_service_until: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller sends to change an asset; what is left out stays as it is. */
export interface AssetChange {
  /** What people call it, once in the project, such as `Plant North`. */
  name?: string;
  /** What sort of equipment it is, in the project's own words, such as `scale`; null when not said. */
  asset_type?: string | null;
  /** The maker's number on its plate; null when not said. */
  serial_number?: string | null;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description?: string | null;
  /**
   * Values by the label of the custom field, such as `{"Calibrated on": "2025-01-31"}`. A change keeps
   * those that it leaves out; null takes one away.
   */
  custom_fields?: Record<string, unknown>;
  /** From when it is expected to measure, inclusive; null says nothing. */
  in_service_from?: string | null;
  /** Until when it is expected to measure, exclusive; null says nothing. */
  in_service_until?: string | null;
}

/** The body of PATCH /projects/{project_id}/assets/{asset_id}. */
export interface AssetChangeBody {
  /** What a caller sends to change an asset; what is left out stays as it is. */
  asset: AssetChange;
}

/** One column that a project adds to its assets. */
export interface AssetCustomField {
  /** The number of the custom field. */
  id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** What heads its column in the asset spreadsheet, such as `Calibrated on`, up to 100 characters. */
  label: string;
  /** What its values are; a `date` is a text such as `2025-01-31`. */
  value_type: "text" | "number" | "boolean" | "date";
  /** When the record was made. */
  created_at: string;
}

/** What became of the lines of a spreadsheet. */
export interface AssetImport {
  /** How many lines made an asset. */
  created: number;
  /** How many lines changed one. */
  updated: number;
  /** How many lines say what an asset is already. */
  unchanged: number;
}

/** One task that a caller polls. */
export interface AsyncTask {
  /** The number of the task, by which it is asked for. */
  id: number;
  /** What the task does. */
  type: "batch_generation" | "batch_deletion" | "uncertainty_run" | "rule_run" | "export" | "data_feed_upload" | "report_submission" | "report_bundle" | "report_notice" | "registry_catalogue";
  /** Where the task stands; `complete` and `failed` are for good. */
  state: "pending" | "running" | "complete" | "failed";
  /** How far it is, in percent; 100 once it is complete. */
  progress: number;
  /** What it is doing just now; null unless it is running. */
  progress_description: string | null;
  /** When the task was accepted. */
  created_at: string;
  /** When work on it began last; null while it waits. */
  started_at: string | null;
  /** When it ended, well or not; null until then. */
  finished_at: string | null;
  /** Why it failed, in a sentence; null unless it did. A failed task has changed nothing. */
  error_message: string | null;
  /**
   * What it came to, by its type, such as `{"batches": [], "created": 0}`; null until it is complete.
   */
  result: DeletionResult | GenerationResult | UploadResult | ExportResult | CatalogueResult | BundleResult | NoticeResult | SubmissionResult | RunResult | TrialResult | null;
  /** What was asked for; projects, ledgers and batches stand in it by their `numeric_id`. */
  args: Record<string, unknown>;
}

/** One request that was sent, or could not be. */
export interface AttemptMade {
  /** When it began. */
  at: string;
  /** The status of the answer; null when none came. */
  status: number | null;
  /** How long it took, from resolving the name to the end of the answer. */
  milliseconds: number;
  /** Why it was not taken; null when it was. */
  error: string | null;
  /** The beginning of what the receiver answered, up to 1,000 characters. */
  answer: string | null;
}

/** The public key of the service, in the forms in which programs take it. */
export interface AuditKey {
  /** What the account's log is called in its heads. */
  origin: string;
  /** The key as a line of C2SP signed-note; `weighbridge audit check --key` takes it. */
  verifier_key: string;
  /** The same key as OpenSSH writes it. */
  ssh_public_key: string;
}

/**
 * What was said of a key of the audit log, and who signed it (SSHSIG, for `weighbridge-audit-key`).
 */
export interface AuditKeyStatement {
  /** The statement: which key, which successor, and the head of the log at that moment. */
  text: string;
  /** The signature of the key that the statement is about; null where the operator had lost it. */
  key_signature: string | null;
  /** The signature of the key that follows it. */
  successor_signature: string;
}

/** The keys of the account's log, from the first one to the one that signs now. */
export interface AuditKeys {
  /** What the account's log is called in its heads. */
  origin: string;
  /** The key that signs now, as a line of C2SP signed-note. */
  verifier_key: string;
  /** How each further key began, and which keys were revoked, in the order of the log's rows. */
  statements: AuditKeyStatement[];
}

/**
 * One write: who did what to which object, and what the object was before and after. `number` and
 * `hash` are null until the row is sealed, which takes seconds. The hash is that of the row's leaf in
 * the account's tree: the SHA-256 of a zero byte and the canonical JSON of all other fields but
 * `user_name`.
 */
export interface AuditRow {
  /** The number of the row, over all accounts. */
  id: number;
  /** The place of the row in the account's log, from 1 and without gaps; null until it is sealed. */
  number: number | null;
  /** When the write was made. */
  at: string;
  /** The friendly id of the project that the object belongs to; null outside of projects. */
  project_id: string | null;
  /** The number of the user in whose name it was done; null where none is known. */
  user_id: number | null;
  /** What that user is called now; null where none is known. */
  user_name: string | null;
  /** The number of the token that the request carried; null for a command on the server. */
  token_id: number | null;
  /** The id of the request in the logs, which its answer carries as `X-Request-Id`. */
  request_id: string;
  /** What was done, the noun before the verb, such as `event.create`. */
  action: string;
  /** The id of what it was done to, such as `evt_…` or the number of a token. */
  object: string;
  /** The object before, as a record; null when there was none. */
  before: unknown;
  /** The object after, as a record; null when there is none any more. */
  after: unknown;
  /**
   * The hash of the row's leaf in the account's tree (RFC 6962), as 64 hexadecimal digits; null until
   * it is sealed.
   */
  hash: string | null;
}

/** A witness of the audit log, and how it fares with the log of the account. */
export interface AuditWitness {
  /** What the witness is called in its cosignatures. */
  name: string;
  /** The key by which its cosignatures are verified, as a line of C2SP signed-note. */
  verifier_key: string;
  /** Rows of the newest head that it has cosigned; 0 for none. */
  size: number;
  /** When it was asked last. */
  asked_at: string | null;
  /** Why it cosigned no head then; null where it did. */
  failure: string | null;
  /** Since when it has cosigned no head; null where it did. */
  failing_since: string | null;
}

/** The witnesses of the audit log. */
export interface AuditWitnesses {
  /** Those that the operator names, by their keys. */
  witnesses: AuditWitness[];
}

/** What a ledger held and was short of, as known at a row of the audit log. */
export interface BalanceAtRow {
  /** The row of the audit log; 0 before the first. */
  number: number;
  /** From which time on it was known; null before the first row. */
  known_at: string | null;
  /** What the ledger held. */
  balance: Decimal;
  /** What it was short of. */
  deficit: Decimal;
}

/** One step by which the balance of a ledger moved, or one that led to such a step. */
export interface BalanceStep {
  /** The row of the audit log with which it became known. */
  number: number;
  /** From which time on it was known. */
  known_at: string;
  /**
   * What happened; what leads to a generation, such as `delivered` or `corrected`, moves nothing
   * itself.
   */
  kind: "delivered" | "delivered_late" | "corrected" | "approved" | "voided" | "inputs_changed" | "generated" | "regenerated" | "deleted" | "entered" | "withdrawn" | "returned" | "reserved" | "released" | "reported" | "restated";
  /**
   * The action of that row, such as `batch_generation.finish`; null for what the service did by itself.
   */
  action: string | null;
  /** What the action was done to, as in the audit log; null for what the service did by itself. */
  object: string | null;
  /** Who did it; null for what the service did by itself. */
  user_name: string | null;
  /** How many events or batches the step is about. */
  record_count: number;
  /** Their friendly ids, up to 10. */
  record_ids: string[];
  /** By how much it moved the balance, in the ledger's unit. */
  amount: Decimal;
  /** By how much it moved the deficit. */
  deficit_amount: Decimal;
  /** The balance after the step. */
  balance: Decimal;
  /** The deficit after the step. */
  deficit: Decimal;
}

/**
 * The steps from what was known of a ledger at one row of the audit log to what was known at another.
 */
export interface BalanceSteps {
  /** The friendly id of the ledger. */
  ledger: string;
  /** The unit of the ledger, such as `t`. */
  unit: string;
  /** What was known at the first row. */
  opening: BalanceAtRow;
  /** What was known at the last row: the opening balance and all amounts. */
  closing: BalanceAtRow;
  /** The steps, in the order in which they became known. */
  data: BalanceStep[];
}

/** One batch. */
export interface Batch {
  /** The friendly id of the batch: bat_ and 24 hexadecimal digits. */
  id: string;
  /** The number by which the `args` of tasks name it. */
  numeric_id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** What people call the batch, after its slot and partition; for an instrument its external id. */
  tracking_id: string;
  /** The start of its slot, inclusive. */
  start_time: string;
  /** The end of its slot, exclusive. */
  end_time: string;
  /** Whether it is being computed with other inputs just now. */
  state: "complete" | "processing";
  /** Why it could not be computed with the inputs that were asked for last; null when it could. */
  error_message: string | null;
  /** The first batch of its run, when this one posts a difference to it; null for the first. */
  adjusts: string | null;
  /** Of the first batch of a run, those that adjust it, in the order they were made. */
  adjusted_by: string[];
  /** The friendly id of the feedstock of its partition; empty when it has none. */
  feedstocks: string[];
  /** The friendly id of the asset of its partition; empty when it has none. */
  assets: string[];
  /** What a batch adds to its run, in its ledger's unit. */
  primary_output: PrimaryOutput;
  /** What is left of it, in its ledger's unit: what it credited less what was drawn of it or fell. */
  ledger_balance: Decimal;
  /**
   * What the run comes to, in its ledger's unit: by the first batch as it is now, by an adjusting one
   * as it was with that.
   */
  run_total: Decimal;
  /** How much of `run_total` was measured, from 0 to 1: the first of `value_source_shares`. */
  measured_share: Decimal | null;
  /**
   * What `run_total` rests on; null of an instrument, where it is zero or rests on no value, and where
   * a batch of before shares were kept is part of it.
   */
  value_source_shares: ValueSourceShares | null;
  /** How uncertain `run_total` is; null where the model did not ask for it. */
  uncertainty: BatchUncertainty | null;
  /** The version that made it; null for an instrument. */
  model: BatchModel | null;
  /** The revision of the arithmetic that computed it; null for an instrument. */
  engine_revision: number | null;
  /** The run that made it; null for an instrument. */
  model_run: BatchModelRun | null;
  /** What batches of other ledgers hold of it. */
  allocations: BatchAllocation[];
  /** The same as `allocations`. */
  downstream_batch_allocations: BatchAllocation[];
  /** What reports hold of it. */
  report_allocations: BatchReportAllocation[];
  /** The values that it was made of, 100 rows at most; `input_data_next` leads to the rest. */
  input_data: InputRow[];
  /** How many rows of input data it has in all. */
  input_data_count: number;
  /** Whether all rows of its input data stand here; 100 do at most. */
  input_data_is_complete: boolean;
  /** Where the rest of them is listed; null when there is none. */
  input_data_next: string | null;
  /** Whether a data rule has found something in it that stands and was not dismissed. */
  has_rule_alerts: boolean;
  /**
   * Whether a data rule whose severity is `warn` has found something in it that stands and was not
   * dismissed.
   */
  has_rule_warnings: boolean;
  /** Whether what it was made of has changed since it was computed. */
  is_stale: boolean;
  /** Why it is stale, each reason with what changed; empty when it is not. */
  stale_reasons: StaleReason[];
  /** How many events of its slot, stored or changed since, wait for a generation to look at them. */
  waiting_event_count: number;
  /**
   * How many corrections wait for approval that it would follow: of its data, and of what it draws
   * from.
   */
  pending_proposal_count: number;
  /** What holds of it, the most urgent first; `up_to_date` when none of those before it does. */
  conditions: ("stale" | "not_counted_yet" | "waiting_for_approval" | "up_to_date" | "reported")[];
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
  /** Where the record opens in the web app. */
  ui_url: string;
}

/** So much of a batch was drawn for another, in the unit of the ledger that it was drawn from. */
export interface BatchAllocation {
  /** How much was drawn, in `unit`. */
  amount: Decimal;
  /** The unit of the ledger that it was drawn from, such as `t`. */
  unit: string;
  /** The friendly id of the batch that it was drawn for. */
  batch_id: string;
  /** The friendly id of the ledger of that batch. */
  ledger_id: string;
  /** The tracking id of that batch. */
  tracking_id: string;
}

/** So much of a batch, for a node whose sources the caller names. */
export interface BatchAmount {
  /** The friendly id of the batch to draw from. */
  batch_id: string;
  /** How much to draw, in the unit of that batch's ledger. */
  primary_output_amount: Decimal;
  /**
   * Which node draws it: the group that its model names, or its slug; needed when several draw from the
   * ledger.
   */
  allocation_group?: string | null;
}

/**
 * What the ledger is credited with: what was computed, less a discount for its uncertainty. In the
 * ledger's unit; `credited_amount` is `run_total`.
 */
export interface BatchCredit {
  /** What the output came to. */
  computed_amount: Decimal;
  /** What is taken off; zero where the computed amount is zero or below. */
  discount: Decimal;
  /** The difference, never below zero of an amount above zero. */
  credited_amount: Decimal;
  /** How many standard uncertainties the model takes off, if it says so. */
  standard_deviations: Decimal | null;
  /** The lower percentile that the model credits, if it says so. */
  percentile: Decimal | null;
  /** By what the standard uncertainty is multiplied. */
  factor: Decimal;
}

/** The body of batch_deletions. */
export interface BatchDeletion {
  /** The friendly ids of the batches to delete, up to 10,000, such as `bat_…`. */
  batch_ids: string[];
  /** Why they are deleted; it stands in the task and in the audit log. */
  reason?: string | null;
}

/** A batch that the change would leave stale until its slot is generated again. */
export interface BatchMadeStale {
  /** The friendly id of the batch: the newest of its run on the ledger. */
  batch_id: string;
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** Why it would be stale; reasons that it has already are not repeated. */
  reasons: StaleReason[];
  /** What people call the batch. */
  tracking_id: string;
  /** What the ledger is called. */
  ledger_name: string;
}

/** The model version that made a batch, by id and by the digest of its document. */
export interface BatchModel {
  /** The friendly id of the model: mod_ and 24 hexadecimal digits. */
  id: string;
  /** What the model is called, such as `Biochar storage`. */
  name: string;
  /** Which version of the model it is, counted from 1. */
  version: number;
  /** The SHA-256 of the model in its canonical form, as 64 hexadecimal digits: what it computes. */
  sha256: string;
}

/** The run that made a batch; its own path gives the values of all nodes. */
export interface BatchModelRun {
  /** The friendly id of the model run: mr_ and 24 hexadecimal digits. */
  id: string;
  /** Always `complete`: a batch is made of a run that is. */
  state: "complete";
}

/** So much of a batch is held by a report, reserved or posted. */
export interface BatchReportAllocation {
  /** What a report holds of all its batches. */
  allocation: AllocatedTotal;
  /** How much of the batch the report holds, in `unit`. */
  amount: Decimal;
  /** The unit of the batch's ledger, such as `t`. */
  unit: string;
  /** A report that holds something of a batch. */
  report: AllocatedReport;
}

/**
 * How uncertain the computed amount is, to first order, in the ledger's unit. That is `run_total`, if
 * the model has no discount.
 */
export interface BatchUncertainty {
  /** The combined standard uncertainty. */
  standard_uncertainty: Decimal;
  /** By the Welch-Satterthwaite formula; null when they are infinitely many or not defined. */
  degrees_of_freedom: Decimal | null;
  /**
   * Why there are none: all effects have infinitely many, or effects of finitely many are correlated.
   */
  degrees_of_freedom_reason: "infinite" | "correlated" | null;
  /** That of the interval. */
  coverage_probability: Decimal;
  /** By what the standard uncertainty is multiplied, by Student's t or the normal distribution. */
  coverage_factor: Decimal;
  /** Half the width of the interval. */
  expanded_uncertainty: Decimal;
  /** The low end of the interval about the computed amount, before a discount. */
  low: Decimal;
  /** The high end of the interval about the computed amount, before a discount. */
  high: Decimal;
  /** What it is made of, the largest share first; 50 lines at most. */
  budget: UncertaintyLine[];
  /** How many lines the whole budget has. */
  budget_count: number;
  /** What a model with a discount credits; null without one. */
  credit: BatchCredit | null;
}

/** A node of a server's address space. */
export interface BrowsedNode {
  /** Its id by the address of its namespace, as the agent's file takes it. */
  node: string;
  /** What the server calls it. */
  name: string;
  /** Whether it is a variable, which can be read. */
  is_variable: boolean;
  /** The type of a variable's value, such as `Float`. */
  data_type?: string | null;
  /** A variable's present value as text. */
  value?: string | null;
}

/** A question about the address space of a server, and its answer. */
export interface Browsing {
  /** The number of the question. */
  number: number;
  /** The source whose server is asked. */
  source: string;
  /** The node whose children are wanted; `i=85` is the folder of the server's objects. */
  node: string;
  /** When it was asked, by the service's clock. */
  asked_at: string;
  /** What the agent found; null until it has answered. */
  answer: BrowsingAnswer | null;
}

/** What an agent found below a node. */
export interface BrowsingAnswer {
  /** The number of the question. */
  number: number;
  /** Why nothing was found; null when the server answered. */
  error?: string | null;
  /** The nodes below the node, the first 500 as the server orders them. */
  children?: BrowsedNode[];
  /** Whether the server has more nodes below it. */
  is_cut?: boolean;
}

/** Which part of a server's address space is wanted. */
export interface BrowsingQuestion {
  /** The source of type `opcua` whose server is asked. */
  source: string;
  /** The node whose children are wanted; left out, the folder of the server's objects. */
  node?: string;
}

/** The body of POST /projects/{project_id}/agents/{agent_id}/browse. */
export interface BrowsingQuestionBody {
  /** Which part of a server's address space is wanted. */
  browsing: BrowsingQuestion;
}

/** The body of a bulk approval: the results whose proposals are approved. */
export interface BulkApproval {
  /** The rule results to approve, up to 100. */
  result_ids: string[];
  /** What there is to say about all of them, in a sentence; null when there is nothing. */
  comment?: string | null;
}

/** How many events a bulk request stored. */
export interface BulkInfo {
  /** How many events were stored. */
  items: number;
}

/**
 * The body of a bulk rejection: the results whose proposals are rejected, and the one reason for all.
 */
export interface BulkRejection {
  /** The rule results to reject, up to 100. */
  result_ids: string[];
  /** Why all of them are rejected, in a sentence. */
  reason: string;
}

/** The body of POST /reports/{report_id}/bundle, which may be left out. */
export interface BundleOptions {
  /** Whether evidence is left out, and stands in the bundle by its digests alone. */
  redact?: boolean;
}

/** The result of a finished bundle, and what the audit log says of it. */
export interface BundleResult {
  /** The friendly id of the report. */
  report: string;
  /** The SHA-256 of the file, as 64 hexadecimal digits. */
  sha256: string;
  /** How long the file is. */
  file_size_bytes: number;
  /** The batches in it: those that the report takes of, and all that these rest on. */
  batch_count: number;
  /** Whether evidence is in it by its digests alone. */
  redacted: boolean;
  /** Whether an authority vouched for the time. */
  time_stamped: boolean;
}

/** What a node came to: a number, a list for an array, or null for an optional node without data. */
export interface Calculation {
  /** The number of the value. */
  id: number;
  /** The label of the node. */
  name: string;
  /** The slug of the node. */
  slug: string;
  /**
   * What it came to, in `unit`: a number, a list for an array, or null for an optional node without
   * data.
   */
  value: Decimal | Decimal[] | null;
  /** The unit of the node, such as `t{CO2e}`. */
  unit: string;
  /**
   * The greenhouse gas that the document tags the node with, such as `CO2`; null when it has no such
   * tag.
   */
  ghg: string | null;
  /**
   * The role in the life-cycle assessment that the document tags the node with; null without such a
   * tag.
   */
  lca_role: string | null;
  /** The category that the document tags the node with; null when it has no such tag. */
  category: string | null;
}

/** The members of periods of the project's calendar, the last of which holds the record. */
export interface CalendarWindow {
  /** What sort of window it is. */
  kind: "calendar";
  /** The period; a week begins on Monday. */
  unit: "day" | "week" | "month" | "quarter" | "year";
  /** How many consecutive periods, a whole number from 1 to 120. */
  value?: number;
  /** Whether it goes up to the record, or to the end of the period. */
  extent?: "to_date" | "whole_period";
  /** An expression on a member's own values, such as `{{wet_mass}} > 0`; others are no members. */
  where?: string | null;
  /**
   * An expression, such as the lorry; only members count for which it gives the same as for the record.
   */
  same?: string | null;
}

/** How well the readings of a meter are known from one moment to another, as its certificate says. */
export interface Calibration {
  /** The friendly id of the calibration: cal_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** What people call it, such as the number of the certificate: `D-K-15204-01`. */
  name: string;
  /** The friendly id of the meter; null for readings of events that name no asset. */
  asset_id: string | null;
  /** The friendly id of the event type of the readings. */
  event_type_id: string;
  /** The slug of the data point type that the meter measures, such as `wet_mass`. */
  data_point_type: string;
  /** From which start of a reading on it holds, inclusive. */
  valid_from: string;
  /** Until when it holds, exclusive; null where the certificate names no end. */
  valid_until: string | null;
  /**
   * How well the readings are known. It is one effect: an error that all readings of the meter share
   * while the calibration holds; where it names an `effect`, they share it with all that name it.
   */
  uncertainty: StatedUncertainty;
  /**
   * The error that the calibration found before anything was adjusted, reading minus reference; null
   * when not said. It says nothing of the uncertainty.
   */
  as_found: Decimal | null;
  /** The error that it left behind; null when not said. */
  as_left: Decimal | null;
  /** The unit of both errors, such as `%` of a span; null when it is that of the data point type. */
  error_unit: string | null;
  /**
   * The number of the file or link that is the certificate, attached to an event of the project; null
   * without one.
   */
  evidence_id: number | null;
  /** That file or link; null without one. */
  evidence: EventEvidence | null;
  /** What people write about it; null when there is nothing. */
  notes: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller sends to change a calibration; what is left out stays as it is. */
export interface CalibrationChange {
  /** What people call it, such as the number of the certificate: `D-K-15204-01`. */
  name?: string;
  /** The friendly id of the event type of the readings. */
  event_type_id?: string;
  /** The slug of the data point type that the meter measures, such as `wet_mass`. */
  data_point_type?: string;
  /** From which start of a reading on it holds, inclusive. */
  valid_from?: string;
  /**
   * How well the readings are known. It is one effect: an error that all readings of the meter share
   * while the calibration holds; where it names an `effect`, they share it with all that name it.
   */
  uncertainty?: StatedUncertainty;
  /** The friendly id of the meter; null for readings of events that name no asset. */
  asset_id?: string | null;
  /** Until when it holds, exclusive; null where the certificate names no end. */
  valid_until?: string | null;
  /**
   * The error that the calibration found before anything was adjusted, reading minus reference; null
   * when not said. It says nothing of the uncertainty.
   */
  as_found?: Decimal | null;
  /** The error that it left behind; null when not said. */
  as_left?: Decimal | null;
  /** The unit of both errors, such as `%` of a span; null when it is that of the data point type. */
  error_unit?: string | null;
  /**
   * The number of the file or link that is the certificate, attached to an event of the project; null
   * without one.
   */
  evidence_id?: number | null;
  /** What people write about it; null when there is nothing. */
  notes?: string | null;
}

/** The body of PATCH /projects/{project_id}/calibrations/{calibration_id}. */
export interface CalibrationChangeBody {
  /** What a caller sends to change a calibration; what is left out stays as it is. */
  calibration: CalibrationChange;
}

/** The body of POST /async_tasks/{task_id}/cancel, which may be left out. */
export interface Cancellation {
}

/** How many slots of the cadence were expected, and what became of them. */
export interface CaptureFigures {
  /** Slots that have ended, begin in service, and are not covered by outages as a whole. */
  expected: number;
  /** Expected slots in which an event was captured. */
  received: number;
  /**
   * Expected slots with a complete event that meets `valid_when` and in which no substitution stands.
   */
  valid: number;
  /** Expected slots without a valid event, in which a substitution stands. */
  substituted: number;
  /** Expected slots in which nothing was captured. */
  missing: number;
  /** Those of the missing slots that a rule has filled; they never count as valid. */
  imputed: number;
  /** How much of `expected` is `valid`, from 0 to 1; null where nothing was expected. */
  capture_rate: Decimal | null;
  /** The time in service without outages; null where no event of the range has a length. */
  seconds_expected: Decimal | null;
  /** How much of that valid events cover, once each; null where no event of the range has a length. */
  seconds_valid: Decimal | null;
  /** How much of `seconds_expected` is valid; null where there is none, or no event has a length. */
  capture_rate_by_time: Decimal | null;
}

/** The capture rate of an event type over a range of time, in total, by meter and by period. */
export interface CaptureRate {
  /** The friendly id of the event type. */
  event_type_id: string;
  /** How the range is cut, in the project's time zone. */
  period: "day" | "month" | "quarter";
  /** The start of the range: slots count that begin at it or later. */
  start_time: string;
  /** The end of the range: slots count that begin before it, and that have ended. */
  end_time: string;
  /** All meters and periods together. */
  total: CaptureFigures;
  /** Each meter over the whole range. */
  meters: MeterCapture[];
  /** One entry for each period, in order. */
  data: PeriodCapture[];
}

/** The body of POST /registries/{registry_id}/catalogue, which may be left out. */
export interface CatalogueReading {
}

/** A record of a registry that a mapping may name. */
export interface CatalogueRecord {
  /** What it is there. */
  kind: "project" | "removal_template" | "component_blueprint" | "feedstock_type" | "storage_location" | "facility" | "monitoring_requirement";
  /** The id or the key that the registry has for it. */
  record_id: string;
  /** The registry's id of the project that it is in; empty for what all projects have. */
  parent: string;
  /** What it is called there. */
  name: string;
  /** What a mapping needs of it: components of a template with their inputs, inputs of a blueprint. */
  contents: Record<string, unknown>;
  /** When it was read there. */
  read_at: string;
}

/** The result of a finished reading. */
export interface CatalogueResult {
  /** The number of the registry that was read. */
  registry_id: number;
  /** How many records were read. */
  records: number;
}

/** One key whose value differs; null where it is not there. */
export interface Change {
  /** The key of the document, such as `formula`. */
  key: string;
  /** Its value in the version before; null where it is not there. */
  before: unknown;
  /** Its value in the version after; null where it is not there. */
  after: unknown;
}

/** Changes in the order of the feed. */
export interface ChangePage {
  /** The changes behind the cursor, oldest first. */
  data: FeedChange[];
  /**
   * Where the feed goes on behind all that was looked at: send it as `after`, also when `data` is
   * empty.
   */
  cursor: string;
  /** Whether there are more changes behind the cursor just now. */
  has_more: boolean;
}

/** A node that both versions have, and what about it differs. */
export interface ChangedNode {
  /** The slug of the node. */
  slug: string;
  /** The keys of the node whose values differ. */
  changes: Change[];
}

/** What is wrong with a footprint that was sent to be checked. */
export interface CheckedFootprint {
  /** What is wrong with it; empty for nothing. */
  findings: FootprintFinding[];
}

/** What a run comes to on one ledger by either version. */
export interface ComparedBatch {
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** What it comes to by the version compared with; null where that makes no such batch. */
  primary_output_before: Decimal | null;
  /** What it comes to by the version that is asked about; null where that makes no such batch. */
  primary_output_after: Decimal | null;
  /** The unit of the ledger. */
  unit: string;
}

/** What all runs of the period come to on one ledger by either version. */
export interface ComparedLedger {
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** What the ledger is called. */
  name: string;
  /** How many of its batches would come to something else, appear or vanish. */
  batch_count: number;
  /** The sum by the version compared with; null where that cannot credit the ledger. */
  primary_output_before: Decimal | null;
  /** The sum by the version that is asked about. */
  primary_output_after: Decimal;
  /** The unit of the ledger. */
  unit: string;
}

/** A node of a run that comes to something else, has another unit, or is in one version only. */
export interface ComparedNode {
  /** The slug of the node. */
  slug: string;
  /** The label of the node, in the version that is asked about where that has it. */
  name: string;
  /** What it comes to by the version compared with, in `unit_before`; null where there is no value. */
  value_before: Decimal | Decimal[] | null;
  /**
   * What it comes to by the version that is asked about, in `unit_after`; null where there is no value.
   */
  value_after: Decimal | Decimal[] | null;
  /** Its unit in the version compared with; null where that has no such node. */
  unit_before: string | null;
  /** Its unit in the version that is asked about; null where that has no such node. */
  unit_after: string | null;
}

/** The body of a comparison: the period, and the version that is compared with. */
export interface ComparedPeriod {
  /** The start of the period, inclusive; slots of which at least half lies in it are compared. */
  start_time: string;
  /** The end of the period, exclusive. */
  end_time: string;
  /** The friendly id of another version of the model; without it, the active one. */
  against?: string | null;
}

/** A slot and partition that the versions do not agree on. */
export interface ComparedRun {
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** What the partition is called; null for a model without partitions. */
  partition: string | null;
  /** The start of the slot, inclusive. */
  start_time: string;
  /** The end of the slot, exclusive. */
  end_time: string;
  /** The ledgers on which it comes to something else, in their order. */
  batches: ComparedBatch[];
  /**
   * The nodes that differ, in the order of the version that is asked about, then those it does not
   * have.
   */
  nodes: ComparedNode[];
}

/**
 * What a version would have come to over a period, against another one, on the data as they are now.
 */
export interface ComparedVersions {
  /** The version that is asked about. */
  model: ModelName;
  /** The version that it is compared with. */
  against: ModelName;
  /** The start of the period, inclusive. */
  start_time: string;
  /** The end of the period, exclusive. */
  end_time: string;
  /** Every ledger that runs the model. */
  ledgers: ComparedLedger[];
  /** The runs that differ, by project, slot and partition. */
  runs: ComparedRun[];
  /** What would fail a generation by the version compared with, each in a sentence. */
  problems_before: string[];
  /** What would fail a generation by the version that is asked about, each in a sentence. */
  problems_after: string[];
  /**
   * What the runs of both versions come to on every ledger, with all that draws from them, and the
   * reports that include amounts of these.
   */
  impact: GenerationImpact;
}

/** One thing about a document: a sentence, where it stands, the node it is about and its kind. */
export interface Complaint {
  /** What is wrong, in a sentence. */
  message: string;
  /** The line of the document, from 1. */
  line: number;
  /** The column of the line, from 1. */
  column: number;
  /** The slug of the node that it is about; null when it is about none. */
  node: string | null;
  /** A word for the kind of problem, which a program may switch on; the sentence may change. */
  code: string;
}

/** A row of a file as a person has corrected it. */
export interface CorrectedRow {
  /** The line on which the row begins, as the `problems` of the upload name it. */
  row: number;
  /** Its cells, as many as the header has, written as the data feed reads them. */
  cells: string[];
}

/**
 * One correction: of a data point, or of a field of the event itself. `source` is manual, adjustment or
 * substitution; `state` is in_force, superseded or reverted. Either a person reverted it, or the run of
 * its rule that found it to apply no more.
 */
export interface Correction {
  /** The number of the correction. */
  id: number;
  /** The friendly id of the event: evt_ and 24 hexadecimal digits. */
  event_id: string;
  /** The friendly id of the data point that was corrected; null for a field of the event itself. */
  data_point_id: string | null;
  /** The field of the event that was corrected, such as `start_time`; null for a data point. */
  field: string | null;
  /** The value that was in force before. */
  from_value: unknown;
  /** The value that it sets; null where it clears a field of the event. */
  to_value: unknown;
  /** Where it comes from: a person, or a rule. */
  source: "manual" | "adjustment" | "substitution";
  /** Whether it is in force, waits beneath another, or was reverted. */
  state: "in_force" | "superseded" | "reverted";
  /** Why it was made; null when nobody said. */
  reason: string | null;
  /** The friendly id of the rule that made it; null when a person did. */
  rule_id: string | null;
  /** The version of that rule, counted from 1; null when a person made it. */
  rule_version: number | null;
  /** The number of the rule run that made it; null when a person did. */
  rule_run_id: number | null;
  /** The name of the user in whose name it was made. */
  corrected_by: string;
  /** The name of the token that the request carried; null when there was none. */
  token: string | null;
  /** When the record was made. */
  created_at: string;
  /** When it was reverted; null while it was not. */
  reverted_at: string | null;
  /** The name of the user who reverted it; null while it was not. */
  reverted_by: string | null;
  /** The number of the rule run that found it to apply no more; null unless one did. */
  reverted_by_rule_run_id: number | null;
}

/** How the files of one source are read. */
export interface DataFeed {
  /** The number of the feed. */
  id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** What people call it, once in its project. */
  name: string;
  /** The friendly id of the event type of all its events. */
  event_type_id: string;
  /** What columns give; one that is not named here gives what its name says. */
  columns: FeedColumn[];
  /** What becomes of columns that are not named here and whose names say nothing. */
  other_columns: "refuse" | "leave_out";
  /** The zone of times without an offset, such as `Europe/Istanbul`; null refuses such times. */
  time_zone: string | null;
  /**
   * The form of times that are not in ISO 8601, such as `%d.%m.%Y %H:%M`, or `epoch_seconds`,
   * `epoch_milliseconds`, `epoch_microseconds`, `epoch_nanoseconds`, `excel_serial`,
   * `excel_serial_1904`.
   */
  time_format: string | null;
  /** Each row is later than the one before it, which tells apart local times that come twice. */
  rows_in_order: boolean;
  /**
   * Each file begins after what was stored of the files before it, which tells apart such times too.
   */
  files_in_order: boolean;
  /**
   * How long each event is: `30s`, `15m`, `1h` or `1d`; null makes readings, unless a column gives
   * ends.
   */
  duration: string | null;
  /** What stands before the decimals of numbers that are texts. */
  decimal_mark: "." | ",";
  /** What may stand between groups of digits: `.`, `,`, `space`, `'` or `none`. */
  thousands_separator: "none" | "." | "," | "space" | "'";
  /**
   * What a value such as `<0.05` is: `limit`, `half`, `zero`, or `refuse`; its column then has a
   * `flag`.
   */
  below_limit: "refuse" | "limit" | "half" | "zero";
  /** What a value such as `>1000` is: `limit` or `refuse`. */
  above_limit: "refuse" | "limit";
  /** The encoding of CSV files, such as `utf-8` or `windows-1252`. */
  encoding: string;
  /** The character between the cells of CSV files. */
  delimiter: string;
  /**
   * The line that names the columns; what stands before it is passed over. 0 looks for it among the
   * first 50 lines: it has every column that `columns` names.
   */
  header_line: number;
  /** Whether the first line below the header holds the units of the columns. */
  units_line: boolean;
  /** The sheet of a workbook, or a pattern of several, such as `*`; null is its first one. */
  sheet: string | null;
  /** The files of a ZIP archive that are read, as a pattern, such as `*.csv`; null is all of them. */
  archive_files: string | null;
  /** Patterns of rows that are no data, such as `Total*`, by the first cell that holds anything. */
  skip_rows: string[];
  /** Of a long file, the column that says what a row is a value of; `columns` then names tags too. */
  tag_column: string | null;
  /** Of a long file, the column of the values. */
  value_column: string | null;
  /** Texts that say, as an empty cell does, that there is no value. */
  missing: string[];
  /** What becomes of cells that hold a formula, which is never computed. */
  formulas: "refuse" | "take_stored";
  /** The locations of every event. */
  location_ids: string[];
  /** The feedstock of events whose rows name none. */
  feedstock_id: string | null;
  /** The asset of events whose rows name none. */
  asset_id: string | null;
  /** What the client references of events are made of: `row`, `time` or `column`. */
  client_reference: "row" | "time" | "column";
  /** Whether a bad row, or one that differs from its event, refuses the file, or is left out of it. */
  bad_rows: "refuse_file" | "skip";
  /** Whether an event that the project has with other values than its row is told of, or corrected. */
  on_difference: "report" | "correct";
  /**
   * A folder (`/srv/drop/plant`) or a prefix in an object store (`s3://bucket/a`) to take files from.
   */
  watch: string | null;
  /** Why the last look at that place came to nothing; null where all was well. */
  watch_problem: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller sends to change a data feed; what is left out stays as it is. */
export interface DataFeedChange {
  /** What people call it, once in its project. */
  name?: string;
  /** The friendly id of the event type of all its events. */
  event_type_id?: string;
  /** What columns give; one that is not named here gives what its name says. */
  columns?: FeedColumn[];
  /** What becomes of columns that are not named here and whose names say nothing. */
  other_columns?: "refuse" | "leave_out";
  /** The zone of times without an offset, such as `Europe/Istanbul`; null refuses such times. */
  time_zone?: string | null;
  /**
   * The form of times that are not in ISO 8601, such as `%d.%m.%Y %H:%M`, or `epoch_seconds`,
   * `epoch_milliseconds`, `epoch_microseconds`, `epoch_nanoseconds`, `excel_serial`,
   * `excel_serial_1904`.
   */
  time_format?: string | null;
  /** Each row is later than the one before it, which tells apart local times that come twice. */
  rows_in_order?: boolean;
  /**
   * Each file begins after what was stored of the files before it, which tells apart such times too.
   */
  files_in_order?: boolean;
  /**
   * How long each event is: `30s`, `15m`, `1h` or `1d`; null makes readings, unless a column gives
   * ends.
   */
  duration?: string | null;
  /** What stands before the decimals of numbers that are texts. */
  decimal_mark?: "." | ",";
  /** What may stand between groups of digits: `.`, `,`, `space`, `'` or `none`. */
  thousands_separator?: "none" | "." | "," | "space" | "'";
  /**
   * What a value such as `<0.05` is: `limit`, `half`, `zero`, or `refuse`; its column then has a
   * `flag`.
   */
  below_limit?: "refuse" | "limit" | "half" | "zero";
  /** What a value such as `>1000` is: `limit` or `refuse`. */
  above_limit?: "refuse" | "limit";
  /** The encoding of CSV files, such as `utf-8` or `windows-1252`. */
  encoding?: string;
  /** The character between the cells of CSV files. */
  delimiter?: string;
  /**
   * The line that names the columns; what stands before it is passed over. 0 looks for it among the
   * first 50 lines: it has every column that `columns` names.
   */
  header_line?: number;
  /** Whether the first line below the header holds the units of the columns. */
  units_line?: boolean;
  /** The sheet of a workbook, or a pattern of several, such as `*`; null is its first one. */
  sheet?: string | null;
  /** The files of a ZIP archive that are read, as a pattern, such as `*.csv`; null is all of them. */
  archive_files?: string | null;
  /** Patterns of rows that are no data, such as `Total*`, by the first cell that holds anything. */
  skip_rows?: string[];
  /** Of a long file, the column that says what a row is a value of; `columns` then names tags too. */
  tag_column?: string | null;
  /** Of a long file, the column of the values. */
  value_column?: string | null;
  /** Texts that say, as an empty cell does, that there is no value. */
  missing?: string[];
  /** What becomes of cells that hold a formula, which is never computed. */
  formulas?: "refuse" | "take_stored";
  /** The locations of every event. */
  location_ids?: string[];
  /** The feedstock of events whose rows name none. */
  feedstock_id?: string | null;
  /** The asset of events whose rows name none. */
  asset_id?: string | null;
  /** What the client references of events are made of: `row`, `time` or `column`. */
  client_reference?: "row" | "time" | "column";
  /** Whether a bad row, or one that differs from its event, refuses the file, or is left out of it. */
  bad_rows?: "refuse_file" | "skip";
  /** Whether an event that the project has with other values than its row is told of, or corrected. */
  on_difference?: "report" | "correct";
  /**
   * A folder (`/srv/drop/plant`) or a prefix in an object store (`s3://bucket/a`) to take files from.
   */
  watch?: string | null;
}

/** The body of PATCH /projects/{project_id}/data_feeds/{data_feed_id}. */
export interface DataFeedChangeBody {
  /** What a caller sends to change a data feed; what is left out stays as it is. */
  data_feed: DataFeedChange;
}

/** A file that came to a data feed, and what became of it. */
export interface DataFeedUpload {
  /** The number of the upload. */
  id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The number of the data feed that it came to. */
  data_feed_id: number;
  /**
   * Where its task stands: `complete` when its rows were looked at, `failed` when nothing was stored.
   */
  state: "pending" | "running" | "complete" | "failed";
  /** The task that stores the rows; poll it, or this record. */
  async_task_id: number;
  /** How much of the file is read, in percent. */
  progress: number;
  /** Why nothing was stored; null unless it failed. */
  error_message: string | null;
  /** What the file is called. */
  file_name: string;
  /** How long the file is, in bytes. */
  file_size_bytes: number;
  /** The SHA-256 of the file as it came, in hexadecimal digits. */
  sha256: string;
  /** The watched place in which the file was found; null for one that was sent. */
  place: string | null;
  /** Whether everything was done as in earnest and then undone. */
  dry_run: boolean;
  /** What becomes of events that differ from their rows; null as the data feed says. */
  on_difference: "report" | "correct" | null;
  /**
   * The upload whose file was read, with the corrected rows that this upload brought; null without any.
   */
  corrects: number | null;
  /** The upload whose file has the same content and was stored whole; this one then added nothing. */
  same_as: number | null;
  /** What each column gave; `-` gave nothing. Null before the header was read. */
  mapping: Record<string, string> | null;
  /** Rows that were read; null until the end, as are all counts. */
  rows: number | null;
  /** Events that were stored. */
  stored: number | null;
  /** Rows whose events the project had already, by their client references, and which say the same. */
  already_there: number | null;
  /** Rows whose events the project had already with other values; they are among the `problems`. */
  differing: number | null;
  /**
   * How many of those events were corrected to what their rows say, where the data feed wants that.
   */
  corrected: number | null;
  /** Events of this file that lack a required value. */
  incomplete: number | null;
  /** Rows that are no event. */
  bad_rows: number | null;
  /** Cells whose value was saved with a formula, which was not computed. */
  formulas: number | null;
  /** When the first new event starts; of a dry run, the first that would be new. */
  first_start: string | null;
  /** When the last new event ends. */
  last_end: string | null;
  /**
   * What is wrong with the first rows that are bad or differ; all are in the file of `bad_rows.csv`.
   */
  problems: UploadProblem[] | null;
  /** When the record was made. */
  created_at: string;
  /** When it ended, well or not; null until then. */
  finished_at: string | null;
}

/** One measured value; `raw_value` is as captured and never changes, `value` is as corrected. */
export interface DataPoint {
  /** The friendly id of the data point: in_ and 24 hexadecimal digits. */
  id: string;
  /** The slug of its data point type, such as `wet_mass`. */
  slug: string;
  /** What its data point type is called, such as `Wet mass`. */
  data_point_type: string;
  /** What the value is. */
  value_type: "number" | "string" | "boolean";
  /** The value in force, as corrected; a number in its `unit`, with every digit. */
  value: Num | string | boolean;
  /** The value as it was captured, which never changes; null for one that was imputed. */
  raw_value: Num | string | boolean | null;
  /** The unit of a number, such as `kg`; null for a text, true or false, or a plain number. */
  unit: string | null;
  /** Always `complete`: what has no value is no data point. */
  status: "complete";
  /** Whether a value that a rule made stands in the place of what was captured. */
  substituted: boolean;
  /** Whether its event was not captured but imputed by a rule. */
  imputed: boolean;
  /** The correction that put another value in the place of a captured one. */
  substitution: Substitution | null;
  /** Whether the value in force was captured, is a person's, or was made by a rule, and how. */
  value_source: "captured" | "manual" | "adjusted" | "substituted" | "imputed";
  /** How many corrections of it stand: one in force, the others beneath it. */
  corrections_count: number;
  /** How many corrections were ever made of it, those that were reverted included. */
  corrections_total: number;
  /** What data rules found in it that stands, dismissed results included. */
  rule_results: DataPointResult[];
  /** The event that carries a data point. */
  event: DataPointEvent;
  /** When its event was stored. */
  created_at: string;
  /** When its event was last changed or corrected. */
  updated_at: string;
  /** How well this value is known, where that was stated of it; left out where its type says so. */
  uncertainty?: StatedUncertainty;
}

/** What a caller sends to correct a data point: a value, or how well it is known, or both. */
export interface DataPointChange {
  /**
   * The value that is to count: a number in the unit of its type, a text, or true or false, as its type
   * says; left out, it stays.
   */
  value?: Num | string | boolean;
  /** How well the value is known, in place of what its type states; null takes the statement away. */
  uncertainty?: StatedUncertainty | null;
  /** Why it is corrected, up to 1,000 characters; it stands with the correction. */
  reason?: string | null;
}

/** The body of PATCH /projects/{project_id}/data_points/{data_point_id}. */
export interface DataPointChangeBody {
  /** What a caller sends to correct a data point: a value, or how well it is known, or both. */
  data_point: DataPointChange;
}

/** The event that carries a data point. */
export interface DataPointEvent {
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The friendly id of the event: evt_ and 24 hexadecimal digits. */
  id: string;
  /** The slug of its event type, such as `diesel-delivery`. */
  slug: string;
  /** The tracking id of the event, such as `LOT-7`; null when it has none. */
  tracking_id: string | null;
  /** When what was measured began. */
  start_time: string;
  /** When it ended; the start for a reading. */
  end_time: string;
}

/** What a version of a rule found in one data point. */
export interface DataPointResult {
  /** The friendly id of the data point result: dpres_ and 24 hexadecimal digits. */
  id: string;
  /** Where the result stands; `pass` for one whose record has passed since. */
  status: "fail" | "error" | "dismissed" | "pass";
  /** The value that was checked, as a text such as `12.5`; null when there was none. */
  entered_value: string | null;
  /** Why the expression has no value for the record; null unless `status` is `error`. */
  error_message: string | null;
  /** The friendly id of the rule: rule_ and 24 hexadecimal digits. */
  rule_id: string;
  /** Which version of the rule it was, counted from 1. */
  rule_version: number;
  /** What the rule is called now. */
  rule_name: string;
  /** Whether it is an alert, `fail`, or a warning, `warn`, as the rule's version says. */
  severity: "warn" | "fail";
  /**
   * What the rule says to people, and where it asks for the drift of a meter, between which
   * calibrations of which times that is; null when it says nothing.
   */
  message: string | null;
  /** The friendly id of the event; null for a slot in which none came, until someone approves one. */
  event_id: string | null;
  /** The friendly id of the data point; null as long as there is no event. */
  data_point_id: string | null;
  /** The slug of its data point type, such as `wet_mass`. */
  data_point_slug: string;
  /** When the record was last evaluated. */
  evaluated_at: string;
  /** When the result was found first. */
  created_at: string;
  /** The version of the rule that has evaluated the record since; null for a result of the newest. */
  superseded_by_version: number | null;
  /** When it was dismissed; null unless it was. */
  dismissed_at: string | null;
  /** The name of the user who dismissed it; null unless someone did. */
  dismissed_by: string | null;
  /** Why it was dismissed; null unless it was. */
  dismissal_reason: string | null;
  /** Where the correction stands that the rule proposes; null when it proposes none. */
  approval_state: "pending" | "approved" | "rejected" | "withdrawn" | "superseded" | null;
  /** What the value would become; null when nothing is proposed. */
  proposed_correction: ProposedCorrection | null;
  /** When the proposal was rejected; null unless it was. */
  rejected_at: string | null;
  /** The name of the user who rejected it; null unless someone did. */
  rejected_by: string | null;
  /** Why it was rejected; null unless it was. */
  rejection_reason: string | null;
  /**
   * The event that is proposed for a slot in which none came; null of a result on a captured event.
   */
  proposed_event: ProposedEvent | null;
  /** When the proposal was approved; null unless it was. */
  approved_at: string | null;
  /** The name of the user who approved it; null unless someone did. */
  approved_by: string | null;
  /** What that user said about it; null when nothing was said. */
  approval_comment: string | null;
}

/** One kind of value that events of the type carry. */
export interface DataPointType {
  /** The number of the data point type, as `skipped_data_point_type_ids` takes it. */
  id: number;
  /** The name that events, models and rules use for it, such as `wet_mass`; it never changes. */
  slug: string;
  /** What people call it, such as `Wet mass`. */
  name: string;
  /** What its values are. */
  value_type: "number" | "string" | "boolean";
  /**
   * The unit of its numbers, such as `kg`; null for texts, for true or false, and for plain numbers.
   */
  unit: string | null;
  /** Whether an event without it is `incomplete`. */
  required: boolean;
  /** How well each of its values is known, unless the value says otherwise; null when not stated. */
  uncertainty: StatedUncertainty | null;
  /** Always false: what holds for long is a static input of its own. */
  is_static: boolean;
  /** The number of its event type. */
  nexus_event_type_id: number;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** A data point type that the event type is to have: one it has already, by its slug, or a new one. */
export interface DataPointTypeChange {
  /** The one that is meant, if the event type has it already; of a new one, the slug it will have. */
  slug?: string | null;
  /** What people call it, such as `Wet mass`. */
  name?: string;
  /** What its values are. */
  value_type?: "number" | "string" | "boolean";
  /**
   * The unit of its numbers, such as `kg`; null for texts, for true or false, and for plain numbers.
   */
  unit?: string | null;
  /** Whether an event without it is `incomplete`. */
  required?: boolean;
  /** How well its values are known, in place of what was stated before; null takes that away. */
  uncertainty?: StatedUncertainty | null;
}

/** The results of a bulk approval or rejection, each once, in the order in which they were named. */
export interface DecidedResults {
  /** The results as they are now, in the order in which they were named. */
  data: (DataPointResult | ModelRunResult)[];
}

/** The answer: not a page, for what is short is meant to be put right. */
export interface Deficits {
  /** Every deficit of the ledger by partition and slot, those that are settled included. */
  data: PartitionDeficit[];
}

/** One reason why a run stays, and the records that are in the way. */
export interface DeletionBlocker {
  /** The kind of reason. */
  code: "batch";
  /** The reason, in a sentence. */
  message: string;
  /** The ids of the records that are in the way, such as `bat_…`. */
  records: string[];
}

/** The result of a finished deletion. */
export interface DeletionResult {
  /** The friendly ids of the batches that were deleted. */
  deleted: string[];
  /** Skips and named sets that ended with the last batch of their slot. */
  ended_inputs: EndedInput[];
  /** What stands above a run's last result, because the batch that let it fall was deleted. */
  stands_above: StandsAbove[];
}

/**
 * What differs between two versions: nodes by their slugs, and everything that stands outside nodes.
 */
export interface Difference {
  /** The friendly id of the version that is compared from. */
  before: string;
  /** The friendly id of the version that is compared to. */
  after: string;
  /** The slugs of the nodes that only the version after has. */
  added: string[];
  /** The slugs of the nodes that only the version before has. */
  removed: string[];
  /** The nodes that both have and that differ. */
  changed: ChangedNode[];
  /** What differs outside of nodes, such as `cadence`. */
  settings: Change[];
}

/** The body of a bulk dismissal: results of either kind, and the one reason for all of them. */
export interface Dismissal {
  /** The rule results to dismiss, up to 1,000, of either kind. */
  result_ids: string[];
  /** Why all of them are dismissed, in a sentence. */
  reason: string;
}

/** The results of a bulk dismissal, each once, in the order in which they were named. */
export interface Dismissed {
  /** The results as they are now, in the order in which they were named. */
  data: (DataPointResult | ModelRunResult)[];
}

/** A document to look at; nothing is stored. */
export interface Document {
  /** The document, as text in the model language. */
  yaml: string;
}

/** A document to look at, and the project whose event types and ledgers it may name. */
export interface DocumentOfProject {
  /** The document, as text in the model language. */
  yaml: string;
  /** The project whose event types and ledgers it may name, as `prj_…` or its number. */
  project_id?: string | number | null;
}

/** What the runs of a partition drew from another ledger, less what they gave back. */
export interface DrawnIn {
  /** The friendly id of the ledger that was drawn from. */
  ledger: string;
  /** What that ledger is called. */
  name: string;
  /** The unit of that ledger, such as `t`. */
  unit: string;
  /** How much was drawn, in `unit`. */
  amount: Decimal;
}

/**
 * What was named or skipped for a slot whose last batch is gone: from now on it discovers its data.
 */
export interface EndedInput {
  /** What the slot is called, such as `2025-03` or `2025-W09`. */
  slot: string;
  /** The number of the data point type. */
  data_point_type_id: number;
  /** What the data point type is called. */
  data_point_type: string;
  /** Whether data of the type were set aside. */
  skipped: boolean;
  /** Whether a complete set of them was named. */
  named: boolean;
}

/** One engagement of a verifier on a report. */
export interface Engagement {
  /** The number of the engagement. */
  id: number;
  /** The friendly id of the report. */
  report_id: string;
  /** Whether it is `open`, `concluded` or `withdrawn`. */
  state: "open" | "concluded" | "withdrawn";
  /** Who verifies, such as the body and its accreditation. */
  verifier: string;
  /** What is verified. */
  scope: string;
  /** By which rules. */
  criteria: string;
  /** The level of assurance: `reasonable` or `limited`. */
  assurance: "reasonable" | "limited";
  /** The threshold of materiality in percent of the total; null where only an amount is agreed. */
  materiality_percent: Decimal | null;
  /** The threshold of materiality as an amount, in the unit of the report. */
  materiality_amount: Decimal | null;
  /** The strata, each of another event type. */
  strata: SampleStratum[];
  /** How many records the population had when the engagement began. */
  population_count: number;
  /** The SHA-256 of the population, as it is in the bundle. */
  population_sha256: string;
  /** How many rows the audit log's head had when the engagement began. */
  log_rows: number;
  /** The root hash of that head. */
  log_root: string;
  /** The text by which the verifier completed the seed; null while no sample is drawn. */
  seed_text: string | null;
  /** The seed that follows from the head, the population and the text. */
  seed: string | null;
  /** How many records were drawn. */
  sample_count: number;
  /** When the sample was drawn; null until then. */
  drawn_at: string | null;
  /** The effect of open findings on the total of the report. */
  effect: FindingsEffect;
  /** The findings, by number. */
  findings: VerifierFinding[];
  /** Null until the engagement is concluded. */
  opinion: Opinion | null;
  /** The name of the user, or of the link. */
  created_by: string;
  /** When it began. */
  created_at: string;
  /** When it was concluded or withdrawn. */
  ended_at: string | null;
}

/** The body that withdraws an engagement, which may be left out. */
export interface EngagementEnd {
}

/** The engagements on a report, the oldest first. */
export interface Engagements {
  /** The engagements, the oldest first. */
  data: Engagement[];
}

/** The body of every answer that is not a success. */
export interface ErrorBody {
  /** Always the word `error`. */
  status: string;
  /** The status of the answer, such as 422. */
  statusCode: number;
  /** Everything that is wrong, each in a sentence of its own. */
  errors: ErrorItem[];
  /** The id of the request in the logs, which its answer carries as `X-Request-Id`. */
  request_id: string;
}

/** One thing that is wrong. */
export interface ErrorItem {
  /** What is wrong, in a sentence that names what came and what is allowed. */
  message: string;
  /** A word for the kind of problem, which a program may switch on; the sentence may change. */
  code: string;
  /** What it is about: the path in the body, such as `data_points[0].value`, or the parameter. */
  field?: string | null;
  /** The ids of the records that are in the way. */
  records?: string[];
  /** The type of a record that is not there. */
  type?: string | null;
  /** The id by which that record was asked for. */
  id?: string | null;
}

/** One event with its data points, locations and evidence. */
export interface Event {
  /** The friendly id of the event: evt_ and 24 hexadecimal digits. */
  id: string;
  /** The slug of its event type, such as `diesel-delivery`; requests send it as `event_type`. */
  slug: string;
  /** What its event type is called, such as `Diesel delivery`. */
  event_type: string;
  /** The friendly id of the event type: et_ and 24 hexadecimal digits. */
  event_type_id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The text by which events of one lot are known, such as `LOT-7`; null when it has none. */
  tracking_id: string | null;
  /** The sender's own name for the event, once in the project; null when it has none. */
  client_reference: string | null;
  /** What people write about the event, up to 10,000 characters; null when there is nothing. */
  notes: string | null;
  /** When what was measured began. */
  start_time: string;
  /** When it ended; the start for a reading. */
  end_time: string;
  /**
   * Whether it has every value and tag that its type requires; no run uses one that is `incomplete`.
   */
  status: "complete" | "incomplete";
  /** The slugs of the required data points that it lacks. */
  missing: string[];
  /** The feedstock that an event is tagged with. */
  feedstock: EventFeedstock | null;
  /** The asset that an event is tagged with. */
  asset: EventAsset | null;
  /** The values that were measured, in the order of their types. */
  data_points: EventDataPoint[];
  /** The places of the event; the first is the meter when it has no asset. */
  locations: Location[];
  /** The files and links that stand behind the event. */
  evidences: EventEvidence[];
  /** The readings that the service made it of; null when it was captured. */
  rolled_up_from: EventReadings | null;
  /** Whether a data rule has found something in it that stands and was not dismissed. */
  has_rule_alerts: boolean;
  /**
   * Whether a data rule whose severity is `warn` has found something in it that stands and was not
   * dismissed.
   */
  has_rule_warnings: boolean;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
  /** Where the record opens in the web app. */
  ui_url: string;
}

/** The asset that an event is tagged with. */
export interface EventAsset {
  /** The friendly id of the asset: ast_ and 24 hexadecimal digits. */
  id: string;
  /** What the asset is called, such as `Truck scale 2`. */
  name: string;
}

/**
 * What a caller sends to complete or correct an event; what is left out stays as it is. `reason` stands
 * with each correction that the request makes.
 */
export interface EventChange {
  /** The slug of the event type, which must be the one it has. */
  event_type?: string;
  /** When what was measured began. */
  start_time?: string;
  /** When it ended; the start for a reading. */
  end_time?: string | null;
  /** The text by which events of one lot are known, such as `LOT-7`; null when it has none. */
  tracking_id?: string | null;
  /** The feedstock that the event is tagged with, such as `fs_…`; null takes the tag away. */
  feedstock_id?: string | null;
  /** The asset that the event is tagged with, such as `ast_…`; null takes the tag away. */
  asset_id?: string | null;
  /** The sender's own name for the event, once in the project; null when it has none. */
  client_reference?: string | null;
  /** What people write about the event, up to 10,000 characters; null when there is nothing. */
  notes?: string | null;
  /** The locations by their ids, in place of all that the event has. */
  locations?: LocationRef[];
  /** First values, or other values, each of a data point type; the rest stay as they are. */
  data_points?: NewDataPoint[];
  /** Why the event is corrected, up to 1,000 characters; it stands with every correction made. */
  reason?: string | null;
}

/** The body of PATCH /projects/{project_id}/events/{event_id}. */
export interface EventChangeBody {
  /** What a caller sends to complete or correct an event; what is left out stays as it is. */
  event: EventChange;
}

/** A measured value inside its event; `raw_value` is as captured and never changes. */
export interface EventDataPoint {
  /** The friendly id of the data point: in_ and 24 hexadecimal digits. */
  id: string;
  /** The slug of its data point type, such as `wet_mass`. */
  slug: string;
  /** What its data point type is called, such as `Wet mass`. */
  data_point_type: string;
  /** The value in force, as corrected; a number in its `unit`, with every digit. */
  value: Num | string | boolean;
  /** The value as it was captured, which never changes; null for one that was imputed. */
  raw_value: Num | string | boolean | null;
  /** The unit of a number, such as `kg`; null for a text, true or false, or a plain number. */
  unit: string | null;
  /** Always `complete`: what has no value is no data point. */
  status: "complete";
  /** Whether a value that a rule made stands in the place of what was captured. */
  substituted: boolean;
  /** Whether its event was not captured but imputed by a rule. */
  imputed: boolean;
  /** The correction that put another value in the place of a captured one. */
  substitution: Substitution | null;
  /** Whether the value in force was captured, is a person's, or was made by a rule, and how. */
  value_source: "captured" | "manual" | "adjusted" | "substituted" | "imputed";
  /** How many corrections of it stand: one in force, the others beneath it. */
  corrections_count: number;
  /** How many corrections were ever made of it, those that were reverted included. */
  corrections_total: number;
  /** What data rules found in it that stands, dismissed results included. */
  rule_results: DataPointResult[];
  /** How well this value is known, where that was stated of it; left out where its type says so. */
  uncertainty?: StatedUncertainty;
}

/** A file or link inside its event. */
export interface EventEvidence {
  /** The number of the file or link. */
  id: number;
  /** Whether it is a file that is kept here, or a link. */
  type: "file" | "url";
  /** Where a file is downloaded, or where a link leads. */
  url: string;
  /** What people call it: of a file its file name, such as `ticket-4711.pdf`. */
  name: string;
}

/** The feedstock that an event is tagged with. */
export interface EventFeedstock {
  /** The friendly id of the feedstock: fs_ and 24 hexadecimal digits. */
  id: string;
  /** What the feedstock is called, such as `Wood chips`. */
  name: string;
}

/**
 * The readings that a rolled-up event is made of: those of its source that begin in its time and have
 * its tags; list them with the filter `rolled_up_event_id`.
 */
export interface EventReadings {
  /** The friendly id of the event type of the readings. */
  event_type_id: string;
  /** The slug of that event type. */
  event_type: string;
  /** The start of the slot, inclusive: the first moment at which one of the readings may begin. */
  start_time: string;
  /** The end of the slot, exclusive. */
  end_time: string;
  /** How many readings there are, valid or not. */
  readings: number;
  /** How many of them are valid, and so count. */
  valid_readings: number;
  /** How many readings the cadence of the source expects in the slot; null where it has none. */
  expected_readings: number | null;
  /** The share of the expected readings that its meter has, valid ones only; null where none are. */
  valid_share: Decimal | null;
}

/** What a bulk request gets back for each event, in the order sent. */
export interface EventReceipt {
  /** The friendly id of the event: evt_ and 24 hexadecimal digits. */
  id: string;
  /** Whether the event has every value and tag that its type requires. */
  status: "complete" | "incomplete";
  /** The slugs of the required data points that it lacks; left out when it lacks none. */
  missing?: string[];
}

/** The answer to a bulk request. */
export interface EventReceipts {
  /** One receipt for each event, in the order sent. */
  data: EventReceipt[];
  /** How many events were stored. */
  info: BulkInfo;
}

/** One event type with its data point types, in their order. */
export interface EventType {
  /** The friendly id of the event type: et_ and 24 hexadecimal digits. */
  id: string;
  /**
   * The name that events are sent with and models use, such as `diesel-delivery`; it never changes.
   */
  slug: string;
  /** What people call it, such as `Diesel delivery`. */
  name: string;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description: string | null;
  /** How many `cadence_unit`s lie between two of its events; null when nothing is expected. */
  cadence_amount: number | null;
  /** The unit of its cadence; null when nothing is expected. */
  cadence_unit: "minute" | "hour" | "day" | "week" | "month" | null;
  /**
   * When an event counts as valid for the capture rate, such as `quality = 'good'`; null: when
   * complete.
   */
  valid_when: string | null;
  /** Whether one event may feed runs of several batches of a model. */
  reusable_in_batches: boolean;
  /** How many locations an event of the type names at least. */
  expected_locations: "none" | "one" | "two";
  /** Whether an event of the type is refused without a tracking id. */
  requires_tracking_id: boolean;
  /** Always false: what holds for long is a static input of its own. */
  is_static: boolean;
  /** The quantities that its events carry, in their order. */
  data_point_types: DataPointType[];
  /**
   * The readings that its events are made of, by the service; null when people and devices write them.
   */
  rolled_up_from: RollUp | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
  /** Where the record opens in the web app. */
  ui_url: string;
}

/**
 * What a caller sends to change an event type; what is left out stays as it is. `data_point_types`
 * lists all that the event type is to have.
 */
export interface EventTypeChange {
  /** What people call it, such as `Diesel delivery`. */
  name?: string;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description?: string | null;
  /** How many `cadence_unit`s lie between two of its events; null when nothing is expected. */
  cadence_amount?: number | null;
  /** The unit of its cadence; null when nothing is expected. */
  cadence_unit?: "minute" | "hour" | "day" | "week" | "month" | null;
  /**
   * When an event counts as valid for the capture rate, such as `quality = 'good'`; null: when
   * complete.
   */
  valid_when?: string | null;
  /** Whether one event may feed runs of several batches of a model. */
  reusable_in_batches?: boolean;
  /** How many locations an event of the type names at least. */
  expected_locations?: "none" | "one" | "two";
  /** Whether an event of the type is refused without a tracking id. */
  requires_tracking_id?: boolean;
  /** All that the event type is to have, in their order; one that is not among them is removed. */
  data_point_types?: DataPointTypeChange[];
  /**
   * The readings that its events are to be made of, in place of what was said before; all are made
   * anew.
   */
  rolled_up_from?: RollUp | null;
}

/** The body of PATCH /projects/{project_id}/event_types/{event_type_id}. */
export interface EventTypeChangeBody {
  /** What a caller sends to change an event type; what is left out stays as it is. */
  event_type: EventTypeChange;
}

/** One file or link of an event; size in bytes, content type and SHA-256 are those of a file. */
export interface Evidence {
  /** The number of the file or link. */
  id: number;
  /** Whether it is a file that is kept here, or a link. */
  type: "file" | "url";
  /** Where a file is downloaded, or where a link leads. */
  url: string;
  /** What people call it: of a file its file name, such as `ticket-4711.pdf`. */
  name: string;
  /** How many bytes the file has; left out for a link. */
  size?: number;
  /** The media type of the file, such as `application/pdf`; left out for a link. */
  content_type?: string;
  /** The SHA-256 of the file, as 64 hexadecimal digits; left out for a link. */
  sha256?: string;
}

/** A list as a file. */
export interface Export {
  /** The friendly id of the export: exp_ and 24 hexadecimal digits. */
  id: string;
  /** Where it stands: `completed` is when the file can be downloaded, for 24 hours. */
  status: "pending" | "completed" | "failed" | "expired";
  /** What the file is written as. */
  format: "csv" | "json" | "jsonl" | "parquet" | "xlsx";
  /** Where the file is, for whoever has this address, without a token; null while there is none. */
  download_url: string | null;
  /** How long the file is, in bytes; null before it is made. */
  file_size_bytes: number | null;
  /** How many rows stand in it; null before it is made. */
  rows: number | null;
  /** The SHA-256 of the file, in hexadecimal digits; null before it is made. */
  sha256: string | null;
  /** Until when the file can be downloaded; null before it is made. */
  expires_at: string | null;
  /** The task that makes the file. */
  async_task_id: number;
  /** When it was asked for. */
  created_at: string;
}

/** What the task of an export says it came to. */
export interface ExportResult {
  /** The export, which `/exports/{export_id}` shows. */
  export_id: string;
  /** Rows that stand in the file. */
  rows: number;
}

/** Which features are switched; what is left out stays. */
export interface FeatureFlagChanges {
  /** Whether the account has data rules with their runs and results. */
  rules_engine?: boolean;
  /** Whether event types of the account may say how often they are measured. */
  data_capture_rate?: boolean;
  /** Whether people may approve what a rule that they wrote, or data that they sent, proposed. */
  approval_of_own?: boolean;
  /**
   * Whether partners' clients may read footprints of the account below `/pact`, and send events there.
   */
  footprint_exchange?: boolean;
}

/** Every flag that affects the interface; false for those that are off. */
export interface FeatureFlags {
  /**
   * Whether the account has data rules with their runs and results; without it, records show no alerts.
   */
  rules_engine: boolean;
  /** Whether event types of the account may say how often they are measured. */
  data_capture_rate: boolean;
  /** Whether people may approve what a rule that they wrote, or data that they sent, proposed. */
  approval_of_own: boolean;
  /**
   * Whether partners' clients may read footprints of the account below `/pact`, and send events there.
   */
  footprint_exchange: boolean;
}

/** The body of PATCH /feature_flags. */
export interface FeatureFlagsBody {
  /** Which features are switched; what is left out stays. */
  feature_flags: FeatureFlagChanges;
}

/** One record was changed; how it is now says the record itself. */
export interface FeedChange {
  /** Where the feed goes on behind this change: send it as `after`. */
  cursor: string;
  /** What was changed. */
  kind: "event" | "correction" | "batch" | "async_task" | "rule_result" | "report" | "ledger" | "footprint";
  /**
   * What was done to it; events are voided and restored, corrections reverted, tasks started, completed
   * and failed.
   */
  action: "create" | "update" | "delete" | "void" | "restore" | "revert" | "start" | "complete" | "fail";
  /**
   * The id of the record; of a correction that of the data point, or of the event whose times or tags
   * it corrects.
   */
  id: string;
  /** The friendly id of its project; null for a task of the account. */
  project_id: string | null;
  /** When the change took its place in the feed, soon after it was committed. */
  at: string;
}

/** What one column of a file gives. */
export interface FeedColumn {
  /**
   * The name of the column in the header, or `=` and a value of every row: the first `start_time`, the
   * start of `client_reference`, a `location`; `=` alone for no `end_time` or `client_reference`.
   */
  column: string;
  /**
   * The slug of a data point, or `start_time`, `end_time`, `utc_offset`, `tracking_id`, `location`,
   * `feedstock`, `asset`, `client_reference` or `notes`; `-` leaves the column out.
   */
  field: string;
  /** The unit in which the column is written; null is the unit of the data point. */
  unit?: string | null;
  /** The slug of a text data point that keeps a detection limit as it is written, such as `<0.05`. */
  flag?: string | null;
}

/** One raw material of a project. */
export interface Feedstock {
  /** The friendly id of the feedstock: fs_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** What people call it, once in the project, such as `Plant North`. */
  name: string;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller sends to change a feedstock; what is left out stays as it is. */
export interface FeedstockChange {
  /** What people call it, once in the project, such as `Plant North`. */
  name?: string;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description?: string | null;
}

/** The body of PATCH /projects/{project_id}/feedstocks/{feedstock_id}. */
export interface FeedstockChangeBody {
  /** What a caller sends to change a feedstock; what is left out stays as it is. */
  feedstock: FeedstockChange;
}

/** An event that a rule made for a slot of the gap, or a value of which a rule substituted. */
export interface FilledSlot {
  /** The friendly id of the event. */
  event_id: string;
  /** When the event begins. */
  start_time: string;
  /** Whether the event was imputed where none was captured, or a captured value substituted. */
  value_source: "imputed" | "substituted";
  /** Its values as they are in force, by the slugs of their data point types. */
  values: Record<string, Num | string | boolean>;
  /** How those values were found that a rule put there, with tier and code, by the same slugs. */
  substitutions: Record<string, Substitution>;
}

/** A value that a rule put into a gap, and how it was found. */
export interface FilledValue {
  /** The number of the correction that put it there. */
  id: number;
  /** The friendly id of the event; a rule made the event where the value is imputed. */
  event_id: string;
  /** The friendly id of the data point. */
  data_point_id: string;
  /** The slug of its data point type. */
  slug: string;
  /** The friendly id of the asset that the meter is; null when it is none. */
  asset_id: string | null;
  /** The friendly id of the location that the meter is; null when it is none. */
  location_id: string | null;
  /** What the asset or the location is called; null for the event type itself. */
  name: string | null;
  /** When the event begins. */
  start_time: string;
  /** When the slot begins that the event is in. */
  slot_start_time: string;
  /** When that slot ends. */
  slot_end_time: string;
  /** Whether it stands in the place of a captured value, or where no event was captured. */
  value_source: "substituted" | "imputed";
  /** The value in force, in the unit of its data point type. */
  value: Decimal;
  /** The value that was captured, in the same unit; null where none was. */
  captured_value: Decimal | null;
  /** The friendly id of the rule that put it there. */
  rule_id: string;
  /** The version of that rule, counted from 1. */
  rule_version: number;
  /** The number of the rule run that found it; null where a person approved a proposal. */
  rule_run_id: number | null;
  /** The method by which the gap was filled. */
  method: "constant" | "previous" | "next" | "mean_before_after" | "linear" | "mean" | "median" | "minimum" | "maximum" | "percentile" | "mean_plus_sd" | "confidence_limit" | "greater_of" | "lesser_of" | "expression";
  /** The part of the method that gave the value. */
  found_by: "constant" | "previous" | "next" | "mean_before_after" | "linear" | "mean" | "median" | "minimum" | "maximum" | "percentile" | "mean_plus_sd" | "confidence_limit" | "greater_of" | "lesser_of" | "expression";
  /** Which tier of the rule was taken, counted from 1. */
  tier: number;
  /** The code by which a regime knows the tier; null where it has none. */
  code: string | null;
  /** The window that the value was found from; null where none was asked. */
  window: Record<string, unknown> | null;
  /** How many values it was found from. */
  members_used: number;
  /**
   * The share of operating slots with a valid captured value, up to here or in a period that a tier
   * names; null where none asks.
   */
  availability: Decimal | null;
  /** How many operating slots the gap has that it is in. */
  gap_slots: number;
  /** When it was put there. */
  created_at: string;
}

/** The values of periods of the project's calendar, the last of which holds the slot. */
export interface FillingCalendarWindow {
  /** What sort of window it is. */
  kind: "calendar";
  /** The period; a week begins on Monday. */
  unit: "day" | "week" | "month" | "quarter" | "year";
  /** How many consecutive periods, a whole number from 1 to 120. */
  value?: number;
  /** Whether it goes up to the record, or to the end of the period. */
  extent?: "to_date" | "whole_period";
  /** An expression on a member's own values, such as `{{wet_mass}} > 0`; others are no members. */
  where?: string | null;
  /** An expression; only values count whose events give what the event of the slot gives. */
  same?: string | null;
}

/** How the value of a slot is found that needs one; each method takes some of these fields. */
export interface FillingMethod {
  /** How the value is found. */
  method: "constant" | "previous" | "next" | "mean_before_after" | "linear" | "mean" | "median" | "minimum" | "maximum" | "percentile" | "mean_plus_sd" | "confidence_limit" | "greater_of" | "lesser_of" | "expression";
  /** The value of `constant`. */
  value?: Decimal | null;
  /** What `expression` computes from the slot's own event. */
  expression?: string | null;
  /** Which values a statistic is taken of; required by all from `mean` to `confidence_limit`. */
  window?: FillingWindow | FillingCalendarWindow | GapWindow | null;
  /** Which `percentile`, from 0 to 100. */
  p?: Decimal | null;
  /** By which definition a `percentile` is taken; required there. */
  definition?: "nearest_rank" | "naaqs" | "eu_97_101" | "inclusive" | "linear" | "exclusive" | null;
  /** How many standard deviations `mean_plus_sd` adds. */
  factor?: Decimal | null;
  /** Which standard deviation `mean_plus_sd` adds; required there. */
  deviation?: "sample" | "population" | null;
  /** The share of the interval whose limit `confidence_limit` is, in percent, from 1 to 99.9. */
  confidence?: Decimal | null;
  /** The methods that `greater_of` and `lesser_of` choose from, 2 to 5. */
  methods?: FillingMethod[] | null;
  /** What stands where no value comes after the gap, as long as none does: the default is to wait. */
  without_after?: "wait" | "before" | FillingMethod | null;
  /** What stands where no value comes before the gap; without it none does. */
  without_before?: "first_after" | FillingMethod | null;
  /** The period of the slot in which a value has to come after the gap; later ones count as none. */
  after_within?: "day" | "week" | "month" | "quarter" | "year" | null;
  /** What stands where the window of a statistic holds no value; without it none does. */
  without_members?: FillingMethod | null;
}

/** Events of another type that say whether the meter was operating while they lasted. */
export interface FillingOperation {
  /** The slug of their event type, such as `unit-hour`. */
  event_type: string;
  /** What is true of an event while the meter is operating, such as `{{load}} > 0`. */
  where: string;
}

/** To how many places values are rounded, and which way. */
export interface FillingRounding {
  /** Places after the point; before it when negative. */
  places: number;
  /** Where a value in the middle goes: away from zero, or to the even digit. */
  mode: "half_up" | "half_even";
}

/** A method, when it is taken, and the code by which a regime knows it. */
export interface FillingTier {
  /** How the value is found. */
  method: "constant" | "previous" | "next" | "mean_before_after" | "linear" | "mean" | "median" | "minimum" | "maximum" | "percentile" | "mean_plus_sd" | "confidence_limit" | "greater_of" | "lesser_of" | "expression";
  /** The value of `constant`. */
  value?: Decimal | null;
  /** What `expression` computes from the slot's own event. */
  expression?: string | null;
  /** Which values a statistic is taken of; required by all from `mean` to `confidence_limit`. */
  window?: FillingWindow | FillingCalendarWindow | GapWindow | null;
  /** Which `percentile`, from 0 to 100. */
  p?: Decimal | null;
  /** By which definition a `percentile` is taken; required there. */
  definition?: "nearest_rank" | "naaqs" | "eu_97_101" | "inclusive" | "linear" | "exclusive" | null;
  /** How many standard deviations `mean_plus_sd` adds. */
  factor?: Decimal | null;
  /** Which standard deviation `mean_plus_sd` adds; required there. */
  deviation?: "sample" | "population" | null;
  /** The share of the interval whose limit `confidence_limit` is, in percent, from 1 to 99.9. */
  confidence?: Decimal | null;
  /** The methods that `greater_of` and `lesser_of` choose from, 2 to 5. */
  methods?: FillingMethod[] | null;
  /** What stands where no value comes after the gap, as long as none does: the default is to wait. */
  without_after?: "wait" | "before" | FillingMethod | null;
  /** What stands where no value comes before the gap; without it none does. */
  without_before?: "first_after" | FillingMethod | null;
  /** The period of the slot in which a value has to come after the gap; later ones count as none. */
  after_within?: "day" | "week" | "month" | "quarter" | "year" | null;
  /** What stands where the window of a statistic holds no value; without it none does. */
  without_members?: FillingMethod | null;
  /**
   * When the tier is taken, over `availability()`, also of a period such as `availability(year)`,
   * `gap_slots()` and `valid_slots()`; the last tier may leave it out.
   */
  when?: string | null;
  /** What stands on every value that it gives, such as `08`; at most 40 characters. */
  code?: string | null;
  /**
   * How well its values are known, in the unit of the data point; left out, as well as their sources.
   */
  uncertainty?: StatedUncertainty | null;
}

/** The values before a slot: those of a stretch of clock time, the last so many, or both. */
export interface FillingWindow {
  /** What sort of window it is; `trailing` is taken for `rolling`, which is what answers say. */
  kind: "rolling" | "trailing";
  /** How long before the slot its members start at most. */
  duration?: WindowDuration | null;
  /** How many members there are, a whole number from 1 to 10,000. */
  members?: number | null;
  /** Which values feed the window; what was substituted never does. */
  where?: string | null;
  /** An expression; only values count whose events give what the event of the slot gives. */
  same?: string | null;
}

/** The operator's answer to a finding. */
export interface FindingAnswer {
  /** What was done or found, in a sentence or more. */
  answer: string;
}

/** The verifier's decision about a finding. */
export interface FindingDecision {
  /** What is decided: `resolve`, `reopen` or `withdraw`. */
  decision: "resolve" | "reopen" | "withdraw";
  /** Why, in a sentence that stays with the finding. */
  reason: string;
}

/** The effect of open findings on the total of the report. */
export interface FindingsEffect {
  /** By how much they would change the total, in `unit`. */
  signed: Decimal;
  /** The sum of their amounts without sign, which is compared with the threshold. */
  absolute: Decimal;
  /** The threshold of materiality; of a percentage and an amount the smaller one. */
  threshold: Decimal;
  /** Whether `absolute` is more than the threshold. */
  is_material: boolean;
  /** The total of the report. */
  total: Decimal;
  /** The unit of the ledger, such as `t`. */
  unit: string;
  /** Requests that are neither resolved nor withdrawn. */
  open_requests: number;
}

/** The same by the law of propagation (JCGM 100), in the `unit` of the run. */
export interface FirstOrderResult {
  /** What the runs came to, before a discount was taken off. */
  estimate: Decimal;
  /** The standard uncertainty to first order. */
  standard_uncertainty: Decimal;
  /** By what the standard uncertainty is multiplied, by Student's t or the normal distribution. */
  coverage_factor: Decimal;
  /** Half the width of the interval. */
  expanded_uncertainty: Decimal;
  /** The low end of the interval about `estimate`. */
  low: Decimal;
  /** The high end of the interval about `estimate`. */
  high: Decimal;
}

/** An automatic rule that corrects unasked, and that would evaluate what the change touches. */
export interface FollowingRule {
  /** The friendly id of the rule: rule_ and 24 hexadecimal digits. */
  rule_id: string;
  /** What the rule is called. */
  name: string;
  /** What the rule is for: adjust, substitute or impute. */
  purpose: "alert" | "adjust" | "substitute" | "impute";
}

/** A footprint of a product, as it was made; nothing of it changes but its status. */
export interface Footprint {
  /** The UUID by which others know it. */
  id: string;
  /** The number of the product that it is of. */
  product_id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The batch that it was made from; null for one that was made from a report. */
  batch_id: string | null;
  /** The report that it was made from; null for one that was made from a batch. */
  report_id: string | null;
  /**
   * Whether it is to be used: `Deprecated` once another one has taken its place or it was taken back.
   */
  status: "Active" | "Deprecated";
  /** The footprints that it takes the place of, and those that they did. */
  preceding_ids: string[];
  /** The footprint as it is sent: the object `ProductFootprint` of PACT. */
  content: Record<string, unknown>;
  /** Why `primaryDataShare` is left out; null where it is stated. */
  primary_data_share_reason: string | null;
  /** What is wrong with it; empty for nothing. */
  findings: FootprintFinding[];
  /** When it begins to be valid: at the end of its period. */
  valid_from: string;
  /** When it is valid no more. */
  valid_until: string;
  /** When the record was made. */
  created_at: string;
  /** When it was deprecated; null for one that is active. */
  deprecated_at: string | null;
  /** Why it is deprecated; null for one that is active. */
  deprecated_reason: string | null;
}

/** What is sent to a partner or read from it, and how far it came. */
export interface FootprintCall {
  /** The number of the call. */
  id: number;
  /** The number of the partner who is called. */
  partner_id: number;
  /** What is sent, or `read`. */
  kind: "published" | "request_created" | "request_fulfilled" | "request_rejected" | "read";
  /** The event as it is sent; of a reading, which footprints. */
  content: Record<string, unknown>;
  /** Whether it waits, has arrived or was given up, three days after it began. */
  state: "pending" | "delivered" | "failed";
  /** How often it was tried. */
  attempt_count: number;
  /** When it is tried next; null for one that has ended. */
  next_attempt_at: string | null;
  /** What came of the last attempt that failed; null when none did. */
  last_error: string | null;
  /** When the record was made. */
  created_at: string;
  /** When it arrived or was given up; null while it waits. */
  ended_at: string | null;
}

/** The body of POST /footprints/check. */
export interface FootprintCheck {
  /** A footprint: the object `ProductFootprint` of PACT. */
  content: Record<string, unknown>;
}

/** A client that may read the footprints of the account and send events to it. */
export interface FootprintClient {
  /** The number of the client, by which it is revoked. */
  id: number;
  /** Whose client it is, in the words of whoever made it. */
  name: string;
  /** What it calls itself when it asks for a token. */
  client_id: string;
  /**
   * The number of the partner whose client it is, who is sent answers to its requests; null for none.
   */
  partner_id: number | null;
  /** When the record was made. */
  created_at: string;
  /** When it was revoked; null for one that still reads. */
  revoked_at: string | null;
}

/** What a caller sends to change a footprint client; what is left out stays as it is. */
export interface FootprintClientChange {
  /** Whose client it is, in the words of whoever made it. */
  name?: string;
  /**
   * The number of the partner whose client it is, who is sent answers to its requests; null for none.
   */
  partner_id?: number | null;
}

/** The body of PATCH /footprint_clients/{footprint_client_id}. */
export interface FootprintClientChangeBody {
  /** What a caller sends to change a footprint client; what is left out stays as it is. */
  footprint_client: FootprintClientChange;
}

/** The body of POST /footprints/{footprint_id}/deprecate. */
export interface FootprintDeprecation {
  /** Why it is not to be used any more, in a sentence. */
  reason: string;
}

/** An event that a client sent, as it came. */
export interface FootprintEvent {
  /** The number of the event. */
  id: number;
  /** The number of the client that sent it. */
  client_id: number;
  /** What kind of event it is, in the words of PACT. */
  type: string;
  /** Where it says that it comes from. */
  source: string;
  /** What its sender calls it. */
  event_id: string;
  /** The whole event, as it was sent. */
  content: Record<string, unknown>;
  /** When it came, by the clock of the database. */
  received_at: string;
}

/** One thing that is wrong with a footprint, or does not add up. */
export interface FootprintFinding {
  /** What kind of thing it is; `sum` where parts do not come to a total. */
  code: "missing" | "form" | "sum" | "order" | "range" | "conflict";
  /** The field of the footprint, such as `pcf.pcfExcludingBiogenicUptake`. */
  field: string;
  /** What is wrong, in a sentence. */
  message: string;
  /** How much more the parts come to than what is stated; null for everything but `sum`. */
  difference: Decimal | null;
}

/** The host of a partner, from which footprints are read and to which events are sent. */
export interface FootprintPartner {
  /** The number of the partner. */
  id: number;
  /** What people call the partner; once in the account. */
  name: string;
  /** What stands before `/3/footprints` there, such as `https://partner.example/pact`. */
  address: string;
  /** Where tokens are asked for. */
  token_address: string;
  /** What the partner calls this service. */
  client_id: string;
  /** Whether it is told of every new footprint, and of each that is deprecated. */
  is_notified: boolean;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller sends to change a footprint partner; what is left out stays as it is. */
export interface FootprintPartnerChange {
  /** What people call the partner; once in the account. */
  name?: string;
  /** What stands before `/3/footprints` there, such as `https://partner.example/pact`. */
  address?: string;
  /** What the partner calls this service. */
  client_id?: string;
  /** Another secret. Required with another address: the one that is kept is not sent there. */
  client_secret?: string;
  /** Where tokens are asked for. */
  token_address?: string;
  /** Whether it is told of every new footprint, and of each that is deprecated. */
  is_notified?: boolean;
}

/** The body of PATCH /footprint_partners/{footprint_partner_id}. */
export interface FootprintPartnerChangeBody {
  /** What a caller sends to change a footprint partner; what is left out stays as it is. */
  footprint_partner: FootprintPartnerChange;
}

/** A product of which footprints are made, and how these follow from what was produced. */
export interface FootprintProduct {
  /** The number of the product, by which footprints name it. */
  id: number;
  /** What the company calls the product, such as `Bioethanol 98 %`; once in the account. */
  name: string;
  /** The company whose footprint it is. */
  company_name: string;
  /** What identifies the company, as URNs such as `urn:company:example:plant`. */
  company_ids: string[];
  /** What identifies the product, as URNs such as `urn:gtin:4712345060507`. */
  product_ids: string[];
  /** Classes of the product, as URNs such as `urn:pact:productclassification:un-cpc:3413`. */
  product_classifications: string[];
  /** What the product is: its feedstock, process and packaging. */
  description: string;
  /** What its footprints say of how they are calculated; null when nothing. */
  comment: string | null;
  /** The unit that the product is declared in, such as `liter`. */
  declared_unit: "liter" | "kilogram" | "cubic meter" | "kilowatt hour" | "megajoule" | "ton kilometer" | "square meter" | "piece" | "hour" | "megabit second";
  /** How many of these units one footprint is of. */
  declared_amount: Decimal;
  /**
   * The mass of the product in kg, without packaging, of a declared unit; zero where that means
   * nothing.
   */
  mass_per_declared_unit: Decimal;
  /**
   * Where its footprints hold: a country (`DE`), a part of one (`DE-BW`) or a region of the United
   * Nations (`Western Europe`); null for everywhere.
   */
  geography: string | null;
  /** Where the amount of the product comes from: `amount` of the batch or report, or `node:slug`. */
  quantity: string;
  /**
   * Where each amount comes from, by the field of `pcf`: `amount`, `node:slug`, either with a minus
   * before it, or a number for each declared unit, such as `{"fossilGhgEmissions": "node:emissions"}`.
   */
  amounts: Record<string, string>;
  /**
   * What else stands in `pcf`, as it stands there: `ipccCharacterizationFactors`,
   * `crossSectoralStandards`, and what the product has besides.
   */
  properties: Record<string, unknown>;
  /** The percentage of emissions that is left out, from 0 to 100. */
  exempted_percent: Decimal;
  /** Whether `primaryDataShare` is stated, as the measured share of the amount. */
  states_primary_data_share: boolean;
  /** How many months a footprint is valid from the end of its period, from 1 to 36. */
  valid_months: number;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller may change of a product; footprints that were made stay as they are. */
export interface FootprintProductChange {
  /** What the company calls the product, such as `Bioethanol 98 %`; once in the account. */
  name?: string;
  /** The company whose footprint it is. */
  company_name?: string;
  /** What identifies the company, as URNs such as `urn:company:example:plant`. */
  company_ids?: string[];
  /** What identifies the product, as URNs such as `urn:gtin:4712345060507`. */
  product_ids?: string[];
  /** The unit that the product is declared in, such as `liter`. */
  declared_unit?: "liter" | "kilogram" | "cubic meter" | "kilowatt hour" | "megajoule" | "ton kilometer" | "square meter" | "piece" | "hour" | "megabit second";
  /**
   * The mass of the product in kg, without packaging, of a declared unit; zero where that means
   * nothing.
   */
  mass_per_declared_unit?: Decimal;
  /** Where the amount of the product comes from: `amount` of the batch or report, or `node:slug`. */
  quantity?: string;
  /**
   * Where each amount comes from, by the field of `pcf`: `amount`, `node:slug`, either with a minus
   * before it, or a number for each declared unit, such as `{"fossilGhgEmissions": "node:emissions"}`.
   */
  amounts?: Record<string, string>;
  /**
   * What else stands in `pcf`, as it stands there: `ipccCharacterizationFactors`,
   * `crossSectoralStandards`, and what the product has besides.
   */
  properties?: Record<string, unknown>;
  /** Classes of the product, as URNs such as `urn:pact:productclassification:un-cpc:3413`. */
  product_classifications?: string[];
  /** What the product is: its feedstock, process and packaging. */
  description?: string;
  /** What its footprints say of how they are calculated; null when nothing. */
  comment?: string | null;
  /** How many of these units one footprint is of. */
  declared_amount?: Decimal;
  /**
   * Where its footprints hold: a country (`DE`), a part of one (`DE-BW`) or a region of the United
   * Nations (`Western Europe`); null for everywhere.
   */
  geography?: string | null;
  /** The percentage of emissions that is left out, from 0 to 100. */
  exempted_percent?: Decimal;
  /** Whether `primaryDataShare` is stated, as the measured share of the amount. */
  states_primary_data_share?: boolean;
  /** How many months a footprint is valid from the end of its period, from 1 to 36. */
  valid_months?: number;
}

/** The body of PATCH /footprint_products/{footprint_product_id}. */
export interface FootprintProductChangeBody {
  /** What a caller may change of a product; footprints that were made stay as they are. */
  footprint_product: FootprintProductChange;
}

/** Expected slots of one meter, one after another, without a valid value. */
export interface Gap {
  /** The friendly id of the asset that the meter is; null when it is none. */
  asset_id: string | null;
  /** The friendly id of the location that the meter is; null when it is none. */
  location_id: string | null;
  /** What the asset or the location is called; null for the event type itself. */
  name: string | null;
  /** When the first slot of the gap begins. */
  start_time: string;
  /** When the last slot of the gap ends. */
  end_time: string;
  /**
   * How many expected slots it has; those in which nothing is expected do not count and do not end it.
   */
  slots: number;
  /** In how many of them nothing was captured; in the others what came is not valid. */
  missing: number;
  /** How many of the missing ones a rule has filled. */
  imputed: number;
  /** In how many of the others a substitution stands. */
  substituted: number;
  /** The last valid event before it; null where the range begins with the gap. */
  before: GapBorder | null;
  /** The first valid event after it; null where the range ends with the gap, which may go on. */
  after: GapBorder | null;
  /** What stands in its slots, the first 20 of them; `imputed` and `substituted` count all. */
  filled: FilledSlot[];
  /**
   * How many values that rules propose for its slots wait for approval; they fill nothing until then.
   */
  pending_count: number;
  /** The first 20 of them, in order of time. */
  proposed: ProposedSlot[];
}

/** The valid event that stands beside a gap. */
export interface GapBorder {
  /** The friendly id of the event. */
  event_id: string;
  /** When the event begins. */
  start_time: string;
  /** Its values as they are in force, by the slugs of their data point types. */
  values: Record<string, Num | string | boolean>;
}

/** How a rule fills gaps that substitutes or imputes: by one method, or by ordered tiers. */
export interface GapCorrection {
  /** The value of `constant`. */
  value?: Decimal | null;
  /** What `expression` computes from the slot's own event. */
  expression?: string | null;
  /** Which values a statistic is taken of; required by all from `mean` to `confidence_limit`. */
  window?: FillingWindow | FillingCalendarWindow | GapWindow | null;
  /** Which `percentile`, from 0 to 100. */
  p?: Decimal | null;
  /** By which definition a `percentile` is taken; required there. */
  definition?: "nearest_rank" | "naaqs" | "eu_97_101" | "inclusive" | "linear" | "exclusive" | null;
  /** How many standard deviations `mean_plus_sd` adds. */
  factor?: Decimal | null;
  /** Which standard deviation `mean_plus_sd` adds; required there. */
  deviation?: "sample" | "population" | null;
  /** The share of the interval whose limit `confidence_limit` is, in percent, from 1 to 99.9. */
  confidence?: Decimal | null;
  /** The methods that `greater_of` and `lesser_of` choose from, 2 to 5. */
  methods?: FillingMethod[] | null;
  /** What stands where no value comes after the gap, as long as none does: the default is to wait. */
  without_after?: "wait" | "before" | FillingMethod | null;
  /** What stands where no value comes before the gap; without it none does. */
  without_before?: "first_after" | FillingMethod | null;
  /** The period of the slot in which a value has to come after the gap; later ones count as none. */
  after_within?: "day" | "week" | "month" | "quarter" | "year" | null;
  /** What stands where the window of a statistic holds no value; without it none does. */
  without_members?: FillingMethod | null;
  /** The one method; left out where there are tiers. */
  method?: "constant" | "previous" | "next" | "mean_before_after" | "linear" | "mean" | "median" | "minimum" | "maximum" | "percentile" | "mean_plus_sd" | "confidence_limit" | "greater_of" | "lesser_of" | "expression" | null;
  /** What stands on every value of the one method; at most 40 characters. */
  code?: string | null;
  /** How well the values of the one method are known; left out, as well as their sources. */
  uncertainty?: StatedUncertainty | null;
  /** In their order; the first whose `when` is true is taken, for each slot by itself. */
  tiers?: FillingTier[] | null;
  /** Which values may stand before and after a gap; left out, all valid ones. */
  border_where?: string | null;
  /** In which slots the meter was operating; the others count for nothing. Left out, in all. */
  operating_where?: string | null;
  /** Whose events say in which slots the meter was not operating; left out, no others do. */
  operating_from?: FillingOperation | null;
  /**
   * Whether slots behind the last event of a meter are a gap, too, up to the end of the rule's time
   * once it has passed; left out, they wait for the next event.
   */
  fill_to_end?: boolean | null;
  /**
   * Whether values that received events lack are filled, too, until they arrive; left out, these events
   * wait for someone to complete them.
   */
  fill_lacking?: boolean | null;
  /** Over how many operating slots `availability()` is taken; left out, over all so far. */
  availability_slots?: number | null;
  /** To how many places the values are rounded, and which way; left out, not at all. */
  round?: FillingRounding | null;
  /** On which side a substitute errs: `low` turns percentiles, extremes and deviations round. */
  conservative?: "high" | "low" | null;
}

/** The values on one side of a gap: of a stretch of clock time, the nearest so many, or both. */
export interface GapSide {
  /** How long before the first slot of the gap, or after the last one, they start at most. */
  duration?: WindowDuration | null;
  /** How many values there are, a whole number from 1 to 10,000. */
  members?: number | null;
}

/** The values around a gap, which are the same for each of its slots. */
export interface GapWindow {
  /** What sort of window it is. */
  kind: "around_gap";
  /** The values before the gap; left out, none. One side is required. */
  before?: GapSide | null;
  /** The values after the gap; left out, none. */
  after?: GapSide | null;
  /** Which values feed the window; what was substituted never does. */
  where?: string | null;
  /** An expression; only values count whose events give what the event of the slot gives. */
  same?: string | null;
}

/** The gaps of an event type in a range of time. */
export interface Gaps {
  /** The friendly id of the event type. */
  event_type_id: string;
  /** The start of the range: slots count that begin at it or later. */
  start_time: string;
  /** The end of the range: slots count that begin before it, and that have ended. */
  end_time: string;
  /** One entry for each gap, in order of its start. */
  data: Gap[];
}

/** What generations would change, ledger after ledger down to the last that draws from them. */
export interface GenerationImpact {
  /**
   * The runs that would come to something else: ledgers before those that draw from them, then by slot
   * and partition.
   */
  batches: ImpactOnBatch[];
  /** The ledgers of these runs in the same order, each with the sum of the changes. */
  ledgers: ImpactOnLedger[];
  /** The reports that include amounts of these runs, the oldest first. */
  reports: ImpactOnReport[];
  /** The deficits that would open, or be larger than without the change. */
  deficits: PartitionDeficit[];
  /** What would fail a generation, which then posts nothing, each in a sentence; empty for none. */
  problems: string[];
  /**
   * Why some ledgers that draw from changed batches are not in these figures, each in a sentence; empty
   * when all are.
   */
  not_followed: string[];
}

/** The result of a finished generation task. */
export interface GenerationResult {
  /** The ids of the batches that were made, also those of adjustments. */
  batches: string[];
  /** How many of them are the first of their run. */
  created: number;
  /** How many post a difference to a run that had batches. */
  adjusted: number;
  /** Runs that stay as they were, so that nothing was posted. */
  unchanged: number;
  /** Slots of the range that nobody computes, because batches of another cadence stand there. */
  passed_over_slots: string[];
  /** Data in the range that no run uses, with the reason. */
  not_counted: NotCounted[];
  /** Corrections of data in the range that wait for approval. */
  pending_proposals: PendingProposals[];
  /** Rules that correct and have not looked yet at data in the range that changed. */
  pending_evaluations: PendingEvaluations[];
  /** Rolled-up data in the range that do not follow their readings yet. */
  pending_roll_ups: PendingRollUps[];
  /** Runs that draw by hand and have no source. */
  left_out: LeftOut[];
  /** Draws of nothing where something is needed, for it rounds to zero. */
  rounded_away: RoundedAwayDraw[];
  /** Every deficit of these ledgers and of those that they draw from. */
  deficits: PartitionDeficit[];
  /** Batches that are drawn from although they are stale. */
  stale_sources: StaleSource[];
  /**
   * Those of `passed_over_slots` in which events lie that the model reads, counted elsewhere or not.
   */
  passed_over_with_data?: string[];
}

/** The role of the people in a group of the identity provider. */
export interface GroupRole {
  /** The group, exactly as the provider sends it: a name, a path or an id. */
  group: string;
  /** What people in the group may do, as one of the roles. */
  role: "administrator" | "member" | "collector" | "reader" | "verifier";
  /**
   * The project that the role is limited to; null for a role in all projects, and for administrators.
   */
  project_id?: string | null;
}

/** Who answers for a record from now on. */
export interface HandedOver {
  /** The address of a user of the account who was not shut out. */
  user_email: string;
}

/** The body of PATCH /reports/{report_id}/links/{link_id}. */
export interface HandedOverLinkBody {
  /** Who answers for a record from now on. */
  link: HandedOver;
}

/** The body of PATCH /api_tokens/{token_id}. */
export interface HandedOverTokenBody {
  /** Who answers for a record from now on. */
  api_token: HandedOver;
}

/** The body of POST /projects/{project_id}/data_feed_suggestions. */
export interface HeaderQuestion {
  /** The friendly id of the event type: et_ and 24 hexadecimal digits. */
  event_type_id: string;
  /** The names of the columns, as they stand in the first line of a file. */
  header: string[];
}

/** An identity provider by which people of the account sign in (OpenID Connect). */
export interface IdentityProvider {
  /** The number of the identity provider. */
  id: number;
  /** What people read on the button; once in the account. */
  name: string;
  /**
   * What the provider calls itself, below which its discovery document is, such as
   * `https://id.example`.
   */
  issuer: string;
  /** What the provider calls this service. */
  client_id: string;
  /** The domains of the e-mail addresses of people who may sign in, such as `plant.example`. */
  domains: string[];
  /**
   * The roles of groups. Whoever is in several groups may do what each of them may; whoever is in none
   * of them is refused, and everybody while no group has a role.
   */
  roles: GroupRole[];
  /** The claim in which the provider sends the groups of a person. */
  groups_claim: string;
  /** Whether passwords of the account no longer sign in, but for people who keep theirs. */
  is_required: boolean;
  /** Where the provider sends people back to; it is registered there. */
  redirect_uri: string;
  /** Where the provider says that somebody has signed out (OpenID Connect Back-Channel Logout 1.0). */
  logout_uri: string;
  /** The address of the account's own page to sign in. */
  sign_in_url: string;
  /** Why the provider could not be asked, in a sentence; null where it could. */
  failure: string | null;
  /** Since when it could not be asked; null where it could. */
  failing_since: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller sends to change an identity provider; what is left out stays as it is. */
export interface IdentityProviderChange {
  /** What people read on the button; once in the account. */
  name?: string;
  /**
   * What the provider calls itself, below which its discovery document is, such as
   * `https://id.example`.
   */
  issuer?: string;
  /** What the provider calls this service. */
  client_id?: string;
  /** Another secret. Required with another issuer: the one that is kept is not sent there. */
  client_secret?: string;
  /** The domains of the e-mail addresses of people who may sign in, such as `plant.example`. */
  domains?: string[];
  /**
   * The roles of groups. Whoever is in several groups may do what each of them may; whoever is in none
   * of them is refused, and everybody while no group has a role.
   */
  roles?: GroupRole[];
  /** The claim in which the provider sends the groups of a person. */
  groups_claim?: string;
  /** Whether passwords of the account no longer sign in, but for people who keep theirs. */
  is_required?: boolean;
}

/** The body of PATCH /identity_providers/{identity_provider_id}. */
export interface IdentityProviderChangeBody {
  /** What a caller sends to change an identity provider; what is left out stays as it is. */
  identity_provider: IdentityProviderChange;
}

/** What would change if a change were made and what it touches generated again. */
export interface Impact {
  /**
   * The runs that would come to something else: ledgers before those that draw from them, then by slot
   * and partition.
   */
  batches: ImpactOnBatch[];
  /** The ledgers of these runs in the same order, each with the sum of the changes. */
  ledgers: ImpactOnLedger[];
  /** The reports that include amounts of these runs, the oldest first. */
  reports: ImpactOnReport[];
  /** The deficits that would open, or be larger than without the change. */
  deficits: PartitionDeficit[];
  /** What would fail a generation, which then posts nothing, each in a sentence; empty for none. */
  problems: string[];
  /**
   * Why some ledgers that draw from changed batches are not in these figures, each in a sentence; empty
   * when all are.
   */
  not_followed: string[];
  /** The batches that would be stale until they are generated again, and those that draw from them. */
  stale_batches: BatchMadeStale[];
  /**
   * Automatic rules that correct unasked and would evaluate the changed events afterwards. What they
   * would correct is in no figure here, so other figures may come of it.
   */
  following_rules: FollowingRule[];
}

/** What would change if a proposal were approved and what it touches generated again. */
export interface ImpactOfProposal {
  /**
   * The runs that would come to something else: ledgers before those that draw from them, then by slot
   * and partition.
   */
  batches: ImpactOnBatch[];
  /** The ledgers of these runs in the same order, each with the sum of the changes. */
  ledgers: ImpactOnLedger[];
  /** The reports that include amounts of these runs, the oldest first. */
  reports: ImpactOnReport[];
  /** The deficits that would open, or be larger than without the change. */
  deficits: PartitionDeficit[];
  /** What would fail a generation, which then posts nothing, each in a sentence; empty for none. */
  problems: string[];
  /**
   * Why some ledgers that draw from changed batches are not in these figures, each in a sentence; empty
   * when all are.
   */
  not_followed: string[];
  /** The batches that would be stale until they are generated again, and those that draw from them. */
  stale_batches: BatchMadeStale[];
  /**
   * Automatic rules that correct unasked and would evaluate the changed events afterwards. What they
   * would correct is in no figure here, so other figures may come of it.
   */
  following_rules: FollowingRule[];
  /** The friendly id of the rule result that proposes. */
  id: string;
  /**
   * Where the proposal stands; `superseded` when approving it now would apply nothing. Only a pending
   * one, and a rejected one, has an impact; null when the result proposes nothing.
   */
  approval_state: "pending" | "approved" | "rejected" | "withdrawn" | "superseded" | null;
}

/** What would change if many proposals were approved together and what they touch generated again. */
export interface ImpactOfProposals {
  /**
   * The runs that would come to something else: ledgers before those that draw from them, then by slot
   * and partition.
   */
  batches: ImpactOnBatch[];
  /** The ledgers of these runs in the same order, each with the sum of the changes. */
  ledgers: ImpactOnLedger[];
  /** The reports that include amounts of these runs, the oldest first. */
  reports: ImpactOnReport[];
  /** The deficits that would open, or be larger than without the change. */
  deficits: PartitionDeficit[];
  /** What would fail a generation, which then posts nothing, each in a sentence; empty for none. */
  problems: string[];
  /**
   * Why some ledgers that draw from changed batches are not in these figures, each in a sentence; empty
   * when all are.
   */
  not_followed: string[];
  /** The batches that would be stale until they are generated again, and those that draw from them. */
  stale_batches: BatchMadeStale[];
  /**
   * Automatic rules that correct unasked and would evaluate the changed events afterwards. What they
   * would correct is in no figure here, so other figures may come of it.
   */
  following_rules: FollowingRule[];
  /** The results, each once, in the order in which they were named; approved ones have no impact. */
  results: ProposalToApprove[];
}

/** What a run would come to on one ledger if the change were made and the slot generated. */
export interface ImpactOnBatch {
  /** The friendly id of the first batch of the run on the ledger; null for a run that has none yet. */
  batch_id: string | null;
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** What the partition is called; null for a model without partitions. */
  partition: string | null;
  /** The start of the slot, inclusive. */
  start_time: string;
  /** The end of the slot, exclusive. */
  end_time: string;
  /** What the run comes to without the change, in the unit of the ledger. */
  primary_output_before: Decimal;
  /** What it comes to with the change, in the unit of the ledger. */
  primary_output_after: Decimal;
  /** The unit of the ledger. */
  unit: string;
}

/** What the changes of a ledger's batches would come to together. */
export interface ImpactOnLedger {
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** What the ledger is called. */
  name: string;
  /** How many runs of it would come to something else. */
  batch_count: number;
  /** By how much its batches would rise together, in its unit; negative when they fall. */
  change: Decimal;
  /** The unit of the ledger. */
  unit: string;
  /** What these runs come to together without the change. */
  primary_output_before: Decimal;
  /** What they come to together with the change. */
  primary_output_after: Decimal;
}

/** A report that includes amounts of runs which would come to something else. */
export interface ImpactOnReport {
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  report_id: string;
  /** What the report is called. */
  name: string;
  /**
   * Where the report stands; one that was superseded, rejected or withdrawn claims nothing, and is left
   * out.
   */
  status: "draft" | "submitting" | "submitted" | "complete" | "rejected" | "failed" | "superseded" | "withdrawn";
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** The batches of these runs that it includes, in the order in which they were made. */
  batch_ids: string[];
  /** What it includes of these batches, in the unit of the ledger. */
  included: Decimal;
  /** What the runs come to together without the change. */
  primary_output_before: Decimal;
  /** What they come to together with the change. */
  primary_output_after: Decimal;
  /**
   * How much of what it includes the runs would no longer come to, each by itself; 0 when they cover
   * it. More may be missing where others draw from the same batches: that is among the `deficits`.
   */
  uncovered: Decimal;
  /** The unit of the ledger. */
  unit: string;
  /**
   * What the ledger is for in a report of several, of which each has a row; null of a report of one.
   */
  role: string | null;
  /** The sign: 1 where the ledger counts toward the claim, -1 where it is deducted. */
  sign: number;
}

/** What a report takes from one batch. */
export interface Inclusion {
  /** The friendly id of the batch: bat_ and 24 hexadecimal digits. */
  batch_id: string;
  /** The ledger of the batch. */
  ledger_id: string;
  /** What people call the batch, after its slot and partition; for an instrument its external id. */
  tracking_id: string;
  /** The start of the batch's slot, inclusive. */
  start_time: string;
  /** The end of the batch's slot, exclusive. */
  end_time: string;
  /** How much the report takes, in `unit`. */
  amount: Decimal;
  /** The unit of the batch's ledger, such as `t`. */
  unit: string;
  /** How much of it the receiver accepted; null until the report is accepted. */
  accepted_amount: Decimal | null;
}

/** Where a page stands in its list. */
export interface Info {
  /** How many records the answer holds. */
  items: number;
  /** How many records a page holds at most. */
  page_size: number;
  /** How many records the whole list holds with these filters. */
  total_items: number;
  /** Whether `total_items` is an estimate, as it may be beyond 1,000. */
  total_is_estimate: boolean;
  /** The number of this page, from 1; null when the list is walked by `cursor`. */
  current_page: number | null;
  /** The number of the next page; null on the last one, and when walked by `cursor`. */
  next_page: number | null;
  /** The number of the page before; null on the first one, and when walked by `cursor`. */
  previous_page: number | null;
  /** How many pages that makes, 1 at least. */
  total_pages: number;
  /** The fields that the page is sorted by, in their order; a minus descends, as in `-created_at`. */
  sort: string[];
  /** The filters that the page was cut with, such as `start_time[geq]`. */
  filter: string[];
  /** What `cursor` takes to get the next page; null on the last one, or where none is taken. */
  next_cursor: string | null;
}

/** One page of a batch's input data. */
export interface InputDataPage {
  /** The rows of the page, in the order in which the model reads them. */
  data: InputRow[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** A value that a batch was made of; of a type that was set aside, a zero without an id. */
export interface InputDataPoint {
  /** The friendly id of the data point; null for a type that was set aside. */
  id: string | null;
  /** The slug of its data point type, such as `wet_mass`. */
  slug: string;
  /** The unit of a number, such as `kg`; null for a plain number, a text, or true or false. */
  unit: string | null;
  /** The value in force now, in `unit`; zero for a type that was set aside. */
  value: Num | string | boolean | null;
  /** The value as it was captured, which never changes; null for one that was imputed or set aside. */
  raw_value: Num | string | boolean | null;
  /** Whether a value that a rule made stands in the place of what was captured. */
  substituted: boolean;
  /** Whether its event was not captured but imputed by a rule. */
  imputed: boolean;
  /** The correction that substitutes the value; null when none does. */
  substitution: Substitution | null;
  /** Whether its type was set aside for the slot; left out when it was not. */
  skipped_input?: boolean;
}

/** The event that carries it; its full record is read from its own path. */
export interface InputEvent {
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The friendly id of the event; null for a type that was set aside. */
  id: string | null;
}

/** One row of a batch's input data. */
export interface InputRow {
  /** The value that was read. */
  data_point: InputDataPoint;
  /** The event that carries it. */
  event: InputEvent;
}

/** What the installation of a package would come to; nothing is stored. */
export interface InstallationPreview {
  /** The slug of the package. */
  name: string;
  /** The version that would be installed, such as `1.0.0`. */
  version: string;
  /** What is known of who signed it. */
  signature: PackageSignature;
  /** The package itself and all that it needs, as they would be taken, by name. */
  lock: LockedPackage[];
  /** What would become of each record, in the order in which they are made. */
  parts: PackagePart[];
  /** Why the installation would be refused, each in a sentence; empty when it would not. */
  problems: string[];
}

/** A record that came with an installed package. */
export interface InstalledPart {
  /** What kind of record it is. */
  kind: "event_type" | "static_input" | "model" | "ledger" | "rule" | "methodology";
  /** What the package calls it. */
  key: string;
  /** The id of the record, or its number. */
  record_id: string;
  /** Whether the installation `made` the record, found it `present`, or `kept` one that differs. */
  origin: "made" | "present" | "kept";
  /**
   * The digest of what people set of the record, as the package has it; that of a change is another.
   */
  sha256: string;
  /** Whether the record is still there. */
  is_there: boolean;
  /** Whether the record is another than the package has it: changed since, or kept as it was. */
  is_changed_here: boolean;
}

/** One instrument, and what is left of it; its id is that of its batch. */
export interface Instrument {
  /** The friendly id of its batch: bat_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** The number that its registry gave it, once in the ledger. */
  external_id: string;
  /** What people call it; null when not said. */
  name: string | null;
  /** What it credits its ledger with, in `unit`. */
  amount: Decimal;
  /** The unit of its ledger, such as `kWh`. */
  unit: string;
  /** What is left of it, in `unit`. */
  balance: Decimal;
  /** Where the energy or fuel was made, such as `US-CA`; null when not said. */
  geography: string | null;
  /** How the energy behind a renewable energy credit was made; null when not said. */
  generation_tech: "wind" | "solar" | "other" | null;
  /** The day on which the registry issued it, such as `2025-01-31`; null when not said. */
  issued_on: string | null;
  /** The day on which it was bought, such as `2025-02-14`; null when not said. */
  purchased_on: string | null;
  /** The mass of the fuel, in t; null when not said. */
  mass: Decimal | null;
  /** The emissions of the fuel by its energy, in g{CO2e}/MJ; null when not said. */
  energy_intensity: Decimal | null;
  /** The lower heating value of the fuel, in MJ/kg; null when not said. */
  lower_heating_value: Decimal | null;
  /**
   * The day that it counts from: that of issue, or else that of its entry, in the project's time zone.
   */
  start_time: string;
  /** The end of that day. */
  end_time: string;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** A bad row as it stands in the file. */
export interface InvalidRow {
  /** The line on which the row begins. */
  row: number;
  /** Its cells, to be corrected and sent as `rows` of a new upload. */
  cells: string[];
  /** What is wrong with it. */
  problems: UploadProblem[];
}

/** The first bad rows of an upload, with their cells. */
export interface InvalidRows {
  /** The names of the columns. */
  header: string[];
  /** The rows, in the order of the file. */
  rows: InvalidRow[];
  /** Bad rows that are not given here: beyond the first ones, or too long. */
  omitted: number;
}

/** A new token with its text, which is shown this once. */
export interface IssuedApiToken {
  /** The number of the token, by which it is revoked. */
  id: number;
  /** What the token is for, in the words of whoever made it. */
  name: string;
  /**
   * What the token may do; `write` of an area includes `read`. One that ends in `@` and the id of a
   * project holds in that project alone.
   */
  permissions: string[];
  /** The user whom a token acts for. */
  user: TokenUser;
  /** When the record was made. */
  created_at: string;
  /** When it stops working; null for one that does not expire. */
  expires_at: string | null;
  /** When it was revoked; null for one that was not. */
  revoked_at: string | null;
  /** When it was last used, written at most once an hour; null for one that never was. */
  last_used_at: string | null;
  /**
   * The secret text that requests carry, which begins with `wb_live_` and its account; it is shown this
   * once. The answer to a request that is repeated with its Idempotency-Key has none.
   */
  token?: string;
}

/** A new client with its secret, which is shown this once. */
export interface IssuedFootprintClient {
  /** The number of the client, by which it is revoked. */
  id: number;
  /** Whose client it is, in the words of whoever made it. */
  name: string;
  /** What it calls itself when it asks for a token. */
  client_id: string;
  /**
   * The number of the partner whose client it is, who is sent answers to its requests; null for none.
   */
  partner_id: number | null;
  /** When the record was made. */
  created_at: string;
  /** When it was revoked; null for one that still reads. */
  revoked_at: string | null;
  /**
   * The secret; it is shown this once. The answer to a request that is repeated with its Idempotency-
   * Key has none.
   */
  client_secret?: string;
}

/** A new link with its address, which is shown this once. */
export interface IssuedReportLink {
  /** The number of the link, by which it is revoked. */
  id: number;
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  report_id: string;
  /** Whom or what the link is for, in the words of whoever made it. */
  name: string;
  /**
   * Whether its holder may act as the verifier: draw samples, record findings, and conclude
   * engagements.
   */
  is_of_verifier: boolean;
  /** Whether it opens the report: `open`, or over because it has `expired` or was `revoked`. */
  status: "open" | "expired" | "revoked";
  /** How often it was used; uses after its end count too. */
  use_count: number;
  /** When it was used last; null for one that never was. */
  last_used_at: string | null;
  /** The name of the user who made it. */
  created_by: string;
  /** When the record was made. */
  created_at: string;
  /** When it stops opening the report. */
  expires_at: string;
  /** When it was revoked; null for one that was not. */
  revoked_at: string | null;
  /** The name of the user who revoked it; null unless someone did. */
  revoked_by: string | null;
  /** Who answers for it: who made it, unless it was handed over. */
  user: TokenUser;
  /**
   * The address that opens the report; it is shown this once. The answer to a request that is repeated
   * with its Idempotency-Key has none.
   */
  url?: string;
}

/** A ticket for the stream of changes. */
export interface IssuedTicket {
  /** Sent as `ticket` in the query of GET /changes. */
  ticket: string;
  /** When it opens nothing any more, and a stream that it opened ends. */
  expires_at: string;
}

/** A webhook with its new secret, which is shown this once. */
export interface IssuedWebhook {
  /** The friendly id of the webhook, `whk_…`. */
  id: string;
  /** The friendly id of the project whose changes are told; null for the whole account. */
  project_id: string | null;
  /** Where requests are sent by POST. */
  url: string;
  /** What it is for, in the words of whoever made it. */
  description: string;
  /** Which changes are told: `batch` for all of batches, `batch.create` for new ones. */
  change_types: ("event" | "correction" | "batch" | "async_task" | "rule_result" | "report" | "ledger" | "footprint" | "event.create" | "event.update" | "event.void" | "event.restore" | "correction.create" | "correction.update" | "correction.revert" | "batch.create" | "batch.update" | "batch.delete" | "async_task.create" | "async_task.update" | "async_task.start" | "async_task.complete" | "async_task.fail" | "rule_result.create" | "rule_result.update" | "report.create" | "report.update" | "report.delete" | "ledger.update" | "footprint.create" | "footprint.update")[];
  /** Whether changes are sent; while it is not, they wait in the feed, as long as that keeps them. */
  is_enabled: boolean;
  /** When it was disabled; null while it is enabled. */
  disabled_at: string | null;
  /** Why it was disabled, by whoever did or by the service; null while it is enabled. */
  disabled_reason: string | null;
  /** Since when every attempt has failed; null when the last one was taken. */
  failing_since: string | null;
  /** Where in the feed of changes it stands: all before was made into deliveries. */
  cursor: string;
  /** Entries of the feed that were removed because of their age while it was disabled. */
  lost_entries: number;
  /** Deliveries that wait for their first or next attempt. */
  pending_deliveries: number;
  /** Until when secrets that were replaced sign beside the new one; null when there is only one. */
  old_secrets_until: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
  /**
   * What the receiver checks signatures by, `whsec_` and base64; it is shown this once. The answer to a
   * request that is repeated with its Idempotency-Key has none.
   */
  secret?: string;
}

/** The last value that an agent had of a variable since it began. */
export interface LastValue {
  /** The source and the variable, as client references name it. */
  variable: string;
  /** When the source says that the value was. */
  time: string;
  /** The values of the reading as text, such as `temperature 21.1, quality good`. */
  value: string;
}

/** One ledger. */
export interface Ledger {
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  id: string;
  /** The number by which the `args` of tasks name it. */
  numeric_id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /**
   * What people call it, once in the project, such as `Wood chips on stock`; models draw from it by
   * that.
   */
  name: string;
  /** The unit of its amounts, such as `t`; `dimensionless` for plain numbers. */
  unit: string;
  /** How many decimals its amounts have. */
  scale: number;
  /** How it rounds a run's total to its scale. */
  rounding: "half_even" | "down";
  /** What is left of its batches, in its unit, at the times that the query names or now. */
  balance: Decimal;
  /** What was drawn of it beyond what it had produced, in its unit; zero when nothing was. */
  deficit: Decimal;
  /** What its claims owe their receivers, in its unit: the sum over its accepted reports in force. */
  open_liability: Decimal;
  /** The kind of instruments that credit it; null for a ledger that runs a model. */
  system_ledger_type: "renewable_energy_credits" | "renewable_fuel" | "embodied_emissions" | null;
  /**
   * What the active version cuts a slot into, each part of which makes one batch; null without a model.
   */
  partition_type: "time" | "feedstock" | "tracking_id" | "asset" | "tracking_id_and_feedstock" | "tracking_id_and_asset" | null;
  /** What the active version cuts time into; null without a model. */
  cadence: "event" | "hourly" | "daily" | "weekly" | "monthly" | "quarterly" | "annual" | null;
  /** The active version of the model that it runs; null while it has none. */
  latest_model: LedgerModel | null;
  /** The slug of the output of the model that it keeps; null while it has no model. */
  output: string | null;
  /** What its batches are, in the project's own words, such as `feedstock`; null when not said. */
  asset_category: string | null;
  /**
   * To how many decimals pages round its amounts, at most its scale; null for six significant digits.
   * All answers of the interface have every digit.
   */
  display_places: number | null;
  /**
   * The events that wait for a generation, as workers found them some seconds ago at the most; null
   * where none does.
   */
  not_counted_yet: NotCountedYet | null;
  /** How many of its batches are out of date. */
  stale_batch_count: number;
  /** How many corrections wait for approval that its batches would follow. */
  pending_proposal_count: number;
  /**
   * What holds of its batches, the most urgent first; `up_to_date` when nothing before it does, and
   * `no_batches` when it has none.
   */
  conditions: ("stale" | "not_counted_yet" | "waiting_for_approval" | "up_to_date" | "no_batches")[];
  /** What rounding may cost, where that is more than the shares of its model. */
  warnings: string[];
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
  /** Where the record opens in the web app. */
  ui_url: string;
}

/** What a caller may change of a ledger; what is left out stays. */
export interface LedgerChange {
  /**
   * What people call it, once in the project, such as `Wood chips on stock`; models draw from it by
   * that.
   */
  name?: string;
  /** What its batches are, in the project's own words, such as `feedstock`; null when not said. */
  asset_category?: string | null;
  /**
   * To how many decimals pages round its amounts, at most its scale; null for six significant digits.
   * All answers of the interface have every digit.
   */
  display_places?: number | null;
  /** The model that it runs, once and for all; only while it has none. */
  model_id?: string;
  /** With a model, the output of it that the ledger keeps; its primary output when left out. */
  output?: string;
}

/** The body of PATCH /ledgers/{ledger_id}. */
export interface LedgerChangeBody {
  /** What a caller may change of a ledger; what is left out stays. */
  ledger: LedgerChange;
}

/** The active version of the model that a ledger runs. */
export interface LedgerModel {
  /** The friendly id of the model: mod_ and 24 hexadecimal digits. */
  id: string;
  /** What the model is called, such as `Biochar storage`. */
  name: string;
}

/** A run that is not made because nobody named a source for nodes of it that draw by hand. */
export interface LeftOut {
  /** What the slot is called, such as `2025-03` or `2025-W09`. */
  slot: string;
  /** What the partition is called, such as `LOT-7 / Wood chips`; null where slots are not cut. */
  partition: string | null;
  /** The slugs of the nodes that draw by hand and have no source. */
  nodes: string[];
}

/** A package that ships with the service. */
export interface LibraryPackage {
  /** The slug of the package, by which it is taken. */
  name: string;
  /** The version: major, minor and patch, such as `1.0.0`. */
  version: string;
  /** What people call it. */
  title: string;
  /** What it is for, in a sentence or two. */
  about: string;
  /** Under which licence it may be used. */
  licence: string;
  /** The titles of the documents that it was written from. */
  documents: string[];
  /** The names of the event types that it brings. */
  measures: string[];
  /** The SHA-256 of the file. */
  sha256: string;
  /** The number of the same package in the account; null while it has not been taken. */
  package_id: number | null;
}

/** The packages that ship with the service, by name; not a page, for they are few. */
export interface LibraryPackages {
  /** The packages, by name. */
  data: LibraryPackage[];
}

/** How a batch came about: its model, its nodes, and the measurements behind them. */
export interface Lineage {
  /** The batch itself. */
  batch: Batch;
  /** Every node of the model, in the order in which they were computed. */
  nodes: LineageNode[];
}

/** What a source came to, by one of its outputs. */
export interface LineageAttribute {
  /** The slug of the output. */
  slug: string;
  /** What the source batch's run came to by it, in `unit`. */
  value: Decimal;
  /** The unit of the output, such as `g{CO2e}/MJ`. */
  unit: string;
}

/** What a node drew from a batch of another ledger, and what travelled along. */
export interface LineageDraw {
  /** The friendly id of the batch that was drawn from. */
  batch_id: string;
  /** The friendly id of the ledger of that batch. */
  ledger_id: string;
  /** The tracking id of that batch. */
  tracking_id: string;
  /** How much was drawn, in `unit`. */
  amount: Decimal;
  /** The unit of that ledger, such as `t`. */
  unit: string;
  /** What travelled along with the amount, output by output. */
  attributes: LineageAttribute[];
}

/** What an input node read, how it was aggregated, and the first of its measurements. */
export interface LineageInput {
  /** The slug of the event type that it read. */
  event_type: string;
  /** The slug of the data point type that it read. */
  data_point: string;
  /** The unit of the data point type, such as `kg`; null for plain numbers. */
  unit: string | null;
  /** How the measurements became one value. */
  aggregate: "sum" | "average" | "time_weighted" | "min" | "max" | "count" | "first" | "last" | "median" | "delta" | "values";
  /** The slug of the data point type that an average is weighted by; null when none is. */
  weight: string | null;
  /** How many events it read. */
  event_count: number;
  /** The first 20 of its measurements; the batch's input data has all of them. */
  rows: LineageRow[];
}

/**
 * One node of the model with its value in the batch, and what it was computed from. A node that is an
 * array has no value and a number of elements, and shows the elements while they are few.
 */
export interface LineageNode {
  /** The slug of the node. */
  slug: string;
  /** The label of the node. */
  name: string;
  /** The unit of the node, such as `t{CO2e}`. */
  unit: string;
  /**
   * What it came to in the batch, in `unit`; null for an array, and for an optional node without data.
   */
  value: Decimal | null;
  /**
   * What was shared over the partitions of the slot, of which `value` is this one's share; null when
   * nothing was.
   */
  whole: Decimal | null;
  /** How many elements an array has; null for a node that is none. */
  element_count: number | null;
  /** The elements of an array, in `unit`, while they are 1,000 at most; null otherwise. */
  elements: Decimal[] | null;
  /** Whether the model gives it as an output. */
  is_output: boolean;
  /** Whether it is the output that the ledger keeps. */
  is_primary: boolean;
  /** The formula as it is written, such as `gross - tare`; null for a node without a formula. */
  equation: string | null;
  /** The slugs of the nodes that it is computed from. */
  reads: string[];
  /** Where the methodology says so, in the words of the document; null when it says nothing. */
  source: string | null;
  /** What it read of events; null when it read none. */
  input: LineageInput | null;
  /** The values of static inputs that it read. */
  static_inputs: LineageStaticInput[];
  /** What it drew from batches of other ledgers. */
  draws: LineageDraw[];
  /** Whether the type that it reads was set aside for the slot. */
  skipped_input: boolean;
}

/** One measurement that a node read, and the event that carries it. */
export interface LineageRow {
  /** The friendly id of the data point: in_ and 24 hexadecimal digits. */
  data_point_id: string;
  /** The value in force, in the input's unit. */
  value: Num | string | boolean | null;
  /** What it weighs in an average that is weighted by a data point; null in any other. */
  weight: Decimal | null;
  /** The friendly id of the event: evt_ and 24 hexadecimal digits. */
  event_id: string;
  /** The tracking id of the event, such as `LOT-7`; null when it has none. */
  tracking_id: string | null;
  /** When what was measured began. */
  start_time: string;
  /** When it ended; the start for a reading. */
  end_time: string;
}

/** A value of the project that a node read. */
export interface LineageStaticInput {
  /** The number of the value. */
  id: number;
  /** The value, in its `unit`. */
  value: Decimal;
  /** The unit of the value, such as `kg{CO2e}/kWh`; null for a plain number. */
  unit: string | null;
  /** From when it holds, inclusive. */
  effective_from: string;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfAgentMappingVersion {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: AgentMappingVersion[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfApiToken {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: ApiToken[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfAsset {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Asset[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfAssetCustomField {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: AssetCustomField[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfAsyncTask {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: AsyncTask[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfAuditRow {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: AuditRow[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfBatch {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Batch[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfCalibration {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Calibration[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfCatalogueRecord {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: CatalogueRecord[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfCorrection {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Correction[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfDataFeed {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: DataFeed[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfDataFeedUpload {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: DataFeedUpload[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfDataPoint {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: DataPoint[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfEvent {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Event[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfEventType {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: EventType[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfEvidence {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Evidence[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfFeedstock {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Feedstock[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfFilledValue {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: FilledValue[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfFootprint {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Footprint[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfFootprintCall {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: FootprintCall[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfFootprintClient {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: FootprintClient[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfFootprintEvent {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: FootprintEvent[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfFootprintPartner {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: FootprintPartner[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfFootprintProduct {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: FootprintProduct[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfIdentityProvider {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: IdentityProvider[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfInstrument {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Instrument[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfLedger {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Ledger[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfLocation {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Location[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfMethodology {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Methodology[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfMethodologyPackage {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: MethodologyPackage[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfModel {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Model[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfModelRun {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: ModelRun[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfOutage {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Outage[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfPackageInstallation {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: PackageInstallation[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfPlantAgent {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: PlantAgent[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfProject {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Project[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfReceivedFootprint {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: ReceivedFootprint[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfRegistry {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Registry[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfRegistryCall {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: RegistryCall[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfRegistryMapping {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: RegistryMapping[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfReport {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Report[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfReportLink {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: ReportLink[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfRule {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Rule[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfRuleRun {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: RuleRun[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfRuleVersion {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: RuleVersion[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfSavedView {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: SavedView[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfStaticInput {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: StaticInput[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfUncertaintyRun {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: UncertaintyRun[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfWebhook {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: Webhook[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/** What a list comes to, without its pages. */
export interface ListSummaryOfWebhookDelivery {
  /** How many records there are. */
  count: number;
  /** Whether the count is what the database thinks, as of long lists with filters. */
  count_is_estimate: boolean;
  /** The first records of the list, up to 10. */
  samples: WebhookDelivery[];
  /** How the list was asked for. */
  response_mode: "default" | "summary" | "summary_with_export";
  /** The file that is being made, where one was asked for. */
  export?: StartedExport | null;
}

/**
 * One place. Latitude and longitude are degrees, as text so that no digit is lost. As a meter, of
 * events without an asset, it is expected to measure from `in_service_from` until `in_service_until`;
 * null says nothing.
 */
export interface Location {
  /** The friendly id of the location: loc_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** What people call it, once in the project, such as `Plant North`. */
  name: string;
  /**
   * The latitude in degrees, north above zero, as text so that no digit is lost; null when not said.
   */
  lat: string | null;
  /**
   * The longitude in degrees, east above zero, as text so that no digit is lost; null when not said.
   */
  long: string | null;
  /** Its postal address, which a change replaces as a whole; null when not said. */
  address: Address | null;
  /**
   * From when it is expected to measure, inclusive, as a meter of events without an asset; null says
   * nothing.
   */
  in_service_from: string | null;
  /** Until when it is expected to measure, exclusive; null says nothing. */
  in_service_until: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller sends to change a location; what is left out stays as it is. */
export interface LocationChange {
  /** What people call it, once in the project, such as `Plant North`. */
  name?: string;
  /** The latitude in degrees from -90 to 90, as a number or a text. */
  lat?: Decimal | null;
  /** The longitude in degrees from -180 to 180, as a number or a text. */
  long?: Decimal | null;
  /** Its postal address, which a change replaces as a whole; null when not said. */
  address?: Address | null;
  /**
   * From when it is expected to measure, inclusive, as a meter of events without an asset; null says
   * nothing.
   */
  in_service_from?: string | null;
  /** Until when it is expected to measure, exclusive; null says nothing. */
  in_service_until?: string | null;
}

/** The body of PATCH /projects/{project_id}/locations/{location_id}. */
export interface LocationChangeBody {
  /** What a caller sends to change a location; what is left out stays as it is. */
  location: LocationChange;
}

/** A location by its id. */
export interface LocationRef {
  /** The friendly id of the location: loc_ and 24 hexadecimal digits. */
  id: string;
}

/** A package as it was resolved for an installation. */
export interface LockedPackage {
  /** The number of the package. */
  package_id: number;
  /** The slug of the package. */
  name: string;
  /** The version: major, minor and patch, such as `1.0.0`. */
  version: string;
  /** The SHA-256 of its file. */
  sha256: string;
}

/** A variable of a plant's server, and where its values belong. */
export interface MappedVariable {
  /** The source of type `opcua` of the agent's file whose server has the variable. */
  source: string;
  /** Its id, as browsing gives it. */
  node: string;
  /** The slug of the event type of its readings. */
  event_type: string;
  /** The slug of the data point that gets the value; its unit is that of the data point type. */
  data_point: string;
  /** The slug of a text data point that gets `good`, `uncertain`, `bad` or `substituted`. */
  quality: string;
  /** The slug of a text data point that gets the status code; null for none. */
  status?: string | null;
  /** The slug of a text data point that says when the agent had the reading; null for none. */
  arrived_at?: string | null;
  /** The asset of the events, `ast_…`; null for none. */
  asset_id?: string | null;
  /** The feedstock of the events, `fs_…`; null for none. */
  feedstock_id?: string | null;
  /** The locations of the events, each `loc_…`. */
  locations?: string[];
  /** The tracking id of the events; null for none. */
  tracking_id?: string | null;
}

/** The version of its mapping that an agent is to read by. */
export interface MappingOffer {
  /** The number of the version. */
  version: number;
  /** The SHA-256 of its variables, by which versions of the same number are told apart. */
  digest: string;
}

/** How an agent deals with the mapping of its variables from the web app. */
export interface MappingState {
  /**
   * The sources whose variables it takes from there, as its file says: those with `nodes_from_service`.
   */
  sources: string[];
  /** The version by which it reads; null when it reads by its file alone. */
  version?: number | null;
  /** The digest of that version, as the service gave it. */
  digest?: string | null;
  /** The newer version that it does not take; null when there is none. */
  refused_version?: number | null;
  /** Why that is so, or which variables of `version` it leaves out, a sentence for each. */
  problems?: string[];
}

/** How far one effect moves an amount. */
export interface MaterialEffect {
  /** What the values share, or the node or the column that has it alone. */
  effect: string;
  /**
   * The model, the value or the group of data that has it alone; null where values name the effect.
   */
  owner: string | null;
  /**
   * What it is called: the name of the calibration, the static input with its value, or else `effect`.
   */
  name: string;
  /** The nodes whose values it makes uncertain, or tables with their columns. */
  inputs: string[];
  /** The largest amount by which it alone moves the total at the coverage probability, in `unit`. */
  reach: Decimal;
  /** Whether it alone reaches the threshold. */
  is_material: boolean;
}

/** What was captured of one meter: an asset, else a location, else the event type itself. */
export interface MeterCapture {
  /** The friendly id of the asset that the meter is; null when it is none. */
  asset_id: string | null;
  /** The friendly id of the location that the meter is; null when it is none. */
  location_id: string | null;
  /** What the asset or the location is called; null for the event type itself. */
  name: string | null;
  /** How many slots of the cadence were expected, and what became of them. */
  figures: CaptureFigures;
}

/** The rules that reports of one kind follow, in one version. */
export interface Methodology {
  /** The number of the methodology, by which reports name it. */
  id: number;
  /** What the methodology is called, such as `Biochar carbon removal`; once in each version. */
  name: string;
  /** The version as its owner writes it, such as `2.1`. */
  version: string;
  /** The type of the reports that follow it, such as `quarterly`. */
  report_type: string;
  /** The models that implement it; reports take batches of no other. Empty when any model may. */
  models: MethodologyModel[];
  /**
   * What becomes of a report with batches of other versions: `refuse` its submission, or `note` them.
   */
  other_versions: "refuse" | "note";
  /**
   * The ledgers that its reports take of, each in its role, the first of them in the unit of the
   * reports; empty where a report takes of one.
   */
  ledgers: MethodologyLedger[];
  /** What must hold of a report before it is sent off, beside what must always hold. */
  submission_requirements: ("no_open_alerts" | "evidence")[];
  /** How much of what a report takes has to be measured, from 0 to 1; null where it asks for none. */
  measured_share_min: Decimal | null;
  /** The number of the registry that its reports go to; null where people hand them on. */
  registry_id: number | null;
  /** How its reports are written; null for plain JSON, and in lists. */
  mapping: Record<string, unknown> | null;
  /** When the record was made. */
  created_at: string;
}

/** A role that a ledger plays in the reports of a methodology. */
export interface MethodologyLedger {
  /** What the ledger is for, such as `removal` or `leakage`; once in the methodology. */
  role: string;
  /** The sign: 1 where it counts toward what is claimed, -1 where it is deducted; the first counts. */
  sign: number;
  /**
   * The unit of the ledger, such as `kg`; it converts exactly into that of the first, in which reports
   * state their amount.
   */
  unit: string;
}

/** A model that implements a methodology: the versions that it names, or any. */
export interface MethodologyModel {
  /** The friendly id of the model: mod_ and 24 hexadecimal digits. */
  id: string;
  /** What the model is called, such as `Biochar storage`. */
  name: string;
  /** The version that was named when the methodology was made. */
  version: number;
  /** The versions of the model that implement the methodology; empty when any does. */
  versions: number[];
  /** The ids of these versions, in their order; batches name them as their model. */
  version_ids: string[];
}

/** A methodology as one file: what is measured, how it is computed, and where every number is from. */
export interface MethodologyPackage {
  /** The number of the package in the account. */
  id: number;
  /** The slug of the package, such as `stationary-combustion`; once in each version. */
  name: string;
  /** The version: major, minor and patch, such as `1.0.0`. */
  version: string;
  /** What people call it. */
  title: string;
  /** What it is for, in a sentence or two. */
  about: string;
  /** Under which licence it may be used, such as `CC0-1.0`. */
  licence: string;
  /** Who publishes it, as it says itself; what is known of that is in `signature`. */
  publisher: string;
  /** The revision of the engine that its cases were computed by. */
  engine_revision: number;
  /** The packages that it needs, by name, and which versions of each. */
  requires: Record<string, string>;
  /** The SHA-256 of the file. */
  sha256: string;
  /** How long the file is. */
  size_bytes: number;
  /** The titles of the documents that it was written from. */
  documents: string[];
  /** The names of the event types that it brings. */
  measures: string[];
  /** What is known of who signed it. */
  signature: PackageSignature;
  /** In how many projects it is installed. */
  installation_count: number;
  /** The user who uploaded it. */
  user_id: number;
  /** When the record was made. */
  created_at: string;
  /** What it brings; null in lists. */
  contents: PackageContents | null;
  /** Where the record opens in the web app. */
  ui_url: string;
}

/** One version of a model. */
export interface Model {
  /** The friendly id of the model: mod_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project that it belongs to; null for a model of all projects. */
  project_id: string | null;
  /** What the document calls the model, or what it was renamed to, such as `Biochar storage`. */
  name: string;
  /** Which version of the model it is, counted from 1. */
  version: number;
  /**
   * What people call the version, such as `After the audit`, up to 255 characters; null when nothing.
   */
  version_label: string | null;
  /** What people write about the version, up to 500 characters; null when there is nothing. */
  description: string | null;
  /** Whether no later version of the model was saved. */
  is_latest: boolean;
  /** Whether generations run this version of the model. */
  is_active: boolean;
  /** What cuts time into slots, each of which is computed for itself. */
  cadence: "event" | "hourly" | "daily" | "weekly" | "monthly" | "quarterly" | "annual";
  /** What cuts a slot into partitions, each of which makes one batch; `time` does not cut it. */
  partition_type: "time" | "feedstock" | "tracking_id" | "asset" | "tracking_id_and_feedstock" | "tracking_id_and_asset";
  /** Where the version stands in a list that is sorted by `order`; the smaller goes first. */
  order: number;
  /** The SHA-256 of the model in its canonical form, as 64 hexadecimal digits: what it computes. */
  sha256: string;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
  /** Where the version opens in the web app; null for a model of all projects. */
  ui_url: string | null;
}

/** What a caller sends to change how a version is shown; what is left out stays as it is. */
export interface ModelChange {
  /** What the document calls the model, or what it was renamed to, such as `Biochar storage`. */
  name?: string;
  /** Where the version stands in a list that is sorted by `order`; the smaller goes first. */
  order?: number;
  /** What people write about the version, up to 500 characters; null when there is nothing. */
  description?: string | null;
}

/** The body of PATCH /models/{model_id}. */
export interface ModelChangeBody {
  /** What a caller sends to change how a version is shown; what is left out stays as it is. */
  model: ModelChange;
}

/** Which version an answer is about. */
export interface ModelName {
  /** The friendly id of the version: mod_ and 24 hexadecimal digits. */
  id: string;
  /** What the model is called. */
  name: string;
  /** Which version of the model it is, counted from 1. */
  version: number;
}

/** One run of a version; `batch_id` is null for one that stands alone. */
export interface ModelRun {
  /** The friendly id of the model run: mr_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The friendly id of the model: mod_ and 24 hexadecimal digits. */
  model_id: string;
  /** The friendly id of the batch that it made; null for a run that stands alone. */
  batch_id: string | null;
  /** The start of the period that it computes, inclusive. */
  start_time: string;
  /** The end of that period, exclusive. */
  end_time: string;
  /** Where the run stands. */
  state: "complete" | "failed" | "processing";
  /** Why it failed, in a sentence; null unless it did. */
  error_message: string | null;
  /** What each node came to, in the order of the model. */
  calculations: Calculation[];
  /** What the outputs of the model came to, as data points. */
  output_data_points: OutputDataPoint[];
  /** Whether the run can be deleted by itself. */
  is_deletable: boolean;
  /** What keeps it from being deleted; empty when nothing does. */
  deletion_blockers: DeletionBlocker[];
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a version of a rule found in one model run. */
export interface ModelRunResult {
  /** The friendly id of the model run result: mrres_ and 24 hexadecimal digits. */
  id: string;
  /** Where the result stands; `pass` for one whose run has passed since. */
  status: "fail" | "error" | "dismissed" | "pass";
  /** The value that was checked, as a text such as `12.5`; null when there was none. */
  checked_value: string | null;
  /** Why the expression has no value for the run; null unless `status` is `error`. */
  error_message: string | null;
  /** The friendly id of the rule: rule_ and 24 hexadecimal digits. */
  rule_id: string;
  /** Which version of the rule it was, counted from 1. */
  rule_version: number;
  /** What the rule is called now. */
  rule_name: string;
  /** Whether it is an alert, `fail`, or a warning, `warn`, as the rule's version says. */
  severity: "warn" | "fail";
  /** What the rule says to people; null when it says nothing. */
  message: string | null;
  /** The slugs of the nodes that the rule reads. */
  node_ids: string[];
  /** The friendly id of the model run: mr_ and 24 hexadecimal digits. */
  model_run_id: string;
  /** The friendly id of the batch that the run made; null for a run that stands alone. */
  batch_id: string | null;
  /** When the run was last evaluated. */
  evaluated_at: string;
  /** When the result was found first. */
  created_at: string;
  /** The version of the rule that has evaluated the run since; null for a result of the newest. */
  superseded_by_version: number | null;
  /** When it was dismissed; null unless it was. */
  dismissed_at: string | null;
  /** The name of the user who dismissed it; null unless someone did. */
  dismissed_by: string | null;
  /** Why it was dismissed; null unless it was. */
  dismissal_reason: string | null;
  /** Always null: rules correct data points, and propose nothing for model runs. */
  approval_state: "pending" | "approved" | "rejected" | "withdrawn" | "superseded" | null;
  /** Always null, as in every result of a model run. */
  proposed_correction: ProposedCorrection | null;
  /** Always null, as in every result of a model run. */
  rejected_at: string | null;
  /** Always null, as in every result of a model run. */
  rejected_by: string | null;
  /** Always null, as in every result of a model run. */
  rejection_reason: string | null;
  /** Always null, as in every result of a model run. */
  proposed_event: ProposedEvent | null;
  /** Always null, as in every result of a model run. */
  approved_at: string | null;
  /** Always null, as in every result of a model run. */
  approved_by: string | null;
  /** Always null, as in every result of a model run. */
  approval_comment: string | null;
}

/** The body of the impact of many: the results whose proposals would be approved. */
export interface NamedProposals {
  /** The rule results to be approved, up to 100. */
  result_ids: string[];
}

/** The ledger that plays a role of the methodology in a report. */
export interface NamedReportLedger {
  /** The role, as the methodology calls it, such as `removal`. */
  role: string;
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
}

/** The next version of the mapping of an agent. */
export interface NewAgentMapping {
  /** The version that it was made from, 0 before the first; 409 when there is a newer one. */
  replaces: number;
  /**
   * All variables that the agent is to read in addition to those of its file; none for its file alone.
   */
  variables: MappedVariable[];
}

/** The body of POST /projects/{project_id}/agents/{agent_id}/mappings. */
export interface NewAgentMappingBody {
  /** The next version of the mapping of an agent. */
  mapping: NewAgentMapping;
}

/**
 * What a caller sends to make a token; without `user_email` it acts for the caller's own user.
 * `expires_in_days` is 30, 60, 90, 180 or 365, or null for a token that does not expire.
 */
export interface NewApiToken {
  /** What the token is for, in the words of whoever made it. */
  name: string;
  /**
   * What the token may do: no more than the token that makes it. `data_collection:read` holds in all
   * projects, `data_collection:read@prj_…` in that one alone.
   */
  permissions: string[];
  /** How many days it lives: 30, 60, 90, 180 or 365; null for one that does not expire. */
  expires_in_days?: 30 | 60 | 90 | 180 | 365 | null;
  /** The user whom it acts for, who is made when new; the caller's own user when left out. */
  user_email?: string | null;
}

/** The body of POST /api_tokens. */
export interface NewApiTokenBody {
  /** What a caller sends to make a token; without `user_email` it acts for the caller's own user. */
  api_token: NewApiToken;
}

/** What a caller sends to create an asset. */
export interface NewAsset {
  /** What people call it, once in the project, such as `Plant North`. */
  name: string;
  /** What sort of equipment it is, in the project's own words, such as `scale`; null when not said. */
  asset_type?: string | null;
  /** The maker's number on its plate; null when not said. */
  serial_number?: string | null;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description?: string | null;
  /**
   * Values by the label of the custom field, such as `{"Calibrated on": "2025-01-31"}`. A change keeps
   * those that it leaves out; null takes one away.
   */
  custom_fields?: Record<string, unknown>;
  /** From when it is expected to measure, inclusive; null says nothing. */
  in_service_from?: string | null;
  /** Until when it is expected to measure, exclusive; null says nothing. */
  in_service_until?: string | null;
}

/** The body of POST /projects/{project_id}/assets. */
export interface NewAssetBody {
  /** What a caller sends to create an asset. */
  asset: NewAsset;
}

/** What a caller sends to make a custom field; its value type is text, number, boolean or date. */
export interface NewAssetCustomField {
  /** What heads its column in the asset spreadsheet, such as `Calibrated on`, up to 100 characters. */
  label: string;
  /** What its values are; a `date` is a text such as `2025-01-31`. */
  value_type: "text" | "number" | "boolean" | "date";
}

/** The body of POST /projects/{project_id}/asset_custom_fields. */
export interface NewAssetCustomFieldBody {
  /** What a caller sends to make a custom field; its value type is text, number, boolean or date. */
  asset_custom_field: NewAssetCustomField;
}

/** What a caller sends to say how well a meter measures, from when until when. */
export interface NewCalibration {
  /** What people call it, such as the number of the certificate: `D-K-15204-01`. */
  name: string;
  /** The friendly id of the event type of the readings. */
  event_type_id: string;
  /** The slug of the data point type that the meter measures, such as `wet_mass`. */
  data_point_type: string;
  /** From which start of a reading on it holds, inclusive. */
  valid_from: string;
  /**
   * How well the readings are known. It is one effect: an error that all readings of the meter share
   * while the calibration holds; where it names an `effect`, they share it with all that name it.
   */
  uncertainty: StatedUncertainty;
  /** The friendly id of the meter; null for readings of events that name no asset. */
  asset_id?: string | null;
  /** Until when it holds, exclusive; null where the certificate names no end. */
  valid_until?: string | null;
  /**
   * The error that the calibration found before anything was adjusted, reading minus reference; null
   * when not said. It says nothing of the uncertainty.
   */
  as_found?: Decimal | null;
  /** The error that it left behind; null when not said. */
  as_left?: Decimal | null;
  /** The unit of both errors, such as `%` of a span; null when it is that of the data point type. */
  error_unit?: string | null;
  /**
   * The number of the file or link that is the certificate, attached to an event of the project; null
   * without one.
   */
  evidence_id?: number | null;
  /** What people write about it; null when there is nothing. */
  notes?: string | null;
}

/** The body of POST /projects/{project_id}/calibrations. */
export interface NewCalibrationBody {
  /** What a caller sends to say how well a meter measures, from when until when. */
  calibration: NewCalibration;
}

/** What a caller sends to make a data feed. */
export interface NewDataFeed {
  /** What people call it, once in its project. */
  name: string;
  /** The friendly id of the event type of all its events. */
  event_type_id: string;
  /** What columns give; one that is not named here gives what its name says. */
  columns?: FeedColumn[];
  /** What becomes of columns that are not named here and whose names say nothing. */
  other_columns?: "refuse" | "leave_out";
  /** The zone of times without an offset, such as `Europe/Istanbul`; null refuses such times. */
  time_zone?: string | null;
  /**
   * The form of times that are not in ISO 8601, such as `%d.%m.%Y %H:%M`, or `epoch_seconds`,
   * `epoch_milliseconds`, `epoch_microseconds`, `epoch_nanoseconds`, `excel_serial`,
   * `excel_serial_1904`.
   */
  time_format?: string | null;
  /** Each row is later than the one before it, which tells apart local times that come twice. */
  rows_in_order?: boolean;
  /**
   * Each file begins after what was stored of the files before it, which tells apart such times too.
   */
  files_in_order?: boolean;
  /**
   * How long each event is: `30s`, `15m`, `1h` or `1d`; null makes readings, unless a column gives
   * ends.
   */
  duration?: string | null;
  /** What stands before the decimals of numbers that are texts. */
  decimal_mark?: "." | ",";
  /** What may stand between groups of digits: `.`, `,`, `space`, `'` or `none`. */
  thousands_separator?: "none" | "." | "," | "space" | "'";
  /**
   * What a value such as `<0.05` is: `limit`, `half`, `zero`, or `refuse`; its column then has a
   * `flag`.
   */
  below_limit?: "refuse" | "limit" | "half" | "zero";
  /** What a value such as `>1000` is: `limit` or `refuse`. */
  above_limit?: "refuse" | "limit";
  /** The encoding of CSV files, such as `utf-8` or `windows-1252`. */
  encoding?: string;
  /** The character between the cells of CSV files. */
  delimiter?: string;
  /**
   * The line that names the columns; what stands before it is passed over. 0 looks for it among the
   * first 50 lines: it has every column that `columns` names.
   */
  header_line?: number;
  /** Whether the first line below the header holds the units of the columns. */
  units_line?: boolean;
  /** The sheet of a workbook, or a pattern of several, such as `*`; null is its first one. */
  sheet?: string | null;
  /** The files of a ZIP archive that are read, as a pattern, such as `*.csv`; null is all of them. */
  archive_files?: string | null;
  /** Patterns of rows that are no data, such as `Total*`, by the first cell that holds anything. */
  skip_rows?: string[];
  /** Of a long file, the column that says what a row is a value of; `columns` then names tags too. */
  tag_column?: string | null;
  /** Of a long file, the column of the values. */
  value_column?: string | null;
  /** Texts that say, as an empty cell does, that there is no value. */
  missing?: string[];
  /** What becomes of cells that hold a formula, which is never computed. */
  formulas?: "refuse" | "take_stored";
  /** The locations of every event. */
  location_ids?: string[];
  /** The feedstock of events whose rows name none. */
  feedstock_id?: string | null;
  /** The asset of events whose rows name none. */
  asset_id?: string | null;
  /** What the client references of events are made of: `row`, `time` or `column`. */
  client_reference?: "row" | "time" | "column";
  /** Whether a bad row, or one that differs from its event, refuses the file, or is left out of it. */
  bad_rows?: "refuse_file" | "skip";
  /** Whether an event that the project has with other values than its row is told of, or corrected. */
  on_difference?: "report" | "correct";
  /**
   * A folder (`/srv/drop/plant`) or a prefix in an object store (`s3://bucket/a`) to take files from.
   */
  watch?: string | null;
}

/** The body of POST /projects/{project_id}/data_feeds. */
export interface NewDataFeedBody {
  /** What a caller sends to make a data feed. */
  data_feed: NewDataFeed;
}

/** One measured value. */
export interface NewDataPoint {
  /** The slug of a data point type of the event's type, such as `wet_mass`. */
  slug: string;
  /** A number in the unit of its data point type, a text, or true or false, as its type says. */
  value: Num | string | boolean;
  /**
   * How well this value is known, in place of what its data point type states; null takes the statement
   * of the value away.
   */
  uncertainty?: StatedUncertainty | null;
}

/** What a caller sends for each data point type. */
export interface NewDataPointType {
  /** What people call it, such as `Wet mass`. */
  name: string;
  /** What its values are. */
  value_type: "number" | "string" | "boolean";
  /** The name that events, models and rules will use; made from `name` when left out. */
  slug?: string | null;
  /** The unit of its numbers, such as `kg`; only with `value_type` `number`. */
  unit?: string | null;
  /** Whether an event without it is `incomplete`. */
  required?: boolean;
  /** How well its values are known, where nothing else is stated; only of numbers. */
  uncertainty?: StatedUncertainty | null;
}

/** What is agreed before a sample is drawn. */
export interface NewEngagement {
  /** Who verifies, such as `Example Verification Ltd, accredited by ISO 14065`. */
  verifier: string;
  /** What is verified, such as `Carbon stored in the first quarter of 2025`. */
  scope: string;
  /** By which rules, such as `ISO 14064-2 and the methodology, version 2.1`. */
  criteria: string;
  /** The strata, 1 to 20, each of another event type. */
  strata: SampleStratum[];
  /** The level of assurance. */
  assurance?: "reasonable" | "limited";
  /** The threshold in percent of the total, above 0 to 100; this or an amount is required. */
  materiality_percent?: Decimal | null;
  /** The threshold as an amount above zero, in the unit of the report. */
  materiality_amount?: Decimal | null;
}

/** The body of POST /reports/{report_id}/engagements. */
export interface NewEngagementBody {
  /** What is agreed. */
  engagement: NewEngagement;
}

/** What a caller sends for each event; without end_time it is a reading at start_time. */
export interface NewEvent {
  /** The slug of the event type, such as `diesel-delivery`. */
  event_type: string;
  /** When what was measured began. */
  start_time: string;
  /** When it ended; left out for a reading at `start_time`. */
  end_time?: string | null;
  /** The text by which events of one lot are known, such as `LOT-7`; null when it has none. */
  tracking_id?: string | null;
  /** The feedstock that the event is tagged with, such as `fs_…`. */
  feedstock_id?: string | null;
  /** The asset that the event is tagged with, such as `ast_…`; the meter of its values. */
  asset_id?: string | null;
  /** The sender's own name for the event, once in the project; null when it has none. */
  client_reference?: string | null;
  /** What people write about the event, up to 10,000 characters; null when there is nothing. */
  notes?: string | null;
  /**
   * The locations of the event by their ids, up to 10; its first is the meter when it has no asset.
   */
  locations?: LocationRef[];
  /** The values that were measured, each of another data point type. */
  data_points?: NewDataPoint[];
}

/** What a caller sends to make an event type. */
export interface NewEventType {
  /** What people call it, such as `Diesel delivery`. */
  name: string;
  /** The quantities that its events carry, in their order. */
  data_point_types?: NewDataPointType[];
  /** The name that events are sent with and models use; made from `name` when left out. */
  slug?: string | null;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description?: string | null;
  /** How many `cadence_unit`s lie between two of its events; null when nothing is expected. */
  cadence_amount?: number | null;
  /** The unit of its cadence; null when nothing is expected. */
  cadence_unit?: "minute" | "hour" | "day" | "week" | "month" | null;
  /**
   * When an event counts as valid for the capture rate, such as `quality = 'good'`; null: when
   * complete.
   */
  valid_when?: string | null;
  /** Whether one event may feed runs of several batches of a model. */
  reusable_in_batches?: boolean;
  /** How many locations an event of the type names at least. */
  expected_locations?: "none" | "one" | "two";
  /** Whether an event of the type is refused without a tracking id. */
  requires_tracking_id?: boolean;
  /**
   * The readings that its events are to be made of; it needs a cadence, whose slots they are made for.
   */
  rolled_up_from?: RollUp | null;
}

/** The body of POST /projects/{project_id}/event_types. */
export interface NewEventTypeBody {
  /** What a caller sends to make an event type. */
  event_type: NewEventType;
}

/**
 * The body of POST /projects/{project_id}/events: one event, or many of which all or none are stored.
 */
export interface NewEventsBody {
  /** One event; its answer is the event. */
  event?: NewEvent;
  /** Up to 10,000 events, all or none of which are stored; their answer is a receipt for each. */
  events?: NewEvent[];
}

/** A link to attach; its type is url, said as `type` or as `evidence_type`. */
export interface NewEvidence {
  /** Where the link leads, beginning with `https://` or `http://`. */
  url: string;
  /** What people call it, such as `Laboratory report`. */
  name: string;
  /** Always `url`; a file comes as `multipart/form-data`. */
  type?: "url";
  /** Another name for `type`, which clients of the public interface send. */
  evidence_type?: "url";
}

/** The body of POST /events/{event_id}/evidence for a link; a file comes as multipart/form-data. */
export interface NewEvidenceBody {
  /** A link to attach; its type is url, said as `type` or as `evidence_type`. */
  evidence: NewEvidence;
}

/** What a caller sends to create a feedstock. */
export interface NewFeedstock {
  /** What people call it, once in the project, such as `Plant North`. */
  name: string;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description?: string | null;
}

/** The body of POST /projects/{project_id}/feedstocks. */
export interface NewFeedstockBody {
  /** What a caller sends to create a feedstock. */
  feedstock: NewFeedstock;
}

/** What a verifier found. */
export interface NewFinding {
  /** An `error`, an `omission`, or a `request`. */
  kind: "error" | "omission" | "request";
  /** What was found, in a sentence or more. */
  text: string;
  /**
   * By how much it would change the total of the report; required, except for a request, which has
   * none.
   */
  amount?: Decimal | null;
  /** The record that it is about, such as `evt_…`. */
  event_id?: string | null;
}

/** The body that records a finding. */
export interface NewFindingBody {
  /** What was found. */
  finding: NewFinding;
}

/** What a caller sends to create a footprint client. */
export interface NewFootprintClient {
  /** Whose client it is, in the words of whoever made it. */
  name: string;
  /**
   * The number of the partner whose client it is, who is sent answers to its requests; null for none.
   */
  partner_id?: number | null;
}

/** The body of POST /footprint_clients. */
export interface NewFootprintClientBody {
  /** What a caller sends to create a footprint client. */
  footprint_client: NewFootprintClient;
}

/** What a caller sends to create a footprint partner. */
export interface NewFootprintPartner {
  /** What people call the partner; once in the account. */
  name: string;
  /** What stands before `/3/footprints` there, such as `https://partner.example/pact`. */
  address: string;
  /** What the partner calls this service. */
  client_id: string;
  /** The secret that the partner gave this service; it is kept and never shown. */
  client_secret: string;
  /** Where tokens are asked for; left out, the address and `/auth/token`. */
  token_address?: string;
  /** Whether it is told of every new footprint, and of each that is deprecated. */
  is_notified?: boolean;
}

/** The body of POST /footprint_partners. */
export interface NewFootprintPartnerBody {
  /** What a caller sends to create a footprint partner. */
  footprint_partner: NewFootprintPartner;
}

/** What a caller sends to create a footprint product. */
export interface NewFootprintProduct {
  /** What the company calls the product, such as `Bioethanol 98 %`; once in the account. */
  name: string;
  /** The company whose footprint it is. */
  company_name: string;
  /** What identifies the company, as URNs such as `urn:company:example:plant`. */
  company_ids: string[];
  /** What identifies the product, as URNs such as `urn:gtin:4712345060507`. */
  product_ids: string[];
  /** The unit that the product is declared in, such as `liter`. */
  declared_unit: "liter" | "kilogram" | "cubic meter" | "kilowatt hour" | "megajoule" | "ton kilometer" | "square meter" | "piece" | "hour" | "megabit second";
  /**
   * The mass of the product in kg, without packaging, of a declared unit; zero where that means
   * nothing.
   */
  mass_per_declared_unit: Decimal;
  /** Where the amount of the product comes from: `amount` of the batch or report, or `node:slug`. */
  quantity: string;
  /**
   * Where each amount comes from, by the field of `pcf`: `amount`, `node:slug`, either with a minus
   * before it, or a number for each declared unit, such as `{"fossilGhgEmissions": "node:emissions"}`.
   */
  amounts: Record<string, string>;
  /**
   * What else stands in `pcf`, as it stands there: `ipccCharacterizationFactors`,
   * `crossSectoralStandards`, and what the product has besides.
   */
  properties: Record<string, unknown>;
  /** Classes of the product, as URNs such as `urn:pact:productclassification:un-cpc:3413`. */
  product_classifications?: string[];
  /** What the product is: its feedstock, process and packaging. */
  description?: string;
  /** What its footprints say of how they are calculated; null when nothing. */
  comment?: string | null;
  /** How many of these units one footprint is of. */
  declared_amount?: Decimal;
  /**
   * Where its footprints hold: a country (`DE`), a part of one (`DE-BW`) or a region of the United
   * Nations (`Western Europe`); null for everywhere.
   */
  geography?: string | null;
  /** The percentage of emissions that is left out, from 0 to 100. */
  exempted_percent?: Decimal;
  /** Whether `primaryDataShare` is stated, as the measured share of the amount. */
  states_primary_data_share?: boolean;
  /** How many months a footprint is valid from the end of its period, from 1 to 36. */
  valid_months?: number;
}

/** The body of POST /footprint_products. */
export interface NewFootprintProductBody {
  /** What a caller sends to create a footprint product. */
  footprint_product: NewFootprintProduct;
}

/** The body of generate_preview and batch_generations. */
export interface NewGeneration {
  /** The start of the range, inclusive; slots of which at least half lies in it are computed. */
  start_time: string;
  /** The end of the range, exclusive. */
  end_time: string;
  /**
   * Whether every ledger that the model credits in the project is credited, and not this one alone.
   */
  generate_concurrent_ledgers?: boolean;
  /**
   * With `latest` the active version replaces whole slots; without it a slot keeps the version it has.
   */
  model_version?: "latest" | null;
  /**
   * What runs draw from batches by hand, for all runs together; without it they keep what they hold.
   */
  batch_amounts?: BatchAmount[] | null;
  /**
   * The complete set of data for the inputs that it touches, slot by slot; empty, all discover again.
   */
  data_point_ids?: string[] | null;
  /** Types whose data are set aside: their inputs take their defaults, a sum takes zero. */
  skipped_data_point_type_ids?: number[] | null;
}

/** What a caller sends to create an identity provider. */
export interface NewIdentityProvider {
  /** What people read on the button; once in the account. */
  name: string;
  /**
   * What the provider calls itself, below which its discovery document is, such as
   * `https://id.example`.
   */
  issuer: string;
  /** What the provider calls this service. */
  client_id: string;
  /** The secret that the provider gave this service; it is stored encrypted and never shown. */
  client_secret: string;
  /** The domains of the e-mail addresses of people who may sign in, such as `plant.example`. */
  domains: string[];
  /**
   * The roles of groups. Whoever is in several groups may do what each of them may; whoever is in none
   * of them is refused, and everybody while no group has a role.
   */
  roles: GroupRole[];
  /** The claim in which the provider sends the groups of a person. */
  groups_claim?: string;
  /** Whether passwords of the account no longer sign in, but for people who keep theirs. */
  is_required?: boolean;
}

/** The body of POST /identity_providers. */
export interface NewIdentityProviderBody {
  /** What a caller sends to create an identity provider. */
  identity_provider: NewIdentityProvider;
}

/**
 * What a caller sends to credit a system ledger; which fields it takes depends on the ledger's kind.
 */
export interface NewInstrument {
  /** The number that its registry gave it, once in the ledger. */
  external_id: string;
  /**
   * What it credits its ledger with, in the ledger's unit; above zero, with no more decimals than the
   * ledger's `scale`.
   */
  amount: Decimal;
  /** What people call it; null when not said. */
  name?: string | null;
  /** Where the energy or fuel was made, such as `US-CA`; null when not said. */
  geography?: string | null;
  /** How the energy behind a renewable energy credit was made; null when not said. */
  generation_tech?: "wind" | "solar" | "other" | null;
  /** The day on which the registry issued it, such as `2025-01-31`; null when not said. */
  issued_on?: string | null;
  /** The day on which it was bought, such as `2025-02-14`; null when not said. */
  purchased_on?: string | null;
  /** The mass of the fuel, in t; null when not said. */
  mass?: Decimal | null;
  /** The emissions of the fuel by its energy, in g{CO2e}/MJ; null when not said. */
  energy_intensity?: Decimal | null;
  /** The lower heating value of the fuel, in MJ/kg; null when not said. */
  lower_heating_value?: Decimal | null;
}

/** The body of POST /ledgers/{ledger_id}/instruments. */
export interface NewInstrumentBody {
  /**
   * What a caller sends to credit a system ledger; which fields it takes depends on the ledger's kind.
   */
  instrument: NewInstrument;
}

/** What a caller sends to make a ledger of the project in the path. */
export interface NewLedger {
  /**
   * What people call it, once in the project, such as `Wood chips on stock`; models draw from it by
   * that.
   */
  name: string;
  /** Required, unless the kind of a system ledger gives it. */
  unit?: string | null;
  /** The project, as `prj_…` or its number; the one in the path when left out. */
  project_id?: string | number | null;
  /** The version of the model that credits it, such as `mod_…`; it can be given later, once. */
  model_id?: string | null;
  /** The slug of the output of the model that it keeps; its primary output when left out. */
  output?: string | null;
  /** What its batches are, in the project's own words, such as `feedstock`; null when not said. */
  asset_category?: string | null;
  /**
   * To how many decimals pages round its amounts, at most its scale; six significant digits without it.
   */
  display_places?: number | null;
  /** How many decimals its amounts have. */
  scale?: number;
  /**
   * How it rounds; with `down` no total exceeds what was computed, and draws round up. It never
   * changes.
   */
  rounding?: "half_even" | "down";
  /** Makes a system ledger, which instruments credit instead of a model. */
  system_ledger_type?: "renewable_energy_credits" | "renewable_fuel" | "embodied_emissions" | null;
}

/** The body of POST /projects/{project_id}/ledgers. */
export interface NewLedgerBody {
  /** What a caller sends to make a ledger of the project in the path. */
  ledger: NewLedger;
}

/** What a caller sends to make a ledger, with the project that it is made in. */
export interface NewLedgerOfAccount {
  /**
   * What people call it, once in the project, such as `Wood chips on stock`; models draw from it by
   * that.
   */
  name: string;
  /** Required, unless the kind of a system ledger gives it. */
  unit?: string | null;
  /** The version of the model that credits it, such as `mod_…`; it can be given later, once. */
  model_id?: string | null;
  /** The slug of the output of the model that it keeps; its primary output when left out. */
  output?: string | null;
  /** What its batches are, in the project's own words, such as `feedstock`; null when not said. */
  asset_category?: string | null;
  /**
   * To how many decimals pages round its amounts, at most its scale; six significant digits without it.
   */
  display_places?: number | null;
  /** How many decimals its amounts have. */
  scale?: number;
  /**
   * How it rounds; with `down` no total exceeds what was computed, and draws round up. It never
   * changes.
   */
  rounding?: "half_even" | "down";
  /** Makes a system ledger, which instruments credit instead of a model. */
  system_ledger_type?: "renewable_energy_credits" | "renewable_fuel" | "embodied_emissions" | null;
  /** The project, as `prj_…` or its number. */
  project_id: string | number;
}

/** The body of POST /ledgers. */
export interface NewLedgerOfAccountBody {
  /** What a caller sends to make a ledger, with the project that it is made in. */
  ledger: NewLedgerOfAccount;
}

/** What a caller sends to create a location. */
export interface NewLocation {
  /** What people call it, once in the project, such as `Plant North`. */
  name: string;
  /** The latitude in degrees from -90 to 90, as a number or a text. */
  lat?: Decimal | null;
  /** The longitude in degrees from -180 to 180, as a number or a text. */
  long?: Decimal | null;
  /** Its postal address, which a change replaces as a whole; null when not said. */
  address?: Address | null;
  /**
   * From when it is expected to measure, inclusive, as a meter of events without an asset; null says
   * nothing.
   */
  in_service_from?: string | null;
  /** Until when it is expected to measure, exclusive; null says nothing. */
  in_service_until?: string | null;
}

/** The body of POST /projects/{project_id}/locations. */
export interface NewLocationBody {
  /** What a caller sends to create a location. */
  location: NewLocation;
}

/** What a caller sends to make a methodology. */
export interface NewMethodology {
  /** What the methodology is called, such as `Biochar carbon removal`; once in each version. */
  name: string;
  /** The version as its owner writes it, such as `2.1`. */
  version: string;
  /** The type of the reports that follow it, such as `quarterly`. */
  report_type: string;
  /** The models that implement it, such as `mod_…`. */
  model_ids?: string[];
  /**
   * By an id in `model_ids` the versions of the model that implement it, such as `{"mod_…": [2, 3]}`;
   * any version of a model that is not in it.
   */
  model_versions?: Record<string, number[]>;
  /**
   * What becomes of a report with batches of other versions: `refuse` its submission, or `note` them.
   */
  other_versions?: "refuse" | "note";
  /**
   * The ledgers that its reports take of, each in its role, the first of them in the unit of the
   * reports; empty where a report takes of one.
   */
  ledgers?: MethodologyLedger[];
  /** What must hold of a report before it is sent off, beside what must always hold. */
  submission_requirements?: ("no_open_alerts" | "evidence")[];
  /** How much of what a report takes has to be measured, from 0 to 1; null where it asks for none. */
  measured_share_min?: Decimal | null;
  /** The registry that its reports go to, unless a submission names another one. */
  registry_id?: number | null;
  /** How its reports are written: `format`, `template` and, if they are checked, `schema`. */
  mapping?: Record<string, unknown> | null;
}

/** The body of POST /methodologies. */
export interface NewMethodologyBody {
  /** What a caller sends to make a methodology. */
  methodology: NewMethodology;
}

/** A package of the library, to be taken into the account. */
export interface NewMethodologyPackage {
  /** The name of a package that ships with the service, such as `stationary-combustion`. */
  name: string;
}

/** The body of POST /methodology_packages, without a file. */
export interface NewMethodologyPackageBody {
  /** A package of the library, to be taken into the account. */
  methodology_package: NewMethodologyPackage;
}

/** What a caller sends to make a model: its document, and the project when it belongs to one. */
export interface NewModel {
  /** The document, as text in the model language. */
  yaml: string;
  /** The project that it belongs to, as `prj_…` or its number; left out, all projects may run it. */
  project_id?: string | number | null;
}

/** The body of POST /models. */
export interface NewModelBody {
  /** What a caller sends to make a model: its document, and the project when it belongs to one. */
  model: NewModel;
}

/** What a caller sends to have a version evaluated: a period, and the data points to evaluate. */
export interface NewModelRun {
  /** The start of the period that it computes, inclusive. */
  start_time: string;
  /** The end of that period, exclusive. */
  end_time: string;
  /** The friendly ids of the data points to evaluate, up to 10,000, such as `in_…`. */
  data_point_ids: string[];
}

/** The body of POST /models/{model_id}/model_runs. */
export interface NewModelRunBody {
  /** What a caller sends to have a version evaluated: a period, and the data points to evaluate. */
  model_run: NewModelRun;
}

/** What a caller sends to declare an outage; naming no meter, one of all meters. */
export interface NewOutage {
  /** Why nothing was measured, such as `Calibration of the analyser`. */
  reason: string;
  /** From when nothing is expected, inclusive. */
  start_time: string;
  /** Until when nothing is expected, exclusive; null while it lasts. */
  end_time?: string | null;
  /** The friendly id of the asset that was out; null when it names none. */
  asset_id?: string | null;
  /** The friendly id of the location that was out, as a meter of its own; null when it names none. */
  location_id?: string | null;
  /**
   * The event type that it is about: alone, all meters of it; null when it is about all event types.
   */
  event_type_id?: string | null;
  /** A link to what proves it, such as a page of the logbook; null without one. */
  evidence_url?: string | null;
}

/** The body of POST /projects/{project_id}/outages. */
export interface NewOutageBody {
  /** What a caller sends to declare an outage; naming no meter, one of all meters. */
  outage: NewOutage;
}

/** Which package is installed, and what becomes of records that differ. */
export interface NewPackageInstallation {
  /** The number of the package, of the account. */
  package_id: number;
  /**
   * Whether records of the same names that differ are left as they are; without it they refuse the
   * installation.
   */
  keep_differing?: boolean;
}

/** The body of POST /projects/{project_id}/package_installations, and of its preview. */
export interface NewPackageInstallationBody {
  /** Which package is installed, and what becomes of records that differ. */
  package_installation: NewPackageInstallation;
}

/** What a caller sends to make a project. */
export interface NewProject {
  /** What people call it, such as `Plant North`. */
  name: string;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description?: string | null;
  /** The time zone that slots are cut in, by its IANA name. */
  time_zone?: string;
}

/** The body of POST /projects. */
export interface NewProjectBody {
  /** What a caller sends to make a project. */
  project: NewProject;
}

/** What a caller sends to make a registry. */
export interface NewRegistry {
  /** What people call it, such as `Registry of removals`; once in the account. */
  name: string;
  /**
   * How reports get there: `http` posts them, `isometric_certify` makes them records of Isometric
   * Certify, `file` keeps them for people to hand on.
   */
  adapter: "file" | "http" | "isometric_certify";
  /** Where a report is posted; required unless it is `file`. */
  address?: string | null;
  /**
   * Where it is asked for by its key, with `{key}` in it; left out, the address, a slash and the key.
   */
  status_address?: string | null;
  /** Headers that prove who calls, such as `Authorization`; they are kept and never shown. */
  headers?: Record<string, string>;
  /** From 1 to 120. */
  timeout_seconds?: number;
  /** From 1 to 20. */
  tries?: number;
  /** From 1 to 86,400; 300 when left out, null where people write decisions down. */
  poll_seconds?: number | null;
}

/** The body of POST /registries. */
export interface NewRegistryBody {
  /** What a caller sends to make a registry. */
  registry: NewRegistry;
}

/** What a caller sends to make a mapping. */
export interface NewRegistryMapping {
  /** The number of the registry, one with the adapter `isometric_certify`. */
  registry_id: number;
  /** The ledger whose reports are written by it. */
  ledger_id: string;
  /**
   * The registry's project, removal template and components, with the values of ours that they take.
   */
  contents: Record<string, unknown>;
}

/** The body of POST /projects/{project_id}/registry_mappings. */
export interface NewRegistryMappingBody {
  /** What a caller sends to make a mapping. */
  registry_mapping: NewRegistryMapping;
}

/** What a caller sends to make a report: batches whole by their ids, or with amounts, or none yet. */
export interface NewReport {
  /** What people call the report, such as `First quarter of 2025`. */
  name: string;
  /** What kind of report it is, in the words of its receiver, such as `quarterly`. */
  report_type: string;
  /** The project, as `prj_…` or its number. */
  project_id: string | number;
  /** The number of the methodology that it follows; null when it names none. */
  methodology_id?: number | null;
  /** The ledger of each role, where its methodology has several ledgers. */
  ledgers?: NamedReportLedger[];
  /** The batches of which it takes all that remains, up to 10,000, such as `bat_…`. */
  batch_ids?: string[];
  /** The batches from which it takes so much, up to 10,000; instead of `batch_ids`. */
  batches?: TakenBatch[];
  /**
   * What the claim owes its receiver, in its ledger's unit, where the truth is below zero; null for
   * nothing. Only a restatement of what was once accepted owes something.
   */
  liability?: Decimal | null;
  /** Why it owes that; null where it owes nothing. */
  liability_reason?: string | null;
  /**
   * The report that it restates, such as `rpt_…`; without batches it begins with those of that one.
   */
  supersedes?: string | null;
}

/** The body of POST /reports. */
export interface NewReportBody {
  /**
   * What a caller sends to make a report: batches whole by their ids, or with amounts, or none yet.
   */
  report: NewReport;
}

/** What a caller sends to make a link. */
export interface NewReportLink {
  /** Whom or what it is for, such as `Verifier, first review`. */
  name: string;
  /** Whether its holder may act as the verifier. */
  is_of_verifier?: boolean;
  /** How long it opens the report, in seconds: 60 to 31,622,400, which are 366 days. */
  expires_in?: number;
}

/** The body of POST /reports/{report_id}/links. */
export interface NewReportLinkBody {
  /** What a caller sends to make a link. */
  link: NewReportLink;
}

/**
 * What a caller sends to make a rule; without an event type it watches every event that has the data.
 */
export interface NewRule {
  /** What people call it, once in the project, such as `Wet mass above 40 t`. */
  name: string;
  /** What says that something is wrong, in the rule language, such as `{{wet_mass}} > 40`. */
  expression: string;
  /** From when records are evaluated, inclusive. */
  effective_from: string;
  /** Until when records are evaluated, exclusive; left out when the rule goes on. */
  effective_to?: string | null;
  /** What it says to people with each alert; null when it says nothing. */
  message?: string | null;
  /** What it evaluates; it never changes. */
  target?: "data_point" | "model_run";
  /**
   * The slug of the data point that results are about; the first that the expression reads when left
   * out.
   */
  data_point?: string | null;
  /**
   * The event type that it watches, such as `et_…`; left out, it watches every one that has the data.
   */
  event_type_id?: string | null;
  /** The asset whose events it watches, such as `ast_…`; left out, it watches those of every asset. */
  asset_id?: string | null;
  /** The model whose runs it watches, such as `mod_…`; required with the target `model_run`. */
  model_id?: string | null;
  /** When it is evaluated: whenever data change, or when asked for. */
  evaluation?: "automatic" | "on_demand";
  /** Which members its aggregates look at, seen from the record; null when it has no window. */
  window?: RollingWindow | CalendarWindow | null;
  /** Which other records may be members of its window. */
  window_member_scope?: "event" | "location" | "event_type" | "project";
  /**
   * Whether windows, `previous` and `missed_slots` go by the record's own meter or by all of the scope;
   * left out, it is `own`, and `all` with the scope `project` or the target `model_run`.
   */
  window_meters?: "own" | "all" | null;
  /**
   * Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes those that
   * lack.
   */
  purpose?: "alert" | "adjust" | "substitute" | "impute";
  /**
   * Whether what it finds is an alert, `fail`, or a warning, `warn`; a rule that corrects takes `fail`.
   */
  severity?: "warn" | "fail";
  /** What a value becomes that it finds wrong; null for a rule that alerts. */
  correction?: RuleCorrection | GapCorrection | null;
  /**
   * What its expressions `lookup`, by name, such as the tare of each lorry; null when it has no tables.
   */
  tables?: Record<string, RuleTable> | null;
  /** Which rule goes first where several correct one value: the smallest, from 1 to 1,000. */
  priority?: number;
  /** Whether its corrections wait for someone's approval. */
  requires_approval?: boolean;
}

/** The body of POST /projects/{project_id}/rules. */
export interface NewRuleBody {
  /**
   * What a caller sends to make a rule; without an event type it watches every event that has the data.
   */
  rule: NewRule;
}

/** The body of POST /rules/{rule_id}/rule_runs: the period to evaluate again. */
export interface NewRuleRun {
  /** The start of the period to evaluate, inclusive. */
  start_time: string;
  /** The end of the period to evaluate, exclusive. */
  end_time: string;
}

/** A view to save: the query of a list under a name. */
export interface NewSavedView {
  /** The list of the web app, by the last part of its address. */
  list_name: "events" | "data_points" | "event_types" | "assets" | "locations" | "feedstocks" | "outages" | "static_inputs" | "batches" | "rules" | "reports";
  /** What the user calls the view; no other of the list has this name. */
  name: string;
  /** The query of the list's address, without its question mark; empty for the list as it is. */
  query: string;
  /** Whether the web app shows this view where the address of the list has no query. */
  is_default?: boolean;
}

/** The body of POST /saved_views. */
export interface NewSavedViewBody {
  /** A view to save: the query of a list under a name. */
  saved_view: NewSavedView;
}

/** What a caller sends to add a value; without a unit it is a plain number. */
export interface NewStaticInput {
  /** The name that models read it by, such as `grid_factor`. */
  slug: string;
  /** The value, in its `unit`. */
  value: Decimal;
  /** From when it holds, inclusive, until a later one of the same slug and keys. */
  effective_from: string;
  /** The unit of the value, such as `kg{CO2e}/kWh`; null for a plain number. */
  unit?: string | null;
  /** The friendly id of the asset that it holds for; null when it holds for every asset or none. */
  asset_id?: string | null;
  /** The friendly id of the feedstock that it holds for; null when it holds for every feedstock. */
  feedstock_id?: string | null;
  /** The friendly id of the location that it holds for; null when it holds for every location. */
  location_id?: string | null;
  /** How well the value is known; null when not stated. */
  uncertainty?: StatedUncertainty | null;
}

/** The body of POST /projects/{project_id}/static_inputs. */
export interface NewStaticInputBody {
  /** What a caller sends to add a value; without a unit it is a plain number. */
  static_input: NewStaticInput;
}

/** How the trials are drawn; each field may be left out. */
export interface NewUncertaintyRun {
  /** How many trials to compute, from 100 to 1,000,000. */
  trials?: number;
  /**
   * Which trials to draw, from 0 to 9007199254740991: the same seed has the same trials everywhere.
   */
  seed?: number;
  /** The coverage probability of the intervals, above 0 and below 1; null for that of the model. */
  coverage_probability?: Decimal | null;
}

/** The body of POST /batches/{batch_id}/uncertainty_runs, and of a report. */
export interface NewUncertaintyRunBody {
  /** How the trials are drawn; each field may be left out. */
  uncertainty_run?: NewUncertaintyRun;
}

/** To which version an installation is brought. */
export interface NewUpgrade {
  /** The number of a package of the account, of the same name and a higher version. */
  package_id: number;
  /**
   * Whether records that a new part would be called the same as, and that differ, are left as they are.
   */
  keep_differing?: boolean;
}

/** The body of POST /package_installations/{package_installation_id}/upgrade, and of its preview. */
export interface NewUpgradeBody {
  /** To which version an installation is brought. */
  upgrade: NewUpgrade;
}

/** The body of POST /projects/{project_id}/data_feeds/{data_feed_id}/uploads, without a file. */
export interface NewUploadBody {
  /** An upload of a file that was uploaded before, such as after a dry run. */
  upload: UploadAgain;
}

/** What a caller sends to make the next version of a model. */
export interface NewVersion {
  /** The document, as text in the model language. */
  yaml: string;
  /** What people call the version, up to 255 characters. */
  version_label?: string | null;
  /** What people write about the version, up to 500 characters. */
  description?: string | null;
  /** Whether generations are to run it from now on. */
  activate?: boolean;
}

/** What a caller sends to make a webhook; it is told of what changes from then on. */
export interface NewWebhook {
  /**
   * An address that begins with https://; http:// reaches only networks that the service was told of.
   */
  url: string;
  /** Which changes are told; all that the caller's token may read when left out. */
  change_types?: ("event" | "correction" | "batch" | "async_task" | "rule_result" | "report" | "ledger" | "footprint" | "event.create" | "event.update" | "event.void" | "event.restore" | "correction.create" | "correction.update" | "correction.revert" | "batch.create" | "batch.update" | "batch.delete" | "async_task.create" | "async_task.update" | "async_task.start" | "async_task.complete" | "async_task.fail" | "rule_result.create" | "rule_result.update" | "report.create" | "report.update" | "report.delete" | "ledger.update" | "footprint.create" | "footprint.update")[] | null;
  /** The friendly id of the project whose changes are told; null for the whole account. */
  project_id?: string | null;
  /** What it is for, in the words of whoever made it. */
  description?: string;
  /** Whether changes are sent; while it is not, they wait in the feed, as long as that keeps them. */
  is_enabled?: boolean;
}

/** The body of POST /webhooks. */
export interface NewWebhookBody {
  /** What a caller sends to make a webhook; it is told of what changes from then on. */
  webhook: NewWebhook;
}

/** The body of a revert, which may be left out. */
export interface NoOptions {
}

/** How uncertain an output is, to first order, in its unit. */
export interface NodeUncertainty {
  /** The combined standard uncertainty. */
  standard_uncertainty: Decimal;
  /** By the Welch-Satterthwaite formula; null when they are infinitely many or not defined. */
  degrees_of_freedom: Decimal | null;
  /** That of the interval, as the model asks for it. */
  coverage_probability: Decimal;
  /** The low end of the interval about the value. */
  low: Decimal;
  /** The high end of the interval about the value. */
  high: Decimal;
  /** What a ledger would be credited with, before it rounds; null for an output without a discount. */
  credited_amount: Decimal | null;
}

/** What a node came to; a formula stands as it is written and with its values filled in. */
export interface NodeValue {
  /** The slug of the node. */
  slug: string;
  /** The label of the node. */
  name: string;
  /** What gives the node its value. */
  kind: "input" | "static_input" | "constant" | "upstream" | "available" | "formula";
  /** The unit of the node, such as `t{CO2e}`. */
  unit: string;
  /**
   * What it came to, in `unit`: a number, a list for an array, or null for an optional node without
   * data.
   */
  value: Decimal | Decimal[] | null;
  /** The formula as it is written, such as `net = gross - tare`; null for a node without a formula. */
  equation: string | null;
  /**
   * The formula with its values filled in, such as `net = 31.2 t - 14.9 t`; null without a formula.
   */
  filled: string | null;
  /** What it came to as people read it, such as `16.3 t`. */
  result: string;
  /** Whether the model gives it as an output. */
  is_output: boolean;
  /** How uncertain it is; null for other nodes than outputs, and if the model does not ask for it. */
  uncertainty: NodeUncertainty | null;
}

/** Data in the range that no run uses, and why. */
export interface NotCounted {
  /** Why no run uses them, as the end of a sentence about the events. */
  reason: string;
  /** The slug of their event type. */
  event_type: string;
  /** How many events these are. */
  event_count: number;
  /** The friendly ids of the first few of them. */
  events: string[];
}

/**
 * Events in the time of a ledger that no generation has looked at since they were stored or changed.
 */
export interface NotCountedYet {
  /** How many there are, up to 1,000. What counts of them only a generation can say. */
  event_count: number;
  /** Whether there are more than that. */
  is_more: boolean;
  /** The start of the earliest of them. */
  start_time: string;
  /** The end of the latest of them. */
  end_time: string;
}

/** The result of telling a registry what became of a claim. */
export interface NoticeResult {
  /** The friendly id of the report that is told of. */
  report_id: string;
  /** What the registry calls the claim; null when it does not know it. */
  reference: string | null;
  /** Whether the registry knows the claim; it may not know one whose submission failed. */
  is_known: boolean;
}

/** The signed opinion of a verifier. */
export interface Opinion {
  /** The kind of opinion, by ISO 14064-3. */
  conclusion: "unmodified" | "modified" | "adverse" | "disclaimer";
  /** The reasons, in the words of the verifier. */
  reasons: string;
  /** The statement that was signed: in-toto, as one line of JSON and its line end. */
  statement: string;
  /** Its signature (SSHSIG). */
  signature: string;
  /** The public key of the verifier, in a line as OpenSSH writes it. */
  public_key: string;
  /** The SHA-256 of the bundle that it is about. */
  bundle_sha256: string;
}

/** What the verifier wants to conclude. */
export interface OpinionDraft {
  /** The kind of opinion: `unmodified`, `modified`, `adverse` or `disclaimer`. */
  conclusion: "unmodified" | "modified" | "adverse" | "disclaimer";
  /** The reasons, in the words of the verifier. */
  reasons: string;
}

/** A stretch of time in which nothing is expected of a meter. */
export interface Outage {
  /** The number of the outage. */
  id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** Why nothing was measured, such as `Calibration of the analyser`. */
  reason: string;
  /** The friendly id of the asset that was out; null when it names none. */
  asset_id: string | null;
  /** The friendly id of the location that was out, as a meter of its own; null when it names none. */
  location_id: string | null;
  /**
   * The event type that it is about: alone, all meters of it; null when it is about all event types.
   */
  event_type_id: string | null;
  /** From when nothing is expected, inclusive. */
  start_time: string;
  /** Until when nothing is expected, exclusive; null while it lasts. */
  end_time: string | null;
  /** A link to what proves it, such as a page of the logbook; null without one. */
  evidence_url: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller sends to change an outage; what is left out stays as it is. */
export interface OutageChange {
  /** Why nothing was measured, such as `Calibration of the analyser`. */
  reason?: string;
  /** From when nothing is expected, inclusive. */
  start_time?: string;
  /** Until when nothing is expected, exclusive; null while it lasts. */
  end_time?: string | null;
  /** The friendly id of the asset that was out; null when it names none. */
  asset_id?: string | null;
  /** The friendly id of the location that was out, as a meter of its own; null when it names none. */
  location_id?: string | null;
  /**
   * The event type that it is about: alone, all meters of it; null when it is about all event types.
   */
  event_type_id?: string | null;
  /** A link to what proves it, such as a page of the logbook; null without one. */
  evidence_url?: string | null;
}

/** The body of PATCH /projects/{project_id}/outages/{outage_id}. */
export interface OutageChangeBody {
  /** What a caller sends to change an outage; what is left out stays as it is. */
  outage: OutageChange;
}

/** The value of an output node as a data point; `incomplete` when the node came to nothing. */
export interface OutputDataPoint {
  /** The friendly id of the data point: in_ and 24 hexadecimal digits. */
  id: string;
  /** The slug of the node. */
  slug: string;
  /** The label of the node. */
  data_point_type: string;
  /**
   * What it came to, in `unit`: a number, a list for an array, or null for an optional node without
   * data.
   */
  value: Decimal | Decimal[] | null;
  /** The unit of the node, such as `t{CO2e}`. */
  unit: string;
  /** Whether the node came to something. */
  status: "complete" | "incomplete";
}

/**
 * What an output of a model run came to, with the fields of a measured value; it belongs to no event.
 * `value` is a list where the node is an array, and null where an optional node had no data. It is
 * computed: nothing was captured, and it is never corrected. `batch_id` is null for a run that stands
 * alone.
 */
export interface OutputDataPointOfRun {
  /** The friendly id of the output: `odp_` and 24 hexadecimal digits. */
  id: string;
  /** The slug of the node. */
  slug: string;
  /** The label of the node. */
  data_point_type: string;
  /** Always `number`, as the values of nodes are. */
  value_type: "number";
  /**
   * What it came to, in `unit`: a number, a list for an array, or null for an optional node without
   * data.
   */
  value: Decimal | Decimal[] | null;
  /** Always null: nothing was captured. */
  raw_value: null;
  /** The unit of the node, such as `t{CO2e}`. */
  unit: string;
  /** Whether the node came to something. */
  status: "complete" | "incomplete";
  /** Whether a value that a rule made stands in the place of what was captured. */
  substituted: boolean;
  /** Always false: it was computed. */
  imputed: boolean;
  /** Always null: nothing stands in its place. */
  substitution: null;
  /** Always null: it was computed. */
  value_source: null;
  /** How many corrections of it stand: one in force, the others beneath it. */
  corrections_count: number;
  /** How many corrections were ever made of it, those that were reverted included. */
  corrections_total: number;
  /** What data rules found in it that stands, dismissed results included. */
  rule_results: DataPointResult[];
  /** Always null: it belongs to no event. */
  event: null;
  /** The friendly id of the run that it is an output of. */
  model_run_id: string;
  /** The friendly id of the batch that the run made; null for a run that stands alone. */
  batch_id: string | null;
  /** The start of the period that the run computes, inclusive. */
  start_time: string;
  /** The end of that period, exclusive. */
  end_time: string;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** A worked example of a source, as it was computed when the package was uploaded. */
export interface PackageCase {
  /** What the case is called. */
  name: string;
  /** Where the example stands. */
  source: string | null;
  /** What it expects, and what came of it. */
  values: PackageCaseValue[];
}

/** What a case expects of a node. */
export interface PackageCaseValue {
  /** The slug of the node. */
  node: string;
  /** The value that the source prints, with its unit. */
  expected: string;
  /** The value that the model came to, with its unit. */
  actual: string;
}

/** What a package brings, part by part. */
export interface PackageContents {
  /** The documents that it was written from. */
  sources: PackageSource[];
  /** The event types, each as it is created. */
  event_types: PackageEntry[];
  /** The values that hold for the whole project. */
  static_inputs: PackageEntry[];
  /** The models with their documents and cases. */
  models: PackageModel[];
  /** The ledgers, each with its model. */
  ledgers: PackageEntry[];
  /** The data rules. */
  rules: PackageEntry[];
  /** The methodologies by which reports are made. */
  methodologies: PackageEntry[];
  /** The names of the files with data to try it with. */
  samples: string[];
  /** What people read of it: boundaries, what is measured how often, what is not covered. Markdown. */
  page: string;
}

/** A record that a package brings. */
export interface PackageEntry {
  /** What the package calls it: a slug or a name. */
  key: string;
  /** What is sent to create it; an id of an event type or a model is what the package calls that. */
  record: Record<string, unknown>;
  /** The name of the model that credits it, for a ledger; null for others. */
  model: string | null;
  /** Where its numbers are from; null where it says none. */
  source: string | null;
}

/** A package that was installed in a project. */
export interface PackageInstallation {
  /** The friendly id of the package installation: pki_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The number of the package that is installed now. */
  package_id: number;
  /** The slug of the package; once in the project. */
  name: string;
  /** The version that is installed now. */
  version: string;
  /** What people call the package. */
  title: string;
  /** The package itself and all that it needs, as they were resolved, by name. */
  lock: LockedPackage[];
  /** The records that came with it; empty in lists. */
  parts: InstalledPart[];
  /** The user who installed it. */
  user_id: number;
  /** When the record was made. */
  created_at: string;
  /** When it was upgraded last. */
  updated_at: string;
  /** Where the record opens in the web app. */
  ui_url: string;
}

/** A model that a package brings. */
export interface PackageModel {
  /** The name of its file, by which ledgers of the package name it. */
  name: string;
  /** What the model is called. */
  title: string;
  /** The slug of the output that ledgers keep unless they say otherwise. */
  primary_output: string;
  /** The names of the ledgers that it draws from or sees. */
  draws_from: string[];
  /** The digest of what the model computes, as that of a version of a model. */
  sha256: string;
  /** Its YAML document. */
  document: string;
  /** The cases of the document. */
  cases: PackageCase[];
}

/** What becomes of a record that a package brings, or brought. */
export interface PackagePart {
  /** The name of the package. */
  package: string;
  /** What kind of record it is. */
  kind: "event_type" | "static_input" | "model" | "ledger" | "rule" | "methodology";
  /** What the package calls it. */
  key: string;
  /** The id of the record, or its number; null for one that is not there, or is not yet. */
  record_id: string | null;
  /**
   * What becomes of it: `present` is there and equal, `differs` and `changed_here` are left as they
   * are, and `stays` is used by something.
   */
  state: "made" | "present" | "differs" | "unchanged" | "changed" | "changed_here" | "removed" | "stays";
  /** Why it stays, in a sentence; null for others. */
  reason: string | null;
  /** In what the record differs from what the package says, or from what it becomes. */
  differences: PartDifference[];
}

/** What was removed with an installation, and what stays and why. */
export interface PackageRemoval {
  /** What became of each record. */
  parts: PackagePart[];
}

/** What was taken from a document. */
export interface PackageSection {
  /** Where it stands, such as `Table C-1`. */
  section: string;
  /** What it says. */
  what: string;
  /** The tables of models that have it, as `model.table`. */
  tables: string[];
}

/** What is known of who signed a package. */
export interface PackageSignature {
  /**
   * Whether it is `shipped` with the service, or signed by a `known` publisher or `unknown` key, or
   * not.
   */
  state: "shipped" | "known" | "unknown" | "unsigned";
  /** That of the key, as `ssh-keygen -l` prints it; null for a package that nobody signed. */
  fingerprint: string | null;
  /** The known publisher whose key it is; null unless there is one. */
  publisher: string | null;
  /** The same for people. */
  sentence: string;
}

/** A document that a package was written from. */
export interface PackageSource {
  /** The word by which the numbers of the package name it. */
  key: string;
  /** What the document is called. */
  title: string;
  /** Which edition of it was read. */
  edition: string;
  /** Where it is found. */
  url: string;
  /** What was taken from it. */
  taken: PackageSection[];
}

/** An installation that was brought to another version, and what became of its records. */
export interface PackageUpgrade {
  /** The installation as it is now. */
  package_installation: PackageInstallation;
  /** What became of each record. */
  parts: PackagePart[];
}

/** One page of a list. */
export interface PageOfAgentMappingVersion {
  /** The records of the page, in the order that `info.sort` says. */
  data: AgentMappingVersion[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfApiToken {
  /** The records of the page, in the order that `info.sort` says. */
  data: ApiToken[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfAsset {
  /** The records of the page, in the order that `info.sort` says. */
  data: Asset[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfAssetCustomField {
  /** The records of the page, in the order that `info.sort` says. */
  data: AssetCustomField[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfAsyncTask {
  /** The records of the page, in the order that `info.sort` says. */
  data: AsyncTask[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfAuditRow {
  /** The records of the page, in the order that `info.sort` says. */
  data: AuditRow[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfBatch {
  /** The records of the page, in the order that `info.sort` says. */
  data: Batch[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfCalibration {
  /** The records of the page, in the order that `info.sort` says. */
  data: Calibration[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfCatalogueRecord {
  /** The records of the page, in the order that `info.sort` says. */
  data: CatalogueRecord[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfCorrection {
  /** The records of the page, in the order that `info.sort` says. */
  data: Correction[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfDataFeed {
  /** The records of the page, in the order that `info.sort` says. */
  data: DataFeed[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfDataFeedUpload {
  /** The records of the page, in the order that `info.sort` says. */
  data: DataFeedUpload[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfDataPoint {
  /** The records of the page, in the order that `info.sort` says. */
  data: DataPoint[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfEvent {
  /** The records of the page, in the order that `info.sort` says. */
  data: Event[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfEventType {
  /** The records of the page, in the order that `info.sort` says. */
  data: EventType[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfEvidence {
  /** The records of the page, in the order that `info.sort` says. */
  data: Evidence[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfFeedstock {
  /** The records of the page, in the order that `info.sort` says. */
  data: Feedstock[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfFilledValue {
  /** The records of the page, in the order that `info.sort` says. */
  data: FilledValue[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfFootprint {
  /** The records of the page, in the order that `info.sort` says. */
  data: Footprint[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfFootprintCall {
  /** The records of the page, in the order that `info.sort` says. */
  data: FootprintCall[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfFootprintClient {
  /** The records of the page, in the order that `info.sort` says. */
  data: FootprintClient[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfFootprintEvent {
  /** The records of the page, in the order that `info.sort` says. */
  data: FootprintEvent[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfFootprintPartner {
  /** The records of the page, in the order that `info.sort` says. */
  data: FootprintPartner[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfFootprintProduct {
  /** The records of the page, in the order that `info.sort` says. */
  data: FootprintProduct[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfIdentityProvider {
  /** The records of the page, in the order that `info.sort` says. */
  data: IdentityProvider[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfInstrument {
  /** The records of the page, in the order that `info.sort` says. */
  data: Instrument[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfLedger {
  /** The records of the page, in the order that `info.sort` says. */
  data: Ledger[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfLocation {
  /** The records of the page, in the order that `info.sort` says. */
  data: Location[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfMethodology {
  /** The records of the page, in the order that `info.sort` says. */
  data: Methodology[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfMethodologyPackage {
  /** The records of the page, in the order that `info.sort` says. */
  data: MethodologyPackage[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfModel {
  /** The records of the page, in the order that `info.sort` says. */
  data: Model[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfModelRun {
  /** The records of the page, in the order that `info.sort` says. */
  data: ModelRun[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfOutage {
  /** The records of the page, in the order that `info.sort` says. */
  data: Outage[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfPackageInstallation {
  /** The records of the page, in the order that `info.sort` says. */
  data: PackageInstallation[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfPlantAgent {
  /** The records of the page, in the order that `info.sort` says. */
  data: PlantAgent[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfProject {
  /** The records of the page, in the order that `info.sort` says. */
  data: Project[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfReceivedFootprint {
  /** The records of the page, in the order that `info.sort` says. */
  data: ReceivedFootprint[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfRegistry {
  /** The records of the page, in the order that `info.sort` says. */
  data: Registry[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfRegistryCall {
  /** The records of the page, in the order that `info.sort` says. */
  data: RegistryCall[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfRegistryMapping {
  /** The records of the page, in the order that `info.sort` says. */
  data: RegistryMapping[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfReport {
  /** The records of the page, in the order that `info.sort` says. */
  data: Report[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfReportLink {
  /** The records of the page, in the order that `info.sort` says. */
  data: ReportLink[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfRule {
  /** The records of the page, in the order that `info.sort` says. */
  data: Rule[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfRuleRun {
  /** The records of the page, in the order that `info.sort` says. */
  data: RuleRun[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfRuleVersion {
  /** The records of the page, in the order that `info.sort` says. */
  data: RuleVersion[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfSavedView {
  /** The records of the page, in the order that `info.sort` says. */
  data: SavedView[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfStaticInput {
  /** The records of the page, in the order that `info.sort` says. */
  data: StaticInput[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfUncertaintyRun {
  /** The records of the page, in the order that `info.sort` says. */
  data: UncertaintyRun[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfWebhook {
  /** The records of the page, in the order that `info.sort` says. */
  data: Webhook[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** One page of a list. */
export interface PageOfWebhookDelivery {
  /** The records of the page, in the order that `info.sort` says. */
  data: WebhookDelivery[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/** A field in which a record differs from what a package says. */
export interface PartDifference {
  /** The field, such as `data_point_types.volume.unit`; of a model the node and its key. */
  field: string;
  /** What the record has. */
  before: unknown;
  /** What the package says. */
  after: unknown;
}

/** What was drawn from a partition of a ledger beyond what it had produced, until it is settled. */
export interface PartitionDeficit {
  /** The friendly id of the ledger. */
  ledger: string;
  /** What the partition is called, such as `LOT-7 / Wood chips`; null where slots are not cut. */
  partition: string | null;
  /** The start of the slot with whose end it opened; null when it did not open with a slot's end. */
  start_time: string | null;
  /** The end of that slot: the moment from which on so much is short. */
  end_time: string;
  /** The moment at which later slots had produced as much; null while it is open. */
  settled_at: string | null;
  /** How much is short, in the ledger's unit. */
  amount: Decimal;
}

/** One partition: opening, plus produced, less drawn out, is closing, deficits counted below zero. */
export interface PartitionStatement {
  /** What the partition is called, such as `LOT-7 / Wood chips`; null where slots are not cut. */
  partition: string | null;
  /** How it stood at the start of the period. */
  opening: StandingAt;
  /**
   * What the runs whose slots end in the period come to, in the ledger's unit; below zero where they
   * take back.
   */
  produced: Decimal;
  /**
   * The part of it by which batches lost and were given back what runs turned out not to have made.
   */
  of_which_fallen: Decimal;
  /** From other ledgers, in their units; it is no part of the sum. */
  drawn_in: DrawnIn[];
  /** What others drew and reports took, less what they gave back, in the ledger's unit. */
  drawn_out: Decimal;
  /** The part of it that reports hold, reserved or posted, less what they gave back. */
  of_which_reported: Decimal;
  /** How it stood at the end of the period. */
  closing: StandingAt;
}

/**
 * Data in the range that changed, and that a rule which corrects has not looked at yet. A generation
 * has such evaluations done before it begins.
 */
export interface PendingEvaluations {
  /** The friendly id of the rule: rule_ and 24 hexadecimal digits. */
  rule_id: string;
  /** What the rule is called. */
  rule: string;
  /** The slug of the event type of the data. */
  event_type: string;
  /** From when on data wait to be evaluated; null when all earlier ones do. */
  start_time: string | null;
  /** Until when data wait to be evaluated; null when all later ones do. */
  end_time: string | null;
}

/**
 * Corrections of data in the range that wait for approval; until then runs use the values as they are.
 */
export interface PendingProposals {
  /** The friendly id of the rule: rule_ and 24 hexadecimal digits. */
  rule_id: string;
  /** What the rule is called. */
  rule: string;
  /** The slug of the event type of the data. */
  event_type: string;
  /** How many corrections it proposes. */
  proposal_count: number;
  /** The friendly ids of the first few data points. */
  data_points: string[];
  /** When the first few slots begin for which it proposes an event, as none came. */
  slots?: string[];
}

/**
 * Rolled-up data in the range that do not follow their readings yet; a generation has that done first.
 */
export interface PendingRollUps {
  /** The slug of the event type of the data. */
  event_type: string;
  /** The slug of the event type whose readings changed. */
  source: string;
  /** From when on readings changed; null when all earlier ones are to be rolled up anew. */
  start_time: string | null;
  /** Until when readings changed; null when all later ones are to be rolled up anew. */
  end_time: string | null;
}

/** What was captured in one period, in total and by meter. */
export interface PeriodCapture {
  /** What the slot is called, such as `2025-03` or `2025-W09`. */
  slot: string;
  /** When the period begins, or the range inside it. */
  start_time: string;
  /** When the period ends, or the range inside it. */
  end_time: string;
  /** All meters together. */
  total: CaptureFigures;
  /** Each meter of the event type, in the order of their names. */
  meters: MeterCapture[];
}

/** An agent at a plant, and what it reported last. */
export interface PlantAgent {
  /** The number of the agent. */
  id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The name of the agent in its file; there is one of it in the project. */
  name: string;
  /** What people write about it, such as where the machine stands. */
  description: string | null;
  /** After how long without a report the agent counts as quiet. */
  quiet_after_seconds: number;
  /** Whether the agent has not reported for so long. */
  is_quiet: boolean;
  /** When its last report came, by the service's clock. */
  reported_at: string;
  /** The version of the program that it runs. */
  version: string;
  /** What it said of itself then. */
  state: StateOfAgent;
  /** The last question about a server's address space; null before the first. */
  browsing: Browsing | null;
  /** The newest version of the mapping from the web app; null before the first. */
  mapping: MappingOffer | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller sends to change an agent; what is left out stays as it is. */
export interface PlantAgentChange {
  /** What people write about it, such as where the machine stands. */
  description?: string | null;
  /** After how long without a report the agent counts as quiet. */
  quiet_after_seconds?: number;
}

/** The body of PATCH /projects/{project_id}/agents/{agent_id}. */
export interface PlantAgentChangeBody {
  /** What a caller sends to change an agent; what is left out stays as it is. */
  agent: PlantAgentChange;
}

/**
 * How the population differs from what it was when the engagement began, by the ids of its records.
 */
export interface PopulationChanges {
  /** Records that were not in it. */
  added: string[];
  /** Records that are not in it any more. */
  removed: string[];
  /** Records with another amount. */
  changed: string[];
}

/** One entry for each ledger that the model runs on. */
export interface Preview {
  /** One entry for each ledger that would be credited. */
  data: PreviewEntry[];
}

/** What generation would do on one ledger. */
export interface PreviewEntry {
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  id: string;
  /** What the ledger is called. */
  name: string;
  /** Batches that would be made; 0 while `problems` would fail the generation. */
  count: number;
  /** Those of them that adjust another. */
  adjustments: number;
  /** What the slots are called that would be computed, such as `2025-03`. */
  slots: string[];
  /**
   * What the slots are called that the range reaches into by less than half, so that nobody computes
   * them.
   */
  touched_slots: string[];
  /**
   * What the slots are called that nobody computes, because batches of another cadence stand there.
   */
  passed_over_slots: string[];
  /** Data in the range that no run would use. */
  not_counted: NotCounted[];
  /** Corrections of data in the range that wait for approval. */
  pending_proposals: PendingProposals[];
  /** Rules that correct and have not looked yet at data in the range that changed. */
  pending_evaluations: PendingEvaluations[];
  /** Rolled-up data in the range that do not follow their readings yet. */
  pending_roll_ups: PendingRollUps[];
  /** Runs that draw by hand and have no source. */
  left_out: LeftOut[];
  /** Draws of nothing where something is needed. */
  rounded_away: RoundedAwayDraw[];
  /** How much of what the runs of these batches come to was measured, from 0 to 1. */
  measured_share: Decimal | null;
  /**
   * What these runs rest on, all together; null where they come to zero or rest on no value, and where
   * a batch of before shares were kept is part of it.
   */
  value_source_shares: ValueSourceShares | null;
  /** Every deficit of this ledger and of those that are drawn from, as it would be afterwards. */
  deficits: PartitionDeficit[];
  /** What rounding may cost on this ledger, where that is more than its model's shares. */
  warnings: string[];
  /** Batches that would be drawn from although they are stale. */
  stale_sources: StaleSource[];
  /** What would fail the generation, each in a sentence; empty when nothing would. */
  problems: string[];
  /**
   * Those of `passed_over_slots` in which events lie that the model reads, counted elsewhere or not.
   */
  passed_over_with_data: string[];
}

/** Something that keeps a report from being sent by a mapping. */
export interface PreviewProblem {
  /** What is wrong, in a sentence. */
  message: string;
  /**
   * Where: a place of the mapping, such as `mapping.template.total.$unit`, a field, or a place of the
   * document; null where it is about the file as a whole.
   */
  field: string | null;
}

/** The body of POST /reports/{report_id}/submission/preview. */
export interface PreviewRequest {
  /** The mapping that is tried, as a methodology has it. */
  mapping?: Record<string, unknown>;
  /** The number of the methodology whose mapping is tried; without both, of the report's own. */
  methodology_id?: number;
}

/**
 * What a batch adds to its run, in its ledger's unit. Of an adjusting batch it is the signed difference
 * that it makes: those of a run's batches add up to what the run comes to, and those of a ledger to
 * what it produced.
 */
export interface PrimaryOutput {
  /** The number of the value. */
  id: number;
  /** The label of the node that gives it. */
  name: string;
  /** The unit of its ledger, such as `t`. */
  unit: string;
  /** The amount, in `unit`; below zero where the batch takes something back. */
  value: Decimal;
}

/** One project. */
export interface Project {
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  id: string;
  /** The number by which the `args` of tasks name it; paths and filters take it as well. */
  numeric_id: number;
  /** What people call it, such as `Plant North`. */
  name: string;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description: string | null;
  /** The time zone that slots are cut in, by its IANA name. */
  time_zone: string;
  /** Whether it goes on; `archived` is a label, and keeps nobody from reading or writing. */
  status: "active" | "archived";
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
  /** Where the record opens in the web app. */
  ui_url: string;
}

/** What a caller sends to change a project; what is left out stays as it is. */
export interface ProjectChange {
  /** What people call it, such as `Plant North`. */
  name?: string;
  /** What people write about it, up to 10,000 characters; null when there is nothing. */
  description?: string | null;
  /** The time zone that slots are cut in, by its IANA name. */
  time_zone?: string;
  /** Whether it goes on; `archived` is a label, and keeps nobody from reading or writing. */
  status?: "active" | "archived";
}

/** The body of PATCH /projects/{project_id}. */
export interface ProjectChangeBody {
  /** What a caller sends to change a project; what is left out stays as it is. */
  project: ProjectChange;
}

/** A rule result that an impact of many names, and what an approval of it would find. */
export interface ProposalToApprove {
  /** The friendly id of the rule result. */
  id: string;
  /** Where the proposal stands; `superseded` when approving it now would apply nothing. */
  approval_state: "pending" | "approved" | "rejected" | "withdrawn" | "superseded";
}

/** The correction that a rule proposes for a value. */
export interface ProposedCorrection {
  /** The value in force when it was proposed. */
  from_value: Num | string | boolean | null;
  /** What it would become. */
  to_value: Num | string | boolean;
  /**
   * How a value that fills a gap was found: method, tier, code, window, members, length of the gap.
   */
  substitution: Record<string, unknown> | null;
}

/** The event that a rule makes for a slot of a meter in which none came, once someone approves it. */
export interface ProposedEvent {
  /** The friendly id of the event type whose cadence has the slot. */
  event_type_id: string;
  /** When the slot begins, and the event would. */
  slot_start: string;
  /** When the slot ends, exclusive. */
  slot_end: string;
  /** When the event would end: with its slot, or at its start where the meter's events are moments. */
  end_time: string;
  /** The friendly id of the asset that is the meter; null when none is. */
  asset_id: string | null;
  /** The friendly ids of the locations that it would have. */
  location_ids: string[];
  /** The friendly id of the feedstock that the events beside it share; null when they share none. */
  feedstock_id: string | null;
  /** The tracking id that the events beside it share; null when they share none. */
  tracking_id: string | null;
}

/** A value that a rule proposes for a slot of the gap, and that waits for approval. */
export interface ProposedSlot {
  /** The friendly id of the rule result by which it is approved or rejected. */
  rule_result_id: string;
  /** The friendly id of the rule. */
  rule_id: string;
  /** The friendly id of the captured event; null of a slot in which none came. */
  event_id: string | null;
  /** When the event begins, or the slot that has none. */
  start_time: string;
  /** The slug of the data point type. */
  data_point_slug: string;
  /** What the value would become. */
  to_value: Num | string | boolean;
}

/** The body by which one rule result is dismissed, or its proposal rejected. */
export interface ReasonForOne {
  /** Why, in a sentence. */
  reason: string;
}

/** A footprint of somebody else, as it came; it never changes. */
export interface ReceivedFootprint {
  /** The number of the record. */
  id: number;
  /** What its owner calls it. */
  footprint_id: string;
  /** The partner from whom it was read; null where a client sent it. */
  partner_id: number | null;
  /** The client that sent it; null where it was read. */
  client_id: number | null;
  /** The footprint as it came: the object `ProductFootprint` of PACT. */
  content: Record<string, unknown>;
  /** The SHA-256 of its canonical JSON, as 64 hexadecimal digits. */
  sha256: string;
  /** What is wrong with it; empty for nothing. */
  findings: FootprintFinding[];
  /** When it came, by the clock of the database. */
  received_at: string;
}

/** A change of a record since the engagement began. */
export interface RecordChange {
  /** What changed: a data point or a field, `evidence`, or `voided`. */
  what: string;
  /** The value before; null where there was none. */
  before: string | null;
  /** The value after; null where there is none. */
  after: string | null;
  /** When it was changed. */
  at: string;
  /** The name of the user, or of the user for whom a rule works. */
  by: string;
  /** The reason that was given; null without one. */
  reason: string | null;
}

/** The body of POST /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver, which says nothing. */
export interface Redelivery {
}

/** Where reports go. */
export interface Registry {
  /** The number of the registry, by which methodologies and submissions name it. */
  id: number;
  /** What people call it, such as `Registry of removals`; once in the account. */
  name: string;
  /**
   * How reports get there: `http` posts them, `isometric_certify` makes them records of Isometric
   * Certify, `file` keeps them for people to hand on.
   */
  adapter: "file" | "http" | "isometric_certify";
  /**
   * Where a report is posted, such as `https://registry.example/submissions`, or the base of the
   * interface of Isometric Certify; null for `file`.
   */
  address: string | null;
  /** Where it is asked for by its key, which stands for `{key}`; null unless the adapter is `http`. */
  status_address: string | null;
  /** The names of headers that are sent along; what they say is never shown. */
  secret_headers: string[];
  /** How long one request may take, to the end of its answer. */
  timeout_seconds: number;
  /** How often a submission is tried before its task fails. */
  tries: number;
  /** How often it is asked for its decision on a report; null where people write that down. */
  poll_seconds: number | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** A call of a registry on behalf of a report, and what came back. */
export interface RegistryCall {
  /** The number of the call. */
  id: number;
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  report_id: string;
  /** The number of the task that called. */
  async_task_id: number | null;
  /** The reference of what it makes; null for calls that read. */
  reference: string | null;
  /** The method of the request, such as `POST`. */
  method: string;
  /** The path below the address of the registry, or the address of a file without its signature. */
  path: string;
  /** What was sent, without secrets of links; null where nothing was. */
  body: string | null;
  /** When it was written down, before it left. */
  sent_at: string;
  /** When its answer was written down; null while there is none. */
  answered_at: string | null;
  /** The status of the answer; null where none came. */
  http_status: number | null;
  /** The first 10,000 characters of the answer, or why there is none. */
  answer: string | null;
}

/** What a caller may change of a registry; what is left out stays. */
export interface RegistryChange {
  /** What people call it, such as `Registry of removals`; once in the account. */
  name?: string;
  /**
   * Where a report is posted, such as `https://registry.example/submissions`, or the base of the
   * interface of Isometric Certify; null for `file`.
   */
  address?: string;
  /** Where it is asked for by its key, which stands for `{key}`; null unless the adapter is `http`. */
  status_address?: string;
  /**
   * All headers that prove who calls, instead of those that it has. Required with another address where
   * it has any: those that are kept are not sent there.
   */
  headers?: Record<string, string>;
  /** How long one request may take, to the end of its answer. */
  timeout_seconds?: number;
  /** How often a submission is tried before its task fails. */
  tries?: number;
  /** How often it is asked for its decision on a report; null where people write that down. */
  poll_seconds?: number | null;
}

/** The body of PATCH /registries/{registry_id}. */
export interface RegistryChangeBody {
  /** What a caller may change of a registry; what is left out stays. */
  registry: RegistryChange;
}

/** A number that the registry has otherwise than it was sent. */
export interface RegistryFinding {
  /** The reference of the record there. */
  reference: string;
  /** The field of the record, such as `quantity.magnitude`. */
  field: string;
  /** What was sent, with all its digits. */
  sent: string;
  /** What came back; null where nothing did. */
  received: string | null;
  /** When it was found. */
  found_at: string;
}

/** Which records of a registry those of a project become, for the reports of a ledger. */
export interface RegistryMapping {
  /** The number of the mapping. */
  id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The number of the registry, one with the adapter `isometric_certify`. */
  registry_id: number;
  /** The ledger whose reports are written by it. */
  ledger_id: string;
  /**
   * The registry's project, removal template and components, with the values of ours that they take.
   */
  contents: Record<string, unknown>;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller may change of a mapping; what is left out stays. */
export interface RegistryMappingChange {
  /**
   * The registry's project, removal template and components, with the values of ours that they take.
   */
  contents?: Record<string, unknown>;
}

/** The body of PATCH /projects/{project_id}/registry_mappings/{registry_mapping_id}. */
export interface RegistryMappingChangeBody {
  /** What a caller may change of a mapping; what is left out stays. */
  registry_mapping: RegistryMappingChange;
}

/** A state of a statement, as it was first read. */
export interface RegistryState {
  /** In the words of the registry, such as `AWAITING_VERIFICATION`. */
  status: string;
  /** When it was first read. */
  said_at: string;
}

/** What became of a report at Isometric Certify. */
export interface RegistryStatement {
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  report_id: string;
  /** The number of the registry; null for a report that was not sent to one with this adapter. */
  registry_id: number | null;
  /** What the registry calls the statement; null until it was submitted. */
  statement_id: string | null;
  /** The state of the statement that was read last; null until it was asked for. */
  status: string | null;
  /** Every state that was read, in order. */
  history: RegistryState[];
  /** How many records the registry has of the report, by their kinds. */
  record_counts: Record<string, number>;
  /** Numbers that the registry has otherwise than they were sent. */
  findings: RegistryFinding[];
}

/** One report. */
export interface Report {
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  id: string;
  /** The number by which the `args` of tasks name it. */
  numeric_id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** What people call the report, such as `First quarter of 2025`. */
  name: string;
  /** What kind of report it is, in the words of its receiver, such as `quarterly`. */
  report_type: string;
  /** Where the report stands. */
  status: "draft" | "submitting" | "submitted" | "complete" | "rejected" | "failed" | "superseded" | "withdrawn";
  /** The number of the methodology that it follows; null when it names none. */
  methodology_id: number | null;
  /** The ledger of its batches; null while it has none. Of several ledgers the first one. */
  ledger_id: string | null;
  /**
   * The ledgers that it takes of with what each counts for, in the order of its methodology; empty for
   * a report of one ledger.
   */
  ledgers: ReportLedger[];
  /** The start of its period, that of the first slot of its batches; null while it has none. */
  start_time: string | null;
  /** The end of its period, that of the last slot of its batches; null while it has none. */
  end_time: string | null;
  /** What it takes from which batches, oldest first; in a list the first 100 of them. */
  inclusions: Inclusion[];
  /** From how many batches it takes. */
  inclusion_count: number;
  /**
   * What it states, in its ledger's unit: what it takes of batches, less `liability`; of several
   * ledgers the sum of what each counts for, in the unit of the first.
   */
  amount: Decimal;
  /**
   * What the claim owes its receiver, in its ledger's unit, where the truth is below zero; null for
   * nothing. Only a restatement of what was once accepted owes something.
   */
  liability: Decimal | null;
  /** Why it owes that; null where it owes nothing. */
  liability_reason: string | null;
  /** How much its receiver accepted, in its ledger's unit; null until it is accepted. */
  accepted_amount: Decimal | null;
  /** What it holds, reserved or posted; null for one that is a draft or holds nothing any more. */
  allocation: ReportAllocation | null;
  /** The moment from which on its amounts count; null for a draft. */
  effective_at: string | null;
  /** The report that it restates; null when it restates none. */
  supersedes: string | null;
  /** The report that restates it, a draft perhaps; null when there is none. */
  superseded_by: string | null;
  /**
   * The accepted reports that were merged into it, or the one that was split; empty for all others.
   */
  predecessors: string[];
  /** The report that it was merged into, or those that it was split into; empty for all others. */
  successors: string[];
  /** What it says otherwise than before; null for one that restates nothing, and in lists. */
  summary_of_changes: ReportChanges | null;
  /** Every state that it came to, in order; empty for a draft. */
  history: ReportMove[];
  /** How many of its batches have an alert on their runs. */
  alerted_batch_count: number;
  /** How many of its batches have a warning on their runs, which keeps no report back. */
  warned_batch_count: number;
  /** Behind how many of its batches the data have changed, or another batch has been posted since. */
  stale_batch_count: number;
  /** In the slots of how many of its batches events wait for a generation to look at them. */
  waiting_batch_count: number;
  /** How many corrections wait for approval that its batches would follow. */
  pending_proposal_count: number;
  /**
   * How many of its batches were made by no version that its methodology names; zero if that names
   * none.
   */
  other_version_batch_count: number;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
  /** Where the record opens in the web app. */
  ui_url: string;
}

/** What a report holds of its ledger, reserved or posted. */
export interface ReportAllocation {
  /** The number of the allocation. */
  id: number;
  /** The sum of its inclusions, in `unit`; once it is accepted, of what was accepted of them. */
  amount: Decimal;
  /** The unit of the ledger, such as `t`. */
  unit: string;
  /** When it was reserved. */
  created_at: string;
}

/** What a caller may change of a draft; what is left out stays. */
export interface ReportChange {
  /** What people call the report, such as `First quarter of 2025`. */
  name?: string;
  /** What kind of report it is, in the words of its receiver, such as `quarterly`. */
  report_type?: string;
  /** The number of the methodology that it follows; null when it names none. */
  methodology_id?: number | null;
  /** The ledger of each role, instead of those that it has. */
  ledgers?: NamedReportLedger[];
  /** The batches of which it takes all that remains, instead of those that it has. */
  batch_ids?: string[];
  /** The batches from which it takes so much, instead of those that it has. */
  batches?: TakenBatch[];
  /**
   * What the claim owes its receiver, in its ledger's unit, where the truth is below zero; null for
   * nothing. Only a restatement of what was once accepted owes something.
   */
  liability?: Decimal | null;
  /** Why it owes that; null where it owes nothing. */
  liability_reason?: string | null;
}

/** The body of PATCH /reports/{report_id}. */
export interface ReportChangeBody {
  /** What a caller may change of a draft; what is left out stays. */
  report: ReportChange;
}

/** What a report says otherwise than an earlier one of its chain. */
export interface ReportChanges {
  /** The last report of the chain that was accepted before, or else the one that is restated. */
  compared_with: string;
  /** How much more this report states, in the ledger's unit; below zero where it is less. */
  change: Decimal;
  /** How much more it owes, in the ledger's unit; below zero where it is less. */
  liability_change: Decimal;
  /** Run by run, what is taken differently. */
  data: RunRestated[];
}

/** A ledger that a report of several takes of: it counts toward what is claimed, or is deducted. */
export interface ReportLedger {
  /** What the ledger is for in the report, as its methodology calls it, such as `removal`. */
  role: string;
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** The sign: 1 where it counts toward the claim, -1 where it is deducted. */
  sign: number;
  /** The unit of the ledger, such as `kg`. */
  unit: string;
  /** How much the report takes of its batches, in `unit`. */
  amount: Decimal;
  /** How much of that the receiver accepted; null until the report is accepted. */
  accepted_amount: Decimal | null;
  /**
   * What `amount` counts for in the amount of the report: with its sign, in the first ledger's unit.
   */
  counted: Decimal;
  /** What `accepted_amount` counts for; null until the report is accepted. */
  accepted_counted: Decimal | null;
}

/** A link that opens a report to whoever has its address. */
export interface ReportLink {
  /** The number of the link, by which it is revoked. */
  id: number;
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  report_id: string;
  /** Whom or what the link is for, in the words of whoever made it. */
  name: string;
  /**
   * Whether its holder may act as the verifier: draw samples, record findings, and conclude
   * engagements.
   */
  is_of_verifier: boolean;
  /** Whether it opens the report: `open`, or over because it has `expired` or was `revoked`. */
  status: "open" | "expired" | "revoked";
  /** How often it was used; uses after its end count too. */
  use_count: number;
  /** When it was used last; null for one that never was. */
  last_used_at: string | null;
  /** The name of the user who made it. */
  created_by: string;
  /** When the record was made. */
  created_at: string;
  /** When it stops opening the report. */
  expires_at: string;
  /** When it was revoked; null for one that was not. */
  revoked_at: string | null;
  /** The name of the user who revoked it; null unless someone did. */
  revoked_by: string | null;
  /** Who answers for it: who made it, unless it was handed over. */
  user: TokenUser;
}

/** Which effects can move what a report states by as much as a threshold, in its ledger's unit. */
export interface ReportMateriality {
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  report_id: string;
  /** The unit of the ledger; null while the report has none. */
  unit: string | null;
  /**
   * How uncertain the report is; null where a batch is of unknown uncertainty, and without batches.
   */
  stated: AmountUncertainty | null;
  /** The threshold as an amount, in `unit`. */
  threshold: Decimal;
  /** How far each effect reaches alone, the farthest first; 50 at most. */
  effects: MaterialEffect[];
  /** How many effects there are in all. */
  effect_count: number;
  /**
   * The first few effects that reach the threshold together, in the order in which they were chosen; 50
   * at most. Empty where all effects do not.
   */
  together: MaterialEffect[];
  /** How many effects these are in all; zero where all effects together do not reach it. */
  together_count: number;
  /**
   * By how much these move the total together, at the coverage probability; null where they do not.
   */
  together_reach: Decimal | null;
  /** Whether no fewer effects would do; not certain where effects are correlated. */
  is_fewest: boolean;
}

/** The body of POST /reports/{report_id}/merge. */
export interface ReportMerge {
  /** The other accepted reports that become one with it, up to 99, such as `rpt_…`. */
  report_ids: string[];
  /** What people call the one that takes their place. */
  name: string;
  /** Why, in a sentence that stays with all of them. */
  reason: string;
  /** What kind of report it is; left out, the kind of the report in the path. */
  report_type?: string;
  /** What the receiver calls the new report. */
  reference?: string | null;
}

/** Who or what said that a report is in a state, and when. */
export interface ReportMove {
  /** The state that the report came to. */
  status: "draft" | "submitting" | "submitted" | "complete" | "rejected" | "failed" | "superseded" | "withdrawn";
  /** When it was said. */
  said_at: string;
  /** The name of the user who said it, or on whose behalf the adapter did. */
  said_by: string;
  /** The adapter that said it; null when a person did. */
  adapter: string | null;
  /** Why, in a sentence; null when nobody gave a reason. */
  reason: string | null;
  /** What the receiver calls the report, or where it was put; null when not said. */
  reference: string | null;
  /** How much the receiver accepted, in the ledger's unit; null for every state but `complete`. */
  amount: Decimal | null;
}

/** One of the reports that a report is split into: `batches`, `amount`, or neither for the rest. */
export interface ReportPart {
  /** What people call it. */
  name: string;
  /**
   * How much it takes, in the ledger's unit: shared over the batches in proportion to what is left of
   * each.
   */
  amount?: Decimal;
  /** How much it takes of which batches, instead of `amount`. */
  batches?: TakenBatch[];
}

/** What a report would be sent as. */
export interface ReportPreview {
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  report_id: string;
  /** What kind of file it would be; null where the mapping cannot be used. */
  media_type: string | null;
  /** How long the file would be; null likewise. */
  size_bytes: number | null;
  /** Its beginning; of a spreadsheet its cells, one to a line. Null likewise. */
  text: string | null;
  /** Whether the file goes on after its beginning. */
  is_cut: boolean;
  /** What keeps it from being sent; empty when it may be. */
  problems: PreviewProblem[];
  /** The numbers that were rounded, in the order of the file. */
  roundings: RoundedNumber[];
  /** How many there are; the first 1,000 are listed. */
  rounding_count: number;
}

/** The body of POST /reports/{report_id}/reject. */
export interface ReportRejection {
  /** Why, in a sentence that stays with the report. */
  reason: string;
  /** What the receiver calls the decision. */
  reference?: string | null;
}

/** The body of POST /reports/{report_id}/split. */
export interface ReportSplit {
  /** The reports that take its place, 2 to 100; together they take all that it holds. */
  parts: ReportPart[];
  /** Why, in a sentence that stays with all of them. */
  reason: string;
  /** What the receiver calls the split. */
  reference?: string | null;
}

/** The body of POST /reports/{report_id}/submit, which may be left out. */
export interface ReportSubmission {
  /** Sent as `file` it is kept for people to fetch, whatever its methodology says. */
  adapter?: "file";
  /** The number of the registry that it goes to, instead of the one that its methodology names. */
  registry_id?: number;
}

/** How uncertain what a report states is, with what its batches share, in its ledger's unit. */
export interface ReportUncertainty {
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  report_id: string;
  /** The unit of the ledger; null while the report has none. */
  unit: string | null;
  /** Of `amount` of the report; null where a batch is of unknown uncertainty, and without batches. */
  stated: AmountUncertainty | null;
  /** Of `accepted_amount` of the report; null where `stated` is and until it is accepted. */
  accepted: AmountUncertainty | null;
  /** The report that `summary_of_changes` compares it with; null for one that restates nothing. */
  compared_with: string | null;
  /** How uncertain what counts of that report is, as it was sent; null where that is not known. */
  before: AmountUncertainty | null;
  /**
   * Whether all models ask for the probability of the interval; if not, it is the largest that one
   * does.
   */
  is_coverage_probability_shared: boolean | null;
  /**
   * How many batches are of unknown uncertainty: instruments, and those whose model does not ask for
   * it.
   */
  unknown_batch_count: number;
  /** The first 100 of these batches. */
  unknown_batches: string[];
  /** What `stated` is made of, the largest share first; 50 lines at most. */
  budget: UncertaintyLine[];
  /** How many lines the whole budget has. */
  budget_count: number;
}

/** The body of POST /reports/{report_id}/withdraw. */
export interface ReportWithdrawal {
  /** Why the claim is taken back, in a sentence that stays with the report. */
  reason: string;
  /** What the receiver calls the withdrawal, such as the number of a cancellation. */
  reference?: string | null;
}

/**
 * One input that a ledger's model needs: data points of events, a static input, or draws of a ledger.
 */
export interface RequiredInput {
  /** Its own: the number of its data point type, or of anything else a number below zero. */
  id: number;
  /** What people call it: the label of the node that reads it. */
  name: string;
  /** The slug of the data point type or static input that it reads, or of the node that draws. */
  slug: string;
  /** The unit of the node, to which what it reads is converted, such as `t`. */
  unit: string;
  /** Always `number`: models compute with numbers. */
  value_type: "number";
  /** What the input is read from. */
  category: "event" | "static_input" | "ledger";
  /**
   * The event type's slug; what a static input has a value for each of, or `project`; the ledger's
   * name.
   */
  subcategory: string;
  /** Whether it draws what the caller names in `batch_amounts`, and nothing else. */
  is_manual_select: boolean;
  /** The names by which `batch_amounts` reach it; empty unless it draws by hand. */
  allocation_groups: AllocationGroup[];
  /** The ledgers that it draws from; empty when it draws from none. */
  output_of_ledgers: SourceLedger[];
}

/** The answer: not a page, for a model has few inputs. */
export interface RequiredInputs {
  /** One entry for each input, in the order of the model's nodes. */
  data: RequiredInput[];
}

/** From which readings the events of a type are made, slot by slot of its cadence. */
export interface RollUp {
  /** The slug of the event type of the readings, of the same project. */
  event_type: string;
  /** What each data point of the event type is made of; none is left out. */
  data_points: RolledUpValue[];
  /**
   * The least share of the expected readings of a slot that has to be valid, above 0 and at most 1;
   * below it the event is `incomplete`. Null: any valid reading will do.
   */
  valid_share_min?: Decimal | null;
}

/** What one value of a rolled-up event is made of. */
export interface RolledUpValue {
  /** The slug of a data point type of the rolled-up event type. */
  data_point: string;
  /** What it is of the valid readings of its slot, as models define it. */
  aggregate: "sum" | "average" | "min" | "max" | "median" | "first" | "last" | "count";
  /** The slug of the data point type of the readings; the same as `data_point` when left out. */
  source?: string | null;
}

/** The members before a record: those of a stretch of clock time, or the last so many. */
export interface RollingWindow {
  /** What sort of window it is; `trailing` is taken for `rolling`, which is what answers say. */
  kind: "rolling" | "trailing";
  /** How long before the record its members start at most; in place of `members`. */
  duration?: WindowDuration | null;
  /** How many members there are, a whole number from 1 to 10,000; in place of `duration`. */
  members?: number | null;
  /** Whether the record itself is a member. */
  include_current?: boolean;
  /** An expression on a member's own values, such as `{{wet_mass}} > 0`; others are no members. */
  where?: string | null;
  /**
   * An expression, such as the lorry; only members count for which it gives the same as for the record.
   */
  same?: string | null;
}

/** A draw of nothing where something was needed: it rounds to zero at the scale of the ledger. */
export interface RoundedAwayDraw {
  /** What the slot is called, such as `2025-03` or `2025-W09`. */
  slot: string;
  /** What the partition is called, such as `LOT-7 / Wood chips`; null where slots are not cut. */
  partition: string | null;
  /** The slug of the node that draws. */
  node: string;
  /** The friendly id of the ledger that it would be drawn from. */
  ledger: string;
  /** How much is needed, in the unit of that ledger, before it is rounded. */
  needed: Decimal;
}

/** A number that is written with fewer digits than it has. */
export interface RoundedNumber {
  /** Where it stands in the file, such as `goods[0].mass`, `Report/Good[1]/Mass` or `Sheet!B3`. */
  place: string;
  /** The field that it is of, such as `report.amount`. */
  field: string;
  /** What it is, in the unit that is written; of a quotient to 34 digits. */
  exact: Decimal;
  /** What the file has instead. */
  written: Decimal;
  /** What rounding added. */
  difference: Decimal;
}

/** One data rule, as its newest version has it. */
export interface Rule {
  /** The friendly id of the rule: rule_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** What people call it, once in the project, such as `Wet mass above 40 t`. */
  name: string;
  /**
   * Which version of the rule it is, counted from 1; each change of what decides a result makes one.
   */
  version: number;
  /** Whether it evaluates records of now: its effective time is to come, is under way, or is over. */
  status: "scheduled" | "active" | "ended";
  /** What it evaluates; it never changes. */
  target: "data_point" | "model_run";
  /** What says that something is wrong, in the rule language, such as `{{wet_mass}} > 40`. */
  expression: string;
  /** The slug of the data point that results are about; null for a rule on model runs. */
  data_point: string | null;
  /** The slug of the event type that it watches; null when it watches every one that has the data. */
  event_type: string | null;
  /**
   * The friendly id of the event type that it watches; null when it watches every one that has the
   * data.
   */
  event_type_id: string | null;
  /** What the asset is called whose events it watches; null when it watches those of every asset. */
  asset: string | null;
  /**
   * The friendly id of the asset whose events it watches; null when it watches those of every asset.
   */
  asset_id: string | null;
  /** What the model is called whose runs it watches; null for a rule on data points. */
  model: string | null;
  /**
   * The friendly id of the active version of the model whose runs it watches; null for a rule on data
   * points.
   */
  model_id: string | null;
  /** What it says to people with each alert; null when it says nothing. */
  message: string | null;
  /** When it is evaluated: whenever data change, or when asked for. */
  evaluation: "automatic" | "on_demand";
  /** Which members its aggregates look at, seen from the record; null when it has no window. */
  window: RollingWindow | CalendarWindow | null;
  /** Which other records may be members of its window. */
  window_member_scope: "event" | "location" | "event_type" | "project";
  /**
   * Whether only records of the record's own meter may be members, or those of all meters of the scope.
   */
  window_meters: "own" | "all";
  /**
   * Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes those that
   * lack.
   */
  purpose: "alert" | "adjust" | "substitute" | "impute";
  /**
   * Whether what it finds is an alert, `fail`, or a warning, `warn`; a rule that corrects takes `fail`.
   */
  severity: "warn" | "fail";
  /** What a value becomes that it finds wrong; null for a rule that alerts. */
  correction: RuleCorrection | GapCorrection | null;
  /**
   * What its expressions `lookup`, by name, such as the tare of each lorry; null when it has no tables.
   */
  tables: Record<string, RuleTable> | null;
  /** Which rule goes first where several correct one value: the smallest, from 1 to 1,000. */
  priority: number;
  /** Whether its corrections wait for someone's approval. */
  requires_approval: boolean;
  /** How many of its corrections wait for approval. */
  pending_count: number;
  /** From when records are evaluated, inclusive. */
  effective_from: string;
  /** Until when records are evaluated, exclusive; null when the rule goes on. */
  effective_to: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
  /** Where the record opens in the web app. */
  ui_url: string;
}

/** What a caller sends to change a rule; what is left out stays as it is, and so does the target. */
export interface RuleChange {
  /** What people call it, once in the project, such as `Wet mass above 40 t`. */
  name?: string;
  /** What says that something is wrong, in the rule language, such as `{{wet_mass}} > 40`. */
  expression?: string;
  /** From when records are evaluated, inclusive. */
  effective_from?: string;
  /** Until when records are evaluated, exclusive; null when the rule goes on. */
  effective_to?: string | null;
  /** What it says to people with each alert; null when it says nothing. */
  message?: string | null;
  /**
   * The slug of the data point that results are about; null for the first that the expression reads.
   */
  data_point?: string | null;
  /** The event type that it watches, such as `et_…`; null for every one that has the data. */
  event_type_id?: string | null;
  /** The asset whose events it watches, such as `ast_…`; null for those of every asset. */
  asset_id?: string | null;
  /** The model whose runs it watches, such as `mod_…`; only for a rule whose target is `model_run`. */
  model_id?: string | null;
  /** When it is evaluated: whenever data change, or when asked for. */
  evaluation?: "automatic" | "on_demand";
  /** Which members its aggregates look at, seen from the record; null when it has no window. */
  window?: RollingWindow | CalendarWindow | null;
  /** Which other records may be members of its window. */
  window_member_scope?: "event" | "location" | "event_type" | "project";
  /**
   * Whether only records of the record's own meter may be members, or those of all meters of the scope.
   */
  window_meters?: "own" | "all";
  /**
   * Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes those that
   * lack.
   */
  purpose?: "alert" | "adjust" | "substitute" | "impute";
  /**
   * Whether what it finds is an alert, `fail`, or a warning, `warn`; a rule that corrects takes `fail`.
   */
  severity?: "warn" | "fail";
  /** What a value becomes that it finds wrong; null for a rule that alerts. */
  correction?: RuleCorrection | GapCorrection | null;
  /**
   * What its expressions `lookup`, by name, such as the tare of each lorry; null when it has no tables.
   */
  tables?: Record<string, RuleTable> | null;
  /** Which rule goes first where several correct one value: the smallest, from 1 to 1,000. */
  priority?: number;
  /** Whether its corrections wait for someone's approval. */
  requires_approval?: boolean;
}

/** The body of PATCH /rules/{rule_id}. */
export interface RuleChangeBody {
  /** What a caller sends to change a rule; what is left out stays as it is, and so does the target. */
  rule: RuleChange;
}

/** How a rule corrects a value. */
export interface RuleCorrection {
  /** How the value is found. */
  method: "expression";
  /** What the value becomes, in the rule language, such as `{{temperature}} * 1.02`. */
  expression: string;
}

/**
 * What a rule would come to over a period: how many records, how many alerts, and the first of them.
 * `corrections` counts the values that it would correct; with approval these are `proposals`.
 */
export interface RulePreview {
  /** How many records were evaluated. */
  evaluated: number;
  /** How many of them the rule would alert on. */
  alerts: number;
  /** How many values it would correct. */
  corrections: number;
  /** How many corrections it would propose. */
  proposals: number;
  /** The first of the records that it would alert on. */
  data: RulePreviewAlert[];
}

/**
 * A record that a rule would alert on: an event's data point, or a model run. Where the rule would
 * correct the value, or propose it, `to_value` is what it would be.
 */
export interface RulePreviewAlert {
  /** The friendly id of the event; null for a model run. */
  event_id: string | null;
  /** The friendly id of the data point; null for a model run. */
  data_point_id: string | null;
  /** The friendly id of the model run; null for a data point. */
  model_run_id: string | null;
  /**
   * The friendly id of the batch that the run made; null for a data point or a run that stands alone.
   */
  batch_id: string | null;
  /** The start of the event or the run. */
  start_time: string;
  /** The value that was checked, as a text such as `12.5`; null when there was none. */
  value: string | null;
  /** Why the expression has no value for the record; null when it has one. */
  error_message: string | null;
  /** The value in force; null unless the rule would correct it. */
  from_value: Num | string | boolean | null;
  /** What the value would become; null unless the rule would correct it. */
  to_value: Num | string | boolean | null;
}

/** The body of POST /projects/{project_id}/rules/preview: a rule, and the period to try it over. */
export interface RulePreviewBody {
  /** The rule to try, as it would be made. */
  rule: NewRule;
  /** The start of the period to try it over, inclusive. */
  start_time: string;
  /** The end of that period, exclusive. */
  end_time: string;
}

/** One page of a list of rule results, of both kinds. */
export interface RuleResultPage {
  /** The records of the page, in the order that `info.sort` says. */
  data: (DataPointResult | ModelRunResult)[];
  /** Where the page stands in its list, and how to go on. */
  info: Info;
}

/**
 * One evaluation of a version of a rule over a period; without a bound it has none on that side.
 * `corrections` counts those that it wrote, `withdrawn` those of its rule that it took back.
 */
export interface RuleRun {
  /** The number of the run. */
  id: number;
  /** The friendly id of the rule: rule_ and 24 hexadecimal digits. */
  rule_id: string;
  /** Which version of the rule it was, counted from 1. */
  rule_version: number;
  /** What the rule is called now. */
  rule_name: string;
  /** Why it was made: data changed, the rule did, or someone asked. */
  kind: "automatic" | "backfill" | "re_evaluation";
  /** Where the run stands; `reversed` when its corrections were taken back. */
  state: "pending" | "running" | "complete" | "failed" | "reversed";
  /** The start of the period, inclusive; null when it has no bound on that side. */
  start_time: string | null;
  /** The end of the period, exclusive; null when it has no bound on that side. */
  end_time: string | null;
  /** How many records were evaluated. */
  evaluated: number;
  /** How many of them the rule alerts on. */
  alerts: number;
  /** How many corrections it wrote. */
  corrections: number;
  /** How many corrections of its rule it took back, because the rule does not say so any more. */
  withdrawn: number;
  /** How many corrections it proposed, or proposed anew. */
  proposals: number;
  /** When the record was made. */
  created_at: string;
  /** When work on it began last; null while it waits. */
  started_at: string | null;
  /** When it ended, well or not; null until then. */
  finished_at: string | null;
  /** How long it took, in seconds; null until it has ended. */
  duration_seconds: Decimal | null;
  /** When it was reversed; null unless it was. */
  reversed_at: string | null;
  /** Why it failed, in a sentence; null unless it did. */
  error_message: string | null;
  /** The number of the task that carries it out; null for a run that followed a change of data. */
  async_task_id: number | null;
}

/** The body of a reversal, which may be left out. */
export interface RuleRunsNoOptions {
}

/** A table that the expressions of a rule look limits up in. */
export interface RuleTable {
  /**
   * The names of its columns, without units, the key first; `effective_from` says from when a row
   * holds.
   */
  columns: string[];
  /** Its rows, each with a number or a text for each column; of a key one from each moment on. */
  rows: ((Num | string)[])[];
}

/** One version of a rule: all that decides a result. */
export interface RuleVersion {
  /**
   * Which version of the rule it is, counted from 1; each change of what decides a result makes one.
   */
  version: number;
  /** What says that something is wrong, in the rule language, such as `{{wet_mass}} > 40`. */
  expression: string;
  /** The slug of the data point that results are about; null for a rule on model runs. */
  data_point: string | null;
  /** The slug of the event type that it watches; null when it watches every one that has the data. */
  event_type: string | null;
  /**
   * The friendly id of the event type that it watches; null when it watches every one that has the
   * data.
   */
  event_type_id: string | null;
  /** What the asset is called whose events it watches; null when it watches those of every asset. */
  asset: string | null;
  /**
   * The friendly id of the asset whose events it watches; null when it watches those of every asset.
   */
  asset_id: string | null;
  /** What the model is called whose runs it watches; null for a rule on data points. */
  model: string | null;
  /**
   * The friendly id of the active version of the model whose runs it watches; null for a rule on data
   * points.
   */
  model_id: string | null;
  /** Which members its aggregates look at, seen from the record; null when it has no window. */
  window: RollingWindow | CalendarWindow | null;
  /** Which other records may be members of its window. */
  window_member_scope: "event" | "location" | "event_type" | "project";
  /**
   * Whether only records of the record's own meter may be members, or those of all meters of the scope.
   */
  window_meters: "own" | "all";
  /**
   * Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes those that
   * lack.
   */
  purpose: "alert" | "adjust" | "substitute" | "impute";
  /**
   * Whether what it finds is an alert, `fail`, or a warning, `warn`; a rule that corrects takes `fail`.
   */
  severity: "warn" | "fail";
  /** What a value becomes that it finds wrong; null for a rule that alerts. */
  correction: RuleCorrection | GapCorrection | null;
  /**
   * What its expressions `lookup`, by name, such as the tare of each lorry; null when it has no tables.
   */
  tables: Record<string, RuleTable> | null;
  /** Which rule goes first where several correct one value: the smallest, from 1 to 1,000. */
  priority: number;
  /** Whether its corrections wait for someone's approval. */
  requires_approval: boolean;
  /** When the version was saved. */
  created_at: string;
}

/** What two reports take differently of the batches of one run. */
export interface RunRestated {
  /** The batches of the run that either report takes from. */
  batch_ids: string[];
  /** How much the earlier report takes, in the ledger's unit. */
  before: Decimal;
  /** How much this one takes. */
  after: Decimal;
  /** How much more that is; below zero where it is less. */
  change: Decimal;
  /** Why: what became of the run since, or that another amount was chosen. */
  causes: ("new_version" | "correction" | "late_data" | "other_inputs" | "selection")[];
  /** The ledger of these batches. */
  ledger_id: string;
}

/** What a rule run came to: as its task ends with it, and as the audit log keeps it. */
export interface RunResult {
  /** The number of the run. */
  rule_run_id: number;
  /** Records that were evaluated. */
  evaluated: number;
  /** Those that fail. */
  alerts: number;
  /** Corrections that were written. */
  corrections: number;
  /** Corrections of the rule that were taken back, because it does not say so any more. */
  withdrawn: number;
  /** Corrections that were proposed, or proposed anew. */
  proposals: number;
}

/** The sample of an engagement. */
export interface Sample {
  /** The records that were drawn, by stratum and number. */
  data: SampledRecord[];
  /**
   * How the population differs from what it was when the engagement began, by the ids of its records.
   */
  population_changes: PopulationChanges;
}

/** The body that draws the sample. */
export interface SampleDraw {
  /** A text of the verifier, in one line, which the operator did not know before. */
  seed_text: string;
}

/** A part of the population that is drawn in one way: the records of an event type. */
export interface SampleStratum {
  /** The slug of the event type, such as `delivery`. */
  event_type: string;
  /** How many records are drawn, from 1 to 1,000; 1,000 in all strata. */
  size: number;
  /**
   * How records are drawn: `random`, or `monetary_unit`: in proportion to the amounts, without sign.
   */
  method?: "random" | "monetary_unit";
  /** The slug of the data point that is the amount of a record; `monetary_unit` needs one. */
  data_point?: string | null;
}

/** A record of a sample, with what a verifier looks at. */
export interface SampledRecord {
  /** The number of its stratum, from 1. */
  stratum: number;
  /** Its amount when the engagement began; null if it had none. */
  amount: Decimal | null;
  /** Whether it was drawn in any case: by its amount, or because the whole stratum is. */
  is_certain: boolean;
  /** The record as it is now, with its readings and evidence. */
  event: Event;
  /** The serial number of its meter, where the asset has one. */
  serial_number: string | null;
  /** The calibrations of its values that are in force. */
  calibration: Adjustment[];
  /** What it lacks: `evidence`, required data points, `meter`. */
  missing: string[];
  /** The name of the user who recorded it; null where the log names none. */
  recorded_by: string | null;
  /** When it was recorded. */
  recorded_at: string;
  /** What was changed since the engagement began, the oldest first. */
  changes: RecordChange[];
}

/** A rule that was just made or changed, and whether its evaluation was queued. */
export interface SavedRule {
  /** The friendly id of the rule: rule_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** What people call it, once in the project, such as `Wet mass above 40 t`. */
  name: string;
  /**
   * Which version of the rule it is, counted from 1; each change of what decides a result makes one.
   */
  version: number;
  /** Whether it evaluates records of now: its effective time is to come, is under way, or is over. */
  status: "scheduled" | "active" | "ended";
  /** What it evaluates; it never changes. */
  target: "data_point" | "model_run";
  /** What says that something is wrong, in the rule language, such as `{{wet_mass}} > 40`. */
  expression: string;
  /** The slug of the data point that results are about; null for a rule on model runs. */
  data_point: string | null;
  /** The slug of the event type that it watches; null when it watches every one that has the data. */
  event_type: string | null;
  /**
   * The friendly id of the event type that it watches; null when it watches every one that has the
   * data.
   */
  event_type_id: string | null;
  /** What the asset is called whose events it watches; null when it watches those of every asset. */
  asset: string | null;
  /**
   * The friendly id of the asset whose events it watches; null when it watches those of every asset.
   */
  asset_id: string | null;
  /** What the model is called whose runs it watches; null for a rule on data points. */
  model: string | null;
  /**
   * The friendly id of the active version of the model whose runs it watches; null for a rule on data
   * points.
   */
  model_id: string | null;
  /** What it says to people with each alert; null when it says nothing. */
  message: string | null;
  /** When it is evaluated: whenever data change, or when asked for. */
  evaluation: "automatic" | "on_demand";
  /** Which members its aggregates look at, seen from the record; null when it has no window. */
  window: RollingWindow | CalendarWindow | null;
  /** Which other records may be members of its window. */
  window_member_scope: "event" | "location" | "event_type" | "project";
  /**
   * Whether only records of the record's own meter may be members, or those of all meters of the scope.
   */
  window_meters: "own" | "all";
  /**
   * Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes those that
   * lack.
   */
  purpose: "alert" | "adjust" | "substitute" | "impute";
  /**
   * Whether what it finds is an alert, `fail`, or a warning, `warn`; a rule that corrects takes `fail`.
   */
  severity: "warn" | "fail";
  /** What a value becomes that it finds wrong; null for a rule that alerts. */
  correction: RuleCorrection | GapCorrection | null;
  /**
   * What its expressions `lookup`, by name, such as the tare of each lorry; null when it has no tables.
   */
  tables: Record<string, RuleTable> | null;
  /** Which rule goes first where several correct one value: the smallest, from 1 to 1,000. */
  priority: number;
  /** Whether its corrections wait for someone's approval. */
  requires_approval: boolean;
  /** How many of its corrections wait for approval. */
  pending_count: number;
  /** From when records are evaluated, inclusive. */
  effective_from: string;
  /** Until when records are evaluated, exclusive; null when the rule goes on. */
  effective_to: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
  /** Where the record opens in the web app. */
  ui_url: string;
  /** Whether its evaluation over the data that are there was queued. */
  backfill_enqueued: boolean;
  /** The number of the rule run that was queued; null when none was. */
  rule_run_id: number | null;
}

/** One view of a list, which a user has saved for themselves. */
export interface SavedView {
  /** The number of the view. */
  id: number;
  /** The list of the web app, by the last part of its address. */
  list_name: "events" | "data_points" | "event_types" | "assets" | "locations" | "feedstocks" | "outages" | "static_inputs" | "batches" | "rules" | "reports";
  /** What the user calls the view. */
  name: string;
  /** The query of the list's address, such as `filter[slug]=delivery&group=day`. */
  query: string;
  /** Whether the web app shows this view where the address of the list has no query. */
  is_default: boolean;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What is to be different about a saved view; what is left out stays. */
export interface SavedViewChange {
  /** What the user calls the view; no other of the list has this name. */
  name?: string;
  /** The query of the list's address, without its question mark. */
  query?: string;
  /** True makes it the default in place of the one before; false leaves the list without one. */
  is_default?: boolean;
}

/** The body of PATCH /saved_views/{saved_view_id}. */
export interface SavedViewChangeBody {
  /** What is to be different about a saved view; what is left out stays. */
  saved_view: SavedViewChange;
}

/** What a model takes and gives, and an example of a simulation. */
export interface Schema {
  /** Which version an answer is about. */
  model: ModelName;
  /** What the model takes from outside, node by node. */
  required_inputs: SchemaInput[];
  /** What the model gives. */
  outputs: SchemaOutput[];
  /** What formulas can do beside calling functions, such as `add`. */
  operators: string[];
  /** The functions that formulas can call, such as `coalesce`. */
  functions: string[];
  /** A body for `simulate` that names every input: a case of the document, or else ones. */
  example_simulation: Simulation;
}

/** One value that a model takes from outside. */
export interface SchemaInput {
  /** What it is called outside the model: the slug of its data point type, static input or node. */
  slug: string;
  /** The slug of the node that reads it. */
  node: string;
  /** The label of the node. */
  name: string;
  /** Always `numeric`: models compute with numbers. */
  type: "numeric";
  /** The unit of the node, to which what it reads is converted, such as `t`. */
  unit: string;
  /** What the document says about the node; null when it says nothing. */
  description: string | null;
  /** What the node reads. */
  kind: "input" | "static_input" | "upstream" | "available";
  /** The slug of the event type whose data points it reads; null when it reads none. */
  event_type: string | null;
  /** How several data points become one value; null when it reads none. */
  aggregate: "sum" | "average" | "time_weighted" | "min" | "max" | "count" | "first" | "last" | "median" | "delta" | "values" | null;
  /** Whether it takes a value for each event or draw, as a list, in place of one. */
  is_array: boolean;
  /** Whether the model cannot be computed without it. */
  is_required: boolean;
  /** The value that stands in where there are no data, in `unit`; null when none does. */
  default: Decimal | null;
}

/** One value that a model gives; `id` is its place among the outputs, from 1. */
export interface SchemaOutput {
  /** Its place among the outputs of the model, from 1. */
  id: number;
  /** The slug of the node. */
  slug: string;
  /** The label of the node. */
  name: string;
  /** The unit of the output, such as `t{CO2e}`. */
  unit: string;
  /**
   * The greenhouse gas that the document tags the node with, such as `CO2`; null when it has no such
   * tag.
   */
  ghg: string | null;
  /**
   * The role in the life-cycle assessment that the document tags the node with; null without such a
   * tag.
   */
  lca_role: string | null;
  /** The category that the document tags the node with; null when it has no such tag. */
  category: string | null;
  /** Whether it is the primary output, which ledgers keep unless they name another. */
  is_primary: boolean;
}

/** The body of POST /webhooks/{webhook_id}/roll_secret. */
export interface SecretRoll {
  /** For how many hours the secrets so far sign beside the new one: 0 to 168; 0 ends them at once. */
  overlap_hours?: number;
}

/** The signed opinion, which concludes the engagement. */
export interface SignedOpinion {
  /** The statement that the service proposed, unchanged. */
  statement: string;
  /** Its signature by `ssh-keygen -Y sign -n weighbridge-opinion`. */
  signature: string;
  /** The public key of the verifier: `ssh-ed25519 AAAA…`. */
  public_key: string;
}

/** What a simulation came to; nothing of it is stored. */
export interface Simulated {
  /** Which version an answer is about. */
  model: ModelName;
  /** The start of the slot that was computed, inclusive. */
  start_time: string;
  /** The end of the slot that was computed, exclusive. */
  end_time: string;
  /** The primary output, which ledgers keep unless they name another. */
  primary_output: NodeValue;
  /** Every node of the model, in the order of the document. */
  nodes: NodeValue[];
}

/**
 * Values to compute a model with. `inputs` are numbers or lists of numbers by the slug of a node or of
 * its data point type, in the unit of the node. `partition` and `durations` (hours of each event, by
 * node) are for formulas that ask for them.
 */
export interface Simulation {
  /**
   * Numbers, or lists of numbers, by the slug of the node or of its data point type, in the unit of the
   * node.
   */
  inputs: Record<string, unknown>;
  /** The start of the slot that is computed, inclusive. */
  start_time: string;
  /** The end of the slot that is computed, exclusive. */
  end_time: string;
  /**
   * The values of the partition for formulas that read them, such as `{"feedstock": "Wood chips"}`.
   */
  partition?: Record<string, string>;
  /** How many hours each event lasted, as a list by the slug of the node, for formulas that ask. */
  durations?: Record<string, unknown>;
  /**
   * How well the values of a node are known, by its slug, in place of what the document states of them.
   */
  uncertainties?: Record<string, StatedUncertainty>;
}

/** A ledger that an input comes from. */
export interface SourceLedger {
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  id: string;
  /** What the ledger is called, such as `Wood chips on stock`. */
  name: string;
  /** The unit of its amounts, such as `t`. */
  unit: string;
}

/** How a source of an agent fares. */
export interface SourceState {
  /** The name of the source in the agent's file. */
  name: string;
  /** What the source is, such as `opcua`. */
  type: string;
  /** What the agent does with it, such as `reading` or `waiting`. */
  state: string;
  /** What keeps the agent from reading it; null when nothing does. */
  error?: string | null;
  /** How far the agent's clock is ahead of the source's; null when the source tells no time. */
  clock_offset_seconds?: Decimal | null;
  /** What is wrong with single variables of it, by their names. */
  problems?: Record<string, string>;
}

/** The answer to a split: the reports that took the place of the one that was split. */
export interface SplitReports {
  /** In the order in which they were named. */
  parts: Report[];
}

/** Why a batch no longer stands on the data as they are, and the id of what changed. */
export interface StaleReason {
  /** Why the batch is stale. */
  reason: "data_point_corrected" | "event_corrected" | "event_withdrawn" | "static_input_added" | "service_changed" | "uncertainty_changed" | "calibration_changed" | "batch_deleted" | "source_adjusted" | "inputs_replaced" | "engine_changed" | "upstream_stale";
  /**
   * The id of what changed: of a data point, an event, a static input, an asset, a location or a batch,
   * or the engine's revision.
   */
  record: string;
}

/** A batch that runs draw from, though its run no longer stands on the data as they are. */
export interface StaleSource {
  /** The friendly id of the batch: bat_ and 24 hexadecimal digits. */
  batch_id: string;
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** The tracking id of the batch. */
  tracking_id: string;
  /** Why it is stale, each reason with what changed. */
  reasons: StaleReason[];
}

/** How a partition stands at a moment: one of the two is zero. */
export interface StandingAt {
  /** What was produced less what was drawn, in the ledger's unit, if that is above nothing. */
  balance: Decimal;
  /** What was drawn less what was produced, in the ledger's unit, if that is above nothing. */
  deficit: Decimal;
}

/** So much more stands on a ledger for a run than it came to last: the batch of its fall is gone. */
export interface StandsAbove {
  /** The friendly id of the ledger: lgr_ and 24 hexadecimal digits. */
  ledger_id: string;
  /** The deleted batch. */
  batch_id: string;
  /** What the deleted batch was called. */
  tracking_id: string;
  /** What the run came to by the deleted batch. */
  computed: Decimal;
  /** What it comes to by the batches that remain. */
  stands: Decimal;
  /** How much more that is, in the ledger's unit. */
  above: Decimal;
}

/** The answer to a bundle that was asked for: it is being made. */
export interface StartedBundle {
  /** The friendly id of the report. */
  id: string;
  /** The number of the task that makes it. */
  async_task_id: number;
  /** One task that a caller polls. */
  async_task: AsyncTask;
}

/** The answer to a reading that was asked for: it is under way. */
export interface StartedCatalogue {
  /** The number of the registry that is read. */
  registry_id: number;
  /** The number of the task that reads. */
  async_task_id: number;
  /** One task that a caller polls. */
  async_task: AsyncTask;
}

/** The file that is being made of a list. */
export interface StartedExport {
  /** The friendly id of the export: exp_ and 24 hexadecimal digits. */
  id: string;
  /** The state: `pending`, because a worker makes the file. */
  status: "pending" | "completed" | "failed" | "expired";
  /** Where to ask whether the file is there. */
  status_url: string;
}

/** The answer to an uncertainty run that was asked for: its trials are queued. */
export interface StartedUncertaintyRun {
  /** Monte Carlo trials of the run of a batch, or of what a report holds (JCGM 101). */
  uncertainty_run: UncertaintyRun;
  /** One task that a caller polls. */
  async_task: AsyncTask;
}

/** What an agent says of itself. */
export interface StateOfAgent {
  /** Readings in its spool that the service does not have yet. */
  waiting: number;
  /** Since when the oldest of them has waited, by the agent's clock; null when none waits. */
  oldest_arrived_at: string | null;
  /** For how long the oldest has waited; 0 when none waits. */
  lag_seconds: Decimal;
  /** Readings that were set apart. */
  refused: number;
  /** How much of the spool's file is in use. */
  spool_bytes: number;
  /** How large the spool may become. */
  spool_bytes_max: number;
  /** How far the agent's clock is ahead of the service's; null before the first answer. */
  clock_offset_seconds: Decimal | null;
  /** How each source fares. */
  sources: SourceState[];
  /** The last value of each variable since the agent began, the newest first. */
  last_values: LastValue[];
  /** How it deals with the mapping from the web app; null from a version that knows none. */
  mapping?: MappingState | null;
}

/** Two values between which a quantity lies with a probability, with equal tails outside. */
export interface StatedPercentiles {
  /** The lower value, above 0. */
  low: Decimal;
  /** The upper value, above `low`. */
  high: Decimal;
  /** The probability that the quantity lies between the two, such as 0.95. */
  probability: Decimal;
}

/**
 * How well a value is known: its size in exactly one of the first six fields; others are left out. A
 * relative size is a part of the value: 0.005 is half a percent.
 */
export interface StatedUncertainty {
  /** The standard uncertainty (a standard deviation), in `unit`. */
  standard?: Decimal | null;
  /** The standard uncertainty as a part of the value. */
  relative_standard?: Decimal | null;
  /**
   * Half of the width of an interval around the value, in `unit`; a normal one needs `coverage_factor`.
   */
  half_width?: Decimal | null;
  /** Half of the width of an interval around the value, as a part of the value. */
  relative_half_width?: Decimal | null;
  /** Two percentiles of a lognormal distribution, in `unit`. */
  percentiles?: StatedPercentiles | null;
  /** Two percentiles of a lognormal distribution, as parts of the value, such as 0.9 and 1.1. */
  relative_percentiles?: StatedPercentiles | null;
  /**
   * What is assumed of the values that the quantity may have; left out, it is `normal`, and `lognormal`
   * of percentiles.
   */
  distribution?: "normal" | "rectangular" | "triangular" | "arcsine" | "lognormal" | null;
  /**
   * By what the half width of a normal distribution is divided to give the standard uncertainty: k.
   */
  coverage_factor?: Decimal | null;
  /** How well the uncertainty itself is known; left out, as well as can be. */
  degrees_of_freedom?: Decimal | null;
  /**
   * The unit of an absolute size, which converts to that of the value; left out, the unit of the value.
   */
  unit?: string | null;
  /**
   * The name of what all values of the project that name it share: one error, the same for all of them.
   * Left out, the errors of values are independent.
   */
  effect?: string | null;
  /** Where the statement is from, such as `data sheet of the analyser`. */
  source?: string | null;
}

/** A ledger's statement over a period, which has what counts after its start and up to its end. */
export interface Statement {
  /** The friendly id of the ledger. */
  ledger: string;
  /** The unit of the ledger, such as `t`. */
  unit: string;
  /** The start of the period: what counts after it is in the statement. */
  start_time: string;
  /** The end of the period: what counts up to it is in the statement. */
  end_time: string;
  /** Read by what had been posted at this time; null for all that was posted by now. */
  as_of: string | null;
  /** One entry for each partition of the ledger. */
  data: PartitionStatement[];
}

/** The statement of an opinion, to be signed byte for byte. */
export interface StatementToSign {
  /** The statement: in-toto, as one line of JSON and its line end. */
  statement: string;
  /** The namespace of the signature, for `ssh-keygen -Y sign -n`. */
  namespace: string;
}

/** A value that holds from a moment on, for the project or for what it names. */
export interface StaticInput {
  /** The number of the value. */
  id: number;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The name that models read it by, such as `grid_factor`. */
  slug: string;
  /** The value, in its `unit`. */
  value: Decimal;
  /** The unit of the value, such as `kg{CO2e}/kWh`; null for a plain number. */
  unit: string | null;
  /** From when it holds, inclusive, until a later one of the same slug and keys. */
  effective_from: string;
  /** The friendly id of the asset that it holds for; null when it holds for every asset or none. */
  asset_id: string | null;
  /** The friendly id of the feedstock that it holds for; null when it holds for every feedstock. */
  feedstock_id: string | null;
  /** The friendly id of the location that it holds for; null when it holds for every location. */
  location_id: string | null;
  /** How well the value is known; null when not stated. */
  uncertainty: StatedUncertainty | null;
  /** When the record was made. */
  created_at: string;
}

/** What is kept of a report's submission, and how far it came. */
export interface StoredSubmission {
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  report_id: string;
  /** Who hands it on; null while nothing is kept to be handed on. */
  adapter: "file" | "http" | "isometric_certify" | null;
  /** The number of the registry that it goes to; null where people hand it on. */
  registry_id: number | null;
  /** The key under which the registry takes it once: a UUID; null while nothing is kept. */
  key: string | null;
  /** What kind of file is handed on, such as `application/json`; null while nothing is kept. */
  media_type: string | null;
  /** How long the file is; null while nothing is kept. */
  size_bytes: number | null;
  /** The SHA-256 of the file, as 64 hexadecimal digits; null while nothing is kept. */
  sha256: string | null;
  /** Whether its receiver may have it; false is certain. */
  may_have_been_received: boolean;
  /** The steps that were taken, oldest first; empty where people hand it on. */
  steps: SubmissionStep[];
}

/** The result of a finished submission. */
export interface SubmissionResult {
  /** The friendly id of the report. */
  report: string;
  /** What the receiver calls it, or where it was put. */
  reference: string;
  /** The SHA-256 of what was sent, as 64 hexadecimal digits. */
  sha256: string;
}

/** One step of handing a report on, or what came of it. */
export interface SubmissionStep {
  /** What was done: `sending` stands before anything leaves, the others say what came of it. */
  step: "sending" | "received" | "refused" | "not_sent" | "unanswered" | "absent";
  /** When it was written down. */
  said_at: string;
  /** The status that the registry answered with; null where it did not answer. */
  http_status: number | null;
  /** What the registry or the service says of it; null when nothing. */
  detail: string | null;
}

/** The answer to a submission: the report is on its way. */
export interface SubmittedReport {
  /** The friendly id of the report: rpt_ and 24 hexadecimal digits. */
  id: string;
  /** Where the report stands: `submitting`. */
  status: "draft" | "submitting" | "submitted" | "complete" | "rejected" | "failed" | "superseded" | "withdrawn";
  /** The number of the task that sends it off. */
  async_task_id: number;
  /** One task that a caller polls. */
  async_task: AsyncTask;
}

/** The correction that put another value in the place of a captured one. */
export interface Substitution {
  /** The number of the correction. */
  id: number;
  /** The captured value that it stands in the place of. */
  replaced_value: unknown;
  /** The friendly id of the rule that made it; null when a person did. */
  rule_id: string | null;
  /** The version of that rule, counted from 1; null when a person made it. */
  rule_version: number | null;
  /** The number of the rule run that made it; null when a person did. */
  rule_run_id: number | null;
  /** Why it was made; null when nobody said. */
  reason: string | null;
  /** When the record was made. */
  created_at: string;
  /** The method by which a gap was filled, such as `percentile`; null where none was. */
  method: "constant" | "previous" | "next" | "mean_before_after" | "linear" | "mean" | "median" | "minimum" | "maximum" | "percentile" | "mean_plus_sd" | "confidence_limit" | "greater_of" | "lesser_of" | "expression" | null;
  /** The part of the method that gave the value; null where no gap was filled. */
  found_by: "constant" | "previous" | "next" | "mean_before_after" | "linear" | "mean" | "median" | "minimum" | "maximum" | "percentile" | "mean_plus_sd" | "confidence_limit" | "greater_of" | "lesser_of" | "expression" | null;
  /** Which tier of the rule was taken, counted from 1; null where no gap was filled. */
  tier: number | null;
  /** The code by which a regime knows the tier; null where it has none. */
  code: string | null;
  /** The window that the value was found from; null where none was asked. */
  window: Record<string, unknown> | null;
  /** How many values it was found from; null where no gap was filled. */
  members_used: number | null;
  /**
   * The share of operating slots with a valid captured value, up to here or in a period that a tier
   * names; null where none asks.
   */
  availability: Decimal | null;
  /** How many slots of the whole gap need a value; null where no gap was filled. */
  gap_slots: number | null;
}

/**
 * What the columns of a header may give, to be looked through and sent back as `columns` of a feed.
 */
export interface SuggestedColumns {
  /** What the columns give, as far as their names tell. */
  columns: FeedColumn[];
  /** Columns about which nothing is suggested; they are left out of `columns`. */
  unclear: string[];
  /** What events of the type need and no column gives. */
  lacking: string[];
}

/** A batch and how much of it a report takes. */
export interface TakenBatch {
  /** The friendly id of the batch: bat_ and 24 hexadecimal digits. */
  batch_id: string;
  /**
   * In the unit of the batch's ledger; above zero, with no more decimals than the ledger's `scale`.
   */
  amount: Decimal;
}

/** The body of POST /changes/issue_ticket. */
export interface TicketQuestion {
  /**
   * For how many seconds the ticket opens a stream, and a stream that it opened goes on: 1 to 3,600.
   */
  expires_in_seconds?: number;
}

/** The user whom a token acts for. */
export interface TokenUser {
  /** The number of the user. */
  id: number;
  /** What the user is called, a person or a program. */
  name: string;
  /** The address that the user is known by, such as `operator@example.com`. */
  email: string;
  /**
   * When the user was shut out: what is theirs waits to be ended or handed over; null for anybody else.
   */
  disabled_at: string | null;
}

/** How far trials are from first order, and what JCGM 101 tolerates, in `unit`. */
export interface TrialDifferences {
  /** The mean of the trials less the estimate of first order. */
  mean: Decimal;
  /** That of the trials less that of first order. */
  standard_uncertainty: Decimal;
  /** How far the low ends of the symmetric interval and of first order are apart. */
  low: Decimal;
  /** How far the high ends are apart. */
  high: Decimal;
  /** The numerical tolerance of two significant digits (JCGM 101, 7.9.2). */
  tolerance: Decimal;
  /**
   * The standard error of the ends of the symmetric interval, by the number of trials; null for trials
   * that were computed before it was.
   */
  sampling_error: Decimal | null;
}

/** How many trials fell into each of some columns of equal width. */
export interface TrialHistogram {
  /** The ends of the columns, in `unit`: one more than there are columns. */
  edges: Decimal[];
  /** How many trials each column has, from the least value on. */
  counts: number[];
}

/** An interval that has the coverage probability. */
export interface TrialInterval {
  /** The low end, in the `unit` of the run. */
  low: Decimal;
  /** The high end, in the `unit` of the run. */
  high: Decimal;
}

/** The result of a finished task of trials. */
export interface TrialResult {
  /** The friendly id of the run. */
  uncertainty_run_id: string;
  /** How many trials it has. */
  trials: number;
  /**
   * Whether first order passes JCGM 101, clause 8; null where the trials are too few to decide, and
   * where some have no result.
   */
  is_first_order_valid: boolean | null;
}

/** What one input contributes to the uncertainty by one effect. */
export interface UncertaintyLine {
  /** The node whose values are uncertain, or a table and its column. */
  input: string;
  /** What the values share, or the node or the column that has it alone. */
  effect: string;
  /**
   * The model, the value or the group of data that has it alone; null where values name the effect.
   */
  owner: string | null;
  /**
   * What the effect is called: the name of the calibration, the static input with its value and the day
   * from which it counts, or else `effect`.
   */
  name: string;
  /**
   * What one standard uncertainty of the effect makes of the amount through the input, with its sign.
   */
  contribution: Decimal;
  /** Its part of the variance; below zero where it makes up for others. */
  share: Decimal;
}

/** Monte Carlo trials of the run of a batch, or of what a report holds (JCGM 101). */
export interface UncertaintyRun {
  /** The friendly id of the uncertainty run: unr_ and 24 hexadecimal digits. */
  id: string;
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string;
  /** The batch whose run was repeated; null for a report. */
  batch_id: string | null;
  /** The report whose amounts were added up; null for a batch. */
  report_id: string | null;
  /** Where the trials are: that of the task. */
  state: "pending" | "running" | "complete" | "failed";
  /** Why there is no result; null while there may be one. */
  error_message: string | null;
  /** How many trials were asked for. */
  trials: number;
  /** How many of them are computed. */
  trials_done: number;
  /** Which trials were drawn: the same seed has the same trials everywhere. */
  seed: number;
  /** The coverage probability of the intervals. */
  coverage_probability: Decimal;
  /**
   * The SHA-256 of what was computed of: the batches of all runs of the chain, with the digests of
   * their data and of how uncertain these are. Null until they are read.
   */
  inputs_sha256: string | null;
  /**
   * Whether it is of the batch, or of the report, as it is now: false once a batch adjusts a run that
   * it counts, or the amounts of the report change.
   */
  is_current: boolean;
  /** The unit of the ledger, such as `t`. */
  unit: string;
  /**
   * What was posted: the total of the run, or what the report holds in all; the trials are about it.
   */
  estimate: Decimal;
  /**
   * The mean of the trials (7.6), in `unit`; null while there is none, as for all results below, and
   * where some trials have no result.
   */
  mean: Decimal | null;
  /** The standard deviation of the trials (7.6), in `unit`. */
  standard_uncertainty: Decimal | null;
  /** As many trials are below it as above it (7.7.2). */
  symmetric_interval: TrialInterval | null;
  /** The shortest of all that have the coverage probability (7.7.4). */
  shortest_interval: TrialInterval | null;
  /** What first order says. */
  first_order: FirstOrderResult | null;
  /** How far the two are apart. */
  differences: TrialDifferences | null;
  /**
   * Whether first order passes JCGM 101, clause 8: both ends are within the tolerance. Null where the
   * trials are too few to decide: twice the sampling error reaches over the tolerance.
   */
  is_first_order_valid: boolean | null;
  /** How many trials have no result, such as of a division by zero. */
  trials_without_result: number | null;
  /** The distribution of the trials. */
  histogram: TrialHistogram | null;
  /** To how many digits the results are rounded. */
  significant_digits: number;
  /** Where binary floats are used, and where they end. */
  arithmetic: string;
  /** The number of the task that computes it. */
  async_task_id: number;
  /** When the record was made. */
  created_at: string;
  /** When it was complete or failed; null before. */
  finished_at: string | null;
}

/** What it would be worth to know the values of one effect exactly. */
export interface UncertaintySaving {
  /** What the values share, or the node or the column that has it alone. */
  effect: string;
  /**
   * The model, the value or the group of data that has it alone; null where values name the effect.
   */
  owner: string | null;
  /**
   * What it is called: the name of the calibration, the static input with its value, or else `effect`.
   */
  name: string;
  /** The nodes whose values it makes uncertain, or tables with their columns. */
  inputs: string[];
  /** How uncertain the amount would be with the effect at zero. */
  without: AmountUncertainty;
  /**
   * By how much the standard uncertainty would be less; below zero where the effect makes up for
   * others.
   */
  saving: Decimal;
  /** How much more the ledger would be credited with; null if the model has no discount. */
  saved_credit: Decimal | null;
}

/** What better instruments would make of how uncertain a batch is, in its ledger's unit. */
export interface UncertaintySavings {
  /** The friendly id of the batch: bat_ and 24 hexadecimal digits. */
  batch_id: string;
  /** The unit of the ledger. */
  unit: string;
  /** How uncertain what was computed is; null where the model does not ask for it. */
  current: AmountUncertainty | null;
  /** By effect what it would be with that effect at zero, the largest saving first; 50 at most. */
  savings: UncertaintySaving[];
  /** How many effects there are in all. */
  effect_count: number;
  /**
   * The first few effects that would have to be zero to halve the standard uncertainty; 50 at most.
   */
  halving: WeighedEffect[];
  /** How many effects these are in all; zero where nothing is uncertain. */
  halving_count: number;
  /** How uncertain the amount would be without them; null where nothing is uncertain. */
  halved: AmountUncertainty | null;
  /** Whether no fewer effects would do; not certain where effects are correlated. */
  is_fewest: boolean;
}

/** How many corrections of a rule were reverted, and how many values changed by that. */
export interface UndoneCorrections {
  /** How many corrections were reverted. */
  corrections: number;
  /** How many values are not what they were before. */
  changed_values: number;
}

/** A batch that is about to be computed with other inputs. */
export interface UpdatedBatch {
  /** The friendly id of the batch: bat_ and 24 hexadecimal digits. */
  id: string;
  /** What people call the batch, after its slot and partition. */
  tracking_id: string;
  /** The start of its slot, inclusive. */
  start_time: string;
  /** The end of its slot, exclusive. */
  end_time: string;
  /** Whether it is being computed with other inputs just now. */
  state: "complete" | "processing";
  /** Why it could not be computed with the inputs that were asked for last; null when it could. */
  error_message: string | null;
  /** What a batch adds to its run, in its ledger's unit. */
  primary_output: PrimaryOutput;
  /** Whether a data rule has found something in it that stands and was not dismissed. */
  has_rule_alerts: boolean;
  /**
   * Whether a data rule whose severity is `warn` has found something in it that stands and was not
   * dismissed.
   */
  has_rule_warnings: boolean;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** The body of update_inputs; a list that is left out stays as it is, an empty one clears. */
export interface UpdatedInputs {
  /** The complete set of data of the batch, for the inputs that it touches. */
  data_point_ids?: string[] | null;
  /** What the batch's run draws from other batches by hand. */
  batch_amounts?: BatchAmount[] | null;
  /** Types whose data are set aside in the batch's slot. */
  skipped_data_point_type_ids?: number[] | null;
}

/** What an upgrade would come to; nothing is stored. */
export interface UpgradePreview {
  /** The slug of the package. */
  name: string;
  /** The version that is installed. */
  version_before: string;
  /** The version that would be. */
  version_after: string;
  /** What is known of who signed it. */
  signature: PackageSignature;
  /** The package itself and all that it needs, as they would be taken, by name. */
  lock: LockedPackage[];
  /** What would become of each record. */
  parts: PackagePart[];
  /**
   * What ledgers would become if the slots that were generated were generated anew by the new versions:
   * the same data, computed by the versions before and after. The upgrade itself changes no batch.
   */
  impact: GenerationImpact;
  /** Why the upgrade would be refused, each in a sentence; empty when it would not. */
  problems: string[];
}

/** An upload of a file that was uploaded before, such as after a dry run. */
export interface UploadAgain {
  /** The number of an upload of the same feed, whose file is taken once more. */
  of_upload: number;
  /** Whether everything is done as in earnest and then undone. */
  dry_run?: boolean;
  /**
   * What becomes of events that differ from their rows, this time only; null as the data feed says.
   */
  on_difference?: "report" | "correct" | null;
  /** Rows that are read in place of those of the file; its other rows are read as they are. */
  rows?: CorrectedRow[] | null;
}

/** One thing that is wrong with a row. */
export interface UploadProblem {
  /**
   * The line of the file on which the row begins, counted from 1; of a workbook, the row of the sheet.
   */
  row: number;
  /** The column that it is about, where it is about one. */
  column: string | null;
  /** What stands there; of a row that differs, in the unit of the data point. */
  value: string | null;
  /** Why the row is no event, or how it differs from its event, as the end of a sentence. */
  reason: string;
  /** What its event has there, in the unit of the data point; null of a row that is bad. */
  stored: string | null;
  /**
   * The field of the event, or the slug of the data point, that differs; null of a row that is bad.
   */
  field: string | null;
  /** The event that differs from its row; null of a row that is bad. */
  event_id: string | null;
}

/** What the task of an upload says it came to. */
export interface UploadResult {
  /** The number of the upload. */
  upload_id: number;
  /** Rows that were read. */
  rows: number;
  /** Events that were stored. */
  stored: number;
  /** Rows whose events the project had already, and which say the same. */
  already_there: number;
  /** Rows that are no event. */
  bad_rows: number;
  /** The upload that stored the same content; null unless there is one. */
  same_as?: number | null;
  /** Rows whose events the project had already, with other values. */
  differing?: number;
  /** How many of those events were corrected; of a dry run, how many would be. */
  corrected?: number;
}

/** What a look at a document found; it could be saved when it is valid. */
export interface Validation {
  /** Whether the document could be saved. */
  valid: boolean;
  /** What keeps it from being saved, from top to bottom. */
  errors: Complaint[];
  /** What may be a mistake, from top to bottom, though it could be saved. */
  warnings: Complaint[];
}

/**
 * How much of what a run comes to rests on values of each source: parts of 1 that add up to it. A value
 * counts by |x * df/dx|: its size times the rate at which the output changes with it.
 */
export interface ValueSourceShares {
  /** On values that stand as they were measured. */
  captured: Decimal;
  /** On values that a person put in the place of others. */
  manual: Decimal;
  /** On values that a rule has calibrated. */
  adjusted: Decimal;
  /** On values that a rule put in the place of captured ones that are not to count. */
  substituted: Decimal;
  /** On values that a rule put where nothing was captured. */
  imputed: Decimal;
}

/** One finding of a verifier. */
export interface VerifierFinding {
  /** Its number in the engagement, from 1. */
  number: number;
  /** An `error`, an `omission`, or a `request`. */
  kind: "error" | "omission" | "request";
  /** Whether it is `open`, `answered`, `resolved` or `withdrawn`; open and answered ones count. */
  state: "open" | "answered" | "resolved" | "withdrawn";
  /** The record that it is about, such as `evt_…`; null for the report as a whole. */
  event_id: string | null;
  /** What was found. */
  text: string;
  /** By how much it would change the total of the report, in its unit; null for a request. */
  amount: Decimal | null;
  /** The name of the user, or of the link. */
  recorded_by: string;
  /** When it was recorded. */
  recorded_at: string;
  /** What the operator answered last; null while there is no answer. */
  answer: string | null;
  /** The name of the user who answered last; null while there is no answer. */
  answered_by: string | null;
  /** When it was answered last; null while there is no answer. */
  answered_at: string | null;
  /** Why the verifier resolved, reopened or withdrew it; null while they did not. */
  decision: string | null;
  /** When the verifier decided last; null while they did not. */
  decided_at: string | null;
}

/** The label of a version, which is required; null or an empty text clears it. */
export interface VersionLabel {
  /** What people call the version, up to 255 characters; null or an empty text clears it. */
  version_label: string | null;
}

/** The body of PATCH /models/{model_id}/version_label. */
export interface VersionLabelBody {
  /** The label of a version, which is required; null or an empty text clears it. */
  model: VersionLabel;
}

/** What a caller sends to make a footprint, from a batch or from a report. */
export interface WantedFootprint {
  /** The number of the product. */
  product_id: number;
  /** The batch that it is made from, such as `bat_…`. */
  batch_id?: string;
  /** The accepted report that it is made from, such as `rpt_…`, instead of `batch_id`. */
  report_id?: string;
  /**
   * The footprints that it takes the place of; left out, those of the same product that were made from
   * this batch, or from a report that this one restates or came of.
   */
  replaces?: string[];
  /** What changed, or how it was calculated, besides what the product says. */
  comment?: string | null;
}

/** The body of POST /footprints. */
export interface WantedFootprintBody {
  /** What a caller sends to make a footprint, from a batch or from a report. */
  footprint: WantedFootprint;
}

/** What a caller asks for of a partner. */
export interface WantedFootprintCall {
  /** The number of the partner. */
  partner_id: number;
  /**
   * What is to be done: `read` reads some, `request_created` asks for some, `published` tells of ours.
   */
  kind: "published" | "request_created" | "read";
  /**
   * Of `published` the footprints that it is told of, required; of `read` those that are read, instead
   * of all.
   */
  footprint_ids?: string[];
  /**
   * Of `request_created` what is asked for, required, such as `{"productId":
   * ["urn:gtin:4712345060507"]}`.
   */
  criteria?: Record<string, unknown>;
}

/** The body of POST /footprint_calls. */
export interface WantedFootprintCallBody {
  /** What a caller asks for of a partner. */
  footprint_call: WantedFootprintCall;
}

/** An address that is told what changes. */
export interface Webhook {
  /** The friendly id of the webhook, `whk_…`. */
  id: string;
  /** The friendly id of the project whose changes are told; null for the whole account. */
  project_id: string | null;
  /** Where requests are sent by POST. */
  url: string;
  /** What it is for, in the words of whoever made it. */
  description: string;
  /** Which changes are told: `batch` for all of batches, `batch.create` for new ones. */
  change_types: ("event" | "correction" | "batch" | "async_task" | "rule_result" | "report" | "ledger" | "footprint" | "event.create" | "event.update" | "event.void" | "event.restore" | "correction.create" | "correction.update" | "correction.revert" | "batch.create" | "batch.update" | "batch.delete" | "async_task.create" | "async_task.update" | "async_task.start" | "async_task.complete" | "async_task.fail" | "rule_result.create" | "rule_result.update" | "report.create" | "report.update" | "report.delete" | "ledger.update" | "footprint.create" | "footprint.update")[];
  /** Whether changes are sent; while it is not, they wait in the feed, as long as that keeps them. */
  is_enabled: boolean;
  /** When it was disabled; null while it is enabled. */
  disabled_at: string | null;
  /** Why it was disabled, by whoever did or by the service; null while it is enabled. */
  disabled_reason: string | null;
  /** Since when every attempt has failed; null when the last one was taken. */
  failing_since: string | null;
  /** Where in the feed of changes it stands: all before was made into deliveries. */
  cursor: string;
  /** Entries of the feed that were removed because of their age while it was disabled. */
  lost_entries: number;
  /** Deliveries that wait for their first or next attempt. */
  pending_deliveries: number;
  /** Until when secrets that were replaced sign beside the new one; null when there is only one. */
  old_secrets_until: string | null;
  /** When the record was made. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
}

/** What a caller sends to change a webhook; what is left out stays as it is. */
export interface WebhookChange {
  /** Where requests are sent by POST. */
  url?: string;
  /** Which changes are told: `batch` for all of batches, `batch.create` for new ones. */
  change_types?: ("event" | "correction" | "batch" | "async_task" | "rule_result" | "report" | "ledger" | "footprint" | "event.create" | "event.update" | "event.void" | "event.restore" | "correction.create" | "correction.update" | "correction.revert" | "batch.create" | "batch.update" | "batch.delete" | "async_task.create" | "async_task.update" | "async_task.start" | "async_task.complete" | "async_task.fail" | "rule_result.create" | "rule_result.update" | "report.create" | "report.update" | "report.delete" | "ledger.update" | "footprint.create" | "footprint.update")[];
  /** The friendly id of the project whose changes are told; null for the whole account. */
  project_id?: string | null;
  /** What it is for, in the words of whoever made it. */
  description?: string;
  /** A webhook that is enabled again goes on where it stood in the feed. */
  is_enabled?: boolean;
  /**
   * What the receiver checks signatures by from now on, `whsec_` and base64 of 24 to 64 bytes, instead
   * of all secrets so far. Required with a URL on another host.
   */
  secret?: string;
}

/** The body of PATCH /webhooks/{webhook_id}. */
export interface WebhookChangeBody {
  /** What a caller sends to change a webhook; what is left out stays as it is. */
  webhook: WebhookChange;
}

/** One message to a webhook, and what became of it. */
export interface WebhookDelivery {
  /** The friendly id of the delivery, `dlv_…`, which every attempt carries as `webhook-id`. */
  id: string;
  /** The friendly id of the webhook: whk_ and 24 hexadecimal digits. */
  webhook_id: string;
  /** The type of the message, such as `weighbridge.batch.create`. */
  type: string;
  /** What was changed; `webhook` for a test. */
  kind: "event" | "correction" | "batch" | "async_task" | "rule_result" | "report" | "ledger" | "footprint" | "webhook";
  /** What was done to it; `test` for a test. */
  action: "create" | "update" | "delete" | "void" | "restore" | "revert" | "start" | "complete" | "fail" | "test";
  /** The friendly id of the project: prj_ and 24 hexadecimal digits. */
  project_id: string | null;
  /** How many records the message names. */
  records: number;
  /** Where the feed of changes goes on behind the message; null for a test. */
  cursor: string | null;
  /** How it stands: `pending` until it is taken, `delivered`, or for three days was not, `failed`. */
  state: "pending" | "delivered" | "failed";
  /** How often it was tried. */
  attempt_count: number;
  /** When it is tried next, at the earliest; null when it is not. */
  next_attempt_at: string | null;
  /** The last attempts, up to 20, oldest first. */
  attempts: AttemptMade[];
  /** When the record was made. */
  created_at: string;
  /** When it was taken, or given up; null while it is pending. */
  ended_at: string | null;
}

/** The body of POST /webhooks/{webhook_id}/test, which says nothing. */
export interface WebhookTest {
}

/** An effect by which values are uncertain, and what people call it. */
export interface WeighedEffect {
  /** What the values share, or the node or the column that has it alone. */
  effect: string;
  /**
   * The model, the value or the group of data that has it alone; null where values name the effect.
   */
  owner: string | null;
  /**
   * What it is called: the name of the calibration, the static input with its value, or else `effect`.
   */
  name: string;
  /** The nodes whose values it makes uncertain, or tables with their columns. */
  inputs: string[];
}

/** A stretch of clock time, up to 3,660 days. */
export interface WindowDuration {
  /** How many of the unit, a whole number from 1. */
  value: number;
  /** The unit; a day is always 24 hours. */
  unit: "minute" | "hour" | "day" | "week";
}
