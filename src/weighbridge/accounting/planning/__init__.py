"""What a generation would post: its scope, its runs, and how they differ from what stands."""
