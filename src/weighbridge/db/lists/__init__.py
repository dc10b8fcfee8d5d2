"""Lists: what may be filtered and sorted, the statement of a page, and pages cut by an index.

`field` is what a field of a record declares: how requests give it, and how it is stored.
"""
