"""The value of a data point: what was captured, the corrections beside it, and conditions on it."""
