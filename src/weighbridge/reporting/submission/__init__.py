"""Submission: what must hold of a report before it is sent off, what is sent, and who sends it.

In comes a draft; out go the requirements that it does not meet, or the content that an adapter hands on and
the receipt that it brings back. Read `requirements.py`, then `adapter.py` and `file.py`.
"""
