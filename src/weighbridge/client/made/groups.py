"""The operations on each kind of record, as methods of the two clients.

Made by `make docs` from the OpenAPI document; change the service, not this file.
"""

from weighbridge.client.binding import Awaiting, Carrier, Group, Listed, One, Started, Waiting
from weighbridge.client.made import operations


class AgentMappingsOperations(Group[Carrier]):
    """Operations on agent mappings."""

    create = One(operations.agent_mappings_create)
    get = One(operations.agent_mappings_get)
    list = Listed(operations.agent_mappings_list)


class AgentsOperations(Group[Carrier]):
    """Operations on agents."""

    browse = One(operations.agents_browse)
    delete = One(operations.agents_delete)
    get = One(operations.agents_get)
    list = Listed(operations.agents_list)
    report = One(operations.agents_report)
    update = One(operations.agents_update)


class ApiTokensOperations(Group[Carrier]):
    """Operations on api tokens."""

    create = One(operations.api_tokens_create)
    list = Listed(operations.api_tokens_list)
    reassign = One(operations.api_tokens_reassign)
    revoke = One(operations.api_tokens_revoke)


class AssetCustomFieldsOperations(Group[Carrier]):
    """Operations on asset custom fields."""

    create = One(operations.asset_custom_fields_create)
    delete = One(operations.asset_custom_fields_delete)
    list = Listed(operations.asset_custom_fields_list)


class AssetsOperations(Group[Carrier]):
    """Operations on assets."""

    create = One(operations.assets_create)
    delete = One(operations.assets_delete)
    export = One(operations.assets_export)
    get = One(operations.assets_get)
    import_ = One(operations.assets_import_)
    list = Listed(operations.assets_list)
    list_assets_of_project = Listed(operations.assets_list_assets_of_project)
    update = One(operations.assets_update)


class AsyncTasksOperations(Group[Carrier]):
    """Operations on async tasks."""

    cancel = One(operations.async_tasks_cancel)
    get = One(operations.async_tasks_get)
    list = Listed(operations.async_tasks_list)


class AuditLogOperations(Group[Carrier]):
    """Operations on audit log."""

    get_audit_consistency = One(operations.audit_log_get_audit_consistency)
    get_audit_head = One(operations.audit_log_get_audit_head)
    get_audit_key = One(operations.audit_log_get_audit_key)
    get_audit_keys = One(operations.audit_log_get_audit_keys)
    get_audit_proof = One(operations.audit_log_get_audit_proof)
    get_cosigned_head = One(operations.audit_log_get_cosigned_head)
    list = Listed(operations.audit_log_list)
    list_audit_witnesses = One(operations.audit_log_list_audit_witnesses)


class BalanceStepsOperations(Group[Carrier]):
    """Operations on balance steps."""

    list = One(operations.balance_steps_list)


class BatchGenerationsOperations(Group[Carrier]):
    """Operations on batch generations."""

    create = Started(operations.batch_generations_create)
    generate_impact = One(operations.batch_generations_generate_impact)
    generate_preview = One(operations.batch_generations_generate_preview)


class BatchesOperations(Group[Carrier]):
    """Operations on batches."""

    create_batch_deletion = Started(operations.batches_create_batch_deletion)
    delete = Started(operations.batches_delete)
    get = One(operations.batches_get)
    get_lineage = One(operations.batches_get_lineage)
    list = Listed(operations.batches_list)
    list_input_data = Listed(operations.batches_list_input_data)
    list_of_ledger = Listed(operations.batches_list_of_ledger)
    list_of_project = Listed(operations.batches_list_of_project)
    update_inputs = One(operations.batches_update_inputs)


class CalibrationsOperations(Group[Carrier]):
    """Operations on calibrations."""

    create = One(operations.calibrations_create)
    delete = One(operations.calibrations_delete)
    get = One(operations.calibrations_get)
    list = Listed(operations.calibrations_list)
    update = One(operations.calibrations_update)


class CaptureRatesOperations(Group[Carrier]):
    """Operations on capture rates."""

    get = One(operations.capture_rates_get)


class ChangesOperations(Group[Carrier]):
    """Operations on changes."""

    issue_ticket = One(operations.changes_issue_ticket)
    list = One(operations.changes_list)


class DataFeedUploadsOperations(Group[Carrier]):
    """Operations on data feed uploads."""

    create_upload = One(operations.data_feed_uploads_create_upload)
    download_bad_rows = One(operations.data_feed_uploads_download_bad_rows)
    get_invalid_rows = One(operations.data_feed_uploads_get_invalid_rows)
    get_upload = One(operations.data_feed_uploads_get_upload)
    list_uploads = Listed(operations.data_feed_uploads_list_uploads)


class DataFeedsOperations(Group[Carrier]):
    """Operations on data feeds."""

    create = One(operations.data_feeds_create)
    delete = One(operations.data_feeds_delete)
    get = One(operations.data_feeds_get)
    list = Listed(operations.data_feeds_list)
    suggest_columns = One(operations.data_feeds_suggest_columns)
    update = One(operations.data_feeds_update)


class DataPointsOperations(Group[Carrier]):
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


class EngagementsOperations(Group[Carrier]):
    """Operations on engagements."""

    answer_engagement_finding = One(operations.engagements_answer_engagement_finding)
    conclude_by_link = One(operations.engagements_conclude_by_link)
    conclude_with_opinion = One(operations.engagements_conclude_with_opinion)
    create = One(operations.engagements_create)
    create_engagement_by_link = One(operations.engagements_create_engagement_by_link)
    create_finding = One(operations.engagements_create_finding)
    create_finding_by_link = One(operations.engagements_create_finding_by_link)
    decide_engagement_finding = One(operations.engagements_decide_engagement_finding)
    decide_finding_by_link = One(operations.engagements_decide_finding_by_link)
    draw_engagement_sample = One(operations.engagements_draw_engagement_sample)
    draw_sample_by_link = One(operations.engagements_draw_sample_by_link)
    get = One(operations.engagements_get)
    get_engagement_by_link = One(operations.engagements_get_engagement_by_link)
    get_engagement_sample = One(operations.engagements_get_engagement_sample)
    get_sample_by_link = One(operations.engagements_get_sample_by_link)
    list = One(operations.engagements_list)
    list_engagements_by_link = One(operations.engagements_list_engagements_by_link)
    propose_opinion = One(operations.engagements_propose_opinion)
    propose_opinion_by_link = One(operations.engagements_propose_opinion_by_link)
    withdraw_by_link = One(operations.engagements_withdraw_by_link)
    withdraw_of_open = One(operations.engagements_withdraw_of_open)


class EventTypesOperations(Group[Carrier]):
    """Operations on event types."""

    create = One(operations.event_types_create)
    delete = One(operations.event_types_delete)
    get = One(operations.event_types_get)
    list = Listed(operations.event_types_list)
    update = One(operations.event_types_update)


class EventsOperations(Group[Carrier]):
    """Operations on events."""

    create = One(operations.events_create)
    get = One(operations.events_get)
    list = Listed(operations.events_list)
    update = One(operations.events_update)
    update_on_trial = One(operations.events_update_on_trial)
    void = One(operations.events_void)


class EvidenceOperations(Group[Carrier]):
    """Operations on evidence."""

    create = One(operations.evidence_create)
    download = One(operations.evidence_download)
    get = One(operations.evidence_get)
    list_of_batch = Listed(operations.evidence_list_of_batch)
    list_of_event = Listed(operations.evidence_list_of_event)


class ExportsOperations(Group[Carrier]):
    """Operations on exports."""

    download = One(operations.exports_download)
    download_ledger_batches = One(operations.exports_download_ledger_batches)
    get = One(operations.exports_get)


class FeatureFlagsOperations(Group[Carrier]):
    """Operations on feature flags."""

    get = One(operations.feature_flags_get)
    update = One(operations.feature_flags_update)


class FeedstocksOperations(Group[Carrier]):
    """Operations on feedstocks."""

    create = One(operations.feedstocks_create)
    delete = One(operations.feedstocks_delete)
    get = One(operations.feedstocks_get)
    list = Listed(operations.feedstocks_list)
    list_feedstocks_of_project = Listed(operations.feedstocks_list_feedstocks_of_project)
    update = One(operations.feedstocks_update)


class FootprintCallsOperations(Group[Carrier]):
    """Operations on footprint calls."""

    create = One(operations.footprint_calls_create)
    get = One(operations.footprint_calls_get)
    list = Listed(operations.footprint_calls_list)


class FootprintClientsOperations(Group[Carrier]):
    """Operations on footprint clients."""

    create = One(operations.footprint_clients_create)
    get = One(operations.footprint_clients_get)
    list = Listed(operations.footprint_clients_list)
    revoke = One(operations.footprint_clients_revoke)
    update = One(operations.footprint_clients_update)


class FootprintEventsOperations(Group[Carrier]):
    """Operations on footprint events."""

    get = One(operations.footprint_events_get)
    list = Listed(operations.footprint_events_list)


class FootprintPartnersOperations(Group[Carrier]):
    """Operations on footprint partners."""

    create = One(operations.footprint_partners_create)
    get = One(operations.footprint_partners_get)
    list = Listed(operations.footprint_partners_list)
    update = One(operations.footprint_partners_update)


class FootprintProductsOperations(Group[Carrier]):
    """Operations on footprint products."""

    create = One(operations.footprint_products_create)
    get = One(operations.footprint_products_get)
    list = Listed(operations.footprint_products_list)
    update = One(operations.footprint_products_update)


class FootprintsOperations(Group[Carrier]):
    """Operations on footprints."""

    check_of_sent = One(operations.footprints_check_of_sent)
    create = One(operations.footprints_create)
    deprecate = One(operations.footprints_deprecate)
    get = One(operations.footprints_get)
    list = Listed(operations.footprints_list)


class GapsOperations(Group[Carrier]):
    """Operations on gaps."""

    list = One(operations.gaps_list)


class IdentityProvidersOperations(Group[Carrier]):
    """Operations on identity providers."""

    create = One(operations.identity_providers_create)
    delete = One(operations.identity_providers_delete)
    get = One(operations.identity_providers_get)
    list = Listed(operations.identity_providers_list)
    update = One(operations.identity_providers_update)


class InstrumentsOperations(Group[Carrier]):
    """Operations on instruments."""

    create = One(operations.instruments_create)
    list = Listed(operations.instruments_list)


class LedgersOperations(Group[Carrier]):
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


class LocationsOperations(Group[Carrier]):
    """Operations on locations."""

    create = One(operations.locations_create)
    delete = One(operations.locations_delete)
    get = One(operations.locations_get)
    list = Listed(operations.locations_list)
    list_locations_of_account = Listed(operations.locations_list_locations_of_account)
    update = One(operations.locations_update)


class MethodologiesOperations(Group[Carrier]):
    """Operations on methodologies."""

    create = One(operations.methodologies_create)
    get = One(operations.methodologies_get)
    list = Listed(operations.methodologies_list)


class MethodologyPackagesOperations(Group[Carrier]):
    """Operations on methodology packages."""

    create = One(operations.methodology_packages_create)
    delete = One(operations.methodology_packages_delete)
    download = One(operations.methodology_packages_download)
    get = One(operations.methodology_packages_get)
    list_library_packages = One(operations.methodology_packages_list_library_packages)
    list = Listed(operations.methodology_packages_list)


class ModelRunsOperations(Group[Carrier]):
    """Operations on model runs."""

    create = One(operations.model_runs_create)
    delete = One(operations.model_runs_delete)
    get = One(operations.model_runs_get)
    list = Listed(operations.model_runs_list)


class ModelsOperations(Group[Carrier]):
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


class OutagesOperations(Group[Carrier]):
    """Operations on outages."""

    create = One(operations.outages_create)
    delete = One(operations.outages_delete)
    get = One(operations.outages_get)
    list = Listed(operations.outages_list)
    update = One(operations.outages_update)


class PackageInstallationsOperations(Group[Carrier]):
    """Operations on package installations."""

    create = One(operations.package_installations_create)
    delete = One(operations.package_installations_delete)
    get = One(operations.package_installations_get)
    list = Listed(operations.package_installations_list)
    preview = One(operations.package_installations_preview)
    preview_package_upgrade = One(operations.package_installations_preview_package_upgrade)
    upgrade = One(operations.package_installations_upgrade)


class ProjectsOperations(Group[Carrier]):
    """Operations on projects."""

    create = One(operations.projects_create)
    get = One(operations.projects_get)
    list = Listed(operations.projects_list)
    update = One(operations.projects_update)


class ReceivedFootprintsOperations(Group[Carrier]):
    """Operations on received footprints."""

    get = One(operations.received_footprints_get)
    list = Listed(operations.received_footprints_list)


class RegistriesOperations(Group[Carrier]):
    """Operations on registries."""

    create = One(operations.registries_create)
    get = One(operations.registries_get)
    list = Listed(operations.registries_list)
    update = One(operations.registries_update)


class RegistryMappingsOperations(Group[Carrier]):
    """Operations on registry mappings."""

    create = One(operations.registry_mappings_create)
    delete = One(operations.registry_mappings_delete)
    get = One(operations.registry_mappings_get)
    list = Listed(operations.registry_mappings_list)
    update = One(operations.registry_mappings_update)


class RegistryStatementsOperations(Group[Carrier]):
    """Operations on registry statements."""

    get = One(operations.registry_statements_get)
    list_registry_calls = Listed(operations.registry_statements_list_registry_calls)
    list_registry_catalogue = Listed(operations.registry_statements_list_registry_catalogue)
    read_registry_catalogue = One(operations.registry_statements_read_registry_catalogue)


class ReportLinksOperations(Group[Carrier]):
    """Operations on report links."""

    create = One(operations.report_links_create)
    download_bundle_by_link = One(operations.report_links_download_bundle_by_link)
    get_audit_consistency_by_link = One(operations.report_links_get_audit_consistency_by_link)
    get_audit_head_by_link = One(operations.report_links_get_audit_head_by_link)
    get_audit_key_by_link = One(operations.report_links_get_audit_key_by_link)
    get_audit_keys_by_link = One(operations.report_links_get_audit_keys_by_link)
    get_audit_proof_by_link = One(operations.report_links_get_audit_proof_by_link)
    get_cosigned_head_by_link = One(operations.report_links_get_cosigned_head_by_link)
    list_links_of_account = Listed(operations.report_links_list_links_of_account)
    list = Listed(operations.report_links_list)
    open_report = One(operations.report_links_open_report)
    reassign = One(operations.report_links_reassign)
    revoke = One(operations.report_links_revoke)


class ReportPreviewsOperations(Group[Carrier]):
    """Operations on report previews."""

    preview_report = One(operations.report_previews_preview_report)


class ReportUncertaintyOperations(Group[Carrier]):
    """Operations on report uncertainty."""

    get_materiality = One(operations.report_uncertainty_get_materiality)
    get_materiality_by_link = One(operations.report_uncertainty_get_materiality_by_link)
    get = One(operations.report_uncertainty_get)
    get_report_uncertainty_by_link = One(operations.report_uncertainty_get_report_uncertainty_by_link)


class ReportsOperations(Group[Carrier]):
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
    merge = One(operations.reports_merge)
    reject = One(operations.reports_reject)
    split = One(operations.reports_split)
    submit = One(operations.reports_submit)
    update = One(operations.reports_update)
    withdraw = One(operations.reports_withdraw)


class RuleResultsOperations(Group[Carrier]):
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


class RuleRunsOperations(Group[Carrier]):
    """Operations on rule runs."""

    get = One(operations.rule_runs_get)
    list = Listed(operations.rule_runs_list)
    reverse = One(operations.rule_runs_reverse)
    start = Started(operations.rule_runs_start)


class RulesOperations(Group[Carrier]):
    """Operations on rules."""

    create = One(operations.rules_create)
    delete = One(operations.rules_delete)
    get = One(operations.rules_get)
    list_rule_versions = Listed(operations.rules_list_rule_versions)
    list = Listed(operations.rules_list)
    preview = One(operations.rules_preview)
    undo_corrections = One(operations.rules_undo_corrections)
    update = One(operations.rules_update)


class SavedViewsOperations(Group[Carrier]):
    """Operations on saved views."""

    create = One(operations.saved_views_create)
    delete = One(operations.saved_views_delete)
    get = One(operations.saved_views_get)
    list = Listed(operations.saved_views_list)
    update = One(operations.saved_views_update)


class StatementsOperations(Group[Carrier]):
    """Operations on statements."""

    get = One(operations.statements_get)


class StaticInputsOperations(Group[Carrier]):
    """Operations on static inputs."""

    create = One(operations.static_inputs_create)
    get = One(operations.static_inputs_get)
    list = Listed(operations.static_inputs_list)


class SubstitutionsOperations(Group[Carrier]):
    """Operations on substitutions."""

    list = Listed(operations.substitutions_list)


class UncertaintyRunsOperations(Group[Carrier]):
    """Operations on uncertainty runs."""

    get = One(operations.uncertainty_runs_get)
    list_of_batch = Listed(operations.uncertainty_runs_list_of_batch)
    list_of_report = Listed(operations.uncertainty_runs_list_of_report)
    start_of_batch = One(operations.uncertainty_runs_start_of_batch)
    start_of_report = One(operations.uncertainty_runs_start_of_report)


class UncertaintySavingsOperations(Group[Carrier]):
    """Operations on uncertainty savings."""

    get = One(operations.uncertainty_savings_get)


class VersionComparisonsOperations(Group[Carrier]):
    """Operations on version comparisons."""

    compare_over_period = One(operations.version_comparisons_compare_over_period)


class WebhooksOperations(Group[Carrier]):
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


class Groups:
    """Every kind of record, each as an attribute."""

    def __init__(self, client: Waiting) -> None:
        self.agent_mappings = AgentMappingsOperations(client)
        self.agents = AgentsOperations(client)
        self.api_tokens = ApiTokensOperations(client)
        self.asset_custom_fields = AssetCustomFieldsOperations(client)
        self.assets = AssetsOperations(client)
        self.async_tasks = AsyncTasksOperations(client)
        self.audit_log = AuditLogOperations(client)
        self.balance_steps = BalanceStepsOperations(client)
        self.batch_generations = BatchGenerationsOperations(client)
        self.batches = BatchesOperations(client)
        self.calibrations = CalibrationsOperations(client)
        self.capture_rates = CaptureRatesOperations(client)
        self.changes = ChangesOperations(client)
        self.data_feed_uploads = DataFeedUploadsOperations(client)
        self.data_feeds = DataFeedsOperations(client)
        self.data_points = DataPointsOperations(client)
        self.engagements = EngagementsOperations(client)
        self.event_types = EventTypesOperations(client)
        self.events = EventsOperations(client)
        self.evidence = EvidenceOperations(client)
        self.exports = ExportsOperations(client)
        self.feature_flags = FeatureFlagsOperations(client)
        self.feedstocks = FeedstocksOperations(client)
        self.footprint_calls = FootprintCallsOperations(client)
        self.footprint_clients = FootprintClientsOperations(client)
        self.footprint_events = FootprintEventsOperations(client)
        self.footprint_partners = FootprintPartnersOperations(client)
        self.footprint_products = FootprintProductsOperations(client)
        self.footprints = FootprintsOperations(client)
        self.gaps = GapsOperations(client)
        self.identity_providers = IdentityProvidersOperations(client)
        self.instruments = InstrumentsOperations(client)
        self.ledgers = LedgersOperations(client)
        self.locations = LocationsOperations(client)
        self.methodologies = MethodologiesOperations(client)
        self.methodology_packages = MethodologyPackagesOperations(client)
        self.model_runs = ModelRunsOperations(client)
        self.models = ModelsOperations(client)
        self.outages = OutagesOperations(client)
        self.package_installations = PackageInstallationsOperations(client)
        self.projects = ProjectsOperations(client)
        self.received_footprints = ReceivedFootprintsOperations(client)
        self.registries = RegistriesOperations(client)
        self.registry_mappings = RegistryMappingsOperations(client)
        self.registry_statements = RegistryStatementsOperations(client)
        self.report_links = ReportLinksOperations(client)
        self.report_previews = ReportPreviewsOperations(client)
        self.report_uncertainty = ReportUncertaintyOperations(client)
        self.reports = ReportsOperations(client)
        self.rule_results = RuleResultsOperations(client)
        self.rule_runs = RuleRunsOperations(client)
        self.rules = RulesOperations(client)
        self.saved_views = SavedViewsOperations(client)
        self.statements = StatementsOperations(client)
        self.static_inputs = StaticInputsOperations(client)
        self.substitutions = SubstitutionsOperations(client)
        self.uncertainty_runs = UncertaintyRunsOperations(client)
        self.uncertainty_savings = UncertaintySavingsOperations(client)
        self.version_comparisons = VersionComparisonsOperations(client)
        self.webhooks = WebhooksOperations(client)


class AsyncGroups:
    """Every kind of record, each as an attribute."""

    def __init__(self, client: Awaiting) -> None:
        self.agent_mappings = AgentMappingsOperations(client)
        self.agents = AgentsOperations(client)
        self.api_tokens = ApiTokensOperations(client)
        self.asset_custom_fields = AssetCustomFieldsOperations(client)
        self.assets = AssetsOperations(client)
        self.async_tasks = AsyncTasksOperations(client)
        self.audit_log = AuditLogOperations(client)
        self.balance_steps = BalanceStepsOperations(client)
        self.batch_generations = BatchGenerationsOperations(client)
        self.batches = BatchesOperations(client)
        self.calibrations = CalibrationsOperations(client)
        self.capture_rates = CaptureRatesOperations(client)
        self.changes = ChangesOperations(client)
        self.data_feed_uploads = DataFeedUploadsOperations(client)
        self.data_feeds = DataFeedsOperations(client)
        self.data_points = DataPointsOperations(client)
        self.engagements = EngagementsOperations(client)
        self.event_types = EventTypesOperations(client)
        self.events = EventsOperations(client)
        self.evidence = EvidenceOperations(client)
        self.exports = ExportsOperations(client)
        self.feature_flags = FeatureFlagsOperations(client)
        self.feedstocks = FeedstocksOperations(client)
        self.footprint_calls = FootprintCallsOperations(client)
        self.footprint_clients = FootprintClientsOperations(client)
        self.footprint_events = FootprintEventsOperations(client)
        self.footprint_partners = FootprintPartnersOperations(client)
        self.footprint_products = FootprintProductsOperations(client)
        self.footprints = FootprintsOperations(client)
        self.gaps = GapsOperations(client)
        self.identity_providers = IdentityProvidersOperations(client)
        self.instruments = InstrumentsOperations(client)
        self.ledgers = LedgersOperations(client)
        self.locations = LocationsOperations(client)
        self.methodologies = MethodologiesOperations(client)
        self.methodology_packages = MethodologyPackagesOperations(client)
        self.model_runs = ModelRunsOperations(client)
        self.models = ModelsOperations(client)
        self.outages = OutagesOperations(client)
        self.package_installations = PackageInstallationsOperations(client)
        self.projects = ProjectsOperations(client)
        self.received_footprints = ReceivedFootprintsOperations(client)
        self.registries = RegistriesOperations(client)
        self.registry_mappings = RegistryMappingsOperations(client)
        self.registry_statements = RegistryStatementsOperations(client)
        self.report_links = ReportLinksOperations(client)
        self.report_previews = ReportPreviewsOperations(client)
        self.report_uncertainty = ReportUncertaintyOperations(client)
        self.reports = ReportsOperations(client)
        self.rule_results = RuleResultsOperations(client)
        self.rule_runs = RuleRunsOperations(client)
        self.rules = RulesOperations(client)
        self.saved_views = SavedViewsOperations(client)
        self.statements = StatementsOperations(client)
        self.static_inputs = StaticInputsOperations(client)
        self.substitutions = SubstitutionsOperations(client)
        self.uncertainty_runs = UncertaintyRunsOperations(client)
        self.uncertainty_savings = UncertaintySavingsOperations(client)
        self.version_comparisons = VersionComparisonsOperations(client)
        self.webhooks = WebhooksOperations(client)
