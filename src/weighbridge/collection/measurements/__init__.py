"""Measurements: the values of events, their corrections, what is shown with them, and conditions on them.

Read `values` first: where a value is stored and which one is in force. `corrections` writes and undoes
corrections, `annotations` reads findings and correction histories, and `event_records` reads whole
events.
"""
