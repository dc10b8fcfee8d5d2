"""The schema: which revision of it a database is at, the steps to the newest one, and who may do what in it.

Read `revision.py` (which one this version expects), `migrate.py` (taking the steps of `db/migrations`) and
`roles.py` (the owner, and the role that the service runs as).
"""
