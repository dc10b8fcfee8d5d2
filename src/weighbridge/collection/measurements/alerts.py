"""Alerts: the results of rules that are shown with a record and ask for someone's attention.

A statement speaks of the result as `r` and of its rule as `u`, and takes the parameters project and
`PARAMETERS`.

Invariant: whoever says that a record has alerts means results that `findings.SHOWN` shows, and of these the
ones whose status is among `ALERTS`.
"""

from collections.abc import Mapping
from typing import Any, Final

from weighbridge.collection.measurements.findings import SHOWN
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.rule.result import ALERTS

WITH_RULE: Final = "JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL"

IS_ALERT: Final = f"r.status = ANY (%(alerts)s) AND {SHOWN}"

PARAMETERS: Final[Mapping[str, Any]] = {"feature": Feature.RULES_ENGINE, "alerts": sorted(ALERTS)}
