"""Meters: what is judged meter by meter: what totalisers counted, and how much of a slot readings cover."""
