"""The agent as one file: what the file does when it is started, and how it is replaced by a newer one.

`machine.py` says whether this machine can run it, and `opening.py` unpacks its code; both run before anything
else of the package can be imported, and import nothing of it. `manifest.py` reads what a file says of itself,
`signing.py` who signed it, `sources.py` where it comes from, and `updating.py` puts it in the place of the
installed one. `tools/agent_file` builds the file.
"""
