"""Changes: the feed of what was changed, in an order that everybody sees alike.

In: what triggers of the database told of each statement (`changes.sql` of the baseline) in the transaction
that changed the records. The function `number_changes` gives an entry its number after its commit: readers
call it before they look, and workers each second. Out: pages of changes behind a cursor, at once or when
there are any.

Invariants: numbers of an account have no gap, and whoever sees one sees all before it; an entry is one
transaction's changes of one kind by one action, however many records they are; a reader is refused who
asks for what was removed because of its age, so nothing is skipped unseen.

Read `records`, `queries`, then `routes`; `tasks` is what workers do.
"""
