"""Webhooks: addresses of others that are told what changes, by requests that they can trust.

In: an address, the changes of which to tell, a project or the whole account. Out: CloudEvents, signed by the
Standard Webhooks scheme, and the log of their deliveries. How they are delivered stands in `delivering`.
Permission: administration, and of what is told the permission to read it.

Read `records`, `queries`, `actions`, `routes`; `tasks` removes what has outlived its use.
"""
