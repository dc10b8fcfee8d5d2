"""Joined inputs of a model run: each element of one input with the one element of another that matches it.

Elements match by the same tracking id, or by time: one's stretch holds the other's. Invariants: a joined
array has one element for each of the input that it is joined to; an element that none or two match is a
problem that names the events.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta

from weighbridge.core.model import Input, Join, Model, Node, order
from weighbridge.core.problem import Problem
from weighbridge.resources.events.queries import event_id
from weighbridge.resources.model_runs.named import FIELD
from weighbridge.resources.model_runs.readings import Element, Readings

Finder = Callable[[Element], Sequence[Element]]


def joined(project: int, model: Model, readings: Readings) -> tuple[Readings, list[Problem]]:
    """The readings with every joined input in the order of the other, and what does not match."""
    found = dict(readings)
    problems: list[Problem] = []
    for node in (model.node(slug) for slug in order(model)):
        if isinstance(node.body, Input) and node.body.join is not None and readings[node.slug]:
            targets, candidates = found[node.body.join.to], readings[node.slug]
            find = _finder(node.body.join, candidates)
            matches = {target.event.number: find(target) for target in targets}
            found[node.slug] = tuple(one[0] for one in matches.values() if one)
            problems += _unmatched(project, node, node.body, matches, candidates)
    return found, problems


def _finder(join: Join, candidates: Sequence[Element]) -> Finder:
    """What finds the elements that match another."""
    if join.on == "interval":
        return _by_interval(candidates)
    by_key: dict[str, list[Element]] = {}
    for one in candidates:
        if one.event.tracking_id is not None:
            by_key.setdefault(one.event.tracking_id, []).append(one)
    return lambda target: by_key.get(target.event.tracking_id or "", ())


def _by_interval(candidates: Sequence[Element]) -> Finder:
    """Find by bisection: what meets a stretch begins before its end, and not too long before its start."""
    ordered = sorted(candidates, key=lambda one: one.event.time)
    starts = [one.event.time.start for one in ordered]
    longest = max((one.event.time.end - one.event.time.start for one in ordered), default=timedelta())

    def find(target: Element) -> Sequence[Element]:
        time = target.event.time
        first, last = bisect_left(starts, time.start - longest), bisect_right(starts, time.end)
        return [
            one
            for one in ordered[first:last]
            if one.event.time == time or one.event.time.holds(time) or time.holds(one.event.time)
        ]

    return find


def _unmatched(
    project: int,
    node: Node,
    body: Input,
    matches: Mapping[int, Sequence[Element]],
    candidates: Sequence[Element],
) -> Iterator[Problem]:
    assert body.join is not None  # noqa: S101 - only joined inputs come here
    for number, elements in matches.items():
        event = event_id(project, number)
        if not elements:
            said = f"Input {node.slug!r} has nothing that matches {event} of {body.join.to!r}."
            yield Problem(said, FIELD, "unmatched", (event,))
        elif len(elements) > 1:
            several = tuple(event_id(project, one.event.number) for one in elements)
            said = f"Input {node.slug!r} matches {event} of {body.join.to!r} more than once."
            yield Problem(said, FIELD, "unmatched", (event, *several))
    used = {one.event.number for elements in matches.values() for one in elements}
    for one in candidates:
        if one.event.number not in used:
            event = event_id(project, one.event.number)
            said = f"Input {node.slug!r}: {event} matches nothing of {body.join.to!r}."
            yield Problem(said, FIELD, "unmatched", (event,))
