"""The difference of two versions, node by node, as it goes on the wire."""

from collections.abc import Mapping, Sequence

from weighbridge.core.model import DocumentChange, VersionDifference, difference
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import Unit
from weighbridge.db.engine import Read
from weighbridge.errors import Malformed
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.models.records import Change, ChangedNode, Difference
from weighbridge.modelling.versions.stored import owned_model


async def compare(tx: Read, actor: Actor, before: str, query: Sequence[tuple[str, str]]) -> Difference:
    """What differs from a version to the one that the query names by `to`."""
    named = [value for name, value in query if name == "to"]
    if len(named) != 1:
        raise Malformed([Problem("to is required: the id of the other version, once.", "to", "required")])
    versions = [await owned_model(tx, actor, one) for one in (before, named[0])]
    difference = await tx.in_thread(_difference, versions[0].document, versions[1].document)
    return Difference(
        before,
        named[0],
        list(difference.added),
        list(difference.removed),
        [ChangedNode(slug, _changes(changes)) for slug, changes in difference.changed.items()],
        _changes(difference.settings),
    )


def _difference(before: str, after: str) -> VersionDifference:
    return difference(read_model(before), read_model(after))


def _changes(changes: Sequence[DocumentChange]) -> list[Change]:
    return [Change(one.key, _shown(one.before), _shown(one.after)) for one in changes]


def _shown(value: object) -> object:
    """What JSON can hold of a value, without the options that are not set."""
    match value:
        case Mapping():
            return {key: _shown(inner) for key, inner in value.items() if inner is not None}
        case list() | tuple():
            return [_shown(inner) for inner in value]
        case Unit(text=text):
            return text
    return value
