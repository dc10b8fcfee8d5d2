"""A ledger is a list of entries that are only ever added; no balance is below zero at any step."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.ledger.posting import (
    GENERATED,
    BatchBalance,
    Deficit,
    DeficitEntry,
    Entry,
    EntryKind,
    PartitionBooks,
    Taken,
    Total,
    post,
)

LEDGER = 1


def end_of(month):
    return datetime(2025, month + 1, 1, tzinfo=UTC)


def holding(batch, month, balance):
    """A batch of the run of a month; run and month have the same number."""
    return BatchBalance(batch, month, end_of(month), Decimal(balance))


def deficit(month, amount):
    return Deficit(month, end_of(month), Decimal(amount))


def total(month, comes_to, posted=0):
    """A run's total, and what it has posted for the end of its slot."""
    before = {end_of(month): Decimal(posted)}
    return Total(month, f"new {month}", end_of(month), Decimal(comes_to), before)


def took(batch, amount, month):
    """What a fall took, for the end of a month."""
    return Taken(batch, Decimal(amount), end_of(month))


def posted_to(holdings, deficits, *totals, drawn=(), taken=None):
    """Everything that is posted; taken is what falls of runs took before."""
    new = [BatchBalance(one.batch, one.run, one.end, Decimal(0)) for one in totals]
    return post(PartitionBooks(LEDGER, [*holdings, *new], deficits, taken or {}), totals, drawn)


def posted(*account, **more):
    """What is posted in short: entries as kind, run, batch, amount; deficits as run, amount."""
    done = posted_to(*account, **more)
    entries = [
        (str(entry.kind), entry.run, entry.batch, int(entry.amount))
        for entry in done.entries
        if entry.kind is not EntryKind.CREDIT or entry.amount
    ]
    return entries, [(entry.run, int(entry.amount)) for entry in done.deficit_entries]


def test_a_first_result_is_credited_to_its_batch():
    assert posted([], [], total(1, 10)) == ([("credit", 1, "new 1", 10)], [])


def test_a_rise_is_credited_to_the_adjusting_batch():
    assert posted([holding("jan", 1, 10)], [], total(1, 12, 10)) == ([("credit", 1, "new 1", 2)], [])


def test_a_batch_is_credited_also_when_that_is_nothing():
    done = posted_to([], [], total(1, 10, 10))

    assert done.entries == (
        Entry(LEDGER, EntryKind.CREDIT, 1, "new 1", "new 1", Decimal(0), end_of(1)),
    )  # fmt: skip


def test_a_fall_takes_from_the_runs_own_batches_oldest_first_and_then_from_its_partition():
    held = [holding("jan", 1, 5), holding("feb", 2, 3), holding("feb 2", 2, 1), holding("mar", 3, 9)]

    entries, deficits = posted(held, [], total(2, 0, 11))

    assert entries == [
        ("fall", 2, "feb", -3),
        ("fall", 2, "feb 2", -1),
        ("fall", 2, "jan", -5),
        ("fall", 2, "mar", -2),
    ]
    assert deficits == [(2, 2), (2, -2)], "short of what March covers, until March ends"


def test_what_a_fall_cannot_take_is_an_open_deficit_of_the_run():
    assert posted([holding("jan", 1, 3)], [], total(1, 2, 10)) == ([("fall", 1, "jan", -3)], [(1, 5)])


def test_a_negative_first_result_takes_from_the_partition_and_is_short_of_the_rest():
    assert posted([holding("jan", 1, 3)], [], total(2, -4)) == ([("fall", 2, "jan", -3)], [(2, 1)])


def test_credits_post_before_falls():
    entries, deficits = posted([], [], total(1, -4), total(2, 10))

    assert entries == [("credit", 2, "new 2", 10), ("fall", 1, "new 2", -4)]
    assert deficits == [(1, 4), (1, -4)]


def test_a_credit_settles_open_deficits_of_the_partition_oldest_first_and_before_falls():
    entries, deficits = posted([], [deficit(1, 2), deficit(2, 3)], total(3, 4), total(4, -1))

    assert entries == [
        ("credit", 3, "new 3", 4),
        ("fall", 1, "new 3", -2),
        ("fall", 2, "new 3", -2),
    ]
    assert sorted(deficits) == [(1, -2), (2, -2), (4, 1)]


def test_a_settlement_is_posted_by_the_batch_that_was_credited():
    done = posted_to([], [deficit(1, 2)], total(3, 4))

    assert done.entries[1] == Entry(LEDGER, EntryKind.FALL, 1, "new 3", "new 3", Decimal(-2), end_of(3))
    assert done.deficit_entries == (DeficitEntry(LEDGER, 1, "new 3", Decimal(-2), end_of(3)),)
    assert done.deficits == ()


def test_a_run_that_rises_closes_its_own_deficit_then_gives_back_last_taken_first_then_credits():
    held = [holding("jan", 1, 0), holding("feb", 2, 0), holding("mar", 3, 0)]

    taken = {3: [took("mar", 1, 3), took("jan", 4, 3), took("feb", 3, 3)]}

    entries, deficits = posted(held, [deficit(3, 2)], total(3, 10, -7), taken=taken)

    assert entries == [
        ("rise", 3, "feb", 3),
        ("rise", 3, "jan", 4),
        ("rise", 3, "mar", 1),
        ("credit", 3, "new 3", 7),
    ]
    assert deficits == [(3, -2)]


def test_a_run_that_rises_a_little_gives_back_a_part():
    held = [holding("jan", 1, 0), holding("feb", 2, 0)]

    entries, _ = posted(held, [], total(2, -3, -7), taken={2: [took("feb", 1, 2), took("jan", 6, 2)]})

    assert entries == [("rise", 2, "jan", 4)]


def test_what_was_taken_of_later_slots_is_given_back_first_the_latest_of_all():
    held = [holding("jan", 1, 0), holding("feb", 2, 0), holding("mar", 3, 0)]
    taken = {1: [took("mar", 2, 3), took("jan", 1, 1), took("feb", 2, 2)]}

    done = posted_to(held, [], total(1, 3, -5), taken=taken)

    assert [(entry.kind, entry.batch, entry.amount, entry.effective_at) for entry in done.entries] == [
        (EntryKind.RISE, "mar", 2, end_of(3)),
        (EntryKind.RISE, "feb", 2, end_of(2)),
        (EntryKind.RISE, "jan", 1, end_of(1)),
        (EntryKind.CREDIT, "new 1", 3, end_of(1)),
    ]


def test_a_fall_on_a_later_batch_is_a_deficit_until_the_end_of_that_slot():
    done = posted_to([holding("mar", 3, 8)], [], total(1, 0, 5))

    assert [(entry.batch, entry.amount, entry.effective_at) for entry in done.entries if entry.amount] == [
        ("mar", -5, end_of(3))
    ]
    assert sorted((one.effective_at, one.amount) for one in done.deficit_entries) == [
        (end_of(1), 5),
        (end_of(3), -5),
    ]
    assert done.deficits == ()


def test_a_batch_that_holds_something_again_releases_what_its_run_took_of_others():
    """January fell from 10 to 0 while 5 of it were drawn: it took 5 of February. Now the 5 come back."""
    back = Entry(LEDGER, EntryKind.RETURN, "other", "jan", "theirs", Decimal(5), end_of(2), "mass")

    done = posted_to(
        [holding("jan", 1, 0), holding("feb", 2, 5)],
        [],
        drawn=[back],
        taken={1: [took("jan", 5, 1), took("feb", 5, 2)]},
    )

    assert done.entries == (
        Entry(LEDGER, EntryKind.RISE, 1, "feb", "theirs", Decimal(5), end_of(2)),
        Entry(LEDGER, EntryKind.FALL, 1, "jan", "theirs", Decimal(-5), end_of(1)),
    )
    assert sorted((one.effective_at, one.amount) for one in done.deficit_entries) == [
        (end_of(1), -5),
        (end_of(2), 5),
    ]


def test_a_run_whose_slot_was_corrected_counts_for_its_new_end():
    moved = Total(1, "new 1", end_of(2), Decimal(10), {end_of(1): Decimal(10)})

    done = posted_to([holding("old 1", 1, 10)], [], moved)

    assert [(one.effective_at, one.amount) for one in done.deficit_entries] == [
        (end_of(1), 10),
        (end_of(2), -10),
    ]


def test_what_a_rise_gives_back_settles_what_another_run_is_short_of():
    entries, deficits = posted(
        [holding("jan", 1, 0)], [deficit(2, 3)], total(3, 0, -5), taken={3: [took("jan", 5, 3)]}
    )

    assert entries == [("rise", 3, "jan", 5), ("fall", 2, "jan", -3)]
    assert deficits == [(2, -3)]


def test_what_comes_back_from_a_draw_settles_in_the_name_of_who_gave_it_back():
    back = Entry(LEDGER, EntryKind.RETURN, "other", "jan", "theirs", Decimal(4), end_of(1), "mass")

    done = posted_to([holding("jan", 1, 0)], [deficit(2, 3)], drawn=[back])

    assert done.entries == (Entry(LEDGER, EntryKind.FALL, 2, "jan", "theirs", Decimal(-3), end_of(2)),)
    assert done.deficit_entries == (DeficitEntry(LEDGER, 2, "theirs", Decimal(-3), end_of(2)),)


def test_what_is_drawn_again_at_once_settles_nothing():
    back = Entry(LEDGER, EntryKind.RETURN, "other", "jan", "theirs", Decimal(4), end_of(1), "mass")
    again = replace(back, kind=EntryKind.DRAW, amount=Decimal(-4))

    done = posted_to([holding("jan", 1, 0)], [deficit(2, 3)], drawn=[again, back])

    assert (done.entries, done.deficit_entries) == ((), ())
    assert done.deficits == (deficit(2, 3),)


def test_drawn_before_a_fall_a_batch_gives_only_what_is_left():
    drawn = Entry(LEDGER, EntryKind.DRAW, "other", "jan", "theirs", Decimal(-7), end_of(1), "mass")

    entries, deficits = posted([holding("jan", 1, 10)], [], total(1, 0, 10), drawn=[drawn])

    assert (entries, deficits) == ([("fall", 1, "jan", -3)], [(1, 7)])


def test_what_a_report_reserves_of_what_a_fall_took_the_fall_gives_back_and_takes_elsewhere():
    """Of the 11 of February January took 7; a report takes 9 of them, of which 4 are there."""
    reserved = Entry(LEDGER, EntryKind.RESERVE, "report", "feb", "report", Decimal(-9), end_of(2))
    held = [holding("feb", 2, 4), holding("mar", 3, 2)]
    taken = {1: [took("feb", 7, 2)]}

    done = posted_to(held, [], drawn=[reserved], taken=taken)

    assert [(str(one.kind), one.run, one.batch, one.amount, one.effective_at) for one in done.entries] == [
        ("rise", 1, "feb", 5, end_of(2)),
        ("fall", 1, "mar", -2, end_of(3)),
    ]
    assert [(one.run, one.amount, one.effective_at) for one in done.deficit_entries] == [
        (1, 5, end_of(2)),
        (1, -2, end_of(3)),
    ]
    assert done.deficits == (Deficit(1, end_of(2), Decimal(3)),)


def test_what_a_draw_takes_beyond_what_is_there_no_fall_gives_back():
    drawn = Entry(LEDGER, EntryKind.DRAW, "other", "feb", "theirs", Decimal(-9), end_of(2), "mass")

    with pytest.raises(AssertionError):
        posted_to([holding("feb", 2, 4)], [], drawn=[drawn], taken={1: [took("feb", 7, 2)]})


def test_an_entry_counts_for_the_later_of_the_two_slots_ends():
    held = [holding("jan", 1, 1), holding("mar", 3, 5), holding("new 2", 2, 0)]

    done = post(PartitionBooks(LEDGER, held), [total(2, -4)])

    assert [(entry.batch, entry.effective_at) for entry in done.entries] == [
        ("new 2", end_of(2)),
        ("jan", end_of(2)),
        ("mar", end_of(3)),
    ]


@dataclass
class Books:
    """The books of one partition, kept only as entries; runs are months, batches (month, number)."""

    entries: list[Entry] = field(default_factory=list)
    deficit_entries: list[DeficitEntry] = field(default_factory=list)
    totals: dict[int, Decimal] = field(default_factory=dict)
    made: dict[int, int] = field(default_factory=dict)

    def balance(self, batch):
        return sum((entry.amount for entry in self.entries if entry.batch == batch), Decimal(0))

    def short(self, run):
        return sum((entry.amount for entry in self.deficit_entries if entry.run == run), Decimal(0))

    def holdings(self):
        batches = sorted({entry.batch for entry in self.entries})
        return [holding(batch, batch[0], self.balance(batch)) for batch in batches]

    def taken(self):
        """What falls of each run took and did not give back, in the order in which it was taken."""
        nets = {}
        for entry in self.entries:
            if entry.kind in (EntryKind.FALL, EntryKind.RISE):
                key = entry.run, entry.batch, entry.effective_at
                before = nets.pop(key, Decimal(0)) if entry.kind is EntryKind.FALL else nets[key]
                nets[key] = before - entry.amount
        taken = {}
        for (run, batch, moment), amount in nets.items():
            if amount:
                taken.setdefault(run, []).append(Taken(batch, amount, moment))
        return taken

    def generate(self, wanted):
        """Post the new totals; the order in which runs are named must not matter."""
        changed = {run: amount for run, amount in wanted.items() if self.totals.get(run) != amount}
        totals = []
        for run, amount in sorted(changed.items()):
            generated = [entry for entry in self.entries if entry.run == run and entry.kind in GENERATED]
            before = sum((entry.amount for entry in generated), Decimal(0)) - self.short(run)
            self.made[run] = self.made.get(run, 0) + 1
            batch = (run, self.made[run])
            totals.append(Total(run, batch, end_of(run), amount, {end_of(run): before}))
        new = [BatchBalance(one.batch, one.run, one.end, Decimal(0)) for one in totals]
        held = sorted([*self.holdings(), *new], key=lambda one: one.batch)
        deficits = [deficit(run, self.short(run)) for run in sorted(self.totals) if self.short(run)]
        done = post(PartitionBooks(LEDGER, held, deficits, self.taken()), totals)
        self._add(done.entries, done.deficit_entries)
        self.totals |= changed
        return totals

    def draw(self, share):
        """Another run draws a share of what each batch holds; a negative share gives back."""
        drawn = []
        for held in self.holdings():
            lent = -sum(
                (entry.amount for entry in self.entries if entry.batch == held.batch and entry.node),
                Decimal(0),
            )
            amount = held.balance * share // 4 if share > 0 else lent * -share // 4
            kind = EntryKind.DRAW if share > 0 else EntryKind.RETURN
            if amount:
                signed = -amount if share > 0 else amount
                drawn.append(Entry(LEDGER, kind, "other", held.batch, "theirs", signed, held.end, "mass"))
        deficits = [deficit(run, self.short(run)) for run in sorted(self.totals) if self.short(run)]
        done = post(PartitionBooks(LEDGER, self.holdings(), deficits, self.taken()), [], drawn)
        self._add([*drawn, *done.entries], done.deficit_entries)

    def check(self):
        drawn = -sum((entry.amount for entry in self.entries if entry.node), Decimal(0))
        remaining = sum((held.balance for held in self.holdings()), Decimal(0))
        short = sum((self.short(run) for run in self.totals), Decimal(0))
        assert drawn + remaining == sum(self.totals.values()) + short
        assert not (remaining and short)
        assert all(self.short(run) >= 0 for run in self.totals)
        for batch in {entry.batch for entry in self.entries}:
            mine = [entry for entry in self.entries if entry.batch == batch]
            for moment in {entry.effective_at for entry in mine}:
                assert sum(entry.amount for entry in mine if entry.effective_at <= moment) >= 0
        assert all(entry.effective_at >= end_of(entry.batch[0]) for entry in self.entries)
        self.check_moments()

    def check_moments(self):
        """For every run and moment, entries less deficit entries are its total at its end, else nothing."""
        made = {}
        for entry in [one for one in self.entries if not one.node]:
            key = entry.run, entry.effective_at
            made[key] = made.get(key, Decimal(0)) + entry.amount
        for one in self.deficit_entries:
            key = one.run, one.effective_at
            made[key] = made.get(key, Decimal(0)) - one.amount
        expected = {(run, end_of(run)): amount for run, amount in self.totals.items() if amount}
        assert {key: amount for key, amount in made.items() if amount} == expected
        for run in self.totals:
            for moment in {one.effective_at for one in self.deficit_entries if one.run == run}:
                mine = [one for one in self.deficit_entries if one.run == run and one.effective_at <= moment]
                assert sum(one.amount for one in mine) >= 0

    def _add(self, entries, deficit_entries):
        self.entries += entries
        self.deficit_entries += deficit_entries


amounts = st.integers(-20, 40).map(Decimal)
generations = st.dictionaries(st.integers(1, 5), amounts, max_size=5)
draws = st.sampled_from([-4, -2, 1, 2, 4])
stories = st.lists(st.one_of(generations, draws), max_size=12)


def lived(story):
    books = Books()
    for step in story:
        books.draw(step) if isinstance(step, int) else books.generate(step)
        books.check()
    return books


@given(stories)
def test_drawn_and_remaining_are_produced_and_open_deficit_whatever_happens(story):
    lived(story)


@given(stories, generations)
def test_generating_twice_posts_nothing(story, wanted):
    books = lived(story)
    books.generate(wanted)
    before = len(books.entries), len(books.deficit_entries)

    assert books.generate(wanted) == []
    assert (len(books.entries), len(books.deficit_entries)) == before


@given(stories)
def test_runs_that_all_come_to_what_they_were_leave_nothing_short_that_is_not_drawn(story):
    books = lived(story)

    books.draw(-4)
    books.generate(dict.fromkeys(books.totals, Decimal(1)))

    books.check()
    assert all(books.short(run) == 0 for run in books.totals)


@pytest.mark.parametrize("kind", [EntryKind.CREDIT, EntryKind.FALL, EntryKind.RISE])
def test_what_a_run_generates_is_no_draw(kind):
    assert kind in GENERATED
    assert not {EntryKind.DRAW, EntryKind.RETURN} & set(GENERATED)
