"""Flags are switched by an action of the command line."""

from weighbridge.core.platform.settings import Feature
from weighbridge.platform.feature_flags import switch_feature


def switch(account, feature, *, is_on):
    async def alone():
        async with account.server.database.write() as tx:
            return await switch_feature(tx, account.actor, feature, is_on=is_on)

    return account.server.run(alone())


def test_a_switched_feature_is_off_and_on_again(account, api):
    switch(account, Feature.RULES_ENGINE, is_on=False)
    assert api.get("/feature_flags").body["rules_engine"] is False

    switch(account, Feature.RULES_ENGINE, is_on=True)
    assert api.get("/feature_flags").body["rules_engine"] is True


def test_only_a_change_leaves_a_row_in_the_audit_log(account, sql):
    for _ in range(2):
        switch(account, Feature.DATA_CAPTURE_RATE, is_on=False)

    assert sql(
        "SELECT object, after ->> 'data_capture_rate' FROM audit_log"
        " WHERE account_id = %s AND action = 'feature_flag.switch'",
        account.id,
    ) == [("data_capture_rate", "false")]
