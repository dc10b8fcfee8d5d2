"""The tree over the audit log (`tree`), its signed heads (`heads`), and counts by the minute
(`minute_counts`).
"""
