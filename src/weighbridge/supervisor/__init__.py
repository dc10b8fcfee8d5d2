"""The supervisor: the processes of a service, started, watched, measured and ended together."""
