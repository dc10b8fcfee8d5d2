"""Slots: what was expected of the meters of an event type, what was captured, and what is rolled up per
slot.

`capture` counts expected, captured and valid slots. `roll_up` computes events from the readings of a
slot, and `roll_up_refresh` keeps the stored ones up to date. `core.collection` defines capture rates
and roll-ups without a database.

Invariants: once no marks are left, the events of a slot equal the result of its readings. One worker at
a time rolls up for a project. A mark is removed only together with its effect.
"""
