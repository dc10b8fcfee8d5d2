"""The table of contents of the web app: the pages of every area, and plain ones for what has none."""

from collections.abc import Sequence
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.web import assets
from weighbridge.web.access import joining, people, sign_in
from weighbridge.web.data import (
    event,
    events,
    evidence,
    feed_form,
    feeds,
    gaps,
    over_time,
    point,
    uploads,
)
from weighbridge.web.forms import event_change, new_event
from weighbridge.web.forms import pages as record_forms
from weighbridge.web.ledgers import batch, batches, deletion, generation, ledger, ledgers
from weighbridge.web.models import editor as model_editor
from weighbridge.web.models import models, trying, version
from weighbridge.web.operations import audit, flags, health, tasks, tokens, webhooks
from weighbridge.web.overview import completeness, projects
from weighbridge.web.records import finding, opening, plain
from weighbridge.web.reports import report, reports, verifier
from weighbridge.web.rules import editor as rule_editor
from weighbridge.web.rules import inbox, results, review, rules

AREAS: Final = (
    *(sign_in, joining, people, projects, completeness, events, event, opening, finding),
    *(tasks, tokens, webhooks, audit, flags, health),
    *(over_time, point, gaps, evidence, feeds, feed_form, uploads),
    *(models, version, model_editor, trying),
    *(rules, rule_editor, results, inbox, review),
    *(ledgers, ledger, batches, batch, deletion, generation),
    *(reports, report, verifier),
    *(record_forms, new_event, event_change),
)
"""The files with pages; each lists its own as `PAGES`."""


def routes(slices: Sequence[Sequence[HTTPRouteHandler]]) -> list[HTTPRouteHandler]:
    """The handlers of all pages; a record of the interface that has no page of its own gets a plain one."""
    own = [handler for area in AREAS for handler in area.PAGES]
    taken = {path for handler in own for path in handler.paths if "GET" in handler.http_methods}
    return [*own, *plain.pages(slices, taken), *assets.ROUTES]
