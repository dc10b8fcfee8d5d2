"""Submission: what must hold of a report before it is sent off, what is sent, and who sends it.

In comes a draft; out go the requirements that it does not meet, or the file that an adapter hands on, the
receipt that it brings back and, later, what the receiver decided. Read `requirements.py` and `late_data.py`;
then `adapter.py`, what an adapter is; `kept.py` and `journal.py`, what is known of a submission; `calling.py`
and `posting.py`, how a registry is called; `reviewing.py`, how it is asked for its decision.
"""
