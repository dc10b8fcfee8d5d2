"""Records that have a name of their own in a project: feedstocks, locations and assets.

In come a record's kind and what a caller asks of it; out come the problems of its name, the audit rows of
its changes, and its removal, or why it stays. Each noun keeps its own routes, statements and fields. Read
`kind.py` first, then `naming.py`, `writing.py` and `time_in_service.py`; `location.py` and `asset.py` are the
rows by which other machinery reads these records too.
"""
