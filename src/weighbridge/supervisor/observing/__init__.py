"""What an operator sees of a running service: the page of counters, and the table of log lines.

`page.py` serves the page, of what the processes count in the folder of `counters.py` and of the gauges that
`gauges.py` reads; `http/metrics.py` is the table of them all. `log_events.py` names every line of the log
with what to do about it. The reference pages `metrics.md` and `log.md` are made from the two tables.
"""
