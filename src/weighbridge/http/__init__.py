"""HTTP: what all operations share between the socket and the handler of a noun.

A request comes in. A response in JSON or a file, an error response, a log line and the OpenAPI document go
out. Each folder imports only those below it:

- `openapi`: the document, derived from what the decorators declare, and the guide
- `endpoints`: the decorators of routes and the steps of a request; read `endpoint.py` first, then
  `computing.py`, which chooses where the work is executed
- `messages`: the outermost layer, bodies and error responses; `operation.py` has what a route promises and
  its replies

Files at the root serve all of them: `caller.py` (who calls), `wire.py`, `pieces.py` and `text.py` (bodies),
`limits.py` (what a client, a token and an account may take), `idempotency.py` (the same request again),
`outgoing.py` (calls to others), `health.py` and `metrics.py`.
"""
