"""The database: the only place that connects, begins and commits.

In come statements and their values, out go rows, records and pages. Read `engine.py` first (transactions
that read and that write; `transaction.py`, `gathering.py` and `message.py` are what they rest on), then
`row.py` (what to select for a record), `listing.py` and `cursor.py` (lists: filters, order, pages),
`patch.py` (changes of a record). `memory.py` is what a process holds between requests,
`json.py` and `literal.py` how values are written. `hosts/` finds the host that takes writes and reads from a
replica, `embedded/` runs PostgreSQL itself, `schema/` brings a database to the newest of the steps in
`migrations/`.
"""
