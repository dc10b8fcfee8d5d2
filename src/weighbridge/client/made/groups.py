"""The operations on each kind of record, as methods of the two clients.

Made by `make docs` from the OpenAPI document; change the service, not this file.
"""

from weighbridge.client.binding import (
    AsyncGroup,
    AsyncListed,
    AsyncOne,
    AsyncStarted,
    Awaiting,
    Group,
    Listed,
    One,
    Started,
    Waiting,
)
from weighbridge.client.made import operations


class ApiTokensOperations(Group):
    """Operations on api tokens."""

    create = One(operations.api_tokens_create)
    list = Listed(operations.api_tokens_list)
    reassign = One(operations.api_tokens_reassign)
    revoke = One(operations.api_tokens_revoke)


class AsyncApiTokensOperations(AsyncGroup):
    """Operations on api tokens."""

    create = AsyncOne(operations.api_tokens_create)
    list = AsyncListed(operations.api_tokens_list)
    reassign = AsyncOne(operations.api_tokens_reassign)
    revoke = AsyncOne(operations.api_tokens_revoke)


class AssetCustomFieldsOperations(Group):
    """Operations on asset custom fields."""

    create = One(operations.asset_custom_fields_create)
    delete = One(operations.asset_custom_fields_delete)
    list = Listed(operations.asset_custom_fields_list)


class AsyncAssetCustomFieldsOperations(AsyncGroup):
    """Operations on asset custom fields."""

    create = AsyncOne(operations.asset_custom_fields_create)
    delete = AsyncOne(operations.asset_custom_fields_delete)
    list = AsyncListed(operations.asset_custom_fields_list)


class AssetsOperations(Group):
    """Operations on assets."""

    create = One(operations.assets_create)
    delete = One(operations.assets_delete)
    export = One(operations.assets_export)
    get = One(operations.assets_get)
    import_ = One(operations.assets_import_)
    list = Listed(operations.assets_list)
    list_assets_of_project = Listed(operations.assets_list_assets_of_project)
    update = One(operations.assets_update)


class AsyncAssetsOperations(AsyncGroup):
    """Operations on assets."""

    create = AsyncOne(operations.assets_create)
    delete = AsyncOne(operations.assets_delete)
    export = AsyncOne(operations.assets_export)
    get = AsyncOne(operations.assets_get)
    import_ = AsyncOne(operations.assets_import_)
    list = AsyncListed(operations.assets_list)
    list_assets_of_project = AsyncListed(operations.assets_list_assets_of_project)
    update = AsyncOne(operations.assets_update)


class AsyncTasksOperations(Group):
    """Operations on async tasks."""

    cancel = One(operations.async_tasks_cancel)
    get = One(operations.async_tasks_get)
    list = Listed(operations.async_tasks_list)


class AsyncAsyncTasksOperations(AsyncGroup):
    """Operations on async tasks."""

    cancel = AsyncOne(operations.async_tasks_cancel)
    get = AsyncOne(operations.async_tasks_get)
    list = AsyncListed(operations.async_tasks_list)


class AuditLogOperations(Group):
    """Operations on audit log."""

    get_audit_consistency = One(operations.audit_log_get_audit_consistency)
    get_audit_head = One(operations.audit_log_get_audit_head)
    get_audit_key = One(operations.audit_log_get_audit_key)
    get_audit_proof = One(operations.audit_log_get_audit_proof)
    list = Listed(operations.audit_log_list)


class AsyncAuditLogOperations(AsyncGroup):
    """Operations on audit log."""

    get_audit_consistency = AsyncOne(operations.audit_log_get_audit_consistency)
    get_audit_head = AsyncOne(operations.audit_log_get_audit_head)
    get_audit_key = AsyncOne(operations.audit_log_get_audit_key)
    get_audit_proof = AsyncOne(operations.audit_log_get_audit_proof)
    list = AsyncListed(operations.audit_log_list)


class BatchGenerationsOperations(Group):
    """Operations on batch generations."""

    create = Started(operations.batch_generations_create)
    generate_preview = One(operations.batch_generations_generate_preview)
    update_inputs = One(operations.batch_generations_update_inputs)


class AsyncBatchGenerationsOperations(AsyncGroup):
    """Operations on batch generations."""

    create = AsyncStarted(operations.batch_generations_create)
    generate_preview = AsyncOne(operations.batch_generations_generate_preview)
    update_inputs = AsyncOne(operations.batch_generations_update_inputs)


class BatchesOperations(Group):
    """Operations on batches."""

    create_batch_deletion = Started(operations.batches_create_batch_deletion)
    delete = Started(operations.batches_delete)
    get = One(operations.batches_get)
    get_lineage = One(operations.batches_get_lineage)
    list = Listed(operations.batches_list)
    list_input_data = Listed(operations.batches_list_input_data)
    list_of_ledger = Listed(operations.batches_list_of_ledger)
    list_of_project = Listed(operations.batches_list_of_project)


class AsyncBatchesOperations(AsyncGroup):
    """Operations on batches."""

    create_batch_deletion = AsyncStarted(operations.batches_create_batch_deletion)
    delete = AsyncStarted(operations.batches_delete)
    get = AsyncOne(operations.batches_get)
    get_lineage = AsyncOne(operations.batches_get_lineage)
    list = AsyncListed(operations.batches_list)
    list_input_data = AsyncListed(operations.batches_list_input_data)
    list_of_ledger = AsyncListed(operations.batches_list_of_ledger)
    list_of_project = AsyncListed(operations.batches_list_of_project)


class CaptureRatesOperations(Group):
    """Operations on capture rates."""

    get = One(operations.capture_rates_get)


class AsyncCaptureRatesOperations(AsyncGroup):
    """Operations on capture rates."""

    get = AsyncOne(operations.capture_rates_get)


class ChangesOperations(Group):
    """Operations on changes."""

    list = One(operations.changes_list)


class AsyncChangesOperations(AsyncGroup):
    """Operations on changes."""

    list = AsyncOne(operations.changes_list)


class DataFeedUploadsOperations(Group):
    """Operations on data feed uploads."""

    create_upload = One(operations.data_feed_uploads_create_upload)
    download_bad_rows = One(operations.data_feed_uploads_download_bad_rows)
    get_upload = One(operations.data_feed_uploads_get_upload)
    list_uploads = Listed(operations.data_feed_uploads_list_uploads)


class AsyncDataFeedUploadsOperations(AsyncGroup):
    """Operations on data feed uploads."""

    create_upload = AsyncOne(operations.data_feed_uploads_create_upload)
    download_bad_rows = AsyncOne(operations.data_feed_uploads_download_bad_rows)
    get_upload = AsyncOne(operations.data_feed_uploads_get_upload)
    list_uploads = AsyncListed(operations.data_feed_uploads_list_uploads)


class DataFeedsOperations(Group):
    """Operations on data feeds."""

    create = One(operations.data_feeds_create)
    delete = One(operations.data_feeds_delete)
    get = One(operations.data_feeds_get)
    list = Listed(operations.data_feeds_list)
    suggest_columns = One(operations.data_feeds_suggest_columns)
    update = One(operations.data_feeds_update)


class AsyncDataFeedsOperations(AsyncGroup):
    """Operations on data feeds."""

    create = AsyncOne(operations.data_feeds_create)
    delete = AsyncOne(operations.data_feeds_delete)
    get = AsyncOne(operations.data_feeds_get)
    list = AsyncListed(operations.data_feeds_list)
    suggest_columns = AsyncOne(operations.data_feeds_suggest_columns)
    update = AsyncOne(operations.data_feeds_update)


class DataPointsOperations(Group):
    """Operations on data points."""

    correct = One(operations.data_points_correct)
    correct_on_trial = One(operations.data_points_correct_on_trial)
    correct_of_event = One(operations.data_points_correct_of_event)
    correct_of_event_on_trial = One(operations.data_points_correct_of_event_on_trial)
    get = One(operations.data_points_get)
    get_of_event = One(operations.data_points_get_of_event)
    list_corrections = Listed(operations.data_points_list_corrections)
    list = Listed(operations.data_points_list)
    list_event_corrections = Listed(operations.data_points_list_event_corrections)
    list_of_event = Listed(operations.data_points_list_of_event)
    revert = One(operations.data_points_revert)


class AsyncDataPointsOperations(AsyncGroup):
    """Operations on data points."""

    correct = AsyncOne(operations.data_points_correct)
    correct_on_trial = AsyncOne(operations.data_points_correct_on_trial)
    correct_of_event = AsyncOne(operations.data_points_correct_of_event)
    correct_of_event_on_trial = AsyncOne(operations.data_points_correct_of_event_on_trial)
    get = AsyncOne(operations.data_points_get)
    get_of_event = AsyncOne(operations.data_points_get_of_event)
    list_corrections = AsyncListed(operations.data_points_list_corrections)
    list = AsyncListed(operations.data_points_list)
    list_event_corrections = AsyncListed(operations.data_points_list_event_corrections)
    list_of_event = AsyncListed(operations.data_points_list_of_event)
    revert = AsyncOne(operations.data_points_revert)


class EventTypesOperations(Group):
    """Operations on event types."""

    create = One(operations.event_types_create)
    delete = One(operations.event_types_delete)
    get = One(operations.event_types_get)
    list = Listed(operations.event_types_list)
    update = One(operations.event_types_update)


class AsyncEventTypesOperations(AsyncGroup):
    """Operations on event types."""

    create = AsyncOne(operations.event_types_create)
    delete = AsyncOne(operations.event_types_delete)
    get = AsyncOne(operations.event_types_get)
    list = AsyncListed(operations.event_types_list)
    update = AsyncOne(operations.event_types_update)


class EventsOperations(Group):
    """Operations on events."""

    create = One(operations.events_create)
    get = One(operations.events_get)
    list = Listed(operations.events_list)
    update = One(operations.events_update)
    update_on_trial = One(operations.events_update_on_trial)
    void = One(operations.events_void)


class AsyncEventsOperations(AsyncGroup):
    """Operations on events."""

    create = AsyncOne(operations.events_create)
    get = AsyncOne(operations.events_get)
    list = AsyncListed(operations.events_list)
    update = AsyncOne(operations.events_update)
    update_on_trial = AsyncOne(operations.events_update_on_trial)
    void = AsyncOne(operations.events_void)


class EvidenceOperations(Group):
    """Operations on evidence."""

    create = One(operations.evidence_create)
    download = One(operations.evidence_download)
    get = One(operations.evidence_get)
    list_of_batch = Listed(operations.evidence_list_of_batch)
    list_of_event = Listed(operations.evidence_list_of_event)


class AsyncEvidenceOperations(AsyncGroup):
    """Operations on evidence."""

    create = AsyncOne(operations.evidence_create)
    download = AsyncOne(operations.evidence_download)
    get = AsyncOne(operations.evidence_get)
    list_of_batch = AsyncListed(operations.evidence_list_of_batch)
    list_of_event = AsyncListed(operations.evidence_list_of_event)


class ExportsOperations(Group):
    """Operations on exports."""

    download = One(operations.exports_download)
    download_ledger_batches = One(operations.exports_download_ledger_batches)
    get = One(operations.exports_get)


class AsyncExportsOperations(AsyncGroup):
    """Operations on exports."""

    download = AsyncOne(operations.exports_download)
    download_ledger_batches = AsyncOne(operations.exports_download_ledger_batches)
    get = AsyncOne(operations.exports_get)


class FeatureFlagsOperations(Group):
    """Operations on feature flags."""

    get = One(operations.feature_flags_get)


class AsyncFeatureFlagsOperations(AsyncGroup):
    """Operations on feature flags."""

    get = AsyncOne(operations.feature_flags_get)


class FeedstocksOperations(Group):
    """Operations on feedstocks."""

    create = One(operations.feedstocks_create)
    delete = One(operations.feedstocks_delete)
    get = One(operations.feedstocks_get)
    list = Listed(operations.feedstocks_list)
    list_feedstocks_of_project = Listed(operations.feedstocks_list_feedstocks_of_project)
    update = One(operations.feedstocks_update)


class AsyncFeedstocksOperations(AsyncGroup):
    """Operations on feedstocks."""

    create = AsyncOne(operations.feedstocks_create)
    delete = AsyncOne(operations.feedstocks_delete)
    get = AsyncOne(operations.feedstocks_get)
    list = AsyncListed(operations.feedstocks_list)
    list_feedstocks_of_project = AsyncListed(operations.feedstocks_list_feedstocks_of_project)
    update = AsyncOne(operations.feedstocks_update)


class GapsOperations(Group):
    """Operations on gaps."""

    list = One(operations.gaps_list)


class AsyncGapsOperations(AsyncGroup):
    """Operations on gaps."""

    list = AsyncOne(operations.gaps_list)


class InstrumentsOperations(Group):
    """Operations on instruments."""

    create = One(operations.instruments_create)
    list = Listed(operations.instruments_list)


class AsyncInstrumentsOperations(AsyncGroup):
    """Operations on instruments."""

    create = AsyncOne(operations.instruments_create)
    list = AsyncListed(operations.instruments_list)


class LedgersOperations(Group):
    """Operations on ledgers."""

    create = One(operations.ledgers_create)
    create_ledger_of_project = One(operations.ledgers_create_ledger_of_project)
    delete = One(operations.ledgers_delete)
    get = One(operations.ledgers_get)
    list_deficits = One(operations.ledgers_list_deficits)
    list = Listed(operations.ledgers_list)
    list_of_project = Listed(operations.ledgers_list_of_project)
    list_required_inputs = One(operations.ledgers_list_required_inputs)
    update = One(operations.ledgers_update)


class AsyncLedgersOperations(AsyncGroup):
    """Operations on ledgers."""

    create = AsyncOne(operations.ledgers_create)
    create_ledger_of_project = AsyncOne(operations.ledgers_create_ledger_of_project)
    delete = AsyncOne(operations.ledgers_delete)
    get = AsyncOne(operations.ledgers_get)
    list_deficits = AsyncOne(operations.ledgers_list_deficits)
    list = AsyncListed(operations.ledgers_list)
    list_of_project = AsyncListed(operations.ledgers_list_of_project)
    list_required_inputs = AsyncOne(operations.ledgers_list_required_inputs)
    update = AsyncOne(operations.ledgers_update)


class LocationsOperations(Group):
    """Operations on locations."""

    create = One(operations.locations_create)
    delete = One(operations.locations_delete)
    get = One(operations.locations_get)
    list = Listed(operations.locations_list)
    list_locations_of_account = Listed(operations.locations_list_locations_of_account)
    update = One(operations.locations_update)


class AsyncLocationsOperations(AsyncGroup):
    """Operations on locations."""

    create = AsyncOne(operations.locations_create)
    delete = AsyncOne(operations.locations_delete)
    get = AsyncOne(operations.locations_get)
    list = AsyncListed(operations.locations_list)
    list_locations_of_account = AsyncListed(operations.locations_list_locations_of_account)
    update = AsyncOne(operations.locations_update)


class MethodologiesOperations(Group):
    """Operations on methodologies."""

    create = One(operations.methodologies_create)
    get = One(operations.methodologies_get)
    list = Listed(operations.methodologies_list)


class AsyncMethodologiesOperations(AsyncGroup):
    """Operations on methodologies."""

    create = AsyncOne(operations.methodologies_create)
    get = AsyncOne(operations.methodologies_get)
    list = AsyncListed(operations.methodologies_list)


class ModelRunsOperations(Group):
    """Operations on model runs."""

    create = One(operations.model_runs_create)
    delete = One(operations.model_runs_delete)
    get = One(operations.model_runs_get)
    list = Listed(operations.model_runs_list)


class AsyncModelRunsOperations(AsyncGroup):
    """Operations on model runs."""

    create = AsyncOne(operations.model_runs_create)
    delete = AsyncOne(operations.model_runs_delete)
    get = AsyncOne(operations.model_runs_get)
    list = AsyncListed(operations.model_runs_list)


class ModelsOperations(Group):
    """Operations on models."""

    activate = One(operations.models_activate)
    compare = One(operations.models_compare)
    create = One(operations.models_create)
    create_model_version = One(operations.models_create_model_version)
    download_model_document = One(operations.models_download_model_document)
    get = One(operations.models_get)
    get_model_schema = One(operations.models_get_model_schema)
    list_model_versions = Listed(operations.models_list_model_versions)
    list = Listed(operations.models_list)
    list_of_project = Listed(operations.models_list_of_project)
    set_version_label = One(operations.models_set_version_label)
    simulate = One(operations.models_simulate)
    update = One(operations.models_update)
    validate_model_yaml = One(operations.models_validate_model_yaml)
    validate_yaml = One(operations.models_validate_yaml)


class AsyncModelsOperations(AsyncGroup):
    """Operations on models."""

    activate = AsyncOne(operations.models_activate)
    compare = AsyncOne(operations.models_compare)
    create = AsyncOne(operations.models_create)
    create_model_version = AsyncOne(operations.models_create_model_version)
    download_model_document = AsyncOne(operations.models_download_model_document)
    get = AsyncOne(operations.models_get)
    get_model_schema = AsyncOne(operations.models_get_model_schema)
    list_model_versions = AsyncListed(operations.models_list_model_versions)
    list = AsyncListed(operations.models_list)
    list_of_project = AsyncListed(operations.models_list_of_project)
    set_version_label = AsyncOne(operations.models_set_version_label)
    simulate = AsyncOne(operations.models_simulate)
    update = AsyncOne(operations.models_update)
    validate_model_yaml = AsyncOne(operations.models_validate_model_yaml)
    validate_yaml = AsyncOne(operations.models_validate_yaml)


class OutagesOperations(Group):
    """Operations on outages."""

    create = One(operations.outages_create)
    delete = One(operations.outages_delete)
    get = One(operations.outages_get)
    list = Listed(operations.outages_list)
    update = One(operations.outages_update)


class AsyncOutagesOperations(AsyncGroup):
    """Operations on outages."""

    create = AsyncOne(operations.outages_create)
    delete = AsyncOne(operations.outages_delete)
    get = AsyncOne(operations.outages_get)
    list = AsyncListed(operations.outages_list)
    update = AsyncOne(operations.outages_update)


class ProjectsOperations(Group):
    """Operations on projects."""

    create = One(operations.projects_create)
    get = One(operations.projects_get)
    list = Listed(operations.projects_list)
    update = One(operations.projects_update)


class AsyncProjectsOperations(AsyncGroup):
    """Operations on projects."""

    create = AsyncOne(operations.projects_create)
    get = AsyncOne(operations.projects_get)
    list = AsyncListed(operations.projects_list)
    update = AsyncOne(operations.projects_update)


class RegistriesOperations(Group):
    """Operations on registries."""

    create = One(operations.registries_create)
    get = One(operations.registries_get)
    list = Listed(operations.registries_list)
    update = One(operations.registries_update)


class AsyncRegistriesOperations(AsyncGroup):
    """Operations on registries."""

    create = AsyncOne(operations.registries_create)
    get = AsyncOne(operations.registries_get)
    list = AsyncListed(operations.registries_list)
    update = AsyncOne(operations.registries_update)


class ReportLinksOperations(Group):
    """Operations on report links."""

    create = One(operations.report_links_create)
    download_bundle_by_link = One(operations.report_links_download_bundle_by_link)
    list_links_of_account = Listed(operations.report_links_list_links_of_account)
    list = Listed(operations.report_links_list)
    open_report = One(operations.report_links_open_report)
    reassign = One(operations.report_links_reassign)
    revoke = One(operations.report_links_revoke)


class AsyncReportLinksOperations(AsyncGroup):
    """Operations on report links."""

    create = AsyncOne(operations.report_links_create)
    download_bundle_by_link = AsyncOne(operations.report_links_download_bundle_by_link)
    list_links_of_account = AsyncListed(operations.report_links_list_links_of_account)
    list = AsyncListed(operations.report_links_list)
    open_report = AsyncOne(operations.report_links_open_report)
    reassign = AsyncOne(operations.report_links_reassign)
    revoke = AsyncOne(operations.report_links_revoke)


class ReportsOperations(Group):
    """Operations on reports."""

    accept = One(operations.reports_accept)
    create = One(operations.reports_create)
    delete = One(operations.reports_delete)
    download_report_bundle = One(operations.reports_download_report_bundle)
    download_report_time_stamp = One(operations.reports_download_report_time_stamp)
    download_submission = One(operations.reports_download_submission)
    get = One(operations.reports_get)
    get_submission = One(operations.reports_get_submission)
    list = Listed(operations.reports_list)
    make_report_bundle = One(operations.reports_make_report_bundle)
    reject = One(operations.reports_reject)
    submit = One(operations.reports_submit)
    update = One(operations.reports_update)


class AsyncReportsOperations(AsyncGroup):
    """Operations on reports."""

    accept = AsyncOne(operations.reports_accept)
    create = AsyncOne(operations.reports_create)
    delete = AsyncOne(operations.reports_delete)
    download_report_bundle = AsyncOne(operations.reports_download_report_bundle)
    download_report_time_stamp = AsyncOne(operations.reports_download_report_time_stamp)
    download_submission = AsyncOne(operations.reports_download_submission)
    get = AsyncOne(operations.reports_get)
    get_submission = AsyncOne(operations.reports_get_submission)
    list = AsyncListed(operations.reports_list)
    make_report_bundle = AsyncOne(operations.reports_make_report_bundle)
    reject = AsyncOne(operations.reports_reject)
    submit = AsyncOne(operations.reports_submit)
    update = AsyncOne(operations.reports_update)


class RuleResultsOperations(Group):
    """Operations on rule results."""

    approve = One(operations.rule_results_approve)
    bulk_approve = One(operations.rule_results_bulk_approve)
    bulk_dismiss = One(operations.rule_results_bulk_dismiss)
    bulk_reject = One(operations.rule_results_bulk_reject)
    dismiss = One(operations.rule_results_dismiss)
    find_impact = One(operations.rule_results_find_impact)
    get_impact = One(operations.rule_results_get_impact)
    get = One(operations.rule_results_get)
    list_of_project = Listed(operations.rule_results_list_of_project)
    list = Listed(operations.rule_results_list)
    reject = One(operations.rule_results_reject)


class AsyncRuleResultsOperations(AsyncGroup):
    """Operations on rule results."""

    approve = AsyncOne(operations.rule_results_approve)
    bulk_approve = AsyncOne(operations.rule_results_bulk_approve)
    bulk_dismiss = AsyncOne(operations.rule_results_bulk_dismiss)
    bulk_reject = AsyncOne(operations.rule_results_bulk_reject)
    dismiss = AsyncOne(operations.rule_results_dismiss)
    find_impact = AsyncOne(operations.rule_results_find_impact)
    get_impact = AsyncOne(operations.rule_results_get_impact)
    get = AsyncOne(operations.rule_results_get)
    list_of_project = AsyncListed(operations.rule_results_list_of_project)
    list = AsyncListed(operations.rule_results_list)
    reject = AsyncOne(operations.rule_results_reject)


class RuleRunsOperations(Group):
    """Operations on rule runs."""

    get = One(operations.rule_runs_get)
    list = Listed(operations.rule_runs_list)
    reverse = One(operations.rule_runs_reverse)
    start = Started(operations.rule_runs_start)


class AsyncRuleRunsOperations(AsyncGroup):
    """Operations on rule runs."""

    get = AsyncOne(operations.rule_runs_get)
    list = AsyncListed(operations.rule_runs_list)
    reverse = AsyncOne(operations.rule_runs_reverse)
    start = AsyncStarted(operations.rule_runs_start)


class RulesOperations(Group):
    """Operations on rules."""

    create = One(operations.rules_create)
    delete = One(operations.rules_delete)
    get = One(operations.rules_get)
    list_rule_versions = Listed(operations.rules_list_rule_versions)
    list = Listed(operations.rules_list)
    preview = One(operations.rules_preview)
    undo_corrections = One(operations.rules_undo_corrections)
    update = One(operations.rules_update)


class AsyncRulesOperations(AsyncGroup):
    """Operations on rules."""

    create = AsyncOne(operations.rules_create)
    delete = AsyncOne(operations.rules_delete)
    get = AsyncOne(operations.rules_get)
    list_rule_versions = AsyncListed(operations.rules_list_rule_versions)
    list = AsyncListed(operations.rules_list)
    preview = AsyncOne(operations.rules_preview)
    undo_corrections = AsyncOne(operations.rules_undo_corrections)
    update = AsyncOne(operations.rules_update)


class StatementsOperations(Group):
    """Operations on statements."""

    get = One(operations.statements_get)


class AsyncStatementsOperations(AsyncGroup):
    """Operations on statements."""

    get = AsyncOne(operations.statements_get)


class StaticInputsOperations(Group):
    """Operations on static inputs."""

    create = One(operations.static_inputs_create)
    get = One(operations.static_inputs_get)
    list = Listed(operations.static_inputs_list)


class AsyncStaticInputsOperations(AsyncGroup):
    """Operations on static inputs."""

    create = AsyncOne(operations.static_inputs_create)
    get = AsyncOne(operations.static_inputs_get)
    list = AsyncListed(operations.static_inputs_list)


class SubstitutionsOperations(Group):
    """Operations on substitutions."""

    list = Listed(operations.substitutions_list)


class AsyncSubstitutionsOperations(AsyncGroup):
    """Operations on substitutions."""

    list = AsyncListed(operations.substitutions_list)


class VersionComparisonsOperations(Group):
    """Operations on version comparisons."""

    compare_over_period = One(operations.version_comparisons_compare_over_period)


class AsyncVersionComparisonsOperations(AsyncGroup):
    """Operations on version comparisons."""

    compare_over_period = AsyncOne(operations.version_comparisons_compare_over_period)


class WebhooksOperations(Group):
    """Operations on webhooks."""

    create = One(operations.webhooks_create)
    delete = One(operations.webhooks_delete)
    get_delivery = One(operations.webhooks_get_delivery)
    get = One(operations.webhooks_get)
    list_deliveries = Listed(operations.webhooks_list_deliveries)
    list = Listed(operations.webhooks_list)
    redeliver = One(operations.webhooks_redeliver)
    roll_secret = One(operations.webhooks_roll_secret)
    try_ = One(operations.webhooks_try_)
    update = One(operations.webhooks_update)


class AsyncWebhooksOperations(AsyncGroup):
    """Operations on webhooks."""

    create = AsyncOne(operations.webhooks_create)
    delete = AsyncOne(operations.webhooks_delete)
    get_delivery = AsyncOne(operations.webhooks_get_delivery)
    get = AsyncOne(operations.webhooks_get)
    list_deliveries = AsyncListed(operations.webhooks_list_deliveries)
    list = AsyncListed(operations.webhooks_list)
    redeliver = AsyncOne(operations.webhooks_redeliver)
    roll_secret = AsyncOne(operations.webhooks_roll_secret)
    try_ = AsyncOne(operations.webhooks_try_)
    update = AsyncOne(operations.webhooks_update)


class Groups:
    """Every kind of record, each as an attribute."""

    def __init__(self, client: Waiting) -> None:
        self.api_tokens = ApiTokensOperations(client)
        self.asset_custom_fields = AssetCustomFieldsOperations(client)
        self.assets = AssetsOperations(client)
        self.async_tasks = AsyncTasksOperations(client)
        self.audit_log = AuditLogOperations(client)
        self.batch_generations = BatchGenerationsOperations(client)
        self.batches = BatchesOperations(client)
        self.capture_rates = CaptureRatesOperations(client)
        self.changes = ChangesOperations(client)
        self.data_feed_uploads = DataFeedUploadsOperations(client)
        self.data_feeds = DataFeedsOperations(client)
        self.data_points = DataPointsOperations(client)
        self.event_types = EventTypesOperations(client)
        self.events = EventsOperations(client)
        self.evidence = EvidenceOperations(client)
        self.exports = ExportsOperations(client)
        self.feature_flags = FeatureFlagsOperations(client)
        self.feedstocks = FeedstocksOperations(client)
        self.gaps = GapsOperations(client)
        self.instruments = InstrumentsOperations(client)
        self.ledgers = LedgersOperations(client)
        self.locations = LocationsOperations(client)
        self.methodologies = MethodologiesOperations(client)
        self.model_runs = ModelRunsOperations(client)
        self.models = ModelsOperations(client)
        self.outages = OutagesOperations(client)
        self.projects = ProjectsOperations(client)
        self.registries = RegistriesOperations(client)
        self.report_links = ReportLinksOperations(client)
        self.reports = ReportsOperations(client)
        self.rule_results = RuleResultsOperations(client)
        self.rule_runs = RuleRunsOperations(client)
        self.rules = RulesOperations(client)
        self.statements = StatementsOperations(client)
        self.static_inputs = StaticInputsOperations(client)
        self.substitutions = SubstitutionsOperations(client)
        self.version_comparisons = VersionComparisonsOperations(client)
        self.webhooks = WebhooksOperations(client)


class AsyncGroups:
    """Every kind of record, each as an attribute."""

    def __init__(self, client: Awaiting) -> None:
        self.api_tokens = AsyncApiTokensOperations(client)
        self.asset_custom_fields = AsyncAssetCustomFieldsOperations(client)
        self.assets = AsyncAssetsOperations(client)
        self.async_tasks = AsyncAsyncTasksOperations(client)
        self.audit_log = AsyncAuditLogOperations(client)
        self.batch_generations = AsyncBatchGenerationsOperations(client)
        self.batches = AsyncBatchesOperations(client)
        self.capture_rates = AsyncCaptureRatesOperations(client)
        self.changes = AsyncChangesOperations(client)
        self.data_feed_uploads = AsyncDataFeedUploadsOperations(client)
        self.data_feeds = AsyncDataFeedsOperations(client)
        self.data_points = AsyncDataPointsOperations(client)
        self.event_types = AsyncEventTypesOperations(client)
        self.events = AsyncEventsOperations(client)
        self.evidence = AsyncEvidenceOperations(client)
        self.exports = AsyncExportsOperations(client)
        self.feature_flags = AsyncFeatureFlagsOperations(client)
        self.feedstocks = AsyncFeedstocksOperations(client)
        self.gaps = AsyncGapsOperations(client)
        self.instruments = AsyncInstrumentsOperations(client)
        self.ledgers = AsyncLedgersOperations(client)
        self.locations = AsyncLocationsOperations(client)
        self.methodologies = AsyncMethodologiesOperations(client)
        self.model_runs = AsyncModelRunsOperations(client)
        self.models = AsyncModelsOperations(client)
        self.outages = AsyncOutagesOperations(client)
        self.projects = AsyncProjectsOperations(client)
        self.registries = AsyncRegistriesOperations(client)
        self.report_links = AsyncReportLinksOperations(client)
        self.reports = AsyncReportsOperations(client)
        self.rule_results = AsyncRuleResultsOperations(client)
        self.rule_runs = AsyncRuleRunsOperations(client)
        self.rules = AsyncRulesOperations(client)
        self.statements = AsyncStatementsOperations(client)
        self.static_inputs = AsyncStaticInputsOperations(client)
        self.substitutions = AsyncSubstitutionsOperations(client)
        self.version_comparisons = AsyncVersionComparisonsOperations(client)
        self.webhooks = AsyncWebhooksOperations(client)
