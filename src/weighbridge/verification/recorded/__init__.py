"""The stored records against the audit log: what a row says was written is what stands.

- `nouns`: which columns of which tables the rows of an action tell
- `records`: each record as its newest row of the log tells it
- `moments`: when records were made, which is when the log says that something was done
- `events`: what was captured of events, by leaves and roots

In comes a database whose log was checked; out go sentences for what nobody did by an operation. Rows of the
log tell fields of the record as the interface shows them, so what it does not show is not compared.
"""
