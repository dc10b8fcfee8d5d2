"""`weighbridge audit`: the signed head of the audit log, its proofs, and the check of what was kept of it.

Invariant: what is checked against files alone opens no database and asks no service.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from weighbridge.commands.accounts import AccountOption
from weighbridge.commands.context import (
    command_id,
    in_cell_of_account,
    in_cell_of_number,
    in_transaction,
    open_database,
)
from weighbridge.commands.options import ExistingDataDir
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.core.proof import Checkpoint
    from weighbridge.core.signing import VerifierKey
    from weighbridge.db.engine import Write
    from weighbridge.platform.audit_tree import Signer

FILE_BYTES_MAX = 1_000_000
"""The longest head or proof that is read; those that are made have less than 3,000 bytes."""

HeadFile = Annotated[Path, Parameter(help="The file of the head that was kept.")]
KeyOption = Annotated[
    str, Parameter(help="The service's key, as `weighbridge audit key` printed it, from somebody you trust.")
]
RowsOption = Annotated[
    Path | None,
    Parameter(help="Check the rows of this file, one JSON object in each line, and ask no database."),
]
ConsistencyOption = Annotated[
    Path | None,
    Parameter(
        name="--consistency",
        help="Check that the newer head of this file extends the one that was kept, and ask no database.",
    ),
]
SizeOption = Annotated[
    int | None, Parameter(help="How many rows the head has under which it is proved; all that are sealed.")
]

audit = App(name="audit", help="The audit log: its signed head, its proofs, and the check of a head kept.")
for _name, _function, _summary in (
    ("keys", "print_keys", "Print the history of the keys: every statement, with its signatures."),
    ("rotate", "rotate", "Replace the key that signs; the old one endorses the new one."),
    ("revoke", "revoke", "Revoke a key that others may have."),
    ("check-keys", "check_keys", "Check a history of keys with one key alone, and print the newest key."),
):
    audit.command(f"weighbridge.commands.audit_keys:{_function}", name=_name, help=_summary)


@audit.command(name="key")
def print_key(*, account: AccountOption = None, data_dir: ExistingDataDir = None) -> None:
    """Print the public key by which heads of an account's audit log are verified, in one line.

    Example: `weighbridge audit key > plant.vkey`
    """

    async def key(_: "Write", signer: "Signer", number: int) -> str:
        return signer.verifier(number).text + "\n"

    sys.stdout.write(_read_signed(account, data_dir, key))


@audit.command(name="head")
def print_head(*, account: AccountOption = None, data_dir: ExistingDataDir = None) -> None:
    """Print the signed head of an account's audit log, for somebody outside to keep.

    Example: `weighbridge audit head > 2025-03-31.checkpoint`
    """
    from weighbridge.platform.audit_tree import newest_head

    async def head(tx: "Write", signer: "Signer", number: int) -> str:
        return await newest_head(tx, number, signer)

    sys.stdout.write(_read_signed(account, data_dir, head))


@audit.command(name="proof")
def print_proof(
    number: Annotated[int, Parameter(help="The number of the row, from 1.")],
    /,
    *,
    size: SizeOption = None,
    account: AccountOption = None,
    data_dir: ExistingDataDir = None,
) -> None:
    """Print the proof that a row is under a head, with that head.

    Example: `weighbridge audit proof 1042 > 1042.tlog-proof`
    """
    from weighbridge.platform.audit_tree import inclusion_proof, size_of

    async def proof(tx: "Write", signer: "Signer", owner: int) -> str:
        sealed = await size_of(tx, owner)
        under = sealed if size is None else size
        if not 1 <= number <= under <= sealed:
            raise Refusal(f"Row {number} is not among {under:,} rows of the {sealed:,} that are sealed.")
        return (await inclusion_proof(tx, owner, signer, number, under)).text

    sys.stdout.write(_read_signed(account, data_dir, proof))


@audit.command(name="export")
def export_rows(*, account: AccountOption = None, data_dir: ExistingDataDir = None) -> None:
    """Print every sealed row of an account's audit log, one JSON object in each line, in their order.

    Example: `weighbridge audit export > rows.jsonl`
    """
    from weighbridge.db.engine import Database
    from weighbridge.platform.audit_tree import export_rows

    async def write(url: str) -> None:
        async with Database(url, connections_max=1) as database, database.read() as tx:
            async for lines in export_rows(tx, number):
                sys.stdout.buffer.write(lines)

    with open_database(data_dir, is_made=True, find_cell=in_cell_of_account(account)) as url:
        number = in_transaction(url, lambda tx: read_account(tx, account))
        asyncio.run(write(url))


@audit.command(name="check")
def check_head(
    head: HeadFile,
    /,
    *,
    key: KeyOption,
    rows: RowsOption = None,
    consistency: ConsistencyOption = None,
    data_dir: ExistingDataDir = None,
) -> None:
    """Check a head that was kept outside: against the database, or against files alone; exits with 1 when
    anything does not hold.

    Example: `weighbridge audit check 2025-03-31.checkpoint --key "$(cat plant.vkey)"`
    """
    with read_proof():
        verifier, kept_head = _read_kept(head, key)
        if consistency is not None:
            message = _check_extension(consistency, kept_head, verifier)
        elif rows is not None:
            message = _check_rows(rows, kept_head)
        else:
            message = _check_database(data_dir, kept_head)
    sys.stdout.write(message + "\n")


@audit.command(name="check-row")
def check_row(
    row: Annotated[Path, Parameter(help="A file with the row as JSON, as `GET /audit_log` shows it.")],
    /,
    *,
    proof: Annotated[Path, Parameter(help="The file of the proof.")],
    key: KeyOption,
) -> None:
    """Check that a row is under a signed head, with nothing but files; exits with 1 when it is not.

    Example: `weighbridge audit check-row row.json --proof 1042.tlog-proof --key "$(cat plant.vkey)"`
    """
    from weighbridge.core.platform.audit import check_row
    from weighbridge.core.proof import InclusionProof
    from weighbridge.core.signing import VerifierKey

    with read_proof():
        verifier = VerifierKey.read(key)
        number, head = check_row(read_small_text(row), InclusionProof.read(read_small_text(proof)), verifier)
    sys.stdout.write(f"Row {number:,} is under the head of {head.size:,} rows that {verifier.name} signed.\n")


@contextmanager
def read_proof() -> Iterator[None]:
    """Have what is not proved told as a sentence, like every failure that was to be expected."""
    from weighbridge.core.signing import UnprovenError

    try:
        yield
    except UnprovenError as error:
        raise Refusal(str(error)) from error


def _read_kept(head: Path, key: str) -> "tuple[VerifierKey, Checkpoint]":
    from weighbridge.core.proof import open_checkpoint as opened_head
    from weighbridge.core.signing import VerifierKey

    verifier = VerifierKey.read(key)
    return verifier, opened_head(read_small_text(head), verifier)


def _check_extension(file: Path, kept_head: "Checkpoint", verifier: "VerifierKey") -> str:
    from weighbridge.core.proof import ConsistencyProof

    newer = ConsistencyProof.read(read_small_text(file)).verify(kept_head, verifier)
    return f"The head of {newer.size:,} rows extends the one that was kept, of {kept_head.size:,}."


def _check_rows(file: Path, kept_head: "Checkpoint") -> str:
    from weighbridge.core.platform.audit import check_rows

    try:
        with file.open(encoding="utf-8") as lines:
            check_rows(lines, kept_head)
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{file} cannot be read: {error}") from error
    return f"The file has all {kept_head.size:,} rows of the head, unchanged and in their places."


def _check_database(data_dir: Path | None, kept_head: "Checkpoint") -> str:
    from weighbridge.db.engine import Database
    from weighbridge.verification.audit_tree import check_kept_head

    async def check(url: str) -> list[str]:
        async with Database(url, connections_max=1) as database, database.read() as tx:
            return await check_kept_head(tx, kept_head)

    account = kept_head.origin.rpartition("/")[2]
    with open_database(data_dir, is_made=True, find_cell=in_cell_of_number(account)) as url:
        if violations := asyncio.run(check(url)):
            raise Refusal("\n".join(violations))
    return f"The database has all {kept_head.size:,} rows of the head, unchanged and in their places."


def _read_signed(
    account: str | None, data_dir: Path | None, make: "Callable[[Write, Signer, int], Awaitable[str]]"
) -> str:
    """What is made of an account's log with the key of this host."""
    from weighbridge.platform.audit_keys import keep_key
    from weighbridge.platform.audit_tree import signer
    from weighbridge.settings import read_with

    async def work(tx: "Write") -> str:
        settings = read_with(data_dir=data_dir)
        number = await read_account(tx, account)
        await keep_key(tx, settings)
        return await make(tx, await signer(tx, settings), number)

    with open_database(data_dir, is_made=True, find_cell=in_cell_of_account(account)) as url:
        return in_transaction(url, work)


async def read_account(tx: "Write", name: str | None) -> int:
    """The number of an account by its name; of the account default without one."""
    from weighbridge.platform.users import DEFAULT_ACCOUNT, administrator_of

    return (await administrator_of(tx, name or DEFAULT_ACCOUNT, command_id())).account_id


def read_small_text(file: Path) -> str:
    """The text of a small file."""
    try:
        with file.open("rb") as reading:
            content = reading.read(FILE_BYTES_MAX + 1)
        if len(content) > FILE_BYTES_MAX:
            raise Refusal(f"{file} has more than {FILE_BYTES_MAX:,} bytes, and a head or a proof has fewer.")
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{file} cannot be read: {error}") from error
