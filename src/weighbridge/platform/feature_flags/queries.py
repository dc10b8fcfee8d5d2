"""Read feature flags, and refuse what needs a feature that is off."""

from weighbridge.core.platform.feature_flag import FEATURES, REFUSALS, Feature
from weighbridge.db.engine import Read
from weighbridge.errors import Forbidden
from weighbridge.platform.feature_flags.records import FeatureFlags


async def feature_flags(tx: Read, account_id: int) -> FeatureFlags:
    """Every flag of an account."""
    rows = await tx.tuples(
        "SELECT name FROM feature_flags WHERE account_id = %s AND NOT is_on", (account_id,)
    )
    off = {name for (name,) in rows}
    return FeatureFlags(**{feature.value: feature.value not in off for feature in FEATURES})


async def is_on(tx: Read, account_id: int, feature: Feature) -> bool:
    """Whether an account has a feature."""
    is_off = await tx.value(
        "SELECT true FROM feature_flags WHERE account_id = %s AND name = %s AND NOT is_on",
        (account_id, feature),
    )
    return is_off is None


async def need_feature(tx: Read, account_id: int, feature: Feature) -> None:
    """Refuse a request whose account has the feature off."""
    if not await is_on(tx, account_id, feature):
        raise Forbidden(REFUSALS[feature], "feature_off")
