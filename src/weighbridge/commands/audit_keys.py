"""`weighbridge audit keys`, `rotate`, `revoke` and `check-keys`: the keys that sign the audit log.

Invariants: a command that was stopped is carried on by the same command; what is checked against a file
opens no database.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from weighbridge.commands.accounts import AccountOption
from weighbridge.commands.audit import KeyOption, read_account, read_proof, read_small_text
from weighbridge.commands.context import (
    command_id,
    in_cell_of_account,
    in_transaction,
    open_cells,
    open_database,
)
from weighbridge.commands.options import ExistingDataDir
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weighbridge.core.key_history import SignedStatement
    from weighbridge.core.signing import SigningKey
    from weighbridge.core.time.calendar import Instant
    from weighbridge.db.engine import Write
    from weighbridge.platform.audit_keys import KeyChange
    from weighbridge.settings import Settings

LostOption = Annotated[
    bool,
    Parameter(
        name="--lost", negative=(),
        help="The key is lost: the new one begins without an endorsement, and every verifier has to be told.",
    ),
]  # fmt: skip
SinceOption = Annotated[
    str | None,
    Parameter(
        help="The time at which the key may have been stolen, such as 2025-03-01T00:00:00Z: heads of that"
        " moment are the last that count. Without it those of now are."
    ),
]
RevokedKeyOption = Annotated[
    Path | None,
    Parameter(
        help="The file of the key that is revoked, if it is not the one that signs now: `rotate` keeps it."
    ),
]


def print_keys(*, account: AccountOption = None, data_dir: ExistingDataDir = None) -> None:
    """Print the history of the keys of an account's audit log as JSON: every statement, with its signatures.

    Example: `weighbridge audit keys > keys.json`
    """
    from weighbridge.platform.audit_keys import read_statements

    async def read(tx: "Write") -> "list[SignedStatement]":
        return await read_statements(tx, await read_account(tx, account))

    with open_database(data_dir, is_made=True, find_cell=in_cell_of_account(account)) as url:
        statements = in_transaction(url, read)
    text = json.dumps({"statements": [one.record for one in statements]}, indent=2, ensure_ascii=False)
    sys.stdout.write(text + "\n")


def rotate(*, lost: LostOption = False, data_dir: ExistingDataDir = None) -> None:
    """Replace the key that signs the audit log: the old one endorses the new one, which signs from then on.

    Every account's log gets a row with the endorsement. Copy the key's file to the other hosts afterwards.

    Example: `weighbridge audit rotate`
    """
    from weighbridge.core.key_history import KeyStatementKind
    from weighbridge.platform.audit_keys import KeyChange
    from weighbridge.platform.audit_tree import key_file, read_key
    from weighbridge.settings import read_with

    settings = read_with(data_dir=data_dir)
    key = read_key(settings)
    if lost and key is not None:
        raise Refusal(f"{key_file(settings)} has a key, so it is not lost; rotate it without --lost.")
    if key is None and not lost:
        raise Refusal(
            f"There is no file {key_file(settings)}; copy it from another host or a backup, or use --lost if"
            " nobody has it any more."
        )
    kind = KeyStatementKind.BEGINNING if key is None else KeyStatementKind.ENDORSEMENT
    _replace(settings, data_dir, lambda successor: KeyChange(kind, key, successor))
    if lost:
        sys.stdout.write(
            "The new key begins without an endorsement: nothing leads from the old one to it. Hand the"
            " line of `weighbridge audit key` to every verifier over a channel that both trust.\n"
        )


def revoke(
    *, since: SinceOption = None, key_file: RevokedKeyOption = None, data_dir: ExistingDataDir = None
) -> None:
    """Revoke a key that others may have: it signs nothing more, and counts for no head after a moment.

    The key that signs now is revoked and a new one begins; with --key-file an older one is revoked.
    Every account's log gets a row with the revocation. Verifiers have to be told of it, and of the new key.

    Example: `weighbridge audit revoke --since 2025-03-01T00:00:00Z`
    """
    from weighbridge.core.key_history import KeyStatementKind
    from weighbridge.core.signing import SigningKey, UnprovenError
    from weighbridge.platform.audit_keys import KeyChange
    from weighbridge.platform.audit_tree import read_key
    from weighbridge.settings import read_with

    moment = None if since is None else _read_moment(since)
    settings = read_with(data_dir=data_dir)
    current = read_key(settings)
    try:
        revoked = current if key_file is None else SigningKey.read(key_file.read_bytes())
    except (OSError, UnprovenError) as error:
        raise Refusal(f"The key to be revoked cannot be read from {key_file}: {error}") from error
    if current is None or revoked is None:
        raise Refusal("There is no key on this host to revoke or to sign with; run it on a host that has it.")

    def change(successor: "SigningKey") -> "KeyChange":
        return KeyChange(KeyStatementKind.REVOCATION, revoked, successor, moment)

    if revoked.public == current.public:
        _replace(settings, data_dir, change)
    else:
        with open_cells(data_dir) as urls:
            logs = _tell_cells(settings, [*urls.values()], change(current))
        if not logs:
            sys.stdout.write("The key was revoked already, and counts for no head less than before.\n")
            return
        sys.stdout.write("The key is revoked; the one that signs now goes on.\n")
    sys.stdout.write(
        "Hand the output of `weighbridge audit keys` to every verifier, and the line of `weighbridge audit"
        " key` over a channel that both trust: the revoked key vouches for nothing that follows.\n"
    )


def check_keys(
    keys: Annotated[Path, Parameter(help="The history of the keys, as `weighbridge audit keys` printed it.")],
    /,
    *,
    key: KeyOption,
) -> None:
    """Check a history of keys with one key alone, and print the key that it leads to; exits with 1 for none.

    Example: `weighbridge audit check-keys keys.json --key "$(cat plant.vkey)"`
    """
    from weighbridge.core.key_history import KeyStatementKind, TrustedKeys
    from weighbridge.core.signing import VerifierKey

    with read_proof():
        given = VerifierKey.read(key)
        history = read_history(keys, given.name)
    trusted = TrustedKeys.of(given, history)
    reached = trusted.keys[-1]
    if revocation := trusted.revocations.get(reached.text):
        raise Refusal(
            f"{reached.text} was revoked: it counts for heads of at most {revocation.head.size:,} rows, and"
            " leads to no other key; ask the operator for the key that follows it."
        )
    begun = [one.statement for one in history if one.statement.kind == KeyStatementKind.BEGINNING]
    if lost := next((one for one in begun if one.key == reached), None):
        raise Refusal(
            f"{reached.text} was lost, and {lost.successor.text} began without its endorsement: ask the"
            " operator whether that is the key."
        )
    sys.stdout.write(f"{reached.text}\n")


def read_history(file: Path, log: str) -> "list[SignedStatement]":
    """The verified statements of a file; UnprovenError when one does not hold, or none is about the log."""
    from weighbridge.core.key_history import SignedStatement
    from weighbridge.core.signing import UnprovenError

    try:
        history = json.loads(read_small_text(file))
        records = history["statements"]
    except (ValueError, TypeError, KeyError, RecursionError):
        records = None
    if not isinstance(records, list):
        raise UnprovenError(f"{file} is no history of keys; `weighbridge audit keys` prints one.")
    statements = [SignedStatement.read(record) for record in records]
    if statements and not any(one.statement.head.origin == log for one in statements):
        of_other = statements[0].statement.head.origin
        raise UnprovenError(f"{file} is the history of the keys of {of_other}, not of those of {log}.")
    return statements


def _replace(
    settings: "Settings", data_dir: Path | None, change: "Callable[[SigningKey], KeyChange]"
) -> None:
    """Have a new key follow: in each cell, and then in the file."""
    from weighbridge.platform.audit_keys import install_next_key, read_next_key
    from weighbridge.platform.audit_tree import key_file

    with open_cells(data_dir) as urls:
        successor = read_next_key(settings)
        logs = _tell_cells(settings, [*urls.values()], change(successor))
        kept = install_next_key(settings)
    told = "One audit log tells" if logs == 1 else f"{logs:,} audit logs tell"
    sys.stdout.write(f"{key_file(settings)} has the new key. {told} of it.\n")
    if kept is not None:
        sys.stdout.write(f"The old key is kept in {kept}; remove it once every host has the new one.\n")


def _tell_cells(settings: "Settings", urls: "Sequence[str]", change: "KeyChange") -> int:
    """Have each cell know a change; gives the number of logs that tell of it."""
    from weighbridge.platform.audit_keys import change_key

    name = command_id()
    return sum(in_transaction(url, lambda tx: change_key(tx, settings, change, name)) for url in urls)


def _read_moment(text: str) -> "Instant":
    from datetime import datetime

    from weighbridge.core.time.calendar import Instant

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise Refusal(f"--since is {text!r}; it takes a time with an offset, such as 2025-03-01T00:00:00Z.")
    return Instant.of(moment)
