"""What a rule may say: the names that it may use, its checks, and examples of common rules.

In comes a rule as a caller sends it; out goes a `StoredVersion` that has no number yet, or every problem with
it at once.

- `allowed_names`: the data points, tags and nodes that expressions may name, by event type and by model
- `shapes`: windows and corrections as they are written
- `validation`: everything that can be wrong with a rule
- `examples`: eleven rules that most plants want, as bodies to send
"""
