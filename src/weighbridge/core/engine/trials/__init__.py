"""A model computed once over values that somebody gives: cases of a document, and simulations.

In come values by node; out come the values of all nodes, computed as in a generation, or why not. Read
`trial` (the slot that is made of the values), `given` (values in place of what is not data), `cases`.
"""
