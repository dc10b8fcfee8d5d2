"""The difference of two versions of a model: node by node and setting by setting, never by line.

Invariants: two models have no difference exactly when their canonical texts are equal, but for the
order of nodes, which is reported as a change of the setting `nodes`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from weighbridge.core.model.canonical import plain_model, plain_node
from weighbridge.core.model.definition import Model


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """One key whose value is not the same; None stands for a key that is not there."""

    key: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """What was added, removed and changed from one version to the other."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, tuple[DocumentChange, ...]]
    settings: tuple[DocumentChange, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.changed or self.settings)


def difference(before: Model, after: Model) -> VersionDifference:
    """Compare two versions."""
    old = {node.slug: plain_node(node) for node in before.nodes}
    new = {node.slug: plain_node(node) for node in after.nodes}
    kept = [slug for slug in new if slug in old]
    changed = {slug: _changes(old[slug], new[slug]) for slug in kept}
    settings = _changes(_settings(before, kept), _settings(after, kept))
    return VersionDifference(
        added=tuple(slug for slug in new if slug not in old),
        removed=tuple(slug for slug in old if slug not in new),
        changed={slug: changes for slug, changes in changed.items() if changes},
        settings=settings,
    )


def _settings(model: Model, kept: list[str]) -> Mapping[str, object]:
    """All but the nodes themselves; of those, the order of the ones that both versions have."""
    return {**plain_model(model), "nodes": [slug for slug in model.slugs if slug in kept]}


def _changes(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[DocumentChange, ...]:
    keys = dict.fromkeys([*before, *after])
    changes = [DocumentChange(key, before.get(key), after.get(key)) for key in keys]
    return tuple(change for change in changes if change.before != change.after)
