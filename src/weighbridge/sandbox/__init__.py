"""Sandboxes: processes of their own, in which files from outside are read with limits on memory and time.

A file is a program that its reader runs, and some make a reader run for hours or take all memory. So what
reads one runs apart; a file that ends its process is refused, and nobody else has waited. Read `limits.py`,
`sandbox.py` (how a process is asked), `template.py` (from which each is forked) and `answers.py`.
"""
