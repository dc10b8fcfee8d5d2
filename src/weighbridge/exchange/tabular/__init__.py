"""Tables in files: rows, cells, columns, and the clock that dates them.

In come the bytes of a CSV file and what its columns mean, out go new events with the lines that they came
from, or the reasons why a row is none. Read `file.py` (rows), `columns.py` (which column gives what),
`cell.py` and `clock.py` (texts as values and times), then `row.py`, which brings them together.
"""
