"""Requests that compute, apart from all others: they never block the event loop that answers the rest.

The work of a handler comes in; its response goes out, or an error when it takes too long or the client
disconnects. Read `handover` (what an API process hands to a computing process, where there is one),
`server` (how that process answers), then `loop` (the loop on which requests are executed). `http/shares.py`
determines whose turn it is.
"""

from weighbridge.http.computing.loop import ComputingLoop

__all__ = ["ComputingLoop"]
