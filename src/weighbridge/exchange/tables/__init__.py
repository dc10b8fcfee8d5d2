"""Tables: the files that come in, read row by row, each row as an event.

In come a file and a data feed; out go checked events and every bad row. Read `table` (a table, and the CSV
file that is one), `workbook` and `sheet` (any file, opened as the table that it is), `cell` (the values and
times that texts stand for), `columns` (what each column gives), `rows`, and `reading`, which does all of that
in a sandbox, in portions. `sample` guesses how a file is written by its first rows.

Invariants: memory does not grow with the rows; numbers go from text to decimal.
"""
