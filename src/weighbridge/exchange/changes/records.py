"""What a change looks like on the wire."""

from typing import Annotated

import msgspec

from weighbridge.core.platform.change import ChangeAction, ChangeKind
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import one_of


class FeedChange(msgspec.Struct, frozen=True):
    """One record was changed; how it is now says the record itself."""

    cursor: str
    """Where the feed goes on behind this change: send it as `after`."""
    kind: Annotated[str, one_of(ChangeKind)]
    """What was changed."""
    action: Annotated[str, one_of(ChangeAction)]
    """What was done to it; events are voided and restored, corrections reverted, tasks started, completed and
    failed."""
    id: str
    """The id of the record; of a correction that of the data point, or of the event whose times or tags it
    corrects."""
    project_id: str | None
    """The friendly id of its project; null for a task of the account."""
    at: Instant
    """When the change took its place in the feed, soon after it was committed."""


class ChangePage(msgspec.Struct, frozen=True):
    """Changes in the order of the feed."""

    data: list[FeedChange]
    """The changes behind the cursor, oldest first."""
    cursor: str
    """Where the feed goes on behind all that was looked at: send it as `after`, also when `data` is empty."""
    has_more: bool
    """Whether there are more changes behind the cursor just now."""
