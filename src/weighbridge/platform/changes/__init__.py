"""What a write leaves behind: one call, `changes.record`, that no writing action does without.

A write says who did what to which object, with the record before and after. By the action's name, which
`obligations.py` lists, it also says what it changed, as values: events, values of events, a static input, a
model run, batches. From these follow the row of the audit log, the marks by which automatic rules find what
they have not looked at, and the staleness of batches, all in the write's own transaction. An action that is
not listed, or that comes without what it owes, is refused, so a writer cannot forget anything.

    inputs = changes.announce(tx, project)              before values change that batches were made of
    held = await changes.hold_off_generations(tx, project)   before asking what generations may not outrun
    ... the write itself ...
    changes.record(tx, actor, changes.StoredEvents([number]), action="event.void", target=..., before=...)

What comes before the write gives a value that `record`, or a trace that goes into it, asks for afterwards.
Machinery that writes in portions leaves traces by `changes.leave`; the action that it works for records.

In: the transaction, the actor, the traces. Out: rows of `audit_log`, `rule_dirty_ranges` and `stale_runs`.
They travel with the next statement or the commit, and cost no round trip. Quality and accounting read and
clear the marks; nobody below knows them.

Read `obligations` (the call, what each action owes, and the same for an event that one statement stores),
then the kinds of traces: `rule_marks`, and `staleness`, with what keeps generations from missing a change.
"""

from weighbridge.platform.changes.obligations import leave, record
from weighbridge.platform.changes.rule_marks import (
    ChangedBatches,
    ChangedModelRun,
    ChangedOutages,
    Mark,
    NewEvents,
    StoredEvents,
)
from weighbridge.platform.changes.staleness import (
    AddedStaticInput,
    ChangedService,
    ChangedValues,
    GenerationsHeldOff,
    InputsHeld,
    StaleRuns,
    announce,
    await_changes,
    await_generations,
    hold_off_generations,
)

__all__ = [
    "AddedStaticInput",
    "ChangedBatches",
    "ChangedModelRun",
    "ChangedOutages",
    "ChangedService",
    "ChangedValues",
    "GenerationsHeldOff",
    "InputsHeld",
    "Mark",
    "NewEvents",
    "StaleRuns",
    "StoredEvents",
    "announce",
    "await_changes",
    "await_generations",
    "hold_off_generations",
    "leave",
    "record",
]
