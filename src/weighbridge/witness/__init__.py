"""A witness of transparency logs: cosigns heads that extend every head that it cosigned before.

It is a process of its own, without a database: `weighbridge witness serve`. Any log whose heads are
checkpoints (C2SP tlog-checkpoint) may ask it, the audit log of another installation above all.

Read `state.py` (what it keeps of each log), then `judgement.py` (what it answers to a submission), then
`server.py` (how it is asked).

Invariants: what was cosigned is on the disk before anybody hears of it; the head of a log never goes back;
two submissions for one log are judged one after the other.
"""
