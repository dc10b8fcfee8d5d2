"""The table of contents of the web app: the pages of every area, and plain ones for what has none."""

from collections.abc import Sequence
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.http.messages.operation import Endpoint
from weighbridge.web.forms import pages, rows, suggestions
from weighbridge.web.framework import responses
from weighbridge.web.pages import (
    batches,
    completeness,
    engagements,
    event_forms,
    events,
    generation,
    ledgers,
    operations,
    over_time,
    overview,
    records,
    report_links,
    reports,
    rule_editor,
    rule_results,
    rules,
    saved_views,
    search,
    uncertainty,
)
from weighbridge.web.pages.access import by_provider, people, sign_in
from weighbridge.web.pages.certify import mappings
from weighbridge.web.pages.data_feeds import agent_mappings, agents, feed_form, feeds, uploads
from weighbridge.web.pages.footprints import checking, clients, making
from weighbridge.web.pages.models import editor, trials, versions
from weighbridge.web.pages.packages import catalogue, installations, package

PAGES: Final = (
    sign_in,
    by_provider,
    people,
    overview,
    completeness,
    events,
    records,
    search,
    saved_views,
    operations,
    over_time,
    agents,
    agent_mappings,
    feeds,
    uploads,
    feed_form,
    versions,
    editor,
    trials,
    catalogue,
    package,
    installations,
    rules,
    rule_editor,
    rule_results,
    ledgers,
    batches,
    generation,
    reports,
    mappings,
    uncertainty,
    report_links,
    engagements,
    making,
    checking,
    clients,
    pages,
    rows,
    event_forms,
    suggestions,
)
"""The files with pages; each lists its own as `PAGES`."""


def routes(slices: Sequence[Sequence[Endpoint]]) -> list[HTTPRouteHandler]:
    """The handlers of all pages; a record of the interface that has no page of its own gets a plain one."""
    page_handlers = [handler for area in PAGES for handler in area.PAGES]
    page_paths = {
        path for handler in page_handlers for path in handler.paths if "GET" in handler.http_methods
    }
    return [*page_handlers, *records.pages(slices, page_paths), *responses.ROUTES]
