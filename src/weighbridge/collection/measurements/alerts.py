"""Alerts: the results of rules that stand on a record and ask for someone's attention.

That a record has findings is a fact about the record; quality writes them and tells their whole story. A
statement speaks of the result as `r`, of its rule as `u`, and takes the parameters project and `PARAMETERS`.

Invariant: a result stands while it is open, of the newest version of a rule that was not removed, and while
the account has the rules engine; whoever shows that a record has alerts means the same ones.
"""

from collections.abc import Mapping
from typing import Any, Final

from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.rule.result import ALERTS

WITH_RULE: Final = "JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL"

STANDS: Final = """
    r.closed_at IS NULL AND r.rule_version = u.latest_version
    AND NOT EXISTS (SELECT FROM projects p JOIN feature_flags g ON g.account_id = p.account_id
                     WHERE p.id = %(project)s AND g.name = %(feature)s AND NOT g.is_on)
"""

IS_ALERT: Final = "r.status = ANY (%(alerts)s)"

PARAMETERS: Final[Mapping[str, Any]] = {"feature": Feature.RULES_ENGINE, "alerts": sorted(ALERTS)}
