"""Whether the ledger's entries say what batches, draws and the report say.

    January totalled 10 t, and 8 t after a weighing was corrected; the report includes 8 t:

    entry 1   credit   10   by batch 1, on batch 1
    entry 2   fall     -2   by batch 2, on batch 1

The run's entries add up to 8, the total of its newest batch; 8 are left on batch 1, and the report takes no
more.

Invariants: of every run the entries less what it is short of are the total of its newest batch; no batch
gives more than it has, at any moment; a batch was computed from what its run had drawn by then. What is
restated has posted what was accepted of it. Reports that take the place of others take what those held.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any, Final

from weighbridge.core import identity
from weighbridge.core.bundle.archive import Faults
from weighbridge.core.bundle.contents import (
    REPORT,
    ROWS,
    SUCCEEDING,
    BundleContents,
    TrustResult,
    list_handed_over,
    list_restated_reports,
)
from weighbridge.core.bundle.rows import BatchRow, DeficitRow, EntryRow, parse_time
from weighbridge.core.bundle.tables import BATCHES, DEFICITS, ENTRIES
from weighbridge.core.ledger.posting import GENERATED, OF_REPORTS, EntryKind
from weighbridge.core.number import exact_total, plain
from weighbridge.core.time.calendar import Instant

RunOfLedger = tuple[int, int]
"""A ledger, and a run that is credited to it."""

_GIVES: Final = {
    EntryKind.CREDIT, EntryKind.RISE, EntryKind.RETURN, EntryKind.RELEASE, EntryKind.RESTATE,
}  # fmt: skip
_DRAWS: Final = (EntryKind.DRAW, EntryKind.RETURN)


@dataclass(frozen=True, slots=True)
class IncludedRun:
    """A run that the report includes, and its total by its newest batch."""

    story: Sequence[BatchRow]
    """Its batches, the oldest first."""
    newest: BatchRow
    taken: Decimal
    unit: str

    @property
    def name(self) -> str:
        """What people call it."""
        return self.newest.tracking_id

    @property
    def total(self) -> Decimal:
        """What it comes to."""
        return self.newest.total

    @property
    def sentence(self) -> str:
        """Return its total and its included amount, in words."""
        count = len(self.story)
        counted = "its batch" if count == 1 else f"the newest of {count} batches"
        of_unit = f"{plain(self.total)} {self.unit}".strip()
        return f"comes to {of_unit} by {counted}, and the report takes {plain(self.taken)}"


def list_reported_runs(contents: BundleContents) -> list[IncludedRun]:
    """The runs that the report takes of, by the time of their slots; an instrument is one by itself."""
    histories: dict[tuple[int, int], list[BatchRow]] = {}
    for _, batch in sorted(contents.batches.items()):
        histories.setdefault((batch.ledger, -batch.batch if batch.run is None else batch.run), []).append(
            batch
        )
    runs = []
    for history in sorted(
        histories.values(),
        key=lambda history: (history[0].start_time, history[0].tracking_id),
    ):
        inclusions = [
            contents.reported[batch.batch_id] for batch in history if batch.batch_id in contents.reported
        ]
        newest_batch = find_newest_batch(history)
        if inclusions and newest_batch is not None:
            amount = exact_total(Decimal(inclusion.amount) for inclusion in inclusions)
            ledger = contents.ledgers.get(newest_batch.ledger)
            runs.append(IncludedRun(history, newest_batch, amount, ledger.unit if ledger else ""))
    return runs


def find_newest_batch(history: Iterable[BatchRow]) -> BatchRow | None:
    """The batch that says what its run comes to; None where all were deleted."""
    return max(
        (batch for batch in history if batch.deleted_at is None), key=lambda batch: batch.batch, default=None
    )


def group_batches_by_run(contents: BundleContents) -> dict[RunOfLedger, list[BatchRow]]:
    """The batches of each run on each ledger, the oldest first."""
    histories: dict[RunOfLedger, list[BatchRow]] = {}
    for _, batch in sorted(contents.batches.items()):
        if batch.run is not None:
            histories.setdefault((batch.ledger, batch.run), []).append(batch)
    return histories


def check_books(contents: BundleContents, vouched: TrustResult, faults: Faults) -> None:
    """Check batches, withdrawals and the report against the entries; a bundle of format 1 has none."""
    if not contents.has_whole_stories:
        return
    books = _Books(contents)
    for entry in contents.entries:
        for sentence in books.of_entry(entry):
            faults.add(ENTRIES.part, f"Entry {entry.entry}: {sentence}")
    for deficit in contents.deficits:
        for sentence in books.of_deficit(deficit):
            faults.add(DEFICITS.part, f"Row {deficit.entry} {sentence}")
    for part, sentence in books.wrong():
        faults.add(part, sentence)
    _check_claims(books, contents, vouched, faults)


def _check_claims(books: "_Books", contents: BundleContents, vouched: TrustResult, faults: Faults) -> None:
    """Check what the report and those before it take against the entries and the log."""
    chain = list_restated_reports(contents.report, vouched)
    for sentence in books.beyond(chain):
        faults.add(REPORT, sentence)
    accepted = read_accepted(contents.report.id, chain, vouched)
    for sentence in [] if accepted is None else books.of_acceptance(chain, accepted):
        faults.add(ENTRIES.part, sentence)
    for sentence in find_unequal_successions(vouched.rows):
        faults.add(ROWS, sentence)
    for sentence in books.of_handed_over(list_handed_over(vouched)):
        faults.add(ENTRIES.part, sentence)


class _Books:
    """The entries by what they are looked for."""

    def __init__(self, contents: BundleContents) -> None:
        self._contents = contents
        self.stories = group_batches_by_run(contents)
        self._first = {run: history[0] for (_, run), history in self.stories.items()}
        self._on: dict[int, list[EntryRow]] = {}
        self._by: dict[int, list[EntryRow]] = {}
        self._undoing: dict[int, list[EntryRow]] = {}
        self._numbers = {entry.entry for entry in contents.entries}
        self._short = {deficit.entry for deficit in contents.deficits}
        for entry in contents.entries:
            self._on.setdefault(entry.batch, []).append(entry)
            self._by.setdefault(entry.run or 0, []).append(entry)
            if entry.reverses is not None:
                self._undoing.setdefault(entry.reverses, []).append(entry)

    def of_entry(self, entry: EntryRow) -> Iterator[str]:
        """What is wrong with an entry by itself, and with what undoes it."""
        batch = self._contents.batches.get(entry.batch)
        if entry.kind not in {str(kind) for kind in EntryKind}:
            yield f"{entry.kind!r} is no kind of entry."
            return
        is_giving = EntryKind(entry.kind) in _GIVES
        if entry.amount and (entry.amount > 0) != (is_giving == (entry.reverses is None)):
            yield f"{plain(entry.amount)} is not what an entry of kind {entry.kind!r} comes to."
        if entry.kind in OF_REPORTS and entry.report is None:
            yield "It is a report's, and names none."
        if (entry.node is not None) != (entry.kind in _DRAWS):
            yield f"A node draws, and an entry of kind {entry.kind!r} is no draw."
        if batch is not None and batch.ledger != entry.ledger:
            yield f"It stands on batch {batch.batch_id}, which is of another ledger."
        if batch is None and (entry.ledger, entry.run) not in self.stories and entry.node is None:
            yield "It is neither on a batch nor by a run of this bundle."
        yield from self._of_poster(entry)
        ends = self._ends(entry)
        if ends is not None and entry.effective_at != ends:
            yield f"It counts from {entry.effective_at.text} on, and the slots end at {ends.text}."
        yield from self._of_undoing(entry)

    def of_deficit(self, deficit: DeficitRow) -> Iterator[str]:
        """What is wrong with a change of a deficit by itself."""
        history = self.stories.get((deficit.ledger, deficit.run))
        if history is None:
            yield "is of a run that has no batch here."
        elif not history[0].by_event and deficit.effective_at < history[0].end_time:
            yield "counts from before the end of its run's slot on."
        if deficit.reverses is not None and deficit.reverses not in self._short:
            yield "undoes one that is not here."
        run_credits = [
            credit for credit in self._on.get(deficit.posted_by, ()) if credit.kind == EntryKind.CREDIT
        ]
        is_its_own = deficit.reverses is None and deficit.report is None
        if run_credits and is_its_own and deficit.posted_at != run_credits[0].posted_at:
            yield "was posted at another time than the batch that posted it."

    def _of_poster(self, entry: EntryRow) -> Iterator[str]:
        """A batch is credited by itself, and draws for its own run."""
        batch = self._contents.batches.get(entry.batch)
        poster = self._contents.batches.get(entry.posted_by or 0)
        if entry.kind in {EntryKind.CREDIT, *_DRAWS} and entry.report is not None:
            yield f"No report posts an entry of kind {entry.kind!r}."
        if entry.kind == EntryKind.CREDIT and batch is not None:
            if (entry.run, entry.posted_by) != (batch.run, batch.batch):
                yield f"It credits batch {batch.batch_id}, and is another's."
        elif entry.kind in _DRAWS and poster is not None and poster.run != entry.run:
            yield f"Batch {poster.batch_id} drew it for another run than its own."

    def _ends(self, entry: EntryRow) -> Instant | None:
        """From when on an entry counts by two slots; None where that is not known, or slots are events."""
        batch, first = self._contents.batches.get(entry.batch), self._first.get(entry.run or 0)
        if batch is not None and batch.run is None and entry.kind == EntryKind.CREDIT:
            return batch.end_time
        if batch is None or first is None or entry.report is not None or batch.by_event or first.by_event:
            return None
        return max(batch.end_time, first.end_time)

    def _of_undoing(self, entry: EntryRow) -> Iterator[str]:
        """What a deleted batch posted is undone, entry by entry, and nothing else is."""
        poster = self._contents.batches.get(entry.posted_by or 0)
        if entry.reverses is not None:
            if entry.reverses not in self._numbers:
                yield "It undoes one that is not here."
            return
        undone = [
            _select_posted_fields(undoing._replace(amount=-undoing.amount))
            for undoing in self._undoing.get(entry.entry, ())
        ]
        if poster is None:
            return
        if poster.deleted_at is None and undone:
            yield "It is undone, and its batch was not deleted."
        elif poster.deleted_at is not None and undone != [_select_posted_fields(entry)]:
            yield "It is not undone as it was posted, and its batch was deleted."

    def wrong(self) -> Iterator[tuple[str, str]]:
        """What batches and runs say otherwise than the entries, each with its part."""
        for number, batch in self._contents.batches.items():
            own_entries = [own_entry for own_entry in self._on.get(number, ()) if own_entry.reverses is None]
            credited = [own_entry.amount for own_entry in own_entries if own_entry.kind == EntryKind.CREDIT]
            if credited != [batch.credited]:
                message = (
                    f"says that it was credited with {plain(batch.credited)}, and the ledger says otherwise."
                )
                yield BATCHES.part, f"Batch {batch.batch_id} {message}"
            for by_effect in (True, False):
                if (
                    below := _find_negative_balance(self._on.get(number, ()), by_effect=by_effect)
                ) is not None:
                    yield ENTRIES.part, f"Batch {batch.batch_id} holds {below}."
        yield from self._of_times()
        for key, history in self.stories.items():
            newest_batch = find_newest_batch(history)
            total = Decimal(0) if newest_batch is None else newest_batch.total
            if (posted_total := self._posted_by(*key)) != total:
                message = f"its run comes to {plain(total)}, and has posted {plain(posted_total)}."
                yield BATCHES.part, f"Batch {(newest_batch or history[-1]).batch_id}: {message}"
            yield from self._of_draws(history)

    def _of_times(self) -> Iterator[tuple[str, str]]:
        """What one generation posted, it posted at one time, after it began."""
        times: dict[int, Instant] = {}
        for entry in self._contents.entries:
            poster = self._contents.batches.get(entry.posted_by or 0)
            if poster is None or poster.generation is None or entry.report is not None:
                continue
            if entry.reverses is not None:
                if poster.deleted_at is not None and entry.posted_at != poster.deleted_at:
                    yield ENTRIES.part, f"Entry {entry.entry} was posted at another time than the deletion."
                continue
            at = times.setdefault(poster.generation, entry.posted_at)
            if entry.posted_at != at or at < poster.created_at:
                yield ENTRIES.part, f"Entry {entry.entry} was posted at another time than its generation."

    def _posted_by(self, ledger: int, run: int) -> Decimal:
        """What a run has posted for its own total, less what it is short of."""
        amounts = [
            entry.amount
            for entry in self._by.get(run, ())
            if entry.ledger == ledger and entry.kind in GENERATED
        ]
        deficits = [
            -deficit.amount
            for deficit in self._contents.deficits
            if (deficit.ledger, deficit.run) == (ledger, run)
        ]
        return exact_total([*amounts, *deficits])

    def _of_draws(self, history: Sequence[BatchRow]) -> Iterator[tuple[str, str]]:
        """Every batch was computed from what its run had drawn when it was made."""
        for batch in history:
            batch_credits = [
                entry for entry in self._on.get(batch.batch, ()) if entry.kind == EntryKind.CREDIT
            ]
            lineage = self._contents.lineage.get(batch.batch)
            if not batch_credits or lineage is None:
                continue
            posted_at, run_entries = batch_credits[0].posted_at, self._by.get(batch.run or 0, ())
            earlier_draws = [
                entry for entry in run_entries if entry.node is not None and entry.posted_at <= posted_at
            ]
            lineage_draws = _sum_amounts(
                ((draw.node, draw.source), Decimal(draw.amount)) for draw in lineage.draws
            )
            if lineage_draws != _sum_amounts(
                ((draw.node or "", draw.batch), -draw.amount) for draw in earlier_draws
            ):
                text = "was computed from other draws than its run had drawn by then."
                yield ENTRIES.part, f"Batch {batch.batch_id} {text}"

    def beyond(self, chain: set[str]) -> Iterator[str]:
        """What the report takes beyond what is left of a batch, once its own chain is put aside."""
        project = self._contents.manifest.project_number
        for number, batch in self._contents.batches.items():
            message = self._contents.reported.get(batch.batch_id)
            if message is None:
                continue
            balance = exact_total(
                entry.amount
                for entry in self._on.get(number, ())
                if entry.kind not in OF_REPORTS
                or identity.of("report", project, entry.report or 0) not in chain
            )
            if Decimal(message.amount) > balance:
                yield f"It takes {message.amount} of batch {batch.batch_id}, which has {plain(balance)} left."

    def of_acceptance(self, chain: set[str], accepted: "Accepted") -> Iterator[str]:
        """What reports of the chain have posted on a batch otherwise than the log says."""
        project = self._contents.manifest.project_number
        for number, batch in self._contents.batches.items():
            of_batch = accepted.get(batch.batch_id, {})
            posted: dict[Instant, list[Decimal]] = {moment: [] for moment in of_batch}
            for entry in self._on.get(number, ()):
                is_posting = entry.kind in {EntryKind.REPORT, EntryKind.RESTATE}
                if is_posting and identity.of("report", project, entry.report or 0) in chain:
                    posted.setdefault(entry.effective_at, []).append(-entry.amount)
            for moment, amounts in posted.items():
                wanted = of_batch.get(moment, Decimal(0))
                if (total := exact_total(amounts)) != wanted:
                    since = f"of batch {batch.batch_id} from {moment.text} on"
                    yield f"Its chain has posted {plain(total)} {since}; {plain(wanted)} was accepted."

    def of_handed_over(self, chains: Mapping[str, str]) -> Iterator[str]:
        """What chains of reports have still posted that handed everything over; each has a name."""
        project = self._contents.manifest.project_number
        posted: dict[tuple[str, int, Instant], list[Decimal]] = {}
        for entry in self._contents.entries if chains else ():
            chain = chains.get(identity.of("report", project, entry.report or 0))
            if chain is not None and entry.kind in OF_REPORTS:
                posted.setdefault((chain, entry.batch, entry.effective_at), []).append(-entry.amount)
        for (chain, batch, moment), amounts in posted.items():
            if total := exact_total(amounts):
                text = f"of batch {batch} from {moment.text} on, and handed everything over"
                yield f"The chain of {chain} has posted {plain(total)} {text}."


Accepted = dict[str, dict[Instant, Decimal]]
"""What was accepted of batches, by the batch and the time from which it counts."""


def read_accepted(report: str, chain: set[str], vouched: TrustResult) -> Accepted | None:
    """What the log says that was accepted of a report's chain when it was sent off, or took others' place.

    The last of the chain that became complete, or was complete and is no more, decides. None for a report
    that is not sent off, or restates none.
    """
    own = [row for row in vouched.rows if row["object"] == report and row["action"] in SUCCEEDING]
    if own and _is_complete(own[-1]["after"]):
        return _sum_accepted(own[-1]["after"])
    sent = [
        row["number"] for row in vouched.rows if (row["object"], row["action"]) == (report, "report.submit")
    ]
    if not sent or len(chain) == 1:
        return None
    decisions = [
        row
        for row in vouched.rows
        if row["object"] in chain - {report} and row["number"] < sent[0]
        and _is_complete(row["before"]) != _is_complete(row["after"])
    ]  # fmt: skip
    if not decisions or not _is_complete(after := max(decisions, key=lambda row: row["number"])["after"]):
        return {}
    return _sum_accepted(after)


def _sum_accepted(record: Mapping[str, Any]) -> Accepted:
    moment = parse_time(record["effective_at"])
    return {batch: {moment: amount} for batch, amount in _list_accepted(record) if amount}


def _list_accepted(record: Mapping[str, Any]) -> list[tuple[str, Decimal]]:
    """How much was accepted of each batch of a report, as its row of the log says."""
    return [
        (inclusion["batch_id"], Decimal(str(inclusion.get("accepted_amount", inclusion["amount"]))))
        for inclusion in record["inclusions"]
    ]


def find_unequal_successions(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Where reports took other amounts over than those held that they took the place of."""
    of_reports = [row for row in rows if isinstance(row["after"], dict) and "inclusions" in row["after"]]
    successions: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    by_report: dict[str, list[Mapping[str, Any]]] = {}
    for row in of_reports:
        by_report.setdefault(row["object"], []).append(row)
        if row["action"] in SUCCEEDING:
            successions.setdefault(tuple(row["after"].get("predecessors", ())), []).append(row)
    for predecessors, successors in successions.items():
        held: list[tuple[str, Decimal]] = []
        for name in predecessors:
            before = [row for row in by_report.get(name, ()) if row["number"] < successors[0]["number"]]
            if not before or not _is_complete(before[-1]["after"]):
                yield f"The audit log does not say what the report {name} held."
                break
            held += _list_accepted(before[-1]["after"])
        else:
            yield from _compare_succession(predecessors, held, successors)


def _compare_succession(
    predecessors: Sequence[str],
    held: Sequence[tuple[str, Decimal]],
    successors: Sequence[Mapping[str, Any]],
) -> Iterator[str]:
    taken = [part for row in successors for part in _list_accepted(row["after"])]
    amounts: dict[str, tuple[list[Decimal], list[Decimal]]] = {}
    for position, parts in enumerate((held, taken)):
        for batch, amount in parts:
            amounts.setdefault(batch, ([], []))[position].append(amount)
    for batch, (of_held, of_taken) in sorted(amounts.items()):
        if (was := exact_total(of_held)) != (now := exact_total(of_taken)):
            names = ", ".join(predecessors)
            yield f"Successors of {names} take {plain(now)} of batch {batch}; {plain(was)} was held."


def _is_complete(record: object) -> bool:
    return isinstance(record, dict) and "inclusions" in record and record.get("status") == "complete"


def _select_posted_fields(entry: EntryRow) -> tuple[object, ...]:
    return (
        entry.ledger, entry.batch, entry.kind, entry.amount, entry.effective_at, entry.run, entry.node,
        entry.posted_by,
    )  # fmt: skip


def _find_negative_balance(entries: Iterable[EntryRow], *, by_effect: bool) -> str | None:
    """Return the first instant with a negative sum of entries, by one of their two times."""

    def moment(entry: EntryRow) -> Instant:
        return entry.effective_at if by_effect else entry.posted_at

    balance = Decimal(0)
    for at, entries_at in groupby(sorted(entries, key=moment), moment):
        balance = exact_total([balance, *(entry.amount for entry in entries_at)])
        if balance < 0:
            return f"{plain(balance)} at {at.text}"
    return None


def _sum_amounts(amounts: Iterable[tuple[tuple[str, int], Decimal]]) -> dict[tuple[str, int], Decimal]:
    parts: dict[tuple[str, int], list[Decimal]] = {}
    for key, amount in amounts:
        parts.setdefault(key, []).append(amount)
    return {key: amount for key, addends in parts.items() if (amount := exact_total(addends))}
