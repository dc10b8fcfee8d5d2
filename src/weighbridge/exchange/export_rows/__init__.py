"""The rows of an export: any list as a table of plain columns, written as CSV.

In comes the query of a list, out goes CSV with typed columns. Read `table.py` for what a table is;
`records.py` makes one of any list by walking it, `data_points.py` and `events.py` have PostgreSQL write
theirs, because those lists have a million rows.
"""
