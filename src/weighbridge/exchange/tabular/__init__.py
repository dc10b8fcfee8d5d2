"""Tables in files: rows, cells, columns, and the times that date them.

In come the bytes of a CSV file or a workbook and what its columns mean, out go new events with the lines that
they came from, or the reasons why a row is none. Read `table` (rows of CSV), `workbook` and `sheet` (those of
XLSX, and the opening of any file), `columns` (which column gives what) and `cell` (texts as values and as
times), then `row`, which brings them together, and `dating`, which reads all rows in their order.
"""
