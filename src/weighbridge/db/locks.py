"""Advisory locks: what they are called, in which order they are taken, and the statements that take them.

A lock keeps two pieces of work apart that have no row in common. It is taken by its name, and everybody who
takes one finds the name here.

In: what a lock is about, such as a project and a ledger. Out: its name, and statements to run in a
transaction, with `execute`, with `value` where they tell whether the lock was to be had, or with `later`.

Whoever takes several takes them in this order, so that nobody waits in a circle:

0. `roll_ups`, then rows of event types: whoever says what events are rolled up from. `roll_up_worker`:
   whoever rolls up; before it changes what batches may be made of it shares `generation`, if it can.
1. `generation` of each model, `events` of each event type and `ledger` of each ledger, in the order of their
   numbers or slugs: a generation or a deletion of batches, before its snapshot. Others only ask for these,
   and never wait.
2. `rule_worker`, then `rule`: whoever evaluates rules. One that corrects has a transaction for one rule and
   one period; it takes all events that it may correct at once, before the first correction. Then
   `imputing`: whoever makes imputed events, before it holds rows.
3. `static_input`: whoever adds a value to a slug; `rule_names`: whoever names a rule; `calibrations`:
   whoever says when a calibration holds.
4. rows, those of event types before those of events, and events in the order of their numbers.
5. `inputs`: shared by changes of what generations read, from before the change; alone by a generation that
   is about to commit. A correction takes it before it locks the events that it corrects, and may hold rows
   of its own by then; a generation that takes it alone waits for no rows afterwards.
6. rule marks: shared by writers of events, with their last statements; alone by the first evaluation of a
   rule, in a transaction that holds nothing else.
7. `captured_slots` of each event type, in the order of their numbers: shared by whoever stores captured
   events, from the end of the statement that does, by a trigger of the database; alone by a transaction that
   has made imputed events, as the last that it waits for.
8. `evidence_quota`: while there is a quota, whoever attaches a file, who waits for nothing afterwards.

`on_node` is shared from the beginning of each transaction in a cell on a node, which only tries it; who takes
the cell away from there has it alone.

`archive_write` is held, and tried only, by a transaction that takes nothing else.

`MIGRATION`, `GRANTS`, `CELL_CREATION`, `DEFAULT_ACCOUNT`, `TASK_RECOVERY`, `AUDIT_KEY`, `audit_seal` and
`token_issue` stand alone.
`ACCOUNT_MOVE`, then `CAPTURING`: the command that moves an account, as long as it takes. For its last step it
locks the account's row, and then has `account_move` alone, which whoever changes rows of the account shares
if that is to be had at once.
`watched_places` is held, and tried only, by a transaction that takes nothing else.
`changes:number` too: the database's function `number_changes` takes it, in a transaction of its own.

Jobs in the queue have locks of their own, by names only: jobs with one name are carried out one after the
other. Generations and deletions use the name of `generation` for them, so a worker takes no job that would
only wait.
"""

from collections.abc import Sequence
from typing import Final, LiteralString

from psycopg.sql import SQL

Command = tuple[LiteralString, tuple[str | int | list[str], ...]]
"""A statement and its parameters."""

MIGRATION: Final = 7218_0426
"""The key of the lock of migration: processes that start together migrate one after the other."""

GRANTS: Final = "grants"
"""What the running role may: processes that start together say it one after the other."""

DEFAULT_ACCOUNT: Final = "default account"
"""Whoever asks for the default account first makes it, and makes it once."""

TASK_RECOVERY: Final = "async_tasks:recovery"
"""One worker at a time gives new jobs to tasks that lost theirs."""


CELL_CREATION: Final = "cells:add"
"""One command at a time makes a cell, or moves one."""

ACCOUNT_MOVE: Final = "accounts:one move"
"""One command at a time moves an account; shared by what reads all cells, and so finds each account once."""

CAPTURING: Final = "accounts:moving"
"""Held while triggers capture what changes of an account that moves; the database's function asks for it."""


def on_node(schema: str | None) -> str:
    """Transactions in a cell on a node share it; who has it alone takes the cell away from there."""
    return f"cell:{schema}"


AUDIT_KEY: Final = "audit_log:key"
"""Whoever looks for the key of the audit log first makes it, and makes it once."""


def account_move(account: int) -> str:
    """The last step of the move of an account; a function of the database shares it by this name."""
    return f"accounts:move:{account}"


def watched_places(schema: str | None) -> str:
    """One worker at a time looks where data feeds of a cell watch."""
    return "data_feeds:watch" if schema is None else f"data_feeds:watch:{schema}"


def audit_seal(account: int) -> str:
    """One sealer at a time works on the audit log of an account."""
    return f"audit_log:seal:{account}"


def archive_write(project: int) -> str:
    """One run at a time writes months of a project: two would each make the next version of one."""
    return f"archive:{project}"


def token_issue(account: int) -> str:
    """Whoever issues tokens shares it; whoever revokes one, and those issued by it, has it alone."""
    return f"api_tokens:{account}"


def generation(project: int, family: int) -> str:
    """A model in a project is run once at a time, because its ledgers share runs."""
    return f"generation:{project}:{family}"


def evidence_quota(account: int) -> str:
    """Files of an account are counted against its quota one after the other."""
    return f"quota of evidence:{account}"


def events(project: int, event_type: str) -> str:
    """Generations that give out events of one type come one after the other."""
    return f"events:{project}:{event_type}"


def ledger(project: int, number: int) -> str:
    """Whoever posts to a ledger, or draws from it, does so alone."""
    return f"ledger:{project}:{number}"


def inputs(project: int) -> str:
    """Changes of what generations read share it; a generation that ends has it alone."""
    return f"inputs:{project}"


def static_input(project: int, slug: str) -> str:
    """Two first values of a slug cannot come with units that do not fit."""
    return f"static_input:{project}:{slug}"


def calibrations(project: int) -> str:
    """Two calibrations of one meter cannot come to hold at once."""
    return f"calibrations:{project}"


def roll_ups(project: int) -> str:
    """Whoever says what events are rolled up from; a trigger of the database takes it by the same name."""
    return f"roll ups:{project}"


def roll_up_worker(project: int) -> str:
    """One worker at a time rolls up what is marked in a project."""
    return f"rolling up:{project}"


def rule_names(project: int) -> str:
    """Two rules of a project cannot take one name at once."""
    return f"rule names:{project}"


def rule_worker(project: int) -> str:
    """One worker at a time evaluates what is marked in a project."""
    return f"rule evaluation:{project}"


def rule(project: int, number: int) -> str:
    """Two evaluations of one rule run one after the other."""
    return f"rule evaluation:{project}:{number}"


def job_of_task(task: int) -> str:
    """The lock of a job in the queue that has to wait for no other."""
    return f"async_task:{task}"


def job_of_uncertainty_run(project: int, number: int) -> str:
    """The lock of the job that computes the trials of an uncertainty run."""
    return f"uncertainty_run:{project}:{number}"


def methodology_packages(account: int) -> str:
    """Two packages of an account cannot take one name and version at once."""
    return f"methodology packages:{account}"


def package_installations(project: int) -> str:
    """One package at a time is installed in a project, upgraded or removed."""
    return f"package installations:{project}"


def job_of_export(number: int) -> str:
    """The lock of the job that makes the file of an export."""
    return f"export:{number}"


def imputing(project: int) -> str:
    """Two rules that find a slot without an event make one between them."""
    return f"imputing:{project}"


def captured_slots(project: int, event_type: int) -> str:
    """Whoever imputes and whoever captures for one slot see each other; a trigger takes it by this name."""
    return f"captured slots:{project}:{event_type}"


def jobs_of_feed(project: int, number: int) -> str:
    """The lock of jobs in the queue: the files of a data feed are stored one after the other."""
    return f"data feed:{project}:{number}"


def jobs_of_rule(project: int, number: int) -> str:
    """The lock of jobs in the queue: the runs of a rule are carried out one after the other."""
    return f"rule:{project}:{number}"


def jobs_of_report(project: int, number: int) -> str:
    """The lock of jobs in the queue: a report is sent off by one at a time."""
    return f"report:{project}:{number}"


def jobs_of_registry(number: int) -> str:
    """The lock of jobs in the queue: what a registry has is read by one at a time."""
    return f"registry:{number}"


def share_all(names: Sequence[str]) -> Command:
    """Wait for locks, one after the other, and share them until the transaction ends."""
    return (
        """
        SELECT pg_advisory_xact_lock_shared(hashtextextended(name, 0))
          FROM (SELECT unnest(%s::text[]) AS name ORDER BY 1) AS wanted
        """,
        ([*names],),
    )


def hold(name: str) -> Command:
    """Wait for a lock, and have it alone until the transaction ends."""
    return "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,)


def share(name: str) -> Command:
    """Wait for a lock, and share it until the transaction ends."""
    return "SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", (name,)


def try_hold(name: str) -> Command:
    """Take a lock alone until the transaction ends if it is free now; the row says whether it was."""
    return "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", (name,)


def try_hold_all(names: Sequence[str]) -> Command:
    """Take locks alone until the transaction ends, in their order; the row says whether all were free."""
    return (
        """
        SELECT coalesce(bool_and(pg_try_advisory_xact_lock(hashtextextended(name, 0)) ORDER BY place), true)
          FROM unnest(%s::text[]) WITH ORDINALITY AS wanted (name, place)
        """,
        ([*names],),
    )


def try_share(names: Sequence[str]) -> Command:
    """Share locks until the transaction ends if all are free now; the row says so, and is NULL for none."""
    return (
        """
        SELECT bool_and(pg_try_advisory_xact_lock_shared(hashtextextended(name, 0)))
          FROM unnest(%s::text[]) AS wanted (name)
        """,
        ([*names],),
    )


def hold_rule_marks(project: int) -> Command:
    """Wait for all writers that share the lock of rule marks, and have it alone."""
    return "SELECT pg_advisory_xact_lock(rule_marks_lock(%s))", (project,)


def share_rule_marks(project: int) -> Command:
    """Share the lock of rule marks with all who write events of the project."""
    return "SELECT pg_advisory_xact_lock_shared(rule_marks_lock(%s))", (project,)


SESSION_HOLD: Final = "SELECT pg_advisory_lock(hashtextextended({}, 0))"
"""Wait for a lock, by its name as a literal, and have it until it is given back."""

SESSION_RELEASE: Final = "SELECT pg_advisory_unlock(hashtextextended({}, 0))"
"""Give a lock back."""

UNLOCKING: Final = SESSION_RELEASE.format("%s")
"""Give a lock back, by its name as a parameter."""

SESSION_HOLD_KEY: Final = "SELECT pg_advisory_lock(%s)"
"""Wait for a lock, by its key, and have it until the connection ends."""

_HOLDERS: Final = """
    SELECT pid FROM pg_locks
     WHERE locktype = 'advisory' AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND (classid::bigint << 32 | objid::bigint) = hashtextextended({}, 0)
"""
HOLDERS: Final = SQL(_HOLDERS)
"""The server processes of the connections that hold a lock, by its name as a literal."""

END_HOLDERS: Final = SQL(
    f"SELECT pg_terminate_backend(pid) FROM ({_HOLDERS}) AS holding WHERE pid <> pg_backend_pid()"
)
"""End the connections that hold a lock, by its name as a literal."""

LOCK: Final = SQL(SESSION_HOLD)
SHARED_LOCK: Final = SQL("SELECT pg_advisory_lock_shared(hashtextextended({}, 0))")
"""Wait for a lock, by its name as a literal, and share it until it is given back."""

UNLOCK: Final = SQL(SESSION_RELEASE)
LOCK_AND_BEGIN: Final = SQL("{}{}{}; COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ{}")
COMMIT_AND_UNLOCK: Final = SQL("COMMIT; {}")
ROLLBACK_AND_UNLOCK: Final = SQL("ROLLBACK; {}")
