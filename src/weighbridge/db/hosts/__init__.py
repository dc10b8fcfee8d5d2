"""Several hosts of a database: the one that takes writes, found again when it changes, and a replica.

In come URLs, of several hosts or of a replica; out go connections that are fit to be used, and what a replica
shows once it has all that was committed. Read `connection.py`, `pool.py`, then `replica.py`.
"""
