"""A process that uses the embedded server of a data directory until its standard input ends."""

import sys
from pathlib import Path

from weighbridge.db.embedded import server

with server(Path(sys.argv[1]), may_use_namespaces="--no-namespaces" not in sys.argv) as url:
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()
    sys.stdin.read()
