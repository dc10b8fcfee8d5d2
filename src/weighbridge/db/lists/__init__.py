"""Lists: what may be filtered and sorted, the statement of a page, and pages cut by an index.

`field` and `declared` derive a list, and the requests and statements of its records, from their fields.
"""
