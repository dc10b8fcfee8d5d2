"""Attacks on a service of one's own, and what somebody else with an account there notices of each.

`plant.py` starts the service with two accounts, `attacks.py` is the table of attacks, `attacker.py` the
process that carries one out, `bystander.py` the process that asks for small things all the while and keeps
the times. `__main__.py` goes through the table and says what the bystander saw, with and without the attack.
"""
