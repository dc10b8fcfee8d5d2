"""`weighbridge flag set`: which features an account has."""

import json
import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from weighbridge.commands.account import AccountOption
from weighbridge.commands.database import command_id, in_transaction, opened
from weighbridge.commands.options import DataDir, Json
from weighbridge.core.platform.feature_flag import FEATURES, Feature
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.db.engine import Write

STATES = {"on": True, "off": False}
"""What a flag is set to."""

FlagName = Annotated[str, Parameter(help=f"The feature: {', '.join(FEATURES)}.")]
OnOrOff = Annotated[str, Parameter(help="on or off.")]

flag = App(name="flag", help="Feature flags: parts of the service that an account may do without.")


def register(app: App) -> None:
    """Add the command."""
    app.command(flag)


@flag.command(name="set")
def set_flag(
    name: FlagName,
    state: OnOrOff,
    /,
    *,
    account: AccountOption = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Switch a feature of an account on or off; what it made stays and is there again with it.

    Example: `weighbridge flag set rules_engine off --account "North plant"`
    """
    problems = []
    if name not in set(Feature):
        problems.append(f"There is no feature {name!r}; there are {', '.join(FEATURES)}.")
    if state not in STATES:
        problems.append(f"A flag is on or off, not {state!r}.")
    if problems:
        raise Refusal(" ".join(problems))
    from weighbridge.platform.accounts.actions import (  # noqa: PLC0415 - slow to import
        DEFAULT_ACCOUNT,
        administrator_of,
    )
    from weighbridge.platform.feature_flags.actions import switch_feature  # noqa: PLC0415 - as above

    owner = account or DEFAULT_ACCOUNT

    async def switch(tx: "Write") -> dict[str, bool]:
        actor = await administrator_of(tx, owner, command_id())
        flags = await switch_feature(tx, actor, Feature(name), is_on=STATES[state])
        return {feature: getattr(flags, feature) for feature in FEATURES}

    with opened(data_dir) as url:
        flags = in_transaction(url, switch)
    sys.stdout.write((json.dumps(flags) if as_json else f"{name} is {state} for {owner}.") + "\n")
