"""The bystander: somebody with an account who asks for small things, and keeps the times.

Half of the requests go over a connection that is kept, half over a new one. The process prints what it saw as
one line of JSON: the times in milliseconds and the failures.

    python -m tools.attack.bystander HOST PORT TOKEN PROJECT SECONDS
"""

import http.client
import json
import sys
import time
from itertools import count
from typing import Any, Final

from tools.attack.plant import event

PAUSE_SECONDS: Final = 0.04
PATIENCE_SECONDS: Final = 10
"""Who waits longer than this for a small thing calls it a failure."""


def main(host: str, port: str, token: str, project: str, seconds: str) -> None:
    """Ask until the time is over."""
    times: list[float] = []
    failures: list[str] = []
    until = time.monotonic() + float(seconds)
    kept: http.client.HTTPConnection | None = None
    for number in count():
        if time.monotonic() >= until:
            break
        began = time.perf_counter()
        try:
            if kept is None or number % 2:
                kept = http.client.HTTPConnection(host, int(port), timeout=PATIENCE_SECONDS)
            _ask(kept, token, project, number)
            times.append(1000 * (time.perf_counter() - began))
        except (OSError, http.client.HTTPException, RuntimeError) as error:
            failures.append(f"{type(error).__name__}: {error}")
            kept = None
        time.sleep(PAUSE_SECONDS)
    sys.stdout.write(json.dumps({"times": times, "failures": failures}) + "\n")


def _ask(connection: http.client.HTTPConnection, token: str, project: str, number: int) -> None:
    """One of three things: whether the service lives, a page of events, one event more."""
    inside = f"/api/v1/projects/{project}/events"
    requests: tuple[tuple[str, str, Any], ...] = (
        ("GET", "/healthz", None),
        ("GET", f"{inside}?page_size=20", None),
        ("POST", inside, {"event": event(number)}),
    )
    method, path, body = requests[number % len(requests)]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request(method, path, body=body and json.dumps(body), headers=headers)
    response = connection.getresponse()
    answer = response.read()
    if response.status >= http.client.BAD_REQUEST:
        raise RuntimeError(f"{method} {path}: {response.status} {answer[:200]!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
