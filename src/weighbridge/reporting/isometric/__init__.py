"""Isometric Certify: a report becomes records of the registry, each once, and its state comes back.

Pure: `mapping` (which of the registry's records ours become), `plan_facts` (what a plan is made of), `plan`
(what is sent, in order; each step has a reference that follows from our ids and from what it says),
`statement` (states of the registry) and `numbers` (what came back, held against what was sent).

Then `facts` (what the books have), `plans` (a plan by a stored mapping), `calls` (requests, and the journal
of them), `resources` (how each kind of record is made, found and read), `sending` (the plan is carried out),
`states` (what became of the statement) and `catalogue` (what a mapping may choose from).

Invariants: equal facts give equal plans and equal references; a number is equal to another one only if both
are the same double; a plan is written down before anything is sent, and every attempt carries out the same
one; what may have been made is looked for by its reference before it is made; each call is written down
before it leaves and when its answer is there; nothing that proves who calls, and no secret of a link, is
written down.
"""
