"""OPC UA: readings of a server by subscription, and from its history what was missed.

Read `source.py` first, which keeps the connection; `backfill.py` reads the history up to what the
subscription gives, `notifications.py` takes what it gives, `connection.py` opens the session, `value.py`
makes exact values, `trial.py` looks whether a server has what the file names.
"""
