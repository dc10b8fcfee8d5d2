"""Statements: what the partitions of a ledger had, produced and gave in a period.

Read `queries.py`; `records.py` says what a statement looks like, `routes.py` where it is asked for.
"""
