"""`weighbridge witness`: a process that cosigns the heads of other logs, and needs no database."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.core.signing import SigningKey

KeyFile = Annotated[
    Path, Parameter(help="The file of the witness's own key (Ed25519, PEM); `witness key` makes it.")
]
NameOption = Annotated[
    str, Parameter(help="What the witness is called in its cosignatures, such as witness.example/plant.")
]
StateOption = Annotated[
    Path, Parameter(help="The folder that keeps the newest head of each log; an empty one for a new witness.")
]
LogOption = Annotated[
    list[str] | None,
    Parameter(
        name="--log", negative=(),
        help="The verifier key of a log that may ask, as `weighbridge audit key` prints it; repeat it for"
        " each.",
    ),
]  # fmt: skip
LogsOption = Annotated[
    Path | None,
    Parameter(help="A file with more such keys, one a line; it is read again for each request."),
]
HostOption = Annotated[str, Parameter(help="The address to listen on.")]
PortOption = Annotated[int, Parameter(help="The port to listen on; 0 takes a free one.")]

witness = App(name="witness", help="A witness: cosigns the heads of other logs, and needs no database.")


@witness.command(name="key")
def print_key(*, key_file: KeyFile, name: NameOption) -> None:
    """Print the public key of the witness in one line; the file is made when it does not exist.

    Example: `weighbridge witness key --key-file witness.pem --name witness.example/plant > witness.vkey`
    """
    from weighbridge.core.cosignature import WitnessKey
    from weighbridge.core.identity import is_key_name
    from weighbridge.core.signing import SigningKey
    from weighbridge.witness.state import store_file

    if not is_key_name(name):
        raise Refusal(f"--name is {name!r}; it takes a name without spaces and plus signs.")
    if not key_file.exists():
        try:
            store_file(key_file, SigningKey.made().pem.decode())
        except OSError as error:
            raise Refusal(f"The key of the witness cannot be written to {key_file}: {error}") from error
    sys.stdout.write(f"{WitnessKey(name, _read_key(key_file).public).text}\n")


@witness.command
def serve(
    *,
    key_file: KeyFile,
    name: NameOption,
    state: StateOption,
    log: LogOption = None,
    logs: LogsOption = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8090,
) -> None:
    """Cosign heads that are sent to POST /add-checkpoint (C2SP tlog-witness), until interrupted.

    Example: `weighbridge witness serve --key-file witness.pem --name witness.example/plant --state heads
    --logs logs.txt`
    """
    from time import time

    from weighbridge.core.cosignature import WitnessKey
    from weighbridge.core.identity import is_key_name
    from weighbridge.witness.judgement import Witness, read_logs
    from weighbridge.witness.server import WitnessServer
    from weighbridge.witness.state import WitnessState

    if not is_key_name(name):
        raise Refusal(f"--name is {name!r}; it takes a name without spaces and plus signs.")
    lines = log or []
    if not read_logs(lines, logs):
        raise Refusal("The witness knows no log; name one with --log, or a file of them with --logs.")
    key = _read_key(key_file)
    with WitnessState.opened(state, WitnessKey(name, key.public).text) as opened:
        own = Witness(name, key, opened, lambda: read_logs(lines, logs), lambda: int(time()))
        try:
            server = WitnessServer((host, port), own)
        except OSError as error:
            raise Refusal(f"The witness cannot listen on {host}:{port}: {error}") from error
        with server:
            sys.stdout.write(f"Witness {own.public.text} at http://{host}:{server.server_address[1]}\n")
            sys.stdout.flush()
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                return


def _read_key(file: Path) -> "SigningKey":
    from weighbridge.core.signing import SigningKey, UnprovenError

    try:
        return SigningKey.read(file.read_bytes())
    except (OSError, UnprovenError) as error:
        raise Refusal(f"The key of the witness cannot be read from {file}: {error}") from error
