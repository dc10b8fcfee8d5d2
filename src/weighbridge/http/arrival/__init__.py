"""Arrival: what a request has to be before anything looks at what it asks for.

In comes what the HTTP server read, out go requests and bodies that have one meaning. `framing.py` refuses
what a proxy could read differently.
"""
