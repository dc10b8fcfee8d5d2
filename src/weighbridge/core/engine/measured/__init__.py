"""What the outputs of a run rest on: how much the values of each source contribute to them.

A value contributes |x * df/dx|. `inputs.py` and `elements.py` take the aggregates of inputs apart: what the
values of each source contribute to an input. `outputs.py` goes from an output back over formulas to inputs
and draws, and puts together what it meets: what contributes to an input, times the rate at which the output
changes with it.

A worked example. Two substituted values of 2 t and 4 t, and one captured of 14 t, are averaged to 20/3 t, and
a formula takes three times that: the output changes by 3 with the average, which changes by a third with
each value. Captured contributes 14 t and substituted 6 t of 20 t.

Where a convention decides, and why:

    constants    contribute nothing, nor do static inputs, defaults, tables, times, or what a ledger still has
    a draw       rests on what its source batches rest on; how much is asked for does not count
    a part       of a value that partitions share contributes as a part; what divides it does not count
    a weight     makes one contribution with its value, of the later source of both; so does a joined one
    a totaliser  its zero means nothing, so each step counts, of the later source of its two readings
    a count      every event is 1, of the source of the value that is counted
    an extreme   of several equal ones the one of the latest source counts
    a temperature counts from absolute zero

Invariants: contributions do not depend on the order of data or on how they were grouped; what two inputs
read counts for each of them.
"""
