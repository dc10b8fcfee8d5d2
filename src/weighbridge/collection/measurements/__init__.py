"""Measurements: the values of events, the corrections and findings that belong to them, conditions on them.

In come corrections, from people and from rules; out go values in force, as SQL for whoever reads them by
the million and as records for whoever shows them. Read `value.py` first, which says where a value is and
which one counts. `corrections.py` writes and undoes corrections, `corrected.py` sums them up and
`history.py` lists them; `findings.py` has what rules found. `event_row.py`, `event_names.py` and
`event_record.py` make an event of all that, and `condition.py` translates the `where` of a formula to SQL.
"""
