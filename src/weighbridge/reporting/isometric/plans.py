"""The file of a submission to Isometric Certify: the plan of what is sent, by the mapping of its ledger."""

from typing import Final

from weighbridge.core import identity
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.report import MEDIA_TYPES, AdapterName, ReportFormat
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.platform.tenancy import key_named
from weighbridge.reporting.isometric.facts import read_facts
from weighbridge.reporting.isometric.mapping import CertifyMapping, read_mapping
from weighbridge.reporting.isometric.plan import build_plan, write_plan
from weighbridge.reporting.records.reports import Report
from weighbridge.reporting.submission.file import RenderedSubmission, render_report

PROBLEMS_MAX: Final = 100
"""Problems of a plan that one refusal names."""


async def render_for(
    tx: Read, report: Report, receiver: tuple[str, int | None], *, is_checked: bool
) -> RenderedSubmission:
    """What a receiver is sent of a report; Invalid with everything that keeps it from being sent."""
    adapter, registry = receiver
    if adapter != AdapterName.ISOMETRIC_CERTIFY or registry is None:
        return await render_report(tx, report, is_checked=is_checked)
    key = key_named("report", report.id)
    mapping = await read_stored_mapping(tx, key.project, registry, report)
    plan, problems = build_plan(mapping, await read_facts(tx, key, report, mapping))
    if problems and is_checked:
        raise Invalid(limit_problems(problems, PROBLEMS_MAX))
    return RenderedSubmission(MEDIA_TYPES[ReportFormat.JSON], ReportFormat.JSON, write_plan(plan))


async def read_stored_mapping(tx: Read, project: int, registry: int, report: Report) -> CertifyMapping:
    """The mapping of a report's ledger to a registry; Invalid where there is none that can be used."""
    if report.ledgers:
        roles = ", ".join(one.role for one in report.ledgers)
        message = (
            f"Isometric Certify takes removals of one ledger, and this report takes of several ({roles})."
            " Deductions are components of the removal there, which no mapping makes of ledgers: report the"
            " ledger by itself, or to another registry."
        )
        raise Invalid([Problem(message, "registry_id", "mapping")])
    ledger = identity.number("ledger", report.ledger_id or "", project)
    contents = await tx.value(
        """
        SELECT contents FROM registry_mappings
         WHERE project_id = %s AND registry_id = %s AND ledger_id = %s
        """,
        (project, registry, ledger),
    )
    if contents is None or report.liability is not None or not report.inclusion_count:
        message = f"The project has no registry mapping of ledger {report.ledger_id} to registry {registry}."
        if contents is not None:
            message = "Isometric Certify takes removals, and this report has none or owes something."
        raise Invalid([Problem(message, "registry_id", "mapping")])
    mapping, problems = read_mapping(contents)
    if mapping is None:
        raise Invalid(problems)
    return mapping
