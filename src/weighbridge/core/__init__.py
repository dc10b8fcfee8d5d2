"""The rules of the field as plain values and functions.

Nothing here reads a clock, a file, a database or a random number: the same arguments give the same result
on any machine. Only the standard library and lark may be imported.

Each file and package uses only those before it: `identity` (how records are named), `number`, `unit`, `time`
(instants, slots), `ledger` (partitions, withdrawals, entries), `expression` (formulas), `model` (documents),
`engine` (runs them), `signing` and `proof` (trees of hashes, signed heads). `rule`, `report` with
`report_mapping` (what a report states), `collection` and `platform` come next, and `bundle` last. A `Problem`
says what is wrong with what a caller sent; a `Halt` ends a computation without a waiting caller.
"""
