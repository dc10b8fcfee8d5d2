"""What counts an event: the streams that a version reads by time, and where slots of two versions meet.

- `by_time`: the streams of a version whose events belong to slots by their times
- `version_slots`: the slots of time of ledgers of one model, each with its version
- `borders`: events at the border of two versions that count more or less than once
"""
