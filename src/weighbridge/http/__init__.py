"""HTTP: what all endpoints share between the socket and the function of a noun.

In comes a request, out go a reply in JSON or a file, a refusal in sentences, a log line and the OpenAPI
document. Read `endpoint.py` first: the decorators of routes and what one request goes through. Around it
are `edge.py` (ids, log, limits of a request), `caller.py` and `rate_limit.py` (who may), `wire.py`,
`shape.py` and `text.py` (bodies), `upload.py` and `attachment.py` (files), `idempotency.py` and
`shortcut.py` (the same request again, and a small one quickly), `reply.py` and `refusal.py` (answers). The
`openapi*.py` derive the document from what the decorators were told; `docs.py`, `health.py` and
`metrics.py` belong to no noun; `arrival/` bounds what comes in.
"""
