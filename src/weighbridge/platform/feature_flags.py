"""Feature flags: which parts of the service an account has.

Each is on unless it was switched off, but for those that are off until they are switched on (`SWITCHED_ON`).
"""

from msgspec import UNSET

from weighbridge.core.platform.permission import ANY, Actor
from weighbridge.core.platform.settings import FEATURES, REFUSALS, SWITCHED_ON, Feature
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Forbidden
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, patch
from weighbridge.platform import changes
from weighbridge.platform.records import FeatureFlags, FeatureFlagsBody


async def feature_flags(tx: Read, account_id: int) -> FeatureFlags:
    """Every flag of an account."""
    rows = await tx.tuples("SELECT name, is_on FROM feature_flags WHERE account_id = %s", (account_id,))
    switched: dict[str, bool] = dict(rows)
    return FeatureFlags(
        **{feature.value: switched.get(feature.value, feature not in SWITCHED_ON) for feature in FEATURES}
    )


async def is_on(tx: Read, account_id: int, feature: Feature) -> bool:
    """Whether an account has a feature."""
    switched: bool | None = await tx.value(
        "SELECT is_on FROM feature_flags WHERE account_id = %s AND name = %s", (account_id, feature)
    )
    return feature not in SWITCHED_ON if switched is None else switched


async def need_feature(tx: Read, account_id: int, feature: Feature) -> None:
    """Refuse a request whose account has the feature off."""
    if not await is_on(tx, account_id, feature):
        raise Forbidden(REFUSALS[feature], "feature_off")


async def switch_feature(tx: Write, actor: Actor, feature: Feature, *, is_on: bool) -> FeatureFlags:
    """Switch a feature of the actor's account on or off; what it made stays."""
    before = await feature_flags(tx, actor.account_id)
    await tx.execute(
        """
        INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, %s, %s)
        ON CONFLICT (account_id, name) DO UPDATE SET is_on = excluded.is_on, updated_at = excluded.updated_at
        """,
        (actor.account_id, feature, is_on),
    )
    after = await feature_flags(tx, actor.account_id)
    if after != before:
        changes.record(tx, actor, action="feature_flag.switch", target=feature, before=before, after=after)
    return after


@get("/feature_flags", permission=ANY, returns=FeatureFlags)
async def get_feature_flags(call: ReadCall) -> FeatureFlags:
    """Read every feature flag of the account; false for those that are off."""
    return await feature_flags(call.tx, call.actor.account_id)


@patch(
    "/feature_flags",
    permission="administration:write",
    body=FeatureFlagsBody,
    returns=FeatureFlags,
    example={"feature_flags": {"data_capture_rate": True}},
)
async def update_feature_flags(call: WriteCall, body: FeatureFlagsBody) -> FeatureFlags:
    """Switch features of the account on or off; what a feature made stays, and is there again with it.

    The audit log names who switched which, `approval_of_own` among them, which asks for a second person.
    """
    flags = await feature_flags(call.tx, call.actor.account_id)
    for feature in FEATURES:
        is_on = getattr(body.feature_flags, feature)
        if is_on is not UNSET and is_on != getattr(flags, feature):
            flags = await switch_feature(call.tx, call.actor, feature, is_on=is_on)
    return flags


ROUTES = [get_feature_flags, update_feature_flags]
