"""The demonstration: a biochar plant whose three months go through a chain of three ledgers over HTTP.

Read `run.py`, then `story.py` (its chapters) with `plant.py` (its measurements) and `show.py` (what is
printed). `serving.py` starts a service for it, and `rehearsal.py` is a registry to practise with. The
demonstration ends by itself, and fails when a figure that is published elsewhere does not come out.
"""
