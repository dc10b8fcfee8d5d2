"""The page that checks a footprint which somebody pastes: what does not add up, and by how much."""

import json

from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.footprints.footprints import list_findings
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import View, Visit, view


async def footprint_check(visit: Visit) -> View:
    """The form that takes a footprint to be checked."""
    return _show(visit)


@form(
    "/footprints/check", permission="production_accounting:read", error_page=footprint_check, everywhere=True
)
async def check_pasted(visit: Visit) -> View:
    """What is wrong with the footprint; nothing is stored."""
    try:
        content = json.loads(visit.text("content"))
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise Invalid([Problem("The text is no JSON object.", "content", "invalid")])
    return _show(visit, list_findings(content.get("data", content)))


def _show(visit: Visit, findings: object = None) -> View:
    return view(
        "footprints/check.html", "Check a footprint",
        call="/footprints/check", method="POST", crumbs=(("Footprints", visit.url("footprints")),),
        findings=findings, path=visit.url("footprints/check"),
    )  # fmt: skip


PAGES = [
    *page("/footprints/check", permission="production_accounting:read", everywhere=True)(footprint_check),
    *check_pasted,
]
