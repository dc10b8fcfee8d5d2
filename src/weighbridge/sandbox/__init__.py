"""Sandboxes: processes of their own that read files from outside, with limits on memory and time.

A file can make its reader run for hours or take all memory. So a reader runs apart; a file that ends its
process is rejected, and no other request has waited. Read `sandbox.py` (how a process is called),
`fork_server.py` (from which each is forked), and `work.py` (the inside of one, with its limits).
"""
