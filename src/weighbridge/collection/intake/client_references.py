"""Client references: the names that senders give to events, each once in a project, voided events included.

Whoever sends events again, after an answer that was lost, hears which events are there already: the first by
sentences, and all of them as records; and of which of them something else was sent than is stored.
"""

from collections.abc import Mapping, Sequence

from weighbridge.collection.events.records import NewEvent
from weighbridge.collection.intake.checking import PROBLEMS_MAX, EventProblems
from weighbridge.collection.intake.lookup import Namesake
from weighbridge.collection.intake.sent_again import SHOWN_MAX, Discrepancy
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem, bounded
from weighbridge.core.quantity.number import shorten


def with_references(
    problems: Sequence[Problem],
    sent: Sequence[NewEvent],
    namesakes: Mapping[str, Namesake],
    project: int,
    prefix: str,
    *,
    unlike: Mapping[int, Sequence[Discrepancy]],
) -> list[Problem]:
    """What was found wrong with new events and what is wrong with their references, as far as it is said.

    `unlike` is what the events say otherwise than those that have their references, by their places.
    """
    twice: list[Problem] = []
    taken: list[Problem] = []
    differing: list[Problem] = []
    first: dict[str, int] = {}
    for index, event in enumerate(sent):
        reference = event.client_reference
        if not reference or (reference not in namesakes and first.setdefault(reference, index) == index):
            continue
        if other := namesakes.get(reference):
            there = ids.of("event", project, other.number)
            said = f"is {reference!r}, which the {other.kind} {there} of the project has."
            EventProblems(prefix, index, taken).refuse("client_reference", said, "taken", records=(there,))
            for one in unlike.get(index, ()):
                _tell(one, event, there, EventProblems(prefix, index, differing))
        else:
            said = f"is {reference!r}, which events[{first[reference]}] has too."
            EventProblems(prefix, index, twice).refuse("client_reference", said, "taken")
    if problems or twice:
        return bounded([*problems, *twice, *taken], PROBLEMS_MAX)
    return [
        *_gathered(
            taken, "{:,} more of the events have a client reference that an event of the project has."
        ),
        *_gathered(differing, "{:,} more values differ from those of the events that are there."),
    ]


def _tell(one: Discrepancy, event: NewEvent, there: str, problems: EventProblems) -> None:
    """Note what an event says otherwise than the one that has its reference."""
    stored, sent = (
        "no value" if text is None else repr(shorten(text, SHOWN_MAX)) for text in (one.stored, one.sent)
    )
    name, of = one.field, ""
    if one.is_value:
        place = next(at for at, point in enumerate(event.data_points) if point.slug == one.field)
        name, of = f"data_points[{place}].value", f"of {one.field!r} "
    said = f"{of}is {sent}, and {stored} in the event {there} that has its client_reference."
    problems.refuse(name, said, "differs", records=(there,))


def _gathered(problems: Sequence[Problem], said: str) -> list[Problem]:
    """The first as they are, and the rest as one problem with all its records."""
    named, rest = problems[:PROBLEMS_MAX], problems[PROBLEMS_MAX:]
    if not rest:
        return [*named]
    records = tuple(dict.fromkeys(record for problem in rest for record in problem.records))
    return [*named, Problem(said.format(len(rest)), "events", problems[0].code, records)]
