"""HTTP: what all endpoints share between the socket and the function of a noun.

In comes a request, out go a reply in JSON or a file, a refusal in sentences, a log line and the OpenAPI
document. Read `endpoint.py` first: the decorators of routes and what one request goes through; `operation.py`
is what they promise. Around it are `edge.py` (ids, log, limits of a request), `caller.py` with `access/` (who
may), `arrival/`, `wire.py`, `shape.py` and `text.py` (bodies), `upload.py` and `attachment.py` (files),
`admission/` (whose turn it is), `computing/` (what computes, apart from the rest), `idempotency.py` and
`shortcut.py` (the same request again, and a small one quickly), `reply.py` and `refusal.py` (answers).
`openapi/` derives the document from what the decorators were told; `health.py` and `metrics.py` belong to no
noun.
"""
