"""The adapter `http`: posts a report to a registry, under a key by which the registry takes it once.

Before anything is sent it is written down that it is; whoever finds that, and no word of what came of it,
asks the registry first. What is sent again, is sent under the same key with the same bytes.

What happens, try by try, when the answer to the first request is lost:

    sending      is written down, then the report is posted
    unanswered   no answer came in time
    (pause)
    received     asked for the key, the registry says that it has it; nothing is sent again

Invariants: nothing is sent while it is not known what became of what was sent before, unless the registry was
asked and does not know the key; at the end it was received, or an error says whether it may have been.
"""

from typing import Final

from weighbridge.core.problem import Problem
from weighbridge.core.report.adapter import AdapterName
from weighbridge.core.report.delivery import DeliveryStep
from weighbridge.errors import Invalid
from weighbridge.http.outgoing.client import OutgoingClient
from weighbridge.http.outgoing.pause import Pause, pause_seconds
from weighbridge.reporting.submission.adapter import Journal, Receipt, Submission
from weighbridge.reporting.submission.calling import (
    Barred,
    CalledRegistry,
    Known,
    Missing,
    Unclear,
    Unreached,
    Word,
    ask,
    send,
)

_STEPS: Final = {
    Barred: DeliveryStep.REFUSED,
    Unreached: DeliveryStep.NOT_SENT,
    Unclear: DeliveryStep.UNANSWERED,
}
"""What is written down of a word that was said to what was sent."""


class HttpAdapter:
    """Hands reports to one registry."""

    name = AdapterName.HTTP

    def __init__(
        self,
        client: OutgoingClient,
        registry: CalledRegistry,
        pause: Pause,
    ) -> None:
        self._client = client
        self._registry = registry
        self._pause = pause

    async def hand_on(self, submission: Submission, journal: Journal) -> Receipt:
        """Post it, or find that it was; raises Invalid with what came of the last try."""
        word: Word = Unclear("It was not tried.")
        for tries in range(1, self._registry.tries + 1):
            if tries > 1:
                await self._pause(pause_seconds(tries - 1, getattr(word, "retry_after", None)))
            word = await self._once(submission, journal)
            if isinstance(word, Known):
                return Receipt(word.reference)
            if getattr(word, "is_final", False):
                break
        raise Invalid([Problem(self._failed(word, journal))])

    async def _once(self, submission: Submission, journal: Journal) -> Word:
        """One try: ask where something may have been received, and send where nothing is there."""
        if journal.may_have_been_received:
            word = await ask(self._client, self._registry, submission)
            if not isinstance(word, Missing):
                if isinstance(word, Known):
                    await journal.note(DeliveryStep.RECEIVED, http_status=word.status, detail=word.reference)
                return word
            await journal.note(DeliveryStep.ABSENT, http_status=word.status)
        await journal.note(DeliveryStep.SENDING)
        word = await send(self._client, self._registry, submission)
        if isinstance(word, Known):
            await journal.note(DeliveryStep.RECEIVED, http_status=word.status, detail=word.reference)
        elif not isinstance(word, Missing):
            status = None if isinstance(word, Unreached) else word.status
            await journal.note(_STEPS[type(word)], http_status=status, detail=word.said)
        return word

    def _failed(self, word: Word, journal: Journal) -> str:
        said = getattr(word, "said", "")
        if journal.may_have_been_received:
            return f"{said} It is not certain that {self._registry.name} has received nothing."
        return f"{said} It is certain that {self._registry.name} has received nothing."
