"""Screenshots of every page of the web app: at the widths and in the colours that people use.

    python -m tools.screenshots --folder shots                             # all pages, and their edges
    python -m tools.screenshots --folder shots --only overview,batches     # some of them, by their names
    python -m tools.screenshots --folder shots --data-dir plant            # on a plant that stays
    python -m tools.screenshots --images docs/images                       # those of the documentation

It starts a service of its own with the plant of `weighbridge demo`, gives it what the demonstration lacks
(`given.py`), and opens each page of the table of contents in Chromium (`taking.py`). Read `__main__.py`
first.
"""
