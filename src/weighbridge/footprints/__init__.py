"""Footprints of products, made from batches and reports and exchanged with partners as PACT 3.0 has it.

Read `records.py`, then the nouns: `footprint_products` says how footprints follow from what was produced,
`footprints` makes them, `footprint_clients` and `footprint_partners` are those with whom they are exchanged,
`footprint_calls` is what is sent to partners and read from them, `footprint_events` and `received_footprints`
are what came. `pact/` is the protocol: what is stored, who may read it, what is answered and what is called.
"""
