"""What the service does and who may use it: tasks with their progress, tokens, webhooks with deliveries, the
audit log under its head, feature flags, health.
"""
