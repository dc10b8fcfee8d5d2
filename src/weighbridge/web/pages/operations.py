"""What the service does: tasks, feature flags, health, the audit log, and webhooks with their deliveries."""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import msgspec

from weighbridge.core.key_history import KeyStatement
from weighbridge.core.number import shorten
from weighbridge.core.platform.audit import ACTIONS
from weighbridge.core.platform.permission import ANY
from weighbridge.core.platform.settings import FEATURES
from weighbridge.core.problem import Problem
from weighbridge.core.proof import open_checkpoint
from weighbridge.core.signing import VerifierKey
from weighbridge.core.time.calendar import Instant
from weighbridge.db.roles import newest_revision
from weighbridge.errors import Invalid, Unavailable
from weighbridge.exchange.records.changes import IssuedWebhook, Webhook
from weighbridge.exchange.webhooks import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_deliveries,
    list_webhooks,
    redeliver,
    roll_secret,
    try_webhook,
    update_webhook,
)
from weighbridge.http.messages.operation import Attachment
from weighbridge.platform.async_tasks import cancel_async_task, get_async_task, list_async_tasks
from weighbridge.platform.audit_log import (
    get_audit_consistency,
    get_audit_head,
    get_audit_key,
    get_audit_keys,
    get_audit_proof,
    list_audit_log,
    list_audit_witnesses,
    list_kinds,
)
from weighbridge.platform.feature_flags import get_feature_flags, update_feature_flags
from weighbridge.platform.records import AuditKey, AuditKeys, AuditRow, AuditWitness, AuditWitnesses
from weighbridge.platform.users import list_users
from weighbridge.settings import Settings
from weighbridge.web.display.figures import humanize
from weighbridge.web.display.record import DisplayField, describe_record, describe_value
from weighbridge.web.framework.listing import ListQuery, ListView, list_query
from weighbridge.web.framework.page import action, download, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

# Async tasks: how far they are, what came of them, and ending one.


ENDED: Final = ("complete", "failed")
"""States that a task is in for good."""


async def tasks(visit: Visit) -> View:
    """Tasks of the account, the newest first."""
    listed_tasks = await visit.ask(list_async_tasks, list_query(visit))
    return view(
        "operations/tasks.html", "Tasks",
        call="/async_tasks", has_csv=True, tasks=listed_tasks.data,
        list=ListView(visit.request.url.path, visit.query, listed_tasks.info),
    )  # fmt: skip


async def task(visit: Visit) -> View:
    """Show a task: its progress, its parameters and its result."""
    task_record = await visit.ask(get_async_task)
    return view(
        "operations/task.html", f"Task {task_record.id}",
        call=f"/async_tasks/{task_record.id}", crumbs=(("Tasks", visit.url("async_tasks")),),
        task=task_record, args=describe_record(task_record.args), result=describe_value(task_record.result),
        has_ended=task_record.state in ENDED,
    )  # fmt: skip


# Feature flags: which parts of the service the account has, with a switch for each.


async def flags(visit: Visit) -> View:
    """The feature flags of the account."""
    feature_flags = await visit.ask(get_feature_flags)
    return view(
        "operations/flags.html",
        "Feature flags",
        call="/feature_flags",
        path=visit.url("feature_flags"),
        flags=[
            (feature.value, meaning, getattr(feature_flags, feature)) for feature, meaning in FEATURES.items()
        ],
    )


async def switch_flag(visit: Visit) -> Redirect:
    """Switch a feature of the account on or off."""
    name, is_on = visit.text("feature"), visit.text("is_on") == "yes"
    if name not in FEATURES:
        message = f"feature must be one of {', '.join(FEATURES)}, but is {shorten(name)!r}."
        raise Invalid([Problem(message, "feature", "invalid")])
    await visit.do(update_feature_flags, {"feature_flags": {name: is_on}})
    return Redirect(
        visit.url("feature_flags"), f"{humanize(name).capitalize()} is {'on' if is_on else 'off'}."
    )


# Health: whether the service does its work, by the process, the database and the queue.
#
# Only operators see figures of other accounts, by the counters of `weighbridge serve`.


class DatabaseHealth(msgspec.Struct, frozen=True):
    """The state of the database."""

    revision: str
    """The step of its tables."""
    server: str
    """The version of PostgreSQL."""
    size: int
    """Bytes that it takes."""
    began_at: Instant
    """Since when it runs."""
    archived_at: Instant | None
    """When it last put away a part of its log of changes for a backup; None where it never did."""
    archive_failed_at: Instant | None
    """When that failed last; None where it never did."""


class QueueHealth(msgspec.Struct, frozen=True):
    """The tasks of the account, and who works on tasks."""

    waiting: int
    running: int
    failed: int
    """Those that failed within a day."""
    oldest: Instant | None
    """Since when the task waits that waits longest; None where none does."""
    oldest_id: int | None
    workers: int
    """Workers that gave a sign of life of late."""
    sign_of_life: Instant | None
    """The last one of any worker; None where there never was one."""


@dataclass(frozen=True, slots=True)
class DiskRoom:
    """The disk of the data folder."""

    free: int | None
    """Bytes that are free; None where that cannot be asked."""
    is_full: bool


@page("/health", permission="administration:read", everywhere=True)
async def health(visit: Visit) -> View:
    """Whether the service does its work."""
    settings: Settings = visit.request.app.state.settings
    began = asyncio.get_running_loop().time()
    database = await visit.reading.row(DatabaseHealth, _DATABASE)
    took = asyncio.get_running_loop().time() - began
    values = {"account": visit.actor.account_id, "lease": settings.lease_seconds}
    queue = await visit.reading.row(QueueHealth, _QUEUE, values)
    return view(
        "operations/health.html", "Health", guide="howto/operate.md",
        database=database, milliseconds=round(took * 1000), queue=queue,
        is_current=database is not None and database.revision == newest_revision(),
        room=await asyncio.to_thread(_room, visit), version=version("weighbridge"),
        settings=settings,
    )  # fmt: skip


def _room(visit: Visit) -> DiskRoom:
    state = visit.request.app.state
    try:
        free = shutil.disk_usage(state.settings.data_dir).free
    except OSError:
        free = None
    return DiskRoom(free, state.disk.is_full())


_DATABASE: Final = """
    SELECT (SELECT version_num FROM alembic_version), current_setting('server_version'),
           pg_database_size(current_database()), pg_postmaster_start_time(), a.last_archived_time,
           a.last_failed_time
      FROM pg_stat_archiver a
"""
_QUEUE: Final = """
    WITH open AS (
        SELECT id, state, created_at FROM async_tasks
         WHERE account_id = %(account)s AND state IN ('pending', 'running')
    ), first AS (
        SELECT id, created_at FROM open WHERE state = 'pending' ORDER BY created_at, id LIMIT 1
    )
    SELECT (SELECT count(*) FROM open WHERE state = 'pending'),
           (SELECT count(*) FROM open WHERE state = 'running'),
           (SELECT count(*) FROM async_tasks WHERE account_id = %(account)s AND state = 'failed'
               AND finished_at > now() - interval '1 day'),
           (SELECT created_at FROM first), (SELECT id FROM first),
           count(*) FILTER (WHERE w.last_heartbeat > now() - make_interval(secs => %(lease)s)),
           max(w.last_heartbeat)
      FROM procrastinate_workers w
"""


# The audit log: every write with what was before and after, under a signed head that strangers keep.


_PATH: Final = "/audit_log"
_READ: Final = "administration:read"


@dataclass(frozen=True, slots=True)
class AuditHead:
    """The newest head of the account's log as its page shows it: what it says, and how it is checked."""

    size: int
    root: str
    """The root of the tree, as 64 hexadecimal digits."""
    signature: str
    """The line of the signature, as the file of the head has it."""
    text: str
    key: AuditKey
    key_history: list[KeyStatement]
    """How each further key began, and which keys were revoked, oldest first."""
    witnesses: list[AuditWitness]


@dataclass(frozen=True, slots=True)
class AuditedWrite:
    """A row of the audit log, and how the record differs: what was there before, what is there now."""

    row: AuditRow
    before: list[DisplayField]
    after: list[DisplayField]
    changed: list[tuple[DisplayField | None, DisplayField | None]]
    """The fields that differ, before and after; empty unless the record was there before and is there now."""

    @classmethod
    def of(cls, row: AuditRow) -> "AuditedWrite":
        if not isinstance(row.before, dict) or not isinstance(row.after, dict):
            return cls(row, _fields(row.before), _fields(row.after), [])
        written = _unfold(row.before, row.after)
        before, after = ({one.name: one for one in _fields(record)} for record in (row.before, written))
        names = [name for name in {**after, **before} if row.before.get(name) != written.get(name)]
        return cls(row, [], [], [(before.get(name), after.get(name)) for name in names])


def _unfold(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What was written, with the record that it is about unfolded: a correction has a reason, too."""
    for name, part in after.items():
        if isinstance(part, dict) and "id" in part and part["id"] == before.get("id"):
            return {**part, **{other: value for other, value in after.items() if other != name}}
    return after


_TIMES: Final = {"from": "filter[at][geq]", "until": "filter[at][leq]"}


def _audit_query(visit: Visit) -> ListQuery:
    """What the page asks for; below a project, the writes of that project."""
    query = list_query(visit, times=_TIMES)
    if (project := visit.frame.project) is None:
        return query
    of_project = "filter[project_id]"
    return (*(pair for pair in query if pair[0] != of_project), (of_project, project.id))


async def audit(visit: Visit) -> View:
    """Every write of the account, or of one project of it, the newest first, and the head of the log."""
    listed_rows = await visit.ask(list_audit_log, _audit_query(visit))
    path = f"{visit.frame.base}{_PATH}"
    head = await _head(visit)
    return view(
        "operations/audit.html", "Audit",
        call=_PATH, has_csv=True, path=path, head=head,
        list=ListView(path, visit.query, listed_rows.info),
        users=await list_users(visit.tx, visit.actor), kinds=await list_kinds(visit.tx, visit.actor),
        writes=[AuditedWrite.of(row) for row in listed_rows.data],
    )  # fmt: skip


async def _head(visit: Visit) -> AuditHead | None:
    """The head, as its signature says it; None on a host that lacks the key, which signs nothing."""
    try:
        attachment: Attachment = await visit.ask(get_audit_head)
        key: AuditKey = await visit.ask(get_audit_key)
        keys: AuditKeys = await visit.ask(get_audit_keys)
    except Unavailable:
        return None
    with await attachment.read() as spool:
        text = spool.read().decode()
    checkpoint = open_checkpoint(text, VerifierKey.read(key.verifier_key))
    by_key = f"\N{EM DASH} {key.origin} "  # lines of witnesses follow the one of the key
    signature = next(line for line in text.splitlines() if line.startswith(by_key))
    history = [KeyStatement.read(statement.text) for statement in keys.statements]
    named: AuditWitnesses = await visit.ask(list_audit_witnesses)
    return AuditHead(checkpoint.size, checkpoint.root.hex(), signature, text, key, history, named.witnesses)


def _fields(record: object) -> list[DisplayField]:
    return describe_record(record) if isinstance(record, dict) else []


# Webhooks and their deliveries.


_ALL: Final = "/webhooks"
_ONE: Final = "/webhooks/{webhook_id}"
_WRITE: Final = "administration:write"

OVERLAP_HOURS: Final = (0, 24, 168)
"""Hours for which the previous secret can remain valid."""


async def webhooks(visit: Visit) -> View:
    """The webhooks of the account, and the form that makes one."""
    return await _webhooks(visit)


@form(_ALL, permission=_WRITE, error_page=webhooks, everywhere=True)
async def make_webhook(visit: Visit) -> View:
    """Make a webhook; its secret is shown this once."""
    created_webhook: IssuedWebhook = await visit.do(create_webhook, {"webhook": _webhook_body(visit)})
    return await _webhooks(visit, issued=created_webhook)


async def webhook(visit: Visit) -> View:
    """Show a webhook with its subscription, its state and its deliveries."""
    return await _webhook(visit)


@form(_ONE, permission=_WRITE, error_page=webhook, everywhere=True)
async def change_webhook(visit: Visit) -> Redirect:
    """Change the URL or the subscription of a webhook."""
    stated = {"secret": secret} if (secret := visit.text("secret")) else {}
    await visit.do(update_webhook, {"webhook": _webhook_body(visit) | stated})
    return Redirect(visit.url("webhooks/{webhook_id}"), "Webhook saved.")


@form(f"{_ONE}/switch", permission=_WRITE, error_page=webhook, everywhere=True)
async def switch(visit: Visit) -> Redirect:
    """Disable or enable a webhook; enabled again, it continues with the oldest pending message."""
    is_on = visit.text("on") == "yes"
    await visit.do(update_webhook, {"webhook": {"is_enabled": is_on}})
    notice = (
        "Webhook enabled. Delivery continues with the oldest pending message."
        if is_on
        else "Webhook disabled."
    )
    return Redirect(visit.url("webhooks/{webhook_id}"), notice)


@form(f"{_ONE}/roll_secret", permission=_WRITE, error_page=webhook, everywhere=True)
async def new_secret(visit: Visit) -> View:
    """Give a webhook another secret; it is shown this once."""
    hours = visit.text("hours")
    body = {"overlap_hours": int(hours)} if hours.isdecimal() else {}
    return await _webhook(visit, issued=await visit.do(roll_secret, body))


async def _webhooks(visit: Visit, issued: IssuedWebhook | None = None) -> View:
    listed_webhooks = await visit.ask(list_webhooks, list_query(visit))
    path = f"{visit.frame.base}{_ALL}"
    return view(
        "operations/webhooks.html",
        "Webhooks",
        call=_ALL,
        has_csv=True,
        webhooks=listed_webhooks.data,
        issued=issued,
        path=path,
        list=ListView(path, visit.query, listed_webhooks.info),
        kinds=ACTIONS,
        chosen=_selected_changes(visit, None),
        is_here=visit.text("project", "yes") == "yes",
        names=_names(visit),
    )


async def _webhook(visit: Visit, issued: IssuedWebhook | None = None) -> View:
    webhook_record: Webhook = await visit.ask(get_webhook)
    deliveries = await visit.ask(list_deliveries, list_query(visit))
    path = f"{visit.frame.base}{_ALL}"
    return view(
        "operations/webhook.html", webhook_record.description or webhook_record.url,
        call=f"{_ALL}/{webhook_record.id}", crumbs=(("Webhooks", path),),
        webhook=webhook_record, deliveries=deliveries.data, path=f"{path}/{webhook_record.id}", issued=issued,
        list=ListView(f"{path}/{webhook_record.id}", visit.query, deliveries.info), kinds=ACTIONS,
        chosen=_selected_changes(visit, webhook_record), overlaps=OVERLAP_HOURS, names=_names(visit),
        is_here=webhook_record.project_id is not None,
    )  # fmt: skip


def _names(visit: Visit) -> Mapping[str, str]:
    """What the projects that webhooks may be of are called, by their ids."""
    return {project.id: project.name for project in visit.frame.projects}


def _selected_changes(visit: Visit, webhook_record: Webhook | None) -> Sequence[str]:
    """Return the selected changes: those of the form, else those of the webhook."""
    if visit.typed:
        return visit.texts("change_types")
    return webhook_record.change_types if webhook_record else ()


def _webhook_body(visit: Visit) -> dict[str, Any]:
    """Return the body of a webhook; without selected changes it receives all that its creator may read."""
    project = visit.frame.project
    body: dict[str, Any] = {"url": visit.text("url"), "description": visit.text("description")}
    if types := visit.texts("change_types"):
        body["change_types"] = [*types]
    if project is not None and "project" in visit.typed:
        body["project_id"] = project.id if visit.text("project") == "yes" else None
    return body


PAGES = [
    *page("/async_tasks", of=list_async_tasks, query_of=list_query, everywhere=True)(tasks),
    *page("/async_tasks/{task_id}", of=get_async_task, everywhere=True)(task),
    *action(
        "/async_tasks/{task_id}/cancel", cancel_async_task, error_page=task, everywhere=True,
        back="async_tasks/{task_id}", notice="Task cancelled. It changed nothing.",
    ),
    *page("/feature_flags", permission=ANY, of=get_feature_flags, everywhere=True)(flags),
    *form("/feature_flags", permission="administration:write", error_page=flags, everywhere=True)(
        switch_flag
    ),
    *health,
    *page(_PATH, permission=_READ, of=list_audit_log, query_of=_audit_query, everywhere=True)(audit),
    *download(f"{_PATH}/head", get_audit_head, permission=_READ, everywhere=True),
    *download(f"{_PATH}/proof", get_audit_proof, permission=_READ, everywhere=True),
    *download(f"{_PATH}/consistency", get_audit_consistency, permission=_READ, everywhere=True),
    *page(_ALL, permission=_READ, of=list_webhooks, query_of=list_query, everywhere=True)(webhooks),
    *page(_ONE, permission=_READ, of=get_webhook, everywhere=True)(webhook),
    *(*make_webhook, *change_webhook, *switch, *new_secret),
    *action(
        f"{_ONE}/delete", delete_webhook, permission=_WRITE, error_page=webhook, everywhere=True,
        back="webhooks", notice="Webhook deleted.",
    ),
    *action(
        f"{_ONE}/test", try_webhook, permission=_WRITE, error_page=webhook, everywhere=True,
        back="webhooks/{webhook_id}", notice="Test message queued.",
    ),
    *action(
        f"{_ONE}/deliveries/{{delivery_id}}/again", redeliver, permission=_WRITE, error_page=webhook,
        everywhere=True, back="webhooks/{webhook_id}", notice="Message queued again.",
    ),
]  # fmt: skip
