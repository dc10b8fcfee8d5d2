"""Review: decide on proposed corrections, and compute the impact of a change before it is made.

`approval` decides on proposals. `affected_slots` finds the slots and rules that a change touches, and
`impact` compares the results with and without the change, in a transaction that is always undone.
"""
