"""Traces by OpenTelemetry, of processes that are told where to send them; of all others this is one question.

In come requests, transactions, statements, tasks and calls of other services as they begin and end; out go
spans, by OTLP over HTTP, from a thread and a queue of their own. `spans.py` is what callers use and knows no
library; `sending.py` loads OpenTelemetry where a process is told to, and nowhere else.

Invariants: nothing of OpenTelemetry is imported in a process that sends no traces; no span holds a token, a
body, a value of a statement or the path of an address that a user gave; a collector that is away costs
requests nothing, for what does not fit the queue is let go and counted in the log.
"""
