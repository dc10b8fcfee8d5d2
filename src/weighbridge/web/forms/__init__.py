"""Forms of records: one mechanism, made of a table of fields over the types that the interface takes.

`fields` makes the fields of a form from the type of a body, shows a record as texts and reads what was
typed as a body again. `documents` makes those of windows and corrections, `rule_form` has the fields of a
rule, and `json_view` shows a form as JSON and fills it in from JSON. `record_forms` is the table of records
that have such forms, and `pages` has their pages and the records that a field offers. Forms of events are
made of the same parts in `web/pages/event_forms.py`.

Invariants: a form knows no rule of a record; the operation that makes the record reports each problem,
which is shown at its field. Of a change only what was typed anew is sent.
"""
