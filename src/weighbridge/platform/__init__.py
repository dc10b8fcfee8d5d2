"""Platform: who may call, the audit log, and tasks that outlive a request.

Nouns: `users` (with accounts and sign-in), `api_tokens`, `audit_log`, `async_tasks`, `feature_flags` and
`saved_views`.
Machinery, each file importing only those below it:

- `queue`: the jobs of tasks
- `audit_tree`: the tree over the audit log, its signed heads and proofs; `authentication`: tokens, passwords,
  sessions, and who may act on whom
- `changes`: what every write leaves behind; `staleness`: the batches that it leaves out of date
- `tenancy`: which records are the account's, and the project that a request names
- `records`: the data structures of the interface
"""
