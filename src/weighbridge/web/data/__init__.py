"""Data: what was measured. Events and their data points, with corrections, evidence and findings."""
