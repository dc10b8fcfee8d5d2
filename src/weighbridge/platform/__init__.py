"""What every area stands on: who may call, what is written down of it, and work that outlives a request."""
