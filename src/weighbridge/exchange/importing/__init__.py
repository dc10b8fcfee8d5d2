"""An import brings the rows of a CSV file in as events, each row one event.

In come a file and an order, out go a summary and events, here or in a running service. The whole file is
read and checked first; then its events are stored in batches, each in one transaction. Read `run.py`, which
goes over the file twice, then `check.py`, and `store.py` with its two kinds, `direct.py` and `remote.py`.

Invariants: a file with a bad row stores nothing; numbers go from text to decimal, never through a binary
float; memory does not grow with the file; the same import run again stores no event a second time.
"""
