"""HTTP: what all operations share between the socket and the handler of a noun.

A request comes in. A response in JSON or a file, an error response, a log line and the OpenAPI document go
out. Each folder imports only those below it:

- `openapi`: the document, derived from what the decorators declare, and the guide
- `endpoints`: the decorators of routes and the steps of a request; read `endpoint.py` first
- `computing`: requests that compute, apart from all others
- `messages`: the outermost layer, bodies, replies and error responses; `operation.py` has what a route
  promises

Files at the root serve all of them: `caller.py` (who calls), `wire.py`, `pieces.py` and `text.py` (bodies),
`shares.py` and `rate_limits.py` (whose turn it is), `idempotency.py` and `shortcut.py` (the same request
again, and one event quickly), `outgoing.py` (calls to others), `health.py` and `metrics.py`.
"""
