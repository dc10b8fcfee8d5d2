"""The edge agent: readings of a plant's OPC UA servers and MQTT brokers on their way to the service.

In come values with the time and the quality that the source gave them, out go events, over HTTP only. What
was read is durable in the spool before its source is told so, and leaves the spool when the service has it.

Read `reading.py` and `quality.py` first, then `configuration/` for what the file says, `spool/` for what is
kept on the disk, `sending/` for the way to the service, `opcua/` and `mqtt/` for the sources; `run.py` brings
them together, `report.py` tells how far behind the agent is, `trial.py` tries what the file names, and
`status.py` shows what a spool holds.

Invariants: a reading that a source was told is kept reaches the service or the list of refused readings,
once; the agent opens no port; of the rest of the package it knows `core` and `errors` alone.
"""
