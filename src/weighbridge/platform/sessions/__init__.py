"""Sessions: browsers in which a person has signed in.

The browser holds a secret of 256 random bits in a cookie, the database its hash. A session ends when the
person signs out, there or everywhere, when it was not used for half a day, and after a week at the latest.
"""
