"""Instants, intervals, cadences and the slots that they cut time into.

In come moments with an offset and a time zone; out go half-open intervals and slots. Read `instant`, then
`cadence` (months, weeks, days), then `slot_versions` (which version of a model accounts for which)
and `meter` (whose readings follow one another, and when it is in service).
"""
