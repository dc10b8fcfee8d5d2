"""`weighbridge tasks watch`: wait for a task, with its progress."""

from typing import Annotated

from cyclopts import Parameter

from weighbridge.commands.over_http import showing
from weighbridge.commands.over_http.operation import SERVICE, connected


def watch(
    task_id: int,
    *,
    service_url: SERVICE = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=(), help="Print JSON.")] = False,
) -> None:
    """Wait until a task has ended, show how far it is, and then what it came to.

    A task that fails ends the command with 1 and its sentence.
    """
    with connected(service_url) as client:
        task = client.task(task_id)
        task.wait()
        showing.show(task.record, showing.ShownForm(as_json))
