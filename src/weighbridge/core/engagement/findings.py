"""Findings of an engagement: their states, and the effect of open ones on the total against materiality.

An error or an omission has the amount by which it would change the report's total; a request asks for
something and has none. While a finding is open or answered it counts. One that was corrected, or explained,
is resolved; one that was wrong is withdrawn.

>>> findings = [CountedFinding(FindingKind.ERROR, FindingState.OPEN, Decimal("-3")),
...             CountedFinding(FindingKind.OMISSION, FindingState.ANSWERED, Decimal("1.5"))]
>>> effect = compute_effect(findings, Decimal(100), Materiality(Decimal(5), None))
>>> (effect.signed, effect.absolute, effect.threshold, effect.is_material)
(Decimal('-1.5'), Decimal('4.5'), Decimal('5'), False)

Invariants: there is no other move than those listed; findings that offset each other do not hide each other,
for what is compared with materiality is the sum of amounts without sign.
"""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from weighbridge.core.number import EXACT, exact_total, plain


class Assurance(StrEnum):
    """The level of assurance that was agreed (ISO 14064-3)."""

    REASONABLE = "reasonable"
    LIMITED = "limited"


class EngagementState(StrEnum):
    """The state of an engagement."""

    OPEN = "open"
    CONCLUDED = "concluded"
    WITHDRAWN = "withdrawn"


class EngagementTrigger(StrEnum):
    """What moves an engagement."""

    CONCLUDE = "conclude"
    WITHDRAW = "withdraw"


ENGAGEMENT_MOVES: Final = {
    (EngagementState.OPEN, EngagementTrigger.CONCLUDE): EngagementState.CONCLUDED,
    (EngagementState.OPEN, EngagementTrigger.WITHDRAW): EngagementState.WITHDRAWN,
}
"""From a state, by a trigger, to a state."""


class FindingKind(StrEnum):
    """What a finding is about."""

    ERROR = "error"
    """Something is stated wrongly."""

    OMISSION = "omission"
    """Something is missing that belongs into the total."""

    REQUEST = "request"
    """Something has to be shown or explained; it has no amount."""


class FindingState(StrEnum):
    """The state of a finding."""

    OPEN = "open"
    ANSWERED = "answered"
    RESOLVED = "resolved"
    WITHDRAWN = "withdrawn"


class FindingTrigger(StrEnum):
    """What moves a finding."""

    ANSWER = "answer"
    """The operator answers it."""

    RESOLVE = "resolve"
    """The verifier accepts that it is corrected or explained."""

    REOPEN = "reopen"
    """The verifier does not accept the answer, or changes their mind."""

    WITHDRAW = "withdraw"
    """The verifier takes it back."""


FINDING_MOVES: Final = {
    (FindingState.OPEN, FindingTrigger.ANSWER): FindingState.ANSWERED,
    (FindingState.ANSWERED, FindingTrigger.ANSWER): FindingState.ANSWERED,
    (FindingState.OPEN, FindingTrigger.RESOLVE): FindingState.RESOLVED,
    (FindingState.ANSWERED, FindingTrigger.RESOLVE): FindingState.RESOLVED,
    (FindingState.ANSWERED, FindingTrigger.REOPEN): FindingState.OPEN,
    (FindingState.RESOLVED, FindingTrigger.REOPEN): FindingState.OPEN,
    (FindingState.OPEN, FindingTrigger.WITHDRAW): FindingState.WITHDRAWN,
    (FindingState.ANSWERED, FindingTrigger.WITHDRAW): FindingState.WITHDRAWN,
}
"""From a state, by a trigger, to a state."""

COUNTING: Final = (FindingState.OPEN, FindingState.ANSWERED)
"""States in which a finding counts towards the effect."""

DECISIONS: Final = (FindingTrigger.RESOLVE, FindingTrigger.REOPEN, FindingTrigger.WITHDRAW)
"""What a verifier may decide about a finding."""

FINDINGS_MAX: Final = 500
"""Findings of one engagement."""


class Conclusion(StrEnum):
    """The kinds of opinion (ISO 14064-3)."""

    UNMODIFIED = "unmodified"
    MODIFIED = "modified"
    ADVERSE = "adverse"
    DISCLAIMER = "disclaimer"


class Materiality(NamedTuple):
    """The threshold of materiality: in percent of the total, as an amount, or both."""

    percent: Decimal | None
    amount: Decimal | None

    def threshold(self, total: Decimal) -> Decimal:
        """The threshold as an amount; the smaller one of two."""
        choices = [] if self.amount is None else [self.amount]
        if self.percent is not None:
            choices.append(EXACT.multiply(EXACT.multiply(abs(total), self.percent), Decimal("0.01")))
        return Decimal(plain(min(choices)))


class CountedFinding(NamedTuple):
    """What of a finding counts."""

    kind: FindingKind
    state: FindingState
    amount: Decimal | None


class Effect(NamedTuple):
    """The effect of open findings on a total."""

    signed: Decimal
    """By how much they would change the total."""
    absolute: Decimal
    """The sum of their amounts without sign, which is compared with the threshold."""
    threshold: Decimal
    is_material: bool
    open_requests: int


def compute_effect(findings: Iterable[CountedFinding], total: Decimal, materiality: Materiality) -> Effect:
    """The effect of the findings that are open or answered."""
    counting = [finding for finding in findings if finding.state in COUNTING]
    amounts = [finding.amount for finding in counting if finding.amount is not None]
    signed, absolute = exact_total(amounts), exact_total(map(abs, amounts))
    threshold = materiality.threshold(total)
    requests = sum(finding.kind is FindingKind.REQUEST for finding in counting)
    return Effect(Decimal(plain(signed)), Decimal(plain(absolute)), threshold, absolute > threshold, requests)


def explain_conclusion(conclusion: Conclusion, effect: Effect, *, is_drawn: bool) -> Iterator[str]:
    """Why an engagement cannot end with a conclusion, in sentences; nothing if it can."""
    if not is_drawn and conclusion is not Conclusion.DISCLAIMER:
        yield f"conclusion is {conclusion}, but no sample was drawn; without one it must be disclaimer."
    if conclusion is not Conclusion.UNMODIFIED:
        return
    if effect.is_material:
        yield (
            f"conclusion is unmodified, but the open findings have amounts of {plain(effect.absolute)}, more"
            f" than the threshold of materiality, {plain(effect.threshold)}."
        )
    if effect.open_requests:
        yield f"conclusion is unmodified, but {effect.open_requests} requests are not resolved."
