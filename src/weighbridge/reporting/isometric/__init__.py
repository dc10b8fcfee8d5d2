"""Isometric Certify: a report becomes records of the registry, each once, and its state comes back.

Read `facts` (what the books have), `plans` (what is sent, by a mapping), `calls` (requests, and the journal
of them), `resources` (how each kind of record is made, found and read), `sending` (the plan is carried out),
`states` (what became of the statement) and `catalogue` (what a mapping may choose from).

Invariants: a plan is written down before anything is sent, and every attempt carries out the same one; what
may have been made is looked for by its reference before it is made; each call is written down before it
leaves and when its answer is there; nothing that proves who calls, and no secret of a link, is written down.
"""
