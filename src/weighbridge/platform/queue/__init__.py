"""The queue behind async tasks: jobs, their recovery, and how callers hear of the end."""
