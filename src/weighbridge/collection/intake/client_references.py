"""Client references: the names that senders give to events, each once in a project, voided events included.

Whoever sends events again, after an answer that was lost, hears which events are there already: the first by
sentences, and all of them as records.
"""

from collections.abc import Mapping, Sequence

from weighbridge.collection.events.records import NewEvent
from weighbridge.collection.intake.checking import PROBLEMS_MAX, EventProblems
from weighbridge.collection.intake.lookup import Namesake
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem, bounded


def with_references(
    problems: Sequence[Problem],
    sent: Sequence[NewEvent],
    namesakes: Mapping[str, Namesake],
    project: int,
    prefix: str,
) -> list[Problem]:
    """What was found wrong with new events and what is wrong with their references, as far as it is said."""
    twice: list[Problem] = []
    taken: list[Problem] = []
    first: dict[str, int] = {}
    for index, event in enumerate(sent):
        reference = event.client_reference
        if not reference or (reference not in namesakes and first.setdefault(reference, index) == index):
            continue
        if other := namesakes.get(reference):
            there = ids.of("event", project, other.number)
            said = f"is {reference!r}, which the {other.kind} {there} of the project has."
            EventProblems(prefix, index, taken).refuse("client_reference", said, "taken", records=(there,))
        else:
            said = f"is {reference!r}, which events[{first[reference]}] has too."
            EventProblems(prefix, index, twice).refuse("client_reference", said, "taken")
    if problems or twice:
        return bounded([*problems, *twice, *taken], PROBLEMS_MAX)
    return _gathered(taken)


def _gathered(taken: Sequence[Problem]) -> list[Problem]:
    """The first as they are, and the rest as one problem with all its records."""
    named, rest = taken[:PROBLEMS_MAX], taken[PROBLEMS_MAX:]
    if not rest:
        return [*named]
    records = tuple(record for problem in rest for record in problem.records)
    said = f"{len(rest):,} more of the events have a client reference that an event of the project has."
    return [*named, Problem(said, "events", "taken", records)]
