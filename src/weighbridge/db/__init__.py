"""The database: the only place that connects, begins and commits.

Statements and their values come in, rows, records and pages go out. Read `engine.py` first (hosts,
connections, and transactions that read and that write), then `transaction.py` and `statements.py` (with how
values are written) below it, and `row.py` (what to select for a record, and changes of one). `locks.py` names
all advisory locks, `replica.py` reads from a host that follows.

`lists` has filters, order and pages, `embedded` runs PostgreSQL itself, and `migration.py` with `roles.py`
brings a database to the newest step of `migrations`.
"""
