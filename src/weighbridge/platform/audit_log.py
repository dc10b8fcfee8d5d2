"""The audit log: one row for each write, in the write's own transaction, never changed afterwards.

A row says when, who (user, token, request), what (action and object) and the record before and after as
canonical JSON. A bulk write leaves one row: how many, which ids, and the SHA-256 of its body. These rows are
written by `platform/changes.py`. Rejected writes and uses of links are counted here by the minute, and each
count becomes a row once its minute is over: so nobody can fill the log by being rejected or by reading.

Invariants: nothing is shown by a link whose use could not be counted; a rejected write waits only for a
repeat of itself.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Final, NamedTuple

from psycopg.sql import SQL

from weighbridge.core import identity
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import ANY, Actor
from weighbridge.core.problem import Problem
from weighbridge.core.signing import write_ssh_public_key
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Index,
    Listing,
    ListRequest,
    Page,
    Source,
    list_request,
    read_int4,
    read_moment,
    read_page,
)
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.errors import Invalid, Malformed, Refusal
from weighbridge.http.endpoints.endpoint import ReadCall, get
from weighbridge.http.endpoints.links import LinkCall
from weighbridge.http.messages.operation import Attachment, RefusedWrite, Spool
from weighbridge.platform.audit_keys import read_statements
from weighbridge.platform.audit_tree import (
    consistency_proof,
    inclusion_proof,
    newest_cosigned_head,
    newest_head,
    signer,
    size_of,
)
from weighbridge.platform.audit_witnesses import list_witnesses
from weighbridge.platform.changes import INSERT_AUDIT_ROW
from weighbridge.platform.records import AuditKey, AuditKeys, AuditKeyStatement, AuditRow, AuditWitnesses
from weighbridge.platform.tenancy import of_account, project_filter
from weighbridge.settings import Settings

Query = Sequence[tuple[str, str]]

WHOLE_NUMBER_DIGITS_MAX: Final = 18
"""Digits of a number of rows; every such number is one that the database holds."""

KIND: Final = "split_part(a.action, '.', 1)"
"""The kind of record of a row `a`, such as `event` of `event.create`."""

AUDIT_LOG: Final = Listing(
    sorts={"id": "a.id", "number": "a.place", "at": "a.at"},
    default_sort="-id",
    key=("a.id",),
    filters={
        "action": Filter("a.action", str, "an action, such as event.create"),
        "kind": Filter(KIND, str, "a kind of record, such as event: what its actions begin with"),
        "object": Filter("a.object", str, "the id of an object"),
        "project_id": project_filter("a.project_id"),
        "request_id": Filter("a.request_id", str, "a request's id"),
        "number": Filter("a.place", read_int4, "a whole number", ("eq", "geq", "leq")),
        "user_id": Filter("a.user_id", read_int4, "a person's number, as `user_id` of a row has it"),
        "at": Filter("a.at", read_moment, MOMENT, BOUNDS),
    },
    indexes=(
        Index("id", "object"),
        Index("id", "request_id"),
        Index("number", "number", is_range=True),
        Index("at", "at", is_range=True),
        Index("id", "user_id"),
        Index("id", "action"),
        Index("id", "kind"),
        Index("id", "project_id"),
        Index("id"),
        Index("number"),
        Index("at"),
    ),
)
"""A reader that follows the log asks for `filter[number][geq]` with the last number it has, plus one, sorted
by `number`."""


async def list_kinds(tx: Read, actor: Actor) -> list[str]:
    """The kinds of records that the account's rows are about, in order; each is looked up once."""
    rows = await tx.tuples(_KINDS, {"account": actor.account_id})
    return [kind for (kind,) in rows if kind is not None]


_KINDS: Final = f"""
    WITH RECURSIVE kinds AS (
        (SELECT {KIND} AS kind FROM audit_log a WHERE a.account_id = %(account)s ORDER BY 1 LIMIT 1)
        UNION ALL
        SELECT (SELECT {KIND} FROM audit_log a
                 WHERE a.account_id = %(account)s AND {KIND} > kinds.kind ORDER BY 1 LIMIT 1)
          FROM kinds WHERE kinds.kind IS NOT NULL
    )
    SELECT kind FROM kinds
"""

AUDIT_ROW: Final = row_of(
    AuditRow,
    Column("id", "a.id"),
    Column("number", "s.number"),
    Column("at", "a.at"),
    Column("project_id", "a.project_id", unless_null(partial(identity.of, "project"))),
    Column("user_id", "a.user_id"),
    Column("user_name", "u.name"),
    Column("token_id", "a.token_id"),
    Column("request_id", "a.request_id"),
    Column("action", "a.action"),
    Column("object", "a.object"),
    Column("before", "a.before"),
    Column("after", "a.after"),
    Column("hash", "encode(s.hash, 'hex')"),
)
_UNSEALED_PLACE: Final = 9223372036854775807
"""Where a row that has no number yet stands: behind all that have one."""

_COLUMNS: Final = """
    a.id, a.project_id, a.at, a.user_id, a.token_id, a.request_id, a.action, a.object, a.before, a.after
"""
_JOINED: Final = """
    LEFT JOIN audit_seals s ON s.audit_id = a.id LEFT JOIN users u ON u.id = a.user_id
"""
_PLACE: Final = f"""
    coalesce((SELECT s.number FROM audit_seals s WHERE s.audit_id = l.id), {_UNSEALED_PLACE})
"""

# The row of a number is looked up one at a time; what finds the rows is the order of the numbers.
_OF_NUMBER: Final = "CROSS JOIN LATERAL (SELECT * FROM audit_log WHERE id = n.audit_id OFFSET 0) l"
_AUDIT_COLUMNS: Final = (
    "l.project_id, l.at, l.user_id, l.token_id, l.request_id, l.action, l.object, l.before, l.after"
)

_BY_NUMBER: Final = Source(
    f"""(
        SELECT n.account_id, n.audit_id AS id, n.number AS place, {_AUDIT_COLUMNS}
          FROM audit_seals n {_OF_NUMBER}) AS a""",
    _COLUMNS,
    name="a",
    others=(
        f"""(
        SELECT n.account_id, n.audit_id AS id, {_UNSEALED_PLACE}::bigint AS place, {_AUDIT_COLUMNS}
          FROM audit_unsealed n {_OF_NUMBER}) AS a""",
    ),
)
"""The rows as they stand in the chain, and those that wait for their seal, which are few."""

_SOURCE: Final = Source(
    f"(SELECT l.*, {_PLACE} AS place FROM audit_log l) AS a",
    _COLUMNS,
    _JOINED,
    by_sort={"number": _BY_NUMBER},
    name="a",
)


async def select_audit_log(tx: Read, actor: Actor, request: ListRequest) -> Page[AuditRow]:
    """The writes of the actor's account, newest first."""
    where = [of_account(actor, "a.account_id")]
    if any(name == "number" for name, *_ in request.conditions):
        where.append(SQL("a.place < {}").format(SQL(str(_UNSEALED_PLACE))))
    return await read_page(tx, AUDIT_ROW, AUDIT_LOG, request, source=_SOURCE, where=where)


async def read_audit_key(tx: Read, account: int, settings: Settings) -> AuditKey:
    """The key by which heads of an account's log are verified."""
    verifier = (await signer(tx, settings)).verifier(account)
    return AuditKey(verifier.name, verifier.text, write_ssh_public_key(verifier.public))


async def read_audit_keys(tx: Read, account: int, settings: Settings) -> AuditKeys:
    """The key that signs heads of an account's log now, and how it came to follow the first one."""
    key = await read_audit_key(tx, account, settings)
    statements = [
        AuditKeyStatement(one.statement.text, one.key_signature, one.successor_signature)
        for one in await read_statements(tx, account)
    ]
    return AuditKeys(key.origin, key.verifier_key, statements)


async def read_audit_head(tx: Read, account: int, settings: Settings) -> str:
    """The signed head over every sealed row of the account."""
    return await newest_head(tx, account, await signer(tx, settings))


async def read_cosigned_head(tx: Read, account: int, settings: Settings, query: Query) -> str:
    """The newest head of the account with as many cosignatures as the query asks for."""
    [least] = _whole_numbers(query, "cosignatures")
    if not 1 <= least <= COSIGNATURES_MAX:
        message = f"cosignatures is {least:,}; it takes 1 to {COSIGNATURES_MAX}."
        raise Invalid([Problem(message, "cosignatures", "invalid")])
    head = await newest_cosigned_head(tx, account, await signer(tx, settings), least)
    if head is None:
        message = f"No head of the log has {least} cosignatures; GET /audit_log/head gives the newest head."
        raise Invalid([Problem(message, "cosignatures", "invalid")])
    return head


async def read_audit_proof(tx: Read, account: int, settings: Settings, query: Query) -> str:
    """The proof that a row of the account is under a head."""
    number, size = _whole_numbers(query, "number", "size")
    sealed = await size_of(tx, account)
    _refuse_beyond(sealed, ("size", 1, size, sealed), ("number", 1, number, size))
    return (await inclusion_proof(tx, account, await signer(tx, settings), number, size)).text


async def read_audit_consistency(tx: Read, account: int, settings: Settings, query: Query) -> str:
    """The proof that a head of the account extends an older one."""
    old, new = _whole_numbers(query, "from", "to")
    sealed = await size_of(tx, account)
    _refuse_beyond(sealed, ("to", 0, new, sealed), ("from", 0, old, new))
    return (await consistency_proof(tx, account, await signer(tx, settings), old, new)).text


def _whole_numbers(query: Query, *names: str) -> list[int]:
    """The numbers that the query has under these names; Malformed unless each is there, and once."""
    numbers: list[int] = []
    problems: list[Problem] = []
    for name in names:
        texts = [text for given, text in query if given == name]
        if not texts:
            problems.append(Problem(f"{name} is required.", name, "required"))
        elif len(texts) > 1 or not _is_whole_number(texts[0]):
            message = f"{name} is {shorten(texts[-1])!r}; it takes one whole number of at most 18 digits."
            problems.append(Problem(message, name, "invalid"))
        else:
            numbers.append(int(texts[0]))
    if problems:
        raise Malformed(problems)
    return numbers


def _is_whole_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= WHOLE_NUMBER_DIGITS_MAX


def _refuse_beyond(sealed: int, *ranges: tuple[str, int, int, int]) -> None:
    """Raise Invalid unless each number lies in its range; of the log so many rows are sealed."""
    if problems := [
        Problem(
            f"{name} is {number:,}; it takes {least:,} to {greatest:,}, for {sealed:,} rows are sealed."
            if greatest >= least
            else f"{name} is {number:,}, and {sealed:,} rows are sealed yet.",
            name,
            "invalid",
        )
        for name, least, number, greatest in ranges
        if not least <= number <= greatest
    ]:
        raise Invalid(problems)


# Writes that were refused: counted as they come, and told by the audit log when their minute is over.
#
# Repeats of one token and operation share a row for each minute, so nobody fills the log by being refused:
# a token leaves at most as many rows in a minute as there are operations.
#
# Invariant: a refused write waits for no other one but a repeat of itself, and one that is stored for none.


PATH_LENGTH_MAX: Final = 200
"""Characters of a path that are kept; ids of records fit, and what a caller makes up is cut."""

_COUNT_REFUSAL: Final = """
    INSERT INTO audit_refusals (token_id, operation, status, minute, account_id, user_id, request_id, method,
                                path, code)
    VALUES (%s, %s, %s, date_trunc('minute', now()), %s, %s, %s, %s, %s, %s)
    ON CONFLICT (token_id, operation, status, minute)
       DO UPDATE SET refusals = audit_refusals.refusals + 1, last_at = excluded.last_at
    RETURNING refusals
"""
_AS_TEXT: Final = """to_char({}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
_LOG_REFUSALS: Final = f"""
    WITH over AS (
        DELETE FROM audit_refusals WHERE minute < date_trunc('minute', now()) RETURNING *)
    {INSERT_AUDIT_ROW}
    SELECT account_id, NULL, user_id, token_id, request_id, 'write.refuse', operation, NULL,
           jsonb_build_object(
               'method', method, 'path', path, 'status', status, 'code', code, 'refusals', refusals,
               'first_at', {_AS_TEXT.format("first_at")}, 'last_at', {_AS_TEXT.format("last_at")})
      FROM over ORDER BY first_at, token_id, operation, status
"""


async def count_refusal(database: Database, actor: Actor, refused: RefusedWrite) -> None:
    """Count a write that was refused to a token. Raises what the database says when it cannot."""
    await database.single(
        _COUNT_REFUSAL,
        (
            actor.token_id, refused.operation, refused.status, actor.account_id, actor.user_id,
            actor.request_id, refused.method, refused.path[:PATH_LENGTH_MAX], refused.code,
        ),
    )  # fmt: skip


async def log_refusals(tx: Write) -> int:
    """Leave a row in the audit log for each token, operation and minute that is over; gives their number.

    The row has the id of the first request and says how often it was refused.
    """
    return await tx.execute(_LOG_REFUSALS)


# Uses of links: counted before anything is shown, and told by the audit log when their minute is over.
#
# Those that wait at the same time are counted by one statement.
#
# Repeats of one link, operation and answer share a row for each minute, as refused writes do
# (above), so nobody fills the log by reading. `reporting/report_links.py` knows the links.
#
# Invariant: nothing is shown by a link whose use could not be counted.


SHOWN: Final = 200
"""The status of a use that shows what the link opens."""


class UsedLink(NamedTuple):
    """The link that a request follows, and what its report is called outside."""

    number: int
    name: str
    account: int
    project: int
    record: str


class LinkUse(NamedTuple):
    """One use of a link, and how it was answered."""

    link: UsedLink
    operation: str
    status: int
    request_id: str


def use_of(call: LinkCall, link: UsedLink, *, gone: Refusal | None) -> LinkUse:
    """One use of a link, answered so."""
    return LinkUse(link, call.operation, SHOWN if gone is None else gone.status, call.request_id)


async def count_uses(database: Database, uses: Sequence[LinkUse]) -> None:
    """Count uses; those of one link, operation and answer go together, by the first."""
    alike: dict[tuple[int, str, int], list[LinkUse]] = {}
    for use in uses:
        alike.setdefault((use.link.number, use.operation, use.status), []).append(use)
    rows = [
        (*key, first.link.account, first.link.project, first.link.record, first.link.name, first.request_id,
         len(same))
        for key, same in sorted(alike.items()) for first in same[:1]
    ]  # fmt: skip
    by_link = Counter(use.link.number for use in uses)
    async with database.write() as tx:
        tx.later(_USE_LINKS, ([*by_link], [*by_link], [*by_link.values()]))
        await tx.execute(_COUNT_USES, [list(column) for column in zip(*rows, strict=True)])


async def log_link_uses(tx: Write) -> int:
    """Leave a row in the audit log for each link, operation, answer and minute that is over; gives how many.

    The row has the id of the first request and says how often the link was used.
    """
    return await tx.execute(_LOG_USES)


_USE_LINKS: Final = """
    WITH locked AS MATERIALIZED (
        SELECT id FROM report_links WHERE id = ANY (%s::integer[]) ORDER BY id FOR NO KEY UPDATE)
    UPDATE report_links l SET use_count = l.use_count + c.uses, last_used_at = now()
      FROM locked k JOIN unnest(%s::integer[], %s::bigint[]) AS c (link_id, uses) ON c.link_id = k.id
     WHERE l.id = k.id
"""
_COUNT_USES: Final = """
    INSERT INTO report_link_uses (link_id, operation, status, minute, account_id, project_id, record, name,
                                  request_id, uses)
    SELECT link_id, operation, status, date_trunc('minute', now()), account_id, project_id, record, name,
           request_id, uses
      FROM unnest(%s::integer[], %s::text[], %s::smallint[], %s::integer[], %s::integer[], %s::text[],
                  %s::text[], %s::text[], %s::bigint[])
           AS c (link_id, operation, status, account_id, project_id, record, name, request_id, uses)
     ORDER BY link_id, operation, status
    ON CONFLICT (link_id, operation, status, minute)
       DO UPDATE SET uses = report_link_uses.uses + excluded.uses, last_at = excluded.last_at
"""
_LOG_USES: Final = f"""
    WITH over AS (
        DELETE FROM report_link_uses WHERE minute < date_trunc('minute', now()) RETURNING *)
    {INSERT_AUDIT_ROW}
    SELECT account_id, project_id, NULL, NULL, request_id, 'report_link.use', record, NULL,
           jsonb_build_object(
               'link_id', link_id, 'name', name, 'operation', operation, 'status', status, 'uses', uses,
               'first_at', {_AS_TEXT.format("first_at")}, 'last_at', {_AS_TEXT.format("last_at")})
      FROM over ORDER BY first_at, link_id, operation, status
"""


# Key, heads and proofs are made for strangers and say nothing of the rows but their hashes, so every token
# may ask for them; the rows take the permission to read what is administered.


_READ = "administration:read"
TEXT: Final = "text/plain"

OF_PROOF: Final = {
    "number": "The number of the row, from 1.",
    "size": "How many rows the head has under which the row is proved to be.",
}
OF_CONSISTENCY: Final = {
    "from": "How many rows the older head has.",
    "to": "How many rows the newer head has.",
}
OF_COSIGNED_HEAD: Final = {"cosignatures": "How many witnesses have to have cosigned the head, from 1."}
"""The parameters of the proofs."""

COSIGNATURES_MAX: Final = 100
"""Witnesses of a head that may be asked for."""


@get("/audit_log", permission=_READ, returns=Page[AuditRow], listing=AUDIT_LOG)
async def list_audit_log(call: ReadCall) -> Page[AuditRow]:
    """List every write to the account's records, newest first, with its place in the sealed log."""
    return await select_audit_log(call.tx, call.actor, list_request(call.query, AUDIT_LOG))


@get("/audit_log/key", permission=ANY, returns=AuditKey)
async def get_audit_key(call: ReadCall) -> AuditKey:
    """Read the public key by which heads of the account's log are verified.

    Whoever checks a head takes the key from somebody they trust, not from whoever shows them the head.
    """
    return await read_audit_key(call.tx, call.actor.account_id, call.settings)


@get("/audit_log/keys", permission=ANY, returns=AuditKeys)
async def get_audit_keys(call: ReadCall) -> AuditKeys:
    """Read the history of the keys of the account's log: which one signs now, and how it follows the first.

    Whoever trusts the first key alone can trust those that it leads to by endorsements.
    """
    return await read_audit_keys(call.tx, call.actor.account_id, call.settings)


@get("/audit_log/head", permission=ANY, sends=(TEXT,))
async def get_audit_head(call: ReadCall) -> Attachment:
    """Download the head of the account's log: how many rows are sealed and the root of their tree, signed.

    The file is a checkpoint (C2SP tlog-checkpoint). Whoever keeps it can tell later whether any of those rows
    was changed, removed or put elsewhere. Witnesses that cosigned this very head have a line each.
    """
    text = await read_audit_head(call.tx, call.actor.account_id, call.settings)
    return attach("audit_log.checkpoint", text)


@get("/audit_log/cosigned_head", permission=ANY, sends=(TEXT,), refuses=(Invalid,), query=OF_COSIGNED_HEAD)
async def get_cosigned_head(call: ReadCall) -> Attachment:
    """Download the newest head that enough witnesses have cosigned (C2SP tlog-cosignature).

    It is some minutes older than the newest head, which witnesses are asked to cosign again and again.
    """
    text = await read_cosigned_head(call.tx, call.actor.account_id, call.settings, call.query)
    return attach("audit_log.checkpoint", text)


@get("/audit_log/witnesses", permission=_READ, returns=AuditWitnesses)
async def list_audit_witnesses(call: ReadCall) -> AuditWitnesses:
    """List the witnesses that cosign heads of the account's log, and how each of them fares.

    A witness that fails holds nothing up; heads are given without its cosignature.
    """
    return AuditWitnesses(await list_witnesses(call.tx, call.actor.account_id, call.settings))


@get("/audit_log/proof", permission=ANY, sends=(TEXT,), refuses=(Invalid,), query=OF_PROOF)
async def get_audit_proof(call: ReadCall) -> Attachment:
    """Download the proof that a row is under a head, with that head (C2SP tlog-proof)."""
    text = await read_audit_proof(call.tx, call.actor.account_id, call.settings, call.query)
    return attach("audit_log.tlog-proof", text)


@get("/audit_log/consistency", permission=ANY, sends=(TEXT,), refuses=(Invalid,), query=OF_CONSISTENCY)
async def get_audit_consistency(call: ReadCall) -> Attachment:
    """Download the proof that a head extends an older one, with the newer head (as C2SP tlog-witness has it).

    Every row of the older head is in the newer one, unchanged and in its place.
    """
    text = await read_audit_consistency(call.tx, call.actor.account_id, call.settings, call.query)
    return attach("audit_log.consistency", text)


def attach(name: str, text: str) -> Attachment:
    """A file of text."""
    content = text.encode()

    async def read() -> Spool:
        spool: Spool = SpooledTemporaryFile(max_size=len(content) + 1)  # noqa: SIM115 - whoever sends it closes it
        spool.write(content)
        spool.seek(0)
        return spool

    return Attachment(name, f"{TEXT}; charset=utf-8", len(content), read)


ROUTES = [
    list_audit_log,
    get_audit_key,
    get_audit_keys,
    get_audit_head,
    get_cosigned_head,
    list_audit_witnesses,
    get_audit_proof,
    get_audit_consistency,
]
"""The slice's paths."""
