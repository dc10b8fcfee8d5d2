"""The rules of the field as plain values and functions.

Nothing here reads a clock, a file, a database or a random number: the same arguments give the same
result on any machine. Only the standard library, lark and pint may be imported.
"""
