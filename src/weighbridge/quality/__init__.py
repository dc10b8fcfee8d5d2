"""Whether the data can be trusted: rules, what they find, and the corrections that they make."""
