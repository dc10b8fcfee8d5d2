"""Sending: from the spool to the service.

Read `answer.py` first, which says what an answer means for each reading of a batch; `pause.py` says how long
to wait, `connection.py` is one request, and `sender.py` goes on for ever.
"""
