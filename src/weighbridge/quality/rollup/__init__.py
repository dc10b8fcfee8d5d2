"""Rolling up: the readings of a slot become one event, and stay one while readings come and change.

In come the marks that writes leave where readings changed, and the definition of each event type that is
rolled up from theirs; out go its events: new ones, ones whose values changed, and voided ones where no
reading is left. What changes is marked in its turn, for automatic rules, for batches that were made of it,
and for whatever is rolled up from it.

- `definition`: of what the events of a type are made, as the statements need it
- `aggregation`: the statement that makes the events of some slots of their readings
- `refreshing`: the stored events follow what it gives, in sets
- `marked`: take the marks of a project and roll up where they say, in the background or for a generation

What a roll-up is, with no database, is `core.collection.roll_up`.

Invariants: the events of a slot are what its readings come to once no mark tells of it; one worker at a time
rolls up for a project; a mark goes only when its effect is stored. What a batch was made of is kept
(`rolled_up_before`), for no generation runs while an event changes.
"""
