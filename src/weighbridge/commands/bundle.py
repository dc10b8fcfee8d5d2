"""`weighbridge bundle`: the proof bundle of a report made, checked without a service, and compared.

`check` and `diff` open no database and ask no service: they need the file, and the key from somebody trusted.
They end with 0 when all holds, with 1 when anything does not, with 2 when they cannot look.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import App, Parameter

from weighbridge.commands.accounts import AccountOption
from weighbridge.commands.audit_keys import read_history
from weighbridge.commands.context import command_id, in_cell_of_account, open_database
from weighbridge.commands.options import ExistingDataDir
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.core.bundle.check import CheckedBundle, Trust
    from weighbridge.core.bundle.contents import BundleContents
    from weighbridge.core.bundle.engagements import CheckedOpinion
    from weighbridge.core.bundle.page import RunDeviation
    from weighbridge.core.signing import VerifierKey
    from weighbridge.db.engine import Database
    from weighbridge.reporting.bundle.builder import MadeBundle
    from weighbridge.settings import Settings

FAULTY: Final = 1
UNREADABLE: Final = 2
RUNS_SHOWN: Final = 12
GAPS_SHOWN: Final = 20
"""Runs that the check tells of by name; the page has the others."""

BundleFile = Annotated[Path, Parameter(help="The file of the bundle.")]
KeyOption = Annotated[
    str,
    Parameter(help="The service's key, as `weighbridge audit key` printed it, from somebody you trust."),
]
WitnessOption = Annotated[
    list[str] | None,
    Parameter(
        name="--witness",
        help="The key of a witness, as `weighbridge witness key` printed it, from somebody you trust; repeat"
        " it for each.",
    ),
]
LeastOption = Annotated[
    int | None,
    Parameter(
        name="--at-least",
        help="How many of these witnesses have to have cosigned the head; all of them without it.",
    ),
]
VerifierOption = Annotated[
    list[str] | None,
    Parameter(
        name="--verifier",
        help="The key of a verifier, as OpenSSH writes it (`ssh-ed25519 AAAA…`), from somebody you trust; an"
        " opinion has to be signed by one of these.",
    ),
]
KeysOption = Annotated[
    Path | None,
    Parameter(
        name="--keys",
        help="The newest history of the keys, as `weighbridge audit keys` printed it, with what was"
        " revoked since.",
    ),
]

bundle = App(name="bundle", help="The proof bundle of a report: made, checked without a service, compared.")


@bundle.command(name="make")
def make_one(
    report: Annotated[str, Parameter(help="The id of the report, such as rpt_….")],
    /,
    *,
    output: Annotated[Path, Parameter(help="The file that is written.")],
    redact: Annotated[
        bool, Parameter(help="Leave evidence out, and say its digests instead.", negative="")
    ] = False,
    account: AccountOption = None,
    data_dir: ExistingDataDir = None,
) -> None:
    """Make the bundle of a report as it stands now, under the audit head of this moment.

    Example: `weighbridge bundle make rpt_5f0c… --output first-quarter.zip`
    """
    import asyncio

    with open_database(data_dir, is_made=True, find_cell=in_cell_of_account(account)) as url:
        bundle_file = asyncio.run(_make(url, data_dir, account, report, output, is_redacted=redact))
    message = (
        f"{bundle_file.batch_count:,} batches, {bundle_file.size:,} bytes, SHA-256 {bundle_file.sha256.hex()}"
    )
    sys.stdout.write(f"{output}: {message}\n")


@bundle.command(name="check")
def check_one(
    file: BundleFile,
    /,
    *,
    key: KeyOption,
    witness: WitnessOption = None,
    at_least: LeastOption = None,
    keys: KeysOption = None,
    verifier: VerifierOption = None,
    show: Annotated[
        list[str] | None,
        Parameter(help="Print how this batch came to its values, by its id or by what it is called."),
    ] = None,
) -> None:
    """Check a bundle with nothing but the file and the key; every batch is computed again.

    A bundle that a later key signed passes if the key that you give leads to it by endorsements.

    Example: `weighbridge bundle check first-quarter.zip --key "$(cat plant.vkey)" --show 2025-03`
    """
    with _map(file) as content:
        given = _key(key)
        checked = _check(content, given, _read_trust(given, witness or [], at_least, keys, verifier))
        if checked.contents is not None:
            for name in show or ():
                _show(checked.contents, name)
        _tell(file, checked)
        is_faulty = bool(checked.faults)
        checked.contents = None
    if is_faulty:
        sys.exit(FAULTY)


@bundle.command(name="diff")
def diff_two(before: BundleFile, after: BundleFile, /, *, key: KeyOption) -> None:
    """Say what changed from one bundle to another, by batch and cause; both are checked first.

    Example: `weighbridge bundle diff first-quarter.zip restated.zip --key "$(cat plant.vkey)"`
    """
    from weighbridge.core.bundle.page import compare_bundles

    verifier = _key(key)
    with _map(before) as earlier, _map(after) as later:
        pair = [(before, _check(earlier, verifier)), (after, _check(later, verifier))]
        faulty = [side for side in pair if side[1].faults]
        for file, checked in faulty:
            _tell(file, checked)
        if not faulty:
            first, second = (checked.contents for _, checked in pair)
            assert first is not None and second is not None, "what has no faults was read"  # noqa: S101, PT018
            lines = list(_difference_lines(compare_bundles(first, second)))
            sys.stdout.write("\n".join(lines or ["Nothing changed."]) + "\n")
        for _, checked in pair:
            checked.contents = None
    if faulty:
        sys.exit(FAULTY)


async def _make(
    url: str, data_dir: Path | None, account: str | None, report: str, output: Path, *, is_redacted: bool
) -> "MadeBundle":
    from tempfile import TemporaryDirectory

    from weighbridge.collection.evidence_files import open_store
    from weighbridge.core import identity
    from weighbridge.db.engine import Database
    from weighbridge.platform.audit_keys import keep_key
    from weighbridge.platform.audit_tree import signer
    from weighbridge.platform.users import DEFAULT_ACCOUNT, administrator_of
    from weighbridge.reporting import reports_queries as queries
    from weighbridge.reporting.bundle.builder import BundleRequest, make_bundle
    from weighbridge.settings import read_with

    settings = read_with(data_dir=data_dir)
    async with Database(url, connections_max=2) as database:
        async with database.write() as tx:
            actor = await administrator_of(tx, account or DEFAULT_ACCOUNT, command_id())
            await keep_key(tx, settings)
            by = await signer(tx, settings)
            stored_report = await queries.get_report(tx, actor, report)
        if not stored_report.inclusion_count:
            raise Refusal(f"The report {report} takes from no batch.")
        key = identity.parse("report", stored_report.id)
        assert key is not None, "a report that was found has an id"  # noqa: S101
        ask = partial(_ask_witnesses, database, settings, actor.account_id)
        request = BundleRequest(
            key.project, key.key, actor, by, queries.report_numbered, is_redacted,
            ask if settings.audit_witnesses else None,
        )  # fmt: skip
        store = open_store(settings.evidence_url, settings.data_dir)
        with TemporaryDirectory(prefix="weighbridge-bundle-") as folder:
            return await make_bundle(database, store, request, Path(folder), output)


async def _ask_witnesses(database: "Database", settings: "Settings", account: int) -> None:
    """Have witnesses cosign the newest head; a bundle is made without those that do not."""
    from weighbridge.http.outgoing import CallReach, OutgoingClient
    from weighbridge.platform.audit_witnesses import ask_for_account

    async with OutgoingClient(CallReach.of(settings.outgoing_networks)) as client:
        await ask_for_account(database, client, settings, account)


def _check(content: memoryview, key: "VerifierKey", trust: "Trust | None" = None) -> "CheckedBundle":
    from weighbridge.core.bundle.check import Trust, check_bundle
    from weighbridge.modelling.documents import read_model

    return check_bundle(content, key, read_model, trust=trust or Trust())


def _read_trust(
    key: "VerifierKey",
    witnesses: list[str],
    least: int | None,
    keys: Path | None,
    verifiers: list[str] | None,
) -> "Trust":
    """What the caller trusts beside the key; exits with 2 when it cannot be read."""
    from time import time

    from weighbridge.core.bundle.check import Trust
    from weighbridge.core.bundle.engagements import check_named_keys
    from weighbridge.core.cosignature import WitnessKey
    from weighbridge.core.signing import UnprovenError

    try:
        read = [WitnessKey.read(text) for text in witnesses]
        named = tuple(check_named_keys(verifiers or []))
        statements = () if keys is None else read_history(keys, key.name)
    except (UnprovenError, Refusal) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(UNREADABLE)
    wanted = len(read) if least is None else least
    if not 0 <= wanted <= len(read):
        sys.stderr.write(f"--at-least is {wanted}; it takes 0 to {len(read)}, the number of witnesses.\n")
        sys.exit(UNREADABLE)
    return Trust(statements, read, wanted, int(time()), named)


def _key(text: str) -> "VerifierKey":
    from weighbridge.core.signing import UnprovenError, VerifierKey

    try:
        return VerifierKey.read(text)
    except UnprovenError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(UNREADABLE)


@contextmanager
def _map(file: Path) -> Iterator[memoryview]:
    """The file as memory, of which only what is looked at is read."""
    from mmap import ACCESS_READ, mmap

    try:
        with file.open("rb") as reading:
            mapped = mmap(reading.fileno(), 0, access=ACCESS_READ)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{file} cannot be read: {error}\n")
        sys.exit(UNREADABLE)
    yield memoryview(mapped)


def _tell(file: Path, checked: "CheckedBundle") -> None:
    """Say what was found, and on what trust."""
    for fault in checked.faults.listed:
        sys.stderr.write(f"{fault.text}\n")
    if checked.faults:
        more = checked.faults.count - len(checked.faults.listed)
        also = f", {more:,} of them not told" if more else ""
        sys.stderr.write(f"{file} does NOT hold: {checked.faults.count:,} faults{also}.\n")
        return
    sys.stdout.write("".join(f"{line}\n" for line in _trust_lines(file, checked)))


def _trust_lines(file: Path, checked: "CheckedBundle") -> Iterator[str]:
    from weighbridge.core.bundle.check import list_unshown

    contents, head = checked.contents, checked.vouched.head
    assert contents is not None and head is not None, "what has no faults was read"  # noqa: S101, PT018
    manifest, report = contents.manifest, contents.report
    yield f"{file} holds."
    yield f"Report {report.id}, {report.name!r}, states {report.amount}."
    yield f"{checked.part_count:,} parts are what {head.origin} signed, by {checked.key_words}."
    for one in checked.cosignatures:
        yield f"{one.witness.name} cosigned the head at {one.moment}."
    yield (
        f"{len(checked.vouched.rows):,} rows of its audit log are under its head of {head.size:,} rows;"
        " keep audit/head.checkpoint to hold later heads against it."
    )
    yield f"{checked.recomputed.batches:,} batches come to what they say, computed again to the last digit."
    yield from _run_lines(contents)
    yield from (gap.sentence for gap in checked.gaps[:GAPS_SHOWN])
    if (more := len(checked.gaps) - GAPS_SHOWN) > 0:
        yield f"{more:,} more gaps; its page lists them."
    for opinion in checked.opinions:
        yield from _opinion_lines(opinion)
    if manifest.is_redacted:
        yield "Evidence is there by its digests alone; what the files say was not looked at."
    yield from list_unshown(contents)
    yield from checked.unbound
    yield "No file can show that meters measured right, or that nothing was left out before it was recorded."


def _opinion_lines(opinion: "CheckedOpinion") -> Iterator[str]:
    """What a verifier concluded, by whose key, and what changed since."""
    if opinion.key is None:
        yield f"The engagement of {opinion.verifier} is {opinion.state}; its sample is what its seed draws."
    else:
        whose = "the key that you named" if opinion.is_of_named_key else "the key"
        yield (
            f"The opinion of {opinion.verifier} is {opinion.conclusion}, signed by {whose} {opinion.key}; its"
            " sample is what its seed draws."
        )
    if opinion.changed_parts:
        yield f"  Parts that changed since the opinion: {', '.join(opinion.changed_parts)}."
    if opinion.population_changes:
        yield f"  Records that changed since the engagement began: {opinion.population_changes:,}."


def _run_lines(contents: "BundleContents") -> Iterator[str]:
    """What the runs come to that the report takes of, the first of them."""
    from weighbridge.core.bundle.books import list_reported_runs

    runs = list_reported_runs(contents) if contents.has_whole_stories else []
    yield from (f"{run.name} {run.sentence}." for run in runs[:RUNS_SHOWN])
    if len(runs) > RUNS_SHOWN:
        yield f"{len(runs) - RUNS_SHOWN:,} more runs stand in report.html and batches.csv."


def _show(contents: "BundleContents", name: str) -> None:
    from weighbridge.core.bundle.check import prepare_models
    from weighbridge.core.bundle.page import find_batch, find_prepared_model, list_batch_equations

    number = find_batch(contents, name)
    if number is None:
        raise Refusal(f"The bundle has no batch {name!r}; batches.csv names those that it has.")
    batch = contents.batches[number]
    sys.stdout.write(f"{batch.batch_id} {batch.tracking_id}\n")
    for line in list_batch_equations(
        contents, number, find_prepared_model(contents, prepare_models(contents), number)
    ):
        if line.written:
            sys.stdout.write(f"  {line.written}\n  {line.filled} = {line.result}\n")
        else:
            sys.stdout.write(f"  {line.node} = {line.result}    {line.origin}\n")


def _difference_lines(changes: "Sequence[RunDeviation]") -> Iterator[str]:
    from weighbridge.core.number import plain

    for change in changes:
        withdrawal_texts = map(plain, change.taken)
        totals = ("nothing" if total is None else plain(total) for total in change.totals)
        yield f"{change.ledger} {change.name}, in {change.unit or '1'}: {', '.join(change.causes)}"
        yield "  the report takes {} before, {} after; the batch comes to {} before, {} after".format(
            *withdrawal_texts, *totals
        )
        yield from (f"  {detail}" for detail in change.details)
