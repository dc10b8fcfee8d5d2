"""How much of what was expected of an event type's meters was captured.

In come an event type with a cadence, a range of time, and the events, outages and times in service as they
are now; out go counts of slots by meter and period, and the slots that lack a valid value. PostgreSQL
counts what was seen, slot by slot; what was expected is worked out by arithmetic, however short the
cadence.

- `expected_slots`: the slots that are expected of each meter, for rules and fillings
- `question`: what is asked: the event type, its slots, the range up to now, and what is wrong with asking it
- `meters`: the meters of the event type, and when each was expected to measure
- `seen`: what became of each slot, as SQL
- `counting`: what was seen and expected, by meter and period, in slots and in time

What a rate is, with no database, is `core.collection.capture`.
"""
