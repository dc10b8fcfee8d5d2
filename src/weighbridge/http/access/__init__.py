"""From where a request comes, and what becomes of those who try tokens until one fits.

In: the connection's address and the headers of a request. Out: the address of its client (`address`), and
whether that client may still try a token (`failures`), how long it waits for a refusal (`pace`), and
what is told of writes that were refused (`refused_write`). `linked` serves what is behind an address that
is its own key.
"""
