"""The schema of an event type: which values its events carry, and what a change makes of it.

In comes what a caller sends, out come problems and a revision that can be stored. Read `checking.py`, then
`revision.py`; the noun `event_types` stores what comes of them.
"""
