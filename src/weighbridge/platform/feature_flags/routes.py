"""The path of feature flags; they are switched on the command line."""

from weighbridge.core.platform.permission import ANY
from weighbridge.http.endpoint import ReadCall, get
from weighbridge.platform.feature_flags import queries
from weighbridge.platform.feature_flags.records import FeatureFlags


@get("/feature_flags", permission=ANY, returns=FeatureFlags)
async def get_feature_flags(call: ReadCall) -> FeatureFlags:
    """Read every feature flag of the account; false for those that are off."""
    return await queries.feature_flags(call.tx, call.actor.account_id)


ROUTES = [get_feature_flags]
