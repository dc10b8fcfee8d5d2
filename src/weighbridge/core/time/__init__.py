"""Instants, intervals, cadences and the slots that they cut time into."""
