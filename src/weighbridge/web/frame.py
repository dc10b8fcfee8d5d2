"""The frame around a page: the person's projects, the one they are in, and what waits there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from weighbridge.collection.tenancy.project import project_number
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import NotFound

PROJECTS_MAX: Final = 100
"""Projects that are offered to change to."""

COUNT_MAX: Final = 99
"""What waits is counted up to here; more is shown as that and a plus sign."""


@dataclass(frozen=True, slots=True)
class FrameProject:
    """A project as the frame shows it."""

    number: int
    id: str
    name: str
    time_zone: str


@dataclass(frozen=True, slots=True)
class RailEntry:
    """One entry of the rail: its words, its address, and how many wait there."""

    title: str
    address: str
    waiting: str = ""


@dataclass(frozen=True, slots=True)
class RailGroup:
    """Entries of the rail that belong together."""

    title: str
    entries: tuple[RailEntry, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around a page."""

    project: FrameProject | None
    projects: Sequence[FrameProject]
    now: Instant
    alerts: int = 0
    proposals: int = 0
    tasks: int = 0

    @property
    def zone(self) -> str:
        """The time zone that times are shown in."""
        return self.project.time_zone if self.project else "UTC"

    @property
    def home(self) -> str:
        """Where the project begins, or all projects."""
        return f"/projects/{self.project.id}" if self.project else "/projects"


_PROJECTS: Final = """
    SELECT id, name, time_zone, now() FROM projects WHERE account_id = %s
     ORDER BY id = %s DESC, name, id LIMIT %s
"""
_WAITING: Final = """
    SELECT (SELECT count(*) FROM (SELECT FROM data_point_results
                                   WHERE project_id = %(project)s AND status = 'fail' AND closed_at IS NULL
                                   LIMIT %(most)s) a),
           (SELECT count(*) FROM (SELECT FROM data_point_results
                                   WHERE project_id = %(project)s AND approval_state = 'pending'
                                   LIMIT %(most)s) p),
           (SELECT count(*) FROM (SELECT FROM async_tasks
                                   WHERE account_id = %(account)s AND state IN ('pending', 'running')
                                   LIMIT %(most)s) t)
"""


async def frame_of(tx: Read, actor: Actor, named: str | None) -> Frame:
    """The frame of an actor's page, in the project that its path names; NotFound when they have none such."""
    wanted = 0 if named is None else project_number(named)
    rows = await tx.tuples(_PROJECTS, (actor.account_id, wanted, PROJECTS_MAX))
    projects = [FrameProject(number, ids.of("project", number), *rest) for number, *rest, _ in rows]
    if named is not None and (not projects or projects[0].number != wanted):
        raise NotFound("project", named)
    now = rows[0][-1] if rows else await tx.value("SELECT now()")
    if named is None:
        return Frame(None, projects, now)
    values = {"project": wanted, "account": actor.account_id, "most": COUNT_MAX + 1}
    [(alerts, proposals, tasks)] = await tx.tuples(_WAITING, values)
    sees_rules = actor.may("data_rules:read")
    return Frame(
        projects[0], projects, now, alerts if sees_rules else 0, proposals if sees_rules else 0, tasks
    )


def rail_of(frame: Frame, actor: Actor) -> list[RailGroup]:
    """The rail of a page: what the person may see, by areas."""
    home = frame.home
    if frame.project is None:
        return [RailGroup("", (RailEntry("Projects", "/projects"),)), *_of_account("", actor)]
    groups = [RailGroup("", (RailEntry("Overview", home),))]
    for title, permission, entries in _RAIL:
        if actor.may(permission):
            waiting = {"Proposals": frame.proposals, "Results": frame.alerts}
            groups.append(
                RailGroup(
                    title,
                    tuple(
                        RailEntry(name, f"{home}/{path}", counted(waiting.get(name, 0)))
                        for name, path in entries
                    ),
                )
            )
    return [*groups, *_of_account(home, actor)]


def counted(number: int) -> str:
    """How many wait, for the eye; nothing where nothing does."""
    return "" if not number else f"{COUNT_MAX}+" if number > COUNT_MAX else str(number)


def _of_account(home: str, actor: Actor) -> list[RailGroup]:
    entries = [RailEntry("Tasks", f"{home}/async_tasks")]
    if actor.may("administration:read"):
        entries += [
            RailEntry("People", f"{home}/people"),
            RailEntry("Tokens", f"{home}/api_tokens"),
            RailEntry("Webhooks", f"{home}/webhooks"),
            RailEntry("Audit", f"{home}/audit_log"),
            RailEntry("Flags", f"{home}/feature_flags"),
            RailEntry("Health", f"{home}/health"),
        ]
    return [RailGroup("Project" if home else "Account", tuple(entries))]


_RAIL: Final = (
    (
        "Measure",
        "data_collection:read",
        (
            ("Events", "events"),
            ("Data points", "data_points"),
            ("Gaps", "gaps"),
            ("Feeds", "data_feeds"),
            ("Event types", "event_types"),
            ("Assets", "assets"),
            ("Locations", "locations"),
            ("Feedstocks", "feedstocks"),
            ("Outages", "outages"),
            ("Static inputs", "static_inputs"),
        ),
    ),
    (
        "Account",
        "production_accounting:read",
        (("Models", "models"), ("Ledgers", "ledgers"), ("Batches", "batches")),
    ),
    (
        "Watch",
        "data_rules:read",
        (
            ("Rules", "rules"),
            ("Results", "rule_results"),
            ("Proposals", "proposals"),
        ),
    ),
    ("Claim", "production_accounting:read", (("Reports", "reports"), ("Methodologies", "methodologies"))),
)
"""The rail: groups of entries with the permission to see them; addresses are below the project."""
