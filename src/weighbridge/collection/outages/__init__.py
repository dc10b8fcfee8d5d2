"""Outages: stretches of time in which nothing is expected of a meter, with the reason and what proves it.

An outage names an asset, a location, or an event type, which stands for all meters of that type; one that
names nothing is of all meters of the project, and an asset or a location with an event type is that meter
among the events of that type. Outages may overlap: what several declare counts once. Each may be changed
and removed, and the audit log keeps what it said. Capture rates (`quality/capture`) read them. Permission:
data collection.
"""
