"""The table of contents: every slice of the interface, in the order in which the document lists them.

What serves the interface, documents it or writes its lists to files reads it here.
"""

from collections.abc import Sequence
from typing import Final

from weighbridge.accounting.balance_steps import ROUTES as BALANCE_STEPS
from weighbridge.accounting.batch_generations import ROUTES as BATCH_GENERATIONS
from weighbridge.accounting.batches import ROUTES as BATCHES
from weighbridge.accounting.instruments import ROUTES as INSTRUMENTS
from weighbridge.accounting.ledgers import ROUTES as LEDGERS
from weighbridge.accounting.model_runs import ROUTES as MODEL_RUNS
from weighbridge.accounting.statements import ROUTES as STATEMENTS
from weighbridge.accounting.uncertainty_runs import ROUTES as UNCERTAINTY_RUNS
from weighbridge.accounting.uncertainty_savings import ROUTES as UNCERTAINTY_SAVINGS
from weighbridge.accounting.version_comparisons import ROUTES as VERSION_COMPARISONS
from weighbridge.collection.agent_mappings import ROUTES as AGENT_MAPPINGS
from weighbridge.collection.agents import ROUTES as AGENTS
from weighbridge.collection.asset_custom_fields import ROUTES as ASSET_CUSTOM_FIELDS
from weighbridge.collection.assets import ROUTES as ASSETS
from weighbridge.collection.calibrations import ROUTES as CALIBRATIONS
from weighbridge.collection.data_points import ROUTES as DATA_POINTS
from weighbridge.collection.event_types import ROUTES as EVENT_TYPES
from weighbridge.collection.events import ROUTES as EVENTS
from weighbridge.collection.evidence import ROUTES as EVIDENCE
from weighbridge.collection.feedstocks import ROUTES as FEEDSTOCKS
from weighbridge.collection.locations import ROUTES as LOCATIONS
from weighbridge.collection.outages import ROUTES as OUTAGES
from weighbridge.collection.projects import ROUTES as PROJECTS
from weighbridge.exchange.changes import ROUTES as CHANGES
from weighbridge.exchange.data_feed_uploads import ROUTES as DATA_FEED_UPLOADS
from weighbridge.exchange.data_feeds import ROUTES as DATA_FEEDS
from weighbridge.exchange.exports import ROUTES as EXPORTS
from weighbridge.exchange.webhooks import ROUTES as WEBHOOKS
from weighbridge.footprints.footprint_calls import ROUTES as FOOTPRINT_CALLS
from weighbridge.footprints.footprint_clients import ROUTES as FOOTPRINT_CLIENTS
from weighbridge.footprints.footprint_events import ROUTES as FOOTPRINT_EVENTS
from weighbridge.footprints.footprint_partners import ROUTES as FOOTPRINT_PARTNERS
from weighbridge.footprints.footprint_products import ROUTES as FOOTPRINT_PRODUCTS
from weighbridge.footprints.footprints import ROUTES as FOOTPRINTS
from weighbridge.footprints.received_footprints import ROUTES as RECEIVED_FOOTPRINTS
from weighbridge.http.endpoints.dry_runs import with_dry_runs
from weighbridge.http.messages.operation import Endpoint
from weighbridge.modelling.models import ROUTES as MODELS
from weighbridge.modelling.static_inputs import ROUTES as STATIC_INPUTS
from weighbridge.packages.methodology_packages import ROUTES as METHODOLOGY_PACKAGES
from weighbridge.packages.package_installations import ROUTES as PACKAGE_INSTALLATIONS
from weighbridge.platform.api_tokens import ROUTES as API_TOKENS
from weighbridge.platform.async_tasks import ROUTES as ASYNC_TASKS
from weighbridge.platform.audit_log import ROUTES as AUDIT_LOG
from weighbridge.platform.feature_flags import ROUTES as FEATURE_FLAGS
from weighbridge.platform.identity_providers import ROUTES as IDENTITY_PROVIDERS
from weighbridge.platform.saved_views import ROUTES as SAVED_VIEWS
from weighbridge.quality.capture_rates import ROUTES as CAPTURE_RATES
from weighbridge.quality.gaps import ROUTES as GAPS
from weighbridge.quality.review.impact import DRY_RUNS
from weighbridge.quality.rule_results import ROUTES as RULE_RESULTS
from weighbridge.quality.rule_runs import ROUTES as RULE_RUNS
from weighbridge.quality.rules import ROUTES as RULES
from weighbridge.quality.substitutions import ROUTES as SUBSTITUTIONS
from weighbridge.reporting.engagements import ROUTES as ENGAGEMENTS
from weighbridge.reporting.methodologies import ROUTES as METHODOLOGIES
from weighbridge.reporting.registries import ROUTES as REGISTRIES
from weighbridge.reporting.registry_mappings import ROUTES as REGISTRY_MAPPINGS
from weighbridge.reporting.registry_statements import ROUTES as REGISTRY_STATEMENTS
from weighbridge.reporting.report_links import ROUTES as REPORT_LINKS
from weighbridge.reporting.report_previews import ROUTES as REPORT_PREVIEWS
from weighbridge.reporting.report_uncertainty import ROUTES as REPORT_UNCERTAINTY
from weighbridge.reporting.reports import ROUTES as REPORTS

SLICES: Sequence[Sequence[Endpoint]] = (
    PROJECTS,
    EVENT_TYPES,
    LOCATIONS,
    FEEDSTOCKS,
    ASSETS,
    ASSET_CUSTOM_FIELDS,
    STATIC_INPUTS,
    OUTAGES,
    AGENTS,
    AGENT_MAPPINGS,
    CALIBRATIONS,
    with_dry_runs(EVENTS, DRY_RUNS),
    with_dry_runs(DATA_POINTS, DRY_RUNS),
    EVIDENCE,
    MODELS,
    MODEL_RUNS,
    LEDGERS,
    STATEMENTS,
    BALANCE_STEPS,
    INSTRUMENTS,
    BATCH_GENERATIONS,
    BATCHES,
    UNCERTAINTY_RUNS,
    UNCERTAINTY_SAVINGS,
    VERSION_COMPARISONS,
    RULES,
    RULE_RUNS,
    RULE_RESULTS,
    CAPTURE_RATES,
    GAPS,
    SUBSTITUTIONS,
    DATA_FEEDS,
    DATA_FEED_UPLOADS,
    EXPORTS,
    CHANGES,
    WEBHOOKS,
    REGISTRIES,
    REGISTRY_MAPPINGS,
    REGISTRY_STATEMENTS,
    METHODOLOGIES,
    METHODOLOGY_PACKAGES,
    PACKAGE_INSTALLATIONS,
    REPORTS,
    REPORT_PREVIEWS,
    REPORT_UNCERTAINTY,
    REPORT_LINKS,
    ENGAGEMENTS,
    FOOTPRINT_PRODUCTS,
    FOOTPRINTS,
    FOOTPRINT_CLIENTS,
    FOOTPRINT_PARTNERS,
    FOOTPRINT_CALLS,
    FOOTPRINT_EVENTS,
    RECEIVED_FOOTPRINTS,
    FEATURE_FLAGS,
    SAVED_VIEWS,
    ASYNC_TASKS,
    API_TOKENS,
    IDENTITY_PROVIDERS,
    AUDIT_LOG,
)

EXPORTED: Final = {
    endpoint.operation.name: endpoint.operation
    for routes in SLICES
    for endpoint in routes
    if (listing := endpoint.operation.listing) and listing.is_exported
}
"""The lists that are written to files, by the names of their operations."""
