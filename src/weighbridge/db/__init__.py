"""The database: the only place that connects, begins and commits.

Statements and their values come in, rows, records and pages go out. Read `engine.py` first (transactions
that read and that write), then `transaction.py`, `gathering.py` and `message.py` below it, and `row.py`
(what to select for a record, and changes of one). `locks.py` names all advisory locks. `connections.py`
finds the host that takes writes, `replica.py` reads from another, and `threads.py` has the threads of
computations. `json.py` and `literal.py` write values.

`lists` has filters, order and pages, `embedded` runs PostgreSQL itself, and `migration.py` with `roles.py`
brings a database to the newest step of `migrations`.
"""
