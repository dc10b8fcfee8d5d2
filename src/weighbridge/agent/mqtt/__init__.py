"""MQTT: readings of a broker, each acknowledged when it is durable in the spool.

Read `source.py` first; `payload.py` makes readings of a message, `topic.py` says which entry of the file a
topic belongs to, `client.py` is the connection whose acknowledgements are ours.
"""
