"""Have witnesses cosign the heads of the audit log, by C2SP tlog-witness.

A worker looks again and again which logs have grown since a witness was asked, and submits their newest
heads, each with the proof that it extends the one that the witness knows. A cosignature is stored, and from
then on it is below that head wherever the head is given. What a witness answers otherwise is kept for each
log and said in the process's log.

Invariants: nothing waits for a witness longer than a request may take; a cosignature is stored only if it is
valid for the very head that was submitted; each log is submitted to a witness by one worker at a time.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from weighbridge.core.cosignature import FUTURE_SECONDS_MAX, Cosignature, WitnessKey, read_cosignature
from weighbridge.core.number import shorten
from weighbridge.core.proof import Checkpoint, ConsistencyProof, Span
from weighbridge.db.engine import Database, Read
from weighbridge.errors import Unavailable
from weighbridge.http.outgoing import NoAnswer, NotSent, OutgoingAnswer, OutgoingClient, OutgoingRequest
from weighbridge.platform.audit_tree import consistency_proof, roots_of, signer, size_of
from weighbridge.platform.records import AuditWitness
from weighbridge.settings import Settings

SECONDS: Final = 10
"""How long one submission may take."""

SIZES_KEPT: Final = 1000
"""Heads of a log whose cosignatures are kept, the newest ones."""

LOGS_AT_ONCE: Final = 500
"""Logs that one round submits to a witness at most."""

_SIZE_DIGITS_MAX: Final = 18


@dataclass(frozen=True, slots=True)
class WitnessAddress:
    """A witness that the operator names: where it is asked, and the key of its cosignatures."""

    url: str
    key: WitnessKey

    @classmethod
    def of(cls, texts: Iterable[str]) -> "list[WitnessAddress]":
        """The witnesses that a setting names."""
        named = [text.partition(" ") for text in texts]
        return [cls(f"{url.rstrip('/')}/add-checkpoint", WitnessKey.read(key)) for url, _, key in named]


@dataclass(frozen=True, slots=True)
class _Claim:
    """That this worker asks for a log now."""

    account: int
    known: int
    """Rows of the head that the witness knows, as far as the database knows."""
    now: int
    """Seconds since 1970, as the database has them."""


@dataclass(frozen=True, slots=True)
class _Submission:
    """A head of a log, and the proof from the head that the witness knows."""

    account: int
    head: Checkpoint
    proof: ConsistencyProof


@dataclass(frozen=True, slots=True)
class WitnessChange:
    """That a witness fails for a log for another reason than before, or no longer (None)."""

    account: int
    witness: str
    failure: str | None


class WitnessUnreachableError(Exception):
    """A witness gave no answer; its other logs need not be tried now."""

    def __init__(self, reason: str, changes: "list[WitnessChange]") -> None:
        super().__init__(reason)
        self.changes = changes


_DUE: Final = """
    SELECT a.id FROM accounts a
     CROSS JOIN LATERAL (
         SELECT number FROM audit_seals WHERE account_id = a.id ORDER BY number DESC LIMIT 1) s
      LEFT JOIN audit_witnesses w ON (w.account_id, w.witness) = (a.id, %s)
     WHERE w.witness IS NULL
        OR ((s.number > w.size OR w.failure IS NOT NULL)
            AND w.asked_at <= now() - make_interval(secs => %s))
     ORDER BY w.asked_at NULLS FIRST, a.id LIMIT %s
"""
_CLAIM: Final = """
    INSERT INTO audit_witnesses AS w (account_id, witness) VALUES (%s, %s)
    ON CONFLICT (account_id, witness) DO UPDATE SET asked_at = now()
     WHERE w.asked_at <= now() - make_interval(secs => %s)
    RETURNING w.size, extract(epoch FROM w.asked_at)::bigint
"""
_KNOW: Final = """
    UPDATE audit_witnesses SET size = greatest(size, %s) WHERE (account_id, witness) = (%s, %s)
"""
_STORE: Final = """
    INSERT INTO audit_cosignatures AS c (account_id, size, witness, signed_time, signature)
    VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (account_id, size, witness)
       DO UPDATE SET (signed_time, signature) = (excluded.signed_time, excluded.signature)
"""
_SUCCEED: Final = """
    UPDATE audit_witnesses n SET failure = NULL, failing_since = NULL
      FROM audit_witnesses o
     WHERE (n.account_id, n.witness) = (%s, %s) AND (o.account_id, o.witness) = (n.account_id, n.witness)
    RETURNING o.failure IS NOT NULL
"""
_FAIL: Final = """
    UPDATE audit_witnesses n SET failure = %s, failing_since = coalesce(n.failing_since, now())
      FROM audit_witnesses o
     WHERE (n.account_id, n.witness) = (%s, %s) AND (o.account_id, o.witness) = (n.account_id, n.witness)
    RETURNING o.failure IS DISTINCT FROM n.failure
"""
_FAIL_ALL: Final = """
    INSERT INTO audit_witnesses AS w (account_id, witness, failure, failing_since)
    SELECT account, %s, %s, now() FROM unnest(%s::integer[]) AS account
    ON CONFLICT (account_id, witness) DO UPDATE
       SET asked_at = now(), failure = excluded.failure,
           failing_since = coalesce(w.failing_since, excluded.failing_since)
     WHERE w.asked_at <= now() - make_interval(secs => %s)
"""
_FORGET: Final = """
    DELETE FROM audit_cosignatures WHERE account_id = %s AND size <
        (SELECT size FROM audit_cosignatures WHERE account_id = %s GROUP BY size ORDER BY size DESC
          OFFSET %s LIMIT 1)
"""


async def ask_witnesses(
    database: Database, client: OutgoingClient, settings: Settings
) -> list[WitnessChange]:
    """Submit the heads of all logs of a cell that have grown, to each witness apart from the others.

    Gives what has changed with the witnesses.
    """
    lanes = [
        _ask_for_due(database, client, settings, one) for one in WitnessAddress.of(settings.audit_witnesses)
    ]
    changes: list[WitnessChange] = []
    for outcome in await asyncio.gather(*lanes, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
        changes += outcome
    return changes


async def ask_for_account(
    database: Database, client: OutgoingClient, settings: Settings, account: int
) -> None:
    """Submit the newest head of one log to each witness now, whenever they were asked last."""
    witnesses = WitnessAddress.of(settings.audit_witnesses)
    asked = [_ask(database, client, settings, one, account, wait_seconds=0) for one in witnesses]
    for outcome in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(outcome, BaseException) and not isinstance(outcome, WitnessUnreachableError):
            raise outcome


async def _ask_for_due(
    database: Database, client: OutgoingClient, settings: Settings, witness: WitnessAddress
) -> list[WitnessChange]:
    seconds = settings.audit_witness_seconds
    changes: list[WitnessChange] = []
    async with database.read() as tx:
        due = await tx.tuples(_DUE, (witness.key.text, seconds, LOGS_AT_ONCE))
    try:
        for (account,) in due:
            changes += await _ask(database, client, settings, witness, account, wait_seconds=seconds)
    except Unavailable:  # a host without the key submits nothing
        return changes
    except WitnessUnreachableError as error:
        accounts = [account for (account,) in due]
        async with database.write() as tx:
            await tx.execute(_FAIL_ALL, (witness.key.text, str(error), accounts, seconds))
        changes += error.changes
    return changes


async def _ask(
    database: Database,
    client: OutgoingClient,
    settings: Settings,
    witness: WitnessAddress,
    account: int,
    *,
    wait_seconds: int,
) -> list[WitnessChange]:
    """Submit the newest head of a log to a witness, unless another worker has just done so."""
    async with database.write() as tx:
        claimed = await tx.tuples(_CLAIM, (account, witness.key.text, wait_seconds))
    if not claimed:
        return []
    [(known, now)] = claimed
    try:
        failure = await _submit(database, client, settings, witness, _Claim(account, known, now))
    except (NotSent, NoAnswer) as error:
        reason = str(error)
        raise WitnessUnreachableError(
            reason, await _keep_outcome(database, account, witness, reason)
        ) from None
    return await _keep_outcome(database, account, witness, failure)


async def _keep_outcome(
    database: Database, account: int, witness: WitnessAddress, failure: str | None
) -> list[WitnessChange]:
    """Keep why a witness cosigned nothing, or that it did; gives the change if that is new."""
    key = witness.key.text
    async with database.write() as tx:
        is_new = await tx.value(
            *((_SUCCEED, (account, key)) if failure is None else (_FAIL, (failure, account, key)))
        )
    return [WitnessChange(account, witness.key.name, failure)] if is_new else []


async def _submit(
    database: Database,
    client: OutgoingClient,
    settings: Settings,
    witness: WitnessAddress,
    claim: _Claim,
) -> str | None:
    """Submit a head, and once more from the size that the witness says it knows; gives why it failed."""
    known = claim.known
    for _ in range(2):
        submission = await _prepare(database, settings, claim.account, known)
        if submission is None:
            return _describe_rollback(known)
        answer = await client.send(
            OutgoingRequest(
                "POST", witness.url, {"Content-Type": "text/plain; charset=utf-8"},
                submission.proof.text.encode(), SECONDS,
            )
        )  # fmt: skip
        if answer.status == 200:
            return await _take(database, witness, submission, answer, claim.now)
        size = _read_size(answer) if answer.status == 409 else None
        if size is None:
            return _describe(answer)
        if size == known:
            return f"It knows another head of {size:,} rows: the log was changed since it was cosigned."
        known = size
    return _describe(answer)


async def _prepare(database: Database, settings: Settings, account: int, known: int) -> _Submission | None:
    """The newest head of a log with the proof from an older one; None where the log is shorter than that."""
    async with database.read() as tx:
        own = await signer(tx, settings)
        size = await size_of(tx, account)
        if known > size:
            return None
        proof = await consistency_proof(tx, account, own, known, size)
        [root] = await roots_of(tx, account, [Span(0, size)])
    return _Submission(account, Checkpoint(own.origin(account), size, root), proof)


def _describe_rollback(known: int) -> str:
    return (
        f"It knows a head of {known:,} rows, and this database has fewer: it was restored from an older"
        " backup, or rows were removed."
    )


def _read_size(answer: OutgoingAnswer) -> int | None:
    text = answer.content.decode("ascii", "replace").removesuffix("\n")
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= _SIZE_DIGITS_MAX else None


def _describe(answer: OutgoingAnswer) -> str:
    reasons = {
        403: "It trusts none of the keys that signed the head.",
        404: "It does not know the log.",
        409: "It knows a newer head by now.",
        422: "It found that the head does not extend the one that it knows.",
    }
    said = shorten(answer.content.decode("utf-8", "replace").strip())
    return f"{reasons.get(answer.status, 'It gave no cosignature.')} (HTTP {answer.status}: {said!r})"


async def _take(
    database: Database, witness: WitnessAddress, submission: _Submission, answer: OutgoingAnswer, now: int
) -> str | None:
    """Store the valid cosignature of an answer; gives why there is none."""
    found = _find_cosignature(answer.content.decode("utf-8", "replace"), witness.key, submission.head, now)
    if found is None:
        return "It answered without a valid cosignature of the head by the key that the setting names."
    account, size, key = submission.account, submission.head.size, witness.key.text
    async with database.write() as tx:
        if size:
            await tx.execute(_STORE, (account, size, key, found.time, found.signature))
        await tx.execute(_KNOW, (size, account, key))
        await tx.execute(_FORGET, (account, account, SIZES_KEPT))
    return None


def _find_cosignature(content: str, key: WitnessKey, head: Checkpoint, now: int) -> Cosignature | None:
    for line in content.splitlines():
        found = read_cosignature(line, key)
        is_timely = found is not None and 0 < found.time <= now + FUTURE_SECONDS_MAX
        if found is not None and is_timely and found.holds(head.text):
            return found
    return None


# What is known of the witnesses of a log.


_LIST: Final = """
    SELECT witness, size, asked_at, failure, failing_since FROM audit_witnesses
     WHERE account_id = %s AND witness = ANY (%s) ORDER BY witness
"""


async def list_witnesses(tx: Read, account: int, settings: Settings) -> list[AuditWitness]:
    """The witnesses that the operator names, and how each of them fares with the log of an account."""
    named = {one.key.text: one.key.name for one in WitnessAddress.of(settings.audit_witnesses)}
    asked = {row[0]: row for row in await tx.tuples(_LIST, (account, [*named]))}
    nothing = (0, None, None, None)
    return [
        AuditWitness(name, key, *(asked[key][1:] if key in asked else nothing)) for key, name in named.items()
    ]


async def best_cosigned_size(tx: Read, account: int, least: int) -> int | None:
    """The size of the head with most cosignatures among those with so many rows; the newest of several."""
    size: int | None = await tx.value(
        """
        SELECT c.size FROM audit_cosignatures c
         WHERE c.account_id = %s AND c.size >= %s
           AND EXISTS (SELECT FROM audit_seals s WHERE (s.account_id, s.number) = (c.account_id, c.size))
         GROUP BY c.size ORDER BY count(*) DESC, c.size DESC LIMIT 1
        """,
        (account, least),
    )
    return size
