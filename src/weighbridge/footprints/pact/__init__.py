"""The protocol: `stored` footprints and what they are looked for by, `making` them, `access` of clients,
`events` that come, `calling` partners, and `serving`, the paths below `/pact`.
"""
