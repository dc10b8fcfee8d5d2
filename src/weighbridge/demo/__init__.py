"""The demonstration: a biochar plant whose three months go through a chain of three ledgers over HTTP.

It ends by itself, and fails when a figure that is published elsewhere does not come out.
"""
