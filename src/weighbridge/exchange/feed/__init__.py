"""The entries of the feed of changes, for those who read it: `changes` in pages, `delivering` for webhooks.

In: rows that triggers left (`changes.sql` of the baseline). Out: entries in the order of their numbers, and
the ids of the records that each of them tells of. Read `numbering`, then `entries`.
"""
