"""Async tasks: work that outlives its request, which the caller polls.

States: pending, running, complete, failed. Each attempt raises the fence; only the newest attempt can
publish, so an effect happens once however often a worker dies. A task that is
cancelled fails, and publishes nothing.
"""
