"""Submission: what a report includes, the requirements before it is submitted, what is sent, and to whom.

A draft comes in; the requirements that it does not meet go out, or the file that is sent, its receipt and,
later, the receiver's decision. Read `amounts` (what a report includes, and what remains for it), `moves`
(from state to state, with the entries that this posts), `requirements`, `file` (what a report states,
rendered, checked and stored), `receiver` (to whom it goes), `checker` (a process that checks a file against
a schema) and `sending` (to a registry, once, and the question what became of it).
"""
