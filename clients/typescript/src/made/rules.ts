// How often calls are sent, and the codes of errors, as the Python client and the service have them.
// Made by `make docs` from the OpenAPI document; change the service, not this file.

export const PREFIX = "/api/v1";
export const ATTEMPTS_MAX = 8;
export const FIRST_PAUSE_SECONDS = 0.5;
export const PAUSE_SECONDS_MAX = 60.0;
export const BUSY = [408, 429, 502, 503, 504];
export const IN_PROGRESS = 409;
export const EVENTS_MAX = 10000;
export const FIRST_SECONDS = 0.2;
export const SECONDS_MAX = 5.0;
export const GROWTH = 1.6;

/** The kinds of problems that errors name by `code`. */
export type ErrorCode =
  "account_busy" |
  "another_ledger" |
  "another_model" |
  "another_version" |
  "audit_key_missing" |
  "balance" |
  "batch" |
  "batch_gone" |
  "below_zero" |
  "body" |
  "bundle_missing" |
  "case" |
  "case_failed" |
  "changes" |
  "conflict" |
  "cursor_expired" |
  "cut_slot" |
  "cycle" |
  "damaged" |
  "decided" |
  "decision_used" |
  "differs" |
  "disk_full" |
  "drawn" |
  "draws" |
  "engagement_state" |
  "expression" |
  "feature_off" |
  "flawed_package" |
  "forbidden" |
  "form_foreign" |
  "full" |
  "given_back" |
  "has_batches" |
  "has_entries" |
  "has_model" |
  "in_progress" |
  "in_use" |
  "incompatible" |
  "incompatible_unit" |
  "incomplete" |
  "internal_error" |
  "invalid" |
  "invalid_setting" |
  "late_data" |
  "limit" |
  "link_expired" |
  "link_revoked" |
  "malformed" |
  "mapping" |
  "measured_share" |
  "method_not_allowed" |
  "missing_key" |
  "missing_output" |
  "more" |
  "never_pending" |
  "newer_batch" |
  "no_batches" |
  "no_cases" |
  "no_evidence" |
  "no_ledger" |
  "no_model" |
  "no_project" |
  "no_run" |
  "no_slot" |
  "no_such_path" |
  "no_system_ledger" |
  "no_versions" |
  "not_accepted" |
  "not_computable" |
  "not_covered" |
  "not_deducted" |
  "not_draft" |
  "not_drawn_by_hand" |
  "not_found" |
  "not_remaining" |
  "not_restatable" |
  "not_uncertain" |
  "not_whole" |
  "open_alerts" |
  "open_deficits" |
  "other_model" |
  "outcome_unknown" |
  "outside_period" |
  "overtaken" |
  "own_ledger" |
  "own_proposal" |
  "pass" |
  "passed_over" |
  "pending_proposals" |
  "permission_missing" |
  "quota" |
  "rate_limited" |
  "replaced" |
  "report_state" |
  "reported" |
  "required" |
  "required_package" |
  "requirements" |
  "reserved" |
  "restated" |
  "restatement_under_way" |
  "reused" |
  "rolled_up" |
  "schema" |
  "settled" |
  "several_ledgers" |
  "sign_in_refused" |
  "slot_replaced" |
  "stale_batches" |
  "succeeded" |
  "system_ledger" |
  "taken" |
  "task_ended" |
  "time_stamp_missing" |
  "token_expired" |
  "token_missing" |
  "token_revoked" |
  "token_unknown" |
  "too_costly" |
  "too_far" |
  "too_large" |
  "too_long" |
  "too_many" |
  "too_many_downloads" |
  "too_many_failures" |
  "too_slow" |
  "twice" |
  "unauthorized" |
  "unavailable" |
  "unbounded" |
  "unit" |
  "unknown" |
  "unknown_event_type" |
  "unknown_key" |
  "unknown_ledger" |
  "unknown_node" |
  "unknown_output" |
  "unmatched" |
  "unreadable" |
  "unreadable_package" |
  "unsupported" |
  "unsupported_media_type" |
  "untagged" |
  "unused" |
  "wrong_publisher" |
  "yaml";
