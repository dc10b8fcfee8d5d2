"""Watched places: folders and prefixes of object stores in which files for data feeds are found.

In comes the name of a place below a root that the operator allows; out go files that rest, copies of them,
and afterwards their way to `done` or `failed` with a report beside them. Read `place`, then `folder` and
`bucket`; `data_feeds/tasks.py` looks at all places in turn.
"""
