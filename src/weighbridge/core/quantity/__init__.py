"""Numbers and units: exact decimals, and what they count.

In come texts and decimals; out go numbers of at most 34 digits, and exact conversions. Read `number`, then
`unit`.
"""
