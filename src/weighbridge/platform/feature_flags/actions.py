"""Switch features on and off."""

from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Write
from weighbridge.platform import changes
from weighbridge.platform.feature_flags.queries import feature_flags
from weighbridge.platform.feature_flags.records import FeatureFlags


async def switch_feature(tx: Write, actor: Actor, feature: Feature, *, is_on: bool) -> FeatureFlags:
    """Switch a feature of the actor's account on or off; what it made stays."""
    before = await feature_flags(tx, actor.account_id)
    await tx.execute(
        """
        INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, %s, %s)
        ON CONFLICT (account_id, name) DO UPDATE SET is_on = excluded.is_on, updated_at = now()
        """,
        (actor.account_id, feature, is_on),
    )
    after = await feature_flags(tx, actor.account_id)
    if after != before:
        changes.record(tx, actor, action="feature_flag.switch", target=feature, before=before, after=after)
    return after
