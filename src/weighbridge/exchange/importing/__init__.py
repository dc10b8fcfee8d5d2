"""An import brings the rows of a CSV file in as events, each row one event.

The whole file is read and checked first; then its events are stored in batches, each in one transaction.
`file` gives rows, `columns` says which column means what, `clock` and `cell` read texts, `row` makes an
event of a row, `run` goes over the file, and a `store` (`direct` or `remote`) keeps the events.

Invariants: a file with a bad row stores nothing; numbers go from text to decimal, never through a binary
float; memory does not grow with the file; the same import run again stores no event a second time.
"""
