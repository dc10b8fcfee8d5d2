"""Forms of records: one mechanism, made of a table of fields over the types that the interface takes.

`field.py` makes the fields of a form from the type of a body and a few words for each; `texts.py` writes a
record as the texts that stand in them, and `reading.py` reads what was typed as a body again, with what is
wrong at its field. `named.py` is the table of records that have such forms, `pages.py` their pages, and
`offered.py` the records that a field chooses among. `new_event.py` and `event_change.py` make a form of the
same parts, whose fields follow from the type of the event.

Invariants: a form knows no rule of a record; what a record may be is said by the operation that makes it, and
each problem stands at the field that it is about. Of a change only what was typed anew is sent.
"""
