"""Instants, intervals, cadences and the slots that they cut time into.

Instants with an offset and a time zone come in; half-open intervals and slots go out. Read `calendar`
(instants, intervals, and the slots of a cadence), then `slot_versions` (which version of a model accounts for
which slot) and `expectation` (when a meter is in service, and which slots are expected of it).
"""
