"""Windows: which members a rule's aggregates look at, and the aggregates as members come and go.

In come records in their order; out go the aggregates for each. Read `window` (what one is, with an example),
`sliding` (the aggregates, with an example), `ordered` (the number at any rank), `slots` (empty slots count).
"""
