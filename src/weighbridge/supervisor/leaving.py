"""The end of a process that has nothing left to do."""

import logging
import os
import sys


def leave() -> None:
    """End the process before the interpreter takes itself apart, with what it said written.

    Threads that would still want it then abort the process, or are waited for.
    """
    logging.shutdown()
    sys.stderr.flush()
    os._exit(0)
