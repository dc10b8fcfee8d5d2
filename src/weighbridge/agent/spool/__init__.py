"""The spool: readings on the disk until the service has them.

Read `schema.sql` first, which says what is kept; `database.py` keeps it, one transaction for each step, and
`spool.py` is what sources and sender hold, on one thread beside the loop.
"""
