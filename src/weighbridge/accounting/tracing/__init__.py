"""How a batch came about, read back from what generation wrote: no file here writes anything.

In comes the key of a batch, or those of a page of batches; out come the wire records that batches show. In
the order to read them:

    input_data       the values that batches were made of, a slice at a time, as each batch saw them
    skipped_inputs   the zeros that stand for data that were set aside
    allocations      what was drawn from batches, and what a batch drew
    slot_states      which slots of a ledger hold batches, which are stale, and what can be drawn by hand
    turnover         what ledgers produced and gave month by month, and what flowed between them
    lineage          all of it as a tree, from a batch's output over the model's nodes to its measurements
"""
