"""The rules of the field as plain values and functions.

Nothing here reads a clock, a file, a database or a random number: the same arguments give the same
result on any machine. Only the standard library and lark may be imported.

It is a ladder, each package using only those before it: `identity` (how records are named), `quantity`
(numbers, units), `time` (instants, slots), `ledger` (partitions, draws, entries), `expression` (formulas),
`model` (documents), `engine` (what runs them). `rule`, `collection` and `platform` stand beside one another
on top. What is wrong with what a caller sent is a `Problem`, from all of them.
"""
