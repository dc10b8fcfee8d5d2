"""Uncertainty: how well a number is known, in the terms of the GUM (JCGM 100:2008) and the VIM
(JCGM 200:2012).

Read in this order: `statement` (what somebody states of a value), `effects` (what several values share, and
how effects combine), `quantiles` (the probability functions that a coverage factor needs).

Trials (JCGM 101:2008) are apart: `draws` (a number for each effect and trial), `float_functions` (the same on
every machine), `inverse_distributions`, `correlation`, `sampling` (a value as its statements say) and
`trial_summary` (what the trials of an output come to). They import NumPy, so nothing else imports them before
trials are run.

Nothing here knows of models, batches or the database; numbers are decimals, as everywhere in `core`, except
in trials.
"""
