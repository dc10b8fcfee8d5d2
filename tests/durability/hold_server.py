"""A process that uses the embedded server of a data directory until its standard input ends."""

import signal
import sys
from pathlib import Path

from weighbridge.db.embedded.instance import server

# A shell that runs the tests in the background has them ignore an interrupt, and their children after them.
signal.signal(signal.SIGINT, signal.default_int_handler)

with server(Path(sys.argv[1]), may_use_namespaces="--no-namespaces" not in sys.argv) as url:
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()
    sys.stdin.read()
