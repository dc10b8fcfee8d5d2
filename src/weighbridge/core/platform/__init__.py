"""Rules of callers and their work: permissions, tokens, features, states of tasks, the audit chain."""
