"""What the statements about corrections of a rule have in common, as literals by name."""

from psycopg.sql import SQL, Composable

from weighbridge.core.collection.correction import NOT_REVERTED, CorrectionOrigin
from weighbridge.core.rule.proposal import ApprovalState
from weighbridge.db.literal import Literal
from weighbridge.quality.versions.period import Period
from weighbridge.quality.versions.stored_version import StoredVersion


def of_version(version: StoredVersion) -> dict[str, Composable]:
    """Which rule and version a statement is about, with the states and sources that it speaks of."""
    return {
        "project": Literal(version.project),
        "rule": Literal(version.rule),
        "version": Literal(version.version),
        "priority": Literal(version.priority),
        "not_reverted": Literal([state.value for state in NOT_REVERTED]),
        "manual": Literal(CorrectionOrigin.MANUAL.value),
        "approved": Literal(ApprovalState.APPROVED.value),
    }


def starts_in(period: Period) -> Composable:
    """The condition that an event `e` starts in a period, whatever its type."""
    start, end = period
    before = SQL("true") if end is None else SQL("e.start_time < {}").format(Literal(end))
    return SQL("e.start_time >= {} AND {}").format(Literal(start), before)
