"""What is told of a session, and of the person in it."""

from typing import Final

import msgspec

from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import Instant

IDLE_HOURS: Final = 12
"""After how many hours without use a session ends."""

SESSION_DAYS: Final = 7
"""After how many days a session ends, however much it is used."""


class Person(msgspec.Struct, frozen=True):
    """Who has signed in, by which session, and for whom that acts."""

    actor: Actor
    session_id: int
    name: str
    email: str
    account: str


class Session(msgspec.Struct, frozen=True):
    """One session of a user, as they see it among theirs."""

    id: int
    program: str
    created_at: Instant
    used_at: Instant
