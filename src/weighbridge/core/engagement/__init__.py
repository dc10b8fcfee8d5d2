"""A verifier's engagement on a report, without a database: what is drawn, what findings amount to, what is
signed.

Read `sampling` (the population, its strata, the seed and the records that it draws), `findings` (kinds,
states and the effect of open findings against materiality), and `opinion` (the statement that a verifier
signs, and its signature). The service and the check of bundles both call these functions; a stranger follows
docs/reference/proof-bundle.md.
"""
