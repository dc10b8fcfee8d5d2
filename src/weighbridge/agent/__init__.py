"""The edge agent: readings of a plant's OPC UA servers and MQTT brokers on their way to the service.

Values with the time and the quality that the source gave them come in; events go out, over HTTP only. A
reading is durable in the spool before the agent acknowledges it, and leaves the spool when the service has
it.

Read `readings.py`, then `configuration.py` with `configuration_reading.py` (the agent's file), `spool.py`
(what is on the disk), `sending.py` (the way to the service), `opcua.py` with `opcua_session.py` and
`mqtt.py` (the sources). `run.py` combines them, and `status.py` shows what a spool contains and tries what
the file names.

Invariants: an acknowledged reading reaches the service or the list of rejected readings, once; the agent
opens no port; of the rest of the package it knows `core` and `errors` alone.
"""
