"""`weighbridge demo` and `weighbridge rehearse-registry`: to see the service at work, and to practise.

The demo runs a chain of ledgers once, on made-up measurements and published figures; the registry takes
reports and does with them what it is told.
"""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from weighbridge.errors import Refusal

DemoDataDir = Annotated[
    Path | None, Parameter(help="The folder for the service and its data; a fresh temporary one by default.")
]
Keep = Annotated[
    bool, Parameter(negative=(), show_default=False, help="Keep the temporary folder, to look around in it.")
]
Stay = Annotated[
    bool | None,
    Parameter(
        help="Whether the service stays at the end, until it is interrupted, with a link that opens the plant"
        " in a browser; by default it does at a terminal.",
    ),
]
Host = Annotated[str, Parameter(help="The address to listen on.")]
PortOption = Annotated[int, Parameter(help="The port to listen on; 0 takes a free one.")]
Drop = Annotated[int, Parameter(help="Lose so many first requests of each report before they are read.")]
Fail = Annotated[int, Parameter(help="Answer 500 to so many, and keep nothing.")]
Lose = Annotated[int, Parameter(help="Keep what so many bring, and lose the answer.")]
FailAfter = Annotated[int, Parameter(help="Keep what so many bring, and answer 500.")]
DelaySeconds = Annotated[float, Parameter(help="Answer so many seconds after a report was kept.")]
Refuse = Annotated[str | None, Parameter(help="Take no report (422), and say this.")]
Decision = Annotated[
    Literal["accepted", "rejected"] | None,
    Parameter(help="Decide so of every report; by default somebody has to decide."),
]
DecideAfter = Annotated[float, Parameter(help="Have reports under review for so many seconds.")]
Reason = Annotated[str | None, Parameter(help="The reason of that decision.")]
AcceptAmount = Annotated[
    str | None, Parameter(help="Accept so much of every report, in the unit of its ledger; all by default.")
]
TokenFile = Annotated[Path | None, Parameter(help="A file with the token that callers have to send.")]
Kept = Annotated[Path | None, Parameter(name="--keep", help="A file in which what was received is kept.")]


def demo(*, data_dir: DemoDataDir = None, keep: Keep = False, stay: Stay = None) -> None:
    """Run a biochar plant through the service, and open it in a browser or end.

    Starts the service, sends it three months of measurements over HTTP, and generates three ledgers that
    draw on one another. Traces a batch of carbon to the lorries of feedstock, compares with published
    figures, follows a late weighing down the chain, verifies everything, and stops the service. At a
    terminal it stays until it is interrupted, with a link that opens the plant signed in: once, within the
    hour.

    Example: `weighbridge demo --keep`
    """
    from weighbridge.demo.run import run

    is_watched = sys.stdin.isatty() and sys.stdout.isatty()
    run(data_dir, keep=keep, stays=is_watched if stay is None else stay)


def rehearse_registry(
    *,
    host: Host = "127.0.0.1",
    port: PortOption = 8099,
    drop: Drop = 0,
    fail: Fail = 0,
    lose: Lose = 0,
    fail_after: FailAfter = 0,
    delay_seconds: DelaySeconds = 0.0,
    refuse: Refuse = None,
    decision: Decision = None,
    decide_after_seconds: DecideAfter = 0.0,
    reason: Reason = None,
    accept_amount: AcceptAmount = None,
    token_file: TokenFile = None,
    keep: Kept = None,
) -> None:
    """Run a registry that takes reports and does what it is told, until interrupted.

    Prints "ready" and the address that reports are posted to. A report may say for itself what becomes of it:
    `[rehearse: lose 1, reject]` in its name; see the guide on rehearsing a submission.

    Example: `weighbridge rehearse-registry --lose 1 --decision accepted`
    """
    from weighbridge.demo.rehearsal import ReceivedReports, RegistryBehaviour, RehearsalServer

    behaviour = RegistryBehaviour(
        drop, fail, lose, fail_after, delay_seconds, refuse, decision, decide_after_seconds, reason,
        accept_amount,
    )  # fmt: skip
    try:
        token = None if token_file is None else token_file.read_text().strip()
        received = ReceivedReports(behaviour, keep)
        server = RehearsalServer((host, port), received, token)
    except (OSError, ValueError, KeyError) as error:
        raise Refusal(f"The registry cannot be run: {error}.") from None
    with server:
        sys.stdout.write(f"ready {server.address}\n")
        sys.stdout.flush()
        server.serve_forever()
