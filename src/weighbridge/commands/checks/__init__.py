"""Commands that change nothing: whether what is stored holds, and what evaluating rules would change."""
