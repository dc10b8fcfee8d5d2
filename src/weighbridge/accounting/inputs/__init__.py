"""Inputs: which data a model reads, which slot each event belongs to, and the values passed to the engine.

The input is a model, a project and a selection of events: by slot for a generation, by name for a model
run, by provenance for a recomputation. The output is the data of every slot. Only the corrections
that a batch used are written.

Read `streams`, then `selection` with its worked example, `event_slots` and `slot_data`. `named_data`
serves model runs whose caller names the data points.
"""
