"""Events: something that happened, with the values measured then.

An event belongs to one event type and carries data points of its types only. One that lacks a required
value is incomplete: it is stored, says what is missing and is used by no run until it is complete. What
was captured is never overwritten. An event is voided, never removed, and keeps its client reference.
Permission: data collection.
"""
