"""Pages of data feeds and their files, and of the agents that send readings by themselves (`agents.py`).

Read in this order: `feeds.py` (what a feed does), `feed_form.py` (a feed from a sample), `feed_questions.py`
(what a sample does not decide), `uploads.py` (files, and what became of their rows), `mapping_view.py` with
`agent_mappings.py` (variables that are chosen for an agent).
"""
