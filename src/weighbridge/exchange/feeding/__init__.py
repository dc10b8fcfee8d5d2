"""Feeding: the rows of a file become events, all in one transaction.

In come a file, a data feed and a transaction; out go events, counts, and every bad row. Read `mapping`, which
says what columns give, `reading` (what rows may name, and rows as checked events, in a sandbox) and `storing`
(into the database, what is there already, and the file of bad rows). `sample` guesses how a file is written
by its first rows; `place` is where files of a watching feed are found.

Invariants: a file is stored in one transaction, so a worker that is killed leaves nothing of it; a dry run is
the same transaction, undone; memory does not grow with the rows; numbers go from text to decimal.
"""
