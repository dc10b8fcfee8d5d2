"""Submission: the requirements of a report before it is submitted, what is sent, and who sends it.

A draft comes in; the requirements that it does not meet go out, or the file that an adapter sends, its
receipt and, later, the receiver's decision. Read `requirements` and `late_data`, then `stored` (what is
known of a submission), `registry` (adapters, and how a registry is called) and `receiver` (its decisions).
"""
