"""Admission: whether an actor may have an operation done, and which projects it may reach for that.

The projects are read from the path: ids of records begin with their project. So no operation has to ask for
itself whether an actor whose permissions are of single projects may have what its path names.

Invariants: a record of a project in which the actor holds nothing is not found, exactly as one that does not
exist; what belongs to the account, or to no one project, takes a permission of the account, unless the
operation says that it looks after that itself.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from weighbridge.core import identity
from weighbridge.core.platform.permission import ANY, PROJECT_PERMISSIONS, Actor
from weighbridge.db.lists.listing import read_int4
from weighbridge.errors import Forbidden, NotFound

PROJECT: Final = "project_id"

OF_A_PROJECT: Final = frozenset(
    {
        PROJECT, "event_id", "ledger_id", "batch_id", "rule_id", "report_id", "model_run_id",
        "uncertainty_run_id", "package_installation_id",
    }
)  # fmt: skip
"""Parameters of paths that name a record of one project, whose id begins with it."""


class AccountOnly(Forbidden):
    """The permission is held in single projects, and the operation is of the account."""


def admit(actor: Actor, permission: str, path: Mapping[str, str], *, spans_projects: bool) -> Actor:
    """The actor for an operation, who reaches no projects but those in which the permission is held.

    Forbidden without the permission, NotFound for a record of a project that is not there for the actor.
    """
    if not actor.is_limited:
        if not actor.may(permission):
            raise _lacking(permission)
        return actor
    held = actor.find_projects(permission)
    place: int | None = None
    for name, text, project in _list_projects(path):
        if not actor.sees(project) and held != frozenset():
            raise NotFound(name.removesuffix("_id"), text)
        if held is not None and project not in held:
            raise _lacking(permission)
        place = project if place is None else place
    entered = actor.enter(permission, place)
    if entered is None:
        raise _lacking(permission)
    if held is not None and not is_of_projects(permission, path, spans_projects=spans_projects):
        sentence = (
            f"The token has the permission {permission} in single projects; this takes it in the account."
        )
        raise AccountOnly(sentence, "permission_missing")
    return entered


def is_of_projects(permission: str, names: Iterable[str], *, spans_projects: bool) -> bool:
    """Whether an operation is for actors whose permissions are of single projects, by its parameters."""
    return (permission in PROJECT_PERMISSIONS and (spans_projects or not OF_A_PROJECT.isdisjoint(names))) or (
        permission == ANY
    )


def _list_projects(path: Mapping[str, str]) -> Iterator[tuple[str, str, int]]:
    """The parameters of a path that name a project, with their texts and its number; 0 is no project's."""
    for name, text in path.items():
        if name == PROJECT:
            yield name, text, _read_project(text)
        elif (kind := identity.kind_of(text)) and (key := identity.parse(kind, text)) and key.project:
            yield name, text, key.project


def _read_project(text: str) -> int:
    key = identity.parse("project", text)
    try:
        return key.project if key else read_int4(text)
    except ValueError:
        return 0


def _lacking(permission: str) -> Forbidden:
    return Forbidden(f"The token lacks the permission {permission}.", "permission_missing")
