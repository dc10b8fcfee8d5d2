"""Arrival: what a request has to be before anything looks at what it asks for.

In comes what the HTTP server read, out go requests and bodies that have one meaning. `framing.py` refuses
what a proxy could read differently. `body.py` reads a body, decoded by `http/wire.py`; long ones go by
`pieces.py`, in `turns.py` with other requests, and `nul.py` and `repeated_keys.py` refuse what JSON has and a
record cannot. `upload.py` reads the forms that files come in, `cookies.py` the cookies of the service.
"""
