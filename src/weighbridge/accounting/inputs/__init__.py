"""What a model reads: streams of events, which events a slot has of each, and what they come to.

In comes a model, a project, and a selection: the way in which events are selected, by slot for a generation,
by name for a model run, by lineage for whoever computes a batch again. Out come the data of every slot as the
engine takes them, sums and elements by tags, and static inputs. Nothing here writes but `used_corrections`.

In the order to read them:

    streams            inputs that read the same events, as one stream; the project's catalogue
    window             which events a slot has of a stream, by their times
    selection          the events of a stream by slot, join, name or lineage, as SQL; with a worked example
    slot_series        the same in one scan, where each slot begins at the end of the last
    event_slots        slots that are events or tracking ids themselves
    sums, elements     what selected events come to: statistics, or one by one in their order
    statics            values of static inputs
    slot_data          all of that for every slot: what planning, model runs and `verify` call
    used_corrections   what was in force on the values that a batch used, written and read
    named, named_data, named_run, named_checks
                       data points that a caller names for a model run, what they come to, and what is unused
    required           what the inputs of a model are, for people to see
"""
