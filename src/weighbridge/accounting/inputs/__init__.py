"""What a model reads: streams of events, which of them a slot has, and what they come to."""
