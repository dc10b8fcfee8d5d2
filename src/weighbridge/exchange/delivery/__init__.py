"""Delivery of changes to webhooks: the feed, the attempts, and the queue of each webhook."""
