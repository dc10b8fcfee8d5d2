"""Accounts and their users: tokens act for users, and some of them are people who sign in with a password.

An account sees its own projects and nothing of any other. The first start creates the account `default`
with the user `administrator`, for whom commands act. A person joins by a link; the link is shown once,
works once, and only its hash is stored. What a person may do is a set of permissions; roles are names
for some of them.
"""

from collections.abc import Sequence
from secrets import token_urlsafe
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.identity import problem_of_name, problem_of_unseen
from weighbridge.core.number import shorten
from weighbridge.core.platform.cell import FIRST, Cell, name_account
from weighbridge.core.platform.permission import (
    ALL_PERMISSIONS,
    IN_PROJECT,
    Actor,
    list_including,
    reduce_permissions,
)
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.cells import Cells
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Conflict, Invalid, NotFound
from weighbridge.platform import changes
from weighbridge.platform.authentication import (
    hash_password,
    hash_secret,
    hold_administrators,
    need_own_administrator,
    refuse_above,
    refuse_beyond,
)
from weighbridge.platform.provider_people import unlink
from weighbridge.platform.records import ADMINISTERS, EMAIL_LENGTH_MAX, LINK_HOURS, AccessLink, User
from weighbridge.platform.tenancy import find, of_account, problems_of_permissions

DEFAULT_ACCOUNT: Final = "default"
ADMINISTRATOR: Final = "administrator"


_NEXT_ACCOUNT: Final = "SELECT nextval('accounts_id_seq')"

_REVOKE_ALL: Final = """
    WITH RECURSIVE branch (id) AS (
        SELECT id FROM api_tokens WHERE account_id = %(account)s AND user_id = %(user)s
         UNION SELECT t.id FROM api_tokens t JOIN branch b ON b.id = t.issued_by)
    UPDATE api_tokens SET revoked_at = now()
     WHERE id IN (SELECT id FROM branch) AND revoked_at IS NULL RETURNING id
"""


async def place_account(cells: Cells, database: Database, cell: Cell, name: str) -> tuple[Cell, int | None]:
    """Promise a name to a new account before its cell has it: in which cell, and by which number.

    An attempt that did not come to its end has promised both already. There is no number where there is no
    directory, for then the cell gives one.
    """
    if not await cells.has_directory():
        return FIRST, None
    row = await database.in_cell(cell).single(_NEXT_ACCOUNT)
    assert row is not None, "the statement gives one row"  # noqa: S101
    account_id = await cells.directory.claim_name(row[0], cell, name)
    return await cells.find(account_id), account_id


async def create_account(tx: Write, *, name: str, request_id: str, number: int | None = None) -> Actor:
    """Make an account with its administrator; raise Conflict when the name is taken."""
    account_id = await tx.value(
        """
        INSERT INTO accounts (id, name) OVERRIDING SYSTEM VALUE VALUES (%s, %s)
        ON CONFLICT DO NOTHING RETURNING id
        """,
        (number or await tx.value(_NEXT_ACCOUNT), name),
    )
    if account_id is None:
        raise Conflict(f"There is an account {name!r} already.")
    user_id = await ensure_user(tx, account_id, ADMINISTRATOR)
    actor = Actor(account_id, user_id, None, frozenset(ALL_PERMISSIONS), request_id)
    changes.record(tx, actor, action="account.create", target=str(account_id), after={"name": name})
    return actor


async def administrator_of(tx: Write, account: str, request_id: str) -> Actor:
    """The administrator of an account; the default account is made when it is first asked for."""
    account_id = await tx.value("SELECT id FROM accounts WHERE name = %s", (account,))
    if account_id is None and account == DEFAULT_ACCOUNT:
        await tx.execute(*locks.hold(locks.DEFAULT_ACCOUNT))
        account_id = await tx.value("SELECT id FROM accounts WHERE name = %s", (account,))
        if account_id is None:
            return await create_account(tx, name=account, request_id=request_id)
    if account_id is None:
        raise NotFound(message=f"There is no account {account!r}.")
    user_id = await ensure_user(tx, account_id, ADMINISTRATOR)
    return Actor(account_id, user_id, None, frozenset(ALL_PERMISSIONS), request_id)


async def record_move(tx: Write, account: int, source: Cell, target: Cell, request_id: str) -> None:
    """Write to the log of an account that it has moved, as its administrator; in the cell where it is now."""
    user_id = await ensure_user(tx, account, ADMINISTRATOR)
    actor = Actor(account, user_id, None, frozenset(ALL_PERMISSIONS), request_id)
    after = {"from": source.name, "to": target.name}
    changes.record(tx, actor, action="account.move", target=str(account), after=after)


async def find_account(database: Database, name: str) -> int | None:
    """The number of the account with a name, in the database's cell."""
    row = await database.single("SELECT id FROM accounts WHERE name = %s", (name,))
    return None if row is None else int(row[0])


async def claim_address(cells: Cells, database: Database, address: str, account: int) -> None:
    """Promise an address to an account before somebody signs in there with it; Conflict where it is taken.

    Within a cell its unique key does so. Between cells the directory does; a promise that was made long
    enough ago and is not kept goes to whoever asks next.
    """
    if not await cells.has_directory():
        return
    holder = await cells.directory.claim_address(address, account)
    if holder == account:
        return
    other = database.in_cell(await cells.find(holder))
    is_kept = await other.single(
        "SELECT FROM users WHERE lower(email) = lower(%s) AND password_hash IS NOT NULL", (address.strip(),)
    )
    if is_kept is not None or not await cells.directory.move_address(address, holder, account):
        raise _taken(address.strip())


async def ensure_user(tx: Write, account_id: int, email: str) -> int:
    """The id of a user of the account, who is made when new."""
    user_id: int = await tx.value(
        """
        INSERT INTO users (account_id, email, name) VALUES (%s, %s, %s)
        ON CONFLICT (account_id, email) DO UPDATE SET email = excluded.email RETURNING id
        """,
        (account_id, email, email.partition("@")[0]),
    )
    return user_id


async def erase_person(tx: Write, actor: Actor, email: str) -> int:
    """Forget who a user of the account was, and revoke their tokens with all that those issued.

    The user stays as a number, by which books and audit rows go on telling who did what apart from others.
    Raises NotFound when nobody has the address, Conflict for the administrator, who is no person.
    """
    if email == ADMINISTRATOR:
        raise Conflict(f"{ADMINISTRATOR!r} stands for the commands of this service and is no person.")
    await tx.execute(*locks.hold(locks.token_issue(actor.account_id)))
    user_id: int | None = await tx.value(
        """
        UPDATE users SET email = 'erased-' || id, name = 'erased-' || id, password_hash = NULL
         WHERE account_id = %s AND email = %s RETURNING id
        """,
        (actor.account_id, email),
    )
    if user_id is None:
        raise NotFound(message=f"The account has no user with the address {shorten(email)}.")
    revoked = await tx.tuples(_REVOKE_ALL, {"user": user_id, "account": actor.account_id})
    await tx.execute("UPDATE api_tokens SET name = 'erased-' || id WHERE user_id = %s", (user_id,))
    await unlink(tx, actor, user=user_id)
    await tx.execute("DELETE FROM sessions WHERE user_id = %s", (user_id,))
    await tx.execute("DELETE FROM saved_views WHERE user_id = %s", (user_id,))
    await tx.execute(
        """
        DELETE FROM access_links
         WHERE account_id = %s AND (user_id = %s OR lower(email) = lower(%s)
                                    OR made_by = %s AND used_at IS NULL)
        """,
        (actor.account_id, user_id, email, user_id),
    )
    after = {"revoked_tokens": sorted(number for (number,) in revoked)}
    changes.record(tx, actor, action="user.erase", target=str(user_id), after=after)
    return user_id


USERS_MAX: Final = 1_000
"""Users of an account that are listed at a time."""

_PROVIDER_OF_USER: Final = """
    (SELECT p.name FROM provider_people i
       JOIN identity_providers p ON (p.account_id, p.id) = (i.account_id, i.provider_id)
      WHERE (i.account_id, i.user_id) = (u.account_id, u.id))
"""

_USER: Final = row_of(
    User,
    Column("id", "u.id"),
    Column("name", "u.name"),
    Column("email", "u.email"),
    Column("permissions", "u.permissions"),
    Column("signs_in", "u.password_hash IS NOT NULL"),
    Column("keeps_password", "u.keeps_password"),
    Column("provider", _PROVIDER_OF_USER),
    Column("created_at", "u.created_at"),
    Column("signed_in_at", "u.signed_in_at"),
    Column("disabled_at", "u.disabled_at"),
)

_LINK: Final = row_of(
    AccessLink,
    Column("id", "l.id"),
    Column("kind", "l.kind"),
    Column("account_id", "l.account_id"),
    Column("user_id", "l.user_id"),
    Column("email", "l.email"),
    Column("permissions", "l.permissions"),
    Column("made_by", "l.made_by"),
    Column("created_at", "l.created_at"),
    Column("expires_at", "l.expires_at"),
)


_LINKS: Final = """
    access_links l JOIN users m ON (m.account_id, m.id) = (l.account_id, l.made_by)
    LEFT JOIN users o ON (o.account_id, o.id) = (l.account_id, l.user_id)
"""
_INCLUDING: Final = " ".join(
    f"WHEN '{permission}' THEN '{{{','.join((permission, *list_including(permission)))}}}'::text[]"
    for permission in ALL_PERMISSIONS
)
"""For each permission those that it is held by, as a permission itself or within a higher one.

One of a project is held by the same of that project as well."""

_LETS_IN: Final = f"""
    l.used_at IS NULL AND l.expires_at > now() AND o.disabled_at IS NULL
    AND (m.email = '{ADMINISTRATOR}' OR m.disabled_at IS NULL AND '{ADMINISTERS}' = ANY (m.permissions)
         AND NOT EXISTS (
             SELECT FROM unnest(CASE WHEN l.user_id IS NULL THEN l.permissions ELSE o.permissions END) AS p,
                    LATERAL (SELECT CASE split_part(p, '{IN_PROJECT}', 1) {_INCLUDING} END AS held) AS by
              WHERE NOT m.permissions && by.held
                AND NOT (p ~ '{IN_PROJECT}' AND m.permissions && ARRAY(
                             SELECT one || '{IN_PROJECT}' || split_part(p, '{IN_PROJECT}', 2)
                               FROM unnest(by.held) AS one))))
"""
"""A link lets in as long as its maker, if it was no command, could make it still: they administer, and may do
all that it gives, or that whom it is for may do by now."""


_FIND_LINK: Final = SQL("SELECT {} FROM {} WHERE l.secret_hash = %s AND l.kind = ANY (%s) AND {}").format(
    SQL(_LINK.columns), SQL(_LINKS), SQL(_LETS_IN)
)


async def list_users(tx: Read, actor: Actor) -> list[User]:
    """The users of the actor's account, people first."""
    statement = SQL("SELECT {} FROM users u WHERE {} ORDER BY password_hash IS NULL, email LIMIT {}").format(
        SQL(_USER.columns), of_account(actor, "u.account_id"), USERS_MAX
    )
    return await tx.rows(_USER.make, statement)


async def get_user(tx: Read, actor: Actor, number: int) -> User:
    """One user of the actor's account; NotFound when there is none."""
    numbered = SQL("{} AND u.id = %s").format(of_account(actor, "u.account_id"))
    return await find(tx, _USER, "users u", numbered, (number,))


async def list_open_links(tx: Read, actor: Actor) -> list[AccessLink]:
    """The invitations of the actor's account that nobody has followed yet."""
    statement = SQL(
        """
        SELECT {} FROM {} WHERE {} AND l.kind = 'join' AND {} ORDER BY l.created_at DESC LIMIT {}
        """
    ).format(
        SQL(_LINK.columns), SQL(_LINKS), of_account(actor, "l.account_id"), SQL(_LETS_IN), USERS_MAX
    )  # fmt: skip
    return await tx.rows(_LINK.make, statement)


async def read_link(tx: Read, secret: str, kinds: tuple[str, ...]) -> AccessLink:
    """The link with this secret that still lets somebody in; NotFound when there is none (any more)."""
    link = await tx.row(_LINK.make, _FIND_LINK, (hash_secret(secret), [*kinds]))
    if link is None:
        raise _no_link()
    return link


async def need_link(tx: Read, link: AccessLink) -> None:
    """Raise NotFound where a link lets nobody in (any more)."""
    statement = SQL("SELECT true FROM {} WHERE l.id = %s AND {}").format(SQL(_LINKS), SQL(_LETS_IN))
    if not await tx.value(statement, (link.id,)):
        raise _no_link()


def _no_link() -> NotFound:
    message = "This link has been used, has run out, or was never made. Ask for another one."
    return NotFound(message=message, code="no_such_path")


async def count_held(tx: Read, actor: Actor, number: int) -> tuple[int, int]:
    """How many tokens that work act for a user, and for how many open links to reports they answer."""
    [(tokens, links)] = await tx.tuples(
        """
        SELECT (SELECT count(*) FROM api_tokens
                 WHERE account_id = %(account)s AND user_id = %(user)s AND revoked_at IS NULL
                   AND coalesce(expires_at > now(), true)),
               (SELECT count(*) FROM report_links
                 WHERE coalesce(user_id, created_by) = %(user)s AND revoked_at IS NULL AND expires_at > now())
        """,
        {"account": actor.account_id, "user": number},
    )
    return tokens, links


async def has_people(tx: Read) -> bool:
    """Whether anybody can sign in."""
    return bool(await tx.value("SELECT EXISTS (SELECT FROM users WHERE password_hash IS NOT NULL)"))


_GIVES: Final = "Nobody gives away what they may not do themselves"


async def invite_user(tx: Write, actor: Actor, email: str, permissions: Sequence[str]) -> str:
    """Make a link by which somebody joins the account, and give its secret, which is not stored."""
    email = email.strip()
    problems = [*_problems_of_email(email), *await problems_of_permissions(tx, actor, permissions)]
    if problems:
        raise Invalid(problems)
    refuse_beyond(actor, permissions, _GIVES)
    await _refuse_taken(tx, email)
    await _refuse_invited_above(tx, actor, email)
    secret = await make_link(tx, actor, "join", email=email, permissions=reduce_permissions(permissions))
    changes.record(
        tx, actor, action="user.invite", target=str(actor.account_id),
        after={"permissions": list(reduce_permissions(permissions))},
    )  # fmt: skip
    return secret


async def make_link(
    tx: Write,
    actor: Actor,
    kind: str,
    *,
    user_id: int | None = None,
    email: str | None = None,
    permissions: Sequence[str] = (),
) -> str:
    """Make a link of a kind and give its secret; what lets in the same person until then does so no more."""
    secret = name_account(actor.account_id, token_urlsafe(32))
    await tx.execute(
        """
        DELETE FROM access_links
         WHERE account_id = %s AND kind = %s AND used_at IS NULL
           AND (user_id, email) IS NOT DISTINCT FROM (%s::integer, %s::text)
        """,
        (actor.account_id, kind, user_id, email),
    )
    await tx.execute(
        """
        INSERT INTO access_links (account_id, kind, secret_hash, user_id, email, permissions, made_by,
                                  expires_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, now() + make_interval(hours => %s))
        """,
        (
            actor.account_id, kind, hash_secret(secret), user_id, email, list(permissions), actor.user_id,
            LINK_HOURS[kind],
        ),
    )  # fmt: skip
    return secret


async def make_user_link(tx: Write, actor: Actor, number: int, kind: str) -> str:
    """Make a link by which a user of the account sets another password, or signs in once."""
    await refuse_above(tx, actor, (await get_user(tx, actor, number)).id)
    user = await get_user(tx, actor, number)
    if user.disabled_at is not None:
        raise Conflict("The user may not sign in; allow it first.")
    if kind == "password" and user.provider is not None:
        raise Conflict(f"The user signs in by {user.provider}. Release them from it first.")
    secret = await make_link(tx, actor, kind, user_id=number)
    changes.record(tx, actor, action="user.make_link", target=str(number), after={"kind": kind})
    return secret


async def add_user(
    tx: Write, actor: Actor, *, email: str, name: str, permissions: Sequence[str], password_hash: str
) -> int:
    """Make a person who can sign in, or give a password to a user whom only tokens acted for so far."""
    email, name = email.strip(), name.strip() or email.partition("@")[0].strip()
    problems = [*_problems_of_email(email), *await problems_of_permissions(tx, actor, permissions)]
    if wrong := problem_of_name(name, "A user", "name"):
        problems.append(wrong)
    if problems:
        raise Invalid(problems)
    await _refuse_taken(tx, email)
    user_id: int = await tx.value(
        """
        INSERT INTO users AS u (account_id, email, name, permissions, password_hash)
        VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (account_id, email) DO UPDATE
           SET name = excluded.name, permissions = excluded.permissions,
               password_hash = excluded.password_hash, disabled_at = NULL
        RETURNING id
        """,
        (actor.account_id, email, name, list(reduce_permissions(permissions)), password_hash),
    )
    after = {"permissions": list(reduce_permissions(permissions))}
    changes.record(tx, actor, action="user.create", target=str(user_id), after=after)
    return user_id


async def add_user_without_password(
    tx: Write, actor: Actor, *, email: str, name: str, permissions: Sequence[str]
) -> int:
    """Make a person whose password nobody knows: they sign in by a link, and may choose one by another."""
    refuse_beyond(actor, permissions, _GIVES)
    password_hash = await hash_password(token_urlsafe(32))
    return await add_user(
        tx, actor, email=email, name=name, permissions=permissions, password_hash=password_hash
    )


async def withdraw_invitation(tx: Write, actor: Actor, email: str) -> bool:
    """Take back the invitation of an address; whether there was one that nobody had followed."""
    await _refuse_invited_above(tx, actor, email)
    gone = await tx.execute(
        """
        DELETE FROM access_links
         WHERE account_id = %s AND kind = 'join' AND used_at IS NULL AND lower(email) = lower(%s)
        """,
        (actor.account_id, email.strip()),
    )
    if gone:
        changes.record(tx, actor, action="user.withdraw_invitation", target=str(actor.account_id))
    return bool(gone)


async def use_link(tx: Write, link: AccessLink) -> None:
    """Use a link up; NotFound when somebody else has meanwhile, or its maker may not give that any more."""
    await tx.execute(
        "SELECT FROM users WHERE account_id = %s AND id = ANY (%s) ORDER BY id FOR SHARE",
        (link.account_id, [link.made_by, link.user_id]),
    )
    await need_link(tx, link)
    statement = "UPDATE access_links SET used_at = now() WHERE id = %s AND used_at IS NULL"
    if not await tx.execute(statement, (link.id,)):
        raise NotFound(message="This link has been used. Ask for another one.", code="no_such_path")


async def set_password(tx: Write, actor: Actor, password_hash: str) -> None:
    """Give the actor's user another password, and end every session of theirs."""
    await tx.execute(
        "UPDATE users SET password_hash = %s WHERE id = %s AND account_id = %s",
        (password_hash, actor.user_id, actor.account_id),
    )
    await tx.execute("DELETE FROM sessions WHERE user_id = %s", (actor.user_id,))
    changes.record(tx, actor, action="user.set_password", target=str(actor.user_id))


async def update_user(
    tx: Write,
    actor: Actor,
    number: int,
    *,
    permissions: Sequence[str],
    may_sign_in: bool,
    keeps_password: bool | None = None,
) -> None:
    """Say what a user may do, whether they may sign in, and whether they keep their password.

    Conflict when nobody is left to administer who signs in without an identity provider, and for another role
    of somebody whose role an identity provider gives.
    """
    if problems := await problems_of_permissions(tx, actor, permissions):
        raise Invalid(problems)
    refuse_beyond(actor, permissions, _GIVES)
    await hold_administrators(tx, actor.account_id)
    await refuse_above(tx, actor, (await get_user(tx, actor, number)).id)
    before = await get_user(tx, actor, number)
    keeps = before.keeps_password if keeps_password is None else keeps_password
    _refuse_against_provider(before, permissions, keeps=keeps)
    await tx.execute(
        """
        UPDATE users SET permissions = %s, disabled_at = CASE WHEN %s THEN NULL
                                                               ELSE coalesce(disabled_at, (SELECT now())) END,
                         keeps_password = %s
         WHERE id = %s
        """,
        (list(reduce_permissions(permissions)), may_sign_in, keeps, number),
    )
    await need_own_administrator(tx, actor.account_id)
    if not may_sign_in:
        await tx.execute("DELETE FROM sessions WHERE user_id = %s", (number,))
    if not may_sign_in or ADMINISTERS not in permissions:
        await _end_links_of(tx, actor, number)
    changes.record(
        tx, actor, action="user.update", target=str(number),
        before={"permissions": before.permissions, "may_sign_in": before.disabled_at is None,
                "keeps_password": before.keeps_password},
        after={"permissions": list(reduce_permissions(permissions)), "may_sign_in": may_sign_in,
               "keeps_password": keeps},
    )  # fmt: skip


def _refuse_against_provider(user: User, permissions: Sequence[str], *, keeps: bool) -> None:
    """Raise Conflict where an identity provider says what a user may do, and this says otherwise."""
    if user.provider is None:
        return
    if {*reduce_permissions(permissions)} != {*user.permissions}:
        raise Conflict(
            f"The role of the user follows from their groups at {user.provider}. Change it there, or release "
            "them from it first."
        )
    if keeps:
        raise Conflict(f"The user signs in by {user.provider}. Release them from it first.")


async def release_user(tx: Write, actor: Actor, number: int) -> None:
    """Have a user sign in by their identity provider no longer; they need a link for a password then."""
    await hold_administrators(tx, actor.account_id)
    await refuse_above(tx, actor, (await get_user(tx, actor, number)).id)
    before = await get_user(tx, actor, number)
    if not await unlink(tx, actor, user=number):
        raise Conflict("The user signs in by no identity provider.")
    changes.record(tx, actor, action="user.release", target=str(number), before={"provider": before.provider})


async def _end_links_of(tx: Write, actor: Actor, number: int) -> None:
    """End what a user has made, and what was made for them, that would let somebody in and was not used."""
    await tx.execute(
        "DELETE FROM access_links WHERE account_id = %s AND used_at IS NULL AND %s IN (made_by, user_id)",
        (actor.account_id, number),
    )


async def offer_first_user(tx: Write, actor: Actor) -> str | None:
    """The secret of a link by which the first person joins, with every permission; None when people have."""
    if await has_people(tx):
        return None
    return await make_link(tx, actor, "first", permissions=reduce_permissions(ALL_PERMISSIONS))


async def _refuse_taken(tx: Write, email: str) -> None:
    taken = await tx.value(
        "SELECT true FROM users WHERE lower(email) = lower(%s) AND password_hash IS NOT NULL", (email,)
    )
    if taken:
        raise _taken(email)


def _taken(email: str) -> Conflict:
    return Conflict([Problem(f"Somebody signs in as {shorten(email)} already.", "email", "conflict")])


async def _refuse_invited_above(tx: Write, actor: Actor, email: str) -> None:
    """Raise Forbidden where somebody is invited to do more than the actor may, who cannot take that back."""
    rows = await tx.tuples(
        """
        SELECT DISTINCT unnest(permissions) FROM access_links
         WHERE account_id = %s AND kind = 'join' AND used_at IS NULL AND expires_at > now()
           AND lower(email) = lower(%s)
        """,
        (actor.account_id, email.strip()),
    )
    refuse_beyond(
        actor, sorted(permission for (permission,) in rows), "Nobody takes back what they could not give"
    )


def _problems_of_email(email: str) -> list[Problem]:
    if unseen := problem_of_unseen(email, "email"):
        return [unseen]
    name, _, host = email.partition("@")
    if (
        name
        and host
        and len(email) <= EMAIL_LENGTH_MAX
        and not any(character.isspace() for character in email)
    ):
        return []
    message = f"email is {shorten(email)!r}; it takes an address such as ada@plant.example."
    return [Problem(message, "email", "invalid")]
