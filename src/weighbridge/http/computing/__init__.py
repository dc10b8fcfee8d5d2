"""Requests that compute, apart from all others: they never hold up the event loop that answers the rest.

In comes the work of a handler; out comes its answer, or a refusal when it takes too long or the client hangs
up. Read `elsewhere` (what an API process hands to a computing process, where there is one), `frames` and
`serving` (how that one hears and answers), then `loop` (the loop on which they are carried out). Whose turn
it is, says `http/shares.py`.
"""

from weighbridge.http.computing.loop import ComputingLoop

__all__ = ["ComputingLoop"]
