"""What is claimed: runs of models over collected data, batches, ledgers, and draws between them."""
