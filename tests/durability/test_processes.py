"""What tests of durability know of processes: which of those in a log still live.

`lives`.
"""

import os
from datetime import UTC, datetime, timedelta

from tests.durability.processes import lives


def test_a_process_that_began_after_its_line_was_written_is_another():
    now = datetime.now(UTC)
    mine = {"pid": os.getpid(), "timestamp": now.isoformat()}
    of_another = {"pid": os.getpid(), "timestamp": (now - timedelta(days=365)).isoformat()}

    assert (lives(mine), lives(of_another)) == (True, False)
    assert not lives({"pid": 2**22 + 1, "timestamp": now.isoformat()})
