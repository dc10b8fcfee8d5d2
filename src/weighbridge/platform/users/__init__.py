"""Users: whom tokens act for, and the people among them, who sign in with an address and a password.

A person joins by a link that an administrator or a command makes; the link is shown once, works once, and
only its hash is stored. What a person may do is a set of permissions; roles are names for some of them.
"""
