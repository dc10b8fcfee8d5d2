"""Feeding: the rows of a file become events, all in one transaction.

In come a file, a data feed and a transaction; out go events, counts, and every bad row. Read `mapping`, which
says what columns give, `destination` (what rows may name), `portions` (rows as checked events, in a thread),
`storing` (into the database, and what is there already) and `report` (the file of bad rows). `suggestion`
guesses what a header means, `sampling` how a file is written by its first rows.

Invariants: a file is stored in one transaction, so a worker that is killed leaves nothing of it; a dry run is
the same transaction, undone; memory does not grow with the rows; numbers go from text to decimal.
"""
