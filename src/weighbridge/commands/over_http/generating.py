"""`weighbridge generate`: say what would be made, make it, and show it."""

import sys
from typing import Annotated

from cyclopts import Parameter

from weighbridge.client import Client
from weighbridge.commands.over_http import showing
from weighbridge.commands.over_http.arguments import moment
from weighbridge.commands.over_http.operation import SERVICE, connected
from weighbridge.errors import Refusal

_When = Annotated[str, Parameter(help="A time, a date, or yesterday, 7d and the like.")]


def generate(
    ledger_id: str,
    *,
    start: _When,
    end: _When,
    dry_run: Annotated[bool, Parameter(negative=(), help="Only say what would be made.")] = False,
    service_url: SERVICE = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=(), help="Print JSON.")] = False,
) -> None:
    """Generate the batches of a period on a ledger, unless something is in the way.

    Example: `weighbridge generate lgr_… --start 2026-03-01 --end 2026-04-01`
    """
    with connected(service_url) as client:
        _refuse_problems(client, ledger_id, moment(start), moment(end))
        if dry_run:
            return
        task = client.batch_generations.create(ledger_id, start_time=moment(start), end_time=moment(end))
        result = task.wait()
        showing.show([client.batches.get(one) for one in result["batches"]], showing.ShownForm(as_json))


def _refuse_problems(client: Client, ledger: str, start: str, end: str) -> None:
    preview = client.batch_generations.generate_preview(ledger, start_time=start, end_time=end)
    problems = [f"{entry.name}: {problem}" for entry in preview.data for problem in entry.problems]
    if problems:
        raise Refusal("\n".join(problems))
    for entry in preview.data:
        sys.stderr.write(f"{entry.name}: {entry.count} batches, {entry.adjustments} of them adjusting\n")
